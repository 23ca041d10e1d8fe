"""Running a system over a corpus and scoring what it answers."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Protocol, runtime_checkable

from laconic import __version__
from laconic.budget import Budget, Unit, name_of
from laconic.compression import Compression
from laconic.corpora.pair import Pair
from laconic.errors import InfeasibleBudget, LaconicError
from laconic.metrics.case import Answer, Case, Metric, Output, positions_in
from laconic.metrics.lengths import CharacterRate, ReferenceRate, WordRate, budget_met
from laconic.metrics.relations import RelationF1
from laconic.metrics.report import Measurement, Report
from laconic.metrics.statistics import Ratio, Statistic
from laconic.metrics.tokens import (
    ExactMatch,
    NgramF1,
    PositionalF1,
    StringAccuracy,
    UnclippedBagF1,
    WordAccuracy,
)
from laconic.sentence import Sentence

STANDARD: tuple[Metric, ...] = (
    PositionalF1(),
    ExactMatch(),
    NgramF1(1),
    UnclippedBagF1(),
    NgramF1(2),
    NgramF1(3),
    NgramF1(4),
    WordAccuracy(),
    StringAccuracy(),
    WordRate(),
    ReferenceRate(),
    CharacterRate(),
)
"""The metrics that need nothing but the words."""

Parser = Callable[[Sequence[Sentence]], Iterable[Sentence]]
"""Adds heads and relations to sentences, in order."""


@runtime_checkable
class Compressor(Protocol):
    """Anything that shortens sentences."""

    def compress(self, sentence: Sentence, budget: Budget | None = None) -> Compression:
        """The sentence shortened to the budget."""
        ...


@dataclass(frozen=True, slots=True)
class _Trial:
    """An output held against one reference; no case if the system refused the budget as infeasible."""

    budget: Budget | None
    case: Case | None


def evaluate(
    system: Compressor | Iterable[Answer],
    pairs: Iterable[Pair],
    *,
    budget: Budget | None = None,
    gold_length: bool = False,
    metrics: Sequence[Metric] = STANDARD,
    parser: Parser | None = None,
    progress: Callable[[int, int], None] | None = None,
    name: str | None = None,
) -> Report:
    """Score a system, or outputs made before (one for each pair), against the references of the pairs.

    A system compresses every source once, under `budget` if there is one. At `gold_length`, it compresses
    every source once for each reference, to exactly the reference's number of words, and is scored against
    that reference. Scores of a sentence are averaged over its references. With a `parser`, relation F1 is
    measured as well. `progress` is called with (sentences done, sentences in all).
    """
    corpus = list(pairs)
    if not corpus:
        raise LaconicError("nothing to evaluate: there are no pairs")
    if gold_length and budget is not None:
        raise LaconicError("either a budget or gold length, not both: gold length is a budget of its own")
    condition = "gold length" if gold_length else "any length" if budget is None else _described(budget)
    if isinstance(system, Compressor):
        rows = _run(system, corpus, budget, gold_length, progress)
        title = name or str(getattr(system, "name", type(system).__name__))
    elif gold_length:
        raise LaconicError("outputs made before cannot be held to gold length: pass the system itself")
    else:
        rows = _judge(list(system), corpus, budget)
        title = name or "outputs"
    if parser is not None:
        rows = _parsed(rows, parser)
        relation_metrics = (RelationF1(labelled, _parser_name(parser)) for labelled in (True, False))
        metrics = (*metrics, *relation_metrics)
    fewest, most = (pick(len(pair.references) for pair in corpus) for pick in (min, max))
    references = f"references:{fewest}" if fewest == most else f"references:{fewest} to {most}"
    conditions = (references, f"length:{condition}", f"version:{__version__}")

    def measurement(
        metric: str, settings: Sequence[str], table: Iterable[Iterable[Statistic]]
    ) -> Measurement:
        return Measurement(metric, "|".join((metric, *settings, *conditions)), tuple(map(tuple, table)))

    measurements = [
        measurement(
            metric.name,
            metric.settings,
            ((metric.measure(trial.case) for trial in row if trial.case is not None) for row in rows),
        )
        for metric in metrics
    ]
    if gold_length or budget is not None:
        met = ((_met(trial, pair) for trial in row) for row, pair in zip(rows, corpus, strict=True))
        measurements.append(measurement("budget_met", (), met))
    refused = sum(trial.case is None for row in rows for trial in row)
    return Report(title, condition, tuple(pair.id for pair in corpus), tuple(measurements), refused)


def _run(
    system: Compressor,
    corpus: Sequence[Pair],
    budget: Budget | None,
    gold_length: bool,
    progress: Callable[[int, int], None] | None,
) -> list[list[_Trial]]:
    """The trials of each pair, one a reference."""
    rows = []
    for done, pair in enumerate(corpus, start=1):
        if gold_length:
            budgets: list[Budget | None] = [
                Budget.exactly(len(reference), unit="pieces") for reference in pair.references
            ]
        else:
            budgets = [budget] * len(pair.references)
        # References of equal length make the same request.
        answers = {request: _answer(system, pair.source, request) for request in dict.fromkeys(budgets)}
        rows.append(
            [_trial(pair, number, request, answers[request]) for number, request in enumerate(budgets)]
        )
        if progress is not None:
            progress(done, len(corpus))
    return rows


def _answer(system: Compressor, source: Sentence, budget: Budget | None) -> Output | None:
    try:
        return Output.of(system.compress(source, budget), source)
    except InfeasibleBudget:
        return None


def _judge(answers: Sequence[Answer], corpus: Sequence[Pair], budget: Budget | None) -> list[list[_Trial]]:
    """The trials of each pair, from outputs made before."""
    if len(answers) != len(corpus):
        raise LaconicError(f"{len(answers)} outputs for {len(corpus)} pairs: there must be one for each")
    rows = []
    for answer, pair in zip(answers, corpus, strict=True):
        output = Output.of(answer, pair.source)
        rows.append([_trial(pair, number, budget, output) for number in range(len(pair.references))])
    return rows


def _trial(pair: Pair, number: int, budget: Budget | None, output: Output | None) -> _Trial:
    if output is None:
        return _Trial(budget, None)
    reference, kept = pair.references[number], pair.kept[number]
    positions = positions_in(pair.source.words, reference) if kept is None else kept
    return _Trial(budget, Case(pair.source, output, reference, positions))


def _parsed(rows: Sequence[Sequence[_Trial]], parser: Parser) -> list[list[_Trial]]:
    """The same trials with the parses of outputs and references; equal word sequences are parsed once."""
    cases = [trial.case for row in rows for trial in row if trial.case is not None]
    texts = list(dict.fromkeys(words for case in cases for words in (case.output.words, case.reference)))
    unparsed = [Sentence.from_words(words) for words in texts if words]
    parses: dict[tuple[str, ...], Sentence] = {(): Sentence((), (), heads=(), relations=())}
    for sentence, parse in zip(unparsed, parser(unparsed), strict=True):
        if parse.words != sentence.words:
            raise LaconicError(
                f"the parser changed the words of {sentence.text[:60]!r} to {' '.join(parse.words)[:60]!r}"
            )
        parses[sentence.words] = parse

    def parsed(trial: _Trial) -> _Trial:
        if trial.case is None:
            return trial
        parse, reference_parse = parses[trial.case.output.words], parses[trial.case.reference]
        return replace(trial, case=replace(trial.case, output_parse=parse, reference_parse=reference_parse))

    return [[parsed(trial) for trial in row] for row in rows]


def _met(trial: _Trial, pair: Pair) -> Ratio:
    assert trial.budget is not None
    return budget_met(trial.budget, pair.source, trial.case.output if trial.case is not None else None)


def _described(budget: Budget) -> str:
    """A budget in words, such as `at most 12 words` or `exactly 0.5 of characters`."""
    unit = _unit_name(budget.unit)
    of = f"of {unit}" if budget.relative else unit
    if budget.least == budget.most:
        return f"exactly {budget.most} {of}"
    if budget.least is None:
        return f"at most {budget.most} {of}"
    if budget.most is None:
        return f"at least {budget.least} {of}"
    return f"between {budget.least} and {budget.most} {of}"


def _unit_name(unit: Unit) -> str:
    """A unit by its name, so that budgets in different costs have different signatures."""
    name = unit if isinstance(unit, str) else name_of(unit)
    if name is None:
        raise LaconicError(
            f"the budget's unit {unit!r:.60} has no name that tells it from others, so a report could not say what it "
            'measured: give it one, as in TextCost(count, "letters") or cost.name = "letters"'
        )
    return name


def _parser_name(parser: Parser) -> str:
    """What a parser calls its version, as the embedded one does; else the name of the function."""
    signature = getattr(getattr(parser, "__self__", parser), "signature", None)
    return str(signature or getattr(parser, "__qualname__", type(parser).__qualname__))
