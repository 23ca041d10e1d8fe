"""Sentences from spaCy: what any installed pipeline says of a text, as laconic's values.

Nothing here imports spaCy: its objects come from the caller. `laconic.integrations.spacy` is the way back.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from laconic.errors import LaconicError
from laconic.formats.penn import parse_tree
from laconic.sentence import Sentence
from laconic.trees.constituency import Tree
from laconic.trees.dependency import restrict_heads
from laconic.trees.transform import restrict, with_root

if TYPE_CHECKING:
    from spacy.tokens import Doc, Span

ROOT_RELATION, UNNAMED = "root", "dep"
BENEPAR = "parse_string"  # the extension under which benepar leaves its trees


def from_doc(doc: Doc) -> Iterator[Sentence]:
    """The sentences of a document, in order; those of white space alone are left out.

    A document whose pipeline found no sentence boundaries is one sentence.
    """
    for span in sentence_spans(doc):
        sentence = from_span(span)
        if sentence.words:
            yield sentence


def sentence_spans(doc: Doc) -> Iterable[Span]:
    """The spans of a document's sentences: one over all of it if its pipeline found no boundaries."""
    spans: Iterable[Span] = doc.sents if doc.has_annotation("SENT_START") else [doc[:]]
    return spans


def from_span(span: Span) -> Sentence:
    """The words of a span with the author's spacing, and what the pipeline found: tags, heads, relations, tree.

    Tokens of white space become spacing. A word whose head lies outside the span is its root, or hangs from
    the first such word. Relations are the pipeline's own (most English ones do not use those of Universal
    Dependencies), but for the root's, which is `root`. The tree is benepar's, where the pipeline has it.
    """
    tokens = list(span)
    kept = [place for place, token in enumerate(tokens) if not token.is_space]
    lead, spaces = _spacing([(token.text, token.whitespace_, token.is_space) for token in tokens])
    sentence = Sentence(tuple(tokens[place].text for place in kept), spaces, lead)
    if not kept:
        return sentence
    tags = [tokens[place].tag_ for place in kept]
    doc = span.doc
    heads = relations = None
    if doc.has_annotation("DEP"):
        # spaCy's roots are their own heads.
        inside = {token.i: place for place, token in enumerate(tokens)}
        everywhere = [-1 if token.head.i == token.i else inside.get(token.head.i, -1) for token in tokens]
        heads = restrict_heads(everywhere, kept)
        relations = [_relation(tokens[place].dep_, head) for place, head in zip(kept, heads, strict=True)]
    return sentence.annotated(
        tags=tags if any(tags) else None,
        heads=heads,
        relations=relations,
        tree=_benepar_tree(span, len(tokens), kept, sentence.words),
    )


def _spacing(tokens: Sequence[tuple[str, str, bool]]) -> tuple[str, tuple[str, ...]]:
    """The white space before the first word and behind each; tokens are (text, white space behind, is space)."""
    spaces = [""]
    for text, behind, is_space in tokens:
        if is_space:
            spaces[-1] += text + behind
        else:
            spaces.append(behind)
    return spaces[0], tuple(spaces[1:])


def _relation(label: str, head: int) -> str:
    if head == -1:
        return ROOT_RELATION
    return UNNAMED if label.lower() in ("", ROOT_RELATION) else label


def _benepar_tree(span: Span, count: int, kept: Sequence[int], words: tuple[str, ...]) -> Tree | None:
    if not span.has_extension(BENEPAR):
        return None
    brackets = span._.parse_string
    if not brackets:
        return None
    tree = parse_tree(brackets)
    if len(tree.words) == count:
        tree = restrict(tree, kept) or tree
    if len(tree.words) != len(words):
        raise LaconicError(
            f"benepar's tree has {len(tree.words)} words, the span {len(words)}: {' '.join(words)[:60]!r}"
        )
    return with_root(replace(tree, words=words))
