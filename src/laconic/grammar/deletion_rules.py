"""Rules X/ε that derive what is deleted: the unsynchronised half of a synchronous grammar.

Yamangil & Shieber (2010), section 3: where `Rule` links a source node to ε and says no more of it, these rules
derive the subtree below it.
"""

from __future__ import annotations

from dataclasses import dataclass

from laconic.errors import LaconicError
from laconic.grammar.fragments import EPSILON, Fragment


@dataclass(frozen=True, slots=True)
class DeletionRule:
    """An elementary tree of deleted material, whose frontier is words and nodes linked to ε.

    >>> print(DeletionRule(Fragment("NP", (Fragment("DT", link=EPSILON), Fragment("NN", word="rain")))))
    <NP,ε> -> <[NP DT_ε [NN rain]], ε>
    """

    source: Fragment

    def __post_init__(self) -> None:
        if self.source.link is not None:
            raise LaconicError(f"a rule derives something: its source is a tree, not {self.source} alone")
        kept = next(
            (leaf for leaf in self.source.frontier() if leaf.word is None and leaf.link != EPSILON), None
        )
        if kept is not None:
            raise LaconicError(f"below a deleted node all is deleted, but {kept} of {self.source} is not")

    @property
    def root(self) -> tuple[str, None]:
        """The category that the rule deletes, beside the absent one of the target."""
        return self.source.label, None

    def __str__(self) -> str:
        # The label of a bare fragment is written as in trees, so that what is special in it is escaped.
        return f"<{Fragment(self.source.label)},ε> -> <{self.source}, ε>"
