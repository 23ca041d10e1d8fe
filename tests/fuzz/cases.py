"""A request as one line of Python: drawn from a seed, run by evaluating the line that would reproduce it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from random import Random
from typing import Any

import laconic
from laconic import split_sentences, tokenise
from laconic.documents.structure import Block
from laconic.documents.text import read_text
from laconic.systems.registry import SYSTEMS
from laconic.units.graphemes import count_graphemes
from laconic.units.septets import count_septets
from tests.fuzz.texts import document, long_list, long_sentence, short_text, tiny_text


@dataclass(frozen=True, slots=True)
class Unit:
    """What a budget counts: as Python source, and by the words and the text of an answer."""

    source: str
    count: Callable[[Sequence[str], str], int]
    of_words: bool = False
    is_option: bool = False


UNITS: dict[str, Unit] = {
    "pieces": Unit('"pieces"', lambda words, text: len(words), of_words=True),
    "characters": Unit('"characters"', lambda words, text: len(text), is_option=True),
    "words": Unit(
        '"words"',
        lambda words, text: sum(any(map(str.isalnum, piece)) for piece in text.split()),
        is_option=True,
    ),
    "bytes": Unit(
        'laconic.units.unit("bytes")',
        lambda words, text: len(text.encode("utf-8", "surrogatepass")),
        is_option=True,
    ),
    "graphemes": Unit(
        'laconic.units.unit("graphemes")', lambda words, text: count_graphemes(text), is_option=True
    ),
    "septets": Unit('laconic.units.unit("septets")', lambda words, text: count_septets(text), is_option=True),
    "measured bytes": Unit(
        'laconic.TextCost(lambda text: len(text.encode("utf-8", "surrogatepass")), "bytes")',
        lambda words, text: len(text.encode("utf-8", "surrogatepass")),
    ),
    "quarters": Unit(
        'laconic.TextCost(lambda text: -(-len(text) // 4), "quarters")',
        lambda words, text: -(-len(text) // 4),
    ),
    "lengths": Unit("len", lambda words, text: sum(map(len, words)), of_words=True),
    "letters e": Unit(
        'lambda word: word.count("e")',
        lambda words, text: sum(word.count("e") for word in words),
        of_words=True,
    ),
    "dear": Unit(
        "lambda word: 30_000 * len(word)", lambda words, text: 30_000 * sum(map(len, words)), of_words=True
    ),
}


@dataclass(frozen=True, slots=True)
class Case:
    """A call of `compress` with a sentence or a document; without a least and a most there is no budget."""

    text: str
    whole_document: bool = False
    unit: str = "words"
    least: float | None = None
    most: float | None = None
    relative: bool = False
    keep: tuple[str, ...] = ()
    drop: tuple[str, ...] = ()
    options: tuple[tuple[str, Any], ...] = ()

    @property
    def system(self) -> str:
        """The system that is asked."""
        return str(dict(self.options).get("system", "default"))

    @property
    def bounded(self) -> bool:
        """Whether there is a budget."""
        return self.least is not None or self.most is not None

    def line(self) -> str:
        """The call, as Python that needs nothing but `import laconic`."""
        text = ascii(self.text) if self.whole_document else f"laconic.tokenise({self.text!a})"
        arguments = [text, *self._budget()]
        arguments += [
            f"{name}=[{', '.join(map(ascii, phrases))}]"
            for name, phrases in (("keep", self.keep), ("drop", self.drop))
            if phrases
        ]
        arguments += [f"{name}={value!a}" for name, value in self.options]
        return f"laconic.compress({', '.join(arguments)})"

    def _budget(self) -> list[str]:
        if not self.bounded:
            return []
        keyword = "ratio" if self.relative and self.unit == "words" else self.unit
        if self.most is not None and (
            UNITS[self.unit].is_option
            and self.relative <= (keyword == "ratio")
            and "e" not in f"{self.least!r}{self.most!r}".replace("None", "")  # such as 1e-05
        ):
            if self.least is None:
                return [f"{keyword}={self.most!r}"]
            amount = f"={self.most!r}" if self.least == self.most else f"{self.least!r}..{self.most!r}"
            return [f"{keyword}={amount!r}"]
        relative = ", True" if self.relative else ""
        return [f"laconic.Budget({self.least!r}, {self.most!r}, {UNITS[self.unit].source}{relative})"]

    def run(self) -> Any:
        """What the call returns."""
        return eval(self.line(), {"laconic": laconic})

    def exactly(self, amount: int) -> Case:
        """The same request at exactly so much."""
        return replace(self, least=amount, most=amount, relative=False)

    def unlimited(self) -> Case:
        """The same request at any length."""
        return replace(self, least=0, most=None, relative=False)


CHEAP = ("truncate", "everything")
PUBLISHED = (
    *("dependency", "discriminative", "markov", "noisy-channel"),
    *("transducer", "bayesian", "em", "variational"),
    *("ngram", "joint-lm", "joint-discriminative", *(["ilp"] if SYSTEMS["ilp"].can_run else [])),
)
_LONG = 0.006  # share of the sentences; half of them are nearly as long as is promised to be soon
_LENGTHS = ((60, 190), (190, 300), (300, 380), (380, 380), (800, 1000))


def draw(random: Random, *, systems: Sequence[str] = (), texts: Sequence[str] = ()) -> Case:
    """A request; `systems` limits which are asked, `texts` are taken beside those that are made up."""
    system = random.choice(systems) if systems else _system(random)
    whole_document = system == "default" and random.random() < 0.3
    tiny = random.random() < 0.5
    if texts and random.random() < 0.5:
        text = random.choice(texts)
    elif whole_document:
        text = document(random, tiny=tiny)
    elif random.random() < _LONG:
        lengths = _LENGTHS if system == "default" else _LENGTHS[:-1]
        text = random.choice((long_sentence, long_sentence, long_list))(random, *random.choice(lengths))
    elif tiny:
        text = tiny_text(random)
    else:
        text = short_text(random)
    case = Case(_one_block(text) if whole_document else _bare(text), whole_document)
    case = _with_budget(random, case)
    options = [("system", system)] if system != "default" else []
    if random.random() < 0.35:
        case = _with_pins(random, case)
    if system == "default":
        options += _manner(random, case.bounded)
        if whole_document and random.random() < 0.4:
            options.append(("drop_sentences", True))  # type: ignore[arg-type]
    return replace(case, options=tuple(options))


def _system(random: Random) -> str:
    chance = random.random()
    return "default" if chance < 0.75 else random.choice(CHEAP if chance < 0.87 else PUBLISHED)


def _manner(random: Random, bounded: bool) -> list[tuple[str, Any]]:
    chosen: list[tuple[str, Any]] = []
    if random.random() < 0.05:
        chosen.append(("like", random.choice(("headlines", "broadcast", "print"))))
    if not bounded and random.random() < 0.5:
        chosen.append(("length", random.choice(("short", "medium", "long", 0.3))))
    if random.random() < 0.08:
        chosen.append(("protect", random.sample(("names", "numbers", "negations"), random.randint(1, 3))))
    return chosen


def _bare(text: str) -> str:
    """A sentence without what stands before its first word and behind its last."""
    sentence = tokenise(text)
    return text[len(sentence.lead) : len(text) - len(sentence.spaces[-1])] if sentence.words else ""


def _one_block(text: str) -> str:
    """The text as one paragraph: how others are told apart is no matter of budgets."""
    text = _bare(" ".join(line.strip() for line in text.splitlines()))
    segments = read_text(text)
    is_block = len(segments) == 1 and isinstance(segments[0], Block) and not segments[0].lead
    return text if is_block or not text else f"So {text}"


def _with_budget(random: Random, case: Case) -> Case:
    if random.random() < 0.04:
        return case
    unit = random.choices(list(UNITS), (29, 28, 10, 8, 2, 2, 6, 5, 9, 5, 3))[0]
    sentences = split_sentences(case.text) if case.whole_document else [tokenise(case.text)]
    words = [word for sentence in sentences for word in sentence.words]
    total = UNITS[unit].count(words, case.text.strip())
    relative = random.random() < 0.2
    if relative:
        draws = sorted(random.choice((round(random.random(), 2), random.random(), 0.5)) for _ in range(2))
        first, second = draws
        if random.random() < 0.3:
            second = min(1.0, first + random.random() * 0.05)
    else:
        first, second = sorted(random.randint(0, total + random.choice((0, 0, 0, 2, 50))) for _ in range(2))
    least, most = random.choices(
        ((first, first), (None, second), (first, None), (first, second)), (45, 25, 10, 20)
    )[0]
    return replace(case, unit=unit, least=least, most=most, relative=relative)


def _with_pins(random: Random, case: Case) -> Case:
    sentences = split_sentences(case.text) if case.whole_document else [tokenise(case.text)]
    phrases = [_phrase(random, sentence) for sentence in sentences if sentence.words for _ in range(2)]
    random.shuffle(phrases)
    kept = random.choice((0, 1, 1, 2))
    dropped = random.choice((0, 1, 1)) if kept else 1
    return replace(case, keep=tuple(phrases[:kept]), drop=tuple(phrases[kept : kept + dropped]))


def _phrase(random: Random, sentence: laconic.Sentence) -> str:
    """Some words of a sentence, as they stand in it."""
    start = random.randrange(len(sentence))
    end = min(len(sentence), start + random.choice((1, 1, 1, 2, 3)))
    between = (
        word + space
        for word, space in zip(sentence.words[start:end], sentence.spaces[start:end], strict=True)
    )
    phrase = "".join(between)
    phrase = phrase.removesuffix(sentence.spaces[end - 1]) if sentence.spaces[end - 1] else phrase
    return random.choice((phrase, phrase, phrase.upper() if phrase.isascii() else phrase))
