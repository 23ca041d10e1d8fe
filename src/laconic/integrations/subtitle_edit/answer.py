"""The answer to a request of Subtitle Edit 5: its subtitles within the limits that the plugin's settings name."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from laconic import __version__
from laconic.documents.subtitles import Subtitles, fit
from laconic.documents.subtitles.norms import norm_of
from laconic.documents.subtitles.reading import read_subtitles
from laconic.errors import FormatError, LaconicError
from laconic.files import write_whole

API_VERSION = 1
SETTINGS_VERSION = 1
SETTINGS_FILE = "settings.json"

DEFAULTS: dict[str, Any] = {
    "for": "netflix",
    "cps": None,
    "line": None,
    "lines": None,
    "count_spaces": None,
    "extend": False,
    "drop_sentences": False,
    "protect": [],
    "keep": [],
    "like": None,
}
"""What a user may set in `settings.json` in the plugin's folder, under the names that the options have elsewhere."""

# The formats whose text is edited in place, by the names that the program gives them.
_FORMATS = {
    "SubRip": "srt",
    "WebVTT": "vtt",
    "Advanced Sub Station Alpha": "ass",
    "Sub Station Alpha": "ssa",
    "Timed Text 1.0": "ttml",
}


def answer(request: Mapping[str, Any], settings: Mapping[str, Any]) -> dict[str, Any]:
    """The response to a request; what goes wrong is one of status "error" with a message for the user."""
    try:
        return _fitted(request, settings)
    except LaconicError as error:
        return {"apiVersion": API_VERSION, "status": "error", "message": f"laconic: {error}"}


def _fitted(request: Mapping[str, Any], settings: Mapping[str, Any]) -> dict[str, Any]:
    if request.get("apiVersion") != API_VERSION:
        raise LaconicError(
            f"a request of version {request.get('apiVersion')!r}, where {API_VERSION} is understood"
        )
    unknown = sorted(set(settings) - set(DEFAULTS))
    if unknown:
        raise LaconicError(f"{SETTINGS_FILE}: no setting {unknown[0]!r}; known: {', '.join(DEFAULTS)}")
    options = {**DEFAULTS, **settings}
    numbers = {name: options[name] for name in ("cps", "line", "lines", "count_spaces")}
    subtitles, label = _subtitles(request)
    selected = [int(index) + 1 for index in request.get("selectedIndices") or ()]
    found = fit(
        subtitles,
        norm_of(options["for"], **numbers),
        extend=bool(options["extend"]),
        # One selected line is where the cursor is; several are what the user wants to change.
        only=selected if len(selected) > 1 else None,
        keep=options["keep"],
        protect=options["protect"],
        drop_sentences=bool(options["drop_sentences"]),
        like=options["like"],
    )
    above = "".join(f"\nLine {cue.number}: {cue.reason}" for cue in found.report.above)
    # An error is how a user learns what could not be met where nothing was changed.
    status = "ok" if found.report.changed else "error" if above else "cancelled"
    return {
        "apiVersion": API_VERSION,
        "status": status,
        "message": found.report.summary + above,
        "subtitle": {"format": label, "native": found.text},
        "settings": options,
        "settingsVersion": SETTINGS_VERSION,
        "undoDescription": f"laconic {__version__}: fit reading speed",
    }


def _subtitles(request: Mapping[str, Any]) -> tuple[Subtitles, str]:
    """The subtitles in their own format if it is edited in place, else as SubRip."""
    given = request.get("subtitle")
    if not isinstance(given, Mapping):
        raise LaconicError("a request without subtitles")
    label = str(given.get("format"))
    native = given.get("native")
    if label in _FORMATS and isinstance(native, str):
        try:
            name, file = read_subtitles(native, _FORMATS[label])
            if file.cues:
                return Subtitles(file, name), label
        except FormatError:
            pass  # SubRip is always there
    text = given.get("subRip")
    if not isinstance(text, str):
        raise LaconicError("a request without subtitles as SubRip")
    name, file = read_subtitles(text, "srt")
    return Subtitles(file, name), "SubRip"


def respond(request_path: Path, plugin_folder: Path | None = None) -> None:
    """Read a request file, and write the response where it says."""
    request = _read(request_path)
    place = request.get("responseFilePath")
    if not isinstance(place, str):
        raise LaconicError(f"{request_path}: a request without 'responseFilePath'")
    remembered = request.get("settings")
    settings = dict(remembered) if isinstance(remembered, dict) else {}
    if request.get("settingsVersion") not in (None, SETTINGS_VERSION):
        settings = {}
    own = Path.cwd() if plugin_folder is None else plugin_folder
    if (own / SETTINGS_FILE).is_file():
        settings |= _read(own / SETTINGS_FILE)
    with write_whole(Path(place)) as stream:
        stream.write(json.dumps(answer(request, settings), ensure_ascii=False, indent=2).encode())


def _read(path: Path) -> dict[str, Any]:
    try:
        content = json.loads(path.read_text(encoding="utf-8-sig"))
    except (OSError, ValueError) as error:
        raise LaconicError(f"{path}: no JSON that can be read ({error})") from None
    if not isinstance(content, dict):
        raise LaconicError(f"{path}: no JSON object")
    return content
