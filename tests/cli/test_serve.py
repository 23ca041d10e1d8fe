"""`laconic serve` as a process: starts, answers, stops when told, and says what is wrong before it starts."""

from __future__ import annotations

import json
import re
import signal
import socket
import subprocess
import sys
import time
from urllib.error import HTTPError, URLError
from urllib.request import Request, urlopen

import pytest

pytest.importorskip("fastapi", reason="needs laconic[serve]")
pytest.importorskip("uvicorn", reason="needs laconic[serve]")

from laconic.cli.application import run


def test_it_answers_until_it_is_told_to_stop() -> None:
    command = [sys.executable, "-m", "laconic", "serve", "--port", "0", "--workers", "1"]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as process:
        assert process.stderr is not None
        address = re.search(r"http://127\.0\.0\.1:\d+", process.stderr.readline())[0]
        for _ in range(600):
            try:
                urlopen(f"{address}/ready", timeout=5)
                break
            except URLError:
                time.sleep(0.1)
        body = json.dumps({"text": "It fell again on Monday.", "words": 2, "system": "truncate"}).encode()
        asked = Request(f"{address}/compress", body, {"Content-Type": "application/json"})
        assert json.load(urlopen(asked, timeout=60))["text"] == "It fell"
        with pytest.raises(HTTPError, match="421"):
            urlopen(Request(f"{address}/health", headers={"Host": "evil.example"}), timeout=5)
        process.send_signal(signal.SIGTERM)
        logged = [json.loads(line) for line in process.stderr if line.strip()]
        process.wait(60)
    assert process.returncode in (0, -signal.SIGTERM)
    assert any(line.get("path") == "/compress" and line["status"] == 200 for line in logged)
    assert not any("Monday" in str(line) for line in logged)


def test_a_port_that_is_taken_is_an_error_that_says_so(capsys) -> None:
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        port = other.getsockname()[1]
        assert run(["serve", "--port", str(port)]) == 2
    assert f"cannot listen on 127.0.0.1:{port}" in capsys.readouterr().err


@pytest.mark.parametrize("wrong", [["--time-limit", "0"], ["--api-key", " "], ["--port", "99999999"]])
def test_wrong_settings_are_errors(wrong, capsys) -> None:
    assert run(["serve", *wrong]) == 2
    assert capsys.readouterr().err.startswith("laconic: ")
