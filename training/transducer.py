"""Train the transducer that is shipped in src/laconic/models/transducer.

    python -m training.transducer --data ../shared/data --cache .cache/annotations.sqlite

It learns from spoken and written pairs together, with the trees of the embedded parser, which are those it will
meet. Stopped, it goes on from its checkpoint.
"""

from __future__ import annotations

import argparse
from dataclasses import replace
from pathlib import Path

from experiments._transducer_tables import scores_of
from experiments.transducer import BASE, BEAM, CORPORA, at_rate_of_references
from training.cards import MODELS, data_checksums, finish, licences, needs

from laconic.corpora.registry import open_pairs
from laconic.errors import LaconicError
from laconic.grammar.extraction import ExtractionOptions
from laconic.learn.structured_svm import SvmProgress
from laconic.systems.annotation import parsed_pairs
from laconic.systems.transducer.system import TreeTransducer

OPTIONS = replace(BASE, extraction=ExtractionOptions(whole=True))
TRAIN = tuple(f"{name}.train" for name in CORPORA)


def train(data: Path, cache: Path, checkpoint: Path, folder: Path) -> None:
    pairs = [pair for name in TRAIN for pair in open_pairs(name, data)]
    last: list[SvmProgress] = []
    faults: list[LaconicError] = []
    system = TreeTransducer(beam=BEAM).fit(
        pairs, options=OPTIONS, checkpoint=checkpoint, progress=last.append, on_error=faults.append
    )
    dev = {name: list(parsed_pairs(open_pairs(f"{name}.dev", data))) for name in CORPORA}
    system = at_rate_of_references(system, [pair for pairs in dev.values() for pair in pairs])
    system.save(folder)
    assert system.grammar is not None
    card = {
        "name": "transducer",
        "system": "Cohn and Lapata (2009), sentence compression as tree transduction",
        "command": "python -m training.transducer --data ../shared/data",
        "data": {
            "sha256": data_checksums(TRAIN, data),
            "licences": licences(TRAIN),
            "references": "the first of each pair",
            "trees": "the embedded parser's",
        },
        "needs": needs("annotator", "news-trigram"),
        "seed": 0,
        "options": {
            "depth": OPTIONS.extraction.depth,
            "variables": OPTIONS.extraction.variables,
            "nodes": OPTIONS.extraction.nodes,
            "minimal rules of any size": OPTIONS.extraction.whole,
            "targets": OPTIONS.targets,
            "loss": str(OPTIONS.loss),
            "C": OPTIONS.svm.regularisation,
            "gap": round(last[-1].gap, 4) if last else None,
            "rare": OPTIONS.rare,
            "least": OPTIONS.least,
            "word price": system.word_price,
            "training beam": [OPTIONS.beam.unique, OPTIONS.beam.total],
        },
        "rules": len(system.grammar),
        "pairs": len(pairs),
        "pairs passed over": len(faults),
        "scores": {f"{name}.dev": scores_of(system, pairs, cache) for name, pairs in dev.items()},
    }
    finish(folder, card)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", type=Path, default=Path("../shared/data"))
    parser.add_argument("--cache", type=Path, default=Path(".cache/annotations.sqlite"))
    parser.add_argument("--checkpoint", type=Path, default=Path(".cache/transducer.checkpoint"))
    parser.add_argument("--output", type=Path, default=MODELS / "transducer")
    arguments = parser.parse_args()
    train(arguments.data, arguments.cache, arguments.checkpoint, arguments.output)
