"""Two cuts of one text brought together by their characters."""

from __future__ import annotations

import re
from collections.abc import Sequence

from laconic.errors import LaconicError
from laconic.sentence import Sentence
from laconic.text.tokenise import GAP

_GAPS = re.compile(f"[{GAP}]*")
# What the Penn Treebank writes for what authors write.
_SPELLINGS = {
    "``": ('"', "''", "“", "„", "«", "‘", "'"),
    "''": ('"', "``", "”", "“", "»", "’", "'"),
    '"': ("``", "''", "“", "”"),
    "`": ("'", "‘"),
    "'": ("’", "‘", "`"),
    "-LRB-": ("(",),
    "-RRB-": (")",),
    "-LSB-": ("[",),
    "-RSB-": ("]",),
    "-LCB-": ("{",),
    "-RCB-": ("}",),
    "--": ("—", "–"),
    "...": ("…",),
}


def same_word(token: str, written: str) -> bool:
    """Whether a treebank's token stands for a word as written.

    >>> same_word("-LRB-", "("), same_word("and\\\\/or", "and/or"), same_word("a", "b")
    (True, True, False)
    """
    return written in _spellings(token)


def token_places(tokens: Sequence[str], text: str) -> list[tuple[int, int]]:
    """The half-open span of characters of each token in the raw text.

    Between tokens there is only white space; a token is spelled as it stands, or as the convention of the
    Penn Treebank has it. Anything else is an error that names the token and the place.

    >>> token_places(["``", "Go", "''", "-LRB-", "now", "-RRB-"], '"Go" (now)')
    [(0, 1), (1, 3), (3, 4), (5, 6), (6, 9), (9, 10)]
    """
    places = []
    position = _skip_gaps(text, 0)
    for number, token in enumerate(tokens):
        spelling = next((found for found in _spellings(token) if text.startswith(found, position)), None)
        if not spelling:
            raise LaconicError(
                f"token {number}, {token!r}, is not in the text at character {position}: "
                f"{text[position : position + 20]!r}"
            )
        places.append((position, position + len(spelling)))
        position = _skip_gaps(text, position + len(spelling))
    if position < len(text):
        raise LaconicError(
            f"the tokens end before the text does, at character {position}: {text[position:][:20]!r}"
        )
    return places


def sentence_of_tokens(tokens: Sequence[str], text: str) -> Sentence:
    """The raw text cut where the tokens cut it: words as the author wrote them, with the true spacing.

    >>> sentence_of_tokens(["It", "'s", "``", "on", "''"], 'It\\'s "on"').spaces
    ('', ' ', '', '', '')
    """
    places = token_places(tokens, text)
    if not places:
        return Sentence(words=(), spaces=(), lead=text)
    ends = [*(start for start, _ in places[1:]), len(text)]
    return Sentence(
        words=tuple(text[start:end] for start, end in places),
        spaces=tuple(text[end:after] for (_, end), after in zip(places, ends, strict=True)),
        lead=text[: places[0][0]],
    )


def project_keep(
    places: Sequence[tuple[int, int]], keep: Sequence[bool], sentence: Sentence
) -> tuple[int, ...] | None:
    """The words of another cut of the same text that a mask over these places keeps.

    None if the mask keeps only a part of some word: then it is no deletion of words.

    >>> project_keep([(0, 3), (3, 6), (7, 9)], [True, True, False], Sentence.from_words(["cannot", "go"]))
    (0,)
    """
    kept_characters = [False] * len(sentence.text)
    for (start, end), decision in zip(places, keep, strict=True):
        kept_characters[start:end] = [decision] * (end - start)
    kept = []
    position = len(sentence.lead)
    for index, (word, space) in enumerate(zip(sentence.words, sentence.spaces, strict=True)):
        decisions = set(kept_characters[position : position + len(word)])
        if len(decisions) > 1:
            return None
        if decisions == {True}:
            kept.append(index)
        position += len(word) + len(space)
    return tuple(kept)


def _skip_gaps(text: str, position: int) -> int:
    match = _GAPS.match(text, position)
    assert match is not None
    return match.end()


def _spellings(token: str) -> tuple[str, ...]:
    """The ways a token may be written in raw text, the literal one first."""
    if token in _SPELLINGS:
        return (token, *_SPELLINGS[token])
    if "\\" in token:
        return (token, token.replace("\\/", "/").replace("\\*", "*"))
    return (token,)
