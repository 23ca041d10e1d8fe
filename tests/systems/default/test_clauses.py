"""What stands side by side: joined by a word, agreeing with its verb, held together by another verb."""

from __future__ import annotations

import pytest

from laconic.systems.default.clauses import (
    DISAGREEING,
    UNHELD,
    UNJOINED,
    coordination_ties,
    main_verb_tie,
    predicate_ties,
)
from laconic.systems.default.compressor import Compressor
from laconic.systems.default.source_tree import SourceTree


@pytest.mark.parametrize(
    ("text", "kept", "torn"),
    [
        ("They sell salt, pepper and oil.", "They sell salt pepper .", UNJOINED),
        ("They sell salt, pepper and oil.", "They sell salt .", None),
        ("The cook and the gardener are here.", "The cook are here .", DISAGREEING),
        ("“They came,” she said, adding that he had left.", "They came he had left .", UNHELD),
        ("“They came,” she said, adding that he had left.", "They came she said .", None),
        ("“They came,” she said, adding that he had left.", "he had left .", None),
        ("When it rained, she said they left.", "When it rained they left .", None),
        ("He came, she sang and they left.", "she sang and they left .", None),
    ],
)
def test_what_one_cannot_do_without_the_other(
    compressor: Compressor, text: str, kept: str, torn: str | None
) -> None:
    sentence = compressor.compress(text).sentence
    wanted = kept.split()
    places = []
    for place, word in enumerate(sentence.words):
        if wanted and word == wanted[0]:
            places.append(place)
            wanted.pop(0)
    assert not wanted
    broken = {tie.torn for tie in coordination_ties(SourceTree(sentence)) if tie.broken_by(frozenset(places))}
    assert broken == ({torn} if torn else set())


@pytest.mark.parametrize(
    ("text", "left_out", "torn"),
    [
        ("It is the Senate that will fail.", "is", True),
        ("It is the Senate that will fail.", "will", False),
        ("It is clear that the dam will fail.", "It", True),
        ("The mayor is ill and the road is closed.", "is", True),
        ("The mayor is ill and the road is closed.", "closed", False),
        ("The reason is that the dam failed.", "is", False),
        ("The mayor resigned.", "resigned", True),
    ],
)
def test_a_main_predicate_needs_its_verb(
    compressor: Compressor, text: str, left_out: str, torn: bool
) -> None:
    sentence = compressor.compress(text).sentence
    tree = SourceTree(sentence)
    kept = frozenset(range(len(sentence))) - {sentence.words.index(left_out)}
    assert any(tie.broken_by(kept) for tie in (*main_verb_tie(tree), *predicate_ties(tree))) == torn
