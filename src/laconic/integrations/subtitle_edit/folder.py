"""The folder that is put into Subtitle Edit's `Plugins`: a manifest, what starts this Python, and settings."""

from __future__ import annotations

import json
import shlex
import sys
from pathlib import Path

from laconic import __version__
from laconic.errors import LaconicError
from laconic.files import write_whole
from laconic.integrations.subtitle_edit.answer import API_VERSION, DEFAULTS, SETTINGS_FILE

MODULE = "laconic.integrations.subtitle_edit"

MANIFEST = {
    "apiVersion": API_VERSION,
    "name": "Fit reading speed (laconic)",
    "description": "Shortens and breaks lines so that every cue is within reading speed, width and number of lines.",
    "version": __version__,
    "author": "laconic",
    "menu": "Tools",
    "minSeVersion": "5.0.0",
    "executables": {"windows": "laconic.cmd", "linux": "laconic.sh", "macos": "laconic.sh"},
}


def write_plugin(folder: Path, python: str = sys.executable) -> None:
    """Write the plugin; settings that are there already stay."""
    if folder.exists() and not folder.is_dir():
        raise LaconicError(f"{folder}: is a file, expected a folder for the plugin")
    files = {
        "plugin.json": json.dumps(MANIFEST, indent=2) + "\n",
        "laconic.sh": f'#!/bin/sh\nexec {shlex.quote(python)} -m {MODULE} "$1"\n',
        "laconic.cmd": f'@"{python}" -m {MODULE} "%~1"\r\n',
    }
    if not (folder / SETTINGS_FILE).exists():
        files[SETTINGS_FILE] = json.dumps(DEFAULTS, indent=2) + "\n"
    for name, text in files.items():
        with write_whole(folder / name) as stream:
            stream.write(text.encode())
    (folder / "laconic.sh").chmod(0o755)
