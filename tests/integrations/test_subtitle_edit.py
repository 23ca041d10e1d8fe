"""The plugin answers Subtitle Edit's requests by its contract; the program itself is not needed."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from laconic.documents.subtitles import check
from laconic.integrations.subtitle_edit.answer import DEFAULTS, answer, respond
from laconic.integrations.subtitle_edit.folder import write_plugin
from tests.documents.subtitles import files


def request(tmp_path: Path, **changes: Any) -> dict[str, Any]:
    """A request as the program writes it."""
    return {
        "apiVersion": 1,
        "requestType": "run",
        "responseFilePath": str(tmp_path / "response.json"),
        "tempDirectory": str(tmp_path),
        "subtitle": {"format": "SubRip", "fileName": "a.srt", "native": files.SUBRIP, "subRip": files.SUBRIP},
        "selectedIndices": [],
        "videoFileName": None,
        "frameRate": 23.976,
        "uiLanguage": "English",
        "seVersion": "5.0.0",
        "settings": None,
        "settingsVersion": None,
        **changes,
    }


def test_subtitles_come_back_within_their_limits(tmp_path: Path) -> None:
    found = answer(request(tmp_path), {})
    assert (found["apiVersion"], found["status"]) == (1, "ok")
    assert found["subtitle"]["format"] == "SubRip"
    assert [cue.number for cue in check(found["subtitle"]["native"]).above] == [4]
    assert "Line 4: 24 characters in 0.5 s" in found["message"]
    assert found["undoDescription"]
    assert found["settings"] == DEFAULTS


def test_the_native_format_is_kept(tmp_path: Path) -> None:
    native = {"format": "Advanced Sub Station Alpha", "native": files.SUBSTATION, "subRip": files.SUBRIP}
    found = answer(request(tmp_path, subtitle=native), {})
    assert found["subtitle"]["format"] == "Advanced Sub Station Alpha"
    assert found["subtitle"]["native"].startswith("[Script Info]")
    other = {"format": "EBU STL", "native": "?", "subRip": files.SUBRIP}
    assert answer(request(tmp_path, subtitle=other), {})["subtitle"]["format"] == "SubRip"


def test_only_selected_lines_are_changed(tmp_path: Path) -> None:
    found = answer(request(tmp_path, selectedIndices=[1, 5]), {})
    assert [cue.number for cue in check(found["subtitle"]["native"]).above] == [1, 3, 4]


def test_nothing_to_do_is_cancelled(tmp_path: Path) -> None:
    assert answer(request(tmp_path), {"cps": 1000, "line": 100, "lines": 9})["status"] == "cancelled"


@pytest.mark.parametrize(
    ("changes", "settings", "message"),
    [
        ({"apiVersion": 2}, {}, "version 2"),
        ({"subtitle": None}, {}, "without subtitles"),
        ({"subtitle": {"format": "x"}}, {}, "as SubRip"),
        ({}, {"for": "hbo"}, "known: netflix"),
        ({}, {"speed": 3}, "no setting 'speed'"),
    ],
)
def test_mistakes_are_told_to_the_user(
    tmp_path: Path, changes: dict[str, Any], settings: dict[str, Any], message: str
) -> None:
    found = answer(request(tmp_path, **changes), settings)
    assert found["status"] == "error"
    assert message in found["message"]


def test_settings_come_from_the_folder_and_from_the_last_time(tmp_path: Path) -> None:
    folder = tmp_path / "plugin"
    write_plugin(folder)
    (folder / "settings.json").write_text('{"lines": 9}')
    (tmp_path / "request.json").write_text(
        json.dumps(request(tmp_path, settings={"cps": 1000, "line": 100}, settingsVersion=1))
    )
    respond(tmp_path / "request.json", folder)
    assert json.loads((tmp_path / "response.json").read_text())["status"] == "cancelled"


def test_the_folder_runs_by_itself(tmp_path: Path) -> None:
    folder = tmp_path / "Plugins" / "laconic"
    write_plugin(folder)
    manifest = json.loads((folder / "plugin.json").read_text())
    assert manifest["apiVersion"] == 1
    assert manifest["name"]
    assert all((folder / name).is_file() for name in manifest["executables"].values())
    # Settings are the user's own.
    (folder / "settings.json").write_text('{"cps": 1000, "line": 100, "lines": 9}')
    write_plugin(folder)
    assert "1000" in (folder / "settings.json").read_text()
    (tmp_path / "request.json").write_text(json.dumps(request(tmp_path)))
    command = [str(folder / manifest["executables"]["linux"]), str(tmp_path / "request.json")]
    if os.name == "nt":
        command = [sys.executable, "-m", "laconic.integrations.subtitle_edit", command[1]]
    subprocess.run(command, check=True, cwd=folder)
    assert json.loads((tmp_path / "response.json").read_text())["status"] == "cancelled"


def test_what_is_no_request_is_refused(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "laconic.integrations.subtitle_edit"]
    (tmp_path / "request.json").write_text("{}")
    for arguments in ([], [str(tmp_path / "nothing.json")], [str(tmp_path / "request.json")]):
        assert subprocess.run([*command, *arguments], capture_output=True).returncode == 2
