"""Raw text to sentences with tags and both trees, in order, on as many cores as asked."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from laconic.annotate.cache import AnnotationCache
from laconic.annotate.charts import best_heads, best_spans
from laconic.annotate.network import Network, Scores, register_weights
from laconic.arrays import Float32, Int32, Int64
from laconic.errors import LaconicError
from laconic.later import later
from laconic.parallel import map_in_order
from laconic.sentence import Sentence
from laconic.text.tokenise import as_sentence
from laconic.trees.constituency import Span, Tree

MOST_WORDS, PART_WORDS = 1000, 250
"""Sentences of more words than the first are parsed in parts of the second, joined under one root.

The best tree takes cubic time; what is that long is hardly a sentence, and short parts are soon done.
"""

ROOT = "ROOT"
ROOT_RELATION, UNNAMED = "root", "dep"
JOINED = "parataxis"  # the relation of the roots of later pieces to the root of the first


@dataclass(frozen=True, slots=True)
class Analysis:
    """An annotated sentence and the network's scores for it."""

    sentence: Sentence
    scores: Scores


class Annotator:
    """The embedded parser. Threads may share it; a sentence gets the same annotation whatever its neighbours."""

    def __init__(self, network: Network, *, threads: int | None = None) -> None:
        if threads is not None and threads < 1:
            raise LaconicError(f"an annotator needs at least one thread, not {threads}")
        self._network = network
        self._threads = threads or os.cpu_count() or 1

    @property
    def signature(self) -> str:
        """Which parser this is, for the signatures of what is measured with it."""
        return f"laconic-{self._network.checksum[:12]}"

    def annotate(self, texts: Iterable[str | Sentence], *, cache: Path | None = None) -> Iterator[Sentence]:
        """Stream the sentences with tags, constituency tree, heads and relations, in their order.

        A text is one sentence (`laconic.split_sentences` cuts longer ones). With `cache`, a file, what was
        annotated before is read from it, and what is new is added to it.
        """
        sentences = _sentences(texts)
        if cache is None:
            yield from map_in_order(self._annotated, sentences, threads=self._threads)
            return
        with AnnotationCache(cache, model=self._network.checksum) as known:
            # The file is read and written in this thread alone; the others only see what it does not know.
            looked_up = ((sentence, known.find(sentence)) for sentence in sentences)
            for annotated, is_new in map_in_order(self._known_or_annotated, looked_up, threads=self._threads):
                if is_new:
                    known.add(annotated)
                yield annotated

    def analyse(
        self, texts: Iterable[str | Sentence], *, register: str | tuple[float, ...] = "news"
    ) -> Iterator[Analysis]:
        """Stream annotated sentences with the network's scores, in their order, for compressors that use them.

        `register` names whose compressions the scores imitate, or weighs them. A sentence without words is refused.
        """
        weights = register_weights(register)
        return map_in_order(
            lambda sentence: self._analysed(sentence, weights), _sentences(texts), threads=self._threads
        )

    def analysed(self, sentence: Sentence, *, register: str | tuple[float, ...] = "news") -> Analysis:
        """The same of one sentence, in the caller's thread."""
        return self._analysed(sentence, register_weights(register))

    def _analysed(self, sentence: Sentence, weights: Float32) -> Analysis:
        if not sentence.words:
            raise LaconicError("a sentence needs words to be analysed")
        scores = self._network.read(sentence.words, weights)
        if len(sentence) > MOST_WORDS:
            return Analysis(self._annotated(sentence), scores)
        return Analysis(self._with_trees(sentence, scores), scores)

    def _known_or_annotated(self, found: tuple[Sentence, Sentence | None]) -> tuple[Sentence, bool]:
        sentence, known = found
        return (self._annotated(sentence), True) if known is None else (known, False)

    def _annotated(self, sentence: Sentence) -> Sentence:
        weights = register_weights("news")  # trees do not depend on it
        words = sentence.words
        if not words:
            return sentence
        size = len(words) if len(words) <= MOST_WORDS else PART_WORDS
        parts = [words[start : start + size] for start in range(0, len(words), size)]
        return self._with_trees(sentence, *(self._network.read(part, weights) for part in parts))

    def _with_trees(self, sentence: Sentence, *parts: Scores) -> Sentence:
        """The sentence with the best trees under the scores of its consecutive parts."""
        tags: list[str] = []
        heads: list[int] = []
        relations: list[str] = []
        phrases: list[tuple[Int32, Int64]] = []
        first_root = -1
        for scores in parts:
            start = len(tags)
            tags.extend([self._network.tags[number] for number in scores.tags.tolist()])
            spans = best_spans(scores.gains)
            phrases.append((spans + start, scores.labels[spans[:, 0], spans[:, 1]]))
            for place, head in enumerate(best_heads(scores.arcs).tolist(), start=1):
                if head >= 0:
                    relation = self._network.relations[scores.relations[place, head + 1]]
                    # Only the root is one, whatever the network says of the arc.
                    relations.append(UNNAMED if relation.startswith(ROOT_RELATION) else relation)
                    heads.append(start + head)
                elif first_root < 0:
                    first_root = len(heads)
                    relations.append(ROOT_RELATION)
                    heads.append(-1)
                else:
                    relations.append(JOINED)
                    heads.append(first_root)
        tree = later(lambda: self._tree(sentence.words, tags, phrases))
        return sentence.annotated(tags=tags, tree=tree, heads=heads, relations=relations)

    def _tree(
        self, words: tuple[str, ...], tags: Sequence[str], phrases: Iterable[tuple[Int32, Int64]]
    ) -> Tree:
        """The tree of labelled spans; a label may be a chain of several phrases over the same words."""
        spans: list[Span] = [(ROOT, 0, len(words))]
        for places, numbers in phrases:
            for (start, end), number in zip(places.tolist(), numbers.tolist(), strict=True):
                spans += [(label, start, end) for label in self._network.labels[number].split("+")]
        return Tree.from_spans(words, tags, spans)


def load_annotator(*, threads: int | None = None) -> Annotator:
    """The parser that comes with laconic, on all cores or on as many threads as given."""
    return Annotator(Network.shipped(), threads=threads)


def annotate(texts: Iterable[str | Sentence], *, threads: int | None = None) -> Iterator[Sentence]:
    """Annotate sentences with the parser that comes with laconic.

    >>> [sentence] = annotate(["Stocks fell ."], threads=1)
    >>> sentence.tags
    ('NNS', 'VBD', '.')
    """
    return load_annotator(threads=threads).annotate(texts)


def _sentences(texts: Iterable[str | Sentence]) -> Iterator[Sentence]:
    if isinstance(texts, str | Sentence):
        raise LaconicError("texts come as a list or stream, even if there is only one: [text]")
    return map(as_sentence, texts)
