"""Model folders give back what was written, are replaced whole or not at all, and notice every change."""

from __future__ import annotations

import errno
import gzip
import json
import os
import subprocess
import sys
import tracemalloc
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays_of

from laconic.errors import ModelError
from laconic.storage import Content, add_to_card, checksum_of, kind_of, open_model, seal_card, write_model
from tests.storage.crafting import content_of, craft

lines = st.lists(st.text(st.characters(exclude_characters="\n", exclude_categories=("Cs",))), max_size=5)  # type: ignore[arg-type]
numbers = st.one_of(  # type: ignore[call-overload]
    arrays_of.arrays(dtype, arrays_of.array_shapes(min_dims=1, max_dims=3, min_side=0, max_side=4))
    for dtype in (np.uint8, np.int32, np.int64, np.uint32, np.float16, np.float64)
)
json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=5,
)
OLD = Content({"age": "old"}, lines={"words": ["a", "b"], "tags": ["x"]})
NEW = Content({"age": "new"}, {"weights": np.arange(3)}, {"words": ["c"]})


def read(folder: Path, kind: str = "toy") -> Content:
    with open_model(folder, kind) as stored:
        return content_of(stored)


def same(one: Content, other: Content) -> bool:
    return (
        dict(one.settings) == dict(other.settings)
        and dict(one.lines) == dict(other.lines)
        and one.arrays.keys() == other.arrays.keys()
        and all(np.array_equal(one.arrays[name], other.arrays[name]) for name in one.arrays)
    )


@given(
    settings=st.dictionaries(st.text(max_size=5), json_values, max_size=3),
    array=numbers,
    text=lines,
)
@settings(max_examples=50, deadline=None)
def test_what_is_written_is_read(
    settings: dict[str, Any], array: np.ndarray, text: list[str], tmp_path_factory: pytest.TempPathFactory
) -> None:
    folder = tmp_path_factory.mktemp("model")
    write_model(folder, "toy", Content(settings, {"numbers": array}, {"text": text}))
    assert kind_of(folder) == "toy"
    found = read(folder)
    assert found.settings == settings and found.lines == {"text": text}
    again = found.arrays["numbers"]
    assert again.dtype == array.dtype and again.shape == array.shape and again.tobytes() == array.tobytes()
    assert not again.flags.writeable


def test_parts_lie_within_a_larger_content(tmp_path: Path) -> None:
    write_model(tmp_path, "toy", Content({"own": 1}) | NEW.within("inner") | OLD.within("other"))
    with open_model(tmp_path, "toy") as stored:
        assert stored.whole("own", low=1, high=1) == 1
        inner = stored.within("inner")
        assert inner.choice("age", ("new",)) == "new"
        assert inner.lines_of("words") == ["c"]
        assert inner.array("weights", np.integer, (3,)).tolist() == [0, 1, 2]  # type: ignore[type-abstract]
        with pytest.raises(ModelError, match=r"`inner\.age` must be one of old, not 'new'"):
            inner.choice("age", ("old",))


def test_what_a_block_refuses_names_the_folder(tmp_path: Path) -> None:
    write_model(tmp_path, "toy", OLD)
    for error in (KeyError("x"), TypeError("x"), ValueError("x"), RecursionError(), OverflowError("x")):
        with pytest.raises(ModelError, match=str(tmp_path)), open_model(tmp_path, "toy"):
            raise error
    with pytest.raises(ZeroDivisionError), open_model(tmp_path, "toy"):
        raise ZeroDivisionError


def test_what_could_not_be_read_is_not_written(tmp_path: Path) -> None:
    for content in (
        Content({"nan": float("nan")}),
        Content({"set": {1}}),
        Content(lines={"words": ["a\nb"]}),
    ):
        with pytest.raises(ModelError):
            write_model(tmp_path, "toy", content)
    with pytest.raises(ValueError, match="Object arrays"):
        write_model(tmp_path, "toy", Content(arrays={"objects": np.array([{}])}))


def test_a_model_replaces_another_and_nothing_else(tmp_path: Path) -> None:
    for own in ("notes.txt", "tags-of-mine.txt.gz", "weights.npy.gz"):
        (tmp_path / own).write_text("mine")
    write_model(tmp_path, "toy", OLD)
    write_model(tmp_path, "toy", NEW)
    assert same(read(tmp_path), NEW)
    for own in ("notes.txt", "tags-of-mine.txt.gz", "weights.npy.gz"):
        assert (tmp_path / own).read_text() == "mine"
    assert len(list(tmp_path.iterdir())) == 3 + 3  # the card, weights and words


KILLED = """
import os, sys
from pathlib import Path
from laconic.storage import Content, write_model
folder, left = sys.argv[1], int(sys.argv[2])
def hook(event, arguments):
    global left
    if event in ("open", "os.rename", "os.remove") and str(arguments[0]).startswith(folder):
        left -= 1
        if left < 0:
            os._exit(9)
sys.addaudithook(hook)
write_model(Path(folder), "toy", Content({"age": "new"}, lines={"words": ["c"]}))
"""


