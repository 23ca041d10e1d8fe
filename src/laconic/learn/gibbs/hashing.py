"""Fragments of flat trees as pairs of 64-bit hashes that change with every cut.

With p the production of node v, and its children c₁, …, cₙ,

    h(v) = b(p) + Σₖ fₖ · mix(code(cₖ)),    code(c) = h(c) where the fragment goes on, else the mark of the cut,

so that a cut at a node changes the hashes on the way up to the root of its fragment only, at a constant price a
node. `mix` is not linear: what stands at the path (1, 2) is not confused with what stands at (2, 1). There are two
such hashes with different mixers. The first is where a rule is looked for, the second is the check: rules whose
first hashes collide are kept apart by it.
"""

from __future__ import annotations

import numpy as np

from laconic.kernel import kernel

LINKED_FIRST, LINKED_SECOND = np.uint64(0x2545F4914F6CDD1D), np.uint64(0x9E6C63D0876A9A47)
DELETED_FIRST, DELETED_SECOND = np.uint64(0x6A09E667F3BCC909), np.uint64(0xBB67AE8584CAA73B)
SOURCE_FACTOR = np.uint64(0x9E3779B97F4A7C15)
BARE_FIRST, BARE_SECOND = np.uint64(0x3C6EF372FE94F82B), np.uint64(0xA54FF53A5F1D36F1)

_30, _27, _31, _33 = np.uint64(30), np.uint64(27), np.uint64(31), np.uint64(33)
_A, _B = np.uint64(0xBF58476D1CE4E5B9), np.uint64(0x94D049BB133111EB)
_C, _D = np.uint64(0xFF51AFD7ED558CCD), np.uint64(0xC4CEB9FE1A85EC53)


@kernel
def mix_first(x: np.uint64) -> np.uint64:
    """The finaliser of SplitMix64, a bijection (Steele, Lea & Flood 2014)."""
    x = (x ^ (x >> _30)) * _A
    x = (x ^ (x >> _27)) * _B
    return x ^ (x >> _31)


@kernel
def mix_second(x: np.uint64) -> np.uint64:
    """The finaliser of MurmurHash3, a bijection."""
    x = (x ^ (x >> _33)) * _C
    x = (x ^ (x >> _33)) * _D
    return x ^ (x >> _33)
