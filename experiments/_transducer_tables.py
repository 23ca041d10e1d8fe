"""The tables of the tree transducer: outputs made before, scored and set beside the paper's numbers."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from experiments._experiment import Found
from experiments._pages import Page, Row, Table, published

from laconic.annotate import load_annotator
from laconic.budget import Budget
from laconic.compression import Compression
from laconic.corpora.pair import Pair
from laconic.errors import InfeasibleBudget
from laconic.grammar.grammar import Grammar
from laconic.grammar.rules import Rule
from laconic.metrics.evaluation import Compressor, evaluate
from laconic.sentence import Sentence

THEIR_SENTENCES = 78
"""Of CLspoken's development set."""
Theirs = tuple[float, float, float]
"""Rate, relation F1 and loss as the paper has them: the loss is a sum over the sentences."""

TABLE_4 = {
    "depth 1*": ("Hamming, tokens", 3.38, 1.05),
    "n-gram loss": ("Hamming, n-grams", 3.28, 1.13),
    "CFG loss": ("Hamming, productions", 3.22, 0.91),
    "edit distance": ("edit distance", 3.30, 1.20),
    "F1 loss": ("F1", 3.15, 1.13),
}
"""Our rows with each loss, and the mean and the deviation of two people's ratings: CLspoken's development sentences."""
REFERENCE_RATING = (4.28, 0.7)

TABLE_6 = {
    "spoken": (
        ("Transducer1", ("depth 1*", "depth 1*, priced", "depth 1*, all rules"), 82.30, 66.63),
        ("Transducer2", ("penalty 0.25", "penalty 0.25, all rules"), 69.89, 59.58),
        ("McDonald", ("McDonald",), 68.56, 47.48),
        ("Clarke ILP", ("Clarke ILP",), 77.70, 54.12),
    ),
    "written": (
        ("Transducer1", ("depth 1*", "depth 1*, priced", "depth 1*, all rules"), 76.52, 58.02),
        ("Transducer2", ("penalty 0.5", "penalty 0.5, all rules"), 61.09, 49.48),
        ("McDonald", ("McDonald",), 60.12, 48.39),
        ("Clarke ILP", ("Clarke ILP",), 71.99, 54.84),
    ),
}
"""Their systems, the rows that are ours, and their rate and relation F1 on their test sets."""

REFERENCE_RATES = {"spoken": 76.11, "written": 70.24}
THEIR_GRAMMARS = ((20_764, 12), (33_430, None), (62_116, None))
"""Rules of spoken train at each depth, and the share in percent of deep ones."""
GRAMMARS = ("depth 0", "depth 1*", "depth 2", "whole pairs", "depth 1*, all rules")


Stored = list[int] | list[str] | None
"""An answer: the source positions kept, or words of which some are new, or that the length was refused."""


class Replay:
    """A system that repeats the answers it gave before."""

    def __init__(self, pairs: Sequence[Pair], outputs: Sequence[dict[str, Stored]]) -> None:
        self._outputs = {pair.source.words: output for pair, output in zip(pairs, outputs, strict=True)}

    def compress(self, sentence: Sentence, budget: Budget | None = None) -> Compression:
        length = "any" if budget is None or budget.most is None else str(int(budget.most))
        answer = self._outputs[sentence.words][length]
        if answer is None:
            raise InfeasibleBudget(f"no output of {length} words")
        if all(isinstance(item, int) for item in answer):
            return Compression.by_deletion(sentence, [int(item) for item in answer])
        words = tuple(map(str, answer))
        return Compression(sentence, None, words, " ".join(words))


def scores_of(system: Compressor, pairs: Sequence[Pair], cache: Path) -> dict[str, float]:
    """Natural length and gold length: rate and F1 in percent, the loss of a sentence."""
    judge = load_annotator(threads=1)

    def parse(sentences: Sequence[Sentence]) -> Iterator[Sentence]:
        return judge.annotate(sentences, cache=cache)

    found: dict[str, float] = {"loss": token_loss(system, pairs)}
    for condition, gold_length in (("", False), (" at gold length", True)):
        report = evaluate(system, pairs, gold_length=gold_length, parser=parse)
        for measurement in report.measurements:
            if measurement.metric in ("word_rate", "positional_f1", "relation_f1"):
                found[measurement.metric + condition] = round(100 * (measurement.score.macro or 0.0), 2)
    return found


def token_loss(system: Compressor, pairs: Sequence[Pair]) -> float:
    """The token Hamming loss against the first reference, a sentence."""
    total = 0
    for pair in pairs:
        words, reference = system.compress(pair.source).words, pair.references[0]
        wrong = sum(word not in reference for word in words)
        total += wrong + max(len(reference) - len(words), 0)
    return round(total / len(pairs), 2)


def described(grammar: Grammar) -> tuple[int, int, float, float]:
    """Rules, rules seen twice, and the shares in percent of deep ones and of those with two root categories."""
    deep_ones = percent(deep(rule) for rule in grammar.rules)
    two = percent(len(set(rule.root)) == 2 for rule in grammar.rules)
    return len(grammar), len(grammar.frequent(2)), deep_ones, two


