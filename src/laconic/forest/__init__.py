"""Packed forests: every derivation of a sentence at once, and exact answers about them.

It knows no linguistics: edges have scores, features and a template of what they emit, nothing more.

- `builder.ForestBuilder` makes a `hypergraph.Hypergraph`, `assembly.assemble` makes one from arrays.
- `inference` has the best derivation, the partition function and marginals; `k_best.k_best` the k best,
  all or of distinct yields; `sampling.sample` exact samples. `semiring` states the recurrence they share.
- `by_cost` has the best derivation at every total cost and within limits; `strata.stratify` makes of a
  forest that of its derivations within a limit, so that every other question can be asked there too.
- `prices.priced` adds prices for source words, demands words or forbids them.
- `exchange` writes JSON and drawings, `statistics` counts.
"""
