"""Cutting the words of sentences until every cue they span is within its limits.

All cues that are too long and share sentences are cut together. First their sentences are shortened with one budget
for all of them; if every single cue fits then, that is it. If not, the cues are cut one after the other, each to its
own limit and as well as can be with what is left of the others, and then once more, to fill what has become free. Words
of other cues stay where and as they are throughout.

That each limit is met is measured on the cue as it will be written, so it is certain. That the whole is the best is
not: one budget for all is weaker than a limit for each. What it finds is the best where every cue fits, as far as the
system's own search is exact and no cue had to be kept from falling silent; elsewhere it bounds the best from above.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from laconic.budget import Budget, Unit
from laconic.budgets.documents import meet_as_document
from laconic.budgets.parts import Part
from laconic.compression import Compression
from laconic.documents.subtitles.composition import Kept, Script, one_line
from laconic.documents.subtitles.lines import by_turn
from laconic.documents.subtitles.measuring import excess_of
from laconic.documents.subtitles.norms import Norm
from laconic.errors import InfeasibleBudget, LaconicError
from laconic.sentence import Sentence
from laconic.systems.system import System
from laconic.text.detokenise import detokenise

Words = frozenset[tuple[int, int]]
"""Words by the number of their sentence and their own."""

_STOPS = frozenset((".", "?", "!", "…", "...", "?!", "!?"))
_TRIES = 24  # of one cue, whose lines or marks may need less than its characters


class TooMuch(Exception):
    """Sentences that cannot give up so many characters; so many are missing."""

    def __init__(self, missing: int) -> None:
        super().__init__(f"{missing} characters too many are left")
        self.missing = missing


class CannotFit(Exception):
    """A cue that no cut brings within its limits."""

    def __init__(self, cue: int, why: str) -> None:
        super().__init__(why)
        self.cue, self.why = cue, why


@dataclass
class Cut:
    """What is left of the sentences of some cues, the cues that cannot be met and why, and what was noted."""

    cues: list[int] = field(default_factory=list)
    kept: dict[int, frozenset[int]] = field(default_factory=dict)
    impossible: dict[int, str] = field(default_factory=dict)
    notes: dict[int, tuple[str, ...]] = field(default_factory=dict)
    annotated: dict[int, Sentence] = field(default_factory=dict)


@dataclass(frozen=True)
class Cutter:
    """What cuts the cues of a script: a system, the norm, how long each cue is shown, and words that must stay."""

    script: Script
    norm: Norm
    durations: Sequence[int]
    system: System
    keep: Mapping[int, Collection[int]] = field(default_factory=dict)
    drop_sentences: bool = False

    def groups(self, cues: Iterable[int]) -> list[tuple[int, ...]]:
        """The cues in groups that share sentences."""
        wanted = set(cues)
        group = {cue: cue for cue in wanted}

        def root(cue: int) -> int:
            while group[cue] != cue:
                cue = group[cue]
            return cue

        for spoken in self.script.sentences:
            shared = [cue for cue in spoken.cues if cue in wanted]
            for cue in shared[1:]:
                group[root(cue)] = root(shared[0])
        found: dict[int, list[int]] = {}
        for cue in sorted(wanted):
            found.setdefault(root(cue), []).append(cue)
        return [tuple(each) for each in found.values()]

    def cut(self, cues: Sequence[int]) -> Cut:
        """The cut that brings a group of cues within their limits, as far as there is one."""
        answer = Cut(list(cues))
        while answer.cues:
            try:
                self._cut_all(answer.cues, answer)
            except CannotFit as error:
                answer.impossible[error.cue] = error.why
                answer.cues.remove(error.cue)
                answer.kept, answer.notes = {}, {}
            else:
                break
        return answer

    def _cut_all(self, cues: Sequence[int], answer: Cut) -> None:
        if len(cues) > 1:
            answer.kept |= self._cut_together(cues, answer)
            if answer.kept and all(self._fits(cue, answer.kept) for cue in cues):
                return
        for cue in cues:
            answer.kept |= self._fitted(cue, answer.kept, answer)
        for cue in cues if len(cues) > 1 else ():
            whole = self._with(self.script.spoken[cue], answer.kept)
            answer.kept |= self._fitted(cue, whole, answer)

    def _cut_together(self, cues: Sequence[int], answer: Cut) -> dict[int, frozenset[int]]:
        """What is best for all cues under one budget, each of them saying something; nothing if there is none."""
        words = frozenset(word for cue in cues for word in self.script.spoken[cue])
        over = sum(max(0, self._characters(cue, {}) - self._most(cue)) for cue in cues)
        pins: set[tuple[int, int]] = set()
        while True:
            try:
                kept = self._solve(words, over, {}, answer, frozenset(pins))
            except TooMuch:
                return {}
            silent = [self._words(cue, turn) for cue in cues for turn in self._silent_turns(cue, kept)]
            if not silent:
                return kept
            pins |= {self._most_telling(each, answer) for each in silent}

    def _fits(self, cue: int, kept: Kept) -> bool:
        atoms = self.script.atoms(cue, kept)
        silent = self._silent_turns(cue, kept)
        return excess_of(atoms, self.durations[cue], self.norm) is None and not silent

    def _fitted(self, cue: int, kept: Kept, answer: Cut) -> dict[int, frozenset[int]]:
        """The sentences with words of a cue cut until it fits; those of other cues stay as they are."""
        script, norm = self.script, self.norm
        kept = dict(kept)
        pins: set[tuple[int, int]] = set()
        drops: set[tuple[int, int]] = set()
        spare: set[int] = set()
        for _ in range(_TRIES):
            over = excess_of(script.atoms(cue, kept), self.durations[cue], norm, frozenset(spare))
            silent = self._silent_turns(cue, kept)
            if over is None and not silent:
                return kept
            turn = over.turn if over is not None else silent[0]
            words = self._words(cue, turn)
            if not words:
                raise CannotFit(cue, "what stands in it is not speech, and is kept")
            if over is not None and over.wide:
                wide = {(atom.sentence, atom.word) for atom in over.wide}
                if not wide <= words or wide & drops:
                    raise CannotFit(cue, f"{over.wide[0].text!r} is wider than a line")
                drops |= wide
            if silent:
                left = self._words(cue, silent[0]) - drops
                if not any(self._says_something(word) for word in left):
                    raise CannotFit(cue, "its only word is wider than a line")
                pins.add(self._most_telling(left, answer))
            whole = self._with(words, kept)
            wanted = self._most(cue) if over is None else self._characters(cue, kept) - over.characters
            amount = max(0, self._characters(cue, whole) - wanted)
            try:
                kept |= self._solve(words, amount, kept, answer, frozenset(pins), frozenset(drops))
            except TooMuch as error:
                if turn in spare or len(by_turn(script.atoms(cue, {}))) == 1:
                    raise CannotFit(cue, "no cut of its sentences leaves so little") from None
                # As little of this speaker as can be; the rest is for the others to give up.
                spare.add(turn)
                amount -= error.missing
                kept |= self._solve(words, max(0, amount), kept, answer, frozenset(pins), frozenset(drops))
        raise CannotFit(cue, "no cut of its sentences was found that fits its lines")

    def _words(self, cue: int, turn: int) -> Words:
        """The words that a speaker says in a cue."""
        places = (
            (number, word, self.script.sentences[number].places[word])
            for number, word in self.script.spoken[cue]
        )
        return frozenset((number, word) for number, word, place in places if place.turn == turn)

    def _solve(
        self,
        words: Words,
        amount: int,
        kept: Kept,
        answer: Cut,
        pins: Words = frozenset(),
        drops: Words = frozenset(),
    ) -> dict[int, frozenset[int]]:
        """What is left of the sentences of some words if these alone are cut, by at least so many characters.

        The stop at the end of a sentence stays if it can.
        """
        stops = self._stops(words) - drops
        if stops - pins:
            try:
                return self._solve(words, amount, kept, answer, pins | stops, drops)
            except TooMuch:
                pins = pins - stops
        free: dict[int, set[int]] = {}
        for number, word in words:
            free.setdefault(number, set()).add(word)
        parts = []
        for number, own in sorted(free.items()):
            sentence = self.script.sentence(number)
            everything = frozenset(range(len(sentence)))
            whole = kept.get(number, everything) | own
            must_stay = whole - own | {word for other, word in pins if other == number}
            must_stay |= everything & frozenset(self.keep.get(number, ())) & whole
            must_go = everything - whole | {word for other, word in drops if other == number} - must_stay
            droppable = self.drop_sentences and not must_stay
            parts.append((number, Part(sentence, must_stay, must_go, droppable)))
        found = self._shortened([part for _, part in parts], amount)
        result: dict[int, frozenset[int]] = {}
        for (number, _), compression in zip(parts, found, strict=True):
            result[number] = frozenset(compression.kept or ()) if compression is not None else frozenset()
            if compression is not None:
                answer.notes[number] = compression.notes
                answer.annotated[number] = compression.sentence
                first = self._first_for(number, compression, free[number], answer.cues)
                if first is not None and (number, first) not in pins | drops:
                    return self._solve(words, amount, kept, answer, pins | {(number, first)}, drops)
        return result

    def _shortened(self, parts: Sequence[Part], amount: int) -> list[Compression | None]:
        unit: Unit = "characters" if self.norm.count_spaces else len
        costs = [_cost(part, unit) for part in parts]
        most = sum(costs) + (len(parts) - 1 if self.norm.count_spaces else 0) - amount
        budget = Budget.at_most(max(0, most), unit=unit)
        try:
            if len(parts) == 1 and not parts[0].droppable:
                return [self._compressed(parts[0], budget)]
            shared = meet_as_document(self.system, parts, budget).compressions
        except InfeasibleBudget as error:
            raise TooMuch(max(error.possible or (sum(costs),)) - most) from None
        # They gave up so much each; now each is written as well as can be within that.
        answers: list[Compression | None] = []
        for part, found, cost in zip(parts, shared, costs, strict=True):
            if found is None:
                answers.append(None)
                continue
            own = min(cost, budget.measure(found.standing, found.text))
            answers.append(self._compressed(part, Budget.at_most(own, unit=unit)))
        return answers

    def _compressed(self, part: Part, budget: Budget) -> Compression:
        found = self.system.compress(part.sentence, budget, keep=part.keep, drop=part.drop)
        if found.kept is None:
            raise LaconicError(
                f"system {self.system.name!r} rewrites sentences; subtitles need one that only cuts words"
            )
        return found

    def _stops(self, words: Words) -> Words:
        """Of some words those that are the stops at the ends of sentences."""
        ends = ((number, len(self.script.sentence(number)) - 1) for number in {number for number, _ in words})
        return words & {
            (number, word) for number, word in ends if self.script.sentence(number).words[word] in _STOPS
        }

    def _first_for(
        self, number: int, compression: Compression, free: Collection[int], cues: Collection[int]
    ) -> int | None:
        """The word to begin a sentence with, if otherwise one in a cue that is not touched would need a capital."""
        spoken = self.script.sentences[number]
        for repair in compression.repairs:
            if repair.kind == "capitalised" and spoken.places[repair.where].cue not in cues:
                before = (word for word in sorted(free) if word < repair.where)
                return next(
                    (word for word in before if any(map(str.isalnum, spoken.sentence.words[word]))), None
                )
        return None

    def _silent_turns(self, cue: int, kept: Kept) -> list[int]:
        """The speakers of a cue who have no word left, but had some."""
        spoke, speaks = set(), set()
        for number, word in filter(self._says_something, self.script.spoken[cue]):
            turn = self.script.sentences[number].places[word].turn
            spoke.add(turn)
            if number not in kept or word in kept[number]:
                speaks.add(turn)
        return sorted(spoke - speaks)

    def _most_telling(self, words: Words, answer: Cut) -> tuple[int, int]:
        """Of some words the one that is nearest to the root of its sentence."""

        def depth(place: tuple[int, int]) -> tuple[bool, int, int]:
            number, word = place
            sentence = answer.annotated.get(number, self.script.sentence(number))
            depth, head = 0, word
            while sentence.heads is not None and sentence.heads[head] >= 0:
                depth, head = depth + 1, sentence.heads[head]
            return not self._says_something(place), depth, -len(sentence.words[word])

        return min(sorted(words), key=depth)

    def _says_something(self, place: tuple[int, int]) -> bool:
        """Whether a word is more than a mark."""
        number, word = place
        return any(map(str.isalnum, self.script.sentence(number).words[word]))

    def _with(self, words: Iterable[tuple[int, int]], kept: Kept) -> dict[int, frozenset[int]]:
        result = dict(kept)
        for number, word in words:
            if number in result:
                result[number] |= {word}
        return result

    def _characters(self, cue: int, kept: Kept) -> int:
        return self.norm.count(one_line(self.script.atoms(cue, kept)))

    def _most(self, cue: int) -> int:
        return self.norm.most_characters(self.durations[cue])


def _cost(part: Part, unit: Unit) -> int:
    """What a sentence costs with all of its words that need not go."""
    left = [word for word in range(len(part.sentence)) if word not in part.drop]
    text, _ = detokenise(part.sentence, left)
    return Budget.at_most(0, unit=unit).measure([part.sentence.words[word] for word in left], text)
