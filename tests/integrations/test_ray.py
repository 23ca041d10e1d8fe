"""Ray Data: the answers of one process, on workers of which one is killed."""

from __future__ import annotations

import os
import signal

import pytest

from tests.integrations.rows import ASKED, COLUMNS, answers, expected

pytest.importorskip("pyarrow")
ray = pytest.importorskip("ray")
pytest.importorskip("ray.data")
pytestmark = [pytest.mark.cluster, pytest.mark.filterwarnings("default")]

import pyarrow as pa  # noqa: E402

from laconic.integrations.ray import compress_dataset  # noqa: E402


def test_a_killed_worker_is_survived(tmp_path) -> None:
    ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False, configure_logging=False)
    mark = tmp_path / "killed"

    def die_once(table):
        if 20 in table.column("id").to_pylist() and not mark.exists():
            mark.touch()
            os.kill(os.getpid(), signal.SIGKILL)
        return table

    try:
        dataset = ray.data.from_arrow(pa.table(COLUMNS)).repartition(8)
        dataset = dataset.map_batches(die_once, batch_format="pyarrow")
        found = compress_dataset(dataset, batch_size=7, **ASKED).take_all()
    finally:
        ray.shutdown()
    assert mark.exists()
    assert answers(found) == expected()
