"""A Markov grammar as files: its options and lexicon as JSON, its distributions as numeric arrays."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

from laconic.errors import LaconicError, ModelError
from laconic.files import write_whole
from laconic.grammar.context_tree import ContextTree
from laconic.grammar.markov import Lexicon, MarkovGrammar, MarkovOptions
from laconic.systems.arrays import read_arrays, write_arrays

_ARRAYS, _LEXICON = "distributions.npz", "lexicon.json"
_SIDES = ("head", "left", "right")
_PARTS = ("columns", "counts", "values", "odds")


def save_grammar(grammar: MarkovGrammar, folder: Path) -> dict[str, Any]:
    """Write a grammar into a folder, and return what is to be written with its settings."""
    lexicon = {"labels": list(grammar.lexicon.labels), "words": list(grammar.lexicon.words)}
    with write_whole(folder / _LEXICON) as stream:
        stream.write(json.dumps(lexicon, ensure_ascii=False, indent=0).encode())
    trees = (grammar.head, grammar.left, grammar.right)
    write_arrays(
        folder / _ARRAYS,
        {
            f"{side}_{part}": array
            for side, tree in zip(_SIDES, trees, strict=True)
            for part, array in tree.to_arrays().items()
        },
    )
    return {"options": asdict(grammar.options)}


def load_grammar(settings: Mapping[str, Any], folder: Path) -> MarkovGrammar:
    """The grammar that `save_grammar` wrote; whatever does not fit is an error that names the folder."""
    arrays = read_arrays(folder / _ARRAYS)
    try:
        lexicon = json.loads((folder / _LEXICON).read_text(encoding="utf-8"))
        labels, words = tuple(map(str, lexicon["labels"])), tuple(map(str, lexicon["words"]))
        named: dict[str, Any] = {
            name: tuple(value) if isinstance(value, list) else value
            for name, value in settings["options"].items()
        }
        trees = (
            ContextTree.from_arrays({part: arrays[f"{side}_{part}"] for part in _PARTS}) for side in _SIDES
        )
        return MarkovGrammar(MarkovOptions(**named), Lexicon.of(labels, words), *trees)
    except (KeyError, TypeError, ValueError, OSError) as error:
        if isinstance(error, LaconicError):
            raise ModelError(f"{folder}: {error}") from None
        raise ModelError(f"{folder}: no Markov grammar, or a damaged one ({error!r})") from None
