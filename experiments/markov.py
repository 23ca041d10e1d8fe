"""Galley and McKeown (2007) again: Tables 1 to 3 on the dev sets, with other amounts and kinds of data.

    python -m experiments.markov [table ...] --data ../shared/data --cache .cache/annotations.sqlite --output FOLDER

Tables: orders (their Table 1), conditioning (Table 2), systems (Table 3), matching and substitutions (their
section 4), smoothing, mixture. Spoken and written use the trees of the Stanford parser, the other corpora those of
the embedded one, which are parsed once and kept in the cache: the 200,000 pairs of conditioning and systems take it
twenty minutes of one core. Models learn from the first reference of train and are scored against all references
of dev.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import ClassVar

import numpy as np
from experiments._plot import line_plot
from experiments._tables import Row, make_tables, percent, write_table, write_text
from experiments._trees import AMOUNTS, Corpora, derivations

from laconic.budget import Budget
from laconic.budgets import Meeting, Request, SearchSpace
from laconic.compression import Compression
from laconic.corpora.pair import Pair
from laconic.grammar.markov import Annotation, MarkovOptions
from laconic.learn.markov import Observations, estimate_grammar, observe
from laconic.learn.witten_bell import AbsoluteDiscounting, Additive, Smoothing, WittenBell
from laconic.metrics.evaluation import Compressor, evaluate
from laconic.metrics.tokens import WordAccuracy
from laconic.sentence import Sentence
from laconic.systems.calibration import best_price
from laconic.systems.everything import Everything
from laconic.systems.markov import PRICES, Markov
from laconic.systems.noisy_channel import NoisyChannel

CORPORA = ("spoken", "written", "google")
ORDERS = range(4)
FEW = 900  # pairs, as many as spoken and written have
FULL: tuple[Annotation, ...] = ("category", "tag", "word")
CONDITIONING: tuple[tuple[tuple[Annotation, ...], tuple[Annotation, ...]], ...] = (
    (("category",), ("category",)),
    (("category", "tag"), ("category",)),
    (("category", "word"), ("category",)),
    (FULL, ("category",)),
    (FULL, ("category", "tag")),
    (FULL, ("category", "word")),
    (FULL, FULL),
)
SHORT = {"category": "c", "tag": "t", "word": "w"}
LANGUAGE_WEIGHTS = (0.0, 0.05, 0.1, 0.2)
CHANNEL_PRICES = tuple(step / 4 for step in range(60))  # nats; a bigram takes some six of them
MOST = 300  # sentences that the mixture, slow to search, is tuned and scored on

PAPER_ORDERS = (  # their Table 1: by v, then by s, on Ziff-Davis
    (63.0, 67.1, 67.2, 67.2),
    (63.9, 67.6, 67.7, 67.7),
    (65.7, 66.6, 66.9, 66.9),
    (65.2, 66.8, 67.1, 67.0),
)
PAPER_CONDITIONING = (  # their Table 2, on ZD-0, ZD-3 and ZD-6: 823 to 16,787 pairs
    (62.2, 62.4, 64.4),
    (63.0, 63.4, 66.5),
    (64.2, 65.2, 66.7),
    (63.8, 65.8, 67.8),
    (66.7, 68.6, 69.8),
    (66.9, 68.9, 70.3),
    (66.3, 69.1, 69.8),
)
ACCURACY = "Word accuracy on dev in percent, averaged over sentences"


@dataclass(frozen=True)
class LikelyWords:
    """Keeps the words that the grammar finds more likely kept than dropped, whatever the best derivation."""

    markov: Markov
    name: ClassVar[str] = "likely words"

    def compress(self, sentence: Sentence, budget: Budget | None = None) -> Compression:
        assert budget is None
        chances = self.markov.decoder(sentence).word_marginals()
        return Compression.by_deletion(sentence, np.flatnonzero(chances >= min(0.5, chances.max())).tolist())


@dataclass(frozen=True)
class PricedChannel:
    """The noisy channel with a price for every word instead of the division by length."""

    channel: NoisyChannel
    price: float
    name: ClassVar[str] = "priced channel"

    def compress(self, sentence: Sentence, budget: Budget | None = None) -> Compression:
        space = SearchSpace(sentence, self.channel.decoder(sentence), word_price=self.price)
        return Meeting(space, Request.of(sentence, budget, (), ())).answer()


def base(name: str) -> Markov:
    """The untrained grammar for a corpus: Google's references have no trees of their own to align."""
    return Markov(matching="words" if name == "google" else "edits", substitutions=6)


