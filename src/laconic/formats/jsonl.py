"""JSON Lines: sentences, compressions and shortened texts to and from JSON, and streams of records, one a line."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any, TypeVar

from laconic.compressed_text import CompressedText, Piece
from laconic.compression import Compression
from laconic.errors import FormatError, LaconicError
from laconic.files import read_lines, write_whole
from laconic.formats import OnError
from laconic.formats.penn import format_tree, parse_tree
from laconic.sentence import Sentence
from laconic.text.detokenise import Repair
from laconic.trees.constituency import Tree

Value = TypeVar("Value")

_SURROGATE = re.compile("[\ud800-\udfff]")
_WHITE_SPACE = re.compile(r"\s")
_NAME = re.compile(r'[ \t\n\r,]*"')
_COLON = re.compile(r"[ \t\n\r]*:[ \t\n\r]*")


def sentence_to_json(sentence: Sentence) -> dict[str, Any]:
    """The sentence as a JSON object; annotation that is absent is left out.

    >>> sentence_to_json(Sentence.from_words(["Stop", "it"]))
    {'words': ['Stop', 'it'], 'spaces': [' ', '']}
    """
    record: dict[str, Any] = {"words": list(sentence.words), "spaces": list(sentence.spaces)}
    if sentence.lead:
        record["lead"] = sentence.lead
    if sentence.tree is not None:
        record["tree"] = _tree_to_json(sentence.tree)
    for name in ("tags", "heads", "relations"):
        values = getattr(sentence, name)
        if values is not None:
            record[name] = list(values)
    return record


def sentence_from_json(record: Mapping[str, Any]) -> Sentence:
    """The sentence of a JSON object; without `spaces`, one space stands between words."""
    words = _list_of(record, "words", str)
    if words is None:
        raise LaconicError(f"a sentence in JSON needs 'words'; found {sorted(record)}")
    spaces = _list_of(record, "spaces", str)
    lead = record.get("lead", "")
    tree = record.get("tree")
    for name, value in (("lead", lead), ("tree", tree)):
        if value is not None and not isinstance(value, str):
            raise LaconicError(f"{name!r} of a sentence must be a string, not {value!r:.40}")
    return Sentence(
        words=words,
        spaces=Sentence.from_words(words).spaces if spaces is None else spaces,
        lead=lead or "",
        tags=_list_of(record, "tags", str),
        tree=None if tree is None else _tree_from_json(tree, words),
        heads=_list_of(record, "heads", int),
        relations=_list_of(record, "relations", str),
    )


def compression_to_json(compression: Compression) -> dict[str, Any]:
    """The compression as a JSON object, from which `compression_from_json` makes it again; but for its derivation.

    `source` is the text of its sentence, which stands beside it with all that is known of it.
    """
    record: dict[str, Any] = {
        "source": compression.sentence.text,
        "text": compression.text,
        "words": list(compression.words),
        "kept": None if compression.kept is None else list(compression.kept),
        "score": _score_to_json(compression.score),
        "repairs": [asdict(repair) for repair in compression.repairs],
        "notes": list(compression.notes),
    }
    if compression.tree is not None:
        record["tree"] = _tree_to_json(compression.tree)
    if compression.heads is not None:
        record["heads"] = list(compression.heads)
    record["sentence"] = sentence_to_json(compression.sentence)
    return record


def compression_from_json(record: Mapping[str, Any]) -> Compression:
    """The compression of a JSON object that `compression_to_json` made."""
    sentence = record.get("sentence")
    text, tree = record.get("text"), record.get("tree")
    words = _list_of(record, "words", str)
    if not isinstance(sentence, Mapping) or not isinstance(text, str) or words is None:
        raise LaconicError(
            f"a compression in JSON needs 'sentence', 'text' and 'words'; found {sorted(record)}"
        )
    repairs = record.get("repairs") or []
    if not isinstance(repairs, list) or any(not isinstance(each, Mapping) for each in repairs):
        raise LaconicError(f"'repairs' of a compression must be a list of objects, not {repairs!r:.40}")
    try:
        mended = tuple(Repair(each["kind"], each["where"], each["what"]) for each in repairs)
    except KeyError as missing:
        raise LaconicError(f"a repair in JSON needs {missing}") from None
    return Compression(
        sentence_from_json(sentence),
        _list_of(record, "kept", int),
        words,
        text,
        mended,
        _score_from_json(record.get("score")),
        None if tree is None else _tree_from_json(tree, words),
        _list_of(record, "heads", int),
        notes=_list_of(record, "notes", str) or (),
    )


def text_to_json(answer: CompressedText) -> dict[str, Any]:
    """A shortened text as a JSON object, from which `text_from_json` makes it again."""
    return {
        "source": answer.source,
        "text": answer.text,
        "notes": list(answer.notes),
        "unmet": list(answer.unmet),
        "pieces": [
            {"source": piece.source, "text": piece.text}
            | ({} if piece.counted is None else {"counted": piece.counted})
            if not piece.is_sentence
            else {
                "source": piece.source,
                "text": piece.text,
                "compression": piece.compression and compression_to_json(piece.compression),
            }
            for piece in answer.pieces
        ],
    }


def text_from_json(record: Mapping[str, Any]) -> CompressedText:
    """The shortened text of a JSON object that `text_to_json` made."""
    pieces = record.get("pieces")
    if not isinstance(pieces, list):
        raise LaconicError(f"a shortened text in JSON needs 'pieces'; found {sorted(record)}")
    return CompressedText(tuple(map(_piece_from_json, pieces)), _list_of(record, "unmet", str) or ())


def _piece_from_json(record: Any) -> Piece:
    strings = [record.get(name) if isinstance(record, Mapping) else None for name in ("source", "text")]
    if not all(isinstance(each, str) for each in strings):
        raise LaconicError(f"a piece of a shortened text needs 'source' and 'text', not {record!r:.40}")
    compression, counted = record.get("compression"), record.get("counted")
    if not isinstance(counted, str | None):
        raise LaconicError(f"'counted' of a piece must be a text, not {counted!r:.40}")
    found = None if compression is None else compression_from_json(compression)
    return Piece(record["source"], record["text"], "compression" in record, found, counted)


def _score_to_json(score: float | None) -> float | str | None:
    return score if score is None or math.isfinite(score) else str(score)  # which JSON has no number for


def _score_from_json(score: object) -> float | None:
    if score in ("inf", "-inf", "nan"):
        return float(str(score))
    if score is not None and (not isinstance(score, int | float) or isinstance(score, bool)):
        raise LaconicError(f"'score' of a compression must be a number, not {score!r:.40}")
    return score


def format_line(record: Mapping[str, Any]) -> str:
    """One JSON object on one line, without its end; a lone surrogate, which UTF-8 cannot hold, is escaped."""
    return _value_to_json(record)


def _value_to_json(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False, allow_nan=False)
    return _SURROGATE.sub(lambda match: f"\\u{ord(match[0]):04x}", text)


@dataclass(frozen=True, slots=True)
class Record:
    """A JSON object as it was written, and the fields that it has; what of it is not changed is not written anew."""

    source: str
    fields: Mapping[str, Any]

    @classmethod
    def of(cls, source: str) -> Record:
        """The record of a line, whose numbers may be larger than any that can be reckoned with."""
        return cls(source, _object_of(source, parse_int=float))

    def with_fields(self, changed: Mapping[str, Any]) -> str:
        """The line with other values of fields, and those that it does not have behind its last.

        >>> Record.of('{"x": 1e400, "body": "It fell."}').with_fields({"body": "Fell.", "words": 1})
        '{"x": 1e400, "body": "Fell.", "words": 1}'
        """
        written, position = "", 0
        for name, start, end in _places_of_values(self.source):
            if name in changed:
                written += self.source[position:start] + _value_to_json(changed[name])
                position = end
        rest = self.source[position:]
        added = {name: value for name, value in changed.items() if name not in self.fields}
        if not added:
            return written + rest
        last = rest.rindex("}")
        comma = ", " if self.fields else ""
        return f"{written}{rest[:last].rstrip()}{comma}{format_line(added)[1:-1]}{rest[last:]}"


def _places_of_values(source: str) -> Iterator[tuple[str, int, int]]:
    """The names of the fields of an object, and where their values start and end in it."""
    decoder, position = json.JSONDecoder(parse_int=float), source.index("{") + 1
    while name := _NAME.match(source, position):
        key, end = decoder.raw_decode(source, name.end() - 1)
        start = _COLON.match(source, end).end()  # type: ignore[union-attr]
        _, position = decoder.raw_decode(source, start)
        yield key, start, position


def read_json_lines(path: Path, *, on_error: OnError = None) -> Iterator[dict[str, Any]]:
    """Stream the objects of a JSON Lines file, plain or gzip; a broken line raises, or goes to `on_error`."""
    return convert_json_lines(path, lambda _, record: record, on_error=on_error)


def read_sentences(path: Path, *, on_error: OnError = None) -> Iterator[Sentence]:
    """Stream the sentences of a JSON Lines file; a broken one raises, or goes to `on_error`."""
    return convert_json_lines(path, lambda _, record: sentence_from_json(record), on_error=on_error)


def convert_json_lines(
    path: Path, convert: Callable[[int, dict[str, Any]], Value | None], *, on_error: OnError = None
) -> Iterator[Value]:
    """Stream what `convert` makes of (line number, object) on each line that is not blank; None is left out.

    A LaconicError that it raises becomes an error that names the line.
    """
    for number, line in read_lines(path):
        if not line.strip():
            continue
        try:
            value = convert(number, _object_of(line))
        except LaconicError as mistake:
            error = FormatError(str(mistake), source=str(path), line=number)
            if on_error is None:
                raise error from None
            on_error(error)
            continue
        if value is not None:
            yield value


def _object_of(line: str, *, parse_int: Callable[[str], float] = int) -> dict[str, Any]:
    try:
        record = json.loads(line, parse_int=parse_int)
    except (ValueError, RecursionError) as problem:
        raise LaconicError(f"not JSON ({problem})") from None
    if not isinstance(record, dict):
        raise LaconicError(f"expected a JSON object, not {line!r:.40}")
    return record


def write_json_lines(path: Path, records: Iterable[Mapping[str, Any]]) -> None:
    """Write objects to a file, one a line."""
    with write_whole(path) as stream:
        for record in records:
            stream.write(format_line(record).encode() + b"\n")


def _tree_to_json(tree: Tree) -> str:
    # The words stand beside the tree and win over those in it, so a word with white space may lose it here.
    return format_tree(replace(tree, words=tuple(_WHITE_SPACE.sub("_", word) for word in tree.words)))


def _tree_from_json(text: str, words: tuple[str, ...]) -> Tree:
    tree = parse_tree(text)
    if len(tree.words) != len(words):
        raise LaconicError(f"the tree of a sentence has {len(tree.words)} words, the sentence {len(words)}")
    return replace(tree, words=words)


def _list_of(record: Mapping[str, Any], name: str, kind: type) -> tuple[Any, ...] | None:
    """The values of a list in a JSON object, all of one type; None if it is absent or null."""
    values = record.get(name)
    if values is None:
        return None
    if not isinstance(values, list) or any(type(value) is not kind for value in values):
        raise LaconicError(f"{name!r} of a sentence must be a list of {kind.__name__}, not {values!r:.40}")
    return tuple(values)
