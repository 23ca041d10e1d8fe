"""The shipped parser, opened once."""

from __future__ import annotations

from pathlib import Path

import pytest

from laconic.annotate.annotator import Annotator
from laconic.annotate.network import Network

SHIPPED = Path(__file__).parents[2] / "src/laconic/models/annotator"


@pytest.fixture(scope="session")
def network() -> Network:
    return Network(SHIPPED)


@pytest.fixture(scope="session")
def annotator(network: Network) -> Annotator:
    return Annotator(network, threads=1)
