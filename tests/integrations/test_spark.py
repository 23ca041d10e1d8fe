"""Spark: the answers of one process, whatever the partitions, and a worker that dies is replaced."""

from __future__ import annotations

import os
import signal
import sys

import pytest

from tests.integrations.rows import ASKED, COLUMNS, answers, expected

pytest.importorskip("pyarrow")
pytest.importorskip("pyspark.sql")
pytestmark = [pytest.mark.cluster, pytest.mark.filterwarnings("default")]

import pandas as pd  # noqa: E402
from pyspark.sql import SparkSession  # noqa: E402

from laconic.integrations.spark import compress_frame  # noqa: E402


def test_a_killed_worker_is_survived(tmp_path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYSPARK_PYTHON", sys.executable)
    mark = str(tmp_path / "killed")
    # Two workers, and a task may fail three times.
    session = SparkSession.builder.master("local[2,3]").config("spark.ui.enabled", "false").getOrCreate()

    def die_once(batches):
        for batch in batches:
            if 20 in batch.column("id").to_pylist() and not os.path.exists(mark):  # noqa: PTH110
                open(mark, "w").close()  # noqa: PTH123
                os.kill(os.getpid(), signal.SIGKILL)
            yield batch

    try:
        frame = session.createDataFrame(pd.DataFrame(COLUMNS)).repartition(6)
        frame = frame.mapInArrow(die_once, frame.schema)
        found = [row.asDict() for row in compress_frame(frame, **ASKED).collect()]
    finally:
        session.stop()
    assert os.path.exists(mark)  # noqa: PTH110
    assert answers(found) == expected()
