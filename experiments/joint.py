"""Joint decoding by dual decomposition: Tables 2 and 4 of Yao, Wan and Xiao (2014), and a look at single sentences.

Table 2 has dev of spoken and written news with the trees of the Stanford parser; every system is a shipped model,
held to about the rate of the references and again to the length of each. Relations are those of the embedded parser.
The two sentences of Table 4 are in train, and not ours to keep: the results have which words stay, not the words.

    python -m experiments joint/table2
    python -m experiments joint/table4
    python -m experiments.joint examples --data ../shared/data
    python -m experiments.joint trace "A sentence." --system joint-lm --output trace.svg

`examples` prints the outputs of Table 4 as texts; `trace` the rounds in which two models come to agree.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path

import numpy as np
from experiments._experiment import Experiment, Found, Job, Workplace
from experiments._joint_choice import CHOICES
from experiments._pages import Page, Row, Table, in_percent, percent, published, write_text
from experiments._plot import line_plot
from experiments._references import without_wordless
from experiments._sources import require
from experiments._trees import Corpora, corpora_at

from laconic.budget import Budget
from laconic.compression import Compression
from laconic.corpora.pair import Pair
from laconic.decode.contract import Limit
from laconic.errors import InfeasibleBudget, LaconicError
from laconic.metrics.evaluation import evaluate
from laconic.systems.annotation import annotated
from laconic.systems.decoding import DecodingSystem
from laconic.systems.dependency import Discriminative
from laconic.systems.ilp import Ilp
from laconic.systems.joint import Joint, JointDiscriminative, JointLm
from laconic.systems.ngram import Ngram
from laconic.systems.registry import open_system
from laconic.systems.transducer.system import TreeTransducer
from laconic.text.tokenise import tokenise

CORPORA = ("written", "spoken")
RATES = {"written": 0.714, "spoken": 0.724}  # of the references in the paper
GALANIS = "Galanis & Androutsopoulos 2010"
REFERENCE = "reference"
THEIRS = {  # their Table 2: rate and relation F1 on written, then on spoken
    "discriminative": (("70.3", "52.4"), ("69.5", "50.6")),
    "transduction": (("72.6", "52.3"), ("73.6", "53.8")),
    "transduction + LM, beam": (("70.4", "58.8"), ("75.5", "59.5")),
    "transduction + LM, dual": (("70.7", "60.5"), ("75.3", "61.5")),
    "transduction + discriminative, dual": (("71.0", "62.3"), ("74.9", "63.3")),
    GALANIS: (("71.6", "60.2"), ("71.7", "59.2")),
    REFERENCE: (("71.4", "100.0"), ("72.4", "100.0")),
}
TABLE_4 = {"written": "A3W.9.2", "spoken": "bn9623.rpi_segs.txt.960609.526.24"}
THEIR_OUTPUTS = {  # their Table 4: which words of the sentence stay, on written, then on spoken
    "discriminative": ("xx.xxx.x..x.......xxx...........x", ".xx.xxxxxxxxxxxx...x.xxxx"),
    "transduction": ("xxxxxxxx........................x", ".xx.xxxxxxxxxxxx....xxxxx"),
    "transduction + LM, beam": ("xxxxxxxxx.xxxxxxxxxxxxx.........x", "xxx.xxxxxxxxxxxxxxxxxxxxx"),
    "transduction + LM, dual": ("xxxxxxxxx.xxxxxxxxxxxxx.........x", "xxx.xxxxxxxxxxxx....xxxxx"),
    "transduction + discriminative, dual": ("xx.xxxxx..xxxxxxxxxxxxx.........x", ".xx.xxxxxxxxxxxx.....xxxx"),
    GALANIS: ("xx.xxxxxx.xxxxxxxxxxx...........x", "xxxxxxxxxxxxxxxxxxxxxxxxx"),
}


def systems() -> dict[str, DecodingSystem]:
    """The systems of the table, in the order of the paper, and Clarke and Lapata's programmes."""
    transducer, discriminative = open_system("transducer"), open_system("discriminative")
    assert isinstance(transducer, TreeTransducer) and isinstance(discriminative, Discriminative)
    return {
        "discriminative": discriminative,
        "n-grams": Ngram(),
        "transduction": replace(transducer, language=None),
        "transduction + LM, beam": transducer,
        "transduction + LM, dual": JointLm(),
        "transduction + discriminative, dual": JointDiscriminative(),
        "constraints, n-grams": Ilp(),
        "constraints, discriminative": Ilp(discriminative),
    }


