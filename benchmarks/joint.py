"""How fast the models of papers are beside parsing: features, paths, joint search against the beam, programmes.

python -m benchmarks joint
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
from benchmarks._clock import milliseconds

from laconic.annotate import load_annotator
from laconic.decode.contract import Limit
from laconic.systems.dependency import Discriminative
from laconic.systems.ilp import Ilp
from laconic.systems.joint import JointDiscriminative, JointLm
from laconic.systems.ngram import Ngram
from laconic.systems.registry import open_system
from laconic.systems.transducer.system import TreeTransducer

# thirty words
SENTENCE = (
    "The council , which met on Tuesday in the old town hall , lowered the fees for small shops by a third , "
    "officials of the ministry said late on Friday ."
)


def run(data: Path) -> None:  # noqa: ARG001  (as all benchmarks)
    annotator = load_annotator(threads=1)
    [sentence] = annotator.annotate([SENTENCE])
    half = Limit(len(sentence) // 2, len(sentence) // 2)
    encoder = milliseconds(lambda: list(annotator.annotate([SENTENCE])))
    discriminative, transducer = open_system("discriminative"), open_system("transducer")
    assert isinstance(discriminative, Discriminative) and isinstance(transducer, TreeTransducer)
    rows, decoder = discriminative.extractor.extract(sentence), discriminative.decoder(sentence)
    weights = np.zeros(discriminative.extractor.size)
    beam = transducer.decoder(sentence)
    prices = np.full(len(sentence), transducer.word_price)
    together, objective = JointLm(), beam.best(prices=prices).score
    other = JointDiscriminative()
    works = {
        "parsing (the encoder's pass and both trees)": encoder,
        "features": milliseconds(lambda: discriminative.extractor.extract(sentence)),
        "scores of features": milliseconds(lambda: rows.score(weights)),
        "best path": milliseconds(decoder.best),
        "best path of half the words": milliseconds(lambda: decoder.best(limit=half)),
        "trigrams, half the words": milliseconds(lambda: Ngram().decoder(sentence).best(limit=half)),
        "transducer's beam": milliseconds(lambda: transducer.decoder(sentence).best(prices=prices)),
        "joint-lm": milliseconds(lambda: together.agreement(sentence)),
        "joint-discriminative": milliseconds(lambda: other.agreement(sentence)),
        "ilp, trigrams, half the words": milliseconds(
            lambda: Ilp(Ngram()).decoder(sentence).best(limit=half), repeats=1
        ),
        "ilp, discriminative, half the words": milliseconds(
            lambda: Ilp(discriminative).decoder(sentence).best(limit=half), repeats=1
        ),
    }
    print(f"{len(sentence)} words")
    for name, spent in works.items():
        print(f"{name:45s} {spent:8.1f} ms  {spent / encoder:6.2f} of parsing")
    found = together.agreement(sentence)
    print(f"objective: beam {objective:.4f}, joint {found.solution.score:.4f}, certified: {found.certified}")
