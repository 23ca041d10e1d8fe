"""How fast the embedded annotator is against its bare encoder, how soon it answers, and how much memory it takes.

    python -m benchmarks.annotator --data ../shared/data [--against other.onnx]

The bare encoder is cut out of the shipped graph, which needs the package `onnx` (the extra `train`); without it
the whole graph stands in. On one thread processor time is compared, which other programs disturb least. With
`--against`, the graph is timed in turn with another of the same inputs, as the runtime optimises that by default. What
older CPUs would take is measured with the runtime's own kernels for them (`benchmarks._instructions`), where this one
has VNNI.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from time import perf_counter, process_time
from typing import Any

from benchmarks._instructions import KINDS, older_runtime, run_with

from laconic.annotate.annotator import Annotator, load_annotator
from laconic.annotate.graph_file import read_graph
from laconic.annotate.network import Network, open_session, register_weights
from laconic.annotate.pieces import Encoded
from laconic.corpora.pairs import read_pairs
from laconic.sentence import Sentence
from laconic.text.tokenise import tokenise

SENTENCES = 200
ROUNDS = 5
LENGTHS = (10, 20, 30, 40, 60)
SHIPPED = Path("src/laconic/models/annotator")
ENCODED = "encoded"  # what the last layer of the encoder says
ONE_SENTENCE = "The council on Tuesday plans to consider the matter."


def dev_sentences(data: Path, count: int) -> list[Sentence]:
    pairs = read_pairs(data / "compression/google.dev.jsonl", tokenise=tokenise)
    return [pair.source for pair, _ in zip(pairs, range(count), strict=False)]


def bare_encoder(folder: Path) -> Any:
    """The graph up to the last layer of the encoder; None without the package that can cut it."""
    try:
        from onnx.utils import extract_model
    except ImportError:
        return None
    whole, path = folder / "network.onnx", folder / "encoder.onnx"
    whole.write_bytes(read_graph(SHIPPED))
    extract_model(str(whole), str(path), ["ids", "cases"], [ENCODED])
    return open_session(path.read_bytes())


def least(rounds: dict[str, Callable[[], object]], clock: Callable[[], float]) -> dict[str, float]:
    """The least time of each piece of work, all of them in turn in every round."""
    times: dict[str, float] = {}
    for _ in range(ROUNDS):
        for name, work in rounds.items():
            start = clock()
            work()
            times[name] = min(times.get(name, float("inf")), clock() - start)
    return times


def inputs(row: Encoded, register: Any) -> dict[str, object]:
    return {"ids": row.ids, "cases": row.cases, "first": row.first, "last": row.last, "domain": register}


def run_lengths(other: Path | None) -> None:
    """The graph alone on sentences of several lengths, beside another graph if there is one."""
    network, news, words = Network.shipped(), register_weights("news"), tokenise(ONE_SENTENCE).words
    sessions = {"shipped": open_session(read_graph(SHIPPED))}
    if other:
        import onnxruntime

        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = options.inter_op_num_threads = 1
        sessions["other"] = onnxruntime.InferenceSession(str(other), options)
    for length in LENGTHS:
        given = inputs(network.pieces.encode((words * length)[:length]), news)
        times = least(
            {
                name: lambda run=one.run: [run(None, given) for _ in range(20)]  # type: ignore[misc]  # noqa: B023
                for name, one in sessions.items()
            },
            process_time,
        )
        ratio = f", {times['shipped'] / times['other']:.2f} x the other" if other else ""
        print(f"{length} words: {times['shipped'] / 20 * 1000:.2f} ms{ratio}")


def run_speed(data: Path) -> None:
    sentences = dev_sentences(data, SENTENCES)
    texts = [sentence.text for sentence in sentences]
    network = Network.shipped()
    encoded = [network.pieces.encode(sentence.words) for sentence in sentences]
    pieces = sum(len(row.ids) for row in encoded) / len(encoded)
    print(f"{len(sentences)} sentences, {pieces:.1f} pieces each")
    news = register_weights("news")
    whole = open_session(read_graph(SHIPPED))
    annotator = Annotator(network, threads=1)
    list(annotator.annotate(sentences[:3]))

    with tempfile.TemporaryDirectory() as folder:
        encoder = bare_encoder(Path(folder))
        work: dict[str, Callable[[], object]] = {
            "all heads": lambda: [whole.run(None, inputs(row, news)) for row in encoded],
            "words to both trees": lambda: list(annotator.annotate(sentences)),
            "text to both trees": lambda: list(annotator.annotate(texts)),
        }
        if encoder is None:
            print("no package onnx (the extra `train`): the whole graph stands in for the bare encoder")
            reference = "all heads"
        else:
            reference = "bare encoder"
            work[reference] = lambda: [
                encoder.run(None, {"ids": row.ids, "cases": row.cases}) for row in encoded
            ]
        times = least(work, process_time)
    for name, seconds in times.items():
        asked = " (asked: at most 1.8)" if name == "words to both trees" else ""
        ratio = seconds / times[reference]
        print(
            f"one thread, {name}: {len(sentences) / seconds:.0f} a second, {ratio:.2f} x {reference}{asked}"
        )
    threaded = {count: load_annotator(threads=count) for count in (1, 2)}
    elapsed = least(
        {
            str(count): lambda pool=pool: list(pool.annotate(sentences))  # type: ignore[misc]
            for count, pool in threaded.items()
        },
        perf_counter,
    )
    for count, asked_rate in ((1, 170), (2, 300)):
        rate = len(sentences) / elapsed[str(count)]
        print(f"{count} thread(s), elapsed: {rate:.0f} sentences a second (asked: {asked_rate})")


# The peak is the kernel's own count of this program; that of its parent would count what the parent held.
PROGRAM = """
import re, sys
from pathlib import Path
from laconic.cli.application import run
code = run(sys.argv[1:])
print(re.search(r"VmHWM:\\s+(\\d+)", Path("/proc/self/status").read_text())[1], file=sys.stderr)
sys.exit(code)
"""


def used_by(*arguments: str) -> tuple[float, float, float]:
    """Elapsed seconds, processor seconds and the most resident megabytes of a run of the program."""
    start = perf_counter()
    process = subprocess.Popen(
        [sys.executable, "-c", PROGRAM, *arguments],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stderr is not None
    peak = process.stderr.read()
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    assert process.returncode == 0, peak
    return perf_counter() - start, usage.ru_utime + usage.ru_stime, int(peak) / 1024


def run_cold_start() -> None:
    used_by("parse", ONE_SENTENCE)  # the first run compiles
    runs = [used_by("parse", ONE_SENTENCE) for _ in range(ROUNDS)]
    elapsed, busy, memory = map(min, zip(*runs, strict=True))
    print(
        f"cold start of `laconic parse`: {elapsed:.2f} s, of them {busy:.2f} s computing (asked: 1.5); "
        f"{memory:.0f} MB resident (asked: 400)"
    )


# The least processor time of the network alone, and whether its scores are the same to the last bit.
ONE_PASS = """
import hashlib, sys
from time import process_time
from laconic.annotate.network import Network, Scores, register_weights
network, news, words = Network.shipped(), register_weights("news"), sys.argv[1].split()
for length in map(int, sys.argv[2:]):
    times = []
    for _ in range(12):
        start = process_time()
        scores = network.read(tuple((words * length)[:length]), news)
        times.append(process_time() - start)
    bits = b"".join(getattr(scores, name).tobytes() for name in Scores.__slots__)
    print(min(times), hashlib.sha256(bits).hexdigest())
