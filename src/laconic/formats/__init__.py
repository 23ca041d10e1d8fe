"""Penn brackets, CoNLL-U and JSON Lines to and from values: pure functions over streams of lines."""

from __future__ import annotations

from collections.abc import Callable

from laconic.errors import FormatError

OnError = Callable[[FormatError], None] | None
"""What becomes of a broken record: None raises it; a function receives it and the record is skipped."""
