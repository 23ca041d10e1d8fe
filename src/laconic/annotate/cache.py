"""Annotations kept in a file by what they annotate, so that a corpus is parsed once."""

from __future__ import annotations

import hashlib
import json
import sqlite3
import sys
from collections.abc import Callable
from pathlib import Path
from types import TracebackType
from typing import TypeVar

from laconic.errors import LaconicError
from laconic.formats.jsonl import sentence_from_json, sentence_to_json
from laconic.sentence import Sentence

_PARTS = ("tags", "tree", "heads", "relations")
_TOGETHER = 256  # annotations written at once: few enough to lose, and the file is locked only while writing
_APPLICATION = int.from_bytes(
    b"laco", "big"
)  # in the header of the file, by which a damaged one is known, too
_DAMAGES = (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB)

Found = TypeVar("Found")


class AnnotationCache:
    """An SQLite file from the hash of (model, words) to the annotation; safe against being stopped half-way.

    A damaged one is set aside, and a new one begun; what is no such file is an error and stays as it is.
    """

    def __init__(self, path: Path, *, model: str) -> None:
        self._path, self._model = path, model
        self._unwritten: dict[str, str] = {}
        self._database: sqlite3.Connection | None = None
        self._ask(lambda _: None)

    def __enter__(self) -> AnnotationCache:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        # What was annotated before a fault or an interruption is worth keeping too.
        try:
            self._write()
        finally:
            self._close()

    def find(self, sentence: Sentence) -> Sentence | None:
        """The sentence with its annotation, if it is known; one that is damaged is not."""
        key = self._key(sentence)
        parts = self._unwritten.get(key)
        if parts is None:
            query = "select cast(parts as blob) from annotations where key = ?"  # which need not be UTF-8
            row = self._ask(lambda database: database.execute(query, (key,)).fetchone())
            if row is None:
                return None
            parts = row[0]
        try:
            return sentence_from_json(sentence_to_json(sentence) | json.loads(parts))
        except (ValueError, TypeError, RecursionError):
            return None

    def add(self, sentence: Sentence) -> None:
        """Remember an annotated sentence."""
        whole = sentence_to_json(sentence)
        parts = {part: whole[part] for part in _PARTS if part in whole}
        self._unwritten[self._key(sentence)] = json.dumps(parts)
        if len(self._unwritten) >= _TOGETHER:
            self._write()

    def _write(self) -> None:
        def write(database: sqlite3.Connection) -> None:
            with database:
                database.executemany(
                    "insert or replace into annotations values (?, ?)", self._unwritten.items()
                )

        self._ask(write)
        self._unwritten.clear()

    def _ask(self, question: Callable[[sqlite3.Connection], Found]) -> Found:
        """What the file answers, or a new one in the place of a damaged one."""
        try:
            try:
                return question(self._opened())
            except sqlite3.DatabaseError as error:
                if getattr(error, "sqlite_errorcode", 0) & 0xFF not in _DAMAGES or not self._set_aside():
                    raise
                return question(self._opened())
        except (sqlite3.Error, OSError) as error:
            self._close()
            raise LaconicError(
                f"{self._path}: cannot be used to cache annotations ({error}); name another file or delete it"
            ) from None

    def _opened(self) -> sqlite3.Connection:
        if self._database is None:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            self._database = sqlite3.connect(self._path, timeout=60.0)
            [(application,)] = self._database.execute("pragma application_id")
            if application != _APPLICATION:
                others = self._database.execute("select 1 from sqlite_master where tbl_name != 'annotations'")
                if application or others.fetchall():
                    raise sqlite3.DatabaseError("a database of another program")
                self._database.execute(f"pragma application_id = {_APPLICATION}")
            self._database.execute(
                "create table if not exists annotations (key text primary key, parts text)"
            )
        return self._database

    def _close(self) -> None:
        if self._database is not None:
            self._database.close()
            self._database = None

    def _set_aside(self) -> bool:
        """Rename a damaged file and its journal; whether it was a cache, and nothing else is overwritten."""
        self._close()
        aside = self._path.with_name(f"{self._path.name}.damaged")
        if not _is_cache(self._path) or (aside.exists() and not _is_cache(aside)):
            return False
        for ending in ("-journal", ""):
            file = self._path.with_name(f"{self._path.name}{ending}")
            if file.exists():
                file.replace(f"{aside}{ending}")
        if sys.stderr is not None:
            print(f"laconic: {self._path}: damaged, set aside as {aside.name}", file=sys.stderr, flush=True)
        return True

    def _key(self, sentence: Sentence) -> str:
        content = json.dumps([self._model, *sentence.words])
        return hashlib.sha256(content.encode()).hexdigest()


def _is_cache(path: Path) -> bool:
    """Whether the header is that of a cache, whatever follows."""
    with path.open("rb") as stream:
        header = stream.read(72)
    return header.startswith(b"SQLite format 3\0") and header[68:] == _APPLICATION.to_bytes(4, "big")
