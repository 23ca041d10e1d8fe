"""Warming runs every system, and leaves nothing to compile."""

from __future__ import annotations

import pytest

from laconic.systems.registry import SYSTEMS
from tests.cli.conftest import type_of_run


@pytest.mark.slow
def test_every_system_is_run(laconic: type_of_run) -> None:
    result = laconic("warm")
    assert (result.code, result.out.split()) == (
        0,
        [name for name, entry in SYSTEMS.items() if entry.can_run],
    )
