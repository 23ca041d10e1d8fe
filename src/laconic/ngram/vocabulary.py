"""The words a language model knows, as integers, and how a text's words are folded into them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from laconic.errors import LaconicError

UNKNOWN, BEGIN, END = 0, 1, 2
"""The ids every vocabulary starts with: any unknown word, the begin and the end of a sentence."""

SPECIAL_WORDS = ("<unk>", "<s>", "</s>")

Folding = Literal["none", "news"]
"""How words are rewritten before they are looked up; see `fold`."""

_DOUBLE_QUOTE = re.compile("``|''|[“”„‟«»]")
_SINGLE_QUOTE = re.compile("[‘’‚‛`]")
_DASH = re.compile("-{2,}|[–—―]")
_DIGIT = re.compile(r"\d")
_BRACKETS = {"-LRB-": "(", "-RRB-": ")", "-LSB-": "[", "-RSB-": "]", "-LCB-": "{", "-RCB-": "}"}


def fold(word: str, folding: Folding) -> str:
    """Rewrite a word to the form under which the model knows it.

    "none" changes nothing. "news" makes spellings of one sign equal (all double quotes `"`, all single
    quotes and apostrophes `'`, a dash that stands alone `--`, `…` three dots, Penn's bracket names the
    brackets) and turns every digit into 0, so that numbers share their statistics by shape.

    >>> [fold(word, "news") for word in ("“", "Lloyd’s", "—", "1,250.5", "-LRB-")]
    ['"', "Lloyd's", '--', '0,000.0', '(']
    """
    if folding == "none":
        return word
    if word in _BRACKETS:
        return _BRACKETS[word]
    word = _DOUBLE_QUOTE.sub('"', word)
    word = _SINGLE_QUOTE.sub("'", word).replace("…", "...")
    word = "--" if _DASH.fullmatch(word) else word.replace("–", "-")
    return _DIGIT.sub("0", word)


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """Words by id: 0 stands for every unknown word, 1 and 2 for the begin and end of a sentence.

    A text's own `<s>` and `</s>` are not boundaries: like any word not listed, they are unknown.

    >>> vocabulary = Vocabulary.from_counts({"the": 5, "cat": 2, "sat": 1}, min_count=2)
    >>> vocabulary.words
    ('<unk>', '<s>', '</s>', 'the', 'cat')
    >>> vocabulary.ids(["the", "dog", "<s>"]).tolist()
    [3, 0, 0]
    """

    words: tuple[str, ...]
    folding: Folding = "none"
    _id_of: dict[str, int] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        if self.words[:3] != SPECIAL_WORDS:
            raise LaconicError(f"a vocabulary starts with {' '.join(SPECIAL_WORDS)}, not {self.words[:3]}")
        if self.folding not in ("none", "news"):
            raise LaconicError(f"a vocabulary's folding is 'none' or 'news', not {self.folding!r}")
        id_of: dict[str, int] = {}
        for number, word in enumerate(self.words):
            if word.split() != [word]:
                raise LaconicError(f"word {number} of the vocabulary is empty or holds white space: {word!r}")
            if id_of.setdefault(word, number) != number:
                raise LaconicError(f"word {number} of the vocabulary stands there twice: {word!r}")
        del id_of["<s>"], id_of["</s>"]
        object.__setattr__(self, "_id_of", id_of)

    @classmethod
    def from_counts(
        cls,
        counts: Mapping[str, int],
        *,
        min_count: int = 1,
        size: int | None = None,
        folding: Folding = "none",
    ) -> Vocabulary:
        """The (folded) words seen at least `min_count` times, the `size` most frequent of them.

        Ids follow frequency, ties the alphabet.
        """
        if min_count < 1 or (size is not None and size < 1):
            raise LaconicError(
                f"min_count and size of a vocabulary are at least 1, not {min_count} and {size}"
            )
        frequent = [(-count, word) for word, count in counts.items() if count >= min_count]
        ordered = [word for _, word in sorted(frequent) if word not in SPECIAL_WORDS]
        return cls(SPECIAL_WORDS + tuple(ordered[:size]), folding)

    def __len__(self) -> int:
        return len(self.words)

    def id(self, word: str) -> int:
        """The id of a word as it stands in a text (it is folded first), `UNKNOWN` if it is not listed."""
        return self._id_of.get(fold(word, self.folding), UNKNOWN)

    def ids(self, words: Sequence[str]) -> NDArray[np.int32]:
        """The ids of a text's words."""
        return np.fromiter((self.id(word) for word in words), dtype=np.int32, count=len(words))


def encode_corpus(
    sentences: Iterable[Sequence[str]],
    *,
    min_count: int = 1,
    size: int | None = None,
    folding: Folding = "none",
) -> tuple[Vocabulary, NDArray[np.int32]]:
    """Choose a vocabulary and write the sentences as one row of ids, each between `BEGIN` and `END`.

    The sentences are read once. Memory: four bytes a word, twice.
    """
    provisional: dict[str, int] = {word: number for number, word in enumerate(SPECIAL_WORDS)}
    folded: dict[str, int] = {}  # from words as written, so that each is folded only once
    chunks: list[NDArray[np.int32]] = []
    for sentence in sentences:
        if not sentence:
            continue
        chunk = np.empty(len(sentence) + 2, dtype=np.int32)
        chunk[0], chunk[-1] = BEGIN, END
        for position, word in enumerate(sentence, start=1):
            number = folded.get(word)
            if number is None:
                key = fold(word, folding)
                number = UNKNOWN if key in SPECIAL_WORDS else provisional.setdefault(key, len(provisional))
                folded[word] = number
            chunk[position] = number
        chunks.append(chunk)
    if not chunks:
        raise LaconicError("a language model needs at least one sentence to be trained on")
    tokens = np.concatenate(chunks)
    counts = np.bincount(tokens, minlength=len(provisional))
    vocabulary = Vocabulary.from_counts(
        {word: int(counts[number]) for word, number in provisional.items()},
        min_count=min_count,
        size=size,
        folding=folding,
    )
    final = {word: number for number, word in enumerate(vocabulary.words)}
    renumber = np.array([final.get(word, UNKNOWN) for word in provisional], dtype=np.int32)
    return vocabulary, renumber[tokens]
