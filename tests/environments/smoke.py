"""A list of questions to an installed laconic; what it answers, as JSON on standard output.

Run as a file by the Python of the environment that is tried, so it imports nothing but laconic. `--quick` asks only
what needs the default system, `--extras` also what needs the extras ilp, serve and tokenizers.
"""

from __future__ import annotations

import importlib.metadata
import io
import json
import platform
import socket
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path

SENTENCE = "The harbour council, which met behind closed doors on Thursday, finally agreed to lower the mooring fees."
ACCENTS = (
    "Zoë’s café – the one by the naïve baker’s – closed “for good” on 4 May, her façade-painting uncle said."
)
TEXT = f"{SENTENCE} {ACCENTS} The mayor of Harrow Mill did not resign, despite the protests."
PAIRS = [
    {"id": "1", "source": "The old bridge was closed today .", "targets": ["The bridge was closed ."]},
    {"id": "2", "source": "It rained , again , all day .", "targets": ["It rained all day ."]},
]

QUICK = {
    "natural length": [SENTENCE],
    "accents": [ACCENTS],
    "at most so many words": [SENTENCE, "--words", "8"],
    "exactly so many characters": [SENTENCE, "--characters", "=60"],
    "trees": ["parse", SENTENCE, "--format", "penn"],
    "a refusal": ["It rained.", "--words", "=8"],
}
FULL = QUICK | {
    "exactly so many words": [SENTENCE, "--words", "=9"],
    "at least so many words": [SENTENCE, "--words", "12.."],
    "from so many words to so many": [SENTENCE, "--words", "10..12"],
    "each sentence": [TEXT, "--words", "8", "--per", "sentence"],
    "at most so many characters": [ACCENTS, "--characters", "50"],
    "tokens": [SENTENCE, "--tokens", "60", "--tokenizer", "bytes"],
    "a ratio": [SENTENCE, "--ratio", "0.75"],
    "words pinned": [SENTENCE, "--words", "12", "--keep", "Thursday", "--drop", "finally"],
    "names protected": [TEXT, "--ratio", "0.5", "--protect", "names"],
    "the habits of broadcasts": [TEXT, "--like", "broadcast"],
    "a whole text": [TEXT, "--words", "20"],
    "sentences left out": [TEXT, "--characters", "90", "--drop-sentences"],
    "dependencies": ["parse", TEXT, "--format", "conllu"],
    "pairs measured": ["evaluate", "--pairs", "pairs.jsonl", "--system", "truncate", "--gold-length"],
    "the default measured": ["evaluate", "--pairs", "pairs.jsonl", "--gold-length"],
} | {
    f"the system {name}": [SENTENCE, "--words", "=9", "--system", name]
    for name in (
        "dependency", "discriminative", "markov", "noisy-channel", "transducer", "bayesian", "em", "variational",
        "ngram", "joint-lm", "joint-discriminative", "truncate",
    )
}  # fmt: skip


def answer(arguments: list[str]) -> str:
    """What the program prints, within this process, with its exit code if that is not 0."""
    from laconic.cli.application import run

    printed = io.BytesIO()
    stream = io.TextIOWrapper(printed, encoding="utf-8", write_through=True)
    with redirect_stdout(stream), redirect_stderr(stream):
        code = run(arguments)
    return printed.getvalue().decode() + (f"exit code {code}\n" if code else "")


def answer_of_a_process(arguments: list[str]) -> str:
    """What the program prints as a process, read as UTF-8 whatever the locale."""
    program = [sys.executable, "-c", "from laconic.cli import main; main()", *arguments]
    done = subprocess.run(program, stdin=subprocess.DEVNULL, capture_output=True, check=False)
    return (done.stdout + done.stderr).decode()


def check_extras(folder: Path) -> None:
    """Ask a program, a tokenizer of a file and the service; what is refused ends all with what was said."""
    tokenizer = folder / "tokenizer.json"
    model = {"type": "WordLevel", "vocab": {"[UNK]": 0}, "unk_token": "[UNK]"}
    tokenizer.write_text(
        json.dumps({"version": "1.0", "pre_tokenizer": {"type": "Whitespace"}, "model": model})
    )
    of_a_file = ["--tokens", "12", "--tokenizer", str(tokenizer)]
    for arguments in ([SENTENCE, "--words", "=9", "--system", "ilp"], [SENTENCE, *of_a_file]):
        told = answer(arguments)
        if "exit code" in told:
            sys.exit(told)
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    program = "from laconic.cli import main; main()"
    command = [sys.executable, "-c", program, "serve", "--port", str(port)]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL) as service:
        try:
            asked = json.dumps({"text": SENTENCE, "words": 10}).encode()
            said = ask_service(f"http://127.0.0.1:{port}/compress", asked)
        finally:
            service.terminate()
    if answer([SENTENCE, "--words", "10"]).strip() not in said:
        sys.exit(f"the service said {said}")


def ask_service(url: str, asked: bytes) -> str:
    """What the service says once it listens, which may take a minute."""
    request = urllib.request.Request(url, asked, {"Content-Type": "application/json"})
    for _ in range(120):
        try:
            with urllib.request.urlopen(request) as response:
                return str(response.read().decode())
        except urllib.error.HTTPError as error:
            sys.exit(f"the service refused: {error.read().decode()}")
        except OSError:
            time.sleep(0.5)
    sys.exit("the service does not listen")


def main() -> None:
    """Print versions, times and answers."""
    start = time.perf_counter()
    import laconic

    answers = {"first": laconic.compress(SENTENCE, words=10).text}
    first = time.perf_counter() - start
    with tempfile.TemporaryDirectory() as folder:
        pairs = Path(folder, "pairs.jsonl")
        pairs.write_text("".join(json.dumps(pair) + "\n" for pair in PAIRS), encoding="utf-8")
        for name, arguments in (QUICK if "--quick" in sys.argv else FULL).items():
            answers[name] = answer([str(pairs) if word == pairs.name else word for word in arguments])
        if "--extras" in sys.argv:
            check_extras(Path(folder))
    start = time.perf_counter()
    answers["as a process"] = answer_of_a_process([ACCENTS, "--words", "9"])
    seconds = {"first answer": round(first, 1), "as a process": round(time.perf_counter() - start, 1)}
    versions = {"python": platform.python_version(), "machine": platform.machine()}
    versions |= {library.name: library.version for library in importlib.metadata.distributions()}
    told = {
        "place": str(Path(laconic.__file__).parent),
        "versions": versions,
        "seconds": seconds,
        "answers": answers,
    }
    # ASCII alone, so that no locale stands in the way.
    print(json.dumps(told))


if __name__ == "__main__":
    main()
