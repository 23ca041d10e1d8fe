"""A component for spaCy pipelines: every document gets its compression.

    import spacy
    nlp = spacy.load(…)
    nlp.add_pipe("laconic", config={"words": 12})
    nlp("…")._.compression

spaCy finds the factory, `create_component`, by laconic's entry point.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from typing import TYPE_CHECKING, Any, cast

from laconic.annotate.spacy_adapter import from_span, sentence_spans
from laconic.budget import Budget
from laconic.errors import LaconicError
from laconic.sentence import Sentence
from laconic.systems.one_call import open_cached
from laconic.systems.phrases import find_phrase
from laconic.systems.registry import DEFAULT
from laconic.systems.system import System

if TYPE_CHECKING:
    from spacy.tokens import Doc

    from laconic.systems.default.compressor import Style


class CompressingComponent:
    """Shortens the sentences of a document; the budget holds for each of them.

    Sets `doc._.compression`, the shortened text with the author's spacing between sentences, and `doc._.kept`,
    the indices of the tokens that stay (None if the system rewrites). Sentences are the pipeline's; a document
    without boundaries is one sentence. `keep` and `drop` are words or phrases, pinned wherever they appear.
    """

    def __init__(
        self,
        system: System,
        budget: Budget | None = None,
        *,
        keep: Sequence[str] = (),
        drop: Sequence[str] = (),
    ) -> None:
        self._system, self._budget = system, budget
        self._keep, self._drop = keep, drop

    def __call__(self, doc: Doc) -> Doc:
        """The document, with its compression set."""
        text, between = "", ""
        kept: list[int] | None = []
        for span in sentence_spans(doc):
            found = from_span(span)
            if not found.words:
                continue
            # Systems annotate words themselves, as they were trained to.
            bare = Sentence(found.words, found.spaces, found.lead)
            keep, drop = (
                {word for phrase in phrases for word in find_phrase(bare, phrase)}
                for phrases in (self._keep, self._drop)
            )
            compression = self._system.compress(bare, self._budget, keep=keep, drop=drop)
            if compression.text:
                text += between + compression.text
                between = found.spaces[-1]
            indices = [token.i for token in span if not token.is_space]
            if compression.kept is None or kept is None:
                kept = None
            else:
                kept.extend(indices[word] for word in compression.kept)
        doc._.compression, doc._.kept = text, kept
        return doc


def budget_of(
    *,
    words: int | None = None,
    chars: int | None = None,
    ratio: float | None = None,
    minimum: float | None = None,
    exact: bool = False,
) -> Budget | None:
    """The budget of a component's settings: at most (or exactly) so many words, characters, or a ratio of words.

    With a `minimum`, no less than that either.
    """
    amounts = [limit for limit in (words, chars, ratio) if limit is not None]
    if len(amounts) > 1:
        raise LaconicError("give one limit: words, chars or ratio")
    if exact and minimum is not None:
        raise LaconicError("give exact or a minimum, not both")
    if not amounts:
        if exact or minimum is not None:
            raise LaconicError(f"{'exact' if exact else 'a minimum'} needs a limit: words, chars or ratio")
        return None
    least = amounts[0] if exact else minimum
    return Budget(least, amounts[0], "words" if chars is None else "characters", ratio is not None)


def __getattr__(name: str) -> Any:
    # spaCy is imported, and told of the component, when it asks for the factory.
    if name != "create_component":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return _registered_factory()


@cache
def _registered_factory() -> Callable[..., CompressingComponent]:
    from spacy.language import Language
    from spacy.tokens import Doc

    def create_component(
        nlp: Language,  # noqa: ARG001  (spaCy passes both by name)
        name: str,  # noqa: ARG001
        system: str,
        words: int | None,
        chars: int | None,
        ratio: float | None,
        minimum: float | None,
        exact: bool,
        keep: list[str],
        drop: list[str],
        protect: list[str],
        register: str | None,
        style: str | None,
    ) -> CompressingComponent:
        budget = budget_of(words=words, chars=chars, ratio=ratio, minimum=minimum, exact=exact)
        manner = cast("Style | None", style)
        opened = open_cached(system, register=register, style=manner, protect=tuple(protect))
        return CompressingComponent(opened, budget, keep=keep, drop=drop)

    # spaCy reads the types of a factory's settings from its annotations.
    create_component.__annotations__ = {
        "system": str, "words": int | None, "chars": int | None, "ratio": float | None, "minimum": float | None,
        "exact": bool, "keep": list[str], "drop": list[str], "protect": list[str], "register": str | None,
        "style": str | None,
    }  # fmt: skip
    limits = {"words": None, "chars": None, "ratio": None, "minimum": None, "exact": False}
    pins: dict[str, list[str]] = {"keep": [], "drop": [], "protect": []}
    Language.factory(
        "laconic",
        default_config={"system": DEFAULT, **limits, **pins, "register": None, "style": None},
        assigns=["doc._.compression", "doc._.kept"],
        func=create_component,
    )
    for attribute in ("compression", "kept"):
        Doc.set_extension(attribute, default=None, force=True)
    return create_component
