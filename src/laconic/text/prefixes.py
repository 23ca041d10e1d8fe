"""Texts word by word: which word may come next so that `detokenise` has nothing to take away."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from laconic.arrays import Int64
from laconic.sentence import Sentence
from laconic.text.detokenise import (
    _OPENERS,
    ARTICLES,
    ATTACHES_LEFT,
    ATTACHES_RIGHT,
    _before_closing_marks,
    _fault,
    _space_between,
    article_growth,
    layout,
)

_LONG, _DEEPEST = 60, 2  # in sentences of more words, so many marks may wait for their partners


class Prefix(NamedTuple):
    """What of the words written so far decides what may follow.

    `tail` is the last of them, with what stands before it if it is a closing mark; `waiting` are the opening
    marks that still need their partners; `speaks` says whether there is more than punctuation, and `within` whether
    there is since the last white space.
    """

    tail: tuple[int, ...] = ()
    waiting: tuple[str, ...] = ()
    speaks: bool = False
    within: bool = False


class Writer:
    """What detokenising does to one sentence, step by step."""

    def __init__(self, sentence: Sentence) -> None:
        self._words, self._spaces = sentence.words, sentence.spaces
        # Marks of many pairs that wait for each other's partners are too many states for a long sentence.
        self._deepest = len(self._words) if len(self._words) <= _LONG else _DEEPEST
        self._roles, self._paired = layout(sentence.words, sentence.spaces)
        self._speaks = [any(map(str.isalnum, word)) for word in sentence.words]

    def is_word(self, word: int) -> bool:
        """Whether this is a word, which may follow anything; a mark may not."""
        return self._roles[word] == "word"

    def gaps(self, cost: Callable[[str], int] = len) -> Int64:
        """What the white space between words costs where they are neighbours in the text, and what the first, if it is
        an article, grows by before the second: [left, right], where left < right."""
        words, spaces, roles, count = self._words, self._spaces, self._roles, len(self._words)
        widths, is_tight = (
            np.array([*map(cost, spaces)], np.int64),
            np.array([not space for space in spaces], np.bool_),
        )
        # As `_space_between` says for one pair.
        follows_tight, of_roles = np.roll(is_tight, 1), np.array(roles)
        between = np.where(
            is_tight[:, None], np.where(follows_tight, cost(" "), np.roll(widths, 1)), widths[:, None]
        )
        is_suffix, is_prefix = of_roles == "suffix", of_roles == "prefix"
        to_left = follows_tight & np.array([role in ATTACHES_LEFT for role in roles], np.bool_)
        to_right = is_tight & np.array([role in ATTACHES_RIGHT for role in roles], np.bool_)
        # Of truth values, a <= b says that a implies b.
        before_figures = is_prefix[:, None] <= np.array([word[0].isdigit() for word in words], np.bool_)
        after_words = is_suffix <= (of_roles == "word")[:, None]
        between[(to_left & after_words) | (to_right[:, None] & before_figures)] = cost("")
        between[range(count - 1), range(1, count)] = widths[: count - 1]
        for left in filter(self.is_article, range(count)):
            for right in range(left + 2, count):
                if growth := article_growth(left, right, words, spaces, roles):
                    between[left, right] += growth * cost("n")
        return between

    def parts(self, left: int, right: int) -> bool:
        """Whether there is white space between two words that are neighbours in the text."""
        return any(map(str.isspace, _space_between(left, right, self._words, self._spaces, self._roles)))

    def is_article(self, word: int) -> bool:
        """Whether this is "a" or "an", whose width depends on what follows."""
        return self._words[word] in ARTICLES

    def follows(self, prefix: Prefix, word: int) -> Prefix | None:
        """The prefix with one more word; None if a mark would be taken away."""
        words, roles, paired = self._words, self._roles, self._paired
        role, waiting, tail = roles[word], prefix.waiting, prefix.tail
        if role != "word":
            if word in paired:
                partner = words[word] if role == "open" else _OPENERS[words[word]]
                if role == "open":
                    if len(waiting) == self._deepest:
                        return None
                    waiting = tuple(sorted((*waiting, partner)))
                elif partner not in waiting or self._is_empty_pair(tail[-1], word):
                    return None
                else:
                    waiting = _without(waiting, partner)
            if _fault([*tail, word], words, roles) is not None:
                return None
        tail = (*tail, word) if role == "close" else (word,)
        return Prefix(tail, waiting, prefix.speaks or self._speaks[word])

    def ends(self, prefix: Prefix) -> bool:
        """Whether the text may end here."""
        words, roles, tail = self._words, self._roles, prefix.tail
        place = _before_closing_marks(tail, roles, len(tail) - 1)
        together = len(words) - tail[place] == len(tail) - place
        return not prefix.waiting and (roles[tail[place]] not in ("separator", "dash") or together)

    def key(self, prefix: Prefix) -> tuple[object, ...]:
        """What two prefixes that end with the same word share if the same may follow both."""
        words, roles, tail = self._words, self._roles, prefix.tail
        if len(tail) < 2:
            return len(tail) == 1 and roles[tail[0]] == "close", prefix.waiting, prefix.speaks
        together = tail[-1] - tail[0] == len(tail) - 1
        return roles[tail[0]], words[tail[0]][-1] == ".", together, prefix.waiting, prefix.speaks

    def _is_empty_pair(self, left: int, right: int) -> bool:
        opens = left in self._paired and self._roles[left] == "open"
        return opens and self._words[left] == _OPENERS[self._words[right]] and left != right - 1


def _without(waiting: tuple[str, ...], mark: str) -> tuple[str, ...]:
    place = waiting.index(mark)
    return (*waiting[:place], *waiting[place + 1 :])
