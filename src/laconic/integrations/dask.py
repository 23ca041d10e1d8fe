"""Dask: the texts of a column of a distributed frame, shortened by its workers."""

from __future__ import annotations

from typing import Any

from laconic.batch.rows import Columns
from laconic.errors import MissingExtra
from laconic.integrations.frames import compress_frame as compress_one

try:
    from dask.dataframe import DataFrame
except ImportError:
    raise MissingExtra("dask", "dask") from None


def compress_frame(frame: DataFrame, **asked: Any) -> DataFrame:
    """A Dask frame with the shortened texts of a column, and errors, in columns of their own.

    The arguments are those of `laconic.batch.rows.compress_batch`: `column="body", words=12`. Workers open the
    system once each; the graph holds nothing but the options. What a worker that dies had in hand is done again by
    others, with the same result.
    """
    columns = Columns.of(**asked)  # a mistake is told here, not by a worker
    columns.check([str(name) for name in frame.columns])
    meta = frame._meta.assign(
        **{name: frame._meta.index.astype("string") for name in (columns.into, columns.error)}
    )
    return frame.map_partitions(compress_one, meta=meta, **asked)
