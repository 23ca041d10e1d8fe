"""Writing the kept words of a sentence as its author would have: spacing, quotes, punctuation, capital."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from typing import Literal

from laconic.sentence import Sentence
from laconic.text.articles import fitting_article

RepairKind = Literal[
    "capitalised",
    "fitted article",
    "removed leading punctuation",
    "removed doubled punctuation",
    "removed trailing punctuation",
    "removed unpaired mark",
    "removed empty pair",
]


@dataclass(frozen=True, slots=True)
class Repair:
    """Something deletion broke and detokenising mended.

    `where` is the index of the word in the source sentence, `what` the word as its author wrote it. A
    removed word no longer stands in the text, but still counts as kept; others stand in it in another form.
    """

    kind: RepairKind
    where: int
    what: str


Role = Literal["word", "open", "close", "separator", "dash", "terminal", "prefix", "suffix", "infix"]

_MARKS: dict[Role, str] = {
    "open": "( [ { “ ‘ « ‹ „ `` ` ¿ ¡ -LRB- -LSB- -LCB-",
    "close": ") ] } ” ’ » › '' -RRB- -RSB- -RCB-",
    "separator": ", ; :",
    "dash": "- -- --- – — ―",
    "terminal": ". ... …",
    "prefix": "$ £ € ¥ # @",
    "suffix": "% ‰ °",
}
_ROLES: dict[str, Role] = {mark: role for role, marks in _MARKS.items() for mark in marks.split()}
_CLITIC = re.compile(r"['’ʼ](?:s|m|d|ll|re|ve)", re.IGNORECASE)
_BRACKETS = {")": "(", "]": "[", "}": "{", "-RRB-": "-LRB-", "-RSB-": "-LSB-", "-RCB-": "-LCB-"}
_OPENERS = _BRACKETS | {"”": "“", "’": "‘", "»": "«", "›": "‹", "''": "``", '"': '"', "'": "'"}
_STRENGTH = {",": 0, ";": 1, ":": 2}  # of two separators that meet, the stronger stays; dashes are strongest
# Written small even where a sentence starts: names with figures or marks, addresses, the rest of "don't".
_STAYS_SMALL = re.compile(r".*[@#/\d]|.*\w\.\w\w|n['’ʼ]t", re.DOTALL)

_STOPS = frozenset([".", "?", "!"])
ARTICLES = frozenset(["a", "an", "A", "An", "AN"])

ATTACHES_LEFT = frozenset({"close", "separator", "dash", "terminal", "suffix", "infix"})
ATTACHES_RIGHT = frozenset({"open", "prefix", "dash", "infix"})


@lru_cache(maxsize=1024)
def layout(words: tuple[str, ...], spaces: tuple[str, ...]) -> tuple[tuple[Role, ...], frozenset[int]]:
    """The role of every token, and which of them are paired marks; both depend on the source alone."""
    roles: list[Role] = []
    straight_open = {"'": False, '"': False}
    for index, word in enumerate(words):
        role = _ROLES.get(word)
        if role is None:
            if word in straight_open:
                role = "close" if straight_open[word] else _straight_quote(index, words, spaces)
                straight_open[word] = role == "open"
            elif not word.strip("!?"):
                role = "terminal"
            elif _CLITIC.fullmatch(word):
                role = "suffix"
            else:
                role = "word" if any(map(str.isalnum, word)) else "infix"
        roles.append(role)
    paired = _pairs(range(len(words)), words, roles)
    for index, word in enumerate(words):
        if word == "’" and index not in paired:
            roles[index] = "suffix"  # the possessive of a plural
    return tuple(roles), frozenset(paired)


def _straight_quote(index: int, words: Sequence[str], spaces: Sequence[str]) -> Role:
    if words[index] == "'" and index > 0 and (spaces[index - 1] == "" or spaces[index] != ""):
        return "suffix"  # the possessive of a plural
    return "open"


def _pairs(indices: Iterable[int], words: Sequence[str], roles: Sequence[Role]) -> dict[int, int]:
    """Each opening mark with its closing mark among `indices`, and the other way round."""
    partners: dict[int, int] = {}
    opened: dict[str, list[int]] = {}
    for index in indices:
        if roles[index] == "open":
            opened.setdefault(words[index], []).append(index)
        elif roles[index] == "close":
            waiting = opened.get(_OPENERS[words[index]])
            if waiting:
                partners[index] = waiting.pop()
                partners[partners[index]] = index
    return partners


def detokenise(sentence: Sentence, kept: Sequence[int]) -> tuple[str, tuple[Repair, ...]]:
    """The text of the kept words (ascending indices) and what had to be mended; O(length).

    Kept words are spaced as their author spaced them. Punctuation that lost its reason is removed: a
    comma before the stop, at the start or beside another, a quote or bracket without its partner. The
    first word gets the capital of its sentence, and "a" and "an" go with what now follows. Words are never
    added, and what the author wrote side by side is never changed; keeping all words gives back the text
    without the white space around it. Where punctuation is all that is kept, the last of it stays.

    >>> from laconic.text.tokenise import tokenise
    >>> sentence = tokenise("On Monday, the show (a new one) ended, he said.")
    >>> text, repairs = detokenise(sentence, [2, 4, 5, 9, 10, 11, 14])
    >>> text
    'Show ended.'
    >>> repairs[0]
    Repair(kind='removed leading punctuation', where=2, what=',')
    """
    return _written(sentence.words, sentence.spaces, tuple(kept))


# What is written is judged first, by its length, and answered after that.
@lru_cache(maxsize=64)
def _written(
    words: tuple[str, ...], spaces: tuple[str, ...], kept: tuple[int, ...]
) -> tuple[str, tuple[Repair, ...]]:
    if not kept:
        return "", ()
    _, pieces, repairs = _pieces(words, spaces, kept)
    return "".join(pieces), tuple(sorted(repairs, key=lambda repair: repair.where))


def standing_at(sentence: Sentence, kept: Sequence[int]) -> list[tuple[int, int, int]]:
    """The words that stand in the text that `detokenise` makes, each with its start and its end there.

    >>> standing_at(Sentence.from_words(["It", "fell", ",", "again", "."]), [1, 2, 4])
    [(1, 0, 4), (4, 5, 6)]
    """
    found: list[tuple[int, int, int]] = []
    if kept:
        written, pieces, _ = _pieces(sentence.words, sentence.spaces, kept)
        position = 0
        for number, index in enumerate(written):
            position += len(pieces[2 * number - 1]) if number else 0
            found.append((index, position, position + len(pieces[2 * number])))
            position = found[-1][2]
    return found


def _pieces(
    words: tuple[str, ...], spaces: tuple[str, ...], kept: Sequence[int]
) -> tuple[list[int], list[str], list[Repair]]:
    """The words that are written, what is written of them with the white space between, and what was mended."""
    roles, paired = layout(words, spaces)
    repairs: list[Repair] = []
    written, count = list(kept), 0
    while len(written) != count:  # what goes may leave other marks without their reason
        count = len(written)
        written = _without_broken_punctuation(words, written, roles, paired, repairs)
    if not written:
        written = [kept[-1]]
        repairs = [repair for repair in repairs if repair.where != kept[-1]]
    pieces = []
    previous = -1
    for index in written:
        if previous >= 0:
            pieces.append(_space_between(previous, index, words, spaces, roles))
        pieces.append(words[index])
        previous = index
    for place, (index, following) in enumerate(pairwise(written)):
        if words[index] in ARTICLES and _wrong_article(index, following, words, spaces, roles):
            repairs.append(Repair("fitted article", index, words[index]))
            pieces[2 * place] = fitting_article(words[index], words[following])
    starts, before = True, -1
    for place, index in enumerate(written):
        if roles[index] == "open":
            continue
        if starts and _needs_capital(words, roles, index, before):
            repairs.append(Repair("capitalised", index, words[index]))
            pieces[2 * place] = pieces[2 * place][0].upper() + pieces[2 * place][1:]
        starts, before = words[index] in _STOPS, index
    return written, pieces, repairs


def removed_words(repairs: Iterable[Repair]) -> set[int]:
    """The words that repairs took away, by their index in the source."""
    return {repair.where for repair in repairs if repair.kind.startswith("removed")}


def standing(sentence: Sentence, kept: Sequence[int]) -> tuple[int, ...]:
    """The kept words without the marks that detokenising would take away again; all, if nothing else is left."""
    _, repairs = detokenise(sentence, kept)
    removed = removed_words(repairs)
    return tuple(word for word in kept if word not in removed) if removed else tuple(kept)


def broken_junctions(sentence: Sentence) -> list[tuple[int, int]]:
    """The pairs of words that, kept side by side, make `detokenise` remove one of them.

    -1 stands for the start of the text, the number of words for its end. A search that avoids these pairs
    keeps no punctuation in vain; marks that lost their partner are `paired_marks`.

    >>> from laconic.text.tokenise import tokenise
    >>> broken_junctions(tokenise("Yes, it fell."))
    [(-1, 1), (-1, 4), (1, 4), (1, 5)]
    """
    words, roles = sentence.words, layout(sentence.words, sentence.spaces)[0]
    count = len(words)
    found = []
    for right, role in enumerate(roles):
        if role in ("separator", "dash", "terminal", "close", "suffix"):
            found += [
                (left, right)
                for left in range(-1, right)
                if _fault([left, right] if left >= 0 else [right], words, roles) is not None
            ]
    ending = [left for left in range(count - 1) if roles[left] in ("separator", "dash")]
    return sorted(found + [(left, count) for left in ending])


def paired_marks(sentence: Sentence) -> list[tuple[int, int]]:
    """The opening and closing quotes and brackets of a sentence, as pairs of indices.

    >>> from laconic.text.tokenise import tokenise
    >>> paired_marks(tokenise("It (the show) fell."))
    [(1, 4)]
    """
    roles, paired = layout(sentence.words, sentence.spaces)
    partners = _pairs(sorted(paired), sentence.words, roles)
    return sorted((left, right) for left, right in partners.items() if left < right)


def space_between(sentence: Sentence, left: int, right: int) -> str:
    """The white space between two words that have become neighbours; `left` < `right`."""
    roles, _ = layout(sentence.words, sentence.spaces)
    return _space_between(left, right, sentence.words, sentence.spaces, roles)


def _without_broken_punctuation(
    words: Sequence[str],
    kept: Sequence[int],
    roles: Sequence[Role],
    paired: frozenset[int],
    repairs: list[Repair],
) -> list[int]:
    """The kept indices less the punctuation that deletion left without a reason.

    One pass with a stack: each mark is judged by what is written before it, and may take that away or
    be taken away itself. Nothing is removed because of what already stood beside it in the source.
    """
    written: list[int] = []
    matched = _pairs([index for index in kept if index in paired], words, roles) if paired else {}

    def remove(place: int, kind: RepairKind) -> None:
        index = written.pop(place)
        repairs.append(Repair(kind, index, words[index]))

    for index in kept:
        written.append(index)
        if roles[index] == "word":
            continue
        if index in paired and index not in matched:
            remove(-1, "removed unpaired mark")
            continue
        while (fault := _fault(written, words, roles)) is not None:
            remove(*fault)
            if not written or written[-1] != index:
                break
        else:
            opened = matched.get(index)
            if roles[index] == "close" and written[-2:-1] == [opened] and opened != index - 1:
                remove(-1, "removed empty pair")
                remove(-1, "removed empty pair")
    # The end of the sentence is judged like a stop that follows the last word.
    while (place := _before_closing_marks(written, roles, len(written) - 1)) >= 0 and (
        roles[written[place]] in ("separator", "dash") and len(words) - written[place] != len(written) - place
    ):
        remove(place, "removed trailing punctuation")
    return written


def _before_closing_marks(written: Sequence[int], roles: Sequence[Role], place: int) -> int:
    while place > 0 and roles[written[place]] == "close":
        place -= 1
    return place


def _fault(
    written: Sequence[int], words: Sequence[str], roles: Sequence[Role]
) -> tuple[int, RepairKind] | None:
    """Which of the written marks must go because of the last of them, if any."""
    index = written[-1]
    role, word = roles[index], words[index]
    before = len(written) - 2
    if role == "suffix" and word in ("'", "’"):
        host_is_gone = index > 0 and (before < 0 or written[before] != index - 1)
        return (-1, "removed unpaired mark") if host_is_gone else None
    if role not in ("separator", "dash", "terminal", "close"):
        return None
    if role == "terminal":
        # The stop looks through closing marks: in `go,” .` the comma, in `Go!” .` the stop is too much.
        before = _before_closing_marks(written, roles, before)
    neighbour = written[before] if before >= 0 else -1
    if index - neighbour == len(written) - 1 - before:
        return None  # all of it stood together in the source
    if neighbour < 0 or roles[neighbour] == "open":
        return None if role == "close" else (-1, "removed leading punctuation")
    if roles[neighbour] in ("separator", "dash"):
        if role == "terminal" or word in _BRACKETS:
            return before, "removed doubled punctuation"
        if role == "close":
            return None
        stronger = _STRENGTH.get(word, 3) > _STRENGTH.get(words[neighbour], 3)
        return before if stronger else -1, "removed doubled punctuation"
    ends_already = roles[neighbour] == "terminal" or (word == "." and words[neighbour][-1] == ".")
    return (-1, "removed doubled punctuation") if ends_already and role != "close" else None


def _space_between(
    left: int, right: int, words: Sequence[str], spaces: Sequence[str], roles: Sequence[Role]
) -> str:
    if right == left + 1:
        return spaces[left]
    after, before = spaces[left], spaces[right - 1]
    if before == "" and roles[right] in ATTACHES_LEFT and (roles[right] != "suffix" or roles[left] == "word"):
        return ""
    if (
        after == ""
        and roles[left] in ATTACHES_RIGHT
        and (roles[left] != "prefix" or words[right][0].isdigit())
    ):
        return ""
    return after or before or " "


def article_growth(
    left: int, right: int, words: Sequence[str], spaces: Sequence[str], roles: Sequence[Role]
) -> int:
    """How many letters an article gains before a word that was not beside it."""
    if words[left] not in ARTICLES or not _wrong_article(left, right, words, spaces, roles):
        return 0
    return len(fitting_article(words[left], words[right])) - len(words[left])


def _wrong_article(
    left: int, right: int, words: Sequence[str], spaces: Sequence[str], roles: Sequence[Role]
) -> bool:
    """Whether deletion put a word after "a" or "an" that does not go with it."""
    return (
        right != left + 1
        and roles[right] == "word"
        and spaces[left] != ""
        and fitting_article(words[left], words[right]) != words[left]
        # Who wrote "a hotel" or "an hotel" did so on purpose.
        and (left + 1 == len(words) or fitting_article(words[left], words[left + 1]) == words[left])
    )


def _needs_capital(words: Sequence[str], roles: Sequence[Role], index: int, before: int) -> bool:
    """Whether the word now starts a sentence that started with a capital when its first word was another.

    `before` is what is written before it, opening quotes and brackets aside, or -1.
    """
    word = words[index]
    if roles[index] != "word" or not word[0].islower() or word != word.lower() or len(word[0].upper()) != 1:
        return False
    first = next(place for place in range(before + 1, len(roles)) if roles[place] == "word")
    return first != index and words[first][0].isupper() and not _STAYS_SMALL.match(word)