def split(pairs: Sequence[Pair]) -> tuple[list[Pair], list[Pair]]:
    """Nine tenths of the pairs to learn from, and the tenth to choose the price of a word on."""
    return [pair for number, pair in enumerate(pairs) if number % 10], list(pairs[::10])


def trained(seen: Observations, options: MarkovOptions, smoothing: Smoothing | None = None) -> Markov:
    return Markov(estimate_grammar(seen, options, smoothing=smoothing), options)


def accuracies(system: Compressor, dev: Sequence[Pair]) -> tuple[str, str]:
    """Word accuracy at the length of the system's choice, and at gold length."""
    free, gold = (
        percent(evaluate(system, dev, gold_length=held, metrics=(WordAccuracy(),)), "word_accuracy")
        for held in (False, True)
    )
    return free, gold


def orders(corpora: Corpora, folder: Path) -> None:
    rows: list[Row] = [("corpus", "v", *(f"s={s}" for s in ORDERS), *(f"s={s}, gold length" for s in ORDERS))]
    for name, most in (("spoken", None), ("written", None), ("google", FEW), ("google", None)):
        train, dev = corpora.pairs(name, "train")[:most], corpora.pairs(name, "dev")
        seen = observe(base(name).derivations(train), sisters=3, ancestors=3)
        for v in ORDERS:
            cells = []
            for s in ORDERS:
                options = MarkovOptions(
                    sisters=s, ancestors=v, modifier=("category", "tag"), head=("category", "tag")
                )
                cells.append(accuracies(trained(seen, options), dev))
            free, gold = zip(*cells, strict=True)
            rows.append((f"{name}, {len(train):,} pairs", str(v), *free, *gold))
            print(*rows[-1], flush=True)
    rows += [
        ("*Ziff-Davis, as published*", str(v), *(f"*{cell}*" for cell in PAPER_ORDERS[v]), *[""] * 4)
        for v in ORDERS
    ]
    write_table(
        folder / "orders.md",
        "Their Table 1: sister order s by ancestor order v, with categories and tags",
        f"{ACCURACY}.",
        rows,
    )


def conditioned(seen: Observations, dev: Sequence[Pair]) -> list[tuple[str, str]]:
    """The accuracies with each way of conditioning, s = v = 0."""
    narrow = seen.narrowed(sisters=0, ancestors=0)
    found = []
    for modifier, head in CONDITIONING:
        options = MarkovOptions(sisters=0, ancestors=0, modifier=modifier, head=head)
        found.append(accuracies(trained(narrow, options), dev))
        print(modifier, head, *found[-1], flush=True)
    return found


def conditioning(corpora: Corpora, folder: Path) -> None:
    ours: dict[str, list[tuple[str, str]]] = {}
    for name in ("spoken", "written"):
        seen = observe(base(name).derivations(corpora.pairs(name, "train")))
        ours[name] = conditioned(seen, corpora.pairs(name, "dev"))
    for amount, seen in corpora.observed().items():
        ours[f"{amount:,}"] = conditioned(seen, corpora.pairs("google", "dev"))
    names = [f"M={','.join(SHORT[a] for a in m)} H={','.join(SHORT[a] for a in h)}" for m, h in CONDITIONING]
    title = "Their Table 2: annotation of modifier and head, with s = v = 0"
    legend = f"{ACCURACY}. M is the modifier, H the head; c category, t tag, w word."
    rows: list[Row] = [
        ("conditioning", *ours, *(f"*{name}, as published*" for name in ("ZD-0", "ZD-3", "ZD-6")))
    ]
    for row, (name, published) in enumerate(zip(names, PAPER_CONDITIONING, strict=True)):
        rows.append((name, *(cells[row][0] for cells in ours.values()), *(f"*{cell}*" for cell in published)))
    cased = len(corpora.pairs("google", "train"))
    note = (
        f"{legend} Spoken and written learn from their own train and are scored on their own dev. Numbers are those of "
        f"Google pairs, scored on Google's dev: the first {cased:,} are cased, the others are drawn at random from the "
        "large lower-cased set. The paper's sets, of another corpus, have 823 to 16,787 pairs."
    )
    write_table(folder / "conditioning.md", title, note, rows)
    rows = [("conditioning", *ours)]
    rows += [(name, *(cells[row][1] for cells in ours.values())) for row, name in enumerate(names)]
    write_table(folder / "conditioning-gold-length.md", f"{title}, at gold length", legend, rows)
    amounts = [f"{amount:,}" for amount in AMOUNTS]
    for place, file, length in ((0, "conditioning.svg", "own"), (1, "conditioning-gold-length.svg", "gold")):
        curves = {
            name: [float(ours[amount][row][place]) for amount in amounts] for row, name in enumerate(names)
        }
        up = f"word accuracy at {length} length, Google dev"
        write_text(folder / file, line_plot(amounts, curves, across="pairs", up=up))


