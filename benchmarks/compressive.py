"""How fast compressive parsing is: alone, against the annotator and an integer programme, and under limits.

python -m benchmarks.compressive --data ../shared/data
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable, Sequence
from itertools import islice
from pathlib import Path
from time import process_time

import numpy as np
from benchmarks._clock import milliseconds
from tests.oracles.ilp_parser import IlpParser

from laconic.annotate.network import Network, register_weights
from laconic.arrays import Float64
from laconic.corpora.registry import open_pairs
from laconic.decode.compressive import CompressiveParser
from laconic.decode.contract import Limit
from laconic.decode.path import PathDecoder
from laconic.forest.limits import relaxed
from laconic.systems.dependency import Dependency
from laconic.systems.registry import open_system

LENGTHS = (10, 20, 30, 40, 50, 60, 80, 100)
SENTENCES = 40
SENTENCES_A_LENGTH = 5


def scores_around(kept: Sequence[int], words: int, generator: np.random.Generator) -> tuple[Float64, Float64]:
    """Noise in which one compression, with some projective tree over it, stands out as after training."""
    arc, bigram = generator.normal(size=(words + 1,) * 2), generator.normal(size=(words + 2,) * 2)
    pins = np.full(words, -np.inf)
    pins[list(kept)] = np.inf
    gold = CompressiveParser(generator.normal(size=arc.shape), np.zeros(bigram.shape)).best(prices=pins)
    path = np.array([0, *(word + 1 for word in gold.kept), words + 1])
    heads = np.array([0 if head == -1 else gold.kept[head] + 1 for head in gold.heads])
    bigram[path[:-1], path[1:]] += 2.0
    arc[heads, path[1:-1]] += 2.0
    return arc - 1.0, bigram - 1.0


def random_scores(words: int, seed: int) -> tuple[Float64, Float64]:
    generator = np.random.default_rng(seed)
    kept = np.sort(generator.permutation(words)[: max(1, int(0.4 * words))])
    return scores_around(kept.tolist(), words, generator)


def exponent(times: Sequence[float]) -> float:
    """The slope of log time over log length, from 40 words on."""
    points = [
        (np.log(words), np.log(time)) for words, time in zip(LENGTHS, times, strict=True) if words >= 40
    ]
    return float(np.polyfit(*zip(*points, strict=True), 1)[0])


def questions(words: int, seed: int = 0) -> dict[str, Callable[[], object]]:
    """What is asked of a sentence of so many words."""
    generator = np.random.default_rng(words + 1000 * seed)
    arc, bigram = random_scores(words, words + 1000 * seed)
    sibling = generator.normal(scale=0.3, size=(words + 1,) * 3)
    path, first = PathDecoder(bigram), CompressiveParser(arc, bigram)
    second = CompressiveParser(arc, bigram, sibling=sibling)
    costs = tuple(generator.integers(1, 12, size=words).tolist())
    half = Limit(sum(costs) // 2, sum(costs) // 2, costs)
    return {
        "path": path.best,
        "path, every length": path.frontier,
        "best tree": first.best,
        "best tree, half the characters": lambda: first.best(limit=half),
        "every length": first.frontier,
        "marginals": first.marginals,
        "10 best trees": lambda: first.k_best_derivations(10),
        "20 best, distinct words": lambda: first.k_best(20),
        "second order: best tree": second.best,
        "second order: every length": second.frontier,
    }


def run_by_length() -> None:
    times: dict[str, list[float]] = {}
    for words in LENGTHS:
        drawn = [questions(words, seed) for seed in range(SENTENCES_A_LENGTH)]
        for name in drawn[0]:
            mean = float(np.mean([milliseconds(asks[name], repeats=2) for asks in drawn]))
            times.setdefault(name, []).append(mean)
    print(f"milliseconds by number of words, mean of {SENTENCES_A_LENGTH} sentences")
    print(f"{'':32}" + "".join(f"{words:>9}" for words in LENGTHS) + "  exponent")
    for name, row in times.items():
        print(f"{name:32}" + "".join(f"{time:9.3f}" for time in row) + f"{exponent(row):10.2f}")


def run_against_encoder(data: Path) -> None:
    """Searches in passes of the annotator's network over a sentence of 40 words, on one thread."""
    tokens: list[str] = []
    with (data / "compression" / "google.dev.jsonl").open(encoding="utf-8") as lines:
        while len(tokens) < 40:
            tokens += json.loads(next(lines))["tokens"]
    network, register = Network.shipped(), register_weights("news")
    pass_time = milliseconds(lambda: network.read(tokens[:40], register), repeats=20)
    print(f"\nin passes of the annotator's encoder over 40 words, {pass_time:.2f} ms each")
    print(f"{'':32}{'words':>6}{'ms':>9}{'passes':>8}{'asked':>7}")
    for words, asked in ((40, {"best tree": 0.5, "every length": 5.0}), (100, {"every length": 100.0})):
        for name, ask in questions(words).items():
            if name.removeprefix("second order: ") in asked:
                time = milliseconds(ask)
                goal = asked[name.removeprefix("second order: ")]
                print(f"{name:32}{words:6}{time:9.3f}{time / pass_time:8.2f}{goal:7.1f}")


