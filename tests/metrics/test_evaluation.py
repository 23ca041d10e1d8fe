from collections import Counter
from functools import partial

import pytest
from hypothesis import given
from hypothesis import strategies as st

import laconic
from laconic.budget import Budget, TextCost
from laconic.compression import Compression
from laconic.corpora.pair import Pair
from laconic.errors import InfeasibleBudget, LaconicError
from laconic.metrics.evaluation import STANDARD, evaluate
from laconic.metrics.report import Report
from laconic.metrics.rouge import rouge_metrics
from laconic.sentence import Sentence


class Truncate:
    """Keeps the first words: as many as the budget allows, or half of them."""

    name = "truncate"

    def compress(self, sentence, budget=None):
        if budget is None:
            return Compression.by_deletion(sentence, range(len(sentence) // 2))
        least, most = budget.limits(len(sentence))
        if least > len(sentence):
            raise InfeasibleBudget("too long", possible=(0, len(sentence)))
        return Compression.by_deletion(sentence, range(min(most, len(sentence))))


class Everything:
    def compress(self, sentence, budget=None):
        return Compression.by_deletion(sentence, range(len(sentence)))


def pair(identity, source, *references):
    return Pair.aligned(identity, Sentence.from_words(source.split()), [text.split() for text in references])


PAIRS = [
    pair("1", "yesterday the dog saw the cat .", "the dog saw the cat .", "the dog saw ."),
    pair("2", "he said that it rained", "it rained"),
    pair("3", "no", "no"),
]


def bag_f1(output, reference):
    common = sum((Counter(output) & Counter(reference)).values())
    return 2 * common / (len(output) + len(reference))


def mean(values):
    values = list(values)
    return sum(values) / len(values)


def test_everything_equals_an_independent_computation() -> None:
    report = evaluate(Everything(), PAIRS)
    expected = mean(mean(bag_f1(p.source.words, reference) for reference in p.references) for p in PAIRS)
    assert report["clipped_bag_f1"].score.macro == pytest.approx(expected)
    # Keeping everything finds every reference position: 2r / (n + r).
    by_hand = mean([mean([2 * 6 / 13, 2 * 4 / 11]), 2 * 2 / 7, 1.0])
    assert report["positional_f1"].score.macro == pytest.approx(by_hand)
    assert report["positional_f1"].score.recall == 1.0
    assert report["exact_match"].score.macro == pytest.approx(1 / 3)
    assert report["word_rate"].score.macro == 1.0
    assert report["reference_word_rate"].score.macro == pytest.approx(mean([10 / 14, 2 / 5, 1.0]))
    assert report["word_accuracy"].score.micro == pytest.approx((6 + 4 + 2 + 1) / (7 + 7 + 5 + 1))


def test_truncation_equals_an_independent_computation() -> None:
    report = evaluate(Truncate(), PAIRS)
    # Halves: "yesterday the dog", "he said", "".
    expected = mean([mean([2 * 2 / 9, 2 * 2 / 7]), 0.0, 0.0])
    assert report["positional_f1"].score.macro == pytest.approx(expected)
    assert report["positional_f1"].score.precision == pytest.approx(mean([2 / 3, 0.0]))  # "" has none
    assert report["2gram_f1"].values == (pytest.approx(mean([2 / 7, 2 / 5])), 0.0, None)
    assert report["word_rate"].values == (pytest.approx(3 / 7), pytest.approx(2 / 5), 0.0)
    assert report.system == "truncate"
    assert report.condition == "any length"


def test_gold_length_makes_one_request_for_each_reference() -> None:
    requests = []

    class Recording(Truncate):
        def compress(self, sentence, budget=None):
            requests.append((sentence.words[0], budget.limits(len(sentence))[0]))
            return super().compress(sentence, budget)

    twice = pair("4", "so it ended", "it ended", "so ended")
    report = evaluate(Recording(), [*PAIRS, twice], gold_length=True)
    assert requests == [("yesterday", 6), ("yesterday", 4), ("he", 2), ("no", 1), ("so", 2)]
    assert report["budget_met"].score.macro == 1.0
    assert report["word_rate"].score.macro == report["reference_word_rate"].score.macro
    # "yesterday the dog saw the cat" and "yesterday the dog saw", each against its own reference.
    assert report["positional_f1"].values[0] == pytest.approx(mean([5 / 6, 3 / 4]))


def test_gold_length_signatures_differ_from_others() -> None:
    free, gold = evaluate(Truncate(), PAIRS), evaluate(Truncate(), PAIRS, gold_length=True)
    assert free["positional_f1"].signature == (
        f"positional_f1|ties:last|references:1 to 2|length:any length|version:{laconic.__version__}"
    )
    assert free["positional_f1"].signature != gold["positional_f1"].signature
    with pytest.raises(LaconicError, match="no metric 'budget_met'"):
        free["budget_met"]


@pytest.mark.parametrize(
    ("budget", "condition"),
    [
        (Budget.at_most(3, unit="pieces"), "at most 3 pieces"),
        (Budget.exactly(ratio=0.5, unit="characters"), "exactly 0.5 of characters"),
        (Budget.at_least(2, unit=len), "at least 2 len"),
        (Budget.between(1, 2, unit="pieces"), "between 1 and 2 pieces"),
    ],
)
def test_the_budget_is_part_of_the_signature(budget, condition: str) -> None:
    report = evaluate(Everything(), PAIRS, budget=budget)
    assert report.condition == condition
    assert f"|length:{condition}|" in report["exact_match"].signature


def test_budgets_met_are_counted() -> None:
    # Everything has 7, 5 and 1 words.
    report = evaluate(Everything(), PAIRS, budget=Budget.at_most(5, unit="pieces"))
    assert report["budget_met"].score.macro == pytest.approx(2 / 3)


def test_a_refusal_is_counted_and_scores_nothing() -> None:
    report = evaluate(Truncate(), PAIRS, budget=Budget.exactly(5, unit="pieces"))
    assert report.refused == 1
    assert report["positional_f1"].values[2] is None
    assert report["positional_f1"].score.undefined == 1
    assert report["budget_met"].values == (1.0, 1.0, 0.0)


@pytest.mark.parametrize("form", [list, " ".join, None])
def test_outputs_made_before_score_as_the_system_does(form) -> None:
    compressions = [Everything().compress(p.source) for p in PAIRS]
    outputs = compressions if form is None else [form(compression.words) for compression in compressions]
    expected, report = evaluate(Everything(), PAIRS, name="x"), evaluate(outputs, PAIRS, name="x")
    assert report["positional_f1"] == expected["positional_f1"]
    assert report["string_accuracy"] == expected["string_accuracy"]
    assert evaluate(outputs, PAIRS).system == "outputs"


def test_a_reference_that_rewrites_is_aligned() -> None:
    rewritten = pair("1", "the dog saw it", "A dog saw nothing")
    assert evaluate(["the dog saw it"], [rewritten])["positional_f1"].score.macro == 2 * 2 / 8


class TestRelations:
    @staticmethod
    def chain(sentences):
        """Every word depends on the one before it."""
        return [
            sentence.annotated(
                heads=range(-1, len(sentence) - 1), relations=["root", *["dep"] * (len(sentence) - 1)]
            )
            for sentence in sentences
        ]

    def test_relations_of_chains_are_bigrams(self) -> None:
        report = evaluate(Truncate(), PAIRS, parser=self.chain)
        assert report["relation_f1"].values == report["2gram_f1"].values
        assert report["unlabelled_relation_f1"].values == report["2gram_f1"].values
        assert "|parser:TestRelations.chain|" in report["relation_f1"].signature

    def test_a_parser_with_a_version_is_named_by_it(self) -> None:
        class Versioned:
            signature = "chain-2"

            def parse(self, sentences):
                return TestRelations.chain(sentences)

        report = evaluate(Truncate(), PAIRS, parser=Versioned().parse)
        assert "|parser:chain-2|" in report["relation_f1"].signature

    def test_every_word_sequence_is_parsed_once(self) -> None:
        seen = []  # type: ignore[var-annotated]

        def parser(sentences):
            seen.extend(sentence.words for sentence in sentences)
            return self.chain(sentences)

        evaluate(Everything(), [*PAIRS, *PAIRS], parser=parser)
        assert len(seen) == len(set(seen)) == 6  # three sources, three references; "no" is both
        assert () not in seen

    def test_a_parser_that_cuts_words_is_refused(self) -> None:
        with pytest.raises(LaconicError, match="the parser changed the words of 'no'"):
            evaluate(Everything(), [PAIRS[2]], parser=lambda _: [Sentence.from_words(["n", "o"])])


def test_rouge_is_measured_when_asked() -> None:
    report = evaluate(Everything(), PAIRS, metrics=(*STANDARD, *rouge_metrics()))
    assert report["rougeL"].values[2] == 1.0


def test_costs_that_differ_have_signatures_that_differ() -> None:
    def letters(word):
        return len(word)

    units = ["words", TextCost(len, "letters"), TextCost(len, "bytes"), letters, len]
    reports = [evaluate(Truncate(), PAIRS, budget=Budget.at_most(9, unit=unit)) for unit in units]  # type: ignore[arg-type]
    assert len({report["budget_met"].signature for report in reports}) == len(units)


def costing(amount):
    """A cost that is called as others are."""
    return lambda word: amount


class Costing:
    def __init__(self, amount):
        self.amount = amount

    def __call__(self, word):
        return self.amount

    def cost(self, word):
        return self.amount


@pytest.mark.parametrize(
    "unit",
    [
        lambda word: 2,
        partial(max, 2, key=len),
        costing(2),
        Costing(2),
        Costing(2).cost,
        "text".count,
        TextCost(lambda text: 2),
        TextCost(Costing(2)),
    ],
)
def test_a_cost_that_others_are_called_like_is_refused(unit) -> None:
    with pytest.raises(LaconicError, match=r"has no name .* cost\.name ="):
        evaluate(["it fell"] * 3, PAIRS, budget=Budget.at_most(9, unit=unit))


def test_a_cost_without_a_name_is_given_one() -> None:
    twice = costing(2)
    twice.name = "twice"
    report = evaluate(Truncate(), PAIRS, budget=Budget.at_most(9, unit=twice))
    assert report.condition == "at most 9 twice"


def test_progress_is_told() -> None:
    calls = []
    evaluate(Truncate(), PAIRS, progress=lambda done, total: calls.append((done, total)))
    assert calls == [(1, 3), (2, 3), (3, 3)]


def test_reports_survive_json() -> None:
    report = evaluate(Truncate(), PAIRS, gold_length=True)
    assert Report.from_json(report.to_json()) == report


@given(st.integers(1, 3))
def test_measuring_two_corpora_adds_their_statistics(cut) -> None:
    whole = evaluate(Truncate(), [*PAIRS, *PAIRS[:cut]])
    parts = evaluate(Truncate(), PAIRS), evaluate(Truncate(), PAIRS[:cut])
    for measurement in whole.measurements:
        first, second = (part[measurement.metric] for part in parts)
        assert measurement.rows == first.rows + second.rows
        assert measurement.total == first.total + second.total


@pytest.mark.parametrize(
    ("act", "message"),
    [
        (lambda: evaluate(Truncate(), []), "there are no pairs"),
        (
            lambda: evaluate(Truncate(), PAIRS, budget=Budget.at_most(1, unit="pieces"), gold_length=True),
            "not both",
        ),
        (lambda: evaluate(["a"], PAIRS), "1 outputs for 3 pairs"),
        (lambda: evaluate(["a"] * 3, PAIRS, gold_length=True), "pass the system itself"),
    ],
)
def test_mistakes_are_named(act, message: str) -> None:
    with pytest.raises(LaconicError, match=message):
        act()
