"""Frames of pandas and polars: two columns more, the rest as it was."""

from __future__ import annotations

import pytest

pytest.importorskip("pyarrow")

from laconic.errors import LaconicError
from laconic.integrations.frames import compress_frame

TEXTS = ["It fell again on Monday.", None, "Rain."]


def test_pandas() -> None:
    pd = pytest.importorskip("pandas")
    frame = pd.DataFrame({"body": TEXTS, "other": [object(), 1, "x"]}, index=[7, 5, 7])
    found = compress_frame(frame, column="body", words="=2", system="truncate")
    assert list(found.columns) == ["body", "other", "compressed", "error"]
    assert list(found.index) == [7, 5, 7]
    assert list(found["compressed"].isna()) == [False, True, True]
    assert found["compressed"].iloc[0] == "It fell"
    assert list(found["error"].isna()) == [True, True, False]
    assert found["other"].equals(frame["other"])
    assert list(frame.columns) == ["body", "other"]


def test_pandas_without_texts_or_rows() -> None:
    pd = pytest.importorskip("pandas")
    for frame in (
        pd.DataFrame({"text": [None, None]}),
        pd.DataFrame({"text": pd.Series([], dtype="string")}),
    ):
        found = compress_frame(frame, words=2, system="truncate")
        assert found["compressed"].isna().all()


def test_polars() -> None:
    pl = pytest.importorskip("polars")
    frame = pl.DataFrame({"body": TEXTS, "room": [2, 3, 1]})
    found = compress_frame(frame, column="body", from_columns={"words": "room"}, system="truncate")
    assert found.columns == ["body", "room", "compressed", "error"]
    assert found["compressed"].to_list() == ["It fell", None, "Rain."]
    assert found["error"].to_list() == [None] * 3


def test_mistakes_are_told() -> None:
    with pytest.raises(LaconicError, match="pandas or polars is expected, not list"):
        compress_frame(TEXTS)
    pd = pytest.importorskip("pandas")
    with pytest.raises(LaconicError, match="no column 'text'; there are: body"):
        compress_frame(pd.DataFrame({"body": TEXTS}))
    with pytest.raises(LaconicError, match="two limits"):
        compress_frame(pd.DataFrame({"text": TEXTS}), words=1, characters=2)
