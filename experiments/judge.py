"""The judge of `laconic evaluate --readers` held against what readers said, in every reading that was kept.

Its weights were learnt from other readings. Equal answers to a request were read once, and count once in the area under
the curve and among the pairs; the rows of a table are those of the page of readings.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations
from pathlib import Path

from experiments._experiment import Experiment, Found, Job, Workplace
from experiments._pages import Page, Row, Table, in_percent
from experiments.readings import CORPORA, RESULTS, Place, Rated, kept_reading, limit_order, sentences

from laconic.corpora.registry import checksum
from laconic.text.tokenise import tokenise


def judge(at: Workplace, *, reading: str, sha256: str) -> Found:
    """How far the judge agrees with a reading."""
    assert sha256 == checksum(RESULTS / f"{reading}.json")
    return agreement(kept_reading(reading)[1], at.data)


def agreement(read: Sequence[Rated], data: Path) -> Found:
    """How the judge's probabilities and a reading agree: over all answers, between two of them, and row by row."""
    from laconic.systems.default.judgement import Judge

    judge = Judge.shipped()
    texts = {corpus: dict(sentences(data, corpus)) for corpus in {rating.corpus for rating in read}}
    judged: dict[Place, dict[str, tuple[float, Rated]]] = defaultdict(dict)
    rows: dict[tuple[str, str], list[tuple[float, bool]]] = defaultdict(list)
    for rating in read:
        if rating.kept is not None:
            sentence = tokenise(texts[rating.corpus][rating.line])
            probability = judge.probability(sentence, rating.kept)
            judged[rating.corpus, rating.line, rating.limit][rating.answer] = probability, rating
            rows[rating.row, rating.system].append((probability, rating.is_good))
    told = [(probability, rating.is_good) for of in judged.values() for probability, rating in of.values()]
    ranked = [
        (a - b) * (one.grammar + one.meaning - other.grammar - other.meaning)
        for of in judged.values()
        for (a, one), (b, other) in combinations(of.values(), 2)
        if a != b and one.grammar + one.meaning != other.grammar + other.meaning
    ]
    return {
        "answers": len(told),
        "area": round(area_under_curve(told), 5),
        "pairs": len(ranked),
        "alike": sum(product > 0 for product in ranked),
        "rows": [
            (limit, system, len(found), *(round(sum(of) / len(found), 5) for of in zip(*found, strict=True)))
            for (limit, system), found in sorted(rows.items(), key=lambda row: limit_order(row[0][0]))
        ],
    }


def area_under_curve(judged: Sequence[tuple[float, bool]]) -> float:
    """How often a good answer has a higher probability than a bad one, ties counted half."""
    good = [value for value, is_good in judged if is_good]
    bad = [value for value, is_good in judged if not is_good]
    wins = sum((a > b) + (a == b) / 2 for a in good for b in bad)
    return wins / (len(good) * len(bad))


def off_by(found: Found) -> float:
    """The mean distance between what is estimated and what was read of a row."""
    return float(sum(abs(meant - said) for *_, meant, said in found["rows"]) / len(found["rows"]))


def pages(found: Mapping[str, Found]) -> Iterator[Page]:
    head: Row = (
        "reading",
        "answers",
        "area under the curve",
        "pairs ranked",
        "alike",
        "a row is off by, points",
    )
    rows = [
        (
            f"`{name}`",
            *(str(of["answers"]), f"{of['area']:.3f}"),
            *(str(of["pairs"]), str(of["alike"]), f"{100 * off_by(of):.0f}"),
        )
        for name, of in found.items()
    ]
    lines = [
        (f"`{name}`", limit, system, str(count), in_percent(meant, 0), in_percent(said, 0))
        for name, of in found.items()
        for limit, system, count, meant, said in of["rows"]
    ]
    yield Page(
        "judge",
        "What readers would say, and what they said",
        "The estimated share of answers that readers find good in grammar and meaning, held against every "
        "[reading](../readings/README.md) that was kept. The judge learnt from none of them. The readers are "
        "language models, not people. The area under the curve: how often a good answer has a higher probability than "
        "a bad one. Pairs: two answers to one request that readers and judge both rank.",
        [
            Table([head, *rows], "All readings"),
            Table([("reading", "limit", "system", "n", "judged, %", "read, %"), *lines], "Row by row"),
        ],
        plotted="area under the curve",
    )


def _jobs() -> Iterator[Job]:
    for path in sorted(RESULTS.glob("*.json")):
        options = {"reading": path.stem, "sha256": checksum(path)}
        yield Job(
            path.stem, judge, options, reads=tuple(CORPORA.values()), uses=("annotator", "ties", "judgement")
        )


EXPERIMENTS = (
    Experiment(
        "default/judge", "the estimated readers against readings that were kept", 3, tuple(_jobs()), pages
    ),
)
