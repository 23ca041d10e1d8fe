"""A synchronous grammar: rules with the number of times each was extracted, and their text."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

from laconic.errors import FormatError, LaconicError
from laconic.grammar.extraction import ExtractionOptions, extract_rules
from laconic.grammar.fragments import Fragment
from laconic.grammar.rules import Rule, parse_rule
from laconic.trees.alignment.constituents import Link
from laconic.trees.constituency import Tree

_MOST_DIGITS = 15  # of a count

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

    def to_lines(self) -> list[str]:
        """The grammar as text: a line a rule, its count before it."""
        return [f"{count}\t{rule}" for rule, count in zip(self.rules, self.counts, strict=True)]

    @classmethod
    def from_lines(cls, lines: Iterable[str], *, source: str = "grammar") -> Grammar:
        """The grammar that `to_lines` wrote; a malformed line is an error that names it and the mistake."""
        rules: dict[Rule, int] = {}
        for number, line in enumerate(lines, start=1):
            count, tab, text = line.partition("\t")
            if not tab or not count.isdecimal() or len(count) > _MOST_DIGITS:
                raise FormatError(
                    f"a line holds a count, a tab and a rule, not {line!r:.60}", source=source, line=number
                )
            try:
                rule = parse_rule(text)
            except LaconicError as error:
                raise FormatError(str(error), source=source, line=number) from None
            if rule in rules:
                raise FormatError(f"the rule {rule} stands here twice", source=source, line=number)
            rules[rule] = int(count)
        return cls(tuple(rules), tuple(rules.values()))
