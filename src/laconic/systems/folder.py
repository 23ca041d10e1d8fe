"""Model folders: a `model.json` that names the system, its settings and its origin, beside numeric arrays."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from laconic import __version__
from laconic.errors import ModelError
from laconic.files import write_whole

_FILE = "model.json"


def write_settings(folder: Path, system: str, settings: Mapping[str, Any]) -> None:
    """Write `model.json`, last of a model's files, so that a folder that has it is complete."""
    content = {"system": system, "laconic": __version__, "settings": dict(settings)}
    with write_whole(folder / _FILE) as stream:
        stream.write(json.dumps(content, indent=2, ensure_ascii=False).encode() + b"\n")


def system_of(folder: Path) -> str:
    """The name of the system whose model the folder holds."""
    return str(_content(folder)["system"])


def read_settings(folder: Path, system: str) -> dict[str, Any]:
    """The settings in `model.json`; it is an error if the model is another system's."""
    content = _content(folder)
    if content["system"] != system:
        raise ModelError(f"{folder}: a model of {content['system']!r}, expected one of {system!r}")
    settings: dict[str, Any] = content["settings"]
    return settings


def _content(folder: Path) -> dict[str, Any]:
    path = folder / _FILE
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise ModelError(f"{folder}: no model here ({_FILE} is missing)") from None
    except (UnicodeDecodeError, json.JSONDecodeError) as error:
        raise ModelError(f"{path}: damaged ({error})") from None
    if not (isinstance(content, dict) and isinstance(content.get("settings"), dict) and "system" in content):
        raise ModelError(f"{path}: damaged (fields 'system' and 'settings' are missing)")
    return content
