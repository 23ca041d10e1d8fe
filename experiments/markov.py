"""Galley and McKeown (2007) again: Tables 1 to 3 on the dev sets, with other amounts and kinds of data.

    python -m experiments.markov [table ...] --data ../shared/data --cache .cache/annotations.sqlite --output FOLDER

Tables: orders (their Table 1), conditioning (Table 2), systems (Table 3), matching and substitutions (their
section 4), smoothing, mixture. Spoken and written use the trees of the Stanford parser, the other corpora those of
the embedded one, which are parsed once and kept in the cache. Models learn from the first reference of train and
are scored against all references of dev. Scores are word accuracy in percent, macro-averaged, unless a column says
otherwise.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache
from itertools import islice
from pathlib import Path
from time import perf_counter

from laconic.annotate import Annotator, load_annotator
from laconic.corpora.pair import Pair
from laconic.corpora.pairs import read_pairs
from laconic.corpora.registry import open_pairs
from laconic.corpora.treebanks import with_trees
from laconic.grammar.deletion_scfg import DeletionDerivation, derive_by_words
from laconic.grammar.markov import Annotation, MarkovOptions
from laconic.learn.markov import Observations, estimate_grammar, observe
from laconic.learn.witten_bell import AbsoluteDiscounting, Additive, Smoothing, WittenBell
from laconic.metrics.evaluation import Compressor, evaluate
from laconic.metrics.report import Report
from laconic.sentence import Sentence
from laconic.systems.markov import Markov
from laconic.systems.noisy_channel import NoisyChannel
from laconic.text.tokenise import tokenise

LONGEST = 80  # words; longer "sentences" of the corpora are lists and tables
AMOUNTS = (1_000, 8_000, 50_000, 200_000)
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
PRICES = (0.0, 0.1, 0.2, 0.3, 0.5, 0.8)
LANGUAGE_WEIGHTS = (0.0, 0.05, 0.1, 0.2)

Row = tuple[str, ...]


@dataclass(frozen=True)
class Corpora:
    """The pairs with their trees."""

    data: Path
    cache: Path

    def stanford(self, name: str, split: str) -> list[Pair]:
        """Spoken or written pairs with Stanford's trees; the few whose tree is broken are left out."""
        pairs = open_pairs(f"{name}.{split}", self.data)
        side_file = self.data / "trees" / f"{name}.train+dev.stanford.jsonl.gz"
        return list(with_trees(pairs, side_file, on_error=lambda _: None))

    def google(self, split: str) -> list[Pair]:
        """The evaluation pairs, cut by our tokeniser; those whose target was not found in full are left out."""
        name = "google.dev.jsonl" if split == "dev" else "google.train.jsonl.gz"
        return list(self._parsed(read_pairs(self._file(name), tokenise=tokenise, only_aligned=True)))

    def google_large(self) -> Iterator[Pair]:
        """The 200,000 training pairs, one after the other."""
        return self._parsed(read_pairs(self._file("google200k.train.jsonl.gz")))

    def abstractive(self) -> Iterator[Pair]:
        """Microsoft's pairs, one reference each, with the trees of both sides."""
        pairs = [
            pair
            for pair in open_pairs("msr.train", self.data, tokenise=tokenise)
            if 0 < len(pair.references[0]) < len(pair.source) <= LONGEST
        ]
        sources = self.parse([pair.source for pair in pairs])
        targets = self.parse([Sentence.from_words(pair.references[0]) for pair in pairs])
        for pair, source, target in zip(pairs, sources, targets, strict=True):
            assert target.tree is not None
            yield Pair(pair.id, source, pair.references[:1], pair.kept[:1], reference_trees=(target.tree,))

    def dev(self, name: str) -> list[Pair]:
        return self.google("dev") if name == "google" else self.stanford(name, "dev")

    def train(self, name: str) -> list[Pair]:
        return self.google("train") if name == "google" else self.stanford(name, "train")

    def amount(self, count: int) -> Iterator[Pair]:
        """So many Google pairs: first those of the small training set, which are cased."""

        def both() -> Iterator[Pair]:
            yield from self.google("train")
            yield from self.google_large()

        return islice(both(), count)

    def parse(self, sentences: Sequence[Sentence]) -> Iterable[Sentence]:
        """Heads and relations, for relation F1."""
        return annotator().annotate(sentences, cache=self.cache)

    def _file(self, name: str) -> Path:
        return self.data / "compression" / name

    def _parsed(self, pairs: Iterator[Pair]) -> Iterator[Pair]:
        usable = (pair for pair in pairs if pair.kept[0] and len(pair.source) <= LONGEST)
        while chunk := list(islice(usable, 2048)):
            sources = annotator().annotate((pair.source for pair in chunk), cache=self.cache)
            for pair, source in zip(chunk, sources, strict=True):
                yield replace(pair, source=source)


