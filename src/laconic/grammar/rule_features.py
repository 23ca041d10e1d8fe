"""The features of a synchronous rule: Cohn & Lapata (2009), section 4 and Table 2."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from enum import Flag, auto

from laconic.grammar.fragments import Fragment
from laconic.grammar.rules import Rule


class FeatureGroup(Flag):
    """The templates of features, which can be switched off one by one."""

    TYPE = auto()
    ROOT = auto()
    IDENTITY = auto()
    UNLEXICALISED = auto()
    RULE_COUNT = auto()
    WORD_COUNT = auto()
    TERMINALS = auto()
    NON_TERMINALS = auto()
    LENGTH = auto()


ALL_FEATURES = ~FeatureGroup(0)
TOKEN_FEATURES = FeatureGroup.WORD_COUNT | FeatureGroup.TERMINALS
"""What looks at words only."""
RULE_FEATURES = ALL_FEATURES & ~TOKEN_FEATURES
"""What looks at rules and categories."""

SOURCE_WORDS = "words source"
"""The number of source words that a rule consumes or deletes; known only where the rule is applied."""


class RuleType(Flag):
    """Where a rule comes from: the training pairs, the copies or the deletions, or several of them."""

    EXTRACTED = auto()
    COPY = auto()
    DELETE = auto()


def rule_features(
    rule: Rule, types: RuleType, groups: FeatureGroup = ALL_FEATURES
) -> Iterator[tuple[str, float]]:
    """The names and values of a rule's features, except `SOURCE_WORDS`; each name once, no value 0."""
    alpha, gamma = rule.source, rule.target
    templates: dict[FeatureGroup, Callable[[], Iterable[tuple[str, float]]]] = {
        FeatureGroup.TYPE: lambda: ((f"type {kind.name}".lower(), 1.0) for kind in types),
        FeatureGroup.ROOT: lambda: _root(*rule.root),
        FeatureGroup.IDENTITY: lambda: _identity("", alpha, gamma),
        FeatureGroup.UNLEXICALISED: lambda: _identity(
            "unlexicalised ", alpha.unlexicalised(), gamma.unlexicalised()
        ),
        FeatureGroup.RULE_COUNT: lambda: (("rules", 1.0),),
        FeatureGroup.WORD_COUNT: lambda: (("words target", float(len(gamma.words))),),
        FeatureGroup.TERMINALS: lambda: _yields("terminal", alpha.words, gamma.words),
        FeatureGroup.NON_TERMINALS: lambda: _yields("non-terminal", _categories(alpha), _categories(gamma)),
        FeatureGroup.LENGTH: lambda: _lengths(alpha, gamma),
    }
    for group, features in templates.items():
        if group in groups:
            yield from ((name, value) for name, value in features() if value)


def _root(x: str, y: str) -> Iterator[tuple[str, float]]:
    yield f"X={x}", 1.0
    yield f"Y={y}", 1.0
    yield f"X={x} Y={y}", 1.0


def _identity(kind: str, alpha: Fragment, gamma: Fragment) -> Iterator[tuple[str, float]]:
    bare_alpha, bare_gamma = alpha.unlinked(), gamma.unlinked()
    yield f"{kind}α={bare_alpha}", 1.0
    yield f"{kind}γ={bare_gamma}", 1.0
    yield f"{kind}α={alpha} γ={gamma}", 1.0
    if bare_alpha == bare_gamma:
        yield f"{kind}α=γ", 1.0


def _yields(kind: str, source: Sequence[str], target: Sequence[str]) -> Iterator[tuple[str, float]]:
    if source or target:
        yield f"{kind}s {' '.join(source)} → {' '.join(target)}", 1.0
    for item in dict.fromkeys(source):
        yield f"{kind} {item} {'kept' if item in target else 'dropped'}", 1.0


def _lengths(alpha: Fragment, gamma: Fragment) -> Iterator[tuple[str, float]]:
    difference = len(_categories(alpha)) - len(_categories(gamma))
    yield "length difference", float(difference)
    yield "target shorter", float(difference > 0)


def _categories(fragment: Fragment) -> tuple[str, ...]:
    return tuple(node.label for node in fragment.frontier())
