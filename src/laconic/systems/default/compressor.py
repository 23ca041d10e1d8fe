"""The default system: one pass of the network, then an exact search over words that the parse ties together."""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from copy import copy
from dataclasses import asdict, fields, replace
from functools import lru_cache
from pathlib import Path
from typing import ClassVar, Literal, Self

from laconic.annotate.annotator import Analysis, Annotator, load_annotator
from laconic.budget import Budget
from laconic.budgets import Meeting, Request, SearchSpace
from laconic.compression import Compression
from laconic.corpora.pair import Pair
from laconic.decode.contract import Decoder
from laconic.errors import LaconicError
from laconic.sentence import Sentence
from laconic.storage import Content, open_model, write_model
from laconic.systems.decoding import DecodingSystem
from laconic.systems.default.filling import Filling
from laconic.systems.default.prices import EXACT, LIKE_REFERENCES, NATURAL, WITHIN_LIMITS, Prices
from laconic.systems.default.protected import check_kinds, protected_words
from laconic.systems.default.reading import Reading
from laconic.systems.default.scoring import REGISTERS, Weights, style_bias, with_stop, without_stop
from laconic.systems.reasons import Hold

GENERAL = "general"
"""The register where none is asked for."""

Style = float | Literal["terse", "balanced", "safe"]
Worth = Callable[[Sentence], Sequence[float]]
"""What keeping each word of a sentence is worth beyond its scores."""

_MOST_FITTED = 500  # pairs that are enough to learn a length from
_MOST_COMPARED = 100  # pairs that are enough to tell registers apart
_WIDEST_BIAS = 16.0  # log-odds: beyond, next to nothing or everything is kept
_HALVINGS = 13
_REMEMBERED = 8  # sentences, of which each thread has a few in hand
_LONGEST_REMEMBERED = 80  # words


