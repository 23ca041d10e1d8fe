"""Write the shipped models of ngram, ilp and the joint systems, which hold little but what they are made of.

    python -m training.joint --data ../shared/data

The share of words to keep is that of all references of spoken and written train. The weight of the discriminative model
beside the transducer is the one that `python -m experiments joint/weights` tries on folds of train.
"""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from training.cards import MODELS, data_checksums, finish, licences, needs

from laconic.corpora.registry import open_pairs
from laconic.storage import Content, write_model
from laconic.systems.ilp import Ilp
from laconic.systems.joint import Joint, JointDiscriminative, JointLm
from laconic.systems.ngram import Ngram

TRAIN = ("spoken.train", "written.train")
PARTS = {"joint-lm": ("transducer", "ngram"), "joint-discriminative": ("transducer", "discriminative")}


def card(name: str, what: str, data: Path, options: Mapping[str, Any], *needed: str) -> dict[str, Any]:
    return {
        "name": name,
        "what": what,
        "command": "python -m training.joint --data ../shared/data",
        "training": data_checksums(TRAIN, data),
        "licences": licences(TRAIN),
        "options": dict(options),
        "needs": needs(*needed),
    }


def train(data: Path, folder: Path) -> None:
    pairs = [pair for name in TRAIN for pair in open_pairs(name, data)]
    ngram = Ngram().fit(pairs)
    ngram.save(folder / "ngram")
    what = "The share of words that references keep, for the likeliest words of that number"
    finish(
        folder / "ngram",
        card("ngram", what, data, {"order": ngram.order, "ratio": ngram.ratio}, "news-trigram"),
    )
    programme = Ilp(replace(ngram, significance=1.0))
    programme.save(folder / "ilp")
    what = "Clarke and Lapata's constraints over trigrams of news with a significance of words"
    options = {"kinds": list(programme.kinds), "ratio": programme.ratio, "significance": 1.0}
    finish(folder / "ilp", card("ilp", what, data, options, "annotator", "news-trigram"))
    for system in (JointLm(second=ngram), JointDiscriminative()):
        write_joint(system, data, folder / system.name)


def write_joint(system: Joint, data: Path, folder: Path) -> None:
    first, second = PARTS[system.name]
    settings = {"weight": system.weight, "rounds": system.rounds, "scale": system.scale}
    write_model(folder, system.name, Content(settings | {"first": first, "second": second}))
    what = f"{first} and {second}, searched together, the second weighing {system.weight:g}"
    finish(folder, card(system.name, what, data, settings, first, second))


if __name__ == "__main__":
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", type=Path, default=Path("../shared/data"))
    parser.add_argument("--output", type=Path, default=MODELS)
    arguments = parser.parse_args()
    train(arguments.data, arguments.output)
