"""How fast the models of papers are beside parsing: features, paths, joint search against the beam, programmes.

python -m benchmarks joint

Joint search and beams also search for the same objective on sentences of the written corpus, with the language model's
own weight and with heavier ones: the more it counts, the more a narrow beam misses.
"""

from __future__ import annotations

from functools import partial
from itertools import islice
from pathlib import Path

import numpy as np
from benchmarks._clock import milliseconds

from laconic.annotate import Annotator, load_annotator
from laconic.corpora.registry import open_pairs
from laconic.decode.contract import Limit
from laconic.decode.cube_pruning import Beam
from laconic.decode.ngram_decoder import NgramForestDecoder
from laconic.sentence import Sentence
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

SENTENCES = 60
TIMES = (1, 10, 40)
"""How many times the transducer's own weight the language model has."""
BEAMS = (Beam(100, 200), Beam(20, 40), Beam(5, 10))
"""The transducer's beam, that of its learning, and a narrow one."""


def run(data: Path) -> None:
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
    objectives(data, annotator, transducer)


def objectives(data: Path, annotator: Annotator, transducer: TreeTransducer) -> None:
    """What joint search gains over beams, and what it costs, as the language model counts more."""
    texts = [pair.source.text for pair in islice(open_pairs("written.dev", data), SENTENCES)]
    sentences = list(annotator.annotate(texts))
    print(f"\n{len(sentences)} sentences: the same objective by joint search and by beams")
    print(" weight    beam   time, joint/beam   joint better   worse   mean gain   certified")
    for times in TIMES:
        weight = times * transducer.language_weight()
        together = JointLm(weight=weight)
        found = [together.agreement(sentence) for sentence in sentences]
        certified = np.mean([agreement.certified for agreement in found])
        spent = sum(milliseconds(partial(together.agreement, one), repeats=1) for one in sentences)
        for beam in BEAMS:
            works = [partial(beam_score, transducer, one, weight, beam) for one in sentences]
            ratio = spent / sum(milliseconds(work, repeats=1) for work in works)
            gains = np.array([one.solution.score - work() for one, work in zip(found, works, strict=True)])
            better, worse = np.mean(gains > 1e-6), np.mean(gains < -1e-6)
            print(
                f"{times:5d} x {beam.unique:7d} {ratio:18.2f} {better:14.0%} {worse:7.0%}"
                f" {gains.mean():11.4f} {certified:11.0%}"
            )


def beam_score(transducer: TreeTransducer, sentence: Sentence, weight: float, beam: Beam) -> float:
    """The objective of the best rewriting within a beam."""
    assert transducer.language is not None
    space = transducer.transduction(sentence)
    decoder = NgramForestDecoder(
        space.forest,
        transducer.language,
        words=len(sentence),
        symbol_ids=transducer.language.vocabulary.ids(space.symbols),
        weight=weight,
        beam=beam,
    )
    return decoder.best(prices=np.full(len(sentence), transducer.word_price)).score
