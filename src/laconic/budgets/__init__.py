"""Meeting a budget, for any decoder and any unit, exactly."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from laconic.budgets.cost_sets import Costs as Costs
    from laconic.budgets.lengths import Lengths as Lengths
    from laconic.budgets.lengths import Outline as Outline
    from laconic.budgets.meeting import Meeting as Meeting
    from laconic.budgets.request import Pins as Pins
    from laconic.budgets.request import Request as Request
    from laconic.budgets.search_space import SearchSpace as SearchSpace

# Imported when they are used, as the baselines need no arrays.
_PLACES = {
    "Costs": "laconic.budgets.cost_sets",
    "Lengths": "laconic.budgets.lengths",
    "Meeting": "laconic.budgets.meeting",
    "Outline": "laconic.budgets.lengths",
    "Pins": "laconic.budgets.request",
    "Request": "laconic.budgets.request",
    "SearchSpace": "laconic.budgets.search_space",
}


def __getattr__(name: str) -> Any:
    if name not in _PLACES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(_PLACES[name]), name)
