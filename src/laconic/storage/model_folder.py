"""Model folders: a `card.json` beside text and arrays, which it names with their sizes and checksums.

The card is the only file with a fixed name. What it names is written before it, under names that the model which
was there does not use; what it no longer names is removed after it. So whenever writing stops, there is the old
model or the new one.
"""

from __future__ import annotations

import gzip
import hashlib
import json
import os
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from laconic import __version__
from laconic.errors import ModelError
from laconic.files import write_whole
from laconic.storage.checked import LARGE, read_checked, read_json
from laconic.storage.content import MOST_LINES, Content, Stored

_CARD = "card.json"
_OWN = ("kind", "laconic", "settings", "files", "checksum")
_MOST_FILES = 64
_NAME = re.compile(r"(?P<name>\w[\w.-]*?)(?P<version>-[0-9a-f]{8})?(?P<type>\.npy|\.txt)(?:\.gz)?")


def write_model(folder: Path, kind: str, content: Content) -> None:
    """Write a model folder, whole or not at all."""
    written: list[Path] = []
    try:
        folder.mkdir(parents=True, exist_ok=True)
        before = _named(folder)
        files = {part: _written(folder, part, raw, written) for part, raw in _parts(content)}
        _sync(folder)
        card = {"kind": kind, "laconic": __version__, "settings": dict(content.settings), "files": files}
        write_card(folder, card)
    except BaseException as error:
        named = _named(folder)  # the interruption may have come after the card
        for path in written:
            if path.name not in named:
                path.unlink(missing_ok=True)
        if isinstance(error, OSError):
            raise ModelError(f"{folder}: cannot be written ({error.strerror}); it is as it was") from None
        raise
    _remove(folder, before, {entry["file"] for entry in files.values()})


def add_to_card(folder: Path, fields: Mapping[str, Any]) -> None:
    """Say more about a model that was written: its data, licence, scores."""
    content = _card(folder)
    write_card(folder, content | {key: value for key, value in fields.items() if key not in _OWN})


def seal_card(folder: Path) -> None:
    """Give a card that was edited by hand its checksum; what it says of the files must be true."""
    content = read_json(folder / _CARD)
    content.pop("checksum", None)
    write_card(folder, content)
    if "files" in content:  # the annotator's card has others, which are checked when it is opened
        with open_model(folder, kind_of(folder)):
            pass


def kind_of(folder: Path) -> str:
    """What kind of model the folder holds; the annotator's card is of a form of its own."""
    return "annotator" if "graph" in read_card(folder) else str(_card(folder)["kind"])


def checksum_of(folder: Path) -> str:
    """The checksum of a model's settings and files; its card may say more, or say it better."""
    content = _card(folder)
    files = {part: entry["sha256"] for part, entry in content["files"].items()}
    return _digest({"kind": content["kind"], "settings": content["settings"], "files": files})


@contextmanager
def open_model(folder: Path, kind: str) -> Iterator[Stored]:
    """A model folder of this kind, all of its files checked.

    Whatever the block refuses about what it reads is an error that names the folder.
    """
    content = _card(folder)
    if content["kind"] != kind:
        raise ModelError(f"{folder}: a model of {content['kind']!r}, expected one of {kind!r}")
    parts = {
        part: (
            read_checked(folder / entry["file"], entry["sha256"], exactly=entry["bytes"]),
            entry.get("holds"),
        )
        for part, entry in content["files"].items()
    }
    try:
        yield Stored(folder, content["settings"], parts)
    except ModelError:
        raise
    except RecursionError:
        raise ModelError(f"{folder}: damaged, something is nested too deeply") from None
    except (KeyError, TypeError, ValueError, OverflowError, MemoryError) as error:
        raise ModelError(f"{folder}: damaged ({error})") from None


def _parts(content: Content) -> Iterator[tuple[str, bytes]]:
    for name, lines in content.lines.items():
        text = "".join(f"{line}\n" for line in lines)
        raw = text.encode()
        if text.count("\n") != len(lines) or len(lines) > MOST_LINES or len(raw) > LARGE:
            raise ModelError(
                f"a text of a model has at most {MOST_LINES} lines without line ends in them, together {LARGE} "
                f"bytes: {name!r} has {len(lines)} and {len(raw)}"
            )
        yield f"{name}.txt", raw
    if content.arrays:
        from laconic.storage.arrays import array_to_bytes

        for name, array in content.arrays.items():
            yield f"{name}.npy", array_to_bytes(array)


