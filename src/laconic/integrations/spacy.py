"""spaCy: a component that gives every document its compression.

    import spacy
    nlp = spacy.load(…)
    nlp.add_pipe("laconic", config={"words": 40, "per": "text"})
    nlp("…")._.compression

spaCy finds the factory by laconic's entry point.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import fields, replace
from inspect import Parameter, signature
from typing import Any, Literal, get_args

from laconic.annotate.spacy_adapter import from_span, sentence_spans
from laconic.compressed_text import CompressedText
from laconic.documents.compress import request_of_sentences
from laconic.documents.pins import Pins
from laconic.errors import LaconicError, MissingExtra
from laconic.formats.penn import format_tree
from laconic.options import TABLE, Options
from laconic.parallel import map_in_order
from laconic.sentence import Sentence
from laconic.systems.annotation import annotated
from laconic.systems.manner import system_for

try:
    from spacy.language import Language
    from spacy.pipeline import Pipe
    from spacy.tokens import Doc, Span
    from spacy.util import minibatch
except ImportError:
    raise MissingExtra("spacy", "spacy") from None

Parse = Literal["laconic", "spacy"]

SETTINGS: dict[str, Any] = {
    each.name: list(value) if isinstance(value := getattr(Options(), each.name), tuple) else value
    for each in fields(Options)
    if each.name != "format"  # a document has been read already
}
"""The options of the table that the component takes, with the defaults of the table."""

_OF_DOCUMENTS = ("compression", "kept", "compression_notes", "compression_trees")
_OF_SENTENCES = ("compression", "kept", "compression_notes", "compression_tree")


class CompressingComponent(Pipe):  # type: ignore[misc]
    """Shortens documents as `laconic.compress` does with the same options; sentences are the pipeline's.

    Sets `doc._.compression`, the shortened text; `doc._.kept`, the indices of the tokens that stay (None if the system
    rewrites); `doc._.compression_notes`, what could not be met or had to be torn apart; and `doc._.compression_trees`,
    the tree of each shortened sentence in Penn brackets. Its sentences have the same, with one `compression_tree`.
    With `parse="spacy"` systems that need a parse take the pipeline's, and laconic's own for what that does not have.
    """

    def __init__(self, options: Options, *, parse: Parse = "laconic", name: str = "laconic") -> None:
        if parse not in get_args(Parse):
            raise LaconicError(f"parse={parse!r:.60}: is one of {', '.join(get_args(Parse))}")
        self.name, self._options, self._parse = name, options, parse
        self._system, self._budget = system_for(options), options.budget()
        if parse == "spacy" and self._system.name == "default":
            raise LaconicError(
                "parse='spacy': the default system parses with the network that also scores; name another system"
            )

    def __call__(self, doc: Doc) -> Doc:
        """The document, with its compression set."""
        return self._set(doc, *self._compressed(doc))

    def pipe(self, stream: Iterable[Doc], *, batch_size: int = 128) -> Iterator[Doc]:
        """The documents in their order, so many at a time on all threads.

        What goes wrong with one is told to the pipeline's handler of errors, and the others go on.
        """
        handle = self.get_error_handler()
        for batch in minibatch(stream, batch_size):
            docs = list(batch)
            for doc, found in zip(
                docs, map_in_order(self._tried, docs, threads=self._system.threads), strict=True
            ):
                if isinstance(found, Exception):
                    handle(self.name, self, [doc], found)
                else:
                    yield self._set(doc, *found)

    def _tried(self, doc: Doc) -> tuple[list[Span], CompressedText] | Exception:
        try:
            return self._compressed(doc)
        except Exception as error:
            return error

    def _compressed(self, doc: Doc) -> tuple[list[Span], CompressedText]:
        """The sentences of a document that have words, and what becomes of them."""
        spans: list[Span] = []
        sentences: list[Sentence] = []
        before = ""
        for span in sentence_spans(doc):
            found = from_span(span)
            # White space belongs to the sentence before it.
            if sentences:
                last = sentences[-1]
                sentences[-1] = replace(last, spaces=(*last.spaces[:-1], last.spaces[-1] + found.lead))
            else:
                before += found.lead
            if found.words:
                spans.append(span)
                sentences.append(replace(found, lead=before if not sentences else ""))
        parsed = self._parsed if self._parse == "spacy" else _bare
        # What must stay or go need not be in every document.
        pins = Pins(self._options)
        request = request_of_sentences(
            self._system, [parsed(each) for each in sentences], self._options, self._budget, pins=pins
        )
        return spans, request.answer()

    def _parsed(self, sentence: Sentence) -> Sentence:
        [full] = annotated([_bare(sentence)])
        own = {name: getattr(sentence, name) for name in ("tags", "heads", "relations", "tree")}
        return full.annotated(**{name: value for name, value in own.items() if value is not None})

    def _set(self, doc: Doc, spans: list[Span], answer: CompressedText) -> Doc:
        kept: list[int] | None = []
        trees: list[str | None] = []
        for span, piece in zip(spans, answer.sentences, strict=True):
            found = piece.compression
            tokens = [token.i for token in span if not token.is_space]
            stay = () if found is None else found.kept
            here = None if stay is None else [tokens[word] for word in stay]
            tree = None if found is None or found.tree is None else format_tree(found.tree)
            kept = None if kept is None or here is None else kept + here
            trees.append(tree)
            notes = [] if found is None else list(found.notes)
            for name, value in zip(_OF_SENTENCES, (piece.text, here, notes, tree), strict=True):
                span._.set(name, value)
        for name, value in zip(_OF_DOCUMENTS, (answer.text, kept, list(answer.notes), trees), strict=True):
            doc._.set(name, value)
        return doc


def _bare(sentence: Sentence) -> Sentence:
    """Systems annotate words themselves, as they were trained to."""
    return Sentence(sentence.words, sentence.spaces, sentence.lead)


def _factory() -> Callable[..., CompressingComponent]:
    def create_component(
        nlp: Language,  # noqa: ARG001  (spaCy passes it by name)
        name: str,
        parse: Parse = "laconic",
        **settings: Any,
    ) -> CompressingComponent:
        return CompressingComponent(Options.of(settings), parse=parse, name=name)

    # spaCy reads the names of a factory's settings from its signature, and their types from its annotations.
    own = signature(create_component)
    fixed = [
        each.replace(annotation=Any) for each in own.parameters.values() if each.kind != each.VAR_KEYWORD
    ]
    table = [
        Parameter(option, Parameter.KEYWORD_ONLY, annotation=Any, default=SETTINGS[option])
        for option in TABLE
        if option in SETTINGS
    ]
    create_component.__signature__ = own.replace(parameters=[*fixed, *table])  # type: ignore[attr-defined]
    for attribute in _OF_DOCUMENTS:
        Doc.set_extension(attribute, default=None, force=True)
    for attribute in _OF_SENTENCES:
        Span.set_extension(attribute, default=None, force=True)
    Language.factory(
        "laconic",
        default_config={**SETTINGS, "parse": "laconic"},
        assigns=[f"doc._.{name}" for name in _OF_DOCUMENTS] + [f"span._.{name}" for name in _OF_SENTENCES],
        func=create_component,
    )
    return create_component


create_component = _factory()
"""What spaCy makes the component with."""