@cache
def annotator() -> Annotator:
    return load_annotator(threads=1)


def derivations(pairs: Iterable[Pair]) -> Iterator[DeletionDerivation]:
    for pair in pairs:
        assert pair.source.tree is not None and pair.kept[0] is not None
        yield derive_by_words(pair.source.tree, pair.kept[0])


def trained(seen: Observations, options: MarkovOptions, smoothing: Smoothing | None = None) -> Markov:
    return Markov(estimate_grammar(seen, options, smoothing=smoothing), options)


def percent(report: Report, metric: str) -> str:
    value = report[metric].score.macro
    return "" if value is None else f"{100 * value:.1f}"


def accuracies(system: Compressor, dev: Sequence[Pair]) -> tuple[str, str]:
    """Word accuracy at the length of the system's choice, and at gold length."""
    return (
        percent(evaluate(system, dev), "word_accuracy"),
        percent(evaluate(system, dev, gold_length=True), "word_accuracy"),
    )


def orders(corpora: Corpora) -> list[Row]:
    """Their Table 1: sister order s by ancestor order v, with categories and tags."""
    rows: list[Row] = [
        ("corpus", "v", *(f"s={s}" for s in range(4)), *(f"s={s}, gold length" for s in range(4)))
    ]
    for name in ("spoken", "written", "google"):
        train, dev = corpora.train(name), corpora.dev(name)
        for v in range(4):
            cells = []
            for s in range(4):
                options = MarkovOptions(
                    sisters=s, ancestors=v, modifier=("category", "tag"), head=("category", "tag")
                )
                matching = "words" if name == "google" else "edits"
                system = Markov(options=options, matching=matching, substitutions=6).fit(train)
                cells.append(accuracies(system, dev))
            rows.append((name, str(v), *(free for free, _ in cells), *(gold for _, gold in cells)))
            print(*rows[-1], flush=True)
    return rows


def conditioning(corpora: Corpora) -> list[Row]:
    """Their Table 2: annotation of modifier and head, with s = v = 0, by the amount of Google pairs."""
    dev = corpora.dev("google")
    names = [f"M={','.join(SHORT[a] for a in m)} H={','.join(SHORT[a] for a in h)}" for m, h in CONDITIONING]
    columns: dict[int, list[tuple[str, str]]] = {}
    for amount in AMOUNTS:
        seen = observe(derivations(corpora.amount(amount)), sisters=0, ancestors=0)
        columns[amount] = []
        for modifier, head in CONDITIONING:
            options = MarkovOptions(sisters=0, ancestors=0, modifier=modifier, head=head)
            columns[amount].append(accuracies(trained(seen, options), dev))
            print(amount, modifier, head, *columns[amount][-1], flush=True)
    header = ("conditioning", *(f"{a:,}" for a in AMOUNTS), *(f"{a:,}, gold length" for a in AMOUNTS))
    return [
        header,
        *(
            (name, *(columns[a][row][0] for a in AMOUNTS), *(columns[a][row][1] for a in AMOUNTS))
            for row, name in enumerate(names)
        ),
    ]


