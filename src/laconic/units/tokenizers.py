"""Tokenizers whose tokens a budget can count, by name; each is loaded when it is asked for."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from os import PathLike, fspath
from pathlib import Path
from typing import Any

from laconic.budget import TextCost
from laconic.errors import LaconicError


def open_tokenizer(given: object) -> TextCost:
    """The cost of a text in tokens: of a `tokenizer.json`, of `tiktoken:ENCODING`, in `bytes`, or by a function.

    >>> open_tokenizer("bytes").count("né"), open_tokenizer(len).count("né")
    (3, 2)
    """
    if isinstance(given, TextCost):
        return given
    if callable(given):
        return TextCost(given)
    if not isinstance(given, str | PathLike):
        raise LaconicError(f"a tokenizer is a name, a file or a function of a text, not {given!r:.60}")
    name = fspath(given)
    if name == "bytes":
        return TextCost(lambda text: len(text.encode("utf-8", "surrogatepass")), "bytes")
    if name.startswith("tiktoken:"):
        return TextCost(_tiktoken(name.removeprefix("tiktoken:")))
    return TextCost(_tokenizers(Path(name)))


def _tiktoken(encoding: str) -> Callable[[str], int]:
    tiktoken = _library("tiktoken")
    try:
        found = tiktoken.get_encoding(encoding)
    except ValueError:
        raise LaconicError(
            f"tiktoken knows no encoding {encoding!r}; it has {', '.join(tiktoken.list_encoding_names())}"
        ) from None
    return lambda text: len(found.encode(text, disallowed_special=()))


def _library(name: str) -> Any:
    try:
        return import_module(name)
    except ImportError:
        raise LaconicError(f"{name} is not installed: pip install 'laconic[{name}]'") from None


def _tokenizers(path: Path) -> Callable[[str], int]:
    if not path.is_file():
        raise LaconicError(f"{path}: no such tokenizer; give a tokenizer.json, tiktoken:ENCODING or bytes")
    library = _library("tokenizers")
    try:
        found = library.Tokenizer.from_file(str(path))
    except Exception as error:  # the library raises nothing more specific
        raise LaconicError(f"{path}: not a tokenizer ({error})") from None
    return lambda text: len(found.encode(text, add_special_tokens=False).ids)
