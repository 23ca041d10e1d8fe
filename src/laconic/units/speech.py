"""Speech: the syllables of a text, estimated by rules, without a dictionary; a rate makes seconds of them."""

from __future__ import annotations

import re
from functools import lru_cache

RATE = 4.0
"""Syllables a second, pauses included: about 160 English words a minute."""

_SPOKEN = re.compile(r"\d+(?:,\d{3})*(?:\.\d+)?|[^\W\d_]+(?:['’][^\W\d_]+)*|[%$€£&@+=]")
_SIGNS = {
    "%": 2,
    "$": 2,
    "€": 2,
    "£": 1,
    "&": 1,
    "@": 1,
    "+": 1,
    "=": 2,
}  # per cent, dollars, euros, pounds, and
_LONGEST_NAME = 3  # of letters that are read one by one
_VOWELS = "aeiouyàáâãäåæèéêëìíîïòóôõöøùúûüýÿœ"
_GROUP = re.compile(f"[{_VOWELS}]+")
# Vowels that are written and not heard: make, safely, something; asked, makes, there's; league; basically.
_SILENT = re.compile(
    rf"(?<=[^{_VOWELS}])e(?=(?:['’]s)?$|(?:ly|less|ful|fully|ness|time|where|thing|body|how|what)s?$)"
    rf"|(?<=[^{_VOWELS}l])e(?=ments?$)|(?<=[^{_VOWELS}dt])e(?=d$)|(?<=[^{_VOWELS}cgsxz])(?<![cs]h)e(?=s$)"
    r"|(?<=[gq])ue(?=s?$)|(?<=ic)a(?=lly$)|(?<=ev)e(?=ry)|(?<=us)i(?=ness)"
)
# Syllables without a vowel: little, prism, rhythm, didn't.
_SOUNDED = re.compile(rf"(?:[^{_VOWELS}l]|(?<=tt)|(?<=dd))l(?:e|es|ed)$|[ai]sms?$|thms?$|[ds]n['’]t$")
# Neighbours that are two syllables: via, radio, museum, actual, playing, create, idea.
_HIATUS = re.compile(
    r"(?<![tcsghl])ia(?!r?ge)|[cst]iat|io(?!n|us|r)|(?<![tcsgxlnh])io(?!r)|i(?:um|us|et)|(?<![tcsrlp])ien|^scie"
    r"|(?<![gq])ua(?![ryi]|$)|eo(?!p|us|n)|[aeou]ing|(?<=cr)eat(?!u)|(?<=[rd])eas?$|rea(?=ct)|ope(?=an)|eum$"
    r"|(?<!q)ue[nl]|oe[mt]|ui(?:t[iy])|(?<=[a-vx-z])y(?=[aiou]|e(?!(?:['’]?[ds])?$))|^gia|ier$"
)


def count_syllables(text: str) -> int:
    """About how many syllables are heard when a text is read out.

    >>> count_syllables("It fell by 12% on Monday.")
    9
    """
    return sum(map(syllables, _SPOKEN.findall(text)))


@lru_cache(maxsize=1 << 14)
def syllables(word: str) -> int:
    """About how many syllables an English word, a number or a sign has when it is read out.

    >>> [syllables(word) for word in ("the", "harbour", "BBC", "1984", "2.5", "%", "started", "little")]
    [1, 2, 3, 5, 3, 2, 2, 2]
    """
    if word in _SIGNS:
        return _SIGNS[word]
    if word[0].isdecimal():
        return _of_number(word)
    small = word.lower()
    if word.isupper() and len(word) > 1 and (len(word) <= _LONGEST_NAME or not _GROUP.search(small)):
        return sum(3 if letter == "w" else 1 for letter in small)
    count = len(_GROUP.findall(small)) - len(_SILENT.findall(small))
    count += len(_SOUNDED.findall(small)) + len(_HIATUS.findall(small))
    return max(1, count)


def _of_number(number: str) -> int:
    """The syllables of a number: 1984 is nineteen eighty-four, 1,984 is one thousand nine hundred and eighty-four."""
    whole, _, decimals = number.partition(".")
    plain = whole.replace(",", "")
    if len(whole) == 4 and plain[0] in "12" and plain[1:3] != "00":
        century, rest = divmod(int(plain), 100)
        zero = 2 if rest == 0 else 1 if rest < 10 else 0  # nineteen hundred, nineteen oh five
        count = _below_thousand(century) + zero + _below_thousand(rest)
    elif len(plain) > 12 or (plain[0] == "0" and len(plain) > 1):
        count = sum(_DIGITS[int(digit)] for digit in plain)
    else:
        count = _cardinal(int(plain))
    return count + (1 + sum(_DIGITS[int(digit)] for digit in decimals) if decimals else 0)


_DIGITS = (2, 1, 1, 1, 1, 1, 1, 2, 1, 1)
_TEENS = (1, 3, 1, 2, 2, 2, 2, 3, 2, 2)  # ten, eleven, …
_TENS = (0, 0, 2, 2, 2, 2, 2, 3, 2, 2)  # twenty, thirty, …
_POWERS = ((10**9, 2), (10**6, 2), (10**3, 2))  # billion, million, thousand


def _cardinal(number: int) -> int:
    if number == 0:
        return _DIGITS[0]
    count = 0
    for power, name in _POWERS:
        if number >= power:
            count += _cardinal(number // power) + name
            number %= power
    return count + _below_thousand(number)


def _below_thousand(number: int) -> int:
    count = 0
    if number >= 100:
        count += _DIGITS[number // 100] + 2 + (1 if number % 100 else 0)  # hundred and
        number %= 100
    if number >= 20:
        return count + _TENS[number // 10] + (_DIGITS[number % 10] if number % 10 else 0)
    if number >= 10:
        return count + _TEENS[number - 10]
    return count + (_DIGITS[number] if number else 0)
