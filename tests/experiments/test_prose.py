"""Numbers in what we make of results are cells of the tables beside it, or made of such cells."""

from __future__ import annotations

import re
from collections.abc import Iterator
from decimal import ROUND_HALF_UP, Decimal
from operator import sub, truediv
from pathlib import Path

import pytest
from experiments._runner import RESULTS

MADE_OF = {
    "bayesian": "0.003 = 0.0030, 0.47 = 0.4716, 0.025 = 0.0253, 0.36 = 0.3590",
    "dependency": """
        0.4 = 89.01 - 88.60, 1.1 = 81.80 - 80.68, 4.7 = 62.61 - 57.89, 5.1 = 56.24 - 51.14, 1.3 = 80.13 - 78.80,
        0.8 = 74.00 - 73.18, 0.5 = 82.07 - 81.54, 1.4 = 67.82 - 66.44, 1.0 = 82.49 - 81.54, 2.1 = 68.52 - 66.44,
        2.6 = 2.63, 4.1 = 4.13, 0.3 = 0.29, 0.1 = 79.91 - 79.86, 0.0 = 78.88 - 78.84, 0.4 = 66.45 - 66.02,
        0.7 = 89.66 - 88.99, 1.0 = 80.83 - 79.86, 0.2 = 89.55 - 89.33, 0.6 = 82.63 - 82.07, 0.7 = 68.52 - 67.82,
        0.2 = 88.97 - 88.82, 0.7 = 79.27 - 78.53
    """,
    "joint": """
        0.3 = 70.1 - 69.8, 0.1 = 84.2 - 84.1, 0.24 = 84.53 - 84.29, 0.1 = 60.6 - 60.5, 1.7 = 60.5 - 58.8,
        2.0 = 61.5 - 59.5, 0.8 = 60.6 - 59.8, 6.0 = 60.1 - 54.1, 7.0 = 66.8 - 59.8, 5.9 = 66.7 - 60.8,
        6.4 = 77.4 - 71.0, 0.4 = 0.40, 1.9 = 6.9 / 3.7, 1.2 = 4.5 / 3.7, 2.9 = 2.88, 4.0 = 3.95
    """,
    "markov": """
        3.0 = 73.3 - 70.3, 2.3 = 83.2 - 80.9, 4.1 = 67.1 - 63.0, 1.2 = 72.8 - 71.6, 0.3 = 73.6 - 73.3,
        0.5 = 83.7 - 83.2, 1.4 = 73.6 - 72.2, 2.0 = 73.6 - 71.6, 0.8 = 67.6 - 66.8, 1.0 = 67.6 - 66.6,
        0.4 = 84.1 - 83.7, 6.3 = 74.5 - 68.2, 9.8 = 78.2 - 68.4, 4.1 = 66.3 - 62.2, 5.4 = 69.8 - 64.4,
        2.6 = 82.9 - 80.3, 7.1 = 87.4 - 80.3, 4.2 = 78.3 - 74.1, 0.5 = 70.3 - 69.8, 0.6 = 81.4 - 80.8,
        5.0 = 80.7 - 75.7, 3.7 = 70.8 - 67.1, 18.2 = 87.1 - 68.9, 19.8 = 88.7 - 68.9, 6.6 = 67.9 - 61.3,
        0.2 = 79.9 - 79.7, 2.8 = 67.3 - 64.5, 1.2 = 70.6 - 69.4, 2.6 = 72.7 - 70.1, 2.3 = 83.0 - 80.7,
        0.6 = 84.7 - 84.1, 1.0 = 84.7 - 83.7, 1.1 = 78.8 - 77.7, 0.8 = 87.2 - 86.4, 0.1 = 71.1 - 71.0,
        0.4 = 80.7 - 80.3, 0.2 = 86.2 - 86.0, 0.1 = 71.4 - 71.3, 6.5 = 77.4 - 70.9, 2.5 = 77.0 - 74.5,
        2.0 = 84.9 - 82.9, 1.2 = 78.2 - 77.0, 2.5 = 87.4 - 84.9
    """,
    "transducer": """
        4.6 = 72.49 - 67.89, 5.2 = 59.68 - 54.49, 1.9 = 80.57 - 78.7, 3.1 = 69.3 - 66.21, 0.2 = 79.4 - 79.24,
        2.8 = 69.84 - 67.07
    """,
}
"""What is no cell but follows from cells: a difference, a quotient, or a small number in fewer digits."""

