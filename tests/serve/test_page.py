"""The page in a real browser: typing, slider, pins, reasons, files, errors, keyboard only, and what axe finds."""

from __future__ import annotations

import json
import os
import threading
import time
from base64 import urlsafe_b64encode
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("fastapi", reason="needs laconic[serve]")
pytest.importorskip("prometheus_client", reason="needs laconic[serve]")
pytest.importorskip("uvicorn", reason="needs laconic[serve]")

import uvicorn

import laconic
from tests.browser import browser

__all__ = ["browser"]

SENTENCE = "The council, which met on Tuesday, lowered the fees for small businesses."
CUE = "1\n00:00:01,000 --> 00:00:02,000\nWell, I really do not think so, to be honest.\n"
CROSSINGS = """() => { // of the lines of the tree
  const lines = [...document.querySelectorAll("#tree line")].map((line) =>
    ["x1", "y1", "x2", "y2"].map((name) => Number(line.getAttribute(name))));
  const side = ([a, b, c, d], x, y) => Math.sign((c - a) * (y - b) - (d - b) * (x - a));
  const parts = (one, other) => side(one, other[0], other[1]) * side(one, other[2], other[3]) < 0;
  return lines.filter((one) => lines.some((other) => parts(one, other) && parts(other, one))).length; }"""
AXE = Path(os.environ.get("AXE_CORE", "node_modules/axe-core/axe.min.js"))
SCREENSHOTS = os.environ.get("LACONIC_SCREENSHOTS")


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    from laconic.serve.application import create_app

    app = create_app()
    server = uvicorn.Server(uvicorn.Config(app, port=0, log_config=None, access_log=False))
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    while not app.state.service.is_ready:
        time.sleep(0.05)
    [port] = [found.getsockname()[1] for each in server.servers for found in each.sockets][:1]
    yield f"http://127.0.0.1:{port}/"
    server.should_exit = True
    thread.join(10)


@pytest.fixture
def page(browser, address) -> Iterator[Any]:
    context = browser.new_context(viewport={"width": 1200, "height": 1000})
    found = context.new_page()
    errors: list[str] = []
    found.on("pageerror", lambda error: errors.append(str(error)))
    found.on("console", lambda message: errors.append(message.text) if message.type == "error" else None)
    found.on(
        "request",
        lambda request: (
            errors.append(request.url) if not request.url.startswith((address, "blob:")) else None
        ),
    )
    found.goto(f"{address}#{urlsafe_b64encode(json.dumps({'text': SENTENCE}).encode()).decode().rstrip('=')}")
    ready(found)
    yield found
    context.close()
    assert [
        error for error in errors if "422" not in error
    ] == []  # a refusal is shown, and the browser notes it too


def wait(page: Any, expression: str) -> None:
    """Wait until an expression holds, by asking: the page forbids all scripts in it to evaluate text."""
    end = time.monotonic() + 20
    while not page.evaluate(expression):
        assert time.monotonic() < end, expression
        page.wait_for_timeout(20)


def ready(page: Any) -> None:
    wait(
        page,
        "document.getElementById('stage').ariaBusy === 'false' && !document.getElementById('slider').disabled",
    )


def write(page: Any, text: str) -> None:
    page.fill("#text", text)
    wait(page, f"document.getElementById('reading').textContent === {json.dumps(text)}")
    ready(page)


def slide(page: Any, words: int) -> str:
    """The short text after the slider is moved to a number of words by the keyboard."""
    page.focus("#slider")
    page.keyboard.press("Home")
    for _ in range(200):
        if page.inner_text("#length").startswith(f"{words} word"):
            return str(page.inner_text("#answer"))
        page.keyboard.press("ArrowRight")
    raise AssertionError(f"the slider has no place for {words} words")


def test_the_slider_shows_what_the_library_makes_at_every_length(page) -> None:
    for words in (3, 5, 8, 12):
        assert slide(page, words) == laconic.compress(SENTENCE, words=f"={words}").text