def pairs_of(corpora: Corpora, name: str) -> list[Pair]:
    """Dev with Stanford's constituents and the embedded parser's dependencies."""
    pairs = without_wordless(corpora.pairs(name, "dev"))
    parsed = corpora.parse(pair.source for pair in pairs)
    return [
        replace(pair, source=own.annotated(tree=pair.source.tree))
        for pair, own in zip(pairs, parsed, strict=True)
    ]


def search_facts(system: Joint, pairs: list[Pair]) -> tuple[float, float]:
    """The share of certificates and the mean number of rounds, at the length of the first reference."""
    certified, rounds = [], []
    for pair in pairs:
        length = len(pair.references[0])
        try:
            found = system.agreement(pair.source, Limit(length, length))
        except InfeasibleBudget:
            continue
        certified.append(found.certified)
        rounds.append(len(found.rounds))
    return float(np.mean(certified)), float(np.mean(rounds))


def table(at: Workplace, *, corpus: str, title: str) -> Found:
    """The cells of a row."""
    corpora = corpora_at(at)
    pairs = pairs_of(corpora, corpus)
    system = systems()[title]
    budget = Budget.exactly(ratio=RATES[corpus], unit="pieces")
    held = evaluate(system, pairs, budget=budget, parser=corpora.parse, progress=at.check_time)
    gold = evaluate(system, pairs, gold_length=True, parser=corpora.parse, progress=at.check_time)
    facts = ("", "")
    if isinstance(system, Joint):
        share, rounds = search_facts(system, pairs)
        facts = (f"{100 * share:.0f} %", f"{rounds:.1f}")
    return {
        "cells": [
            *(percent(held, metric) for metric in ("word_rate", "positional_f1", "relation_f1")),
            *(percent(gold, metric) for metric in ("positional_f1", "relation_f1")),
            *(*facts, str(gold.refused or "")),
        ]
    }


def table_pages(found: Mapping[str, Found]) -> Iterator[Page]:
    rows: list[Row] = [
        (
            *(
                "corpus",
                "system",
                "rate",
                "F1",
                "relation F1",
                "F1 at gold length",
                "relation F1 at gold length",
            ),
            *("certified", "rounds", "refused", "their rate (test)", "their relation F1 (test)"),
        )
    ]
    for place, corpus in enumerate(CORPORA):
        for title in (*TITLES, GALANIS, REFERENCE):
            cells = found[f"{corpus}, {title}"]["cells"] if title in TITLES else [""] * 8
            theirs = THEIRS[title][place] if title in THEIRS else ("", "")
            rows.append((corpus, title, *cells, *published(*theirs)))
    note = (
        "Shipped models; dev without references that keep no word; exactly the references' rate in the paper "
        f"({', '.join(f'{name} {100 * rate:.1f}' for name, rate in RATES.items())}), then the length of each "
        "reference, which the constraints of Clarke and Lapata (2008) can forbid: such requests are refused, and "
        "left out of the means. What they cost: [speed](../speed/joint.txt)."
    )
    yield Page("table2", "Table 2 of Yao, Wan and Xiao (2014)", note, [Table(rows)], plotted="relation F1")


def answers(corpora: Corpora, name: str) -> tuple[Pair, dict[str, Compression | str]]:
    """The sentence of Table 4 and what all systems make of it at the length of its reference, or why nothing."""
    [pair] = [pair for pair in corpora.pairs(name, "train") if pair.id == TABLE_4[name]]
    [source] = corpora.parse([pair.source])
    sentence = source.annotated(tree=pair.source.tree)
    found: dict[str, Compression | str] = {}
    for title, system in systems().items():
        try:
            found[title] = system.compress(sentence, Budget.exactly(len(pair.references[0]), unit="pieces"))
        except InfeasibleBudget as error:
            found[title] = f"({error})"
    return pair, found


def outputs(at: Workplace, *, corpus: str) -> Found:
    """Which words of the sentence of Table 4 stay: marks, no words."""
    pair, found = answers(corpora_at(at), corpus)
    kept = {REFERENCE: pair.kept[0], **{title: getattr(of, "kept", None) for title, of in found.items()}}
    return {
        title: None if of is None else "".join(".x"[word in of] for word in range(len(pair.source)))
        for title, of in kept.items()
    }


