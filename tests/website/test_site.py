"""The site: every link leads somewhere, the reference has every public name, nothing comes from elsewhere."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from experiments._runner import Store
from website.assemble import assemble, broken_links, relinked
from website.reference import ROOMS
from website.systems import TEXTS

import laconic
from experiments import comparison
from laconic.systems.registry import SYSTEMS

ROOT = Path(__file__).parent.parent.parent


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("site") / "pages"
    assemble(folder)
    return folder


def texts(folder: Path) -> dict[str, str]:
    return {
        path.relative_to(folder).as_posix(): path.read_text("utf-8") for path in sorted(folder.rglob("*.md"))
    }


def places(folder: Path) -> set[str]:
    return {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()}


def test_no_link_is_broken(pages: Path) -> None:
    assert list(broken_links(texts(pages), places(pages))) == []


def test_a_broken_link_would_be_seen() -> None:
    found = {
        "a.md": "# One\n[x](b.md) [y](c.md) [z](b.md#two) [w](b.md#three)\n```\n[v](d.md)\n```\n",
        "b.md": "# Two",
    }
    assert list(broken_links(found, {"a.md", "b.md"})) == ["a.md: c.md", "a.md: b.md#three: no such heading"]


def test_links_between_files_become_links_between_pages() -> None:
    text = "[a](docs/limits.md#x) ![b](docs/pictures/page.png) [c](src/laconic/kernel.py) [d](https://example.org)"
    expected = "[a](limits.md#x) ![b](pictures/page.png) c [d](https://example.org)"
    assert relinked(text, "README.md", lambda _: True) == expected
    assert relinked("[a](docs/nothing.md)", "README.md", lambda _: False) == "[a](docs/nothing.md)"
    card = relinked("[card](../src/laconic/models/ties/card.json)", "docs/the-default.md", lambda _: True)
    assert card == "[card](models/ties.json)"
    back = relinked("[up](../../../README.md)", "experiments/results/markov/README.md", lambda _: True)
    assert back == "[up](../../index.md)"


def test_every_system_has_a_page(pages: Path) -> None:
    for name in SYSTEMS:
        text = (pages / "systems" / f"{name}.md").read_text("utf-8")
        assert "```text" in text and "## When to use it" in text
        assert "Nothing is measured yet" not in text
    assert TEXTS.exists()


def test_the_reference_has_every_room_and_its_names(pages: Path) -> None:
    rooms = {path.name for path in (ROOT / "src" / "laconic").iterdir() if (path / "__init__.py").exists()}
    assert rooms - {"cli", "models"} <= set(ROOMS)
    assert "def open_system(" in (pages / "reference" / "systems.md").read_text("utf-8")
    assert "class Budget" in (pages / "reference" / "laconic.md").read_text("utf-8")


def test_the_first_page_of_the_reference_begins_with_all_that_the_package_gives(pages: Path) -> None:
    text = (pages / "reference" / "laconic.md").read_text("utf-8")
    [head, *_] = text.split("\n## ")
    rows = dict(re.findall(r"^\| `(\w+)` \| (.*) \|$", head, re.MULTILINE))
    assert list(rows) == [*(name for name in laconic.__all__ if name != "__version__"), "__version__"]
    for name in rows.keys() - {"__version__"}:
        words, place, anchor = re.fullmatch(r"(.*\.) \| \[[\w.]+\]\((\w+\.md)#(\w+)\)", rows[name]).groups()
        found = (pages / "reference" / place).read_text("utf-8")
        [section] = [
            part for part in found.split("\n## ") if part.partition("\n")[0].replace(".", "") == anchor
        ]
        assert f"### {name}\n" in section and words


def test_pages_of_results_that_no_page_of_prose_leads_to_are_in_the_navigation(pages: Path) -> None:
    navigation = (ROOT / "website" / "mkdocs.yml").read_text("utf-8")
    alone = [
        path.relative_to(pages).as_posix()
        for path in (pages / "results").glob("*/*.md")
        if not (path.parent / "README.md").exists()
    ]
    assert len(alone) >= 14
    assert [place for place in alone if f": {place}\n" not in navigation] == []


def test_a_mean_over_the_lengths_that_a_system_can_meet_is_not_shown(pages: Path) -> None:
    found = Store(comparison.EXPERIMENTS[0]).found()
    refusing = [name.split(", ") for name, job in found.items() if job.get("refused")]
    assert refusing
    for corpus, condition, system in refusing:
        text = (pages / "systems" / f"{system}.md").read_text("utf-8")
        assert f"| {corpus} | {condition} |  |  |  |  |  |\n" in text and "would flatter it" in text


def outside(folder: Path) -> Iterator[str]:
    """What a built page would fetch from elsewhere."""
    fetched = re.compile(
        r"<(?:script|img|iframe|source)[^>]+src=\"?(https?:|//)|<link[^>]+rel=\"?(?:stylesheet|preconnect)[^>]+href=\"?(https?:|//)"
    )
    for path in folder.rglob("*.html"):
        if fetched.search(path.read_text("utf-8")):
            yield path.name


def built(pages: Path, folder: Path) -> subprocess.CompletedProcess[str]:
    """The site as `make site` builds it, from pages that lie elsewhere."""
    pytest.importorskip("mkdocs", reason="the site's generator is not installed: pip install 'laconic[site]'")
    [options] = re.findall(r"mkdocs (build .*) website/mkdocs\.yml", (ROOT / "Makefile").read_text("utf-8"))
    config = (ROOT / "website" / "mkdocs.yml").read_text("utf-8")
    config = config.replace("../build/site-pages", str(pages)).replace("../build/site", str(folder / "built"))
    (folder / "mkdocs.yml").write_text(config)
    command = [sys.executable, "-m", "mkdocs", *options.split(), str(folder / "mkdocs.yml")]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def test_the_site_builds_strictly_and_fetches_nothing(tmp_path: Path, pages: Path) -> None:
    done = built(pages, tmp_path)
    assert done.returncode == 0, done.stderr[-3000:]
    assert (tmp_path / "built" / "index.html").exists() and list(outside(tmp_path / "built")) == []


def test_a_broken_link_stops_the_build(tmp_path: Path, pages: Path) -> None:
    broken = shutil.copytree(pages, tmp_path / "pages")
    (broken / "limits.md").write_text("# Limits\n\n[nowhere](nowhere.md)\n")
    done = built(broken, tmp_path)
    assert done.returncode != 0 and "nowhere.md" in done.stderr
