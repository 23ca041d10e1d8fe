"""Large readers of whole answers: how good careful readers would find a compression, learnt from what they said.

    python -m training.large_readers --folder .cache/general --weights TEACHER.npz [--seeds 1 2 3]

TEACHER is MPNet as `training.prepare` writes it; the folder is that of `training.general`, with the candidates of
`training.candidates`. The readers learn from those candidates that were read, and that what was written with care is
better than what nobody has read; their mean says of every candidate how likely grammar and meaning are both good. They
read the compression and behind it the source, each word of which is marked as kept or deleted. What ships learns from
them (`training.reader`).
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional as F
from training.candidates import BEYOND, CANDIDATES, JUDGED, SHARE, Candidates
from training.general_sentences import SENTENCES, Array, Inputs, read_sentences
from training.model import CASES, Network, Shape
from training.steps import step
from training.vocabulary import unrounded

DEVICE = torch.device("cuda" if torch.cuda.is_available() else "cpu")
PIECES = 4000
"""In a batch."""
GOOD = 4
"""The least rating of a good compression, of 5, in grammar and in meaning."""
TARGETS = 7
"""Grammar and meaning at least 3, 4 and 5, and last both at least good."""
IN_ORDER = 0.5
"""What the order of two compressions of one sentence counts beside what is said of each."""
WRITTEN = 0.2
"""The same where one was written with care, and nobody has read the other."""
TRAITS = 2
"""Of a candidate beside its words: what its score has beyond what words and neighbours say, less the most in its list,
and how much of the source it keeps."""


class LargeReader(nn.Module):
    """An encoder that starts as MPNet, and what it says of a compression, as log-odds."""

    def __init__(self, weights: Path) -> None:
        super().__init__()
        found = dict(np.load(weights))
        sizes = json.loads(str(found.pop("sizes")))
        start = {name: torch.from_numpy(value) for name, value in unrounded(found).items()}
        shape = Shape(
            len(start["pieces.weight"]), 1, 1, 1, 1, positions=len(start["positions.weight"]), **sizes
        )
        self.encoder = Network(shape, dropout=0.1)
        self.encoder.load_state_dict(self.encoder.state_dict() | start)
        # Pieces of the compression, of kept words of the source and of deleted ones.
        self.encoder.cases = nn.Embedding(3 * CASES, shape.hidden)
        nn.init.normal_(self.encoder.cases.weight, std=0.02)
        self.said = nn.Sequential(
            nn.Linear(shape.hidden + TRAITS, 256), nn.GELU(), nn.Dropout(0.1), nn.Linear(256, TARGETS)
        )

    def forward(self, ids: Tensor, cases: Tensor, traits: Tensor) -> Tensor:
        start = torch.zeros((len(ids), 1), dtype=torch.long, device=ids.device)
        with torch.autocast(ids.device.type, torch.bfloat16):
            first = self.encoder.words(ids, cases, start, start)[-1][:, 0]
            said: Tensor = self.said(torch.cat([first, traits.to(first.dtype)], 1))
        return said.float()


Texts = Sequence[tuple[Array, Array, tuple[float, ...]]]
"""Of every candidate pieces, cases and traits."""


def texts_of(inputs: Inputs, candidates: Candidates) -> Texts:
    """All candidates as the reader takes them."""
    found = []
    for each in candidates.members():
        beyond = candidates.traits[each, BEYOND] - candidates.traits[each, BEYOND].max()
        for one, less in zip(each, beyond, strict=True):
            row = int(candidates.rows[candidates.list_of[one]])
            traits = float(less), float(candidates.traits[one, SHARE])
            found.append((*encoded(inputs, row, candidates.kept(one)), traits))
    return found


def encoded(inputs: Inputs, row: int, kept: Array) -> tuple[Array, Array]:
    """The pieces of a compression and its source, and their cases."""
    ids, cases, first, last = inputs[row]
    of_word = np.zeros(len(ids), np.bool_)
    for word in kept:
        of_word[first[word + 1] : last[word + 1] + 1] = True
    chosen = np.flatnonzero(of_word)
    ends = np.array([0, len(ids) - 1])
    compression = np.concatenate([ends[:1], chosen, ends[1:]])
    marks = np.where(of_word, CASES, 2 * CASES)
    return (
        np.concatenate([ids[compression], ids[1:]]),
        np.concatenate([cases[compression], (cases + marks)[1:]]),
    )


def batches(
    texts: Texts, lists: Sequence[Array], rng: np.random.Generator
) -> Iterator[tuple[Array, Tensor, Tensor, Tensor]]:
    """Whole lists of candidates, those of similar length together: their numbers, pieces, cases and traits."""
    lengths = np.array([max(len(texts[one][0]) for one in each) for each in lists])
    order = np.argsort(lengths + 5 * rng.random(len(lists)), kind="stable")
    groups: list[list[int]] = [[]]
    for number in order:
        members = [*groups[-1], int(number)]
        if sum(len(lists[one]) for one in members) * max(lengths[members]) > PIECES and groups[-1]:
            groups.append([])
        groups[-1].append(int(number))
    for place in rng.permutation(len(groups)):
        chosen = np.concatenate([lists[one] for one in groups[place]])
        width = max(len(texts[one][0]) for one in chosen)
        padded = np.zeros((2, len(chosen), width), np.int64)
        for number, one in enumerate(chosen):
            for part in range(2):
                padded[part, number, : len(texts[one][part])] = texts[one][part]
        ids, cases = torch.from_numpy(padded).to(DEVICE)
        traits = np.array([texts[one][2] for one in chosen], np.float32)
        yield chosen, ids, cases, torch.from_numpy(traits).to(DEVICE)


def targets(candidates: Candidates) -> Array:
    """What readers said of each candidate, [candidates, targets]."""
    grammar, meaning = candidates.grammar, candidates.meaning
    each = [ratings >= least for ratings in (grammar, meaning) for least in (3, 4, 5)]
    return np.stack([*each, good(candidates)], 1).astype(np.float32)


def learn(
    reader: LargeReader,
    texts: Texts,
    lists: Sequence[Array],
    candidates: Candidates,
    *,
    seed: int,
    epochs: int,
    rate: float,
) -> None:
    """Read so many times what was read."""
    rng = np.random.default_rng(seed)
    wanted = torch.from_numpy(targets(candidates)).to(DEVICE)
    total = torch.from_numpy(
        np.minimum(candidates.grammar, candidates.meaning) * 2.0 + candidates.grammar + candidates.meaning
    ).to(DEVICE)
    owner = torch.from_numpy(candidates.list_of).to(DEVICE)
    read = torch.from_numpy(candidates.rated).to(DEVICE)
    written = torch.from_numpy(candidates.written).to(DEVICE)
    start = [value for name, value in reader.named_parameters() if not name.startswith("said")]
    adam = torch.optim.AdamW(
        [{"params": start, "lr": rate}, {"params": reader.said.parameters(), "lr": 10 * rate}],
        weight_decay=0.01,
        betas=(0.9, 0.98),
    )
    steps = epochs * sum(1 for _ in batches(texts, lists, np.random.default_rng(0)))
    schedule = torch.optim.lr_scheduler.OneCycleLR(
        adam, [group["lr"] for group in adam.param_groups], total_steps=steps + 10, pct_start=0.1
    )
    reader.to(DEVICE).train()
    for epoch in range(epochs):
        seen = 0.0
        for chosen, ids, cases, traits in batches(texts, lists, rng):
            place = torch.from_numpy(chosen).to(DEVICE)
            said = reader(ids, cases, traits)
            seen_by, by_hand = read[place], written[place]
            loss = 0.0 * said.sum()
            if bool(seen_by.any()):
                loss = F.binary_cross_entropy_with_logits(said[seen_by], wanted[place][seen_by])
            together = owner[place][:, None] == owner[place][None, :]
            both = seen_by[:, None] & seen_by[None, :]
            better = total[place][:, None] - total[place][None, :]
            ahead = F.softplus(said[:, -1][None, :] - said[:, -1][:, None])
            for pairs, weight in (
                (together & both & (better > 0), IN_ORDER),
                (together & ~both & by_hand[:, None] & ~by_hand[None, :], WRITTEN),
            ):
                if bool(pairs.any()):
                    loss = loss + weight * ahead[pairs].mean()
            seen += step(loss, adam, schedule, reader.parameters())
        print(f"  reader {seed}, pass {epoch + 1}: loss {seen:.1f}", flush=True)
    reader.eval()


@torch.no_grad()
def judged(reader: LargeReader, texts: Texts, lists: Sequence[Array]) -> Array:
    """The log-odds that each candidate is good."""
    found = np.zeros(len(texts), np.float32)
    for chosen, ids, cases, traits in batches(texts, lists, np.random.default_rng(0)):
        found[chosen] = reader(ids, cases, traits)[:, -1].cpu().numpy()
    return found


def good(candidates: Candidates) -> Array:
    """Which candidates readers found good."""
    return np.minimum(candidates.grammar, candidates.meaning) >= GOOD


def held_readings(candidates: Candidates) -> list[Array]:
    """What was read of each held-out list, where that is more than one."""
    read = [each[candidates.rated[each]] for each in candidates.members()]
    return [each for each, held in zip(read, candidates.held, strict=True) if held and len(each) > 1]


def area_under_curve(said: Array, yes: Array) -> float:
    """How often something good is said to be better than something bad."""
    ranks = np.empty(len(said))
    ranks[np.argsort(said, kind="stable")] = np.arange(1, len(said) + 1)
    return float((ranks[yes].sum() - yes.sum() * (yes.sum() + 1) / 2) / (yes.sum() * (~yes).sum()))


def agreement(candidates: Candidates, lists: Sequence[Array], said: Array) -> str:
    """How well held-out readings are foretold, and how good what is chosen from each list is."""
    rated, yes = np.concatenate(lists), good(candidates)
    area = area_under_curve(said[rated], yes[rated])
    chosen = np.array([each[np.argmax(said[each])] for each in lists])
    first = np.array([each[0] for each in lists])
    best = np.array([yes[each].any() for each in lists])
    return (
        f"{len(rated)} readings: area {area:.3f}; good of {len(lists)} lists: "
        f"first {yes[first].mean():.3f}, chosen {yes[chosen].mean():.3f}, any {best.mean():.3f}; "
        f"meaning at most 2: first {(candidates.meaning[first] <= 2).mean():.3f}, "
        f"chosen {(candidates.meaning[chosen] <= 2).mean():.3f}"
    )


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--folder", type=Path, default=Path(".cache/general"))
    parser.add_argument("--weights", type=Path, required=True)
    parser.add_argument("--seeds", type=int, nargs="+", default=[1, 2, 3])
    parser.add_argument("--epochs", type=int, default=5)
    parser.add_argument(
        "--rate", type=float, default=3e-5, help="of the encoder; the rest learns ten times as fast"
    )
    given = parser.parse_args()
    _, inputs = read_sentences(given.folder / SENTENCES)
    candidates = Candidates.read(given.folder / CANDIDATES)
    texts, members = texts_of(inputs, candidates), candidates.members()
    known = candidates.rated | candidates.written
    learnt = [
        each for each, held in zip(members, candidates.held, strict=True) if not held and known[each].any()
    ]
    held = held_readings(candidates)
    print(f"{candidates.rated.sum()} readings, {len(learnt)} lists", flush=True)
    said = []
    for seed in given.seeds:
        torch.manual_seed(seed)
        reader = LargeReader(given.weights)
        learn(reader, texts, learnt, candidates, seed=seed, epochs=given.epochs, rate=given.rate)
        said.append(judged(reader, texts, members))
        print(f"  reader {seed}:", agreement(candidates, held, said[-1]), flush=True)
    mean = np.mean(said, axis=0)
    print("  all:", agreement(candidates, held, mean), flush=True)
    np.save(given.folder / JUDGED, mean)


if __name__ == "__main__":
    main()
