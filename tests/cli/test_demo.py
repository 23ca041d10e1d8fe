"""`laconic demo` shortens its sentences with any system."""

from __future__ import annotations

from laconic.cli.demo import SENTENCES, demonstrate
from tests.cli.conftest import type_of_run


def test_demo_shows_every_sentence_and_its_compression(laconic: type_of_run) -> None:
    result = laconic("demo", "--system", "truncate")
    assert result.code == 0
    for sentence, compression in zip(SENTENCES, demonstrate("truncate"), strict=True):
        assert f"\n{sentence}\n=> {compression.text}  [" in result.out
        assert len(compression.text) < len(sentence)


def test_demo_needs_a_system(laconic: type_of_run) -> None:
    assert laconic("demo", "--system", "nothing").code == 2
