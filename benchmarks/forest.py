"""How fast forests answer, against pure Python and as they grow.

python -m benchmarks forest
"""

from __future__ import annotations

import math
import subprocess
import sys
from collections.abc import Callable
from dataclasses import fields
from functools import partial
from itertools import combinations
from pathlib import Path
from time import perf_counter

import numpy as np
from tests.oracles.forest import PlainForest

from laconic.decode.contract import Limit
from laconic.decode.forest_decoder import ForestDecoder
from laconic.forest.builder import ForestBuilder
from laconic.forest.hypergraph import Hypergraph
from laconic.forest.inference import best, best_by_cost, marginals
from laconic.forest.limited import limited

START = "from benchmarks.forest import chart; from laconic.forest.inference import best; best(chart(5))"


def milliseconds(work: Callable[[], object], *, least_time: float = 0.3) -> float:
    """The least time of several runs after one to warm up."""
    work()
    times: list[float] = []
    while sum(times) < least_time or len(times) < 3:
        start = perf_counter()
        work()
        times.append(perf_counter() - start)
    return 1000 * min(times)


def chart(words: int, *, labels: int = 2, seed: int = 0) -> Hypergraph:
    """Every binary bracketing of the sentence; spans have labels, and can also be dropped."""
    generator = np.random.default_rng(seed)
    builder = ForestBuilder(range(words))
    for width in range(1, words + 1):
        for start in range(words - width + 1):
            end = start + width
            for label in range(labels):
                head = builder.node((start, end, label))
                if width == 1:
                    builder.edge(head, emits=[start], score=generator.normal())
                builder.edge(head, score=generator.normal())
                for middle in range(start + 1, end):
                    for _ in range(labels):
                        left = builder.node((start, middle, int(generator.integers(labels))))
                        right = builder.node((middle, end, int(generator.integers(labels))))
                        builder.edge(head, [left, right], score=generator.normal())
    return builder.build(builder.node((0, words, 0)))


def deletions(words: int, *, labels: int = 4, seed: int = 0) -> Hypergraph:
    """A tree whose constituents keep any of their two to four children; all have several labels."""
    generator = np.random.default_rng(seed)
    builder = ForestBuilder(range(words))
    pending = [(0, words)]
    while pending:
        start, end = pending.pop()
        heads = [builder.node((start, end, label)) for label in range(labels)]
        if end - start == 1:
            for head in heads:
                builder.edge(head, emits=[start], score=generator.normal())
            continue
        children = min(end - start, int(generator.integers(2, 5)))
        cuts = sorted(generator.choice(np.arange(start + 1, end), children - 1, replace=False).tolist())
        spans = list(zip([start, *cuts], [*cuts, end], strict=True))
        pending += spans
        for head in heads:
            for count in range(1, children + 1):
                for kept in combinations(spans, count):
                    for _ in range(labels):
                        tails = [builder.node((*span, int(generator.integers(labels)))) for span in kept]
                        builder.edge(head, tails, score=generator.normal())
    return builder.build(builder.node((0, words, 0)))


def megabytes(forest: Hypergraph) -> float:
    values = (getattr(forest, field.name) for field in fields(forest) if field.name != "keys")
    arrays = [part for value in values for part in (value if isinstance(value, tuple) else (value,))]
    return sum(array.nbytes for array in arrays if isinstance(array, np.ndarray)) / 2**20


def run_against_python() -> None:
    forest = chart(42)
    plain = PlainForest.of(forest)
    title = f"against pure Python, {forest.edge_count:,} edges"
    print(f"\n{title:47} kernel ms   Python ms   ratio (at least 200)")
    for name, fast, slow in (
        ("Viterbi (`best`)", lambda: best(forest), plain.viterbi),
        ("inside (`log_partition`)", ForestDecoder(forest, words=42).log_partition, plain.log_inside),
    ):
        ours, theirs = milliseconds(fast), milliseconds(slow, least_time=1.0)
        print(f"  {name:45} {ours:10.3f} {theirs:11.1f} {theirs / ours:7.0f}")


