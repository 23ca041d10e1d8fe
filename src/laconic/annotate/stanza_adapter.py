"""Sentences from Stanza: what its pipeline says of a text, as laconic's values.

Nothing here imports Stanza: its objects come from the caller.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from laconic.errors import LaconicError
from laconic.formats.penn import parse_tree
from laconic.sentence import Sentence
from laconic.trees.constituency import Tree
from laconic.trees.transform import with_root

if TYPE_CHECKING:
    from stanza.models.common.doc import Document


def from_document(document: Document) -> Iterator[Sentence]:
    """The sentences of a document with the author's spacing, and what the pipeline found.

    Tags are XPOS, relations those of Universal Dependencies, the tree that of the constituency parser. Words
    of a token that spell it ("do" + "n't") are written together, others with a space between them.
    """
    return map(_from_sentence, document.sentences)


def _from_sentence(found: Any) -> Sentence:
    words: list[Any] = []
    spaces: list[str] = []
    for token in found.tokens:
        spelled = "".join(word.text for word in token.words) == token.text
        words.extend(token.words)
        spaces.extend(["" if spelled else " "] * (len(token.words) - 1))
        spaces.append(token.spaces_after)
    texts = tuple(word.text for word in words)
    sentence = Sentence(texts, tuple(spaces), found.tokens[0].spaces_before if found.tokens else "")
    tags = [word.xpos or "" for word in words]
    heads = [word.head for word in words]
    relations = [word.deprel or "" for word in words]
    return sentence.annotated(
        tags=tags if any(tags) else None,
        heads=None if not words or None in heads else [head - 1 for head in heads],
        relations=relations if any(relations) else None,
        tree=_tree(found, texts),
    )


def _tree(found: Any, words: tuple[str, ...]) -> Tree | None:
    # Pipelines of older versions, or without the parser, leave no tree.
    constituency = getattr(found, "constituency", None)
    if constituency is None or not words:
        return None
    tree = parse_tree(str(constituency))
    if len(tree.words) != len(words):
        raise LaconicError(
            f"Stanza's tree has {len(tree.words)} words, the sentence {len(words)}: {' '.join(words)[:60]!r}"
        )
    return with_root(replace(tree, words=words))
