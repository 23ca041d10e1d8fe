"""A page for every system: the idea, the equation, what the stored results say, and when to use it."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from experiments._pages import in_percent
from experiments._runner import Store
from experiments.comparison import CONDITIONS, CORPORA, EXPERIMENTS, fair_scores

TEXTS = Path(__file__).parent / "systems.toml"


def system_pages(root: Path) -> Iterator[tuple[str, str]]:
    """The pages of all systems and the page that leads to them."""
    texts = tomllib.loads(TEXTS.read_text(encoding="utf-8"))
    found = Store(EXPERIMENTS[0], root / "experiments" / "results").found()
    rows = []
    for name, text in texts.items():
        yield f"systems/{name}.md", "\n".join(_page(name, text, found)) + "\n"
        rows.append(f"| [`{name}`]({name}.md) | {text['paper'] or 'ours'} |")
    head = ["# Systems", "", "`laconic TEXT --system NAME`, `laconic.open_system(NAME)`.", ""]
    yield "systems/index.md", "\n".join([*head, "| system | paper |", "| --- | --- |", *rows]) + "\n"


def _page(name: str, text: Mapping[str, str], found: Mapping[str, Any]) -> Iterator[str]:
    yield from (f"# {name}", "")
    if text["paper"]:
        yield from (f"*{text['paper']}.*", "")
    yield from (
        text["idea"],
        "",
        "```text",
        text["equation"].strip(),
        "```",
        "",
        "## What our tables say",
        "",
    )
    rows = list(_rows(name, found))
    if rows:
        yield "Dev, percent; [the whole comparison](../results/README.md) has intervals and tests."
        yield from (
            "",
            "| corpus | length | F1 | exact | relation F1 | rate | readers |",
            "| --- | --- | --- | --- | --- | --- | --- |",
        )
        yield from (f"| {' | '.join(row)} |" for row in rows)
        if any("" in row for row in rows):
            yield from (
                "",
                "Empty where it refused some of the lengths: a mean over the others would flatter it.",
            )
    else:
        yield "Nothing is measured yet."
    yield from ("", "## When to use it", "", text["use"], "")
    if text["more"]:
        yield f"[More](../{text['more']})."


def _rows(name: str, found: Mapping[str, Any]) -> Iterator[tuple[str, ...]]:
    for corpus in CORPORA:
        for condition in CONDITIONS:
            job = found.get(f"{corpus}, {condition}, {name}")
            if job is not None:
                scores = fair_scores(job)
                metrics = ("positional_f1", "exact_match", "relation_f1", "word_rate", "readers")
                yield corpus, condition, *(in_percent(scores.get(metric)) for metric in metrics)
