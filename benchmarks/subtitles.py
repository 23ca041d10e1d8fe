"""How long the subtitles of a two-hour film take, beside the encoder alone on the same sentences, in the same run.

python -m benchmarks.subtitles --data ../shared/data
"""

from __future__ import annotations

import argparse
import json
import random
import re
from collections.abc import Iterator
from pathlib import Path
from time import perf_counter

from laconic.annotate.network import Network, register_weights
from laconic.documents.subtitles import Subtitles, check, fit
from laconic.documents.subtitles.fitting import Fitting
from laconic.documents.subtitles.norms import NORMS
from laconic.documents.subtitles.timestamps import write_clock
from laconic.parallel import map_in_order
from laconic.systems.manner import open_cached

CUES = 1500
_MARKS = re.compile(r" ([,.;:?!]|'s|n't)(?= |$)")  # which corpora set apart
WIDTH = 42
SLOWEST, FASTEST = 12.0, 26.0  # characters a second that people speak


def blocks(sentence: str) -> Iterator[str]:
    """The text of cues of one or two full lines."""
    lines = [""]
    for word in sentence.split():
        if lines[-1] and len(lines[-1]) + 1 + len(word) > WIDTH:
            lines.append("")
        lines[-1] += f" {word}" if lines[-1] else word
    yield from ("\n".join(lines[start : start + 2]) for start in range(0, len(lines), 2))


def film(sentences: list[str], seed: int = 1) -> str:
    """A SubRip file of so many cues, spoken now slowly and now fast."""
    generator = random.Random(seed)
    cues: list[str] = []
    time = 1000
    while len(cues) < CUES:
        pace = generator.uniform(SLOWEST, FASTEST)
        for text in blocks(generator.choice(sentences)):
            end = time + int(1000 * len(text) / pace)
            start, stop = (write_clock(each, "00:00:00,000") for each in (time, end))
            cues.append(f"{len(cues) + 1}\n{start} --> {stop}\n{text}\n")
            time = end + 100
        time += generator.randrange(0, 2000)
    return "\n".join(cues[:CUES])


def run(data: Path) -> None:
    lines = (data / "compression" / "spoken.dev.jsonl").read_text(encoding="utf-8").splitlines()
    text = film([_MARKS.sub(r"\1", json.loads(line)["source"]) for line in lines])
    system = open_cached("default")
    fit("\n".join(text.split("\n")[:100]), system=system)  # what is loaded and compiled once
    subtitles = Subtitles.read(text)
    start = perf_counter()
    checked = check(subtitles)
    print(
        f"{len(checked.cues)} cues, {len(checked.above)} above their limits, found in {perf_counter() - start:.2f} s"
    )
    start = perf_counter()
    found = fit(subtitles, system=system)
    needed = perf_counter() - start
    print(f"fitted in {needed:.1f} s: {found.report.summary}")
    # The encoder alone, once for every sentence that some cue above its limits has words of.
    network, weights = Network.shipped(), register_weights("news")
    work = Fitting(subtitles.file, NORMS["netflix"], extend=False, only=None)
    wanted = sorted({number for cue in work.above for number, _ in work.script.spoken[cue]})
    words = [work.script.sentence(number).words for number in wanted]
    start = perf_counter()
    for _ in map_in_order(lambda each: network.read(each, weights), words, threads=system.threads):
        pass
    encoder = perf_counter() - start
    print(f"the encoder alone, {len(words)} sentences: {encoder:.1f} s, {encoder / needed:.0%} of that time")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, default=Path("../shared/data"))
    run(parser.parse_args().data)


if __name__ == "__main__":
    main()
