"""F1 over grammatical relations: does the output say who did what to whom?"""

from __future__ import annotations

from dataclasses import dataclass

from laconic.errors import LaconicError
from laconic.metrics.case import Case
from laconic.metrics.statistics import Overlap
from laconic.sentence import Sentence

_NO_RELATIONS = frozenset({"root", "punct"})


@dataclass(frozen=True, slots=True)
class RelationF1:
    """F1 over the bags of (head word, relation, dependent word) of the parses of output and reference.

    Both are parsed as sentences of their own, as Riezler et al. (2003) and Clarke & Lapata (2006) do. The
    root has no head word, and punctuation stands in no grammatical relation: both are left out. Unlabelled,
    the bags hold (head word, dependent word). `parser` names the parser in the signature.
    """

    labelled: bool = True
    parser: str = "given"

    @property
    def name(self) -> str:
        """The name of the score."""
        return "relation_f1" if self.labelled else "unlabelled_relation_f1"

    @property
    def settings(self) -> tuple[str, ...]:
        """What is compared, and by which parser: scores by different parsers are different scores."""
        labels = f"labels:{'yes' if self.labelled else 'no'}"
        return labels, f"parser:{self.parser}", "punct:no", "root:no", "case:exact"

    def measure(self, case: Case) -> Overlap:
        """The relations that output and reference share."""
        return Overlap.of_bags(self._relations(case.output_parse), self._relations(case.reference_parse))

    def _relations(self, parse: Sentence | None) -> list[tuple[str, ...]]:
        if parse is None or parse.heads is None or parse.relations is None:
            raise LaconicError(f"{self.name} needs sentences with heads and relations: pass a parser")
        return [
            (parse.words[head], relation, word) if self.labelled else (parse.words[head], word)
            for word, head, relation in zip(parse.words, parse.heads, parse.relations, strict=True)
            if head >= 0 and relation not in _NO_RELATIONS
        ]
