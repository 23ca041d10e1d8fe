"""Two source trees, an older and a newer one, side by side: how long the same questions take in each.

python -m benchmarks.engines OLD_SRC NEW_SRC

Each tree answers in processes of its own, in turn, so that a busy machine slows both; the least time counts. Both must
know the questions: the decoders since they have a contract, and the systems that were there.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from time import process_time
from typing import Any

import numpy as np

TURNS = 3
LEAST_TIME = 0.15  # seconds for each question
SENTENCES = (
    "On Tuesday the council agreed to lower the fees for the town's swimming pool, which had risen twice last year.",
    "The mayor, who had come by train from the capital in the morning, told the people who were waiting in the square "
    "that nobody had expected so many of them, and that a second evening would be held in the old theatre in May.",
    "Stocks fell again on Monday.",
)
SYSTEMS = ("dependency", "markov", "noisy-channel", "transducer")


def run(data: Path) -> None:  # noqa: ARG001  (sentences are its own)
    print("needs two source trees: python -m benchmarks.engines OLD_SRC NEW_SRC")


def questions() -> Iterator[tuple[str, Callable[[], object]]]:
    """What is asked of both trees, by name."""
    from laconic.decode.compressive import CompressiveParser
    from laconic.decode.contract import Limit
    from laconic.decode.path import PathDecoder

    for words in (10, 25, 40):
        generator = np.random.default_rng(words)
        bigram = generator.normal(size=(words + 2, words + 2))
        arc = generator.normal(size=(words + 1, words + 1))
        decoders: dict[str, Any] = {"path": PathDecoder(bigram), "parser": CompressiveParser(arc, bigram)}
        prices, limit = generator.normal(size=words), Limit(words // 2, words // 2)
        for name, decoder in decoders.items():
            yield from _of_decoder(f"{name}, {words} words", decoder, prices, limit)
    yield from _of_systems()


def _of_decoder(
    name: str, decoder: Any, prices: Any, limit: Any
) -> Iterator[tuple[str, Callable[[], object]]]:
    yield f"{name}: best", decoder.best
    yield f"{name}: best, priced", lambda: decoder.best(prices=prices)
    yield f"{name}: best of half", lambda: decoder.best(limit=limit)
    yield f"{name}: every length", lambda: decoder.frontier(prices=prices)
    yield f"{name}: 20 best", lambda: decoder.k_best(20)
    yield f"{name}: marginals", decoder.word_marginals


def _of_systems() -> Iterator[tuple[str, Callable[[], object]]]:
    from laconic.annotate import load_annotator
    from laconic.budget import Budget
    from laconic.decode.contract import Limit
    from laconic.systems.registry import open_system

    unit: Any = (
        "pieces" if "pieces" in Path(sys.modules["laconic.budget"].__file__ or "").read_text() else "words"
    )
    for sentence in load_annotator(threads=1).annotate(SENTENCES):
        words, half = len(sentence), Budget.at_most(max(1, len(sentence) // 2), unit=unit)
        for name in SYSTEMS:
            system: Any = open_system(name)
            compress = partial(system.compress, sentence)
            yield f"{name}, {words} words: compress", compress
            yield f"{name}, {words} words: at most half", partial(compress, half)
            if name in ("markov", "noisy-channel"):
                decoder, limit = system.decoder(sentence), Limit(1, max(1, words // 2))
                yield from _of_decoder(f"{name}'s forest, {words} words", decoder, np.ones(words), limit)
    yield from _of_default(unit)


def _of_default(unit: Any) -> Iterator[tuple[str, Callable[[], object]]]:
    """From raw text, by a compressor that remembers nothing, on one thread."""
    from laconic.budget import Budget
    from laconic.systems.default.compressor import Compressor
    from laconic.text.tokenise import tokenise

    compressor = Compressor(threads=1)
    kinds = {
        "natural length": None,
        "at most 12 words": Budget.at_most(12, unit=unit),
        "exactly half": Budget.exactly(ratio=0.5, unit=unit),
        "at most 60 characters": Budget.at_most(60, unit="characters"),
    }
    for text in SENTENCES:
        for kind, budget in kinds.items():
            yield (
                f"default, {len(tokenise(text))} words: {kind}",
                lambda text=text, budget=budget: compressor.with_manner().compress(text, budget),  # type: ignore[misc]
            )


def measured() -> dict[str, float]:
    """The least processor time of each question, in microseconds."""
    found = {}
    for name, ask in questions():
        ask()
        times: list[float] = []
        while sum(times) < LEAST_TIME or len(times) < 5:
            start = process_time()
            ask()
            times.append(process_time() - start)
        found[name] = 1e6 * min(times)
    return found


def compare(old: Path, new: Path) -> None:
    """Print the times of both trees, and their ratio, below the commits that they are at."""
    for age, source in (("old", old), ("new", new)):
        print(f"{age}: commit {_commit(source)}")
    least: dict[Path, dict[str, float]] = {old: {}, new: {}}
    for _ in range(TURNS):
        for source, known in least.items():
            environment = os.environ | {"PYTHONPATH": str(source.resolve())}
            command = [sys.executable, str(Path(__file__).resolve())]
            answer = subprocess.run(command, check=True, stdout=subprocess.PIPE, env=environment).stdout
            for name, time in json.loads(answer).items():
                known[name] = min(time, known.get(name, np.inf))
    print(f"{'microseconds':50s} {'old':>9s} {'new':>9s} {'new/old':>8s}")
    for name, before in least[old].items():
        after = least[new].get(name, np.nan)
        print(f"{name:50s} {before:9.0f} {after:9.0f} {after / before:8.2f}")


def _commit(source: Path) -> str:
    """The commit of a source tree, and whether files differ from it."""
    command = ["git", "describe", "--always", "--dirty", "--exclude=*"]
    found = subprocess.run(command, capture_output=True, text=True, check=False, cwd=source)
    return found.stdout.strip() or "unknown"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("old", type=Path, nargs="?", help="source tree of the older commit")
    parser.add_argument("new", type=Path, nargs="?", help="source tree of the newer one")
    options = parser.parse_args()
    if options.old is None:
        print(json.dumps(measured()))
    elif options.new is None:
        parser.error("two source trees are needed")
    else:
        compare(options.old, options.new)


if __name__ == "__main__":
    main()