def run_against_solver() -> None:
    print("\nagainst HiGHS, the same optimum (asked: 500 x at 30 words)")
    print(f"{'words':>5}{'limit':>7}{'solver, s':>11}{'parser, ms':>12}{'ratio':>10}  optimum")
    for words in (10, 20, 30):
        arc, bigram = random_scores(words, words)
        parser, programme = CompressiveParser(arc, bigram), IlpParser(arc, bigram)
        for limit in (None, Limit(words // 2, words // 2)):
            start = process_time()
            reference = programme.best(limit=limit)
            seconds = process_time() - start
            answer = parser.best(limit=limit)
            assert (answer.kept, answer.heads) == (reference.kept, reference.heads)
            time = milliseconds(lambda limit=limit, parser=parser: parser.best(limit=limit))
            shown = "none" if limit is None else str(limit.most)
            ratio = 1e3 * seconds / time
            print(f"{words:5}{shown:>7}{seconds:11.3f}{time:12.3f}{ratio:10,.0f}  {answer.score:.3f}")


def run_limits(data: Path) -> None:
    """What the Lagrangian walk proves alone, and what it saves, on sentences scored by the shipped model."""
    system = open_system("dependency")
    assert isinstance(system, Dependency)
    pairs = (pair for pair in open_pairs("written.dev", data) if 10 <= len(pair.source) <= 60)
    problems = [
        (system.decoder(pair.source), tuple(len(word) + 1 for word in pair.source.words))
        for pair in islice(pairs, SENTENCES)
    ]
    words = np.mean([len(parser) for parser, _ in problems])
    print(
        f"\nlimits at 20 to 80 % of the length of {len(problems)} written sentences, {words:.0f} words on average, "
        "second order"
    )
    print(f"{'':22}{'proven':>8}{'passes':>8}{'walk, ms':>10}{'exact, ms':>11}{'full chart':>12}{'saved':>7}")
    for name, counted, exact in (
        ("exactly m words", "words", True),
        ("exactly m characters", "characters", True),
        ("at most m characters", "characters", False),
    ):
        proven, passes, times = [], [], []
        for parser, characters in problems:
            costs = characters if counted == "characters" else (1,) * len(parser)
            started = process_time()
            frontier = parser.frontier(costs=costs)
            whole = process_time() - started
            for share in (0.2, 0.4, 0.6, 0.8):
                most = int(share * sum(costs))
                least = most if exact else 0
                if frontier.scores[least : most + 1].max() == -np.inf:
                    continue
                started = process_time()
                query = parser._query(None, Limit(least, most, costs))
                relaxation = relaxed(parser._shape, query.scores, query.costs, least, most)
                walked = process_time() - started
                started = process_time()
                answer = parser.best(limit=Limit(least, most, costs))
                searched = process_time() - started
                assert np.isclose(answer.score, frontier.scores[least : most + 1].max())
                proven.append(relaxation.certified)
                passes.append(relaxation.passes)
                times.append((walked, searched, whole))
        walked, searched, whole = 1e3 * np.mean(times, axis=0)
        print(
            f"{name:22}{100 * np.mean(proven):6.0f} %{np.mean(passes):8.1f}{walked:10.2f}{searched:11.2f}"
            f"{whole:12.2f}{100 * (1 - searched / whole):5.0f} %"
        )


def run(data: Path) -> None:
    run_by_length()
    run_against_encoder(data)
    run_against_solver()
    run_limits(data)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, default=Path("../shared/data"))
    run(parser.parse_args().data)
