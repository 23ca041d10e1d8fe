"""Annotations on disk: the same answer, read instead of computed."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings

from laconic.annotate.annotator import Annotator
from laconic.annotate.cache import AnnotationCache
from laconic.annotate.network import Network
from laconic.errors import LaconicError
from laconic.sentence import Sentence
from tests.strategies import sentences

TEXTS = ["Stocks fell.", "Bonds  rose again.", "", "Stocks  fell .", "-LRB- odd ( words \ud800 )"]


def rows(path: Path) -> int:
    database = sqlite3.connect(path)
    try:
        [(count,)] = database.execute("select count(*) from annotations")
    finally:
        database.close()
    return count


@pytest.mark.parametrize("threads", [1, 3])
def test_the_second_run_reads(
    network: Network, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, threads: int
) -> None:
    path = tmp_path / "deep" / "cache.sqlite"
    annotator = Annotator(network, threads=threads)
    expected = list(annotator.annotate(TEXTS))
    assert list(annotator.annotate(TEXTS, cache=path)) == expected
    assert rows(path) == 4  # the same words, differently spaced, are one entry

    def refuse(*_: object) -> None:
        raise AssertionError("the network was asked again")

    monkeypatch.setattr(Network, "read", refuse)
    assert list(annotator.annotate(TEXTS, cache=path)) == expected
    with pytest.raises(AssertionError, match="asked again"):
        list(annotator.annotate(["Something new."], cache=path))


def test_what_was_done_before_an_interruption_stays(network: Network, tmp_path: Path) -> None:
    path = tmp_path / "cache.sqlite"

    def interrupted():
        yield "Stocks fell."
        yield "Bonds rose."
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        list(Annotator(network, threads=1).annotate(interrupted(), cache=path))
    assert rows(path) == 2


def test_two_may_write_at_once(network: Network, annotator: Annotator, tmp_path: Path) -> None:
    path = tmp_path / "cache.sqlite"
    streams = [annotator.annotate([f"Stocks fell {word}.", "So."], cache=path) for word in ("again", "today")]
    found = [sentence.text for _ in range(2) for stream in streams for sentence in [next(stream)]]
    assert [list(stream) for stream in streams] == [[], []]
    assert (found[:2], rows(path)) == (["Stocks fell again.", "Stocks fell today."], 3)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=40)
@given(sentence=sentences())
def test_any_annotation_comes_back(tmp_path: Path, sentence: Sentence) -> None:
    bare = Sentence(sentence.words, sentence.spaces, sentence.lead)
    path = tmp_path / "any.sqlite"
    path.unlink(missing_ok=True)
    with AnnotationCache(path, model="m") as cache:
        assert cache.find(bare) is None
        cache.add(sentence)
        assert cache.find(bare) == sentence
    with AnnotationCache(path, model="m") as cache:
        assert cache.find(bare) == sentence
    with AnnotationCache(path, model="another") as cache:
        assert cache.find(bare) is None


def test_words_are_told_apart_by_their_cuts(tmp_path: Path) -> None:
    with AnnotationCache(tmp_path / "cuts.sqlite", model="m") as cache:
        cache.add(Sentence.from_words(["a\0b"]).annotated(tags=["X"]))
        assert cache.find(Sentence.from_words(["a", "b"])) is None


def test_many_annotations_are_written_as_they_come(tmp_path: Path) -> None:
    path = tmp_path / "many.sqlite"
    with AnnotationCache(path, model="m") as cache:
        for number in range(600):
            cache.add(Sentence.from_words([str(number)]).annotated(tags=["CD"]))
        assert 500 <= rows(path) <= 600
    assert rows(path) == 600


def test_a_file_that_is_no_cache_is_named(annotator: Annotator, tmp_path: Path) -> None:
    path = tmp_path / "notes.txt"
    path.write_text("These are my notes.\n" * 100)
    with pytest.raises(LaconicError, match=r"notes\.txt: cannot be used to cache annotations"):
        list(annotator.annotate(TEXTS, cache=path))
    assert path.read_text().startswith("These are my notes.")
    with pytest.raises(LaconicError, match="cannot be used to cache"):
        list(annotator.annotate(TEXTS, cache=tmp_path))
    with pytest.raises(LaconicError, match="cannot be used to cache"):
        list(annotator.annotate(TEXTS, cache=path / "below"))


def test_a_cache_without_our_mark_goes_on(annotator: Annotator, tmp_path: Path) -> None:
    path = tmp_path / "cache.sqlite"
    expected = list(annotator.annotate(TEXTS[:1], cache=path))
    database = sqlite3.connect(path)
    database.execute("pragma application_id = 0")
    database.close()
    assert list(annotator.annotate(TEXTS[:1], cache=path)) == expected
    assert rows(path) == 1


def test_a_database_of_another_program_is_left_alone(annotator: Annotator, tmp_path: Path) -> None:
    for statement in ("create table addresses (name text)", "pragma application_id = 7"):
        path = tmp_path / f"{len(statement)}.sqlite"
        database = sqlite3.connect(path)
        database.execute(statement)
        database.close()
        content = path.read_bytes()
        for damaged in (content, content[:2000]):
            path.write_bytes(damaged)
            with pytest.raises(LaconicError, match="cannot be used to cache"):
                list(annotator.annotate(TEXTS, cache=path))
            assert path.read_bytes() == damaged
    assert len(list(tmp_path.iterdir())) == 2


@pytest.mark.parametrize("whole", [80, 600, 4000, 4096, 6000, 8192])
@pytest.mark.parametrize("rest", [b"", b"\xff"])
def test_a_damaged_cache_is_set_aside(
    annotator: Annotator, tmp_path: Path, capsys: pytest.CaptureFixture[str], whole: int, rest: bytes
) -> None:
    path = tmp_path / "cache.sqlite"
    expected = list(annotator.annotate(TEXTS, cache=path))
    content = path.read_bytes()
    path.write_bytes(content[:whole] + rest * (len(content) - whole))
    damaged = path.read_bytes()
    assert list(annotator.annotate(TEXTS, cache=path)) == expected
    assert rows(path) == 4
    assert capsys.readouterr().err == f"laconic: {path}: damaged, set aside as cache.sqlite.damaged\n"
    aside = tmp_path / "cache.sqlite.damaged"
    assert aside.read_bytes() == damaged
    aside.write_text("notes of somebody's")
    path.write_bytes(damaged)
    with pytest.raises(LaconicError, match="cannot be used to cache"):
        list(annotator.annotate(TEXTS, cache=path))
    assert (path.read_bytes(), aside.read_text()) == (damaged, "notes of somebody's")


@pytest.mark.parametrize(
    "parts", ["{", "[]", "7", '{"tags": ["X"]}', '{"heads": [5, 5, 5]}', b"\xff", b"", None]
)
def test_a_damaged_entry_is_annotated_anew(
    annotator: Annotator, tmp_path: Path, parts: str | bytes | None
) -> None:
    path = tmp_path / "cache.sqlite"
    expected = list(annotator.annotate(["Stocks fell."], cache=path))

    def stored() -> list[tuple[object]]:
        database = sqlite3.connect(path)
        found = database.execute("select parts from annotations").fetchall()
        database.close()
        return found

    whole = stored()
    database = sqlite3.connect(path)
    with database:
        database.execute("update annotations set parts = ?", (parts,))
    database.close()
    assert list(annotator.annotate(["Stocks fell."], cache=path)) == expected
    assert stored() == whole
