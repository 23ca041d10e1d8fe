"""Whether every budget is met: all dev sentences under every kind of budget, and random texts under random ones.

    python -m experiments.budgets --data ../shared/data [--pairs 100000] [--seed 0]

A request is met if what it limits, counted on the final text, lies within its limits and all pins hold. It may
be refused only if nothing meets it: in words that is always known, in other units it is checked by measuring every
selection of up to 12 free words; of refusals of longer texts the number is given.
"""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Iterator
from itertools import combinations
from pathlib import Path
from time import perf_counter

import numpy as np

from laconic.budget import Budget, TextCost, Unit
from laconic.budgets import Request
from laconic.compression import Compression
from laconic.corpora.pairs import read_pairs
from laconic.errors import InfeasibleBudget
from laconic.sentence import Sentence
from laconic.systems.default.compressor import Compressor
from laconic.text.tokenise import tokenise

ENUMERABLE = 12
SETS = ("google.dev.jsonl", "spoken.dev.jsonl", "written.dev.jsonl")
# Words and marks that break easily when others go.
TOKENS = [
    *(
        "The",
        "an",
        "old",
        "it",
        "rose",
        "'s",
        "n't",
        "not",
        "Inc.",
        "$",
        "5",
        "million",
        "né",
        "who",
        "and",
        "to",
    ),
    *(",", ";", "--", ".", "?", "“", "”", "(", ")"),
]


def letters(word: str) -> int:
    """A cost for each word, 0 for some."""
    return sum(map(str.isalpha, word))