def test_the_slider_asks_nobody_and_answers_at_once(page) -> None:
    text = " ".join([SENTENCE] * 5)
    write(page, text)
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    spent = page.evaluate(
        """() => { const slider = document.getElementById("slider"), spent = [];
        for (let at = 0; at <= slider.max; at++) { slider.value = at; const began = performance.now();
          slider.dispatchEvent(new Event("input")); document.body.offsetHeight;
          spent.push(performance.now() - began); }
        return spent; }"""
    )
    assert asked == []
    assert (
        sorted(spent)[len(spent) // 2] < 50
    )  # milliseconds for 60 words; the half, as others may be at work


def test_the_first_answer_does_not_wait_for_the_lengths(page) -> None:
    held: list[Any] = []
    page.route("**/frontier", lambda route: held.append(route))
    text = "The ferry, which was late, left the harbour at dawn."
    page.fill("#text", text)
    wait(page, f"document.getElementById('reading').textContent === {json.dumps(text)}")
    natural = laconic.compress(text).text
    wait(page, f"document.getElementById('answer').textContent.trim() === {json.dumps(natural)}")
    assert page.is_disabled("#slider") and len(held) == 1
    held[0].continue_()
    ready(page)
    assert page.is_enabled("#slider")


def test_a_word_that_goes_is_struck_through_and_says_why(page) -> None:
    slide(page, 5)
    word = page.locator(".word", has_text="which")
    assert "gone" in word.get_attribute("class")
    word.hover()
    assert "relative clause of council" in page.inner_text("#reason")
    assert word.get_attribute("aria-label") == "which, goes"


def test_no_line_starts_with_a_comma(page) -> None:
    for width in range(300, 500, 10):
        page.set_viewport_size({"width": width, "height": 800})
        apart = page.evaluate(
            "[...document.querySelectorAll('.word')].filter(word => /^[,.]/.test(word.textContent)"
            " && word.offsetTop > word.previousElementSibling.offsetTop + 5).length"
        )
        assert apart == 0, width


def test_a_pin_holds_at_every_length(page) -> None:
    page.locator(".word", has_text="Tuesday").click()
    page.wait_for_selector(".word.keep")
    ready(page)
    for words in (4, 6):
        assert "Tuesday" in slide(page, words)
    page.locator(".word", has_text="Tuesday").click()
    page.wait_for_selector(".word.drop")
    ready(page)
    assert "Tuesday" not in slide(page, 9)


def test_keys_alone_are_enough(page) -> None:
    page.focus("#slider")
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.textContent.trim()") == "The"
    page.keyboard.press("ArrowRight")
    assert "council" in page.inner_text("#reason")
    page.keyboard.press("Enter")
    page.wait_for_selector(".word.keep")
    assert page.evaluate("document.activeElement.textContent.trim()") == "council"
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.id") == "copy"


def test_a_limit_is_met_and_one_that_cannot_be_says_what_can(page) -> None:
    page.select_option("#unit", "characters")
    page.fill("#amount", "40")
    wait(page, "[...document.getElementById('answer').textContent].length <= 40")
    assert page.inner_text("#answer") == laconic.compress(SENTENCE, characters=40).text
    page.fill("#amount", "1")
    wait(page, "document.getElementById('limit-state').textContent.includes('possible')")


def test_a_link_holds_the_request(page, address) -> None:
    expected = slide(page, 6)
    wait(page, "location.hash.length > 10")
    page.wait_for_timeout(500)
    link = page.url
    page.goto("about:blank")
    page.goto(link)
    ready(page)
    assert page.inner_text("#answer") == expected


def test_files_are_opened_and_subtitles_brought_within_their_norm(page, tmp_path) -> None:
    plain = tmp_path / "a.txt"
    plain.write_text("Stocks fell again on Monday.", encoding="utf-8")
    page.set_input_files("#file", plain)
    wait(page, "document.getElementById('reading').textContent.startsWith('Stocks')")
    film = tmp_path / "a.srt"
    film.write_text(CUE, encoding="utf-8")
    page.set_input_files("#file", film)
    wait(page, "document.getElementById('subtitles-summary').textContent.includes('1 shortened')")
    assert page.locator("#cues del").count() > 0


@pytest.mark.parametrize("width", [320, 390])
def test_nothing_stands_out_of_its_card_on_a_phone(page, width) -> None:
    page.set_viewport_size({"width": width, "height": 800})
    page.set_input_files("#file", {"name": "a.srt", "mimeType": "text/plain", "buffer": CUE.encode()})
    wait(page, "document.getElementById('subtitles-summary').textContent.startsWith('1 cue')")
    outside = page.evaluate(
        "[...document.querySelectorAll('.card select, .card button:not(.word), .card input')].filter(each =>"
        " each.offsetParent && each.getBoundingClientRect().right"
        " > each.closest('.card').getBoundingClientRect().right).map(each => each.id)"
    )
    assert outside == []


def test_trees_and_systems_are_shown(page) -> None:
    slide(page, 5)
    page.click("#tree-panel summary")
    wait(page, "document.querySelectorAll('#tree text.leaf.pale').length === 9")  # of 15 words and marks
    assert page.evaluate(CROSSINGS) == 0
    for name in ("default", "dependency"):
        page.evaluate(f"document.querySelector('#systems input[value={name}]').click()")
    page.click("#systems-panel summary")
    wait(page, "document.querySelector('#compared p')?.textContent.startsWith('The council, which')")


@pytest.mark.skipif(not AXE.is_file(), reason="no axe-core here: `make browser` installs it")
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing(browser, address, scheme) -> None:
    context = browser.new_context(
        viewport={"width": 390, "height": 844}, color_scheme=scheme, bypass_csp=True
    )
    page = context.new_page()
    page.goto(address)
    ready(page)
    page.click("#tree-panel summary")
    page.add_script_tag(path=str(AXE))
    found = page.evaluate(
        "axe.run().then(found => found.violations.map(each => [each.id, each.nodes[0].html]))"
    )
    context.close()
    assert found == []


@pytest.mark.skipif(not SCREENSHOTS, reason="LACONIC_SCREENSHOTS names the folder that pictures go to")
@pytest.mark.parametrize(
    ("name", "scheme", "width"),
    [("page", "light", 1100), ("page-dark", "dark", 1100), ("page-phone", "light", 390)],
)
def test_pictures_for_the_documentation(browser, address, name, scheme, width) -> None:
    context = browser.new_context(viewport={"width": width, "height": 1040}, color_scheme=scheme)
    page = context.new_page()
    page.goto(address)
    ready(page)
    page.locator(".word.gone", has_text="met").hover()
    path = Path(str(SCREENSHOTS)) / f"{name}.png"
    page.screenshot(path=path)
    context.close()
    assert path.stat().st_size > 10_000
