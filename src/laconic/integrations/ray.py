"""Ray Data: the texts of a column of a dataset, shortened by its workers."""

from __future__ import annotations

from functools import partial
from typing import Any

from laconic.batch.rows import Columns, compress_table
from laconic.errors import MissingExtra

try:
    from ray.data import Dataset
except ImportError:
    raise MissingExtra("ray", "ray") from None


def compress_dataset(dataset: Dataset, *, batch_size: int = 1000, **asked: Any) -> Dataset:
    """A dataset with the shortened texts of a column, and errors, in columns of their own.

    The arguments are those of `laconic.batch.rows.compress_batch`: `column="body", words=12`. A worker's process
    opens the system once and keeps it for all batches; what travels is rows and options.
    """
    columns = Columns.of(**asked)  # a mistake is told here, not by a worker
    schema = dataset.schema(fetch_if_missing=False)
    if schema is not None:
        columns.check(schema.names)
    work = partial(compress_table, **asked)
    return dataset.map_batches(work, batch_format="pyarrow", batch_size=batch_size, zero_copy_batch=True)
