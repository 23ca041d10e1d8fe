"""What must hold of every answer and of every refusal, checked by other means than those that made it."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice, product
from typing import Any

import numpy as np

import laconic
from laconic import split_sentences, tokenise
from laconic.budgets.texts import selections
from laconic.decode.contract import Searcher
from laconic.decode.forest_decoder import ForestDecoder
from laconic.systems.annotation import annotated
from laconic.systems.ilp import Ilp, constraints_of
from laconic.systems.joint import Joint
from laconic.systems.transducer.system import TreeTransducer
from laconic.text.tokenise import GAP
from tests.fuzz.cases import UNITS, Case

_GAP = re.compile(f"[{GAP}]*")
_ENUMERABLE = 9  # free words of which every selection is tried
_DERIVATIONS = 600  # of a grammar, of which none keeps to the pins where it has none that does
_REMOVALS = "removed"


@dataclass(frozen=True, slots=True)
class Violation:
    """A law that an answer or a refusal breaks: a short kind to count by, and what was seen."""

    kind: str
    seen: str


@dataclass(frozen=True, slots=True)
class Verdict:
    """Whether a request was answered, and every law that the answer or the refusal breaks."""

    answered: bool
    violations: tuple[Violation, ...] = ()


def violations(case: Case) -> tuple[Violation, ...]:
    """Every law that this request breaks."""
    return judged(case).violations


def judged(case: Case) -> Verdict:
    """What becomes of a request, and whether it should."""
    source = _Source.of(case)
    try:
        answer = _seen(case, case.run())
    except laconic.InfeasibleBudget as error:
        return Verdict(False, (*_laws_of_refusals(case, source, error),))
    except laconic.LaconicError as error:
        return Verdict(False, () if source.conflict else (Violation("7 refused as a mistake", str(error)),))
    except Exception as error:
        return Verdict(False, (Violation(f"7 {type(error).__name__}", str(error)[:200]),))
    if source.conflict:
        return Verdict(True, (Violation("2 a word both kept and dropped", repr(answer.text)),))
    return Verdict(True, (*_laws_of_answers(case, source, answer),))


@dataclass(frozen=True, slots=True)
class _Seen:
    """An answer for a document: its text, the words that stand in it, and what became of each sentence."""

    text: str
    words: tuple[str, ...]
    compressions: tuple[laconic.Compression | None, ...]


def _seen(case: Case, answer: Any) -> Any:
    """The answer for a document, or the compression of a sentence."""
    if not isinstance(answer, laconic.CompressedText):
        return answer
    if case.whole_document:
        compressions = tuple(piece.compression for piece in answer.sentences)
        words = tuple(word for each in answer.compressions for word in each.standing)
        return _Seen(answer.text, words, compressions)
    [*found] = answer.compressions or [laconic.Compression.by_deletion(tokenise(case.text), ())]
    return found[0]


@dataclass(frozen=True, slots=True)
class _Source:
    """The sentences of a request, their words that must stay or go, and what all of it costs."""

    sentences: tuple[laconic.Sentence, ...]
    keep: tuple[frozenset[int], ...]
    drop: tuple[frozenset[int], ...]
    conflict: bool
    limits: tuple[float, float]

    @classmethod
    def of(cls, case: Case) -> _Source:
        if case.whole_document:
            sentences = tuple(sentence for sentence in split_sentences(case.text) if sentence.words)
        else:
            sentences = (tokenise(case.text),)
        keep, drop = (
            tuple(frozenset(_places(sentence, phrases)) for sentence in sentences)
            for phrases in (case.keep, case.drop)
        )
        conflict = any(kept & dropped for kept, dropped in zip(keep, drop, strict=True))
        everything = laconic.open_system("everything")
        text = ""
        for number, sentence in enumerate(sentences):
            text += _gap_behind(sentences[number - 1]) if number else ""
            text += everything.compress(sentence).text
        words = [word for sentence in sentences for word in sentence.words]
        return cls(sentences, keep, drop, conflict, _limits(case, UNITS[case.unit].count(words, text)))


def _gap_behind(sentence: laconic.Sentence) -> str:
    """What stands between a sentence and the next: what the author put there, with white space if there is none."""
    gap = sentence.spaces[-1]
    return gap if any(map(str.isspace, gap)) else gap + " "


def _places(sentence: laconic.Sentence, phrases: Sequence[str]) -> Iterator[int]:
    """The words that phrases cover: the same letters however they are cut, or the same words however spaced."""
    starts, ends, position = {}, {}, 0
    for index, (word, space) in enumerate(zip(sentence.words, sentence.spaces, strict=True)):
        starts[position] = index
        ends[position + len(word)] = index + 1
        position += len(word) + bool(space)
    words = [word.casefold() for word in sentence.words]
    text = _evenly_spaced(sentence)
    wanted = set()
    for phrase in map(tokenise, phrases):
        wanted.add(tuple(word.casefold() for word in phrase.words))
        written = _evenly_spaced(phrase).strip()
        for at, start in starts.items():
            end = at + len(written)
            if end in ends and text[at:end].casefold() == written.casefold():
                wanted.add(tuple(words[start : ends[end]]))
    for some in wanted:
        for start in range(len(words) - len(some) + 1):
            if tuple(words[start : start + len(some)]) == some:
                yield from range(start, start + len(some))


def _evenly_spaced(sentence: laconic.Sentence) -> str:
    return "".join(
        word + " " * bool(space) for word, space in zip(sentence.words, sentence.spaces, strict=True)
    )


def _limits(case: Case, total: int) -> tuple[float, float]:
    """The least and the most that are allowed, as the caller wrote them."""
    if not case.relative:
        return (case.least or 0, math.inf if case.most is None else case.most)
    if case.least is not None and case.least == case.most:
        exact = math.floor(case.least * total + 0.5)
        return exact, exact
    tiny = 1e-9
    return ((case.least or 0) * total - tiny, math.inf if case.most is None else case.most * total + tiny)


def _laws_of_answers(case: Case, source: _Source, answer: Any) -> Iterator[Violation]:
    compressions = answer.compressions if case.whole_document else (answer,)
    if case.whole_document and len(compressions) != len(source.sentences):
        yield Violation("4 another number of sentences", f"{len(compressions)} for {len(source.sentences)}")
        return
    protected = dict(case.options).get("protect", ())
    for sentence, keep, drop, compression in zip(
        source.sentences, source.keep, source.drop, compressions, strict=True
    ):
        if compression is None:
            if not dict(case.options).get("drop_sentences") and len(drop) < len(sentence):
                yield Violation("2 a sentence dropped unasked", repr(sentence.text))
            kept: frozenset[int] = frozenset()
            written: frozenset[int] | None = kept
        else:
            yield from _subsequence(sentence, compression)
            if compression.kept is None:
                written = None
            else:
                gone = {repair.where for repair in compression.repairs if repair.kind.startswith(_REMOVALS)}
                written = frozenset(compression.kept) - gone
        yield from _pins(sentence, keep, drop, written, compression)
        if written is not None:
            for index in _surely_protected(sentence, protected) - drop - written:
                yield Violation("2 protected word gone", repr(sentence.words[index]))
    if case.bounded:
        least, most = source.limits
        wrong = ((kind, cost) for kind, cost in _costs(case, answer) if not least <= cost <= most)
        for kind, cost in islice(wrong, 1):
            where = "document " if case.whole_document else ""
            yield Violation(
                f"1 {where}{case.unit}{kind}{' ratio' * case.relative}: {'over' if cost > most else 'under'}",
                f"{cost}, asked for {least:g} to {most:g}: {answer.text!a}",
            )
    if case.whole_document and case.least is None and case.most is not None and not case.relative:
        for more in (1, 7):
            if why := _refused(replace(case, most=case.most + more)):
                yield Violation(f"1 {case.unit}: met by less, refused with more", why)
    if other := _differing_as_characters(case, answer.text):
        yield Violation("1 bytes of ASCII are answered unlike characters", f"{other!a}, not {answer.text!a}")


def _differing_as_characters(case: Case, seen: str | tuple[int, int] | None) -> object:
    """What is made of characters where it is not what is made of as many bytes of ASCII."""
    if case.unit != "bytes" or not case.text.isascii():
        return None
    try:
        answer = _seen(case, replace(case, unit="characters").run()).text
    except laconic.InfeasibleBudget as error:
        answer = error.possible
    return None if answer == seen else repr(answer)


def _costs(case: Case, answer: Any) -> Iterator[tuple[str, int]]:
    """What an answer costs: as it says and, if pieces count, without those that repairs removed.

    A piece is one that the source was cut into, as its author wrote it, and law 4 finds each in the text. The text cut
    again may fall into others: "p.m." at its end is cut in two, and "a" has become "an".
    """
    unit = UNITS[case.unit]
    yield "", unit.count(answer.words, answer.text)
    if unit.of_words:
        compressions = answer.compressions if case.whole_document else (answer,)
        removed = [
            repair.what
            for compression in compressions
            for repair in (() if compression is None else compression.repairs)
            if repair.kind.startswith(_REMOVALS)
        ]
        yield " in the text", unit.count(answer.words, answer.text) - unit.count(removed, "")


def _pins(
    sentence: laconic.Sentence,
    keep: frozenset[int],
    drop: frozenset[int],
    written: frozenset[int] | None,
    compression: Any,
) -> Iterator[Violation]:
    if written is None:  # rewritten: only what it says can be looked at
        words = [word.casefold() for word in compression.words]
        for index in keep:
            if sentence.words[index].casefold() not in words:
                yield Violation("2 pinned word gone", repr(sentence.words[index]))
        others = {word.casefold() for index, word in enumerate(sentence.words) if index not in drop}
        for index in drop:
            if sentence.words[index].casefold() in {*words} - others:
                yield Violation("2 dropped word there", repr(sentence.words[index]))
        return
    kept = frozenset(compression.kept or ()) if compression is not None else frozenset()
    for index in sorted(keep - written):
        kind = "2 pinned word repaired away" if index in kept else "2 pinned word gone"
        yield Violation(kind, repr(sentence.words[index]))
    for index in sorted(drop & kept):
        yield Violation("2 dropped word there", repr(sentence.words[index]))


def _surely_protected(sentence: laconic.Sentence, kinds: Sequence[str]) -> frozenset[int]:
    """The words that are of a protected kind whatever the network makes of them."""
    return frozenset(
        index
        for index, word in enumerate(sentence.words)
        if ("negations" in kinds and word in ("not", "n't", "never"))
        or ("numbers" in kinds and len(word) > 1 and word.isascii() and word.isdigit())
    )


def _subsequence(sentence: laconic.Sentence, compression: Any) -> Iterator[Violation]:
    """The text is the kept words in order, with white space between them, but for what repairs report."""
    kept = compression.kept
    if kept is None:
        pieces = list(compression.words)
    else:
        if any(not 0 <= index < len(sentence) for index in kept) or list(kept) != sorted(set(kept)):
            yield Violation("4 not a subsequence", f"kept {kept}")
            return
        if tuple(sentence.words[index] for index in kept) != compression.words:
            yield Violation("4 words are not those kept", repr(compression.words))
        pieces = [sentence.words[index] for index in kept]
    repaired: dict[int, set[str]] = {}
    for repair in compression.repairs:
        repaired.setdefault(repair.where, set()).add(repair.kind)
        if kept is not None and (repair.where not in kept or sentence.words[repair.where] != repair.what):
            yield Violation("4 a repair of a word that was not kept", repr(repair))
    expected = []
    for place, word in enumerate(pieces):
        kinds = repaired.get(place if kept is None else kept[place], set())
        if any(kind.startswith(_REMOVALS) for kind in kinds):
            continue
        if "fitted article" in kinds:
            word = word[:-1] if len(word) > 1 else f"{word}n"
        expected.append(word[0].upper() + word[1:] if "capitalised" in kinds else word)
    text, position = compression.text, 0
    for word in expected:
        gap = _GAP.match(text, position)
        assert gap is not None
        position = gap.end()
        if not text.startswith(word, position):
            yield Violation("4 text differs from its words", f"{text!a} is not {expected!a}")
            return
        position += len(word)
    if position != len(text):
        yield Violation("4 text goes on after its words", f"{text!a} is not {expected!a}")


def _laws_of_refusals(case: Case, source: _Source, error: laconic.InfeasibleBudget) -> Iterator[Violation]:
    where = "document " if case.whole_document else ""
    if source.conflict:
        return
    if other := _differing_as_characters(case, error.possible):
        yield Violation("1 bytes of ASCII are refused unlike characters", f"{other!a}: {error}")
    if not case.bounded:
        # Right only where what must stay cannot, a mark that would be repaired away whatever else is kept, or where no
        # compression of the system keeps to the pins.
        cannot_stay = any(
            not any(map(str.isalnum, sentence.words[word]))
            for sentence, keep in zip(source.sentences, source.keep, strict=True)
            for word in keep
        )
        if error.possible is not None or not (cannot_stay or _has_none(case, source)):
            yield Violation("3 refused without a budget", str(error))
        return
    if error.possible is None:
        # So it is only where no length would do: the words that must stay or go leave nothing.
        if not (case.keep or case.drop or dict(case.options).get("protect")) or not _refused(
            case.unlimited()
        ):
            yield Violation(f"3 {where}refusal says nothing of what is possible", str(error))
        return
    low, high = error.possible
    least, most = source.limits
    if least <= low <= most or least <= high <= most:
        yield Violation(f"3 {where}what is possible was asked for", str(error))
        return
    for amount in dict.fromkeys((low, high)):
        again = _refused(case.exactly(amount))
        if again:
            yield Violation(f"3 {where}{case.unit}: possible is refused", f"{error} -> {again}")
            return
    reached = _reachable(case, source)
    if reached is None:
        return
    possible = {cost for cost, clean in reached.items() if clean}
    inside = sorted(cost for cost in possible if least <= cost <= most)
    if inside:
        yield Violation(f"3 {where}{case.unit}: refused but possible", f"{inside[0]} is possible: {error}")
        return
    below = max((cost for cost in possible if cost < least), default=None)
    above = min((cost for cost in possible if cost > most), default=None)
    if below is None and above is None:
        return
    # What only a text with repairs costs may be offered, if it is as near.
    said_below = low if low < least else None
    said_above = high if high > most else None
    fine = (
        said_below == below or (said_below in reached and (below is None or below < (said_below or 0)))
    ) and (said_above == above or (said_above in reached and (above is None or above > (said_above or 0))))
    if not fine:
        yield Violation(
            f"3 {where}{case.unit}: possible is not the nearest", f"nearest {below} and {above}: {error}"
        )


def _refused(case: Case) -> str:
    """What a refusal of the request says; nothing if it is answered."""
    try:
        case.run()
    except laconic.LaconicError as error:
        return str(error)
    return ""


def _has_none(case: Case, source: _Source) -> bool:
    """Whether a system that cannot make every selection has none with these pins, by its rules or constraints alone."""
    [sentence], [keep], [drop] = source.sentences, source.keep, source.drop
    system = laconic.open_system(case.system)
    [parsed] = annotated([sentence])
    if isinstance(system, Ilp):
        allowed = [word for word in range(len(sentence)) if word not in drop]
        rules = constraints_of(parsed, system.kinds)
        if len(allowed) - len(keep) > _ENUMERABLE:
            return not _derives(system.decoder(parsed), len(sentence), keep, drop)
        return not any(
            all(
                rule.low <= sum(value for word, value in rule.terms if word in kept) <= rule.high
                for rule in rules
            )
            for kept in map(frozenset, selections(allowed, keep))
        )
    if isinstance(system, Joint):
        forests = [part.deletion_space(parsed).decoder for part in (system.first, system.second)]
    elif isinstance(system, TreeTransducer):
        forests = [ForestDecoder(system.transduction(parsed).forest, words=len(sentence))]
    else:
        return False
    return any(
        isinstance(forest, ForestDecoder)
        and not _derives(forest, len(sentence), keep, drop)
        and not any(
            keep.issubset(each.kept) and drop.isdisjoint(each.kept) for each in forest.k_best(_DERIVATIONS)
        )
        for forest in forests
    )


def _derives(decoder: Searcher, words: int, keep: frozenset[int], drop: frozenset[int]) -> bool:
    prices = np.zeros(words)
    prices[[*keep]], prices[[*drop]] = np.inf, -np.inf
    try:
        decoder.best(prices=prices)
    except laconic.InfeasibleBudget:
        return False
    return True


def _reachable(case: Case, source: _Source) -> dict[int, bool] | None:
    """The costs of all selections that may be answered, each with whether one of them needs no removal.

    None where there are too many, or where the system is not free to select.
    """
    if case.system != "default" or dict(case.options).get("protect"):
        return None
    choices: list[list[tuple[int, ...] | None]] = []
    free_words = 0
    for sentence, keep, drop in zip(source.sentences, source.keep, source.drop, strict=True):
        free = [index for index in range(len(sentence)) if index not in keep | drop]
        free_words += len(free)
        if free_words > _ENUMERABLE:
            return None
        selections: list[tuple[int, ...] | None] = [
            tuple(sorted((*keep, *(index for number, index in enumerate(free) if chosen >> number & 1))))
            for chosen in range(2 ** len(free))
        ]
        speaks = [each for each in selections if each and _says_something(sentence, each)]
        whole = [index for index in range(len(sentence)) if index not in drop]
        choices_here = (
            speaks if keep or _says_something(sentence, whole) else [each for each in selections if each]
        )
        if keep:
            choices_here = selections  # type: ignore[assignment]
        if (not keep and dict(case.options).get("drop_sentences")) or not whole:
            choices_here = [*choices_here, None]  # type: ignore[list-item]
        choices.append(choices_here)  # type: ignore[arg-type]
    if math.prod(map(len, choices)) > 2**_ENUMERABLE:
        return None
    unit = UNITS[case.unit]
    written: list[list[Any]] = [
        [None if each is None else laconic.Compression.by_deletion(sentence, each) for each in options]
        for sentence, options in zip(source.sentences, choices, strict=True)
    ]
    reached: dict[int, bool] = {}
    for combination in product(*written):
        if all(each is None for each in combination) and any(len(options) > 1 for options in choices):
            continue
        words, text, clean = [], "", True
        for number, each in enumerate(combination):
            if each is None or not each.text:
                continue
            text += (_gap_behind(source.sentences[number - 1]) if text else "") + each.text
            words += each.words
            clean &= not any(repair.kind.startswith(_REMOVALS) for repair in each.repairs)
        cost = unit.count(words, text)
        reached[cost] = reached.get(cost, False) or clean
    return reached


def _says_something(sentence: laconic.Sentence, kept: Sequence[int]) -> bool:
    return any(any(map(str.isalnum, sentence.words[index])) for index in kept)
