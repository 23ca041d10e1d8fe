"""Building a forest one edge at a time, in any order."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from itertools import chain

import numpy as np

from laconic.forest.assembly import assemble
from laconic.forest.edges import EdgeArrays, Pools
from laconic.forest.hypergraph import Hypergraph, slot


class ForestBuilder:
    """Collects nodes and edges, then builds the forest of the derivations of one root.

    Symbols are the integers 0, 1, …; `symbol_words[s]` is the source word that symbol s copies, or -1.
    Over a sentence of n words whose words are only kept or dropped, that is `range(n)`.

    >>> builder = ForestBuilder(range(2))
    >>> sentence, modifier = builder.node("S"), builder.node("M")
    >>> _ = builder.edge(sentence, [modifier], emits=[slot(0), 1], score=1.0)
    >>> _ = builder.edge(modifier, emits=[0], score=-0.5)
    >>> _ = builder.edge(modifier, score=-0.25)
    >>> forest = builder.build(sentence)
    >>> forest.node_count, forest.edge_count, forest.name(forest.root)
    (2, 3, 'S')
    """

    def __init__(self, symbol_words: Sequence[int]) -> None:
        self._symbol_words = list(symbol_words)
        self._nodes: dict[Hashable, int] = {}
        self._templates: dict[tuple[int, ...], int] = {}
        self._rows: list[Mapping[int, float]] = []
        self._known_rows: dict[tuple[tuple[int, float], ...], int] = {}
        self._heads: list[int] = []
        self._tail_starts: list[int] = [0]
        self._tails: list[int] = []
        self._scores: list[float] = []
        self._edge_templates: list[int] = []
        self._edge_rows: list[int] = []
        self._origins: list[int] = []

    def node(self, key: Hashable) -> int:
        """The number of the node with this key, new at first mention."""
        return self._nodes.setdefault(key, len(self._nodes))

    def new_symbol(self) -> int:
        """One more symbol, which copies no word."""
        self._symbol_words.append(-1)
        return len(self._symbol_words) - 1

    def feature_row(self, features: Mapping[int, float]) -> int:
        """The number of a new row of features, which edges may share."""
        self._rows.append(features)
        return len(self._rows) - 1

    def edge(
        self,
        head: int,
        tails: Sequence[int] = (),
        *,
        score: float = 0.0,
        features: Mapping[int, float] | int | None = None,
        emits: Sequence[int] | None = None,
        origin: int | None = None,
    ) -> int:
        """Add an edge and return its number.

        `emits` is the template: symbols, and `slot(i)` where the yield of tail i goes; without it the
        yields of the tails follow each other. `features` may be the number of a row. `origin` is any number
        of the caller's own that the forest shall keep; without it, the edge's number here (the built forest
        numbers its edges anew).
        """
        number = len(self._heads)
        template = tuple(slot(i) for i in range(len(tails))) if emits is None else tuple(emits)
        if not isinstance(features, int):
            row = tuple(features.items()) if features else ()
            if row not in self._known_rows:
                self._known_rows[row] = self.feature_row(dict(row))
            features = self._known_rows[row]
        self._heads.append(head)
        self._tails.extend(tails)
        self._tail_starts.append(len(self._tails))
        self._scores.append(score)
        self._edge_templates.append(self._templates.setdefault(template, len(self._templates)))
        self._edge_rows.append(features)
        self._origins.append(number if origin is None else origin)
        return number

    def build(self, root: int) -> Hypergraph:
        """The forest of the derivations of `root`; see `assemble` for what is checked and left out."""
        pools = Pools(
            item_starts=np.cumsum([0, *map(len, self._templates)], dtype=np.int32),
            items=np.fromiter(chain.from_iterable(self._templates), np.int32),
            feature_starts=np.cumsum([0, *map(len, self._rows)], dtype=np.int32),
            feature_indices=np.fromiter(chain.from_iterable(self._rows), np.int32),
            feature_values=np.fromiter(chain.from_iterable(row.values() for row in self._rows), np.float64),
            symbol_words=np.array(self._symbol_words, dtype=np.int32),
        )
        return assemble(
            root,
            node_count=len(self._nodes),
            edges=EdgeArrays(
                heads=np.array(self._heads, dtype=np.int32),
                tail_starts=np.array(self._tail_starts, dtype=np.int32),
                tails=np.array(self._tails, dtype=np.int32),
                scores=np.array(self._scores, dtype=np.float64),
                templates=np.array(self._edge_templates, dtype=np.int32),
                feature_rows=np.array(self._edge_rows, dtype=np.int32),
                origins=np.array(self._origins, dtype=np.int32),
            ),
            pools=pools,
            keys=tuple(self._nodes),
        )
