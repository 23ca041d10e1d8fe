"""What general prose is learnt from: sentences encoded here, and read by the shipped graph where it is learnt."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from training.batches import grouped
from training.written import KINDS

Array = NDArray[Any]

REGISTERS = 3
"""Those of the network that is moved; general prose is the next."""
PAIR = len(KINDS)
"""The kind of compression that the general pairs have: a threshold of its own."""


def prepare(data: Path, graph: Path, output: Path, google: int = 2000) -> None:
    """Encode what is learnt from, flat, as word pieces and kept words."""
    from training.branch import words_of_branch
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
    for register, name in enumerate(("google.train", "spoken.train", "written.train")):
        raw = tokenise if register == 0 else None
        pairs = [pair for pair in open_pairs(name, data, tokenise=raw) if 3 < len(pair.source.words) <= 60]
        sentences += [(register, pair.source.words, {}) for pair in pairs[:: max(1, len(pairs) // google)]]
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
    np.savez_compressed(
        output / "sentences.npz",
        register=np.array([register for register, _, _ in sentences], np.int8),
        piece_counts=np.array([len(one.ids) for one in encoded], np.int32),
        place_counts=np.array([len(one.first) for one in encoded], np.int32),
        ids=np.concatenate([one.ids for one in encoded]).astype(np.int32),
        cases=np.concatenate([one.cases for one in encoded]).astype(np.int8),
        first=np.concatenate([one.first for one in encoded]).astype(np.int16),
        last=np.concatenate([one.last for one in encoded]).astype(np.int16),
        keep=keep,
        tensor=np.array(words_of_branch(graph)),
    )
    print(len(sentences), "sentences", np.bincount([register for register, _, _ in sentences]))


@dataclass(frozen=True)
class Sentences:
    """Words as the encoder leaves them for the branch, sentence after sentence."""

    states: Tensor  # [places, hidden]
    register: Array  # [sentences]
    starts: Array  # [sentences + 1]
    keep: Array  # [kinds, places]

    def batches(self, rows: Array, words: int, rng: np.random.Generator) -> list[Array]:
        """Shuffled rows of similar length, about so many words at once."""
        return grouped(np.diff(self.starts), rows, words, 1, rng)

    def batch(self, rows: Array, device: torch.device) -> dict[str, Tensor]:
        lengths = self.starts[rows + 1] - self.starts[rows]
        places = np.arange(lengths.max())
        valid = places[None] < lengths[:, None]
        where = torch.from_numpy(
            np.where(valid, self.starts[rows][:, None] + places, self.starts[rows][:, None])
        )
        keep = np.where(valid[None], self.keep[:, where.numpy()], -1)
        return {
            "states": self.states[where.to(self.states.device)].to(device).float(),
            "valid": torch.from_numpy(valid).to(device),
            "lengths": torch.from_numpy(lengths - 2).to(device),
            "keep": torch.from_numpy(keep).long().to(device),
            "register": torch.from_numpy(self.register[rows]).long().to(device),
        }


def read_sentences(path: Path, graph: Path, workers: int) -> Sentences:
    """What the shipped graph hands to its branch, of every sentence."""
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
    parts = [inputs[k : k + 100] for k in range(0, len(inputs), 100)]
    with ProcessPoolExecutor(
        workers, initializer=_open, initargs=(graph.read_bytes(), str(found["tensor"]))
    ) as pool:
        states = [one for part in pool.map(_states, parts) for one in part]
    return Sentences(
        torch.from_numpy(np.concatenate(states)), found["register"], places, found["keep"].astype(np.int64)
    )


_SESSION: list[Any] = []


def with_output(graph: bytes, tensor: str) -> bytes:
    """A serialised model that also returns an inner tensor: messages that follow one another are merged."""
    name = tensor.encode()
    named = bytes([0x0A, len(name)]) + name  # ValueInfoProto.name
    output = bytes([0x62, len(named)]) + named  # GraphProto.output
    return graph + bytes([0x3A, len(output)]) + output  # ModelProto.graph


def _open(graph: bytes, tensor: str) -> None:
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    _SESSION[:] = [onnxruntime.InferenceSession(with_output(graph, tensor), options), tensor]


def _states(part: Sequence[tuple[Array, ...]]) -> list[Array]:
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
