"""fn:deep-equal."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from xylem.errors import DynamicError
from xylem.functions.deep_equal import sequences_equal
from xylem.source.xml_reader import read_document
from xylem.values.array import XArray
from xylem.values.collations import collation
from xylem.values.function_item import FunctionItem
from xylem.values.map import XMap
from xylem.values.sequence_type import ANY_SEQUENCE
from xylem.values.strings import UntypedAtomic

NAN = float("nan")
ASCII = collation("http://www.w3.org/2005/xpath-functions/collation/html-ascii-case-insensitive")


@pytest.mark.parametrize(
    ("left", "right", "expected"),
    [
        ([], [], True),
        ([1], [], False),
        ([1, 2], [1, 3], False),
        ([1], [Decimal(1)], True),
        ([1], [1.0], True),
        ([1], ["1"], False),
        ([UntypedAtomic("1")], ["1"], True),
        ([NAN], [NAN], True),
        ([NAN], [1.0], False),
        ([True], [1], False),
        ([XArray([[1], []])], [XArray([[1], []])], True),
        ([XArray([[1]])], [XArray([[1], [2]])], False),
        ([XArray([[1]])], [1], False),
        ([XMap.of([("a", (1,))])], [XMap.of([("a", (1.0,))])], True),
        ([XMap.of([("a", (1,))])], [XMap.of([("b", (1,))])], False),
        ([XMap()], [XArray()], False),
        (["a"], ["A"], False),
    ],
)
def test_values(left: list[Any], right: list[Any], expected: bool) -> None:
    assert sequences_equal(left, right) is expected
    assert sequences_equal(right, left) is expected


@pytest.mark.parametrize(
    ("left", "right", "expected"),
    [
        ("<a x='1' y='2'/>", "<a y='2' x='1'/>", True),
        ("<a x='1'/>", "<a x='2'/>", False),
        ("<a x='1'/>", "<a/>", False),
        ("<a><!--c-->t</a>", "<a>t<?p?></a>", True),
        ("<a>s<!--c-->t</a>", "<a>st</a>", False),
        ("<a><b><c/></b></a>", "<a><b/><c/></a>", False),
        ("<p:a xmlns:p='u'/>", "<a xmlns='u'/>", True),
        ("<a/>", "<a xmlns='u'/>", False),
        ("<a> </a>", "<a/>", False),
        ("<!--c--><a/>", "<a/>", True),
    ],
)
def test_documents(left: str, right: str, expected: bool) -> None:
    assert sequences_equal([read_document(left)], [read_document(right)]) is expected


def test_collations_reach_into_trees() -> None:
    left, right = read_document("<a b='x'>T</a>"), read_document("<a b='X'>t</a>")
    assert not sequences_equal([left], [right])
    assert sequences_equal([left], [right], ASCII)


def test_deep_trees() -> None:
    text = "<a>" * 5000 + "</a>" * 5000
    assert sequences_equal([read_document(text)], [read_document(text)])


def test_functions_are_an_error() -> None:
    function = FunctionItem(None, (), ANY_SEQUENCE, lambda: ())
    with pytest.raises(DynamicError) as caught:
        sequences_equal([function], [function])
    assert caught.value.code == "FOTY0015"


@given(st.lists(st.sampled_from(["<a/>", "x", "<b c='1'>y</b>", "<!--c-->"]), max_size=6))
def test_a_tree_equals_a_second_reading_of_it(parts: list[str]) -> None:
    text = f"<r>{''.join(parts)}</r>"
    assert sequences_equal([read_document(text)], [read_document(text)])