def test_a_kill_at_any_moment_leaves_the_old_model_or_the_new_one(tmp_path: Path) -> None:
    outcomes = []
    for step in range(100):
        folder = tmp_path / str(step)
        write_model(folder, "toy", OLD)
        command = [sys.executable, "-c", KILLED, str(folder), str(step)]
        code = subprocess.run(command, cwd=Path(__file__).parents[2], check=False).returncode
        assert code in (0, 9)
        found = read(folder)
        assert same(found, OLD) or same(found, Content({"age": "new"}, lines={"words": ["c"]}))
        outcomes.append(found.settings["age"])
        # What was left is removed by the next that writes.
        write_model(folder, "toy", NEW)
        assert same(read(folder), NEW)
        if code == 0:
            break
    assert outcomes == sorted(outcomes, reverse=True) and len(set(outcomes)) == 2 and len(outcomes) > 5


@pytest.mark.parametrize("fault", [OSError(errno.ENOSPC, "No space left on device"), KeyboardInterrupt()])
def test_a_full_disk_or_an_interrupt_leaves_the_old_model(
    fault: BaseException, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_model(tmp_path, "toy", OLD)
    before = sorted(path.name for path in tmp_path.iterdir())
    sync = os.fsync
    for left in range(4):
        calls = iter(range(100))

        def failing(handle: int, left: int = left, calls: Any = calls) -> None:
            if next(calls) == left:
                raise fault
            sync(handle)

        with monkeypatch.context() as patched:
            patched.setattr(os, "fsync", failing)
            expected = ModelError if isinstance(fault, OSError) else KeyboardInterrupt
            with pytest.raises(expected, match="No space left" if isinstance(fault, OSError) else None):
                write_model(tmp_path, "toy", NEW)
        assert same(read(tmp_path), OLD)
        assert sorted(path.name for path in tmp_path.iterdir()) == before


def test_an_interrupt_after_the_card_leaves_the_new_model(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_model(tmp_path, "toy", OLD)
    replace = Path.replace

    def interrupted(self: Path, target: Path) -> None:
        replace(self, target)
        if target.name == "card.json":
            raise KeyboardInterrupt

    with monkeypatch.context() as patched, pytest.raises(KeyboardInterrupt):
        patched.setattr(Path, "replace", interrupted)
        write_model(tmp_path, "toy", NEW)
    assert same(read(tmp_path), NEW)


def test_a_damaged_model_is_mended_by_writing_it_again(tmp_path: Path) -> None:
    for content in (OLD, NEW, OLD, NEW):
        write_model(tmp_path, "toy", content)
        for path in tmp_path.glob("*.gz"):
            path.write_bytes(b"damaged")
        write_model(tmp_path, "toy", content)
        assert same(read(tmp_path), content)


def test_every_byte_of_a_file_counts(tmp_path: Path) -> None:
    """Also those that gzip does not read, such as the name of the system that compressed."""
    write_model(tmp_path, "toy", NEW)
    for path in sorted(tmp_path.glob("*.gz")):
        content = path.read_bytes()
        for place in range(len(content)):
            path.write_bytes(content[:place] + bytes([content[place] ^ 1]) + content[place + 1 :])
            with pytest.raises(ModelError, match=f"{path.name}: damaged, its checksum is not the card's"):
                read(tmp_path)
        path.write_bytes(content)
    assert same(read(tmp_path), NEW)


def test_a_card_says_more_and_cannot_be_changed_unseen(tmp_path: Path) -> None:
    write_model(tmp_path, "toy", OLD)
    checksum = checksum_of(tmp_path)
    add_to_card(tmp_path, {"licence": "free", "kind": "other", "settings": {}})
    path = tmp_path / "card.json"
    card = json.loads(path.read_text())
    assert (card["licence"], card["kind"], card["settings"]) == ("free", "toy", {"age": "old"})
    assert same(read(tmp_path), OLD)
    path.write_text(path.read_text().replace("free", "none"))
    with pytest.raises(ModelError, match="not what its checksum says"):
        read(tmp_path)
    seal_card(tmp_path)
    assert same(read(tmp_path), OLD) and json.loads(path.read_text())["licence"] == "none"
    assert checksum_of(tmp_path) == checksum  # is the model's, whatever its card says
    write_model(tmp_path, "toy", NEW)
    assert checksum_of(tmp_path) != checksum


def recarded(folder: Path, change: dict[str, Any]) -> None:
    """Write another card with a right checksum."""
    path = folder / "card.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | change))
    seal_card(folder)


@pytest.mark.parametrize(
    "change",
    [
        {"kind": 3},
        {"settings": []},
        {"files": []},
        {"files": {"a.txt": "a.txt"}},
        {"files": {"a.txt": {"file": "../a.txt", "bytes": 1, "sha256": ""}}},
        {"files": {"a.txt": {"file": "/etc/passwd", "bytes": 1, "sha256": ""}}},
        {"files": {"a.txt": {"file": "a.npy", "bytes": 1 << 40, "sha256": ""}}},
        {"files": {"a.txt": {"file": "a.txt.gz", "bytes": 1, "holds": 1 << 40, "sha256": ""}}},
        {"files": {"a.txt": {"file": "a.txt.gz", "bytes": 1, "sha256": ""}}},
        {"files": {"a.txt": {"file": "a.txt", "bytes": True, "sha256": ""}}},
        {"files": {f"{n}.txt": {"file": f"{n}.txt", "bytes": 0, "sha256": ""} for n in range(1000)}},
        {"files": {part: {"file": "a.txt", "bytes": 0, "sha256": ""} for part in ("a.txt", "b.txt")}},
    ],
)
def test_cards_that_mean_no_good_are_refused(tmp_path: Path, change: dict[str, Any]) -> None:
    write_model(tmp_path, "toy", OLD)
    with pytest.raises(ModelError):
        recarded(tmp_path, change)


def bomb(folder: Path, part: str, raw: bytes, holds: int) -> None:
    """Let a part of a model be other bytes, compressed, under a right checksum."""
    card = json.loads((folder / "card.json").read_text())
    content = gzip.compress(raw)
    path = folder / card["files"][part]["file"]
    path.write_bytes(content)
    from hashlib import sha256

    entry = {"file": path.name, "bytes": len(content), "holds": holds, "sha256": sha256(content).hexdigest()}
    recarded(folder, {"files": card["files"] | {part: entry}})


def npy(header: str, content: bytes = b"") -> bytes:
    return b"\x93NUMPY\x01\x00" + len(header).to_bytes(2, "little") + header.encode() + content


@pytest.mark.parametrize(
    "raw",
    [
        b"no array",
        npy("{'descr': '<f8', 'fortran_order': False, 'shape': (1099511627776,), }"),
        npy("{'descr': '<f8', 'fortran_order': False, 'shape': (-1,), }"),
        npy("{'descr': '<f8', 'fortran_order': False, 'shape': (0, 1099511627776), }", b"12345678"),
        npy("{'descr': '|O', 'fortran_order': False, 'shape': (1,), }", b"cos\nsystem\n"),
        npy("{'descr': '>i8', 'fortran_order': False, 'shape': (3,), }", bytes(24)),
        npy("{'descr': [('a', '<i8')], 'fortran_order': False, 'shape': (3,), }", bytes(24)),
        npy("{'descr': '<i8', 'fortran_order': True, 'shape': (3,), }", bytes(24)),
        npy("{'descr': '<i8', 'fortran_order': False, 'shape': 3, }", bytes(24)),
        npy("(" * 900),
        npy("[" * 200 + "]" * 200),
        npy("print('executed')"),
        b"\x93NUMPY\x01\x00\xff\xff{",
        b"",
    ],
)
def test_arrays_are_what_their_headers_say(tmp_path: Path, raw: bytes) -> None:
    write_model(tmp_path, "toy", NEW)
    bomb(tmp_path, "weights.npy", raw, len(raw))
    with open_model(tmp_path, "toy") as stored, pytest.raises(ModelError, match="`weights` must be an array"):
        stored.array("weights", np.int64, (3,))


@pytest.mark.parametrize("holds", [0, 5, 1 << 20])
def test_nothing_expands_beyond_its_size(tmp_path: Path, holds: int) -> None:
    write_model(tmp_path, "toy", OLD)
    bomb(tmp_path, "words.txt", b"a\n" * 10_000_000, holds)
    tracemalloc.start()
    with open_model(tmp_path, "toy") as stored, pytest.raises(ModelError, match="does not expand to"):
        stored.lines_of("words")
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 4 << 20


@pytest.mark.parametrize("raw", [b"\n" * 5_000_000, b"\xff\n", b"a"])
def test_texts_are_lines(tmp_path: Path, raw: bytes) -> None:
    write_model(tmp_path, "toy", OLD)
    bomb(tmp_path, "words.txt", raw, len(raw))
    with open_model(tmp_path, "toy") as stored, pytest.raises(ModelError, match="`words` must be"):
        stored.lines_of("words")


def test_what_is_no_file_is_not_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for make in (Path.mkdir, os.mkfifo):
        folder = tmp_path / make.__name__
        for name in ("words.txt.gz", "card.json"):
            write_model(folder, "toy", OLD)
            (folder / name).unlink()
            make(folder / name)
            with pytest.raises(ModelError, match=f"{name}: not a file"):
                read(folder)
            (folder / name).rmdir() if make is Path.mkdir else (folder / name).unlink()
    write_model(tmp_path, "toy", OLD)

    def forbidden(*_: object, **__: object) -> None:
        raise PermissionError(errno.EACCES, "Permission denied")

    for method in ("open", "stat"):  # of a file, of a folder
        with monkeypatch.context() as patched:
            patched.setattr(Path, method, forbidden)
            with pytest.raises(ModelError, match=r"cannot be read \(Permission denied\)"):
                read(tmp_path)


def test_crafting_can_pass(tmp_path: Path) -> None:
    """The tests that craft content fail for what it is, not for how it was made."""
    write_model(tmp_path, "toy", NEW)
    craft(tmp_path, settings={"age": "newer"}, arrays={"weights": np.arange(4)})
    assert same(read(tmp_path), Content({"age": "newer"}, {"weights": np.arange(4)}, {"words": ["c"]}))
