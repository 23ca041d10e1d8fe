"""Some hundred requests keep the laws on every run, as many as asked in a slow one; and what is broken is found."""

from __future__ import annotations

import os
import secrets
from collections.abc import Callable, Iterator
from dataclasses import replace
from random import Random
from typing import Any

import pytest

import laconic
from laconic.systems.registry import SYSTEMS
from tests.fuzz.cases import Case, draw
from tests.fuzz.hostile import every_hostile_argument, hostile_violations
from tests.fuzz.laws import Violation, violations
from tests.fuzz.same import differences_between_processes, differences_between_threads
from tests.fuzz.shrink import shrunk

CASES = 300


def failures_of(cases: Iterator[Case]) -> list[str]:
    """The laws that are broken, each with the smallest call that shows it."""
    return [
        f"[{violation.kind}] {shrunk(case, violation.kind).line()}  # {violation.seen}"
        for case in cases
        for violation in violations(case)
    ]


def test_requests_keep_the_laws() -> None:
    cases = (draw(Random(f"every run:{number}")) for number in range(CASES))
    assert failures_of(cases) == []


def test_what_sentences_cost_adds_up_where_no_white_space_stands_between_them() -> None:
    # A control character ends a sentence and is no white space: "abc" and "a" would have been one word.
    assert violations(Case("abc\u202c   \x00 .\x00a", whole_document=True, least=0, most=0)) == ()


@pytest.mark.slow
def test_many_requests_keep_the_laws() -> None:
    seed = os.environ.get("FUZZ_SEED") or secrets.token_hex(4)
    count = int(os.environ.get("FUZZ_CASES", "5000"))
    print(f"FUZZ_SEED={seed} FUZZ_CASES={count}")
    cases = (draw(Random(f"{seed}:{number}")) for number in range(count))
    assert failures_of(cases) == []


def test_hostile_arguments_are_answered_or_refused() -> None:
    lines = [line for line in every_hostile_argument() if "open_system('default')" not in line]
    assert [(line, violation) for line in lines for violation in hostile_violations(line)] == []


def test_threads_and_batches_do_not_change_an_answer() -> None:
    assert differences_between_threads(Random("threads")) == []


@pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning")
@pytest.mark.parametrize("how", ["fork", "spawn"])
def test_another_process_does_not_change_an_answer(how: str) -> None:
    random = Random("processes")
    lines = [draw(random, systems=("default", "truncate")).line() for _ in range(10)]
    assert differences_between_processes(lines, how) == []


