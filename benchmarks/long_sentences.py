"""Long sentences: what a request takes, against the network's own time for the same sentence.

    python -m benchmarks long_sentences

Every kind of request is asked of every system, for made-up sentences of 100, 200 and 390 words.
"""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path
from random import Random
from time import process_time

from benchmarks._clock import milliseconds
from tests.fuzz.texts import long_sentence

import laconic
from laconic.annotate.annotator import Annotator
from laconic.annotate.network import Network
from laconic.sentence import Sentence

SYSTEMS = ("default", "dependency", "discriminative", "markov", "noisy-channel", "transducer")
LENGTHS = (100, 200, 390)


def requests(sentence: Sentence) -> dict[str, laconic.Budget | None]:
    words, characters = len(sentence) // 2, len(sentence.text) // 2
    return {
        "natural": None,
        "words, at most": laconic.Budget.at_most(words),
        "words, exactly": laconic.Budget.exactly(words),
        "characters, at most": laconic.Budget.at_most(characters, unit="characters"),
        "characters, exactly": laconic.Budget.exactly(characters, unit="characters"),
    }


def seconds(system: laconic.System, sentence: Sentence, budget: laconic.Budget | None) -> float:
    start = process_time()
    with suppress(laconic.InfeasibleBudget):
        system.compress(sentence, budget)
    return process_time() - start


def run(_: Path) -> None:
    annotator = Annotator(Network.shipped(), threads=1)
    sentences = [laconic.tokenise(long_sentence(Random(str(words)), words, words)) for words in LENGTHS]
    parsing = [milliseconds(lambda each=each: list(annotator.analyse([each]))) / 1000 for each in sentences]
    print("words  network, s  " + "  ".join(requests(sentences[0])) + "   (times the network)")
    for name in SYSTEMS:
        system = laconic.open_system(name)
        for budget in requests(sentences[0]).values():
            seconds(system, sentences[0], budget)  # compiles what must be compiled
        for words, sentence, unit in zip(LENGTHS, sentences, parsing, strict=True):
            times = [seconds(system, sentence, budget) for budget in requests(sentence).values()]
            ratios = "  ".join(f"{time / unit:6.1f}" for time in times)
            print(f"{name:15} {words:4}  {unit:6.2f}  {ratios}  slowest {max(times):.1f} s", flush=True)
