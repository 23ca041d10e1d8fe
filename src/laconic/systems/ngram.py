"""The most fluent subsequence: the words of a given number whose n-grams are likeliest, found exactly.

Jin-ge Yao, Xiaojun Wan and Jianguo Xiao: Joint Decoding of Tree Transduction Models for Sentence Compression. EMNLP
2014, section 3.2. With a significance of words and a dependency term it is the summary of Chiori Hori and Sadaoki
Furui: Automatic Speech Summarization Based on Word Significance and Linguistic Likelihood. ICASSP 2000.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from laconic.budgets import SearchSpace
from laconic.corpora.pair import Pair
from laconic.decode.path import NgramPathDecoder, PathDecoder
from laconic.errors import LaconicError, ModelError
from laconic.kernel import kernel
from laconic.ngram import (
    BEGIN,
    END,
    NgramModel,
    Tables,
    load_news_model,
    log_probability,
    pair_log_probabilities,
)
from laconic.sentence import Sentence
from laconic.storage import Content, open_model, write_model
from laconic.systems.annotation import annotated
from laconic.systems.decoding import DecodingSystem
from laconic.systems.truncate import Truncate

MOST_IN_TRIGRAMS = 60
"""Words of a sentence up to which trigrams are searched, as they grow with the cube; of more, bigrams are."""

_FAR = 1e6  # what a word more or less than wanted costs: more than any probability
_IMPORTANT = ("NN", "VB", "CD", "JJ")


@dataclass(frozen=True, eq=False)
class Ngram(DecodingSystem):
    """Keeps the words that make the likeliest sentence of their number, by n-grams of `order` 2 or 3.

    As fewer words are always likelier, a length is needed: without a budget, or within one, that which comes nearest to
    `ratio` of the words, which `fit` learns. To the logarithm of the probability may be added, after Hori and Furui,
    `significance` times how much the words say: for nouns, verbs, adjectives and numbers, their number in the sentence
    times -ln of their probability in news; and `links` for every two neighbours of which one governs the other, or
    that were neighbours before. Their third term, the confidence of a recogniser, is the same for all words of a text.
    """

    order: int = 3
    ratio: float = 0.7
    significance: float = 0.0
    links: float = 0.0
    language: NgramModel = field(default_factory=load_news_model, repr=False)
    name: ClassVar[str] = "ngram"
    learnt: ClassVar[tuple[str, ...]] = ("ratio",)

    def __post_init__(self) -> None:
        if self.order not in (2, 3):
            raise LaconicError(f"n-grams of order 2 or 3 are searched, not of {self.order}")
        if not 0 <= self.ratio <= 1:
            raise LaconicError(f"the ratio of words to keep lies between 0 and 1, not {self.ratio}")

    def fit(self, pairs: Iterable[Pair]) -> Self:
        """The system that keeps the mean ratio of words that the references keep."""
        return replace(self, ratio=Truncate().fit(pairs).ratio)

    def decoder(self, sentence: Sentence) -> PathDecoder | NgramPathDecoder:
        """All selections of words under the model."""
        vocabulary = self.language.vocabulary
        ids = np.concatenate([[BEGIN], vocabulary.ids(sentence.words), [END]], dtype=np.int32)
        more = self._more(sentence)
        if self.order == 2 or len(sentence) > MOST_IN_TRIGRAMS:
            _, pairs = pair_log_probabilities(self.language.tables, ids)
            return PathDecoder(pairs + more)
        table = _trigrams(self.language.tables, ids) + more
        return NgramPathDecoder(
            lambda before, word, after: table.item(before, word, after), words=len(sentence), order=3
        )

    def search_space(self, sentence: Sentence) -> SearchSpace:
        """The selections, of which the length that is wanted is worth most."""
        wanted = max(1, round(self.ratio * len(sentence)))
        space = super().search_space(sentence)
        return replace(space, value=lambda score, words: score - _FAR * abs(words - wanted))

    def save(self, folder: Path) -> None:
        """Write the options."""
        if self.language is not load_news_model():
            raise ModelError("only a system with the news model can be saved")
        names = ("order", "ratio", "significance", "links")
        write_model(folder, self.name, Content({name: getattr(self, name) for name in names}))

    @classmethod
    def load(cls, folder: Path) -> Self:
        """The system that `save` wrote."""
        with open_model(folder, cls.name) as stored:
            return cls(
                order=stored.whole("order", low=2, high=3),
                ratio=stored.number("ratio", low=0, high=1),
                significance=stored.number("significance"),
                links=stored.number("links"),
            )

    def _more(self, sentence: Sentence) -> NDArray[np.float64]:
        """What keeping word j after word i is worth beside its probability, as [i, j]."""
        side = len(sentence) + 2
        found = np.zeros((side, side))
        if not (self.significance or self.links):
            return found
        [parsed] = annotated([sentence])
        assert parsed.tags is not None and parsed.heads is not None
        if self.significance:
            counts = Counter(map(str.lower, parsed.words))
            for place, (word, tag) in enumerate(zip(parsed.words, parsed.tags, strict=True), start=1):
                if tag.startswith(_IMPORTANT):
                    _, alone = self.language.score((), word)
                    found[:, place] -= self.significance * counts[word.lower()] * alone
        if self.links:
            for place, head in enumerate(parsed.heads, start=1):
                found[place - 1, place] += self.links
                if head >= 0 and abs(head + 1 - place) > 1:
                    found[min(head + 1, place), max(head + 1, place)] += self.links
        return found


@kernel
def _trigrams(tables: Tables, ids: NDArray[np.int32]) -> NDArray[np.float64]:
    """ln p(word j | words h, i) for h < i < j; h = i = 0 is the start alone."""
    count = len(ids)
    found = np.zeros((count, count, count))
    context = np.empty(2, np.int32)
    for j in range(1, count):
        found[0, 0, j] = log_probability(tables, ids, 0, 1, ids[j])
        for i in range(1, j):
            context[1] = ids[i]
            for h in range(i):
                context[0] = ids[h]
                found[h, i, j] = log_probability(tables, context, 0, 2, ids[j])
    return found
