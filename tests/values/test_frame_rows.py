"""Rows of data frames are maps, whichever library holds them."""

from __future__ import annotations

import datetime as dt
from typing import Any

import pytest
import xylem

pa = pytest.importorskip("pyarrow")
COLUMNS = {"id": ["x", "y"], "n": [1, None], "when": [dt.date(2024, 1, 2), None], "tags": [["a", "b"], []]}
EXPECTED = ["x 1 2024-01-02 2", "y   0"]
ROWS = xylem.compile("""
    declare variable $f external;
    $f ! string-join((?id, (?n, '')[1], (?when, '')[1], count(?tags)), ' ')
""")


def frames() -> dict[str, Any]:
    table = pa.table(COLUMNS)
    made = {"table": table, "batch": table.to_batches()[0], "reader": table.to_reader()}
    made["polars"] = pytest.importorskip("polars").from_arrow(table)
    return made


@pytest.mark.parametrize("kind", ["table", "batch", "reader", "polars"])
def test_each_row_is_a_map(kind: str) -> None:
    assert list(ROWS.run(None, {"f": frames()[kind]})) == EXPECTED


def test_frames_of_pandas() -> None:
    frame = pytest.importorskip("pandas").DataFrame({"id": ["x", "y"], "n": [1, 2]})
    query = xylem.compile("declare variable $f external; $f[?n gt 1]?id")
    assert query.run(None, {"f": frame}).value == "y"


def test_what_came_out_goes_in_again() -> None:
    rows = xylem.compile("//b ! map { 'id': string(@id), 'n': xs:integer(n) }")
    table = rows.to_arrow(b"<a><b id='x'><n>1</n></b><b id='y'><n>2</n></b></a>").read_all()
    query = xylem.compile("declare variable $rows external; sum($rows?n)")
    assert query.run(None, {"rows": table}).value == 3


def test_a_single_column_is_a_sequence() -> None:
    numpy = pytest.importorskip("numpy")
    total = xylem.compile("declare variable $n external; sum($n)")
    assert total.run(None, {"n": numpy.array([1, 2, 3])}).value == 6
    assert total.run(None, {"n": numpy.int64(4)}).value == 4
    assert total.run(None, {"n": pytest.importorskip("pandas").Series([1, 2])}).value == 3
    assert total.run(None, {"n": pytest.importorskip("polars").Series([1, 2])}).value == 3
