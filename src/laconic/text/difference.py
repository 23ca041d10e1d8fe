"""What was deleted, within the author's text."""

from __future__ import annotations

from collections.abc import Collection, Iterator

from laconic.sentence import Sentence


def stretches(sentence: Sentence, kept: Collection[int]) -> Iterator[tuple[str, str, bool]]:
    """The longest stretches of words that are all kept or all deleted: (text, white space after it, kept).

    >>> list(stretches(Sentence.from_words(["It", "fell", "again", "."]), [0, 1, 3]))
    [('It fell', ' ', True), ('again', ' ', False), ('.', '', True)]
    """
    stays = set(kept)
    text, start = "", 0
    for index, (word, space) in enumerate(zip(sentence.words, sentence.spaces, strict=True)):
        text += word
        if index + 1 == len(sentence) or (index + 1 in stays) != (start in stays):
            yield text, space, start in stays
            text, start = "", index + 1
        else:
            text += space
