"""The default compressor with and without its parts, and in every register, on dev.

Google pairs are those whose target was found in the source, on our own tokens; spoken scores are averaged over the
annotators. References that keep no word are left out.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import partial

from experiments._experiment import Experiment, Found, Job, Workplace
from experiments._pages import Page, Row, Table, in_percent
from experiments.comparison import CORPORA, annotator, pairs_of

from laconic.metrics.evaluation import evaluate
from laconic.sentence import Sentence
from laconic.systems.default import scoring
from laconic.systems.default.compressor import Compressor
from laconic.systems.default.prices import NATURAL, Prices
from laconic.systems.default.reading import Reading

FREE = Prices(log_odds=0.0, mark=0.0, fragment=0.0, run_on=0.0, hard=0.0)
COLUMNS = ("positional_f1", "exact_match", "word_rate", "relation_f1")


class Untied(Compressor):
    """The default with nothing held together: no ties, no price on run-ons."""

    def _read(
        self,
        sentence: Sentence,
        *,
        given_length: bool = False,
        prices: Prices = NATURAL,  # noqa: ARG002
    ) -> Reading:
        return super()._read(sentence, given_length=given_length, prices=FREE)


def variant(register: str, name: str) -> Compressor:
    """The default of a register, without a part of it, or as another register."""
    weights = scoring.REGISTERS[register]

    def built(chosen: scoring.Weights) -> Compressor:
        return Compressor(register=register, weights=chosen, annotator=annotator(), threads=1)

    match name:
        case "default":
            return built(weights)
        case "path alone":
            return built(scoring.Weights())
        case "without ties":
            return Untied(register=register, annotator=annotator(), threads=1)
        case "no register":
            return Compressor(register=None, annotator=annotator(), threads=1)
        case _:
            return Compressor(register=name.removeprefix("as "), annotator=annotator(), threads=1)


def measure(at: Workplace, *, corpus: str, name: str) -> Found:
    """The scores of a variant at its own length and at gold length."""
    pairs = pairs_of(at, corpus)
    found: Found = {"sentences": len(pairs)}
    for length in LENGTHS:
        report = evaluate(
            variant(corpus, name),
            pairs,
            gold_length=length == "gold",
            parser=lambda sentences: annotator().annotate(sentences, cache=at.annotations),
            progress=at.check_time,
        )
        found[length] = {score.metric: score.macro for score in report.scores if score.metric in COLUMNS}
    return found


def table_pages(stem: str, title: str, note: str, found: Mapping[str, Found]) -> Iterator[Page]:
    heads = ("F1", "exact", "rate", "relation F1")
    rows: list[Row] = [("corpus", "default", *heads, *(f"{head}, gold length" for head in heads))]
    for name, job in found.items():
        corpus, _, variant_name = name.partition(", ")
        cells = [in_percent(job[length].get(column)) for length in LENGTHS for column in COLUMNS]
        rows.append((corpus, variant_name, *cells))
    yield Page(stem, title, note, [Table(rows)], plotted="relation F1")


LIKE = {"spoken": "broadcast", "written": "print", "news": "headlines"}
"""What users call the register of each corpus."""


def register_pages(found: Mapping[str, Found]) -> Iterator[Page]:
    """What imitating somebody's habits is worth at the reference's length, then all numbers."""
    rows: list[Row] = [("corpus", "without a name", *(f"like {name}" for name in LIKE.values()))]
    for corpus, name in LIKE.items():
        asked = ["no register", *("default" if other == corpus else f"as {other}" for other in LIKE)]
        gold = [found[f"{corpus}, {one}"]["gold"][COLUMNS[0]] for one in asked]
        rows.append((name, *map(in_percent, gold)))
    note = "F1 on dev at the reference's length, in percent."
    [page] = table_pages("registers", "Registers of the default", note, found)
    others = "All numbers; `default` has the corpus's own register."
    full = replace(page.tables[0], title="In full", note=others)
    yield replace(page, tables=[Table(rows), full], plotted="without a name")


LENGTHS = ("own", "gold")
PARTS = ("default", "path alone", "without ties")
AS = ("default", "no register", *(f"as {register}" for register in CORPORA))


def _jobs(names: tuple[str, ...]) -> Iterator[Job]:
    for corpus in CORPORA:
        for name in names:
            if name != f"as {corpus}":
                yield Job(
                    f"{corpus}, {name}",
                    measure,
                    {"corpus": corpus, "name": name},
                    reads=(CORPORA[corpus],),
                    uses=("annotator", "ties", "dependency-grammar"),
                )


EXPERIMENTS = (
    Experiment(
        "default/ablations",
        "what the parts of the default are worth",
        12,
        tuple(_jobs(PARTS)),
        partial(
            table_pages,
            "ablations",
            "What the parts of the default are worth",
            "Percent on dev. Without ties nothing is held together, and run-ons cost nothing.",
        ),
    ),
    Experiment(
        "default/registers",
        "the default in every register on every corpus",
        15,
        tuple(_jobs(AS)),
        register_pages,
    ),
)
