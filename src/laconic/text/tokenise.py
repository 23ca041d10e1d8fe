"""Cutting a sentence into Penn-style tokens without losing a character of it."""

from __future__ import annotations

import re

from laconic.errors import LaconicError
from laconic.sentence import Sentence
from laconic.text.abbreviations import place_of

# What is neither a token nor part of one: white space, control characters, zero-width space, direction marks.
GAP = r"\s\x00-\x1f\x7f-\x9f\u200b\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff"
# Emoji, dingbats, arrows and other symbols that are never letters.
_PICTURE = r"\u2190-\u21ff\u2300-\u23ff\u25a0-\u27bf\u2b00-\u2bff\U0001f000-\U0001faff"
_MODIFIER = r"[\ufe0e\ufe0f\u20e3\U0001f3fb-\U0001f3ff]"
# What can stand in a word without further ado: anything but gaps, pictures and punctuation. Written as a
# complement so that combining marks, unassigned characters and lone surrogates stay in their words.
_W = (
    rf"[^{GAP}{_PICTURE}!\"\#$%&'()*+,\-./:;<=>?@\[\\\]^`{{|}}~¡£¢¤¥§«¬¶·»¿´"
    r"\u2010-\u2027\u2030\u2031\u2039-\u205e\u20a0-\u20cf\u3001-\u3003\u3008-\u3011\u3014-\u301f"
    r"\uff01-\uff0f\uff1a-\uff20\uff3b-\uff40\uff5b-\uff65]"
)
_APOSTROPHE = r"['’ʼ]"
_HYPHEN = r"[-\u2010\u2011]"
_CLITIC = rf"{_APOSTROPHE}(?i:s|m|d|ll|re|ve)(?!{_W}|{_HYPHEN}{_W})"

# The alternatives are tried in this order wherever the token before ended. Repetitions are bounded or
# consume what they match, so that the time is linear in the length of the text.
_TOKEN = re.compile(
    rf"""
    # Addresses, without the punctuation of the sentence around them; @names and #topics.
    (?:(?:https?|ftp)://|www\.)[^{GAP}<>"“”]*[^{GAP}<>"“”.,;:!?'’)\]}}…]
  | [\w.+-]{{1,64}}@[\w-]{{1,64}}(?:\.[\w-]{{1,64}})+
  | (?<!{_W})(?:@|\#(?!\d+(?!{_W})))\w+
    # Marks of other notations: bracket names of treebanks, tags of subtitles.
  | -[LR][RSC]B- | </?[A-Za-z][A-Za-z0-9]{{0,9}}/?>
    # Emoticons.
  | (?<!{_W})(?:[:;][-^']?[()\[\]DPpOo/\\|*](?!{_W}) | <3(?!{_W}) | \^_+\^)
    # Contractions: ca|n't, can|not, gon|na, 't|is, d'|ye, it|'s.
  | (?i:ai|are|ca|could|dare|did|does|do|had|has|have|is|might|must|need|ought|sha|should|was|were|wo|would)
      (?=[nN]{_APOSTROPHE}[tT](?!{_W}))
  | (?i:(?:can(?=not)|(?:gon|wan)(?=na)|got(?=ta)|(?:gim|lem)(?=me))(?={_W}{{2,3}}(?!{_W})))
  | {_APOSTROPHE}[tT](?=(?i:is|was|were|will|would)?(?!{_W})) | [dD]{_APOSTROPHE}(?=[yY]e(?!{_W}))
  | {_CLITIC}
    # Elisions that keep their apostrophe: '80s, 'em, 'n'.
  | {_APOSTROPHE}(?:\d\ds?|(?i:em|til|cause|bout))(?!{_W}) | {_APOSTROPHE}[nN]{_APOSTROPHE}(?!{_W})
    # Words and numbers, with the full stop that may belong to an abbreviation.
  | (?:(?<!{_W})(?:[+\-−]?\.?(?=\d)|{_HYPHEN}(?=[a-z])))?{_W}+
    (?:(?:\.?{_HYPHEN}|[/&*+=~`´]|\.(?!(?<=[a-z]{{2}}\.)[A-Z][a-z])|(?!{_CLITIC}){_APOSTROPHE}|(?<=\d)[,:–](?=\d)){_W}+)*
    (?:\++|{_HYPHEN}(?!{_W}|{_HYPHEN}))?(?:\.(?!\.))?
    # Runs of punctuation.
  | \.{{2,}} | -{{2,}} | '' | `` | [!?]+ | ([*=~<>|+\\^\#])\1+
    # Flags, and pictures with their modifiers and joiners.
  | [\U0001f1e6-\U0001f1ff]{{2}}
  | [{_PICTURE}]{_MODIFIER}*(?:\u200d[{_PICTURE}]{_MODIFIER}*)*
  | [^{GAP}]
    """,
    re.VERBOSE,
)
_ONLY_CLOSERS = re.compile(rf"[{GAP}\"'”’»)\]}}]*\Z")
_COMMA = re.compile(r"[,;:](?![-^']?[()DPp])")  # but no emoticon
_NEXT = re.compile(rf"[{GAP}]*([^{GAP}])")


def token_spans(text: str) -> list[tuple[int, int]]:
    """The half-open spans of characters that are tokens; what lies between them is white space.

    >>> token_spans("It can't.")
    [(0, 2), (3, 5), (5, 8), (8, 9)]
    """
    if not isinstance(text, str):
        raise LaconicError(f"a text to cut into words is a string, not {text!r:.60}")
    spans: list[tuple[int, int]] = []
    for match in _TOKEN.finditer(text):
        start, end = match.span()
        if (
            text[end - 1] == "."
            and end - start > 1
            and text[end - 2] != "."
            and _stop_stands_alone(text, start, end)
        ):
            spans.append((start, end - 1))
            start = end - 1
        spans.append((start, end))
    return spans


def _stop_stands_alone(text: str, start: int, end: int) -> bool:
    """Whether the full stop that ends text[start:end] is a token of its own, not part of an abbreviation."""
    if _ONLY_CLOSERS.match(text, end):
        return True
    following = _NEXT.match(text, end)
    assert following is not None
    place = place_of(text[start : end - 1])
    if place == "before a number":
        return not following[1].isdigit()
    # Unlisted words are abbreviations too before a small letter or a comma, and numbers before a list item.
    opens_list = start == 0 and text[start].isdigit()
    return place is None and not (opens_list or following[1].islower() or _COMMA.match(text, end))


def tokenise(text: str) -> Sentence:
    """The words of one sentence of raw text, Penn style, with the author's spelling and spacing.

    Contractions and possessives are cut, hyphenated words are not; a full stop at the end is a token of
    its own. `tokenise(text).text == text` for every string.

    >>> tokenise("“Don't”, said Mr. Smith's well-read aunt.").words
    ('“', 'Do', "n't", '”', ',', 'said', 'Mr.', 'Smith', "'s", 'well-read', 'aunt', '.')
    """
    spans = token_spans(text)
    if not spans:
        return Sentence(words=(), spaces=(), lead=text)
    starts = [start for start, _ in spans[1:]] + [len(text)]
    return Sentence(
        words=tuple(text[start:end] for start, end in spans),
        spaces=tuple(text[end:following] for (_, end), following in zip(spans, starts, strict=True)),
        lead=text[: spans[0][0]],
    )


def as_sentence(text: str | Sentence) -> Sentence:
    """A text cut into words; a sentence is one already."""
    return text if isinstance(text, Sentence) else tokenise(text)
