"""What documents say of training: counted in the files that were learnt from, or read from the cards of models."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from experiments._pages import Row, Table, in_percent
from experiments._runner import Store
from training.choices import contests, rows

from experiments import judge
from laconic.files import read_lines

ROOT = Path(__file__).parent.parent
OFF, LARGE = "mean difference of a row's share", "large readers' area under the curve"


def card(model: str) -> Mapping[str, Any]:
    """What is noted of a shipped model."""
    path = ROOT / "src" / "laconic" / "models" / model / "card.json"
    return json.loads(path.read_text(encoding="utf-8"))  # type: ignore[no-any-return]


def records(name: str) -> Iterator[Mapping[str, Any]]:
    """The lines of a file of training."""
    for _, line in read_lines(ROOT / "training" / name):
        yield json.loads(line)


def learnt_from(_: Path) -> Iterator[str]:
    """How much there was to learn from."""
    read = [len(record["read"]) for record in records("readings.jsonl")]
    reader, judged = card("reader"), card("judgement")
    table: list[Row] = [("what", "how much", "where it is counted")]
    written = sum(1 for _ in records("compressions.jsonl"))
    training = reader["training"]
    judged_lists = f"{training['candidates']:,} in {training['lists']:,} lists"
    chosen = sum(1 for _ in records("choices.jsonl"))
    table += [
        (
            "sentences of general prose, each shortened three times",
            f"{written:,}",
            _data("compressions.jsonl"),
        ),
        ("candidates read blind", f"{sum(read):,} for {len(read):,} requests", _data("readings.jsonl")),
        ("of these readings, what the reader learnt from", f"{training['readings']:,}", _card("reader")),
        ("candidates that large readers judged for it", judged_lists, _card("reader")),
        ("requests that variants were read at", f"{chosen:,}", _data("choices.jsonl")),
        ("readings that the judge learnt from", f"{judged['agreement']['outputs']:,}", _card("judgement")),
    ]
    yield from Table(table).markdown()


def _data(name: str) -> str:
    return f"[training/{name}](../training/{name})"


def _card(model: str) -> str:
    return f"[card of `{model}`](../src/laconic/models/{model}/card.json)"


def agreement(results: Path) -> Iterator[str]:
    """How far the estimated readers agree with readers."""
    own = card("judgement")["agreement"]
    table: list[Row] = [
        (
            "agreement with readers",
            "answers",
            "area under the curve",
            "pairs ranked alike",
            "a row of a table is off by",
        ),
        (
            f"the readings learnt from, by cross-validation, documents whole ({_card('judgement')})",
            str(own["outputs"]),
            f"{own['area under the curve']:.2f}",
            "",
            f"{100 * own[OFF]:.0f} points",
        ),
    ]
    for name, of in Store(judge.EXPERIMENTS[0], results).found().items():
        alike, off = f"{of['alike']} of {of['pairs']}", f"{100 * judge.off_by(of):.0f} points"
        table.append((f"`{name}`", str(of["answers"]), f"{of['area']:.2f}", alike, off))
    yield from Table(table).markdown()


def reader_scores(_: Path) -> Iterator[str]:
    """How good the reader of whole answers is, on readings that it had not seen."""
    scores = card("reader")["scores"]
    good = scores["good by readers"]
    table: list[Row] = [
        (
            f"area under the curve, {scores['held-out readings']} held-out readings: grammar and meaning at least 4",
            "",
        ),
        ("large, the mean of the three", f"{scores[LARGE]:.3f}"),
        ("small (shipped)", f"{scores['area under the curve']:.3f}"),
    ]
    yield from Table(table).markdown()
    yield ""
    head = "what the small one chooses from held-out lists, without what was written"
    table = [
        (head, "first by its score", "chosen"),
        (f"good by readers, {good['lists']} lists", *_both(good)),
    ]
    for limit, shares in scores["good as large readers foretell"].items():
        table.append((f"good as the large ones foretell, {limit.replace('%', ' %')}", *_both(shares)))
    yield from Table(table).markdown()


def _both(shares: Mapping[str, float]) -> tuple[str, str]:
    first, chosen = (f"{in_percent(shares[which])} %" for which in ("first", "chosen"))
    return first, chosen


def choices(_: Path) -> Iterator[str]:
    """What readers made of variants of the default, where they answer differently."""
    yield from Table([tuple(row) for row in rows(contests())]).markdown()