def _written(folder: Path, part: str, raw: bytes, written: list[Path]) -> dict[str, Any]:
    """Write a file if it is not there; returns what the card says of it."""
    content = raw if len(raw) > LARGE else gzip.compress(raw, mtime=0)
    checksum = hashlib.sha256(content).hexdigest()
    size = {} if content is raw else {"holds": len(raw)}
    ending = "" if content is raw else ".gz"
    path = folder / f"{part}{ending}"
    if not (path.is_file() and path.read_bytes() == content):
        if path.exists():
            name, _, type_ = part.rpartition(".")
            path = folder / f"{name}-{checksum[:8]}.{type_}{ending}"
        with write_whole(path) as stream:
            stream.write(content)
        written.append(path)
    return {"file": path.name, "bytes": len(content), **size, "sha256": checksum}


def write_card(folder: Path, content: Mapping[str, Any]) -> None:
    """Write a card with its checksum, which `read_card` reads."""
    # What people read comes first.
    last = {name: content[name] for name in ("settings", "files") if name in content}
    card = {name: value for name, value in content.items() if name not in last} | last
    try:
        text = json.dumps(card | {"checksum": _digest(card)}, indent=2, ensure_ascii=False, allow_nan=False)
    except (TypeError, ValueError) as error:
        raise ModelError(f"{folder}: what JSON cannot hold cannot be stored ({error})") from None
    with write_whole(folder / _CARD) as stream:
        stream.write(text.encode() + b"\n")


def read_card(folder: Path) -> dict[str, Any]:
    """The card of a folder, without its checksum, which is that of the rest."""
    path = folder / _CARD
    try:
        if not path.exists():
            raise ModelError(f"{folder}: no model here ({_CARD} is missing)")
    except OSError as error:  # of a folder that may not be entered
        raise ModelError(f"{path}: cannot be read ({error.strerror})") from None
    content = read_json(path)
    try:
        sound = content.pop("checksum", None) == _digest(content)
    except (ValueError, RecursionError):
        sound = False
    if not sound:
        raise _damaged(path)
    return content


def _card(folder: Path) -> dict[str, Any]:
    """The card of a model folder, once it is known to be whole."""
    content = read_card(folder)
    try:
        sound = (
            isinstance(content["kind"], str)
            and isinstance(content["settings"], dict)
            and len({entry["file"] for entry in content["files"].values()}) == len(content["files"])
            and len(content["files"]) <= _MOST_FILES
            and all(_describes_file(part, entry) for part, entry in content["files"].items())
        )
    except (KeyError, TypeError, AttributeError):
        sound = False
    if not sound:
        raise _damaged(folder / _CARD)
    return content


def _damaged(card: Path) -> ModelError:
    return ModelError(f"{card}: damaged, its content is not what its checksum says")


def _describes_file(part: str, entry: dict[str, Any]) -> bool:
    name, size, holds = entry["file"], entry["bytes"], entry.get("holds")
    # Only arrays may be large, and those that are compressed expand to no more than is read at once.
    return (
        isinstance(name, str)
        and (match := _NAME.fullmatch(name)) is not None
        and part.endswith(match["type"])
        and type(size) is int
        and (name.endswith(".npy") or size <= LARGE)
        and name.endswith(".gz") == (type(holds) is int and 0 <= holds <= LARGE)
    )


def _digest(content: Mapping[str, Any]) -> str:
    """The checksum of JSON, however it is laid out."""
    canonical = json.dumps(content, sort_keys=True, ensure_ascii=False, separators=(",", ":"))
    return hashlib.sha256(canonical.encode()).hexdigest()


def _sync(folder: Path) -> None:
    """Let the names of new files reach the disk before the card that uses them."""
    if os.name == "posix":
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


def _named(folder: Path) -> set[str]:
    """The files that the card in a folder names, if there is one that is whole."""
    try:
        return {entry["file"] for entry in _card(folder)["files"].values()}
    except ModelError:
        return set()


def _remove(folder: Path, before: set[str], named: set[str]) -> None:
    """Remove what the model before named, and what a model left here whose writing was stopped."""
    known = {match["name"] for name in before | named if (match := _NAME.fullmatch(name))}
    for path in folder.iterdir():
        match = _NAME.fullmatch(path.name)
        if path.name in named or match is None or not path.is_file():
            continue
        if path.name in before or (match["version"] and match["name"] in known):
            path.unlink(missing_ok=True)