_NUMBER = re.compile(r"(?<![\w.])\d[\d,]*(?:\.\d+)?(?![\w.]*\d)")
_CLAIM = re.compile(r"(?<![\w.])(?:\d[\d,]*\.\d+(?![\w.]*\d)(?! million)|\d+(?= %))")
_SMALL = 15
"""Below it, tables have some cell that rounds to nearly everything."""
_OPERATIONS = {"-": sub, "/": truediv}


def claims(prose: str) -> list[str]:
    """The decimals and shares that a text states; commands and addresses state none."""
    return _CLAIM.findall(re.sub(r"\]\([^)]*\)|^    .*$", "", prose, flags=re.MULTILINE))


def cells(page: Path) -> set[str]:
    """The numbers in the tables of a group, and in the files that its page names."""
    named = re.findall(r"\]\((\.\./[\w./-]+)\)", page.read_text(encoding="utf-8"))
    tables = [path for path in page.parent.iterdir() if path.suffix in (".md", ".csv") and path != page]
    files = [*tables, *(page.parent / name for name in named)]
    return {
        number.replace(",", "")
        for path in files
        for number in _NUMBER.findall(path.read_text(encoding="utf-8"))
    }


def rounded(number: Decimal, like: str) -> str:
    """A number in as many digits as another."""
    return str(number.quantize(Decimal(like), ROUND_HALF_UP))


def made(group: str, known: set[str]) -> Iterator[str]:
    """What is declared to follow from cells."""
    for declared in MADE_OF[group].split(","):
        value, _, formula = declared.strip().partition(" = ")
        first, *rest = formula.split()
        assert {first, *rest[1:]} <= known, f"{declared.strip()}: no such cells in {group}"
        result = Decimal(first)
        if rest:
            result = abs(_OPERATIONS[rest[0]](result, Decimal(rest[1])))
        assert rounded(result, value) == value, declared.strip()
        yield value


def untraced(prose: str, known: set[str], follows: set[str]) -> list[str]:
    """The claims that are neither cells, rounded or not, nor follow from them."""

    def is_cell(claim: str) -> bool:
        if float(claim) < _SMALL:
            return claim in known
        return any(rounded(Decimal(cell), claim) == claim for cell in known)

    return [claim for claim in claims(prose) if claim not in follows and not is_cell(claim.replace(",", ""))]


@pytest.mark.parametrize("group", sorted(MADE_OF))
def test_prose_states_what_the_tables_say(group: str) -> None:
    page = RESULTS / group / "README.md"
    prose, known = page.read_text(encoding="utf-8"), cells(page)
    follows = set(made(group, known))
    assert untraced(prose, known, follows) == []
    assert follows <= set(claims(prose)), "declared, but nowhere stated"


def test_what_no_table_says_would_be_seen() -> None:
    prose = "    --strength 7.7\nIt rises by 7.8 to 55.2, keeps 41 % ([of 3.3](x-9.9.md)) of 2.5 million, 0.012 each."
    assert claims(prose) == ["7.8", "55.2", "41", "3.3", "0.012"]
    assert untraced(prose, {"55.19", "3.3", "41.6"}, {"7.8"}) == ["41", "0.012"]


def test_every_page_of_prose_is_traced() -> None:
    prose = {path.parent.name for path in RESULTS.glob("*/README.md")} - {"readings"}
    assert prose == set(MADE_OF)
