"""Evidence for protections: which answers tear a row, and what readers made of them."""

from __future__ import annotations

from training.protections import Torn, rows, torn_answers
from training.read_lists import Candidate, ReadList

from laconic.systems.default.compressor import Compressor
from laconic.systems.default.protections import protections

TEXT = "Such old plans often fail in the end."


def test_answers_that_tear_a_row_are_held_against_the_others() -> None:
    read = ReadList(
        TEXT,
        "at most 80% of the words",
        (
            Candidate((0, 2, 3, 4, 8), 5, 5, 0),  # Such plans often fail.
            Candidate((0, 2, 4, 8), 5, 2, 1),  # Such plans fail.
        ),
    )
    [(name, torn)] = torn_answers(read, Compressor(threads=1))
    assert name == "how often and how nearly"
    assert (torn.good, torn.others, torn.lost) == (False, 1.0, True)
    assert 0 < torn.foretold < 1


def test_every_row_has_its_line() -> None:
    torn = {"negation": [Torn(True, 0.5, float("nan"), False), Torn(False, 0.3, 1.0, True)]}
    _, *table = rows(torn)
    assert [name for name, *_ in table] == [row.name for row in protections()]
    assert table[0] == ("negation", "", "2", "50%", "40%", "100%", "50%")
