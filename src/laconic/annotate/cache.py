"""Annotations kept in a file by what they annotate, so that a corpus is parsed once."""

from __future__ import annotations

import hashlib
import json
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType

from laconic.errors import FormatError, LaconicError
from laconic.formats.jsonl import sentence_from_json, sentence_to_json
from laconic.sentence import Sentence

_PARTS = ("tags", "tree", "heads", "relations")
_TOGETHER = 256  # annotations written at once: few enough to lose, and the file is locked only while writing


class AnnotationCache:
    """An SQLite file from the hash of (model, words) to the annotation; safe against being stopped half-way."""

    def __init__(self, path: Path, *, model: str) -> None:
        self._path, self._model = path, model
        self._unwritten: dict[str, str] = {}
        with self._blaming_the_file():
            path.parent.mkdir(parents=True, exist_ok=True)
            self._database = sqlite3.connect(path, timeout=60.0)
        try:
            with self._blaming_the_file(), self._database:
                self._database.execute(
                    "create table if not exists annotations (key text primary key, parts text)"
                )
        except LaconicError:
            self._database.close()
            raise

    def __enter__(self) -> AnnotationCache:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        # What was annotated before a fault or an interruption is worth keeping too.
        try:
            self._write()
        finally:
            self._database.close()

    def find(self, sentence: Sentence) -> Sentence | None:
        """The sentence with its annotation, if it is known."""
        key = self._key(sentence)
        parts = self._unwritten.get(key)
        if parts is None:
            with self._blaming_the_file():
                row = self._database.execute("select parts from annotations where key = ?", (key,)).fetchone()
            if row is None:
                return None
            parts = row[0]
        try:
            return sentence_from_json(sentence_to_json(sentence) | json.loads(parts))
        except (ValueError, TypeError) as error:
            raise FormatError(
                f"damaged annotation ({error}); delete the file", source=str(self._path)
            ) from None

    def add(self, sentence: Sentence) -> None:
        """Remember an annotated sentence."""
        whole = sentence_to_json(sentence)
        parts = {part: whole[part] for part in _PARTS if part in whole}
        self._unwritten[self._key(sentence)] = json.dumps(parts)
        if len(self._unwritten) >= _TOGETHER:
            self._write()

    def _write(self) -> None:
        with self._blaming_the_file(), self._database:
            self._database.executemany(
                "insert or replace into annotations values (?, ?)", self._unwritten.items()
            )
        self._unwritten.clear()

    @contextmanager
    def _blaming_the_file(self) -> Iterator[None]:
        try:
            yield
        except (sqlite3.Error, OSError) as error:
            raise LaconicError(
                f"{self._path}: cannot be used to cache annotations ({error}); name another file or delete it"
            ) from None

    def _key(self, sentence: Sentence) -> str:
        content = json.dumps([self._model, *sentence.words])
        return hashlib.sha256(content.encode()).hexdigest()
