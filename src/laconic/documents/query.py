"""What a question makes worth keeping: words it shares with a text, the sentences they stand in, its answer's kind."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from laconic.sentence import Sentence
from laconic.systems.annotation import annotated
from laconic.systems.dependency.stems import verb_stem
from laconic.text.tokenise import tokenise

SHARED = 4.0
"""What keeping a word of the question is worth, in the units of the scores."""

ANSWER = 4.0
"""What keeping a word of the kind that is asked for is worth in the most relevant sentence."""

RELEVANT = 1.5
"""What keeping any word is worth in the most relevant sentence."""

WHOLE = 3.0
"""What dropping the most relevant sentence as a whole costs more, for each of its words."""

IRRELEVANT = -0.3
"""What dropping a sentence costs more that has nothing to do with the question: it is better gone than a stump."""

_AFTER = 0.5  # how relevant a sentence is for what stands before it
_BESIDE = 0.25  # and for what else stands in its document
_CONTENT = ("NN", "JJ", "CD", "FW", "VB", "RB")
_EMPTY = frozenset(map(verb_stem, ("be", "have", "do", "when", "where", "why", "how", "not", "also")))
_ASKS_NUMBER = re.compile(
    r"\bhow (?:many|much|long|far|old|tall|high|deep|often|fast|large|big|wide|heavy|late|early|hot|cold)\b|\bwhen\b"
    r"|\b(?:what|which) (?:year|date|time|day|month|age|share|percentage|number|price|temperature|distance)\b|\bcost",
    re.IGNORECASE,
)
_ASKS_NAME = re.compile(
    r"\b(?:who|whom|whose|where|which)\b|\bwhat (?:city|town|country|company|island|name|river|person)\b",
    re.IGNORECASE,
)
_DAYS = frozenset(["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"])
_MONTHS = frozenset([
    *("january", "february", "march", "april", "may", "june", "july", "august", "september", "october", "november"),
    *("december", "jan.", "feb.", "mar.", "apr.", "aug.", "sept.", "oct.", "nov.", "dec."),
])  # fmt: skip
_DATES = _DAYS | _MONTHS


@dataclass(frozen=True)
class Query:
    """A question, and how much of its weight each of its words has in some documents."""

    weights: dict[str, float]
    asks_number: bool
    asks_name: bool

    @classmethod
    def of(cls, text: str, sentences: Sequence[Sentence]) -> Query:
        """What a question asks of some sentences; words that stand in few of them weigh more."""
        wanted = _content(text)
        frequency = Counter(stem for sentence in sentences for stem in _stems(sentence))
        count = len(sentences)
        odds = {stem: math.log((count + 1) / (frequency[stem] + 0.5)) for stem in wanted if frequency[stem]}
        total = sum(odds.values())
        weights = {stem: weight / total for stem, weight in odds.items()} if total else {}
        return cls(weights, bool(_ASKS_NUMBER.search(text)), bool(_ASKS_NAME.search(text)))

    def relevance(self, documents: Sequence[Sequence[Sentence]]) -> list[float]:
        """How much each sentence of the documents has to do with the question, from 0 to 1."""
        found: list[float] = []
        for sentences in documents:
            own = [sum(self.weights.get(stem, 0.0) for stem in _stems(sentence)) for sentence in sentences]
            most = max(own, default=0.0)
            before = [0.0, *own][: len(own)]
            found += (
                max(each, _AFTER * last, _BESIDE * most) for each, last in zip(own, before, strict=True)
            )
        highest = max(found, default=0.0)
        return [each / highest if highest else 0.0 for each in found]

    def worth(self, sentence: Sentence, relevance: float) -> tuple[float, ...]:
        """What keeping each word of a sentence is worth; the kind of a word is told by its tag, where it has one."""
        highest = max(self.weights.values(), default=1.0)
        tags = sentence.tags or ("",) * len(sentence)
        return tuple(
            relevance * RELEVANT
            + SHARED * self.weights.get(verb_stem(word), 0.0) / highest
            + ANSWER * relevance * self._may_answer(word, tag)
            for word, tag in zip(sentence.words, tags, strict=True)
        )

    def _may_answer(self, word: str, tag: str) -> bool:
        if self.asks_number and (tag == "CD" or any(map(str.isdigit, word)) or word.casefold() in _DATES):
            return True
        return self.asks_name and tag in ("NNP", "NNPS")


def _stems(sentence: Sentence) -> set[str]:
    return {verb_stem(word) for word in sentence.words}


def _content(text: str) -> set[str]:
    """The stems of the words of a question that say what it is about."""
    [parsed] = annotated([tokenise(text)])
    tagged = zip(parsed.words, parsed.tags or (), strict=True)
    return {verb_stem(word) for word, tag in tagged if tag.startswith(_CONTENT)} - _EMPTY
