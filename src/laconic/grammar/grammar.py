"""A synchronous grammar: rules with the number of times each was extracted, and their text file."""

from __future__ import annotations

import gzip
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from laconic.errors import FormatError, LaconicError
from laconic.files import read_lines, write_whole
from laconic.grammar.extraction import ExtractionOptions, extract_rules
from laconic.grammar.fragments import Fragment
from laconic.grammar.rules import Rule, parse_rule
from laconic.trees.alignment.constituents import Link
from laconic.trees.constituency import Tree

AlignedTrees = tuple[Tree, Tree, tuple[Link, ...]]
"""A source tree, a target tree and the links between their words."""


@dataclass(frozen=True, slots=True, eq=False)
class Grammar:
    """Rules in a fixed order, each with the number of times it was seen."""

    rules: tuple[Rule, ...]
    counts: tuple[int, ...]

    def __post_init__(self) -> None:
        if len(self.rules) != len(self.counts):
            raise LaconicError(f"{len(self.rules)} rules but {len(self.counts)} counts")

    def __len__(self) -> int:
        return len(self.rules)

    @classmethod
    def of(cls, counts: Mapping[Rule, int], *, targets: int | None = None) -> Grammar:
        """The grammar of counted rules, most frequent first; equally frequent ones in alphabetical order.

        With `targets`, only so many most frequent rules of each source fragment are kept.
        """
        order = sorted(counts, key=lambda rule: (-counts[rule], str(rule)))
        if targets is not None:
            seen: Counter[Fragment] = Counter()
            kept = []
            for rule in order:
                fragment = rule.source.unlinked()
                seen[fragment] += 1
                if seen[fragment] <= targets:
                    kept.append(rule)
            order = kept
        return cls(tuple(order), tuple(counts[rule] for rule in order))

    @classmethod
    def extracted(
        cls,
        pairs: Iterable[AlignedTrees],
        options: ExtractionOptions | None = None,
        *,
        targets: int = 50,
        on_error: Callable[[LaconicError], None] | None = None,
    ) -> Grammar:
        """The grammar of many tree pairs; a pair that cannot be aligned goes to `on_error`, or is an error."""
        counts: Counter[Rule] = Counter()
        for source, target, links in pairs:
            try:
                counts.update(extract_rules(source, target, links, options or ExtractionOptions()))
            except LaconicError as error:
                if on_error is None:
                    raise
                on_error(error)
        return cls.of(counts, targets=targets)

    def frequent(self, least: int) -> Grammar:
        """The grammar of the rules that were seen at least so often."""
        kept = [place for place, count in enumerate(self.counts) if count >= least]
        return Grammar(
            tuple(self.rules[place] for place in kept), tuple(self.counts[place] for place in kept)
        )

    def write(self, path: Path) -> None:
        """Write the grammar as text: a line a rule, its count before it; gzip if the name ends in `.gz`."""
        lines = (f"{count}\t{rule}\n" for rule, count in zip(self.rules, self.counts, strict=True))
        content = "".join(lines).encode()
        with write_whole(path) as stream:
            stream.write(gzip.compress(content, mtime=0) if path.suffix == ".gz" else content)

    @classmethod
    def read(cls, path: Path) -> Grammar:
        """The grammar that `write` wrote; a malformed line is an error that names file, line and mistake."""
        rules: dict[Rule, int] = {}
        for number, line in read_lines(path):
            count, tab, text = line.partition("\t")
            if not tab or not count.isdecimal():
                raise FormatError(
                    f"a line holds a count, a tab and a rule, not {line!r:.60}", source=str(path), line=number
                )
            try:
                rule = parse_rule(text)
            except LaconicError as error:
                raise FormatError(str(error), source=str(path), line=number) from None
            if rule in rules:
                raise FormatError(f"the rule {rule} stands here twice", source=str(path), line=number)
            rules[rule] = int(count)
        return cls(tuple(rules), tuple(rules.values()))
