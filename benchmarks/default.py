"""How fast the default compressor is from raw text, beside the bare encoder in the same run, on one thread.

python -m benchmarks.default --data ../shared/data
"""

from __future__ import annotations

import argparse
import json
import resource
import subprocess
import sys
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from time import perf_counter

from laconic.annotate.annotator import Annotator
from laconic.annotate.network import Network, register_weights
from laconic.budget import Budget
from laconic.systems.default.compressor import Compressor
from laconic.text.tokenise import tokenise

SENTENCES = 100
RUNS = 8
STARTS = 2


def per_second(works: Sequence[Callable[[str], object]], texts: Sequence[str]) -> list[float]:
    """Texts a second of each kind of work, over several runs after one that is not counted.

    The kinds take turns, so that what slows a machine for a while slows them all.
    """
    taken = [0.0] * len(works)
    for run in range(RUNS + 1):
        for number, work in enumerate(works):
            start = perf_counter()
            for text in texts:
                work(text)
            if run:
                taken[number] += perf_counter() - start
    return [RUNS * len(texts) / seconds for seconds in taken]


def start_up() -> float:
    """Seconds from nothing to the first answer of the program, the best of several starts."""
    command = [sys.executable, "-c", "import laconic.cli; laconic.cli.main()", "It fell again on Monday."]
    times = []
    for _ in range(STARTS):
        start = perf_counter()
        subprocess.run(command, check=True, capture_output=True)
        times.append(perf_counter() - start)
    return min(times)


def run(data: Path) -> None:
    lines = (data / "compression" / "google.dev.jsonl").read_text(encoding="utf-8").splitlines()[:SENTENCES]
    texts = [json.loads(line)["source"] for line in lines]
    thirty = [text for text in texts if 28 <= len(tokenise(text)) <= 32]
    network, weights = Network.shipped(), register_weights("news")
    compressor = Compressor(annotator=Annotator(network, threads=1), threads=1)

    def encode(text: str) -> object:
        return network.read(tokenise(text).words, weights)

    kinds = {
        "natural length": None,
        "at most 12 words": Budget.at_most(12, unit="pieces"),
        "exactly half of the words": Budget.exactly(ratio=0.5, unit="pieces"),
        "at most 60 characters": Budget.at_most(60, unit="characters"),
    }
    works = [partial(compressor.compress, budget=budget) for budget in kinds.values()]
    encoder, *rates = per_second([encode, *works], texts)
    print(f"{'sentences a second, one thread':40s} {'':>8s} share of the encoder's")
    print(f"{'bare encoder':40s} {encoder:8.1f}")
    for name, rate in zip(kinds, rates, strict=True):
        print(f"{name:40s} {rate:8.1f} {rate / encoder:6.0%}")
    read, every = per_second([encode, compressor.frontier], thirty)
    passes = read / every
    print(f"frontier of about 30 words: {passes:.1f} encoder passes")
    print(f"start-up to the first answer: {start_up():.2f} s")
    print(f"memory: {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:.0f} MB")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, default=Path("../shared/data"))
    run(parser.parse_args().data)


if __name__ == "__main__":
    main()
