"""The features of compressions, word by word and arc by arc in plain Python: the twin of the fast extraction."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Sequence
from hashlib import blake2b

from laconic.grammar.dependency_grammar import DependencyGrammar
from laconic.ngram import BEGIN, END, NgramModel
from laconic.sentence import Sentence
from laconic.systems.dependency.chunks import chunks
from laconic.systems.dependency.features import ARCS, BIGRAMS, SIBLINGS, WORDS
from laconic.systems.dependency.stems import verb_stem
from laconic.trees.dependency import ancestors

START_TAG, END_TAG = "<start>", "<end>"
Row = Counter[int]


def number(text: str) -> int:
    return int.from_bytes(blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).digest())


def place(kind: str, template: Sequence[str], values: Sequence[str], bits: int) -> int:
    """The weight of a conjunction."""
    factor, mask = 0x9E3779B97F4A7C15, 2**64 - 1
    mixed = number(" ".join((kind, *template))) * factor & mask
    for value in values:
        mixed = (mixed ^ number(value)) * factor & mask
    return mixed >> (64 - bits)


def bin_of(size: int) -> int:
    return max(limit for limit in (0, 1, 2, 3, 5, 8, 12, 20) if limit <= size)


def coarse(tag: str) -> str:
    for name in ("NN", "VB", "JJ", "RB"):
        if tag.startswith(name):
            return name
    classes = {"MD": "VB", "WDT": "DT", "PDT": "DT", "TO": "IN", "WP": "PRP", "PRP$": "PRP", "WP$": "PRP"}
    return classes.get(tag, tag)


class Twin:
    """The rows of one sentence; positions are 0 for start and root, then the words, then the end."""

    def __init__(
        self, sentence: Sentence, language: NgramModel, grammar: DependencyGrammar, bits: int
    ) -> None:
        self.bits, self.words = bits, sentence.words
        self.tags = [START_TAG, *sentence.tags, END_TAG]  # type: ignore[misc]
        self.labels = [START_TAG, *sentence.relations, END_TAG]  # type: ignore[misc]
        self.heads = list(sentence.heads)  # type: ignore[arg-type]
        self.chunk_numbers, self.chunk_names = chunks(sentence.tree)  # type: ignore[arg-type]
        self.language = language
        self.ids = [BEGIN, *language.vocabulary.ids(sentence.words).tolist(), END]
        self.arc_scores = grammar.log_probabilities(sentence.words, sentence.tags)  # type: ignore[arg-type]

    def row(self, kind: str, templates, attributes: dict[str, str], score: float | None) -> Row:
        found: Row = Counter()
        if score is not None:
            attributes = attributes | {f"score of the {kind}": f"below {max(0, -math.floor(score))}"}
            found[place(kind, ("score",), [f"score of the {kind}"], self.bits)] += 0.1 * score  # type: ignore[assignment]
        for template in templates:
            values = [attributes[name] for name in template]
            if all(values):
                found[place(kind, template, values, self.bits)] += 1
        return found

    def tag_at(self, position: int) -> str:
        return self.tags[min(max(position, 0), len(self.tags) - 1)]

    def word(self, m: int) -> Row:
        word, label = self.words[m - 1], self.labels[m]
        head = self.heads[m - 1] + 1
        depth = 0
        for earlier in self.words[: m - 1]:
            depth += earlier in ("(", "[", "{", "-LRB-")
            depth = max(0, depth - (earlier in (")", "]", "}", "-RRB-")))
        capital = "all" if len(word) > 1 and word.isupper() else ""
        if not capital and word[0].isupper():
            capital = "first" if m == 1 else "inner"
        attributes = {
            "tag": self.tags[m],
            "tag before": self.tag_at(m - 1),
            "tag two before": self.tag_at(m - 2),
            "tag after": self.tag_at(m + 1),
            "tag two after": self.tag_at(m + 2),
            "label": label,
            "head tag": self.tags[head],
            "head label": self.labels[head],
            "chunk": self.chunk_names[m - 1],
            "capital": capital,
            "bracketed": "bracketed" if depth or word in ("(", "[", "{", "-LRB-") else "",
            "verb": verb_stem(word) if coarse(self.tags[m]) == "VB" else "",
            "sign": "" if any(letter.isalnum() for letter in word) else word,
            "negation": word.lower() if word.lower() in NEGATIONS else "",
            "depth": str(bin_of(len(ancestors(self.heads, m - 1)) + 1)),
            "size": str(bin_of(sum(m - 1 in ancestors(self.heads, word) for word in range(len(self.heads))))),
        }
        return self.row("word", WORDS, attributes, self.language.score_id((), self.ids[m])[1])

    def arc(self, h: int, m: int) -> Row:
        above = [position + 1 for position in ancestors(self.heads, m - 1)] + [0]
        steps = above.index(h) + 1 if h in above else 0
        below = 0
        if h > 0:
            over = [position + 1 for position in ancestors(self.heads, h - 1)]
            below = over.index(m) + 1 if m in over else 0
        ancestry = f"above {bin_of(steps)}" if steps else f"below {bin_of(below)}" if below else "apart"
        way = [m, *above]
        same = h > 0 and self.chunk_numbers[h - 1] == self.chunk_numbers[m - 1]
        attributes = {
            "fidelity": "faithful" if steps == 1 else "new",
            "label": self.labels[m] if steps == 1 else "",
            "own label": self.labels[m],
            "path": self.labels[way[steps - 1]] if steps > 1 else "",
            "ancestry": ancestry,
            "reversed label": self.labels[h] if below == 1 else "",
            "direction": "root" if h == 0 else "right" if h < m else "left",
            "head tag": self.tags[h],
            "tag": self.tags[m],
            "head coarse": coarse(self.tags[h]),
            "coarse": coarse(self.tags[m]),
            "head chunk": self.chunk_names[h - 1] if h else START_TAG,
            "chunk": self.chunk_names[m - 1],
            "same chunk": "same" if same else "other",
        }
        return self.row("arc", ARCS, attributes, float(self.arc_scores[h, m]))

    def bigram(self, i: int, j: int) -> Row:
        count = len(self.words)
        governed = j <= count and self.heads[j - 1] + 1 == i
        governs = i > 0 and self.heads[i - 1] + 1 == j
        attributes = {
            "adjacent": "adjacent" if j == i + 1 else "apart",
            "gap": f"gap {bin_of(j - i - 1)}",
            "link": "second" if governs else "first" if governed else "none",
            "first tag": self.tags[i],
            "second tag": self.tags[j],
            "first coarse": coarse(self.tags[i]),
            "second coarse": coarse(self.tags[j]),
            "first label": self.labels[i],
            "second label": self.labels[j],
        }
        return self.row("bigram", BIGRAMS, attributes, self.language.score_id((self.ids[i],), self.ids[j])[1])

    def sibling(self, h: int, previous: int, m: int) -> Row:
        def hangs(word: int) -> bool:
            return self.heads[word - 1] + 1 == h

        if not hangs(m) or (previous != h and not hangs(previous)):
            return Counter()
        between = range(min(previous, m) + 1, max(previous, m))
        attributes = {
            "kind": "between" if any(hangs(word) for word in between) else "next",
            "first label": START_TAG if previous == h else self.labels[previous],
            "second label": self.labels[m],
        }
        return self.row("sibling", SIBLINGS, attributes, None)

    def structure(self, kept: Sequence[int], heads: Sequence[int]) -> Iterator[Row]:
        """The rows of a compression: heads are indices into kept, or -1."""
        positions = [word + 1 for word in kept]
        above = [0 if head < 0 else positions[head] for head in heads]
        yield from map(self.word, positions)
        for i, j in zip([0, *positions], [*positions, len(self.words) + 1], strict=True):
            yield self.bigram(i, j)
        for h, m in zip(above, positions, strict=True):
            yield self.arc(h, m)
            nearer = [
                other
                for other, its in zip(positions, above, strict=True)
                if its == h and min(h, m) < other < max(h, m)
            ]
            previous = (max(nearer) if h < m else min(nearer)) if nearer else h
            yield self.sibling(h, previous, m)


NEGATIONS = {
    "not", "n't", "n’t", "no", "never", "none", "nothing", "nobody", "neither", "nor", "nowhere", "without",
}  # fmt: skip
