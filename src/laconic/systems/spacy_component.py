"""A component for spaCy pipelines: every document gets its compression.

    import spacy
    nlp = spacy.load(…)
    nlp.add_pipe("laconic", config={"words": 12})
    nlp("…")._.compression

spaCy finds the factory, `create_component`, by laconic's entry point.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import TYPE_CHECKING, Any

from laconic.annotate.spacy_adapter import from_span, sentence_spans
from laconic.budget import Budget
from laconic.errors import LaconicError
from laconic.sentence import Sentence
from laconic.systems.registry import DEFAULT, open_system
from laconic.systems.system import System

if TYPE_CHECKING:
    from spacy.tokens import Doc


class CompressingComponent:
    """Shortens the sentences of a document; the budget holds for each of them.

    Sets `doc._.compression`, the shortened text with the author's spacing between sentences, and `doc._.kept`,
    the indices of the tokens that stay (None if the system rewrites). Sentences are the pipeline's; a document
    without boundaries is one sentence.
    """

    def __init__(self, system: System, budget: Budget | None = None) -> None:
        self._system, self._budget = system, budget

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
            compression = self._system.compress(bare, self._budget)
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
    *, words: int | None = None, chars: int | None = None, ratio: float | None = None, exact: bool = False
) -> Budget | None:
    """The budget of a component's settings: at most (or exactly) so many words, characters, or a ratio of words."""
    if sum(limit is not None for limit in (words, chars, ratio)) > 1:
        raise LaconicError("give one limit: words, chars or ratio")
    limit = Budget.exactly if exact else Budget.at_most
    if chars is not None:
        return limit(chars, unit="characters")
    if words is None and ratio is None:
        if exact:
            raise LaconicError("exact needs a limit: words, chars or ratio")
        return None
    return limit(words, ratio=ratio)


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
        exact: bool,
    ) -> CompressingComponent:
        budget = budget_of(words=words, chars=chars, ratio=ratio, exact=exact)
        return CompressingComponent(open_system(system), budget)

    # spaCy reads the types of a factory's settings from its annotations.
    create_component.__annotations__ = {
        "system": str, "words": int | None, "chars": int | None, "ratio": float | None, "exact": bool
    }  # fmt: skip
    Language.factory(
        "laconic",
        default_config={"system": DEFAULT, "words": None, "chars": None, "ratio": None, "exact": False},
        assigns=["doc._.compression", "doc._.kept"],
        func=create_component,
    )
    for attribute in ("compression", "kept"):
        Doc.set_extension(attribute, default=None, force=True)
    return create_component