UNITS: dict[str, Unit] = {
    "pieces": "pieces",
    "characters": "characters",
    "words": "words",
    "letters": letters,
    "bytes": TextCost(lambda text: len(text.encode("utf-8", "surrogatepass")), "bytes"),
    "tokens": TextCost(lambda text: len(text.encode()) // 3 + text.count("e"), "tokens"),
}


def random_text(generator: np.random.Generator, sentences: list[Sentence]) -> Sentence:
    """Awkward tokens in any order, or a shuffled or cut sentence."""
    if generator.random() < 0.5:
        count = int(generator.integers(1, 30))
        words = generator.choice(TOKENS, size=count).tolist()
        spaces = generator.choice(["", " ", " ", "  "], size=count).tolist()
        return tokenise("".join(word + space for word, space in zip(words, spaces, strict=True)))
    source = sentences[generator.integers(len(sentences))]
    start = int(generator.integers(0, len(source)))
    words = list(source.words[start : start + int(generator.integers(1, 40))])
    if generator.random() < 0.3:
        generator.shuffle(words)
    return tokenise(" ".join(words))


def random_budget(generator: np.random.Generator, unit: Unit, whole: int) -> Budget:
    """At most, exactly, at least, between: an amount or a ratio, now and then an impossible one."""
    amount = int(generator.integers(0, whole + 2))
    ratio = float(generator.random())
    match generator.integers(0, 7):
        case 0:
            return Budget.at_least(amount, unit=unit)
        case 1:
            return Budget.exactly(amount, unit=unit)
        case 2:
            return Budget.exactly(ratio=ratio, unit=unit)
        case 3:
            return Budget.between(amount, amount + int(generator.integers(0, 5)), unit=unit)
        case 4:
            return Budget.between(ratio / 2, ratio, unit=unit, relative=True)
        case 5:
            return Budget.at_most(ratio=ratio, unit=unit)
        case _:
            return Budget.at_most(amount, unit=unit)


def on_dev(sentences: list[Sentence]) -> Iterator[tuple[Sentence, Budget]]:
    for sentence in sentences:
        for unit in UNITS.values():
            yield sentence, Budget.at_most(ratio=0.75, unit=unit)
            yield sentence, Budget.exactly(ratio=0.5, unit=unit)
            yield sentence, Budget.between(0.3, 0.4, unit=unit, relative=True)


def at_random(
    sentences: list[Sentence], pairs: int, generator: np.random.Generator
) -> Iterator[tuple[Sentence, Budget]]:
    units = list(UNITS.values())
    for _ in range(pairs):
        sentence = random_text(generator, sentences)
        unit = units[generator.integers(len(units))]
        whole = Budget.at_most(0, unit=unit).measure(sentence.words, sentence.text.strip())
        yield sentence, random_budget(generator, unit, whole)


def is_possible(request: Request) -> bool | None:
    """Whether some compression that says something meets a request; None if there are too many to measure."""
    sentence, budget = request.sentence, request.budget
    allowed = [word for word in range(len(sentence)) if word not in request.drop]
    if budget is not None and budget.unit == "pieces":
        counts = range(max(1, len(request.keep)), len(allowed) + 1)
        return any(request.least <= count <= request.most for count in counts)
    free = [word for word in allowed if word not in request.keep]
    if len(free) > ENUMERABLE:
        return None
    words = {word for word in allowed if any(map(str.isalnum, sentence.words[word]))}
    chosen = (set(part) | request.keep for size in range(len(free) + 1) for part in combinations(free, size))
    says_something = (kept for kept in chosen if kept & words or request.keep or (kept and not words))
    costs = (request.cost(Compression.by_deletion(sentence, sorted(kept))) for kept in says_something)
    return any(request.least <= cost <= request.most for cost in costs)


def outcome(compressor: Compressor, request: Request) -> str:
    """What became of a request: met, missed, refused or wrongly refused."""
    sentence = request.sentence
    try:
        answer = compressor.compress(sentence, request.budget, keep=request.keep, drop=request.drop)
    except InfeasibleBudget:
        possible = is_possible(request)
        return "refused, unchecked" if possible is None else "wrongly refused" if possible else "refused"
    pinned = request.keep <= set(answer.kept or ()) and not request.drop & set(answer.kept or ())
    return "met" if pinned and request.least <= request.cost(answer) <= request.most else "missed"


def run(
    name: str, requests: Iterator[tuple[Sentence, Budget]], compressor: Compressor, pins: np.random.Generator
) -> None:
    """Ask for everything, and say how often it was had."""
    counts: Counter[str] = Counter()
    start, slowest = perf_counter(), 0.0
    for sentence, budget in requests:
        fate = pins.choice(8, size=len(sentence)) if pins.random() < 0.2 else np.full(len(sentence), -1)
        request = Request.of(
            sentence, budget, np.flatnonzero(fate == 0).tolist(), np.flatnonzero(fate == 1).tolist()
        )
        began = perf_counter()
        result = outcome(compressor, request)
        slowest = max(slowest, perf_counter() - began)
        counts[result] += 1
        if result in ("missed", "wrongly refused"):
            print(
                f"{result}: {sentence.text!r}, {budget}, keep {set(request.keep)}, drop {set(request.drop)}"
            )
    total = counts.total()
    shares = ", ".join(f"{result} {count}" for result, count in counts.most_common())
    seconds = perf_counter() - start
    print(
        f"{name}: {total} requests, {shares}; {1000 * seconds / max(1, total):.1f} ms each, slowest {slowest:.2f} s"
    )


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", type=Path, default=Path("../shared/data"))
    parser.add_argument("--pairs", type=int, default=100_000, help="random texts and budgets")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--skip-dev", action="store_true", help="random texts alone")
    options = parser.parse_args()
    paths = (options.data / "compression" / name for name in SETS)
    sentences = [
        pair.source
        for path in paths
        for pair in read_pairs(path, tokenise=tokenise if "google" in path.name else None)
    ]
    sentences = [sentence for sentence in sentences if sentence.words]
    compressor = Compressor(threads=1)
    generator = np.random.default_rng(options.seed)
    if not options.skip_dev:
        run("dev", on_dev(sentences), compressor, generator)
    run("random", at_random(sentences, options.pairs, generator), compressor, generator)


if __name__ == "__main__":
    main()
