"""What a function in Python may give back: nodes that it was given, and nothing of the input where it got values."""

from __future__ import annotations

import pytest
import xylem
from xylem.plan.distribution import PartKind
from xylem.spark.shipped_query import shipped_query


@pytest.mark.parametrize(
    ("query", "kind"),
    [
        ("//row/udf:same(string(@n))", PartKind.MAP),
        ("//row/udf:same(@n)", PartKind.MAP),
        ("//row/udf:same('a')", PartKind.MAP),
        ("//row ! udf:same(@n)", PartKind.MAP),
        # It might give back the orders of all customers, which a path sorts.
        ("for $f in function($x) { //row } return //row/udf:same($f)", PartKind.SEQUENTIAL),
    ],
)
def test_paths_that_end_in_a_function(query: str, kind: PartKind) -> None:
    functions = xylem.Functions()
    functions.function("udf:same", "item()*", "item()*")(lambda given: given)
    parts = shipped_query(query, functions=functions).program().distribution.parts
    assert [part.kind for part in parts] == [kind]
