"""Brute-force twins of the path decoder and the compressive parser: every subset, every tree, one by one."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Sequence
from functools import cache

import numpy as np

from laconic.decode.contract import Frontier, Limit, Solution
from laconic.errors import InfeasibleBudget

Heads = tuple[int, ...]


@cache
def trees(words: int, *, single_root: bool = True, projective: bool = True) -> tuple[Heads, ...]:
    """All dependency trees over so many words, by trying every assignment of heads (-1 is the root)."""
    options = [[head for head in range(-1, words) if head != word] for word in range(words)]
    return tuple(
        heads
        for heads in itertools.product(*options)
        if is_tree(heads)
        and (not single_root or heads.count(-1) == 1)
        and (not projective or not crosses(heads))
    )


def is_tree(heads: Heads) -> bool:
    """Whether every word reaches the root."""
    for word in range(len(heads)):
        steps = 0
        while word != -1 and steps <= len(heads):
            word = heads[word]
            steps += 1
        if word != -1:
            return False
    return True


def crosses(heads: Heads) -> bool:
    """Whether two arcs cross, the root standing before all words."""
    arcs = [(min(head, word), max(head, word)) for word, head in enumerate(heads)]
    return any(a < c < b < d for (a, b), (c, d) in itertools.permutations(arcs, 2))


class BruteForce:
    """Every question of the decoder contract, answered over an explicit list of compressions."""

    def __init__(self, words: int) -> None:
        self.words = words

    def structures(self, count: int) -> Sequence[Heads | None]:
        raise NotImplementedError

    def parts(
        self, kept: tuple[int, ...], structure: Heads | None
    ) -> Iterator[tuple[str, tuple[int, ...], float]]:
        raise NotImplementedError

    def score(self, solution: Solution, prices: Sequence[float] | None = None) -> float:
        """The score of a compression, from its words and structure alone; pins add nothing."""
        paid = (
            0.0 if prices is None else sum(prices[word] for word in solution.kept if prices[word] != math.inf)
        )
        return paid + sum(part[2] for part in self.parts(solution.kept, solution.heads))

    def everything(self, prices: Sequence[float] | None, limit: Limit | None) -> list[Solution]:
        """All compressions of score above -inf within the limit, best first."""
        given = [0.0] * self.words if prices is None else list(prices)
        found = []
        for size in range(1, self.words + 1):
            for kept in itertools.combinations(range(self.words), size):
                if any(price == math.inf and word not in kept for word, price in enumerate(given)):
                    continue
                cost = (
                    size if limit is None or limit.costs is None else sum(limit.costs[word] for word in kept)
                )
                if limit is not None and not limit.least <= cost <= limit.most:
                    continue
                for structure in self.structures(size):
                    score = self.score(Solution(0.0, kept, structure), given)
                    if score > -math.inf:
                        found.append(Solution(score, kept, structure))
        if not found:
            raise InfeasibleBudget("none")
        return sorted(found, key=lambda solution: -solution.score)

    def best(self, *, prices=None, limit=None) -> Solution:
        return self.everything(prices, limit)[0]

    def k_best(self, k, *, prices=None, limit=None, distinct=False) -> list[Solution]:
        answers: list[Solution] = []
        for solution in self.everything(prices, limit):
            if not distinct or all(solution.kept != answer.kept for answer in answers):
                answers.append(solution)
        return answers[:k]

    def frontier(self, *, prices=None, costs=None) -> Frontier:
        amounts = [1] * self.words if costs is None else costs
        scores = np.full(sum(amounts) + 1, -np.inf)
        best: dict[int, Solution] = {}
        for solution in reversed(self.everything(prices, None)):
            cost = sum(amounts[word] for word in solution.kept)
            best[cost] = solution
            scores[cost] = solution.score
        return Frontier(scores, best.__getitem__)

    def log_partition(self, *, prices=None, limit=None) -> float:
        scores = [solution.score for solution in self.everything(prices, limit)]
        return scores[0] + math.log(sum(math.exp(score - scores[0]) for score in scores))

    def expectations(self, kind: str, shape: tuple[int, ...], *, prices=None, limit=None) -> np.ndarray:
        """The probability of every part of one kind."""
        total = self.log_partition(prices=prices, limit=limit)
        expected = np.zeros(shape)
        for solution in self.everything(prices, limit):
            for name, cell, _ in self.parts(solution.kept, solution.heads):
                if name == kind:
                    expected[cell] += math.exp(solution.score - total)
        return expected

    def bigram_marginals(self, *, prices=None, limit=None) -> np.ndarray:
        return self.expectations("bigram", (self.words + 2,) * 2, prices=prices, limit=limit)

    def word_marginals(self, *, prices=None, limit=None) -> np.ndarray:
        return self.bigram_marginals(prices=prices, limit=limit)[1:-1].sum(axis=1)


class BruteForcePath(BruteForce):
    """The twin of `PathDecoder`."""

    def __init__(self, bigram) -> None:
        super().__init__(len(bigram) - 2)
        self.bigram = bigram

    def structures(self, count):
        return (None,)

    def parts(self, kept, structure):
        path = (0, *(word + 1 for word in kept), self.words + 1)
        for cell in itertools.pairwise(path):
            yield "bigram", cell, float(self.bigram[cell])


class BruteForceNgramPath(BruteForcePath):
    """The twin of `NgramPathDecoder`: the score of each word after as many positions before it as there are."""

    def __init__(self, ngram, words, order) -> None:
        super().__init__(np.zeros((words + 2, words + 2)))
        self.ngram, self.order = ngram, order

    def parts(self, kept, structure):
        path = (*(0,) * (self.order - 1), *(word + 1 for word in kept), self.words + 1)
        for place in range(self.order - 1, len(path)):
            positions = path[place - self.order + 1 : place + 1]
            yield "bigram", positions[-2:], float(self.ngram[positions])


class BruteForceParser(BruteForcePath):
    """The twin of `CompressiveParser`, and of the integer programme that need not be projective."""

    def __init__(self, arc, bigram, *, sibling=None, single_root=True, projective=True) -> None:
        super().__init__(bigram)
        self.arc = arc
        self.sibling = sibling
        self.single_root = single_root
        self.projective = projective

    def structures(self, count):
        return trees(count, single_root=self.single_root, projective=self.projective)

    def parts(self, kept, structure):
        yield from super().parts(kept, structure)
        positions = {index: word + 1 for index, word in enumerate(kept)} | {-1: 0}
        for index, parent in enumerate(structure):
            head, word = positions[parent], positions[index]
            yield "arc", (head, word), float(self.arc[head, word])
            if self.sibling is not None:
                between = [
                    positions[other]
                    for other, its_parent in enumerate(structure)
                    if its_parent == parent and min(head, word) < positions[other] < max(head, word)
                ]
                previous = min(between, key=lambda other: abs(other - word), default=head)
                yield "sibling", (head, previous, word), float(self.sibling[head, previous, word])

    def arc_marginals(self, *, prices=None, limit=None) -> np.ndarray:
        return self.expectations("arc", (self.words + 1,) * 2, prices=prices, limit=limit)

    def sibling_marginals(self, *, prices=None, limit=None) -> np.ndarray:
        return self.expectations("sibling", (self.words + 1,) * 3, prices=prices, limit=limit)
