"""Every limit of the table holds what its example shows."""

from __future__ import annotations

import pytest

from laconic.errors import LaconicError
from laconic.limits import NAMES, named
from laconic.units import NAMES as UNITS


@pytest.mark.parametrize("name", NAMES)
def test_one_example_fits_and_one_must_be_cut(name: str) -> None:
    limit = named(name)
    budget = limit.budget
    assert budget.least is None
    assert budget.measure((), limit.fits) <= budget.most < budget.measure((), limit.cut)


@pytest.mark.parametrize("name", NAMES)
def test_a_row_is_whole(name: str) -> None:
    limit = named(name)
    assert limit.name == name == name.lower()
    assert limit.unit in UNITS
    assert limit.source
    assert str(limit).startswith(limit.purpose)
    assert "://" not in limit.source


def test_the_limits_people_ask_for_are_there() -> None:
    asked = {"sms", "push", "push-title", "meta-description", "title", "headline", "bluesky", "mastodon"}
    assert asked | {"discord", "search-ad", "duc2004"} <= set(NAMES)


def test_an_unknown_limit_is_refused_with_the_nearest() -> None:
    with pytest.raises(
        LaconicError, match="no limit is called 'meta description'; did you mean 'meta-description'"
    ):
        named("meta description")
    with pytest.raises(LaconicError, match="there are sms, push"):
        named("nonsense of all kinds")