"""


def run_instructions() -> None:
    """The network with the runtime's kernels for older CPUs, in turn with those it chooses by itself."""
    with tempfile.TemporaryDirectory() as folder:
        copies: dict[str | None, Path | None] = {None: None}
        copies |= {kind: older_runtime(Path(folder), kind) for kind in KINDS}
        times: dict[tuple[str | None, int], float] = {}
        bits: dict[tuple[str | None, int], str] = {}
        for _ in range(ROUNDS):
            for kind, copy in copies.items():
                lines = run_with(copy, "-c", ONE_PASS, ONE_SENTENCE, *map(str, LENGTHS)).splitlines()
                for length, line in zip(LENGTHS, lines, strict=True):
                    seconds, bits[kind, length] = line.split()
                    times[kind, length] = min(times.get((kind, length), float("inf")), float(seconds))
    for kind in KINDS:
        ratios = ", ".join(f"{times[kind, each] / times[None, each]:.2f} at {each} words" for each in LENGTHS)
        same = all(bits[kind, each] == bits[None, each] for each in LENGTHS)
        print(f"{kind}: {ratios} x this CPU's time; scores {'equal to the last bit' if same else 'DIFFER'}")


def run_memory(data: Path) -> None:
    with tempfile.NamedTemporaryFile("w", suffix=".txt", encoding="utf-8") as text:
        text.writelines(f"{' '.join(sentence.text.split())}\n" for sentence in dev_sentences(data, 500))
        text.flush()
        for threads in (1, 2):
            _, _, memory = used_by("parse", text.name, "--lines", "--threads", str(threads))
            print(f"500 sentences on {threads} thread(s): {memory:.0f} MB resident at most (asked: 400)")


def run(data: Path, against: Path | None = None) -> None:
    run_lengths(against)
    run_instructions()
    run_speed(data)
    run_cold_start()
    run_memory(data)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", type=Path, default=Path("../shared/data"))
    parser.add_argument("--against", type=Path, help="another graph to time in turn with the shipped one")
    given = parser.parse_args()
    run(given.data, given.against)
