"""What general prose is learnt from: sentences encoded here, and read by the shipped graph where it is learnt."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from training.batches import grouped
from training.written import KINDS, source_texts

from laconic.annotate.graph_file import read_graph, with_output
from laconic.storage import read_json

Array = NDArray[Any]
Inputs = Sequence[tuple[Array, ...]]
"""The pieces of sentences as the graph takes them."""

REGISTERS = 3
"""Those of the network that is moved; general prose is the next."""
PAIR = len(KINDS)
"""The kind of compression that the general pairs have: a threshold of its own."""


SENTENCES, STATES, LABELS = "sentences.npz", "states.npy", "labels.npz"
LENGTHS = range(8, 61)
"""Of sentences that teachers alone label, in words."""


def prepare(data: Path, output: Path) -> None:
    """Encode what is learnt from, flat, as word pieces and kept words."""
    from training.written import read_written

    from laconic.annotate.network import Network as Shipped
    from laconic.corpora.registry import open_pairs
    from laconic.errors import LaconicError
    from laconic.text.tokenise import tokenise
    from laconic.trees.alignment.deletion import align_deletion

    sentences: list[tuple[int, tuple[str, ...], dict[int, tuple[int, ...]]]] = []
    known = set()
    for written in read_written(data):
        kept = {KINDS.index(kind): words for kind, words in written.kept.items()}
        sentences.append((REGISTERS, written.sentence.words, kept))
        known.add(written.sentence.words)
    for pair in open_pairs("msr.train", data, tokenise=tokenise, only_aligned=True):
        try:
            words = align_deletion(pair.source.words, pair.references[0], fold_case=True)
        except LaconicError:
            continue
        if pair.source.words not in known and 6 <= len(pair.source.words) <= 60 and len(words) > 3:
            sentences.append((REGISTERS, pair.source.words, {PAIR: words}))
            known.add(pair.source.words)
    for text in source_texts(data):
        words = tokenise(text).words
        if len(words) in LENGTHS and words not in known:
            sentences.append((REGISTERS, words, {}))
            known.add(words)
    for register, name in enumerate(("google.train", "spoken.train", "written.train")):
        raw = tokenise if register == 0 else None
        for pair in open_pairs(name, data, tokenise=raw):
            if 3 < len(pair.source.words) <= 60:
                kept = {PAIR: pair.kept[0]} if pair.kept[0] else {}
                sentences.append((register, pair.source.words, kept))
    pieces = Shipped.shipped().pieces
    encoded = [pieces.encode(words) for _, words, _ in sentences]
    keep = np.full((len(KINDS) + 1, sum(len(one.first) for one in encoded)), -1, np.int8)
    start = 0
    for one, (_, _, kept) in zip(encoded, sentences, strict=True):
        for kind, words in kept.items():
            keep[kind, start : start + len(one.first)] = 0
            keep[kind, start + 1 + np.array(words)] = 1
        start += len(one.first)
    output.mkdir(parents=True, exist_ok=True)
    for made_of_others in (STATES, LABELS):
        (output / made_of_others).unlink(missing_ok=True)
    np.savez_compressed(
        output / SENTENCES,
        register=np.array([register for register, _, _ in sentences], np.int8),
        piece_counts=np.array([len(one.ids) for one in encoded], np.int32),
        place_counts=np.array([len(one.first) for one in encoded], np.int32),
        ids=np.concatenate([one.ids for one in encoded]).astype(np.int32),
        cases=np.concatenate([one.cases for one in encoded]).astype(np.int8),
        first=np.concatenate([one.first for one in encoded]).astype(np.int16),
        last=np.concatenate([one.last for one in encoded]).astype(np.int16),
        keep=keep,
    )
    print(len(sentences), "sentences", np.bincount([register for register, _, _ in sentences]))


@dataclass(frozen=True)
class Sentences:
    """Words as the encoder leaves them for the branch, sentence after sentence, and what is to be kept of them."""

    states: Tensor  # [places, hidden]
    register: Array  # [sentences]
    starts: Array  # [sentences + 1]
    keep: Array  # [kinds, places]: 1 or 0, or -1 where nobody says
    odds: Array  # [kinds, places]: how surely a word is kept: as `keep` says, or as teachers do
    taught: Array  # [sentences]: whether teachers alone say it

    def batches(self, rows: Array, words: int, rng: np.random.Generator) -> list[Array]:
        """Shuffled rows of similar length, about so many words at once."""
        return grouped(np.diff(self.starts), rows, words, 1, rng)

    def batch(self, rows: Array, device: torch.device) -> dict[str, Tensor]:
        """The sentences of some rows, side by side, with their states where these are known."""
        where, valid = self.places(rows)
        found = {
            "valid": torch.from_numpy(valid),
            "lengths": torch.from_numpy(valid.sum(1) - 2),
            "register": torch.from_numpy(self.register[rows]).long(),
            "taught": torch.from_numpy(self.taught[rows]),
            "keep": torch.from_numpy(np.where(valid[None], self.keep[:, where], -1)).long(),
            "odds": torch.from_numpy(np.where(valid[None], self.odds[:, where], 0)).float(),
        }
        if len(self.states):
            found["states"] = self.states[torch.from_numpy(where).to(self.states.device)].float()
        return {name: value.to(device) for name, value in found.items()}

    def places(self, rows: Array) -> tuple[Array, Array]:
        """Where the words of some rows are, [rows, longest], and which of these are theirs."""
        lengths = self.starts[rows + 1] - self.starts[rows]
        steps = np.arange(lengths.max())
        valid = steps[None] < lengths[:, None]
        return np.where(valid, self.starts[rows][:, None] + steps, self.starts[rows][:, None]), valid

    def told(self) -> Array:
        """Whether each sentence has a compression of each kind, [kinds, sentences]."""
        return np.array([np.add.reduceat(row == 1, self.starts[:-1]) > 0 for row in self.keep])

    def with_labels(self, path: Path) -> Sentences:
        """The same with what `training.general_teacher` says of sentences that have no compression."""
        found = np.load(path)
        keep, odds, taught = self.keep.copy(), self.odds.copy(), self.taught.copy()
        where = np.concatenate([np.arange(self.starts[row], self.starts[row + 1]) for row in found["rows"]])
        keep[:PAIR, where], odds[:PAIR, where] = found["keep"], found["odds"]
        taught[found["rows"]] = True
        return replace(self, keep=keep, odds=odds, taught=taught)


def read_sentences(path: Path) -> tuple[Sentences, Inputs]:
    """What is learnt from, without states, and the pieces of each sentence as the graph takes them."""
    found = dict(np.load(path))
    pieces = np.concatenate([[0], np.cumsum(found["piece_counts"])])
    places = np.concatenate([[0], np.cumsum(found["place_counts"])]).astype(np.int64)
    inputs = [
        (
            *(found[name][pieces[i] : pieces[i + 1]].astype(np.int64) for name in ("ids", "cases")),
            *(found[name][places[i] : places[i + 1]].astype(np.int64) for name in ("first", "last")),
        )
        for i in range(len(found["register"]))
    ]
    keep = found["keep"]
    nobody = np.zeros(len(inputs), np.bool_)
    odds = (keep == 1).astype(np.float16)
    return Sentences(torch.zeros(0), found["register"], places, keep, odds, nobody), inputs


def with_states(sentences: Sentences, inputs: Inputs, folder: Path, graph: Path, workers: int) -> Sentences:
    """The same with what the shipped graph hands to its branch, of every sentence; kept in the folder."""
    kept = folder / STATES
    if not kept.exists():
        tensor = str(read_json(graph / "card.json")["states"])
        parts = [inputs[k : k + 100] for k in range(0, len(inputs), 100)]
        with ProcessPoolExecutor(workers, initializer=_open, initargs=(read_graph(graph), tensor)) as pool:
            states = [one for part in pool.map(_states, parts) for one in part]
        np.save(kept, np.concatenate(states))
    return replace(sentences, states=torch.from_numpy(np.load(kept)))


_SESSION: list[Any] = []


def _open(graph: bytes, tensor: str) -> None:
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    _SESSION[:] = [onnxruntime.InferenceSession(with_output(graph, tensor), options), tensor]


def _states(part: Inputs) -> list[Array]:
    session, tensor = _SESSION
    registers = session.get_inputs()[-1].shape[0]
    return [
        session.run(
            [tensor],
            dict(zip(("ids", "cases", "first", "last"), one, strict=True))
            | {"domain": np.ones(registers, np.float32)},
        )[0].astype(np.float16)
        for one in part
    ]