class Compressor(DecodingSystem):
    """Shortens sentences to a budget, or to the length that is natural for a register.

    `register` is whose compressions are imitated: "news" (headline writers, who keep least), "spoken"
    (annotators of broadcasts, who keep most) or "written" (annotators of print, who keep nearly as much).
    Without one it is what copy editors make of any prose.
    `style` moves the natural length: from 0, "terse", to 1, "safe", which keeps more; without a style, a
    budget that is only an upper limit is used up. `protect` names kinds of words that are always kept, unless
    they are to be dropped: "names", "numbers", "negations". Threads may share a compressor.

    >>> compressor = Compressor(threads=1)
    >>> compressor.compress("The mayor did not resign on Monday, despite the protests.", Budget.at_most(6)).text
    'The mayor did not resign.'
    """

    name: ClassVar[str] = "default"

    def __init__(
        self,
        *,
        register: str | None = None,
        style: Style | None = None,
        protect: Collection[str] = (),
        weights: Weights | None = None,
        annotator: Annotator | None = None,
        threads: int | None = None,
    ) -> None:
        if register is not None and register not in REGISTERS:
            raise LaconicError(f"no register {register!r}; known: {', '.join(REGISTERS)}")
        self.register, self.style, self.weights = register, style, weights
        self.protect = check_kinds(protect)
        self._style_bias = 0.0 if style is None else style_bias(style)
        self._threads = threads or os.cpu_count() or 1
        self._annotator = load_annotator(threads=self._threads) if annotator is None else annotator
        self._worth: Worth | None = None
        self._recent = lru_cache(maxsize=_REMEMBERED)(self._analysed_anew)
        self._recently_read = lru_cache(maxsize=_REMEMBERED)(self._read_anew)

    def with_manner(
        self,
        *,
        register: str | None = None,
        style: Style | None = None,
        protect: Collection[str] = (),
    ) -> Self:
        """The same compressor, sharing its network, with another register, style or protection."""
        return type(self)(
            register=register,
            style=style,
            protect=protect,
            weights=self.weights,
            annotator=self._annotator,
            threads=self._threads,
        )

    def favouring(self, worth: Worth) -> Self:
        """The same compressor, sharing its network, for which keeping a word is worth more, by what `worth` says.

        It is given tagged sentences; one unit makes a word 2.7 times as likely to be kept.
        """
        favouring = copy(self)
        favouring._worth = worth
        favouring._recently_read = lru_cache(maxsize=_REMEMBERED)(favouring._read_anew)
        return favouring

    @property
    def threads(self) -> int:
        """On how many threads streams are compressed."""
        return self._threads

    def decoder(self, sentence: Sentence) -> Decoder:
        """The search over the compressions of a sentence at its natural length."""
        return self._read(sentence).space.decoder

    def search_space(self, sentence: Sentence) -> SearchSpace:
        """The compressions of a sentence at its natural length."""
        return self._read(sentence).space

    def meeting(self, request: Request) -> Meeting:
        """The search for what meets a request.

        What must not be torn apart (a verb and its negation, a number and what it counts, a subject and its
        verb) stays together unless budget or pins leave no other way; then `notes` say what was torn, and
        also what of the grammar was.
        """
        budget = request.budget
        reading = self._read_for(request.sentence, budget)
        request = self._protecting(request, reading.sentence)
        if self.style is None and budget is not None and budget.least is None:
            return Filling(reading.space, request, reading)
        return Meeting(reading.space, request)

    def meeting_of_lengths(self, request: Request) -> Meeting:
        """The search for the best compression of each length, at the prices of one that is set."""
        reading = self._read(request.sentence, given_length=True, prices=self._exact)
        return Meeting(reading.space, self._protecting(request, reading.sentence))

    def holds(self, compression: Compression, budget: Budget | None = None) -> Mapping[int, Sequence[Hold]]:
        """The ties that would be torn if a word of the source alone had gone the other way, by the word."""
        if not compression.sentence.words:
            return {}
        return self._read_for(compression.sentence, budget).holds(compression.kept or ())

    def protected(self, sentence: Sentence) -> frozenset[int]:
        """The words of the kinds that are protected."""
        if not self.protect or not sentence.words:
            return frozenset()
        return protected_words(self._analysed(sentence, self._mixture).sentence, self.protect)

    def fit(self, pairs: Iterable[Pair]) -> Self:
        """The compressor whose natural length is that of the references, and whose register is nearest to them.

        Two things are learnt: the bias of a kept word, which counts where no limit sets the length, and, where none is
        set, the register whose compressions agree best with the references at their lengths, which counts under limits
        too. A few hundred pairs are enough, and no more are used.
        """
        chosen = [pair for pair in pairs if pair.source.words][:_MOST_FITTED]
        if not chosen:
            raise LaconicError("there is no sentence to learn a length from")
        wanted = sum(
            sum(map(len, pair.references)) / (len(pair.references) * len(pair.source)) for pair in chosen
        )
        register = self.register or self._nearest_register(chosen[:_MOST_COMPARED])
        base = self._weights_of(register)
        analyses = [self._analysed(pair.source, self._emphasised(register)) for pair in chosen]

        def kept(bias: float) -> float:
            weights = replace(base, bias=bias)
            return sum(
                len(Reading(analysis, weights).paths.best().kept) / len(analysis.sentence)
                for analysis in analyses
            )

        # The kept share grows with the bias.
        low, high = -_WIDEST_BIAS, _WIDEST_BIAS
        for _ in range(_HALVINGS):
            middle = (low + high) / 2
            low, high = (middle, high) if kept(middle) < wanted else (low, middle)
        fitted = self.with_manner(register=register, style=self.style, protect=self.protect)
        fitted.weights = replace(base, bias=(low + high) / 2)
        return fitted

    def _nearest_register(self, pairs: Sequence[Pair]) -> str:
        """The register of the best F1 at the references' lengths; of equally good ones that of any prose."""
        asked = [(pair.source, kept) for pair in pairs for kept in pair.kept[:1] if kept]
        agreement = {}
        for name in sorted(REGISTERS, key=lambda name: name != GENERAL):
            system = self.with_manner(register=name)
            found = (
                system.compress(source, Budget.exactly(len(kept), unit="pieces")) for source, kept in asked
            )
            agreement[name] = sum(
                len(set(kept) & set(answer.kept or ())) / len(kept)
                for (_, kept), answer in zip(asked, found, strict=True)
            )
        return max(agreement, key=lambda name: agreement[name])

    def save(self, folder: Path) -> None:
        """Write register, style, protection and weights; the network is laconic's own."""
        settings = {
            "register": self.register,
            "style": self.style,
            "protect": self.protect,
            "weights": self.weights and asdict(self.weights),
        }
        write_model(folder, self.name, Content(settings))

    @classmethod
    def load(cls, folder: Path) -> Self:
        """The compressor that `save` wrote."""
        with open_model(folder, cls.name) as stored:
            weights = None
            if stored.settings["weights"] is not None:
                numbers = stored.within("weights")
                weights = Weights(*(numbers.number(field.name) for field in fields(Weights)))
            manner = {name: stored.settings[name] for name in ("register", "style", "protect")}
            return cls(**manner, weights=weights)

    def _protecting(self, request: Request, tagged: Sentence) -> Request:
        if not self.protect:
            return request
        return replace(request, keep=request.keep | protected_words(tagged, self.protect) - request.drop)

    def _given_length(self, budget: Budget | None) -> bool:
        """Whether a budget sets the length, not the register and the style."""
        if budget is None or budget.most is None:
            return False
        return self.style is None or budget.least is not None

    @property
    def _mixture(self) -> tuple[float, ...]:
        return self._emphasised(self.register or GENERAL)

    def _emphasised(self, register: str) -> tuple[float, ...]:
        """What the network is shown of a register, as the weight of each."""
        emphasis = self._weights_of(register).emphasis
        return tuple(emphasis if name == register else 0.0 for name in REGISTERS)

    def _weights_of(self, register: str) -> Weights:
        return REGISTERS[register] if self.weights is None else self.weights

    @property
    def _exact(self) -> Prices:
        return EXACT if self.register is None else LIKE_REFERENCES

    def _read_for(self, sentence: Sentence, budget: Budget | None) -> Reading:
        given = self._given_length(budget)
        ranged = given and budget is not None and budget.least != budget.most
        return self._read(
            sentence,
            given_length=given,
            prices=WITHIN_LIMITS if ranged else self._exact if given else NATURAL,
        )

    def _read(
        self,
        sentence: Sentence,
        *,
        given_length: bool = False,
        prices: Prices = NATURAL,
    ) -> Reading:
        """A sentence ready to be searched; who asks for one length after another has it read once."""
        search = self._recently_read if len(sentence) <= _LONGEST_REMEMBERED else self._read_anew
        return search(sentence, given_length, prices)

    def _read_anew(self, sentence: Sentence, given_length: bool, prices: Prices) -> Reading:
        analysis = self._analysed(sentence, self._mixture)
        worth = None if self._worth is None else self._worth(analysis.sentence)
        weights = self._weights_of(self.register or GENERAL)
        if given_length:
            weights = weights.at_given_length()
        else:
            weights = replace(weights, bias=weights.bias + self._style_bias)
        return Reading(analysis, weights, prices, worth, for_readers=self.register is None)

    def _analysed(self, sentence: Sentence, register: tuple[float, ...]) -> Analysis:
        """What the network says of a sentence; who cuts one again and again asks it once."""
        search = self._recent if len(sentence) <= _LONGEST_REMEMBERED else self._analysed_anew
        return search(sentence, register)

    def _analysed_anew(self, sentence: Sentence, register: tuple[float, ...]) -> Analysis:
        stopped = with_stop(sentence)
        if stopped is not None:
            found = without_stop(self._annotator.analysed(stopped, register=register), sentence)
            if found is not None:
                return found
        return self._annotator.analysed(sentence, register=register)
