"""Spark: the texts of a column of a frame, shortened by its executors."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from laconic.batch.rows import Columns
from laconic.errors import MissingExtra

try:
    from pyspark.sql import DataFrame
    from pyspark.sql.types import StringType, StructType
except ImportError:
    raise MissingExtra("pyspark", "spark") from None


def compress_frame(frame: DataFrame, **asked: Any) -> DataFrame:
    """A Spark frame with the shortened texts of a column, and errors, in columns of their own.

    The arguments are those of `laconic.batch.rows.compress_batch`: `column="body", words=12`. An executor's Python
    opens the system once; what travels is rows and options.
    """
    columns = Columns.of(**asked)
    columns.check(frame.columns)

    def work(batches: Iterable[Any]) -> Iterator[Any]:
        from laconic.batch.rows import compress_batch

        return (compress_batch(batch, **asked) for batch in batches)

    schema = StructType([*frame.schema.fields])
    for name in (columns.into, columns.error):
        schema = schema.add(name, StringType())
    return frame.mapInArrow(work, schema)
