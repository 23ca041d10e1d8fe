"""The shapes of requests and answers, made from the library's table of options; the contract of the service."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import (
    BaseModel,
    ConfigDict,
    Field,
    StrictBool,
    StrictFloat,
    StrictInt,
    StrictStr,
    TypeAdapter,
    WithJsonSchema,
    create_model,
)

from laconic.options import TABLE

Text = Annotated[StrictStr, Field(description="English text.")]
_AMOUNT: Any = StrictInt | StrictFloat | StrictStr | None
_PIN: Any = StrictStr | tuple[StrictInt, StrictInt]
_TYPES: dict[str, Any] = {
    "for_": StrictStr | None,
    "tokenizer": StrictStr | None,
    "length": StrictStr | StrictInt | StrictFloat | None,
    "system": StrictStr,
    "keep": StrictStr | list[_PIN],
    "drop": StrictStr | list[_PIN],
    "protect": StrictStr | list[StrictStr],
    "drop_sentences": StrictBool,
}
_DEFAULTS: dict[str, Any] = {"per": "text", "system": "default", "impossible": "error", "format": "text"}


def _documented(name: str) -> Any:
    """Any value, of which the library itself says what is wrong; the schema says what is right."""
    return Annotated[Any, WithJsonSchema(TypeAdapter(_type_of(name)).json_schema())]


def _type_of(name: str) -> Any:
    choices = TABLE[name].choices
    if name in _TYPES:
        return _TYPES[name]
    if choices:
        return Literal[choices] if name in _DEFAULTS else Literal[choices] | None
    return _AMOUNT


def _default_of(name: str) -> Any:
    if name in ("keep", "drop", "protect"):
        return Field(default_factory=list, description=TABLE[name].help)
    default = False if name == "drop_sentences" else _DEFAULTS.get(name)
    alias = "for" if name == "for_" else None
    return Field(default, description=TABLE[name].help, alias=alias)


class Strict(BaseModel):
    """A shape that takes nothing it does not know."""

    model_config = ConfigDict(extra="forbid", populate_by_name=False)


OptionsModel: Any = create_model(
    "Options", __base__=Strict, **{name: (_documented(name), _default_of(name)) for name in TABLE}
)
"""The options of the library, by the same names."""


def given(request: Any) -> dict[str, Any]:
    """The options that a request gives, as the library takes them."""
    values = request.model_dump(exclude_unset=True, by_alias=True)
    return {name: value for name, value in values.items() if ("for_" if name == "for" else name) in TABLE}


def _request(name: str, about: str, examples: list[Any], **more: Any) -> Any:
    made = create_model(name, __base__=OptionsModel, __doc__=about, **more)
    made.model_config = ConfigDict(extra="forbid", json_schema_extra={"examples": examples})
    made.model_rebuild(force=True)
    return made


_SENTENCE = "The council, which met on Tuesday, lowered the fees for small businesses."
CompressRequest = _request(
    "CompressRequest",
    "A text, or many, and the options of the library.",
    [
        {"text": _SENTENCE, "words": 6},
        {"text": _SENTENCE, "characters": "..60", "keep": ["Tuesday"]},
        {"text": [_SENTENCE, "It rained."], "for": "title", "per": "sentence", "impossible": "leave"},
    ],
    text=(StrictStr | list[StrictStr], Field(description="English text, or many texts.")),
    detail=(StrictBool, Field(False, description="Tell all that is known of every sentence.")),
)
TextRequest = _request(
    "TextRequest",
    "A text and the options of the library.",
    [{"text": _SENTENCE, "words": 6}],
    text=(Text, ...),
)
FrontierRequest = _request(
    "FrontierRequest",
    "A text, and options that are no limits; the tokenizer counts the tokens of every answer.",
    [{"text": _SENTENCE, "keep": ["Tuesday"]}],
    text=(Text, ...),
)


class ContentRequest(Strict):
    """A content to be shortened for a model, as proxies ask for it."""

    content: StrictStr
    target_ratio: Annotated[float, Field(strict=False, gt=0, le=1)] | None = None


class ParseRequest(Strict):
    """A text to be parsed."""

    text: Text
    format: Literal["json", "conllu", "penn"] = "json"


SHAPES: dict[str, Any] = {
    "/compress": CompressRequest,
    "/frontier": FrontierRequest,
    "/explain": TextRequest,
    "/parse": ParseRequest,
}
"""The shapes of the requests that are objects, by their paths."""


def names_of(shape: Any) -> list[str]:
    """The names that a request of a shape may have."""
    return [field.alias or name for name, field in shape.model_fields.items()]


class Costs(BaseModel):
    """How long a text is."""

    words: int
    characters: int
    tokens: int | None = None


class RepairModel(BaseModel):
    """What deletion broke and was mended."""

    kind: str
    where: int
    what: str


class CompressAnswer(BaseModel):
    """A shortened text."""

    model_config = ConfigDict(extra="allow")
    text: str
    notes: list[str]
    repairs: list[RepairModel]
    costs: Costs


class ProblemModel(BaseModel):
    """A refusal (RFC 9457): what was wrong, which limit it was, what is possible."""

    type: str
    title: str
    status: int
    detail: str
    possible: list[int] | None = None
    limit: str | None = None
    most: float | None = None


class ProblemAnswer(BaseModel):
    """One of many texts that was refused."""

    problem: ProblemModel


class CompressAnswers(BaseModel):
    """Many shortened texts, in order."""

    answers: list[CompressAnswer | ProblemAnswer]


class ContentAnswer(BaseModel):
    """A content that was shortened for a model."""

    compressed: str
    original_tokens: int
    compressed_tokens: int
    compression_ratio: float
    model_used: str


class LengthAnswer(BaseModel):
    """The best compression at a number of words."""

    words: int
    characters: int
    tokens: int
    text: str
    kept: list[int] | None
    repairs: list[RepairModel]
    notes: list[str]
    score: float | None


class FrontierSentence(BaseModel):
    """A sentence, what is known of it, and its answers from the shortest to the longest."""

    model_config = ConfigDict(extra="allow")
    start: int
    end: int
    source: str
    words: list[str]
    spaces: list[str]
    tags: list[str]
    heads: list[int]
    relations: list[str]
    tree: str
    answers: list[LengthAnswer]


class FrontierAnswer(BaseModel):
    """Every length of every sentence."""

    sentences: list[FrontierSentence]


class ReasonModel(BaseModel):
    """Why a word stayed or went: what decided it, the ties that hold it, the best answer with it the other way."""

    model_config = ConfigDict(extra="allow")
    word: str
    kept: bool
    why: str


class ExplainedSentence(BaseModel):
    """A sentence and what became of its words; those that went with the whole sentence are not told."""

    model_config = ConfigDict(extra="allow")
    source: str
    text: str
    words: list[ReasonModel] = []


class ExplainAnswer(CompressAnswer):
    """A shortened text, word by word."""

    sentences: list[ExplainedSentence]


class ParsedSentence(BaseModel):
    """A sentence with tags and trees."""

    model_config = ConfigDict(extra="allow")
    words: list[str]
    spaces: list[str]
    tags: list[str]
    heads: list[int]
    relations: list[str]
    tree: str


class ParseAnswer(BaseModel):
    """The sentences of a text."""

    sentences: list[ParsedSentence]


class SystemsAnswer(BaseModel):
    """What can be asked for."""

    systems: list[dict[str, Any]]
    limits: list[dict[str, Any]]
    tokenizers: list[str]
    norms: list[dict[str, Any]]
    options: list[dict[str, Any]]
    service: dict[str, float]
