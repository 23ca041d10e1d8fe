"""Making a failing request smaller while it still breaks the same law."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import replace

from laconic import tokenise
from tests.fuzz.cases import UNITS, Case
from tests.fuzz.laws import violations

_SECONDS = 15.0


def shrunk(case: Case, kind: str, *, seconds: float = _SECONDS) -> Case:
    """The smallest request that was found, within some seconds, to break the law of this kind."""
    end = time.monotonic() + seconds
    found = True
    while found:
        found = False
        for smaller in _smaller(case):
            if time.monotonic() > end:
                return case
            if any(violation.kind == kind for violation in violations(smaller)):
                case, found = smaller, True
                break
    return case


def _smaller(case: Case) -> Iterator[Case]:
    """Requests with an option less, with less text, or with simpler numbers."""
    for place in range(len(case.options)):
        yield replace(case, options=case.options[:place] + case.options[place + 1 :])
    for name in ("keep", "drop"):
        phrases = getattr(case, name)
        for place in range(len(phrases)):
            yield replace(case, **{name: phrases[:place] + phrases[place + 1 :]})
    sentence = tokenise(case.text)
    pieces = [word + space for word, space in zip(sentence.words, sentence.spaces, strict=True)]
    size = max(1, len(pieces) // 2)
    while size:
        for start in range(0, len(pieces), size):
            text = "".join(pieces[:start] + pieces[start + size :])
            if all(phrase in text for phrase in (*case.keep, *case.drop)):
                yield from _with_less(case, text)
        size //= 2
    if case.text != case.text.strip():
        yield replace(case, text=case.text.strip())


def _with_less(case: Case, text: str) -> Iterator[Case]:
    """The request for a shorter text: with the same budget, and with one that is lower by what has gone."""
    yield replace(case, text=text)
    if case.bounded and not case.relative:
        count = UNITS[case.unit].count
        gone = count(tokenise(case.text).words, case.text) - count(tokenise(text).words, text)
        least, most = (bound and max(0, bound - gone) for bound in (case.least, case.most))
        if (least, most) != (case.least, case.most):
            yield replace(case, text=text, least=least, most=most)
