"""The default compressor, loaded once."""

from __future__ import annotations

import pytest

from laconic.systems.default.compressor import Compressor


@pytest.fixture(scope="session")
def compressor() -> Compressor:
    return Compressor(threads=1)
