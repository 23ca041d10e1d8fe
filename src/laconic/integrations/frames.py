"""pandas and polars: the texts of a column of a frame, shortened in this process."""

from __future__ import annotations

from typing import Any, TypeVar

from laconic.batch.arrow import arrow
from laconic.batch.rows import Columns, compress_table
from laconic.errors import LaconicError

Frame = TypeVar("Frame")


def compress_frame(frame: Frame, **asked: Any) -> Frame:
    """A pandas or polars frame with the shortened texts of a column, and errors, in columns of their own.

    The arguments are those of `laconic.batch.rows.compress_batch`: `column="body", words=12`.
    """
    columns = Columns.of(**asked)
    data: Any = frame
    kind = type(frame).__module__.partition(".")[0]
    if kind not in ("pandas", "polars"):
        raise LaconicError(f"a frame of pandas or polars is expected, not {type(frame).__name__}")
    columns.check([str(name) for name in data.columns])
    if kind == "polars":
        import polars as pl

        return pl.from_arrow(compress_table(data.to_arrow(), **asked))  # type: ignore[no-any-return]
    import pandas as pd

    # Only what is read becomes Arrow; all else stays the frame's own.
    read = data[list(columns.read)]
    if read[columns.column].isna().all():  # of which Arrow cannot know that they are texts
        read = read.astype({columns.column: "string"})
    found = compress_table(arrow().Table.from_pandas(read, preserve_index=False), **asked)
    added = {name: found.column(name).to_pylist() for name in (columns.into, columns.error)}
    series = {name: pd.Series(values, data.index, dtype="string") for name, values in added.items()}
    return data.assign(**series)  # type: ignore[no-any-return]
