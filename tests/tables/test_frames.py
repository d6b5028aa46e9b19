"""Answers as Arrow's batches and data frames: the rows of the tree, in flat memory, read as the batches are."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
import xylem
from xylem.errors import InputError
from xylem.errors.optional_package import optional_package

pa = pytest.importorskip("pyarrow")
ROWS = "//e ! map { 'id': string(@id), 'n': xs:integer(n) }"


def elements(number: int) -> Iterator[bytes]:
    yield b"<a>"
    for i in range(number):
        yield b"<e id='x%d'><n>%d</n></e>" % (i, i)
    yield b"</a>"


def test_batches_hold_as_many_rows_as_asked_for() -> None:
    reader = xylem.compile(ROWS).to_arrow(elements(10), batch_rows=4)
    assert [batch.num_rows for batch in reader] == [4, 4, 2]


def test_the_input_is_read_as_far_as_the_batches() -> None:
    read = 0

    def counted() -> Iterator[bytes]:
        nonlocal read
        for chunk in elements(200_000):
            read += 1
            yield chunk * 1

    reader = xylem.compile(ROWS).to_arrow(counted(), batch_rows=100)
    reader.read_next_batch()
    assert 100 <= read < 150_000


def test_pandas_and_polars_have_the_same_rows() -> None:
    pytest.importorskip("pandas")
    pytest.importorskip("polars")
    query = xylem.compile(ROWS)
    frame = query.to_pandas(elements(3))
    assert frame.to_dict("list") == {"id": ["x0", "x1", "x2"], "n": [0, 1, 2]}
    assert query.to_polars(elements(3)).to_dict(as_series=False) == frame.to_dict("list")


def test_a_query_that_needs_a_tree_has_one() -> None:
    query = xylem.compile("for $e in //e order by $e/preceding-sibling::e[1]/n return string($e/@id)")
    assert query.to_arrow(elements(3)).read_all().to_pydict() == {"value": ["x0", "x1", "x2"]}


def test_variables_reach_the_query() -> None:
    query = xylem.compile("declare variable $least external; //e[n >= $least] ! string(@id)")
    assert query.to_arrow(elements(3), variables={"least": 2}).read_all().to_pydict() == {"value": ["x2"]}


def test_a_missing_package_is_named_with_the_way_to_install_it() -> None:
    with pytest.raises(InputError, match="XYIN0011") as missing:
        optional_package("no_such_package.part", "frames")
    assert missing.value.hint == "pip install 'xylem-xquery[frames]'"
