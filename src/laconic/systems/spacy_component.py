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
from inspect import Parameter, signature
from typing import TYPE_CHECKING, Any

from laconic.annotate.spacy_adapter import from_span, sentence_spans
from laconic.budget import Budget
from laconic.options import Options, Pin
from laconic.sentence import Sentence
from laconic.systems.manner import system_for
from laconic.systems.system import System
from laconic.text.phrases import find_phrase

if TYPE_CHECKING:
    from spacy.tokens import Doc

SETTINGS: dict[str, Any] = {
    **dict.fromkeys(("words", "characters", "tokens", "ratio", "for_", "tokenizer", "like", "length")),
    "system": "default",
    **{name: [] for name in ("keep", "drop", "protect")},
}
"""The options of the table that the component takes, and what they are by default; the limit is for each sentence."""


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
        keep: Sequence[Pin] = (),
        drop: Sequence[Pin] = (),
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
                {word for phrase in phrases if isinstance(phrase, str) for word in find_phrase(bare, phrase)}
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


def __getattr__(name: str) -> Any:
    # spaCy is imported, and told of the component, when it asks for the factory.
    if name != "create_component":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return _registered_factory()


@cache
def _registered_factory() -> Callable[..., CompressingComponent]:
    from spacy.language import Language
    from spacy.tokens import Doc

    def create_component(nlp: Language, name: str, **settings: Any) -> CompressingComponent:  # noqa: ARG001
        # spaCy passes the pipeline and the component's name by name, too.
        options = Options.of({**settings, "per": "sentence"})
        return CompressingComponent(
            system_for(options), options.budget(), keep=options.keep, drop=options.drop
        )

    # spaCy reads the names and types of a factory's settings from its signature.
    own = signature(create_component)
    table = [Parameter(option, Parameter.KEYWORD_ONLY, annotation=Any, default=None) for option in SETTINGS]
    fixed = [each for each in own.parameters.values() if each.kind != each.VAR_KEYWORD]
    create_component.__signature__ = own.replace(parameters=[*fixed, *table])  # type: ignore[attr-defined]
    Language.factory(
        "laconic",
        default_config=SETTINGS,
        assigns=["doc._.compression", "doc._.kept"],
        func=create_component,
    )
    for attribute in ("compression", "kept"):
        Doc.set_extension(attribute, default=None, force=True)
    return create_component