def systems(corpora: Corpora) -> list[Row]:
    """Their Table 3: the Markov grammar (s = v = 1, all annotation) against the noisy channel."""
    rows: list[Row] = [
        (
            "corpus",
            "system",
            "length",
            "accuracy",
            "SSA",
            "rate",
            "relation F1",
            "positional F1",
            "ms/sentence",
        )
    ]
    for name in ("spoken", "written", "google"):
        dev, train = corpora.dev(name), corpora.train(name)
        matching = "words" if name == "google" else "edits"
        markov = Markov(matching=matching, substitutions=6).fit(train)
        priced = replace(markov, word_price=best_price(markov, dev))
        compared: dict[str, Compressor] = {
            "noisy channel": NoisyChannel().fit(train),
            "markov": markov,
            f"markov, {priced.word_price} a word (tuned on dev)": priced,
        }
        if name == "google":
            compared["markov, 200,000 pairs"] = large = Markov().fit(corpora.amount(208_000))
            price = best_price(large, dev)
            compared[f"markov, 200,000 pairs, {price} a word (tuned on dev)"] = replace(
                large, word_price=price
            )
        for title, system in compared.items():
            for gold in (False, True):
                start = perf_counter()
                report = evaluate(system, dev, gold_length=gold, parser=corpora.parse)
                milliseconds = 1e3 * (perf_counter() - start) / len(dev)
                metrics = ("word_accuracy", "string_accuracy", "word_rate", "relation_f1", "positional_f1")
                cells = (percent(report, metric) for metric in metrics)
                length = "gold" if gold else "free"
                rows.append((name, title, length, *cells, f"{milliseconds:.1f}"))
                print(*rows[-1], flush=True)
    return rows


def best_price(system: Markov, dev: Sequence[Pair]) -> float:
    """The price of a word with the highest word accuracy on dev; the lowest such."""

    def accuracy(price: float) -> float:
        return evaluate(replace(system, word_price=price), dev)["word_accuracy"].score.macro or 0.0

    return max(PRICES, key=accuracy)


def matching(corpora: Corpora) -> list[Row]:
    """Their section 4: what each way to read derivations off tree pairs gets out of the corpus."""
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
        train, dev = corpora.train(name), corpora.dev(name)
        for title, way in ways.items():
            found = list(way.derivations(train))
            rules = [rule for derivation in found for rule in derivation.rules()]
            deleting = sum(rule.children != rule.target for rule in rules)
            free, gold = accuracies(way.fit(train), dev)
            rows.append((name, title, str(len(found)), str(len(rules)), str(deleting), free, gold))
            print(*rows[-1], flush=True)
    return rows


def substitutions(corpora: Corpora) -> list[Row]:
    """Their ZD-0 to ZD-6: abstractive pairs with up to k substitutions, added to a thousand of Google."""
    rows: list[Row] = [("abstractive pairs with up to", "pairs used", "accuracy", "gold length")]
    dev, google = corpora.dev("google"), list(corpora.amount(1_000))
    abstractive = list(corpora.abstractive())
    alone = list(derivations(google))
    for most in (None, 0, 1, 3, 6):
        added = []
        if most is not None:
            added = list(Markov(matching="edits", substitutions=most).derivations(abstractive))
        system = trained(observe([*alone, *added]), MarkovOptions())
        title = "none added" if most is None else f"{most} substitutions"
        rows.append((title, str(len(added)), *accuracies(system, dev)))
        print(*rows[-1], flush=True)
    return rows


def smoothing(corpora: Corpora) -> list[Row]:
    """Witten-Bell against other methods and orders, on Google."""
    rows: list[Row] = [("smoothing", "accuracy", "gold length")]
    dev = corpora.dev("google")
    seen = observe(derivations(corpora.train("google")))
    base = MarkovOptions()
    later = tuple(v for v in base.order if v != "modifier word")
    methods: dict[str, tuple[Smoothing, MarkovOptions]] = {
        "Witten-Bell, order of the paper": (WittenBell(), base),
        "additive, 0.5": (Additive(0.5), base),
        "additive, 2": (Additive(2.0), base),
        "absolute discounting, 0.5": (AbsoluteDiscounting(0.5), base),
        "absolute discounting, 0.9": (AbsoluteDiscounting(0.9), base),
        "Witten-Bell, the modifier's word removed last but sisters": (
            WittenBell(),
            replace(base, order=(*later[:5], "modifier word", *later[5:])),
        ),
    }
    for title, (method, options) in methods.items():
        rows.append((title, *accuracies(trained(seen, options, method), dev)))
        print(*rows[-1], flush=True)
    return rows


