"""Dev scores of the default compressor: natural and gold length, every register, with and without its parts.

    python -m experiments.default --data ../shared/data [--ablations] [--registers] [--relations]

Google pairs are those whose target was found in the source, on our own tokens; spoken scores are averaged over
the annotators. `budget` is the share of requests that were met.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from laconic.annotate.annotator import Annotator, load_annotator
from laconic.corpora.pair import Pair
from laconic.corpora.pairs import read_pairs
from laconic.metrics.evaluation import evaluate
from laconic.metrics.report import Report
from laconic.sentence import Sentence
from laconic.systems.default import scoring
from laconic.systems.default.compressor import Compressor
from laconic.systems.default.prices import NATURAL, Prices
from laconic.systems.default.reading import Reading
from laconic.text.tokenise import tokenise

SETS = {"news": "google.dev.jsonl", "spoken": "spoken.dev.jsonl", "written": "written.dev.jsonl"}
FREE = Prices(log_odds=0.0, mark=0.0, fragment=0.0, run_on=0.0, hard=0.0)
COLUMNS = ("positional_f1", "exact_match", "word_rate", "relation_f1", "budget_met")


class Untied(Compressor):
    """The default with nothing held together: no ties, no price on run-ons."""

    def _read(
        self,
        sentence: Sentence,
        ratio: float | None = None,
        *,
        given_length: bool = False,
        prices: Prices = NATURAL,  # noqa: ARG002
    ) -> Reading:
        return super()._read(sentence, ratio, given_length=given_length, prices=FREE)


def development(data: Path, register: str) -> list[Pair]:
    path = data / "compression" / SETS[register]
    cut = tokenise if register == "news" else None
    pairs = read_pairs(path, tokenise=cut, only_aligned=True)
    return [pair for pair in pairs if all(pair.kept)]


def variants(
    register: str, annotator: Annotator, *, ablations: bool, registers: bool
) -> Iterator[tuple[str, Compressor]]:
    weights = scoring.REGISTERS[register]

    def built(chosen: scoring.Weights) -> Compressor:
        return Compressor(register=register, weights=chosen, annotator=annotator, threads=1)

    yield "default", built(weights)
    if ablations:
        yield "without trees", built(replace(weights, arc=0.0))
        yield "path alone", built(scoring.Weights())
        yield "without ties", Untied(register=register, annotator=annotator, threads=1)
    if registers:
        for other in (None, *(name for name in scoring.REGISTERS if name != register)):
            name = "no register" if other is None else f"as {other}"
            yield name, Compressor(register=other, annotator=annotator, threads=1)


def row(name: str, report: Report) -> str:
    values = {score.metric: score.macro for score in report.scores}
    cells = [f"{value:8.4f}" if (value := values.get(column)) is not None else " " * 8 for column in COLUMNS]
    return f"{name:32s} " + " ".join(cells)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", type=Path, default=Path("../shared/data"))
    parser.add_argument("--ablations", action="store_true", help="measure without parts of the score, too")
    parser.add_argument("--registers", action="store_true", help="measure the other registers, too, and none")
    parser.add_argument("--relations", action="store_true", help="parse the outputs, and measure relation F1")
    options = parser.parse_args()
    annotator = load_annotator(threads=1)
    parse = annotator.annotate if options.relations else None
    print(f"{'':32s} " + " ".join(f"{column[:8]:>8s}" for column in COLUMNS))
    for register in SETS:
        pairs = development(options.data, register)
        chosen = variants(register, annotator, ablations=options.ablations, registers=options.registers)
        for name, system in chosen:
            for gold_length in (False, True):
                report = evaluate(system, pairs, gold_length=gold_length, parser=parse)
                print(row(f"{register}, {name}{', gold length' * gold_length}", report), flush=True)


if __name__ == "__main__":
    main()
