"""The sum over the paths of one length is that of enumeration."""

from __future__ import annotations

from itertools import combinations, pairwise

import pytest


@pytest.mark.parametrize("words", range(5))
def test_paths_of_a_length_are_summed_as_by_enumeration(words: int) -> None:
    torch = pytest.importorskip("torch")
    from training.model import length_log_partition

    generator = torch.Generator().manual_seed(words)
    follow = torch.randn(1, 6, 6, generator=generator)
    found = length_log_partition(follow, torch.tensor([5]), torch.tensor([words]))
    paths = [(0, *inner, 5) for inner in combinations(range(1, 5), words)]
    scores = [sum(follow[0, left, right] for left, right in pairwise(path)) for path in paths]
    assert torch.isclose(found, torch.logsumexp(torch.stack(scores), 0), atol=1e-5).all()
