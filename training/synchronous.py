"""Train the synchronous grammars that are shipped: bayesian, em and variational.

    python -m training.synchronous --data ../shared/data

They learn from spoken and written pairs together, with the trees of the embedded parser, which are those they will
meet. Stopped, a training goes on from its checkpoint.
"""

from __future__ import annotations

import argparse
from dataclasses import asdict
from pathlib import Path

from training.cards import MODELS, data_checksums, finish, licences, needs
from training.markov import scores

from laconic.corpora.registry import open_pairs
from laconic.errors import LaconicError
from laconic.learn.gibbs.chain import GibbsOptions
from laconic.systems.annotation import parsed_pairs
from laconic.systems.synchronous import Bayesian, ExpectationMaximisation, Synchronous, VariationalBayes

CORPORA = ("spoken", "written")
TRAIN = tuple(f"{name}.train" for name in CORPORA)
SYSTEMS: tuple[Synchronous, ...] = (
    Bayesian(options=GibbsOptions(sweeps=1000)),
    ExpectationMaximisation(smoothing=1.1, added=0.0001),
    VariationalBayes(expansion=0.5),
)
WHAT = {
    "bayesian": "Counts of rules over trees, found by sampling the derivations of pairs",
    "em": "Expected counts of rules over trees that were extracted from pairs, by MAP-EM",
    "variational": "Expected counts of rules over trees that were extracted from pairs, by variational Bayes",
}


def train(data: Path, checkpoints: Path, folder: Path, names: list[str]) -> None:
    pairs = list(parsed_pairs((pair for name in TRAIN for pair in open_pairs(name, data)), references=True))
    dev = {name: list(parsed_pairs(open_pairs(f"{name}.dev", data))) for name in CORPORA}
    for untrained in SYSTEMS:
        name = untrained.name
        if name not in names:
            continue
        faults: list[LaconicError] = []
        system = untrained.fit(pairs, checkpoint=checkpoints / name, on_error=faults.append)
        system.save(folder / name)
        assert system.rules is not None
        aside = {"rules", "word_price", "name"}
        card = {
            "name": name,
            "system": "Yamangil and Shieber (2010), Bayesian synchronous tree-substitution grammar induction",
            "what": WHAT[name],
            "command": "python -m training.synchronous --data ../shared/data",
            "training": data_checksums(TRAIN, data),
            "licences": licences(TRAIN),
            "references": "the first of each pair",
            "trees": "of the embedded parser (models/annotator)",
            "needs": needs("annotator"),
            "seed": untrained.seed if isinstance(untrained, Bayesian) else None,
            "options": {
                key: asdict(value) if hasattr(value, "__dataclass_fields__") else value
                for key, value in ((key, getattr(untrained, key)) for key in untrained.__dataclass_fields__)
                if key not in aside
            },
            "rules": sum(count > 0 for count in system.rules.counts),
            "rules without a count": sum(count == 0 for count in system.rules.counts),
            "pairs": len(pairs),
            "pairs passed over": len(faults),
            "scores": {
                f"{corpus}.dev": scores(type(system).load(folder / name), found)
                for corpus, found in dev.items()
            },
        }
        finish(folder / name, card)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("systems", nargs="*", metavar="SYSTEM", help=", ".join(WHAT))
    parser.add_argument("--data", type=Path, default=Path("../shared/data"))
    parser.add_argument("--checkpoint", type=Path, default=Path(".cache/synchronous.checkpoint"))
    parser.add_argument("--output", type=Path, default=MODELS)
    arguments = parser.parse_args()
    train(arguments.data, arguments.checkpoint, arguments.output, arguments.systems or list(WHAT))
