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
    read, lists, doubted = (
        [len(record["read"]) for record in records(f"{name}.jsonl")]
        for name in ("readings", "read_lists", "doubted_lists")
    )
    reader, judged = card("reader"), card("judgement")
    table: list[Row] = [("what", "how much", "where it is counted")]
    written = sum(1 for _ in records("compressions.jsonl"))
    training = reader["start"]["training"]
    whole_lists = f"{sum(lists):,} for {len(lists):,} requests"
    judged_lists = f"{training['candidates']:,} in {training['lists']:,} lists"
    chosen = sum(1 for _ in records("choices.jsonl"))
    table += [
        (
            "sentences of general prose, each shortened three times",
            f"{written:,}",
            _data("compressions.jsonl"),
        ),
        ("candidates read blind", f"{sum(read):,} for {len(read):,} requests", _data("readings.jsonl")),
        ("of these readings, what the reader started with", f"{training['readings']:,}", _card("reader")),
        ("candidates that large readers judged for it", judged_lists, _card("reader")),
        ("candidates of whole lists, read later", whole_lists, _data("read_lists.jsonl")),
        ("of these, what the reader learnt from", f"{reader['training']['readings']:,}", _card("reader")),
        (
            "candidates of lists it doubted, that nothing which ships learnt from",
            f"{sum(doubted):,} for {len(doubted):,} requests",
            _data("doubted_lists.jsonl"),
        ),
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
    """How good the reader of whole answers is, on readings that it had not seen: as it started, and now."""
    reader = card("reader")
    start, scores = reader["start"]["scores"], reader["scores"]
    table: list[Row] = [
        ("area under the curve: grammar and meaning at least 4", "readings not learnt from", ""),
        ("large, the mean of the three", str(start["held-out readings"]), f"{start[LARGE]:.3f}"),
        ("small, at the start", str(start["held-out readings"]), f"{start['area under the curve']:.3f}"),
        ("the same", f"{scores['readings']:,}", f"{scores['area under the curve before']:.3f}"),
        (
            "small (shipped), by cross-validation",
            f"{scores['readings']:,}",
            f"{scores['area under the curve']:.3f}",
        ),
    ]
    yield from Table(table).markdown()
    yield ""
    shown = {name.removeprefix("good, "): of for name, of in scores.items() if name.startswith("good, ")}
    limits = next(iter(shown.values()))
    table = [(f"good by readers, {scores['lists']:,} lists, by cross-validation", *shown)]
    table += [
        (limit.replace("%", " %"), *(f"{in_percent(of[limit])} %" for of in shown.values()))
        for limit in limits
    ]
    yield from Table(table).markdown()


def choices(_: Path) -> Iterator[str]:
    """What readers made of variants of the default, where they answer differently."""
    yield from Table([tuple(row) for row in rows(contests())]).markdown()
