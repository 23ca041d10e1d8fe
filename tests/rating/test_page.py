"""The page for raters in a real browser: whatever is clicked first, every question is asked and every rating kept."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from http.server import ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from laconic.rating.outputs import read_outputs
from laconic.rating.server import create_server
from laconic.rating.sheets import read_sheet, sheets_of, write_sheets
from tests.browser import browser

__all__ = ["browser"]

ALL = "All is rated. Thank you."


@pytest.fixture
def sheet(tmp_path: Path) -> Path:
    """Three texts to rate."""
    outputs = tmp_path / "outputs.jsonl"
    rows = [{"source": f"The sentence {n} is long.", "text": f"Sentence {n}."} for n in range(3)]
    outputs.write_text("".join(json.dumps(row) + "\n" for row in rows))
    path, _ = write_sheets(sheets_of(read_outputs({"one": outputs}), raters=1), tmp_path / "sheet")
    return path


@pytest.fixture
def server(sheet: Path) -> Iterator[ThreadingHTTPServer]:
    found = create_server(sheet, 0)
    thread = threading.Thread(target=found.serve_forever, daemon=True)
    thread.start()
    yield found
    found.shutdown()
    found.server_close()
    thread.join(5)


@pytest.fixture
def page(browser: Any, server: ThreadingHTTPServer) -> Iterator[Any]:
    context = browser.new_context()
    found = context.new_page()
    found.set_default_timeout(10_000)
    found.goto(f"http://127.0.0.1:{server.server_address[1]}/")
    shows(found, "0 of 3 rated")
    yield found
    context.close()


def shows(page: Any, text: str) -> None:
    page.get_by_text(text, exact=True).wait_for()


def marked(page: Any) -> tuple[str, str]:
    """The text that is shown, and the question that the next key answers."""
    return page.inner_text("#text"), page.inner_text("fieldset.now legend")


def click(page: Any, asked: str, rating: int) -> None:
    page.locator("fieldset", has_text=asked).get_by_role("button", name=str(rating)).click()


def kept(sheet: Path) -> list[tuple[str, str]]:
    _, rows = read_sheet(sheet)
    return [(row["grammar"], row["meaning"]) for row in rows]


def test_keys_alone_rate_everything(page: Any, sheet: Path) -> None:
    for key in "123451":
        page.keyboard.press(key)
    shows(page, ALL)
    assert kept(sheet) == [("1", "2"), ("3", "4"), ("5", "1")]


def test_the_last_question_may_be_answered_first(page: Any, sheet: Path) -> None:
    text, _ = marked(page)
    click(page, "meaning", 2)
    assert marked(page) == (text, "grammar")
    page.keyboard.press("1")
    assert marked(page)[0] != text and marked(page)[1] == "grammar"
    for key in "3451":
        page.keyboard.press(key)
    shows(page, ALL)
    assert kept(sheet) == [("1", "2"), ("3", "4"), ("5", "1")]


def test_what_is_passed_over_is_asked_at_the_end(page: Any, sheet: Path) -> None:
    first, _ = marked(page)
    page.keyboard.press("ArrowRight")
    page.click("#forward")
    second, asked = marked(page)
    assert second != first and asked == "grammar"
    for key in "3451":
        page.keyboard.press(key)
    shows(page, "2 of 3 rated")
    assert marked(page) == (first, "grammar")
    page.keyboard.press("1")
    page.keyboard.press("ArrowRight")
    assert page.inner_text("#text") != ALL
    page.click("#back")
    assert marked(page)[0] == first
    click(page, "meaning", 2)
    shows(page, ALL)
    assert kept(sheet) == [("1", "2"), ("3", "4"), ("5", "1")]


def test_nobody_is_thanked_for_what_is_not_kept(page: Any, sheet: Path) -> None:
    for key in "12345":
        page.keyboard.press(key)
    page.wait_for_load_state("networkidle")
    last, _ = marked(page)
    page.route("**/rating", lambda route: route.abort())
    page.keyboard.press("1")
    page.locator("#told", has_text="not kept").wait_for()
    assert marked(page) == (last, "meaning") and page.get_by_text(ALL).count() == 0
    shows(page, "2 of 3 rated")
    page.unroute("**/rating")
    page.keyboard.press("1")
    shows(page, ALL)
    assert kept(sheet)[-1] == ("5", "1") and page.inner_text("#told") == ""
