"""Put the pages of the site into one folder: those that are written, and those made from docstrings and results.

    python -m website.assemble FOLDER

Links between files of the repository become links between pages; a link to a file that is no page leads nowhere on
the site, so its text stands alone.
"""

from __future__ import annotations

import posixpath
import re
import shutil
import sys
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

from website.reference import reference_pages
from website.systems import system_pages

ROOT = Path(__file__).parent.parent
RESULTS = "experiments/results"
MODELS = "src/laconic/models"
_LINK = re.compile(r"(!?)\[([^\]]*)\]\(([^)\s]+)\)")
_FENCE = re.compile(r"(^```.*?^```$)", re.MULTILINE | re.DOTALL)


def place_of(path: str) -> str | None:
    """Where a file of the repository stands on the site; None if it has no place there.

    >>> place_of("docs/limits.md"), place_of("README.md"), place_of("src/laconic/kernel.py")
    ('limits.md', 'index.md', None)
    """
    fixed = {
        "README.md": "index.md",
        "CONTRIBUTING.md": "contributing.md",
        "CHANGELOG.md": "changes.md",
        f"{MODELS}/LICENCE.md": "models.md",
        "training/README.md": "training.md",
        "LICENSE": "licence.md",
        "NOTICE": "notice.md",
    }
    if path in fixed:
        return fixed[path]
    if path.startswith(f"{MODELS}/") and path.endswith("/card.json"):
        return f"models{path.removeprefix(MODELS).removesuffix('/card.json')}.json"
    if path.startswith("docs/"):
        return path.removeprefix("docs/")
    if path.startswith(f"{RESULTS}/") and path.endswith((".md", ".svg", ".csv", ".txt")):
        return f"results/{path.removeprefix(f'{RESULTS}/')}"
    return None


def sources(root: Path) -> Iterator[str]:
    """The files of the repository that are pages, or that pages show or link to."""
    yield from (
        "README.md",
        "CONTRIBUTING.md",
        "CHANGELOG.md",
        "LICENSE",
        "NOTICE",
        "training/README.md",
    )
    for folder in ("docs", MODELS, RESULTS):
        for path in sorted((root / folder).rglob("*")):
            name = path.relative_to(root).as_posix()
            if path.is_file() and place_of(name) is not None:
                yield name


def relinked(text: str, source: str, exists: Callable[[str], bool]) -> str:
    """The text of a page with its links to files made links to pages."""
    here = place_of(source)
    assert here is not None

    def link(match: re.Match[str]) -> str:
        picture, words, target = match.groups()
        path, mark, anchor = target.partition("#")
        if ":" in path or not path:
            return match[0]
        meant = posixpath.normpath(posixpath.join(posixpath.dirname(source), path))
        if not exists(meant):
            return match[0]  # which is a broken link, and is found as one
        place = place_of(meant)
        if place is None:
            return words
        return f"{picture}[{words}]({posixpath.relpath(place, posixpath.dirname(here) or '.')}{mark}{anchor})"

    parts = _FENCE.split(text)
    return "".join(part if part.startswith("```") else _LINK.sub(link, part) for part in parts)


def assemble(folder: Path, root: Path = ROOT) -> list[str]:
    """Write all pages of the site; returns their names."""
    shutil.rmtree(folder, ignore_errors=True)
    made: dict[str, str | bytes] = {}
    for source in sources(root):
        place = place_of(source)
        assert place is not None
        if place.endswith(".md"):
            text = (root / source).read_text(encoding="utf-8")
            if source in ("LICENSE", "NOTICE"):
                text = f"# {source.title()}\n\n```text\n{text}```\n"
            made[place] = relinked(text, source, lambda path: (root / path).is_file())
        else:
            made[place] = (root / source).read_bytes()
    made["stylesheets/site.css"] = (Path(__file__).parent / "site.css").read_bytes()
    made |= dict(reference_pages(root / "src" / "laconic"))
    made |= dict(system_pages(root))
    for place, content in made.items():
        path = folder / place
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return sorted(made)


def broken_links(pages: Mapping[str, str], places: set[str]) -> Iterator[str]:
    """Links of pages that lead to no page, or to no heading of it."""
    anchors = {place: set(map(anchor_of, headings(text))) for place, text in pages.items()}
    for place, text in pages.items():
        plain = "".join(part for part in _FENCE.split(text) if not part.startswith("```"))
        for match in _LINK.finditer(plain):
            path, _, anchor = match[3].partition("#")
            if ":" in path:
                continue
            meant = posixpath.normpath(posixpath.join(posixpath.dirname(place), path)) if path else place
            if meant not in places:
                yield f"{place}: {match[3]}"
            elif anchor and anchor not in anchors.get(meant, set()):
                yield f"{place}: {match[3]}: no such heading"


def headings(text: str) -> Iterator[str]:
    """The headings of a page."""
    plain = "".join(part for part in _FENCE.split(text) if not part.startswith("```"))
    yield from re.findall(r"^#+ (.+)$", plain, re.MULTILINE)


def anchor_of(heading: str) -> str:
    """The name by which links find a heading.

    >>> anchor_of("What readers make of it")
    'what-readers-make-of-it'
    """
    kept = re.sub(r"[^\w\s-]", "", heading.replace("`", "")).strip().lower()
    return re.sub(r"[-\s]+", "-", kept)


if __name__ == "__main__":
    assemble(Path(sys.argv[1]))
