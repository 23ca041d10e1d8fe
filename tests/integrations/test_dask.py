"""Dask: the answers of one process, on workers of which one is killed, and no model in the graph."""

from __future__ import annotations

import os
import pickle
import signal

import pytest

from tests.integrations.rows import ASKED, COLUMNS, TEXTS, answers, expected

pytest.importorskip("pyarrow")
pytest.importorskip("dask.dataframe")
pytestmark = pytest.mark.filterwarnings("default")

import dask.dataframe as dd  # noqa: E402
import pandas as pd  # noqa: E402

from laconic.errors import LaconicError  # noqa: E402
from laconic.integrations.dask import compress_frame  # noqa: E402


def frame(partitions: int):
    return dd.from_pandas(pd.DataFrame(COLUMNS), npartitions=partitions, sort=False)


def records(found) -> list[dict[str, object]]:
    return found.astype(object).where(found.notna(), None).to_dict("records")


@pytest.mark.parametrize("partitions", [1, 5])
def test_answers_do_not_depend_on_the_partitions(partitions: int) -> None:
    found = compress_frame(frame(partitions), **{**ASKED, "system": "truncate"})
    assert list(found.columns) == ["id", "body", "room", "compressed", "error"]
    computed = found.compute(scheduler="synchronous")
    assert computed.dtypes.to_dict() == found.dtypes.to_dict()
    assert computed["compressed"].notna().sum() == len(TEXTS)


def test_nothing_of_the_model_is_in_the_graph() -> None:
    empty = dd.from_pandas(pd.DataFrame(COLUMNS).head(1), npartitions=1, sort=False)
    graph = compress_frame(empty, **ASKED).optimize().dask
    assert len(pickle.dumps(dict(graph))) < 20_000


def test_mistakes_are_told_before_anything_runs() -> None:
    with pytest.raises(LaconicError, match="no column 'text'"):
        compress_frame(frame(1))
    with pytest.raises(LaconicError, match="two limits"):
        compress_frame(frame(1), column="body", words=1, characters=2)


def test_a_killed_worker_is_survived() -> None:
    distributed = pytest.importorskip("distributed")
    with (
        distributed.LocalCluster(
            n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None
        ) as cluster,
        distributed.Client(cluster) as client,
    ):
        client.wait_for_workers(2)
        parts = client.compute(compress_frame(frame(12), **ASKED).to_delayed())
        next(iter(distributed.as_completed(parts)))
        running = [future for future in parts if future.status == "pending"]
        os.kill(next(iter(client.run(os.getpid).values())), signal.SIGKILL)
        found = pd.concat(client.gather(parts))
    assert len(running) > 3  # it came in the middle
    assert answers(records(found)) == expected()