def mixture(corpora: Corpora) -> list[Row]:
    """The log-linear mixture with the news model, tuned on the first half of dev, scored on the other."""
    rows: list[Row] = [("corpus", "language weight", "word price", "accuracy", "gold length")]
    for name in ("spoken", "written", "google"):
        train, dev = corpora.train(name), corpora.dev(name)[:400]
        tuning, held = dev[::2], dev[1::2]
        matching = "words" if name == "google" else "edits"
        base = Markov(matching=matching, substitutions=6).fit(train)
        for weight in LANGUAGE_WEIGHTS:
            # The model takes some nats for every word, which a price of the same size gives back.
            candidates = [price + 7 * weight for price in PRICES]
            scored = {
                price: evaluate(replace(base, language_weight=weight, word_price=price), tuning)
                for price in candidates
            }
            price = max(candidates, key=lambda p: scored[p]["word_accuracy"].score.macro or 0.0)
            chosen = replace(base, language_weight=weight, word_price=price)
            rows.append((name, str(weight), f"{price:.2f}", *accuracies(chosen, held)))
            print(*rows[-1], flush=True)
    return rows


TABLES: dict[str, Callable[[Corpora], list[Row]]] = {
    "orders": orders,
    "conditioning": conditioning,
    "systems": systems,
    "matching": matching,
    "substitutions": substitutions,
    "smoothing": smoothing,
    "mixture": mixture,
}


def markdown(title: str, rows: Sequence[Row]) -> str:
    head, *body = rows
    lines = [f"## {title}", "", f"| {' | '.join(head)} |", f"| {' | '.join('---' for _ in head)} |"]
    return "\n".join([*lines, *(f"| {' | '.join(row)} |" for row in body), ""])


def plot(rows: Sequence[Row]) -> str:
    """Accuracy by amount of data, a line for each conditioning set, as SVG."""
    series = {row[0]: [float(cell) for cell in row[1 : 1 + len(AMOUNTS)]] for row in rows[1:]}
    low = min(min(values) for values in series.values())
    high = max(max(values) for values in series.values())
    width, height, left, top = 420.0, 260.0, 50.0, 20.0
    colours = ("#8a929b", "#b07d2b", "#c23b22", "#0b5cad", "#2e7d32", "#6a1b9a", "#1b1f24")

    def x(place: int) -> float:
        return left + width * place / (len(AMOUNTS) - 1)

    def y(value: float) -> float:
        return top + height * (high - value) / (high - low)

    parts = [
        f'<text x="{x(place):.0f}" y="{top + height + 20:.0f}" text-anchor="middle">{amount:,}</text>'
        for place, amount in enumerate(AMOUNTS)
    ]
    parts += [f'<text x="4" y="{y(value) + 4:.0f}">{value:.1f}</text>' for value in (low, high)]
    for (name, values), colour in zip(series.items(), colours, strict=True):
        points = " ".join(f"{x(place):.1f},{y(value):.1f}" for place, value in enumerate(values))
        parts.append(f'<polyline points="{points}" fill="none" stroke="{colour}" stroke-width="2"/>')
        parts.append(
            f'<text x="{left + width + 8:.0f}" y="{y(values[-1]) + 4:.0f}" fill="{colour}">{name}</text>'
        )
    body = "\n".join(parts)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{left + width + 180:.0f}" '
        f'height="{top + height + 40:.0f}" font-family="system-ui, sans-serif" font-size="12">\n{body}\n</svg>\n'
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0] if __doc__ else None)
    parser.add_argument("tables", nargs="*", help=f"which to make: {', '.join(TABLES)} (default: all)")
    parser.add_argument("--data", type=Path, default=Path("../shared/data"))
    parser.add_argument("--cache", type=Path, default=Path(".cache/annotations.sqlite"))
    parser.add_argument("--output", type=Path, default=Path(".cache/experiments/markov"))
    options = parser.parse_args()
    if unknown := set(options.tables) - set(TABLES):
        parser.error(f"no such table: {', '.join(sorted(unknown))} (there are: {', '.join(TABLES)})")
    options.output.mkdir(parents=True, exist_ok=True)
    corpora = Corpora(options.data, options.cache)
    for name in options.tables or TABLES:
        make = TABLES[name]
        rows = make(corpora)
        title = (make.__doc__ or name).strip().rstrip(".")
        (options.output / f"{name}.md").write_text(markdown(title, rows), encoding="utf-8")
        if name == "conditioning":
            (options.output / f"{name}.svg").write_text(plot(rows), encoding="utf-8")


if __name__ == "__main__":
    main()
