"""Sentences from Stanza, on objects with the attributes of its documents (Stanza itself brings PyTorch)."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from laconic.annotate.stanza_adapter import from_document
from laconic.errors import LaconicError


def word(text: str, xpos: str | None = None, head: int | None = None, deprel: str | None = None):
    return SimpleNamespace(text=text, xpos=xpos, head=head, deprel=deprel)


def token(*words: SimpleNamespace, text: str | None = None, after: str = " ", before: str = ""):
    return SimpleNamespace(
        text=text or words[0].text, words=list(words), spaces_after=after, spaces_before=before
    )


class Brackets:
    """A tree that prints itself, as Stanza's do."""

    def __init__(self, text: str) -> None:
        self.text = text

    def __str__(self) -> str:
        return self.text


def document(*sentences: SimpleNamespace) -> SimpleNamespace:
    return SimpleNamespace(sentences=list(sentences))


TOKENS = [
    token(word("She", "PRP", 4, "nsubj"), before="\t"),
    token(word("does", "VBZ", 4, "aux"), word("n't", "RB", 4, "advmod"), text="doesn't", after="  "),
    token(word("agree", "VB", 0, "root"), after=""),
    token(word(".", ".", 4, "punct"), after="\n"),
]
TREE = Brackets("(ROOT (S (NP (PRP She)) (VP (VBZ does) (RB n't) (VP (VB agree))) (. .)))")


def test_words_spacing_and_annotation() -> None:
    second = SimpleNamespace(tokens=[token(word("OK", "UH", 0, "root"), after="")], constituency=None)
    found, other = from_document(document(SimpleNamespace(tokens=TOKENS, constituency=TREE), second))
    assert found.text + other.text == "\tShe doesn't  agree.\nOK"
    assert found.words == ("She", "does", "n't", "agree", ".")
    assert (found.tags, found.heads) == (("PRP", "VBZ", "RB", "VB", "."), (3, 3, 3, -1, 3))
    assert found.relations == ("nsubj", "aux", "advmod", "root", "punct")
    assert found.tree.spans[:2] == (("ROOT", 0, 5), ("S", 0, 5))
    assert other.tree is None


def test_words_that_do_not_spell_their_token_stand_apart() -> None:
    tokens = [token(word("à"), word("le"), text="au", after=" "), token(word("parc"), after="")]
    [found] = from_document(document(SimpleNamespace(tokens=tokens)))
    assert found.text == "à le parc"


def test_what_the_pipeline_lacks_is_absent() -> None:
    [found] = from_document(document(SimpleNamespace(tokens=[token(word("It")), token(word("fell"))])))
    assert (found.tags, found.heads, found.relations, found.tree) == (None, None, None, None)


def test_sentences_without_tokens_are_empty() -> None:
    [found] = from_document(document(SimpleNamespace(tokens=[], constituency=TREE)))
    assert (found.words, found.tree) == ((), None)


def test_a_tree_of_other_words_is_named() -> None:
    with pytest.raises(LaconicError, match="Stanza's tree has 5 words, the sentence 1: 'She'"):
        list(from_document(document(SimpleNamespace(tokens=TOKENS[:1], constituency=TREE))))
