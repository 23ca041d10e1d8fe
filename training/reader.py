"""The reader of whole answers that ships: small, on the states of the network, taught by large ones.

    python -m training.reader --folder .cache/general

The folder is that of `training.general prepare`, with the candidates of `training.candidates` and what
`training.large_readers` said of them. The reader learns how good the large ones find each candidate, which of two they
find better, and what readers themselves said where they did. Of lists that are held out it learns nothing.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional as F
from training.candidates import CANDIDATES, JUDGED, TRAITS, Candidates
from training.cards import MODELS, finish, needs
from training.general_sentences import SENTENCES, Array, Sentences, read_sentences, with_states
from training.large_readers import DEVICE, area_under_curve, good, held_readings
from training.readings import LIMITS, READINGS
from training.steps import step
from training.written import WRITTEN, source_files

from laconic.corpora.registry import checksum, find_corpus
from laconic.systems.default.reader import KIND, Reader, Weights

SIDES, FATES, POOLS = 5, 4, 3
"""As in `laconic.systems.default.reader`."""
LISTS = 48
"""In a batch."""
APART = 0.5
"""By how much, in log-odds, the large readers must find one of two better for their order to count."""


@dataclass(frozen=True)
class Options:
    """What a run can vary."""

    size: int = 64
    hidden: int = 64
    epochs: int = 12
    rate: float = 1.5e-3
    decay: float = 0.02
    dropout: float = 0.2
    distance: float = 0.05  # what the distance to the large readers' log-odds counts beside their probability
    read: float = 0.3  # what readers said themselves
    order: float = 0.5  # which of two is better
    seed: int = 1


class Batch(NamedTuple):
    """The candidates of some lists; places are words and both ends, padded."""

    candidates: Tensor  # [candidates]
    owner: Tensor  # [candidates]: their list
    states: Tensor  # [lists, places, states]
    heads: Tensor  # [lists, places]: 0 for the root
    words: Tensor  # [lists, places]: whether it is a word
    kept: Tensor  # [candidates, places]
    before: Tensor  # [candidates, places]: of what is kept, the place before it that is kept, too
    behind: Tensor
    traits: Tensor  # [candidates, traits]


class SmallReader(nn.Module):
    """What `laconic.systems.default.reader` computes, for many candidates at once."""

    def __init__(self, states: int, options: Options) -> None:
        super().__init__()
        size = options.size
        self.sides = nn.Linear(states, SIDES * size, bias=False)
        self.stays = nn.Embedding(FATES, size)
        self.inner = nn.Linear(size, size)
        self.outer = nn.Linear(POOLS * size + TRAITS, options.hidden)
        self.last = nn.Linear(options.hidden, 1)
        self.dropout = nn.Dropout(options.dropout)

    def forward(self, batch: Batch) -> Tensor:
        """The log-odds that each candidate is good."""
        itself, before, behind, head, stay = self.sides(self.dropout(batch.states))[batch.owner].chunk(
            SIDES, -1
        )
        heads, kept = batch.heads[batch.owner], batch.kept
        head_stays = torch.where(heads == 0, 1.0, kept.gather(1, heads))
        summed = (
            itself
            + self.stays((2 * kept + head_stays).long())
            + _at(head, heads)
            + kept[..., None] * (stay + _at(before, batch.before) + _at(behind, batch.behind))
        )
        z = F.relu(self.inner(self.dropout(F.relu(summed))))
        words = batch.words[batch.owner]
        pools = [
            (z * (kept * words)[..., None]).sum(1) / 8,
            (z * ((1 - kept) * words)[..., None]).sum(1) / 8,
            (z * words[..., None]).amax(1),
        ]
        hidden = F.relu(self.outer(torch.cat([*pools, batch.traits], 1)))
        said: Tensor = self.last(self.dropout(hidden))[:, 0]
        return said

    def weights(self) -> Weights:
        """The layers as they ship."""
        return Weights(*(tensor.detach().cpu().numpy() for tensor in self._layers()))

    @torch.no_grad()
    def start_from(self, weights: Weights) -> None:
        """Take the layers of a reader that was learnt before."""
        for layer, known in zip(self._layers(), weights, strict=True):
            layer.copy_(torch.from_numpy(known))

    def _layers(self) -> tuple[Tensor, ...]:
        return (
            self.sides.weight.T,
            self.stays.weight,
            self.inner.weight.T,
            self.inner.bias,
            self.outer.weight.T,
            self.outer.bias,
            self.last.weight[0],
            self.last.bias,
        )


def _at(values: Tensor, places: Tensor) -> Tensor:
    return values.gather(1, places[..., None].expand_as(values))


@dataclass(frozen=True)
class Judged:
    """Candidates with the states of their sentences and what large readers say of them."""

    candidates: Candidates
    members: Sequence[Array]
    sentences: Sentences
    said: Array  # [candidates]

    @classmethod
    def read(cls, folder: Path, sentences: Sentences) -> Judged:
        """What was judged in a folder."""
        candidates = Candidates.read(folder / CANDIDATES)
        return cls(candidates, candidates.members(), sentences, np.load(folder / JUDGED))

    def batches(self, lists: Array) -> list[Batch]:
        """Lists of similar length side by side, always the same ones."""
        rng = np.random.default_rng(0)
        lengths = np.diff(self.sentences.starts)[self.candidates.rows[lists]]
        order = lists[np.argsort(lengths + 3 * rng.random(len(lists)), kind="stable")]
        return [self.batch(order[start : start + LISTS]) for start in range(0, len(order), LISTS)]

    def batch(self, lists: Array) -> Batch:
        """Some lists with all of their candidates."""
        where, valid = self.sentences.places(self.candidates.rows[lists])
        ends = valid.sum(1) - 1
        heads = np.zeros(valid.shape, np.int64)
        for place, number in enumerate(lists):
            found = self.candidates.heads_of(number)
            heads[place, 1 : len(found) + 1] = np.maximum(0, found + 1)
        words = valid.copy()
        words[:, 0] = words[np.arange(len(lists)), ends] = False
        chosen = np.concatenate([self.members[number] for number in lists])
        owner = np.repeat(np.arange(len(lists)), [len(self.members[number]) for number in lists])
        kept = np.zeros((len(chosen), valid.shape[1]), np.float32)
        before, behind = np.zeros(kept.shape, np.int64), np.zeros(kept.shape, np.int64)
        for place, candidate in enumerate(chosen):
            path = np.concatenate([[0], self.candidates.kept(candidate) + 1, [ends[owner[place]]]])
            kept[place, path[1:-1]] = 1
            before[place, path[1:]], behind[place, path[:-1]] = path[:-1], path[1:]
        arrays = (
            *(chosen, owner, where, heads, words.astype(np.float32), kept, before, behind),
            self.candidates.traits[chosen],
        )
        found = Batch(*(torch.from_numpy(array).to(DEVICE) for array in arrays))
        states = self.sentences.states[found.states.to(self.sentences.states.device)]
        return found._replace(states=states.float().to(DEVICE))


def loss(said: Tensor, wanted: Tensor, read: Tensor, liked: Tensor, batch: Batch, options: Options) -> Tensor:
    """How far what is said is from what large readers say, and from what readers did."""
    total = F.binary_cross_entropy_with_logits(said, wanted.sigmoid())
    total = total + options.distance * F.smooth_l1_loss(said, wanted)
    if bool(read.any()):
        total = total + options.read * F.binary_cross_entropy_with_logits(said[read], liked[read])
    better = (batch.owner[:, None] == batch.owner) & (wanted[:, None] - wanted > APART)
    wrong = F.softplus(said - said[:, None]) * better
    return total + options.order * wrong.sum() / better.sum().clamp(min=1)


def learn(judged: Judged, lists: Array, options: Options) -> SmallReader:
    """The reader after so many passes over the lists."""
    torch.manual_seed(options.seed)
    rng = np.random.default_rng(options.seed)
    reader = SmallReader(judged.sentences.states.shape[1], options).to(DEVICE).train()
    wanted = torch.from_numpy(judged.said).to(DEVICE)
    read = torch.from_numpy(judged.candidates.rated).to(DEVICE)
    liked = torch.from_numpy(good(judged.candidates)).float().to(DEVICE)
    batches = judged.batches(lists)
    adam = torch.optim.AdamW(reader.parameters(), lr=options.rate, weight_decay=options.decay)
    schedule = torch.optim.lr_scheduler.OneCycleLR(
        adam, options.rate, total_steps=options.epochs * len(batches) + 5, pct_start=0.1
    )
    for epoch in range(options.epochs):
        seen = 0.0
        for place in rng.permutation(len(batches)):
            batch = batches[place]
            these = batch.candidates
            lost = loss(reader(batch), wanted[these], read[these], liked[these], batch, options)
            seen += step(lost, adam, schedule, reader.parameters())
        print(f"  pass {epoch + 1}: loss {seen / len(batches):.3f}", flush=True)
    return reader.eval()


@torch.no_grad()
def opinions(reader: SmallReader, judged: Judged, lists: Array) -> Array:
    """The log-odds of the candidates of some lists; of all others 0."""
    found = np.zeros(len(judged.candidates), np.float32)
    for batch in judged.batches(lists):
        found[batch.candidates.cpu().numpy()] = reader(batch).cpu().numpy()
    return found


def agreement(judged: Judged, said: Array) -> dict[str, Any]:
    """How well what was held out is foretold, and how much better what is chosen is than the best by its score."""
    candidates = judged.candidates
    yes, foretold = good(candidates), 1 / (1 + np.exp(-judged.said.astype(np.float64)))
    read = held_readings(candidates)
    rated = np.concatenate(read)
    own = _without_written(candidates, read, least=1)
    found: dict[str, Any] = {
        "held-out readings": len(rated),
        "area under the curve": round(area_under_curve(said[rated], yes[rated]), 3),
        "large readers' area under the curve": round(area_under_curve(judged.said[rated], yes[rated]), 3),
        "good by readers": {"lists": len(own)} | _chosen(own, said, yes),
        "good as large readers foretell": {},
    }
    for limit, name in enumerate(LIMITS):
        chosen = candidates.held & (candidates.limits == limit)
        lists = [each for each, held in zip(judged.members, chosen, strict=True) if held]
        if lists := _without_written(candidates, lists, least=2):
            found["good as large readers foretell"][name] = _chosen(lists, said, foretold)
    return found


def _without_written(candidates: Candidates, lists: Sequence[Array], *, least: int) -> list[Array]:
    """Lists without what was written, where so many are left."""
    found = (each[~candidates.written[each]] for each in lists)
    return [each for each in found if len(each) >= least]


def _chosen(lists: Sequence[Array], said: Array, worth: Array) -> dict[str, float]:
    first = np.mean([worth[each[0]] for each in lists])
    chosen = np.mean([worth[each[np.argmax(said[each])]] for each in lists])
    return {"first": round(float(first), 3), "chosen": round(float(chosen), 3)}


def card(judged: Judged, data: Path, options: Options, scores: dict[str, Any]) -> dict[str, Any]:
    """What is to be known of the reader."""
    candidates = judged.candidates
    held = candidates.held[candidates.list_of]
    return {
        "name": KIND,
        "what": "How likely careful readers find a whole compression good, from the network's states and what is kept",
        "command": "python -m training.reader --folder .cache/general",
        "options": {name: value for name, value in asdict(options).items() if name != "seed"},
        "seed": options.seed,
        "needs": needs("annotator", "ties"),
        "training": {
            "lists": len(candidates.rows),
            "candidates": len(candidates),
            "readings": int(candidates.rated.sum()),
            "held-out lists": int(candidates.held.sum()),
            "held-out readings": int((candidates.rated & held).sum()),
            "sha256": {path.name: checksum(path) for path in (READINGS, WRITTEN, *source_files(data))},
        },
        "data": "blind readings of what the default finds for sentences of EWT, GUM and Microsoft's abstractive pairs, "
        "and compressions of them that were written for laconic",
        "licences": {
            "EWT": "CC BY-SA 4.0",
            "GUM": "annotations CC BY 4.0, texts under their own licences (mostly CC BY, some NC-SA)",
            "Microsoft": find_corpus("msr.train").licence,
        },
        "teachers": "three readers that started from all-mpnet-base-v2 (Apache 2.0); none of their weights is here",
        "readers": "language models, not people; so are the writers of compressions.jsonl",
        "scores": scores,
    }


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", type=Path, default=Path("../shared/data"))
    parser.add_argument("--folder", type=Path, default=Path(".cache/general"))
    parser.add_argument("--graph", type=Path, default=MODELS / "annotator")
    parser.add_argument("--output", type=Path, default=MODELS)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--seed", type=int, default=Options.seed)
    given = parser.parse_args()
    options = replace(Options(), seed=given.seed)
    sentences = with_states(
        *read_sentences(given.folder / SENTENCES), given.folder, given.graph, given.workers
    )
    judged = Judged.read(given.folder, sentences)
    held = judged.candidates.held
    reader = learn(judged, np.flatnonzero(~held), options)
    scores = agreement(judged, opinions(reader, judged, np.flatnonzero(held)))
    Reader(reader.weights()).save(given.output / KIND)
    finish(given.output / KIND, card(judged, given.data, options, scores))


if __name__ == "__main__":
    main()
