"""Learn what readers make of a compression from what it tears and what it leaves out.

    python -m training.judgement --data ../shared/data

A logistic regression of "grammar and meaning both at least 4" on the traits of `systems.default.judgement`, from blind
readings by language models. What it prints of its agreement with them is by cross-validation, documents whole; the
prices of learnt ties, which it rests on, have seen the same readings (`training.ties`).
"""

from __future__ import annotations

import argparse
import hashlib
import json
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from training.cards import MODELS, finish, needs
from training.ties import area_under_curve, logistic

from laconic.annotate import load_annotator
from laconic.arrays import Float64
from laconic.corpora.registry import checksum
from laconic.systems.default.judgement import KIND, STEP, Judge, Traits, traits
from laconic.text.tokenise import tokenise

FOLDS = 10


def readings(data: Path) -> list[dict[str, Any]]:
    """The readings there are to learn from."""
    path = data / "readings" / "dev.jsonl"
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def measured(read: Sequence[dict[str, Any]]) -> Float64:
    """The traits of every output, [output, trait]."""
    sources = list(dict.fromkeys(row["source"] for row in read))
    analysed = load_annotator().analyse(map(tokenise, sources), register="general")
    analyses = dict(zip(sources, analysed, strict=True))
    return np.array([traits(analyses[row["source"]], tuple(row["kept"])) for row in read])


def fit(found: Float64, good: NDArray[np.bool_]) -> Judge:
    """The judge of these outputs; a trait that would speak for an output is not heard."""
    heard = np.ones(found.shape[1], np.bool_)
    while True:
        matrix = np.column_stack([np.ones(len(found)), -found[:, heard]])
        weights = logistic(matrix, good.astype(np.float64), np.ones(len(found)), np.zeros(matrix.shape[1]))
        if (weights[1:] >= 0).all():
            break
        heard[np.flatnonzero(heard)[weights[1:] < 0]] = False
    whole = np.zeros(len(heard), np.int64)
    whole[heard] = np.rint(weights[1:] / STEP)
    return Judge(int(np.rint(weights[0] / STEP)), dict(zip(Traits._fields, whole.tolist(), strict=True)))


def judged_by_others(read: Sequence[dict[str, Any]], found: Float64, good: NDArray[np.bool_]) -> Float64:
    """The probability of each output by a judge that has seen nothing of its document."""
    folds = np.array([_fold(f"{row['corpus']} {row['doc']}") for row in read])
    judged = np.zeros(len(read))
    for fold in range(FOLDS):
        out = folds == fold
        judge = fit(found[~out], good[~out])
        judged[out] = [judge.judged(Traits(*row)) for row in found[out]]
    return judged


def _fold(document: str) -> int:
    return int(hashlib.sha256(document.encode()).hexdigest(), 16) % FOLDS


def log_loss(judged: Float64, good: NDArray[np.bool_]) -> float:
    """The mean of −log of the probability of what readers said."""
    return float(-np.log(np.clip(np.where(good, judged, 1 - judged), 1e-4, 1)).mean())


def agreement(read: Sequence[dict[str, Any]], judged: Float64, good: NDArray[np.bool_]) -> dict[str, Any]:
    """How well the probabilities tell good outputs from bad ones, and how far rows of a table are off."""
    rows: dict[tuple[str, str], list[int]] = defaultdict(list)
    for place, row in enumerate(read):
        for system in row["systems"]:
            rows[row["limit"], system].append(place)
    print(f"{'':52} {'n':>4} {'read':>6} {'judged':>6}")
    for (limit, system), places in sorted(rows.items()):
        told, meant = good[places].mean(), judged[places].mean()
        print(f"{limit + ', ' + system:52} {len(places):4} {told:6.0%} {meant:6.0%}")
    order = np.argsort(judged, kind="stable")
    fifths = [(judged[part].mean(), good[part].mean()) for part in np.array_split(order, 5)]
    print("calibration by fifths, judged and read:", *(f"{a:.2f} {b:.2f};" for a, b in fifths))
    off = [abs(good[places].mean() - judged[places].mean()) for places in rows.values()]
    return {
        "outputs": len(read),
        "area under the curve": round(area_under_curve(judged, good), 3),
        "log loss": round(log_loss(judged, good), 3),
        "mean difference of a row's share": round(float(np.mean(off)), 3),
        "mean difference of a fifth's share": round(float(np.mean([abs(a - b) for a, b in fifths])), 3),
    }


def main(data: Path, output: Path) -> None:
    """Learn and write the judge."""
    read = readings(data)
    found = measured(read)
    good = np.array([row["grammar"] >= 4 and row["meaning"] >= 4 for row in read])
    judged = judged_by_others(read, found, good)
    agreed = agreement(read, judged, good)
    for place, name in enumerate(Traits._fields):
        without = found.copy()
        without[:, place] = 0
        others = judged_by_others(read, without, good)
        area = area_under_curve(others, good)
        print(f"without {name}: area under the curve {area:.3f}, log loss {log_loss(others, good):.3f}")
    fit(found, good).save(output / KIND)
    finish(
        output / KIND,
        {
            "name": KIND,
            "what": "What readers make of a compression: weights of what it tears and leaves out",
            "command": "python -m training.judgement --data ../shared/data",
            "options": {"folds": FOLDS},
            "seed": None,
            "needs": needs("annotator", "ties"),
            "training": {"sha256": {"readings/dev": checksum(data / "readings" / "dev.jsonl")}},
            "data": "blind readings of outputs on sentences of GUM, EWT, Filippova & Altun, Microsoft's pairs",
            "readers": "language models, not people",
            "agreement": agreed,
        },
    )


if __name__ == "__main__":
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", type=Path, default=Path("../shared/data"))
    parser.add_argument("--output", type=Path, default=MODELS)
    arguments = parser.parse_args()
    main(arguments.data, arguments.output)
