"""Jinja: a filter that shortens text in templates, `{{ text | laconic(160) }}`."""

from __future__ import annotations

from typing import Any

from laconic.documents.compress import compress
from laconic.errors import MissingExtra

try:
    from jinja2 import Environment
    from jinja2.ext import Extension
    from markupsafe import Markup
except ImportError:
    raise MissingExtra("jinja2", "jinja") from None


def laconic(text: Any, limit: int | str | None = None, **options: Any) -> str:
    """A text shortened to so many characters, to a limit of the world by its name, or as the options say.

    What is marked as safe is read as HTML, and is safe afterwards.

    >>> laconic("It fell again on Monday.", 13, system="truncate")
    'It fell again'
    """
    if limit is not None:
        by_name = isinstance(limit, str) and limit[:1].isalpha()
        options["for_" if by_name else "characters"] = limit
    if not isinstance(text, Markup):
        return compress(str(text), **options).text
    shortened: str = Markup(compress(str(text), format="html", **options).text)
    return shortened


class LaconicExtension(Extension):  # type: ignore[misc]
    """Adds the filter: `Environment(extensions=[LaconicExtension])`."""

    def __init__(self, environment: Environment) -> None:
        super().__init__(environment)
        environment.filters["laconic"] = laconic
