"""The pairs of the corpora with their trees, and what Markov grammars learn from many of them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from functools import cache
from itertools import chain, islice
from pathlib import Path

import numpy as np
from experiments._experiment import Workplace

from laconic.annotate import Annotator, load_annotator
from laconic.corpora.pair import Pair
from laconic.corpora.registry import open_pairs
from laconic.corpora.treebanks import with_trees
from laconic.grammar.deletion_scfg import DeletionDerivation, derive_by_words
from laconic.learn.markov import Observations, Observer
from laconic.sentence import Sentence
from laconic.text.tokenise import tokenise

LONGEST = 80  # words; longer "sentences" of the corpora are lists and tables
AMOUNTS = (1_000, 8_000, 50_000, 200_000)
TOGETHER = 2_048  # pairs whose trees are in memory at the same time


@dataclass(frozen=True)
class Corpora:
    """Corpora by name: spoken and written have the trees of the Stanford parser, the others of the embedded one."""

    data: Path
    annotations: Path
    threads: int | None = None

    @cache  # noqa: B019  (there is one such value a run)
    def pairs(self, name: str, split: str) -> list[Pair]:
        """The pairs of spoken, written or google; of Google, those whose target was found in the source."""
        if name == "google":
            aligned = open_pairs(f"google.{split}", self.data, tokenise=tokenise, only_aligned=True)
            return list(self._parsed(aligned))
        side_file = self.data / "trees" / f"{name}.train+dev.stanford.jsonl.gz"
        pairs = open_pairs(f"{name}.{split}", self.data)
        return list(
            with_trees(pairs, side_file, on_error=lambda _: None)
        )  # the few broken trees are left out

    def abstractive(self) -> Iterator[Pair]:
        """Microsoft's pairs, one reference each, with the trees of both sides."""
        pairs = [
            pair
            for pair in open_pairs("msr.train", self.data, tokenise=tokenise)
            if 0 < len(pair.references[0]) < len(pair.source) <= LONGEST
        ]
        sources = self.parse(pair.source for pair in pairs)
        targets = self.parse(Sentence.from_words(pair.references[0]) for pair in pairs)
        for pair, source, target in zip(pairs, sources, targets, strict=True):
            assert target.tree is not None
            yield Pair(pair.id, source, pair.references[:1], pair.kept[:1], reference_trees=(target.tree,))

    @cache  # noqa: B019
    def observed(self) -> dict[int, Observations]:
        """What growing amounts of Google pairs say about deletion: the cased ones of train, then the large set."""
        every = derivations(chain(self.pairs("google", "train"), self._large()))
        observer = Observer()
        found: dict[int, Observations] = {}
        for before, amount in zip((0, *AMOUNTS), AMOUNTS, strict=False):
            observer.see(islice(every, amount - before))
            found[amount] = observer.seen()
        return found

    def parse(self, sentences: Iterable[Sentence]) -> Iterator[Sentence]:
        """Tags, trees, heads and relations, from the cache where they are known."""
        return annotator(self.threads).annotate(sentences, cache=self.annotations)

    def _large(self) -> Iterator[Pair]:
        """The 200,000 training pairs, shuffled, for the file goes from short sentences to long ones."""
        pairs = [
            replace(pair, source=Sentence.from_words(pair.source.words))
            for pair in open_pairs("google200k.train", self.data)
        ]
        np.random.default_rng(0).shuffle(pairs)
        return self._parsed(pairs)

    def _parsed(self, pairs: Iterable[Pair]) -> Iterator[Pair]:
        usable = (pair for pair in pairs if pair.kept[0] and len(pair.source) <= LONGEST)
        while chunk := list(islice(usable, TOGETHER)):
            sources = self.parse(pair.source for pair in chunk)
            for pair, source in zip(chunk, sources, strict=True):
                yield replace(pair, source=source)


@cache
def _corpora(data: Path, annotations: Path) -> Corpora:
    return Corpora(data, annotations, threads=1)


def corpora_at(at: Workplace) -> Corpora:
    """The corpora of a workplace; what one job has read, the next of the same process need not."""
    return _corpora(at.data, at.annotations)


@cache
def annotator(threads: int | None = None) -> Annotator:
    return load_annotator(threads=threads)


def derivations(pairs: Iterable[Pair]) -> Iterator[DeletionDerivation]:
    for pair in pairs:
        assert pair.source.tree is not None and pair.kept[0] is not None
        yield derive_by_words(pair.source.tree, pair.kept[0])