class TestTheHunterFinds:
    """Each law broken once, by a `compress` that does not keep it."""

    TEXT = "Old ferries sank, slowly."

    def kinds(self, monkeypatch: pytest.MonkeyPatch, case: Case, answer: Callable[..., Any]) -> set[str]:
        monkeypatch.setattr(laconic, "compress", answer)
        return {violation.kind for violation in violations(case)}

    def keeping(self, *kept: int, **changes: Any) -> Callable[..., Any]:
        compression = laconic.Compression.by_deletion(laconic.tokenise(self.TEXT), kept)
        return lambda *_, **__: replace(compression, **changes)

    def refusing(self, error: Exception) -> Callable[..., Any]:
        def refuse(*_: Any, **__: Any) -> None:
            raise error

        return refuse

    @pytest.mark.parametrize(
        ("unit", "amount"),
        [
            ("pieces", 3),
            ("characters", 14),
            ("bytes", 14),
            ("words", 1),
            ("lengths", 14),
            ("quarters", 3),
        ],
    )
    def test_a_budget_that_is_not_met(self, monkeypatch: pytest.MonkeyPatch, unit: str, amount: int) -> None:
        over = Case(self.TEXT, unit=unit, most=amount - 1)
        under = Case(self.TEXT, unit=unit, least=amount + 30)
        assert self.kinds(monkeypatch, over, self.keeping(0, 1, 2)) == {f"1 {unit}: over"}
        assert self.kinds(monkeypatch, under, self.keeping(0, 1, 2)) == {f"1 {unit}: under"}

    def test_a_ratio_that_no_whole_number_meets(self, monkeypatch: pytest.MonkeyPatch) -> None:
        case = Case(self.TEXT, least=0.41, most=0.42, relative=True)
        assert self.kinds(monkeypatch, case, self.keeping(0, 1, 2)) == {"1 words ratio: over"}

    def test_words_that_are_counted_but_not_in_the_text(self, monkeypatch: pytest.MonkeyPatch) -> None:
        case = Case(self.TEXT, unit="pieces", least=4, most=4)
        assert self.kinds(monkeypatch, case, self.keeping(0, 1, 3, 5)) == {"1 pieces in the text: under"}

    def test_pins_that_do_not_hold(self, monkeypatch: pytest.MonkeyPatch) -> None:
        answer = self.keeping(0, 1, 3, 5)
        assert self.kinds(monkeypatch, Case(self.TEXT, keep=("SANK",)), answer) == {"2 pinned word gone"}
        assert self.kinds(monkeypatch, Case(self.TEXT, drop=("old",)), answer) == {"2 dropped word there"}
        assert self.kinds(monkeypatch, Case(self.TEXT, keep=(",",)), answer) == {
            "2 pinned word repaired away"
        }
        both = Case(self.TEXT, keep=("old",), drop=("Old ferries",))
        assert self.kinds(monkeypatch, both, answer) == {"2 a word both kept and dropped"}

    def test_a_text_that_is_not_what_was_kept(self, monkeypatch: pytest.MonkeyPatch) -> None:
        case = Case(self.TEXT)
        assert self.kinds(monkeypatch, case, self.keeping(1, 2)) == set()
        unreported = self.keeping(1, 2, repairs=())  # the capital
        assert self.kinds(monkeypatch, case, unreported) == {"4 text differs from its words"}
        longer = self.keeping(0, 1, text="Old ferries sank")
        assert self.kinds(monkeypatch, case, longer) == {"4 text goes on after its words"}
        assert self.kinds(monkeypatch, case, self.keeping(0, 1, kept=(1, 0))) == {"4 not a subsequence"}

    def test_an_article_that_goes_with_what_follows(self, monkeypatch: pytest.MonkeyPatch) -> None:
        fitted = laconic.Compression.by_deletion(laconic.tokenise("It was a late answer."), (0, 1, 2, 4, 5))
        case = Case("It was a late answer.")
        assert self.kinds(monkeypatch, case, lambda *_, **__: fitted) == set()
        unreported = replace(fitted, repairs=())
        assert self.kinds(monkeypatch, case, lambda *_, **__: unreported) == {"4 text differs from its words"}

    def test_nothing_is_possible_only_where_no_length_would_do(self, monkeypatch: pytest.MonkeyPatch) -> None:
        case = Case(self.TEXT, least=3, most=3, keep=("old",))
        assert self.kinds(monkeypatch, case, self.refusing(laconic.InfeasibleBudget("no"))) == set()
        without_pins = replace(case, keep=())
        assert self.kinds(monkeypatch, without_pins, self.refusing(laconic.InfeasibleBudget("no"))) == {
            "3 refusal says nothing of what is possible"
        }

    @pytest.mark.parametrize(
        ("text", "dropped", "system"),
        [
            pytest.param(
                "Mrs. Okoro",
                "Okoro",
                "ilp",
                marks=pytest.mark.skipif(not SYSTEMS["ilp"].can_run, reason="SciPy"),
            ),
            ("Hall found two", "Hall found", "transducer"),
            ("Hall found two", "Hall found", "joint-discriminative"),
        ],
    )
    def test_refusals_of_systems_that_have_no_such_compression(
        self, monkeypatch: pytest.MonkeyPatch, text: str, dropped: str, system: str
    ) -> None:
        case = Case(text, drop=(dropped,), options=(("system", system),))
        assert violations(case) == ()
        wrong = replace(case, drop=(text.split()[0],))
        refuse = self.refusing(laconic.InfeasibleBudget("no"))
        assert self.kinds(monkeypatch, wrong, refuse) == {"3 refused without a budget"}

    def test_refusals_that_are_wrong(self, monkeypatch: pytest.MonkeyPatch) -> None:
        def refused(case: Case, possible: tuple[int, int] | None) -> set[str]:
            error = laconic.InfeasibleBudget("no", possible=possible)
            compress = laconic.compress

            def answer(text: str, *arguments: Any, words: Any = None, **options: Any) -> Any:
                if words == f"={case.least}":
                    raise error
                return compress(text, *arguments, words=words, **options)

            with monkeypatch.context() as patch:
                patch.setattr(laconic, "compress", answer)
                return {violation.kind for violation in violations(case)}

        assert refused(Case(self.TEXT, least=3, most=3), (2, 4)) == {"3 words: refused but possible"}
        assert refused(Case(self.TEXT, least=9, most=9), (4, 4)) == set()
        assert refused(Case(self.TEXT, least=9, most=9), (1, 4)) == {"3 words: possible is not the nearest"}
        assert refused(Case(self.TEXT, least=9, most=9), (7, 7)) == {"3 words: possible is refused"}
        assert refused(Case(self.TEXT, least=9, most=9), (9, 9)) == {"3 what is possible was asked for"}
        assert refused(Case(self.TEXT, least=9, most=9), None) == {
            "3 refusal says nothing of what is possible"
        }

    def test_errors_of_the_wrong_kind(self, monkeypatch: pytest.MonkeyPatch) -> None:
        case = Case(self.TEXT, most=3)
        assert self.kinds(monkeypatch, case, self.refusing(KeyError("x"))) == {"7 KeyError"}
        mistake = self.refusing(laconic.LaconicError("no"))
        assert self.kinds(monkeypatch, case, mistake) == {"7 refused as a mistake"}
        monkeypatch.setattr(laconic, "compress", self.refusing(TypeError("x")))
        assert hostile_violations("laconic.compress(None)") == [Violation("7 hostile TypeError", "x")]

    def test_the_smallest_request_that_fails(self, monkeypatch: pytest.MonkeyPatch) -> None:
        def answer(text: laconic.Sentence, **options: Any) -> Any:
            if "ferry" in text.words:
                raise KeyError(text)
            raise laconic.InfeasibleBudget("no")

        monkeypatch.setattr(laconic, "compress", answer)
        case = Case("On Monday the old ferry sank.", least=20, most=20, unit="characters", keep=("old",))
        assert (
            shrunk(case, "7 KeyError").line()
            == "laconic.compress(laconic.tokenise('ferry'), characters='=20')"
        )


def test_a_line_is_the_call_that_was_made() -> None:
    case = Case(
        "né\ud800",
        unit="measured bytes",
        least=1,
        most=0.5,
        relative=True,
        drop=("a'",),
        options=(("like", "print"),),
    )
    assert case.line() == (
        "laconic.compress(laconic.tokenise('n\\xe9\\ud800'), laconic.Budget(1, 0.5, laconic.TextCost(lambda text: "
        'len(text.encode("utf-8", "surrogatepass")), "bytes"), True), drop=["a\'"], like=\'print\')'
    )
    assert Case("a", True, most=3).line() == "laconic.compress('a', words=3)"
    assert (
        Case("a", least=0.5, most=0.5, relative=True).line()
        == "laconic.compress(laconic.tokenise('a'), ratio='=0.5')"
    )
