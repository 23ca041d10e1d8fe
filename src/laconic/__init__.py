"""Sentence compression by syntax: shorter, grammatical, exactly as long as you ask."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from laconic.budget import Budget as Budget
    from laconic.budget import TextCost as TextCost
    from laconic.compressed_text import CompressedText as CompressedText
    from laconic.compression import Compression as Compression
    from laconic.documents.compress import compress as compress
    from laconic.documents.explain import explain as explain
    from laconic.documents.lengths import lengths as lengths
    from laconic.errors import InfeasibleBudget as InfeasibleBudget
    from laconic.errors import LaconicError as LaconicError
    from laconic.options import Options as Options
    from laconic.sentence import Sentence as Sentence
    from laconic.systems.default.compressor import Compressor as Compressor
    from laconic.systems.registry import open_system as open_system
    from laconic.text.split import split_sentences as split_sentences
    from laconic.text.tokenise import tokenise as tokenise

__version__ = "0.1.0"

# Attributes are imported when they are first used, so that `import laconic` costs next to nothing.
_PLACES = {
    "Budget": "laconic.budget",
    "CompressedText": "laconic.compressed_text",
    "Compression": "laconic.compression",
    "Compressor": "laconic.systems.default.compressor",
    "InfeasibleBudget": "laconic.errors",
    "LaconicError": "laconic.errors",
    "Options": "laconic.options",
    "Sentence": "laconic.sentence",
    "TextCost": "laconic.budget",
    "compress": "laconic.documents.compress",
    "explain": "laconic.documents.explain",
    "lengths": "laconic.documents.lengths",
    "open_system": "laconic.systems.registry",
    "split_sentences": "laconic.text.split",
    "tokenise": "laconic.text.tokenise",
}

__all__ = ["__version__", *_PLACES]


def __getattr__(name: str) -> Any:
    if name not in _PLACES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(import_module(_PLACES[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *_PLACES})