def run_every_length() -> None:
    print("\nevery length in one run, 40 words    edges  Viterbi ms  every length ms   ratio (under 30)")
    for name, forest in (("deletions of a tree", deletions(40)), ("all bracketings", chart(40))):
        costs = forest.edge_costs()
        plain = milliseconds(partial(best, forest))
        every = milliseconds(partial(best_by_cost, forest, costs))
        print(f"  {name:32} {forest.edge_count:7,} {plain:11.3f} {every:16.3f} {every / plain:7.1f}")


def run_queries() -> None:
    forest = deletions(40)
    costs = forest.edge_costs()
    within = limited(forest, costs, least=20, most=20).forest
    decoder, exactly = ForestDecoder(forest, words=40), Limit(20, 20)
    generator = np.random.default_rng(0)
    print(f"\nother questions, deletions of a tree of 40 words, {forest.edge_count:,} edges        ms")
    for name, work in (
        ("marginals", lambda: marginals(forest)),
        ("100 samples", lambda: decoder.samples(100, generator)),
        ("100 best", lambda: decoder.k_best_derivations(100)),
        ("100 best yields", lambda: decoder.k_best(100)),
        ("at most 10 words, best", lambda: best_by_cost(forest, costs, most=10)),
        ("exactly 20 words, best", lambda: decoder.best(limit=exactly)),
        ("exactly 20 words, marginals", lambda: decoder.word_marginals(limit=exactly)),
        ("exactly 20 words, 100 best", lambda: decoder.k_best_derivations(100, limit=exactly)),
        (f"exactly 20 words, as a forest ({within.edge_count:,} edges)",
         lambda: limited(forest, costs, least=20, most=20)),
    ):  # fmt: skip
        print(f"  {name:65} {milliseconds(work):9.3f}")
    start = perf_counter()
    subprocess.run([sys.executable, "-c", START], check=True)
    elapsed = 1000 * (perf_counter() - start)
    print(f"  {'a new process with compiled kernels, to its first answer':65} {elapsed:9.0f}")


def run_growth() -> None:
    rows = []
    for words in (10, 14, 20, 28, 40, 56, 80):
        forest = chart(words)
        costs = forest.edge_costs()
        table = best_by_cost(forest, costs).table
        rows.append(
            (
                forest.edge_count,
                milliseconds(partial(best, forest), least_time=0.1),
                milliseconds(partial(marginals, forest), least_time=0.1),
                milliseconds(partial(best_by_cost, forest, costs), least_time=0.1),
                megabytes(forest),
                sum(array.nbytes for array in table) / 2**20,
            )
        )
    print(
        "\ngrowth, all bracketings: edges   Viterbi ms  marginals ms  every length ms   forest MB   tables MB"
    )
    for row in rows:
        print("  {:28,} {:11.3f} {:13.3f} {:16.3f} {:10.2f} {:10.2f}".format(*row))
    edges = [row[0] for row in rows]
    columns = {"V": 1, "m": 2, "L": 3, "f": 4, "t": 5}
    legend = "V Viterbi, m marginals, L every length (ms); f forest, t tables (MB)"
    print(f"\n{legend}; both axes logarithmic")
    print(plot(edges, {mark: [row[column] for row in rows] for mark, column in columns.items()}))


def plot(x: list[int], series: dict[str, list[float]], *, width: int = 76, height: int = 22) -> str:
    """Points on logarithmic axes, as text."""
    values = [value for line in series.values() for value in line]
    low, high = math.floor(math.log10(min(values))), math.ceil(math.log10(max(values)))
    left, right = math.log10(min(x)), math.log10(max(x))
    cells = [[" "] * width for _ in range(height)]
    for mark, line in series.items():
        for place, value in zip(x, line, strict=True):
            column = round((math.log10(place) - left) / (right - left) * (width - 1))
            row = round((high - math.log10(value)) / (high - low) * (height - 1))
            cells[row][column] = mark
    lines = ["".join(row).rstrip() for row in cells]
    labelled = {
        round((high - power) / (high - low) * (height - 1)): f"1e{power}" for power in range(low, high + 1)
    }
    axis = [f"{labelled.get(row, ''):>5} |{line}" for row, line in enumerate(lines)]
    return "\n".join(
        [*axis, "      +" + "-" * width, f"{'':7}{min(x):,} edges".ljust(width - 8) + f"{max(x):,} edges"]
    )


def run(data: Path) -> None:  # noqa: ARG001  (forests are made, not read)
    run_against_python()
    run_every_length()
    run_queries()
    run_growth()