def transducer_pages(
    corpus_name: str, theirs: Mapping[str, Theirs | None], found: Mapping[str, Found]
) -> Iterator[Page]:
    """Tables 4 to 6 and the grammars of a corpus."""
    facts = found["grammars"]
    scores = {name: job["scores"] for name, job in found.items() if name != "grammars"}
    yield Page(
        corpus_name,
        f"The tree transducer on {corpus_name}",
        f"Dev, {facts['sentences']} sentences, all but those with a broken tree of Stanford's parser, from which the "
        "transducer learns; the comparison of all systems, with other trees, leaves out references that keep no "
        "word instead. Learnt from the first reference of train. Rates and F1 are percentages against all references, "
        "relation F1 labelled, by the embedded parser; the loss is the token Hamming loss of a sentence against the "
        "first reference. Theirs, in italics: another parser, RASP's relations, one reference, and on spoken another "
        f"split; their loss is the sum that they print, divided by their {THEIR_SENTENCES} sentences; a dash where "
        "they print nothing. Their rows of Ziff-Davis are left out: that corpus is not to be had.",
        [
            Table(_table_5(corpus_name, scores, theirs, found), "Table 5"),
            Table(_table_6(corpus_name, scores, facts), "Table 6"),
            Table(
                _table_4(corpus_name, scores),
                "Table 4: losses",
                "Theirs are ratings by two people, from 1 to 5, of which we have none: the order is what can be "
                "compared. With F1 there is no language model.",
            ),
            Table(
                _grammars(corpus_name, facts["rows"]),
                "Grammars",
                "Rules of all train pairs before rare ones are forgotten, coverage not counted; those deeper than one "
                "level or of two root categories are beyond a synchronous context-free grammar.",
            ),
            Table(
                _cells(
                    ("row", *COLUMNS),
                    [
                        [name, *(found[name][column] for column in COLUMNS)]
                        for name in GRAMMARS
                        if name in found
                    ],
                ),
                "Pairs learnt from",
                "Pairs are passed over where a minimal rule exceeds 5 variables or 15 nodes; nothing else keeps a "
                "pair out.",
            ),
        ],
        plotted="relation F1 at gold length",
    )


COLUMNS = ("pairs", "passed over", "rules", "features")


def _table_5(
    corpus_name: str,
    scores: Mapping[str, Mapping[str, float]],
    theirs: Mapping[str, Theirs | None],
    found: Mapping[str, Found],
) -> list[Row]:
    beside = corpus_name == "spoken"
    head = ["row", "rate", "relation F1", "loss"]
    head += ["their rate", "their relation F1", "their loss"] if beside else []
    return _cells(
        [*head, "relation F1 at gold length", "positional F1 at gold length", "gap"],
        [
            [
                name,
                *(of[key] for key in ("word_rate", "relation_f1", "loss")),
                *(_italic(*by_sentence(theirs[name])) if beside else ()),
                *(of[f"{key} at gold length"] for key in ("relation_f1", "positional_f1")),
                found[name]["gap"],
            ]
            for name, of in scores.items()
            if name in theirs
        ],
    )


def _table_4(corpus_name: str, scores: Mapping[str, Mapping[str, float]]) -> list[Row]:
    beside = corpus_name == "spoken"
    head = ("loss", "rate", "relation F1", "relation F1 at gold length", "positional F1 at gold length")
    keys = ("word_rate", "relation_f1", "relation_f1 at gold length", "positional_f1 at gold length")
    rows = [
        [title, *(scores[name][key] for key in keys), *(_italic(*theirs) if beside else ())]
        for name, (title, *theirs) in TABLE_4.items()
    ]
    last = [["Reference", *[None] * len(keys), *_italic(*REFERENCE_RATING)]] if beside else []
    return _cells([*head, *(("their mean rating", "their sd") if beside else ())], [*rows, *last])


def _table_6(corpus_name: str, scores: Mapping[str, Mapping[str, float]], facts: Found) -> list[Row]:
    systems = [
        [
            *(title, name, scores[name]["word_rate"], scores[name]["relation_f1"]),
            *(scores[name][f"{key} at gold length"] for key in ("relation_f1", "positional_f1")),
            *_italic(rate, relations),
        ]
        for title, names, rate, relations in TABLE_6[corpus_name]
        for name in names
        if name in scores
    ]
    lengths = ("rate", "relation F1", "relation F1 at gold length", "positional F1 at gold length")
    last = [
        "Reference",
        None,
        facts["reference rate"],
        *[None] * 3,
        *_italic(REFERENCE_RATES[corpus_name], None),
    ]
    return _cells(
        ("system", "row", *lengths, "their rate (test)", "their relation F1 (test)"), [*systems, last]
    )


def _grammars(corpus_name: str, rows: Iterable[Sequence[object]]) -> list[Row]:
    beside = corpus_name == "spoken"
    head = ("depth", "rules", "seen twice", "deeper, %", "two categories, %")
    return _cells(
        [*head, *(("their rules", "their deeper, %") if beside else ())],
        [
            [*row, *(_italic(*theirs) if beside else ())]
            for row, theirs in zip(rows, THEIR_GRAMMARS, strict=True)
        ],
    )


def _italic(*cells: float | None) -> list[str | None]:
    """Published numbers, marked as such; None where there is none."""
    return [cell or None for cell in published(*cells)]


def deep(rule: Rule) -> bool:
    """Whether a side has more than one level, words not counted: no context-free rule can say it."""
    return any(node.children for side in (rule.source, rule.target) for node in side.children)


def percent(flags: Iterable[bool]) -> float:
    values = list(flags)
    return round(100 * sum(values) / len(values), 1)


def by_sentence(theirs: Theirs | None) -> tuple[float | None, ...]:
    """Their scores, the loss a sentence."""
    return (None, None, None) if theirs is None else (*theirs[:2], round(theirs[2] / THEIR_SENTENCES, 2))


def _cells(head: Sequence[str], rows: Iterable[Sequence[object]]) -> list[Row]:
    """Rows of text; a dash where there is no value."""
    return [tuple(head), *(tuple("-" if cell is None else str(cell) for cell in row) for row in rows)]
