"""The filter shortens text in templates."""

from __future__ import annotations

import pytest

pytest.importorskip("jinja2")

from jinja2 import Environment

from laconic.errors import LaconicError
from laconic.integrations.jinja import LaconicExtension

TEXT = "The council voted on Thursday night to rebuild the old harbour wall, which cost <more> than it had."


def rendered(template: str, **values) -> str:
    environment = Environment(extensions=[LaconicExtension], autoescape=True)
    return environment.from_string(template).render(text=TEXT, **values)


@pytest.mark.parametrize(
    ("template", "limit"),
    [
        ("{{ text | laconic(60) }}", 60),
        ("{{ text | laconic('title') }}", 60),
        ("{{ text | laconic('..40') }}", 40),
        ("{{ text | laconic(for_='sms') }}", 160),
        ("{{ text | laconic(words=3, system='truncate') | upper }}", 24),
    ],
)
def test_limits_hold_in_templates(template: str, limit: int) -> None:
    assert 0 < len(rendered(template).replace("&lt;", "<").replace("&gt;", ">")) <= limit


def test_what_is_safe_is_html_and_stays_safe_and_what_is_not_is_escaped() -> None:
    assert (
        rendered("{{ '<p>It fell again.</p>' | safe | laconic(words=2, system='truncate') }}")
        == "<p>It fell</p>"
    )
    assert "&lt;more&gt;" in rendered("{{ text | laconic(1000) }}")


def test_a_wrong_option_is_named() -> None:
    with pytest.raises(LaconicError, match="colour"):
        rendered("{{ text | laconic(60, colour='red') }}")
