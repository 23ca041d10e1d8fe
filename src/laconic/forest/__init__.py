"""The one engine: shapes of edges with at most two tails, scored by parts, and exact answers about their derivations.

It knows no linguistics: edges have scores, features and a template of what they emit, nothing more.

- `shape.Shape` says which derivations there are. A chart shares one with all sentences of its length; a forest has its
  own. Every kernel takes a shape and a vector of scores, some also a vector of costs.
- `best` has the best of every item and around it, and traces derivations through tables; `tables` has the best at every
  cost, `sums` the sums of all and the probabilities of parts, `lazy` the k best; `limits` finds the best within a limit
  by walking the `hull` of scores over costs.
- `builder.ForestBuilder` makes a `hypergraph.Hypergraph`, `assembly.assemble` makes one from `edges`, `cutting` its
  shape. `inference` asks it for the best and for marginals; `prices.priced` adds prices for source words, demands words
  or forbids them; `limited.limited` makes of a forest that of its derivations within a limit.
"""
