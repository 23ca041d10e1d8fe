"""The path of one request is short, and drawn as it is."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

PAGE = Path(__file__).parent.parent / "docs" / "the-one-idea.md"
MOST = 30
# A fresh interpreter, so that nothing is remembered; other sentences first, so that kernels are at hand. Those of the
# compiler are no steps: it works once.
FOLLOW = """
import sys
from pathlib import Path
import laconic
from laconic import Budget, open_system, tokenise

home = Path(laconic.__file__).parent
system, asked = open_system("default"), Budget.exactly(8)
system.compress(tokenise("The council approved the new budget on Tuesday after a long debate about its cost."), asked)
system.compress(tokenise("The new library, which cost a lot, opened in May after years of delay."), asked)
sentence = tokenise(
    "The office of the mayor approved the old plan on Friday after a short talk about the price of the bridge, "
    "which had fallen."
)
passed = {}


def note(frame, event, _):
    path = Path(frame.f_code.co_filename)
    if event == "call" and path.is_relative_to(home):
        passed[".".join(path.relative_to(home).with_suffix("").parts)] = None


sys.setprofile(note)
system.compress(sentence, asked)
sys.setprofile(None)
passed.pop("kernel", None)
print(*passed)
"""


def section(page: str) -> str:
    """What a page says of the path."""
    return page.partition("## The path of one request")[2].partition("\n## ")[0]


def drawn(page: str) -> list[str]:
    """The modules in the drawing, in order."""
    _, drawing, _ = section(page).split("```", 2)
    return re.findall(r"^[│├└─ ]*([a-z_]+(?:\.[a-z_]+)+)", drawing, re.MULTILINE)


def values(page: str) -> list[str]:
    """The modules of values that the page names after the drawing."""
    _, _, text = section(page).split("```", 2)
    return re.findall(r"`([a-z_.]+)`", text)


def test_the_path_of_one_request_is_as_drawn() -> None:
    answer = subprocess.run([sys.executable, "-c", FOLLOW], capture_output=True, text=True, check=True)
    passed = answer.stdout.split()
    page = PAGE.read_text(encoding="utf-8")
    assert [name for name in passed if name not in values(page)] == drawn(page)
    assert set(values(page)) <= set(passed), "a value that nobody hands on"


def test_the_path_of_one_request_is_short() -> None:
    page = PAGE.read_text(encoding="utf-8")
    assert len(drawn(page)) <= MOST
    assert len(values(page)) <= 6, "what is called a value is not counted as a step"


def test_a_drawing_is_read_line_by_line() -> None:
    page = "## The path of one request\n```text\na.b    on\n├─ c.d   to e.f\n│  └─ g.h\n```\nWith `i`, `j.k`.\n## `l`"
    assert drawn(page) == ["a.b", "c.d", "g.h"]
    assert values(page) == ["i", "j.k"]