def systems(corpora: Corpora, folder: Path) -> None:
    metrics = ("word_accuracy", "string_accuracy", "word_rate", "relation_f1", "positional_f1")
    rows: list[Row] = [
        ("corpus", "system", "length", "accuracy", "SSA", "rate", "relation F1", "positional F1")
    ]
    for name in CORPORA:
        train, dev = corpora.pairs(name, "train"), corpora.pairs(name, "dev")
        rest, held = split(train)
        price = base(name).fit(rest, development=held).word_price
        channel_price = best_price(NoisyChannel().fit(rest).decoder, held[:MOST], CHANNEL_PRICES)
        markov, channel = base(name).fit(train), NoisyChannel().fit(train)
        compared: dict[str, Compressor] = {
            "everything": Everything(),
            "noisy channel": channel,
            f"noisy channel, {channel_price} a word": PricedChannel(channel, channel_price),
            "markov": markov,
            "markov, likely words": LikelyWords(markov),
            f"markov, {price} a word": replace(markov, word_price=price),
        }
        if name == "google":
            large = trained(corpora.observed()[AMOUNTS[-1]], MarkovOptions())
            compared[f"markov, {AMOUNTS[-1]:,} pairs"] = large
            compared[f"markov, {AMOUNTS[-1]:,} pairs, {price} a word"] = replace(large, word_price=price)
        for title, system in compared.items():
            # At gold length, prices change nothing; the words that are likely have a length of their own.
            priced = isinstance(system, PricedChannel) or (isinstance(system, Markov) and system.word_price)
            lengths = (False,) if priced or isinstance(system, Everything | LikelyWords) else (False, True)
            for gold in lengths:
                report = evaluate(system, dev, gold_length=gold, parser=corpora.parse)
                cells = (percent(report, metric) for metric in metrics)
                rows.append((name, title, "gold" if gold else "own", *cells))
                print(*rows[-1], flush=True)
    rows += [
        ("*Ziff-Davis, as published*", "*noisy channel*", "own", "*61.3*", "*14.6*", "*70.4*", "", ""),
        ("*Ziff-Davis, as published*", "*markov*", "own", "*67.9*", "*31.7*", "*62.7*", "", ""),
    ]
    note = (
        "Percent on dev, averaged over sentences. SSA is simple string accuracy; relations are those of the embedded "
        "parser. The price of a word is the one of best positional F1 on a tenth of train, for a grammar of the rest."
    )
    write_table(
        folder / "systems.md",
        "Their Table 3: the Markov grammar (s = v = 1, all annotation) against the noisy channel",
        note,
        rows,
    )


def matching(corpora: Corpora, folder: Path) -> None:
    rows: list[Row] = [
        ("corpus", "matching", "pairs used", "rules", "deleting rules", "accuracy", "gold length")
    ]
    ways: dict[str, Markov] = {
        "strict": Markov(matching="strict"),
        "edits, 0 substitutions": Markov(matching="edits"),
        "edits, 6 substitutions": Markov(matching="edits", substitutions=6),
        "words": Markov(matching="words"),
    }
    for name in ("spoken", "written"):
        for title, way in ways.items():
            found = list(way.derivations(corpora.pairs(name, "train")))
            rules = [rule for derivation in found for rule in derivation.rules()]
            deleting = sum(rule.children != rule.target for rule in rules)
            system = trained(observe(found), way.options)
            scores = accuracies(system, corpora.pairs(name, "dev"))
            rows.append((name, title, str(len(found)), str(len(rules)), str(deleting), *scores))
            print(*rows[-1], flush=True)
    write_table(
        folder / "matching.md",
        "Their section 4: what each way to read derivations off tree pairs gets out of the corpus",
        f"{ACCURACY}; s = v = 1, all annotation.",
        rows,
    )


