"""CoNLL-U: streaming reader and writer that keep every column, and conversion to and from sentences.

What is read and written again is the same text, byte for byte: comments, multiword tokens (`1-2`), empty
nodes (`8.1`) and all ten columns stay strings. Only line ends become `\\n` and several blank lines between
sentences one. A broken sentence raises, or is reported and skipped; the next starts behind a blank line.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from laconic.errors import FormatError, LaconicError
from laconic.files import read_lines, write_whole
from laconic.formats import OnError
from laconic.sentence import Sentence
from laconic.trees.dependency import find_cycle

EMPTY = "_"
"""What a column holds that holds nothing."""

_WORD_ID = re.compile(r"[1-9][0-9]*")
_RANGE_ID = re.compile(r"([1-9][0-9]*)-([1-9][0-9]*)")
_NODE_ID = re.compile(r"(0|[1-9][0-9]*)\.([1-9][0-9]*)")
_SPACE_CODES = {" ": "\\s", "\t": "\\t", "\n": "\\n", "\r": "\\r", "|": "\\p", "\\": "\\\\"}
_SPACES = {code: space for space, code in _SPACE_CODES.items()}
_SPACE_CODE = re.compile(r"\\(?:[stnrp\\]|u[0-9A-Fa-f]{4})")


class ConlluRow(NamedTuple):
    """One line of a sentence: the ten columns as they stand in the file."""

    id: str
    form: str
    lemma: str = EMPTY
    upos: str = EMPTY
    xpos: str = EMPTY
    feats: str = EMPTY
    head: str = EMPTY
    deprel: str = EMPTY
    deps: str = EMPTY
    misc: str = EMPTY


@dataclass(frozen=True, slots=True)
class ConlluSentence:
    """Comment lines, with their `#`, and rows in the order of the file."""

    comments: tuple[str, ...]
    rows: tuple[ConlluRow, ...]

    @property
    def words(self) -> tuple[ConlluRow, ...]:
        """The rows of syntactic words: neither multiword tokens nor empty nodes."""
        return tuple(row for row in self.rows if row.id.isdigit())

    @property
    def metadata(self) -> dict[str, str]:
        """The comments of the form `# key = value`; of equal keys the last."""
        pairs = (comment[1:].partition("=") for comment in self.comments if "=" in comment)
        return {key.strip(): value.strip() for key, _, value in pairs}


def read_conllu(path: Path, *, on_error: OnError = None) -> Iterator[ConlluSentence]:
    """Stream the sentences of a CoNLL-U file, plain or gzip; a broken one raises, or goes to `on_error`."""
    yield from parse_conllu(read_lines(path), source=str(path), on_error=on_error)


def parse_conllu(
    lines: Iterable[tuple[int, str]], *, source: str | None, on_error: OnError = None
) -> Iterator[ConlluSentence]:
    """Stream the sentences in numbered lines; `source` names the lines' origin in errors."""
    block: list[tuple[int, str]] = []

    def finish() -> ConlluSentence | None:
        try:
            return _parse_block(block, source) if block else None
        except FormatError as error:
            if on_error is None:
                raise
            on_error(error)
            return None

    for number, line in lines:
        if line.strip():
            block.append((number, line))
            continue
        sentence = finish()
        block = []
        if sentence is not None:
            yield sentence
    sentence = finish()
    if sentence is not None:
        yield sentence


def format_conllu(sentence: ConlluSentence) -> str:
    """The lines of a sentence and the blank line behind it."""
    lines = [*sentence.comments, *("\t".join(row) for row in sentence.rows)]
    return "\n".join(lines) + "\n\n"


def write_conllu(path: Path, sentences: Iterable[ConlluSentence]) -> None:
    """Write sentences to a file."""
    with write_whole(path) as stream:
        for sentence in sentences:
            stream.write(format_conllu(sentence).encode())


def to_sentence(record: ConlluSentence) -> Sentence:
    """The words with the author's spacing, tags (XPOS), heads and relations.

    Spacing comes from `SpaceAfter=No`, `SpacesAfter` and `SpacesBefore`. The words of a multiword token
    are written together if they spell it ("do" + "n't"), else with a space between them. Nothing is
    taken to follow the last word unless the file says so. Columns that are empty throughout become None.
    """
    words = record.words
    before = [""] * len(words)
    after = [" "] * len(words)
    range_end = 0
    for row in record.rows:
        matched = _RANGE_ID.fullmatch(row.id)
        if matched:
            first, range_end = int(matched[1]), int(matched[2])
            spelled = "".join(word.form for word in words[first - 1 : range_end]) == row.form
            after[first - 1 : range_end - 1] = ["" if spelled else " "] * (range_end - first)
        elif row.id.isdigit() and int(row.id) > range_end:
            first = range_end = int(row.id)
        else:
            continue
        before[first - 1], after[range_end - 1] = _spaces_around(row.misc, last=range_end == len(words))
    return Sentence(
        words=tuple(row.form for row in words),
        spaces=tuple(map("".join, zip(after, [*before[1:], ""], strict=True))),
        lead=before[0],
        tags=_column([row.xpos for row in words]),
        heads=None if words[0].head == EMPTY else tuple(int(row.head) - 1 for row in words),
        relations=_column([row.deprel for row in words]),
    )