def output_pages(found: Mapping[str, Found]) -> Iterator[Page]:
    rows: list[Row] = [
        ("corpus", "system", "words", "F1", "what stays", "their words", "their F1", "what of theirs stays")
    ]
    for place, corpus in enumerate(CORPORA):
        gold = found[corpus][REFERENCE]
        for title in (REFERENCE, *TITLES, GALANIS):
            theirs = THEIR_OUTPUTS[title][place] if title in THEIR_OUTPUTS else None
            cells = described_marks(found[corpus].get(title), gold)
            rows.append((corpus, title, *cells, *published(*described_marks(theirs, gold))))
    note = (
        "What stays of the two sentences of the table, one mark a word: an x stays. Ours are held to the length of the "
        "reference, which is the paper's; theirs chose their own. Both sentences are in train. F1 is over positions, "
        "in percent. The words are not ours to keep: `python -m experiments.joint examples` prints them."
    )
    yield Page("table4", "Table 4 of Yao, Wan and Xiao (2014)", note, [Table(rows)], plotted="F1")


def described_marks(marks: str | None, gold: str) -> Row:
    """How many words stay, their F1 against the reference, and which they are."""
    if marks is None:
        return "", "", ""
    both = sum(one == two == "x" for one, two in zip(marks, gold, strict=True))
    f1 = 2 * both / (marks.count("x") + gold.count("x"))
    return str(marks.count("x")), in_percent(f1), f"`{marks}`"


def examples(corpora: Corpora) -> None:
    """Print what all systems make of the two sentences of Table 4."""
    for name in TABLE_4:
        pair, found = answers(corpora, name)
        print(f"{name}: {pair.source.text}")
        for title, of in found.items():
            print(f"  {title}: {of if isinstance(of, str) else of.text}")
        print(f"  reference: {' '.join(pair.references[0])}\n")


def trace(text: str, name: str, output: Path) -> None:
    system = open_system(name)
    if not isinstance(system, Joint):
        raise LaconicError(f"only joint systems have rounds to show, not {name!r}")
    [sentence] = annotated([tokenise(text)])
    found = system.agreement(sentence)
    curves = {
        "dual": [step.dual for step in found.rounds],
        "primal": [step.primal for step in found.rounds],
    }
    for line in described(curves):
        print(line)
    kept = " ".join(sentence.words[word] for word in found.solution.kept)
    print(f"{'certified' if found.certified else f'bound {found.bound:.3f}'}: {kept}")
    places = [str(number + 1) for number in range(len(found.rounds))]
    if len(places) > 1:
        write_text(output, line_plot(places, curves, across="round", up="score"))


def described(curves: dict[str, list[float]]) -> Iterator[str]:
    for number, (dual, primal) in enumerate(zip(curves["dual"], curves["primal"], strict=True), start=1):
        yield f"{number:3d}  dual {dual:10.4f}  primal {primal:10.4f}"


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("what", choices=("examples", "trace"))
    parser.add_argument("text", nargs="?", default="The council, which met on Tuesday, lowered the fees.")
    parser.add_argument("--system", default="joint-lm")
    parser.add_argument("--data", type=Path, default=Path("../shared/data"))
    parser.add_argument("--output", type=Path, default=Path("trace.svg"))
    options = parser.parse_args()
    try:
        if options.what == "trace":
            trace(options.text, options.system, options.output)
            return
        require((f"{name}.{part}" for name in TABLE_4 for part in ("train", "trees")), options.data)
        examples(corpora_at(Workplace(options.data)))
    except LaconicError as error:
        parser.exit(2, f"experiments: {error}\n")


TITLES = (
    *("discriminative", "n-grams", "transduction", "transduction + LM, beam", "transduction + LM, dual"),
    *("transduction + discriminative, dual", "constraints, n-grams", "constraints, discriminative"),
)
MODELS = ("transducer", "discriminative", "news-trigram", "ngram", "ilp", "joint-lm", "joint-discriminative")
EXPERIMENTS = (
    Experiment(
        "joint/table2",
        "Yao, Wan & Xiao 2014, Table 2",
        2,
        tuple(
            Job(
                f"{corpus}, {title}",
                table,
                {"corpus": corpus, "title": title},
                reads=(f"{corpus}.dev", f"{corpus}.trees"),
                uses=("parser", *MODELS),
            )
            for corpus in CORPORA
            for title in TITLES
        ),
        table_pages,
    ),
    Experiment(
        "joint/table4",
        "Yao, Wan & Xiao 2014, Table 4",
        0.3,
        tuple(
            Job(
                corpus,
                outputs,
                {"corpus": corpus},
                reads=(f"{corpus}.train", f"{corpus}.trees"),
                uses=("parser", *MODELS),
            )
            for corpus in CORPORA
        ),
        output_pages,
    ),
    *CHOICES,
)


if __name__ == "__main__":
    main()