def substitutions(corpora: Corpora, folder: Path) -> None:
    rows: list[Row] = [("abstractive pairs with up to", "pairs used", "accuracy", "gold length")]
    abstractive = list(corpora.abstractive())
    alone = list(derivations(corpora.pairs("google", "train")[:1_000]))
    for most in (None, 0, 1, 3, 6):
        added = []
        if most is not None:
            added = list(Markov(matching="edits", substitutions=most).derivations(abstractive))
        system = trained(observe([*alone, *added]), MarkovOptions())
        title = "none added" if most is None else f"{most} substitutions"
        rows.append((title, str(len(added)), *accuracies(system, corpora.pairs("google", "dev"))))
        print(*rows[-1], flush=True)
    note = f"{ACCURACY}, of Google; s = v = 1, all annotation."
    write_table(
        folder / "substitutions.md",
        "Their ZD-0 to ZD-6: abstractive pairs with up to k substitutions, added to a thousand of Google",
        note,
        rows,
    )


def smoothing(corpora: Corpora, folder: Path) -> None:
    rows: list[Row] = [("smoothing", "accuracy", "gold length")]
    seen = observe(derivations(corpora.pairs("google", "train")))
    options = MarkovOptions()
    later = tuple(v for v in options.order if v != "modifier word")
    methods: dict[str, tuple[Smoothing, MarkovOptions]] = {
        "Witten-Bell, order of the paper": (WittenBell(), options),
        "additive, 0.5": (Additive(0.5), options),
        "additive, 2": (Additive(2.0), options),
        "absolute discounting, 0.5": (AbsoluteDiscounting(0.5), options),
        "absolute discounting, 0.9": (AbsoluteDiscounting(0.9), options),
        "Witten-Bell, the modifier's word removed last but sisters": (
            WittenBell(),
            replace(options, order=(*later[:5], "modifier word", *later[5:])),
        ),
    }
    for title, (method, chosen) in methods.items():
        rows.append((title, *accuracies(trained(seen, chosen, method), corpora.pairs("google", "dev"))))
        print(*rows[-1], flush=True)
    note = f"{ACCURACY}, of Google with its cased pairs; s = v = 1, all annotation."
    write_table(
        folder / "smoothing.md", "Witten-Bell against other methods and orders of removal", note, rows
    )


def mixture(corpora: Corpora, folder: Path) -> None:
    rows: list[Row] = [("corpus", "language weight", "word price", "accuracy", "gold length")]
    for name in CORPORA:
        rest, held = split(corpora.pairs(name, "train"))
        markov = base(name).fit(rest)
        for weight in LANGUAGE_WEIGHTS:
            # The model takes some nats for every word, which a price of the same size gives back.
            prices = [price + 7 * weight for price in PRICES]
            mixed = replace(markov, language_weight=weight).calibrated(held[:MOST], prices=prices)
            scores = accuracies(mixed, corpora.pairs(name, "dev")[:MOST])
            rows.append((name, str(weight), f"{mixed.word_price:.2f}", *scores))
            print(*rows[-1], flush=True)
    note = (
        f"{ACCURACY}, at most {MOST}. The price of a word is the one of best positional F1 on a tenth of train, "
        "for a grammar of the rest."
    )
    write_table(
        folder / "mixture.md",
        "The log-linear mixture of the grammar and the n-gram model of news",
        note,
        rows,
    )


TABLES: dict[str, Callable[[Corpora, Path], None]] = {
    "orders": orders,
    "conditioning": conditioning,
    "systems": systems,
    "matching": matching,
    "substitutions": substitutions,
    "smoothing": smoothing,
    "mixture": mixture,
}


def main() -> None:
    make_tables(__doc__, TABLES, Corpora, Path(".cache/experiments/markov"))


if __name__ == "__main__":
    main()
