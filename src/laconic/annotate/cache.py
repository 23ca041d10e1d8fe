"""Annotations kept in a file by what they annotate, so that a corpus is parsed once."""

from __future__ import annotations

import hashlib
import json
import sqlite3
from pathlib import Path
from types import TracebackType

from laconic.errors import FormatError, LaconicError
from laconic.formats.jsonl import sentence_from_json, sentence_to_json
from laconic.sentence import Sentence

_PARTS = ("tags", "tree", "heads", "relations")


class AnnotationCache:
    """An SQLite file from the hash of (model, words) to the annotation; safe against being stopped half-way."""

    def __init__(self, path: Path, *, model: str) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        self._path, self._model = path, model
        try:
            self._database = sqlite3.connect(path)
            self._database.execute(
                "create table if not exists annotations (key text primary key, parts text)"
            )
        except sqlite3.Error as error:
            raise LaconicError(f"{path}: no annotation cache ({error})") from None

    def __enter__(self) -> AnnotationCache:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        # What was annotated before a fault or an interruption is worth keeping too.
        self._database.commit()
        self._database.close()

    def find(self, sentence: Sentence) -> Sentence | None:
        """The sentence with its annotation, if it is known."""
        row = self._database.execute(
            "select parts from annotations where key = ?", (self._key(sentence),)
        ).fetchone()
        if row is None:
            return None
        try:
            return sentence_from_json(sentence_to_json(sentence) | json.loads(row[0]))
        except ValueError as error:
            raise FormatError(
                f"damaged annotation ({error}); delete the file", source=str(self._path)
            ) from None

    def add(self, sentence: Sentence) -> Sentence:
        """Remember an annotated sentence, and return it."""
        whole = sentence_to_json(sentence)
        parts = json.dumps({part: whole[part] for part in _PARTS if part in whole})
        self._database.execute(
            "insert or replace into annotations values (?, ?)", (self._key(sentence), parts)
        )
        return sentence

    def _key(self, sentence: Sentence) -> str:
        content = "\0".join((self._model, *sentence.words))
        return hashlib.sha256(content.encode("utf-8", "surrogatepass")).hexdigest()