def from_sentence(sentence: Sentence, *, comments: Iterable[str] = ()) -> ConlluSentence:
    """The sentence as CoNLL-U: `to_sentence` gives it back, apart from its constituency tree.

    The given comments, each a line with its `#`, come before the `# text` comment.
    """
    if not sentence.words:
        raise LaconicError("CoNLL-U has no sentence without words")
    for text in (*sentence.words, *(sentence.tags or ()), *(sentence.relations or ()), *comments):
        if not text or any(character in text for character in "\t\n\r"):
            raise LaconicError(f"{text!r:.60} is empty or has a tab or line end, which CoNLL-U cannot hold")
    last = len(sentence.words) - 1
    rows = []
    for index, (word, space) in enumerate(zip(sentence.words, sentence.spaces, strict=True)):
        misc = []
        if index == 0 and sentence.lead:
            misc.append(f"SpacesBefore={_encode_spaces(sentence.lead)}")
        if space == "" and index != last:
            misc.append("SpaceAfter=No")
        elif space != ("" if index == last else " "):
            misc.append(f"SpacesAfter={_encode_spaces(space)}")
        rows.append(
            ConlluRow(
                id=str(index + 1),
                form=word,
                xpos=sentence.tags[index] if sentence.tags else EMPTY,
                head=str(sentence.heads[index] + 1) if sentence.heads else EMPTY,
                deprel=sentence.relations[index] if sentence.relations else EMPTY,
                misc="|".join(misc) or EMPTY,
            )
        )
    return ConlluSentence((*comments, f"# text = {' '.join(sentence.text.split())}"), tuple(rows))


def _column(values: list[str]) -> tuple[str, ...] | None:
    return None if all(value == EMPTY for value in values) else tuple(values)


def _spaces_around(misc: str, *, last: bool) -> tuple[str, str]:
    """The white space before and after a token, by the attributes of its last column."""
    attributes = dict(attribute.partition("=")[::2] for attribute in misc.split("|"))
    default = "" if last or attributes.get("SpaceAfter") == "No" else " "
    after = attributes.get("SpacesAfter")
    return _decode_spaces(attributes.get("SpacesBefore", "")), default if after is None else _decode_spaces(
        after
    )


def _decode_spaces(codes: str) -> str:
    return _SPACE_CODE.sub(lambda match: _SPACES.get(match[0]) or chr(int(match[0][2:], 16)), codes)


def _encode_spaces(spaces: str) -> str:
    return "".join(
        _SPACE_CODES.get(space) or (f"\\u{ord(space):04X}" if space.isspace() else space) for space in spaces
    )


def _parse_block(block: list[tuple[int, str]], source: str | None) -> ConlluSentence:
    """The sentence of consecutive lines that are not blank."""
    comments: list[str] = []
    rows: list[ConlluRow] = []
    words: list[ConlluRow] = []
    word_lines: list[int] = []
    range_end = 0
    node = 0  # the number of the last empty node behind the last word
    number = block[0][0]

    def fail(message: str, line: int) -> FormatError:
        return FormatError(message, source=source, line=line)

    for number, line in block:
        if line.startswith("#"):
            if rows:
                raise fail("a comment inside a sentence", number)
            comments.append(line)
            continue
        columns = line.split("\t")
        if len(columns) != len(ConlluRow._fields):
            raise fail(f"expected 10 columns between tabs, found {len(columns)}", number)
        if "" in columns:
            raise fail(f"column {ConlluRow._fields[columns.index('')].upper()} is empty (write _)", number)
        row = ConlluRow(*columns)
        rows.append(row)
        due = len(words) + 1
        if _WORD_ID.fullmatch(row.id):
            if int(row.id) != due:
                raise fail(f"expected word {due}, found id {row.id}", number)
            words.append(row)
            word_lines.append(number)
            node = 0
        elif matched := _RANGE_ID.fullmatch(row.id):
            if int(matched[1]) != due or int(matched[2]) <= due or due <= range_end:
                raise fail(f"a multiword token here starts at word {due} and is longer, not {row.id}", number)
            range_end = int(matched[2])
        elif matched := _NODE_ID.fullmatch(row.id):
            node += 1
            if (int(matched[1]), int(matched[2])) != (len(words), node):
                raise fail(f"expected empty node {len(words)}.{node}, found {row.id}", number)
        else:
            raise fail(
                f"id {row.id!r:.20} is neither a word (8), a range (8-9) nor an empty node (8.1)", number
            )
    if not words:
        raise fail("a sentence without words", block[0][0])
    if range_end > len(words):
        raise fail(f"a multiword token reaches to word {range_end} of {len(words)}", number)
    if any(row.head != EMPTY for row in words):
        _check_tree(words, word_lines, fail)
    return ConlluSentence(tuple(comments), tuple(rows))


def _check_tree(words: list[ConlluRow], lines: list[int], fail: Callable[[str, int], FormatError]) -> None:
    """Raise an error that names the line unless the HEAD column describes a tree with one root."""
    root = None
    for row, line in zip(words, lines, strict=True):
        if not row.head.isdecimal() or int(row.head) > len(words):
            raise fail(f"head {row.head!r:.20} of word {row.id} is not a number from 0 to {len(words)}", line)
        if row.head == "0":
            if root is not None:
                raise fail(f"word {row.id} is a second root, beside word {root}", line)
            root = row.id
    cycle = find_cycle([int(row.head) - 1 for row in words])
    if cycle:
        members = ", ".join(str(word + 1) for word in cycle[:10])
        raise fail(f"the heads of words {members} form a cycle", lines[cycle[0]])
