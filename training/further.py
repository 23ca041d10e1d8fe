"""The reader of whole answers, learnt further from whole lists that were read.

    python -m training.further --data ../shared/data [--folds 4] [--doubted]

It starts from the reader of `training.reader`, which large readers taught, and learns from what readers said of every
candidate of a list which is good, and which of two is better; what was read before counts less, and what the reader
said is held on to a little. First it learns without one part of the lists after the other, so that each can be asked
what would be chosen, by the rules of `laconic.systems.default.reading` and by others; then from all. No GPU: a few
minutes on one core.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass, replace
from itertools import product
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional as F
from training.candidates import traits
from training.cards import MODELS, finish, needs
from training.general_sentences import Array
from training.large_readers import area_under_curve
from training.read_lists import (
    DOUBTED_LISTS,
    READ_LISTS,
    Candidate,
    ReadList,
    earlier_lists,
    read_lists,
    sentence_texts,
)
from training.reader import Batch, Options, SmallReader
from training.readings import LIMITS
from training.steps import step

from laconic.corpora.registry import checksum, find_corpus
from laconic.storage import checksum_of, read_json
from laconic.systems.default import reading as rules
from laconic.systems.default.compressor import Compressor
from laconic.systems.default.learnt_ties import SMALL_WORD_LOSSES
from laconic.systems.default.protections import declared_losses
from laconic.systems.default.reader import KIND, Opinion, Reader
from laconic.systems.default.reading import Reading
from laconic.systems.default.scoring import REGISTERS
from laconic.text.tokenise import tokenise

torch.set_num_threads(1)  # so small are the batches
GENERAL = "general"
LISTS = 24
"""In a batch."""


@dataclass(frozen=True)
class Further(Options):
    """What a run can vary."""

    epochs: int = 6
    rate: float = 5e-4
    dropout: float = 0.25
    earlier: float = 0.3  # what counts what was read before
    held: float = 0.1  # what the distance to what the reader said before counts


class Torn(NamedTuple):
    """What an answer tears: between which words, how seldom people do, of small words, and whether it is declared."""

    between: tuple[tuple[int, ...], tuple[int, ...]]
    odds: float
    small: bool
    declared: bool


class Seen(NamedTuple):
    """A list as the reader sees it."""

    limit: str
    candidates: tuple[Candidate, ...]
    states: Array  # [places, states]
    heads: tuple[int, ...]
    traits: Array  # [candidates, traits]
    said: Array  # [candidates]: what the reader said before
    torn: Sequence[Sequence[Torn]]


def seen(read: ReadList, compressor: Compressor, reader: Reader) -> Seen:
    """A list with what the default knows of its candidates."""
    sentence = tokenise(read.text)
    found: Reading = compressor._read_for(sentence, LIMITS[read.limit])
    scores, heads = found._scores, found.sentence.heads
    assert scores.states is not None
    assert heads is not None
    opinion = Opinion(reader, scores, heads, REGISTERS[GENERAL].given_keep)
    rows, said, torn = [], [], []
    for candidate in read.candidates:
        solution = found.space.only(candidate.kept)
        assert solution is not None
        rows.append(traits(candidate.kept, solution.score, scores))
        said.append(opinion.log_odds(candidate.kept, solution.score))
        torn.append(
            [
                Torn(
                    (tie.given, tie.needed),
                    price / found._faults.log_odds,
                    tie.torn in SMALL_WORD_LOSSES,
                    tie.torn in declared_losses(),
                )
                for tie, price in found.tie_prices.torn_by(candidate.kept)
            ]
        )
    states = scores.states.astype(np.float32)
    return Seen(
        read.limit,
        read.candidates,
        states,
        heads,
        np.array(rows, np.float32),
        np.array(said, np.float32),
        torn,
    )


class Lesson(NamedTuple):
    """A batch with what readers said of it."""

    batch: Batch
    good: Tensor
    rating: Tensor
    said: Tensor
    weight: float


def lesson(lists: Sequence[Seen], weight: float = 1.0) -> Lesson:
    """Some lists with all of their candidates."""
    places = max(len(one.states) for one in lists)
    count = sum(len(one.candidates) for one in lists)
    states = np.zeros((len(lists), places, lists[0].states.shape[1]), np.float32)
    heads, words = np.zeros((len(lists), places), np.int64), np.zeros((len(lists), places), np.float32)
    kept = np.zeros((count, places), np.float32)
    before, behind = np.zeros(kept.shape, np.int64), np.zeros(kept.shape, np.int64)
    owner = np.repeat(np.arange(len(lists)), [len(one.candidates) for one in lists])
    place = 0
    for number, one in enumerate(lists):
        length = len(one.heads)
        states[number, : length + 2] = one.states
        heads[number, 1 : length + 1] = np.maximum(0, np.array(one.heads) + 1)
        words[number, 1 : length + 1] = 1
        for candidate in one.candidates:
            path = np.array([0, *(word + 1 for word in candidate.kept), length + 1])
            kept[place, path[1:-1]] = 1
            before[place, path[1:]], behind[place, path[:-1]] = path[:-1], path[1:]
            place += 1
    arrays = (np.arange(count), owner, states, heads, words, kept, before, behind)
    batch = Batch(
        *map(torch.from_numpy, arrays), torch.from_numpy(np.concatenate([one.traits for one in lists]))
    )
    candidates = [candidate for one in lists for candidate in one.candidates]
    return Lesson(
        batch,
        torch.tensor([float(one.is_good) for one in candidates]),
        torch.tensor([2 * min(one.grammar, one.meaning) + one.grammar + one.meaning for one in candidates]),
        torch.from_numpy(np.concatenate([one.said for one in lists])),
        weight,
    )


def lessons(lists: Iterable[Seen], weight: float) -> list[Lesson]:
    """Lists of similar length side by side."""
    ordered = sorted(lists, key=lambda one: len(one.heads))
    return [lesson(ordered[start : start + LISTS], weight) for start in range(0, len(ordered), LISTS)]


def loss(said: Tensor, given: Lesson, options: Further) -> Tensor:
    """How far what is said is from what readers said, and from what was said before."""
    total = F.binary_cross_entropy_with_logits(said, given.good)
    total = total + options.held * F.smooth_l1_loss(said, given.said)
    owner = given.batch.owner
    better = (owner[:, None] == owner) & (given.rating[:, None] > given.rating)
    wrong = F.softplus(said - said[:, None]) * better
    return given.weight * (total + options.order * wrong.sum() / better.sum().clamp(min=1))


def learn(start: Reader, lists: Sequence[Seen], earlier: Sequence[Seen], options: Further) -> SmallReader:
    """The reader after so many passes over the lists."""
    torch.manual_seed(options.seed)
    rng = np.random.default_rng(options.seed)
    reader = SmallReader(len(start.weights.sides), options)
    reader.start_from(start.weights)
    reader.train()
    given = lessons(lists, 1.0) + lessons(earlier, options.earlier)
    adam = torch.optim.AdamW(reader.parameters(), lr=options.rate, weight_decay=options.decay)
    schedule = torch.optim.lr_scheduler.OneCycleLR(
        adam, options.rate, total_steps=options.epochs * len(given) + 5, pct_start=0.1
    )
    for _ in range(options.epochs):
        for place in rng.permutation(len(given)):
            step(loss(reader(given[place].batch), given[place], options), adam, schedule, reader.parameters())
    return reader.eval()


@torch.no_grad()
def opinions(reader: SmallReader, lists: Sequence[Seen]) -> list[Array]:
    """The log-odds of the candidates of each list."""
    return [reader(lesson([one]).batch).numpy() for one in lists]


class Rules(NamedTuple):
    """What `Reading.preferred` goes by."""

    sure: float = rules.SURE
    loyalty: float = rules.LOYALTY
    looked_at: int = rules.LOOKED_AT
    grave: float = rules.GRAVE
    grave_small: float = rules.GRAVE_SMALL

    def chosen(self, one: Seen, said: Sequence[float]) -> int:
        """The number of the candidate that is given."""
        if said[0] >= self.sure:
            return 0
        best, most, torn = 0, said[0] + self.loyalty, self._grave(one, 0)
        last = len(one.heads) - 1
        for number, candidate in enumerate(one.candidates):
            ends = candidate.kept[-1] == last or one.candidates[0].kept[-1] != last
            if 0 < candidate.rank <= self.looked_at and ends and said[number] > most:
                tears = self._grave(one, number)
                if tears <= torn:
                    best, most, torn = number, said[number], tears
        return best

    def _grave(self, one: Seen, number: int) -> frozenset[object]:
        return frozenset(
            tie.between
            for tie in one.torn[number]
            if tie.odds >= (self.grave_small if tie.small else self.grave) or tie.declared
        )


BEFORE = Rules(sure=2.0, loyalty=0.4, grave=2.0)
"""The rules of the reader that this one starts from."""


def shares(lists: Sequence[Seen], choose: Callable[[int], int]) -> dict[str, float]:
    """How many of the chosen candidates readers found good, by limit, and whose meaning they found lost."""
    chosen = [(one.limit, one.candidates[choose(number)]) for number, one in enumerate(lists)]
    found = {}
    for limit in LIMITS:
        if good := [candidate.is_good for where, candidate in chosen if where == limit]:
            found[limit] = round(float(np.mean(good)), 3)
    found["all"] = round(float(np.mean([candidate.is_good for _, candidate in chosen])), 3)
    found["meaning lost"] = round(float(np.mean([candidate.meaning <= 2 for _, candidate in chosen])), 3)
    return found


def agreement(lists: Sequence[Seen], said: Sequence[Array]) -> dict[str, Any]:
    """How well readings are foretold that were not learnt from, and how good what is chosen is."""
    good = np.array([candidate.is_good for one in lists for candidate in one.candidates])
    now = Rules()
    return {
        "lists": len(lists),
        "readings": len(good),
        "area under the curve before": round(
            area_under_curve(np.concatenate([one.said for one in lists]), good), 3
        ),
        "area under the curve": round(area_under_curve(np.concatenate(said), good), 3),
        "good, the best by its score": shares(lists, lambda _: 0),
        "good, chosen before": shares(lists, lambda number: BEFORE.chosen(lists[number], lists[number].said)),
        "good, chosen": shares(lists, lambda number: now.chosen(lists[number], said[number])),
        "good, any of the list": shares(
            lists, lambda number: int(np.argmax([each.is_good for each in lists[number].candidates]))
        ),
    }


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", type=Path, default=Path("../shared/data"))
    parser.add_argument("--start", type=Path, default=MODELS / KIND, help="the reader to start from")
    parser.add_argument("--output", type=Path, default=MODELS)
    parser.add_argument("--folds", type=int, default=4)
    parser.add_argument("--seed", type=int, default=Further.seed)
    parser.add_argument("--doubted", action="store_true", help="learn from lists of doubted answers, too")
    given = parser.parse_args()
    options = replace(Further(), seed=given.seed)
    start, compressor = Reader.load(given.start), Compressor(threads=1)
    texts = sentence_texts(given.data)
    lists = [seen(each, compressor, start) for each in read_lists(texts)]
    earlier = [seen(each, compressor, start) for each in earlier_lists(texts)]
    doubted = [seen(each, compressor, start) for each in read_lists(texts, DOUBTED_LISTS) if given.doubted]
    print(f"{len(lists)} lists, {len(doubted)} of doubted answers, {len(earlier)} earlier ones", flush=True)
    fold = np.random.default_rng(0).integers(0, given.folds, len(lists))
    said: list[Array] = [one.said for one in lists]
    for number in range(given.folds):
        without = [one for one, of in zip(lists, fold, strict=True) if of != number] + doubted
        places = np.flatnonzero(fold == number)
        reader = learn(start, without, earlier, options)
        for place, found in zip(places, opinions(reader, [lists[each] for each in places]), strict=True):
            said[place] = found
    scores = agreement(lists, said)
    for sure, loyalty, grave, small in product((1.0, 1.5, 2.0), (0.0, 0.2, 0.4), (2.0, 4.0), (2.0, 4.0)):
        rule = Rules(sure, loyalty, grave=grave, grave_small=small)
        print(rule, shares(lists, lambda number, rule=rule: rule.chosen(lists[number], said[number])))
    learnt_from = (READ_LISTS, DOUBTED_LISTS) if given.doubted else (READ_LISTS,)
    earlier_card = read_json(given.start / "card.json")
    card = {
        **{name: earlier_card[name] for name in ("name", "what", "licences", "teachers", "readers")},
        "command": "python -m training.further",
        "options": {name: value for name, value in asdict(options).items() if name != "seed"},
        "seed": options.seed,
        "needs": needs("annotator", "ties"),
        "start": {"sha256": checksum_of(given.start)} | {
            name: earlier_card[name] for name in ("command", "options", "training", "scores")
        },
        "training": {
            "lists": len(lists),
            "readings": sum(len(one.candidates) for one in lists + doubted),
            "earlier readings": sum(len(one.candidates) for one in earlier),
            "sha256": {
                path.name: checksum(path)
                for path in (*learnt_from, given.data / find_corpus("google.train").path)
            },
        },
        "data": f"{earlier_card['data']}, and of Google's train pairs",
        "scores": scores,
    }  # fmt: skip
    Reader(learn(start, lists + doubted, earlier, options).weights()).save(given.output / KIND)
    finish(given.output / KIND, card)


if __name__ == "__main__":
    main()
