"""Tokenizers whose tokens a budget can count, by name, file or object; libraries are loaded when they are asked for."""

from __future__ import annotations

from collections.abc import Callable, Sized
from hashlib import sha256
from importlib import import_module
from inspect import signature
from os import PathLike, fspath
from pathlib import Path
from typing import Any

from laconic.budget import TextCost, name_of, tokens_of
from laconic.errors import LaconicError, MissingExtra

_FILE = "tokenizer.json"
_DIGITS = 12  # of its checksum
_FORMS = (
    f"give a {_FILE} or the folder it is in, tiktoken:NAME of an encoding or a model, transformers:NAME of a model, "
    "bytes, or the tokenizer itself"
)


def open_tokenizer(tokenizer: object) -> TextCost:
    """The cost of a text in tokens, without those that only mark its start and end.

    By name: `tiktoken:ENCODING` or `tiktoken:MODEL`, `transformers:MODEL`, a `tokenizer.json` or its folder, `bytes`
    of UTF-8. Or by itself: what `tokenizers`, `tiktoken` and `transformers` load, or a function that counts or cuts.

    >>> open_tokenizer("bytes").count("né"), open_tokenizer(str.split).count("so it is")
    (3, 3)
    """
    match tokenizer:
        case TextCost():
            return tokenizer
        case "bytes":
            return TextCost(lambda text: len(text.encode("utf-8", "surrogatepass")), "bytes")
        case str() if tokenizer.startswith("tiktoken:"):
            return _named(_tiktoken(tokenizer.removeprefix("tiktoken:")), tokenizer)
        case str() if tokenizer.startswith("transformers:"):
            return _named(_transformers(tokenizer.removeprefix("transformers:")), tokenizer)
        case str() | PathLike():
            path = Path(fspath(tokenizer))
            path = path / _FILE if path.is_dir() else path
            found = _tokenizers(path)
            return _named(found, f"{path.name} ({sha256(path.read_bytes()).hexdigest()[:_DIGITS]})")
    # Those of tiktoken and of transformers know what they are called.
    return _named(tokenizer, name_of(tokenizer) or getattr(tokenizer, "name_or_path", None))


def _named(tokenizer: object, whose: str | None) -> TextCost:
    """The cost in tokens of a library's tokenizer, by its name."""
    return TextCost(_counting(tokenizer), tokens_of(whose))


def _counting(tokenizer: Any) -> Callable[[str], int]:
    """What counts the tokens of a text with a library's tokenizer."""
    cut = getattr(tokenizer, "encode", None)
    if not callable(cut):
        if not callable(tokenizer):
            raise LaconicError(f"{tokenizer!r:.60} is no tokenizer: {_FORMS}")
        return lambda text: _number(tokenizer(text))
    options = _plainly(cut)
    return lambda text: _number(cut(text, **options))


def _plainly(encode: Any) -> dict[str, Any]:
    """The options by which a text is only cut: nothing is put around it, and what looks like a command is text."""
    try:
        known = frozenset(signature(encode).parameters)
    except ValueError:
        known = frozenset()
    wanted: dict[str, Any] = {"add_special_tokens": False, "disallowed_special": ()}
    return {name: value for name, value in wanted.items() if name in known}


def _number(found: object) -> Any:
    found = getattr(found, "ids", found)  # an encoding of `tokenizers`
    return len(found) if isinstance(found, Sized) else found


def _tiktoken(name: str) -> Any:
    tiktoken = _library("tiktoken")
    try:
        return tiktoken.get_encoding(name)
    except ValueError:
        try:
            return tiktoken.encoding_for_model(name)
        except KeyError:
            raise LaconicError(
                f"tiktoken knows no encoding and no model {name!r}; "
                f"it has {', '.join(tiktoken.list_encoding_names())}"
            ) from None


def _transformers(name: str) -> Any:
    library = _library("transformers")
    try:
        return library.AutoTokenizer.from_pretrained(name)
    except Exception as error:  # whatever its loaders raise
        raise LaconicError(f"transformers has no tokenizer {name!r} ({error!s:.200})") from None


def _tokenizers(path: Path) -> Any:
    if not path.is_file():
        raise LaconicError(f"{path}: no such tokenizer; {_FORMS}")
    library = _library("tokenizers")
    try:
        return library.Tokenizer.from_file(str(path))
    except Exception as error:  # the library raises nothing more specific
        raise LaconicError(f"{path}: not a tokenizer ({error})") from None


def _library(name: str) -> Any:
    try:
        return import_module(name)
    except ImportError:
        raise MissingExtra(name, name) from None
