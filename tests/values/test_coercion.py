"""Dynamic calls of functions, maps and arrays, and function coercion (XQuery 3.1 §3.1.5.3)."""

from __future__ import annotations

from typing import Any

import pytest
from xylem.errors import DynamicError
from xylem.values import atomic_type as at
from xylem.values.array import XArray
from xylem.values.coercion import call_function, coerce_function
from xylem.values.function_item import FunctionItem
from xylem.values.map import XMap
from xylem.values.sequence_type import (
    ANY_SEQUENCE,
    AtomicItem,
    FunctionItemType,
    Occurrence,
    SequenceType,
)
from xylem.values.strings import UntypedAtomic

INTEGER = SequenceType(AtomicItem(at.INTEGER))
STRING = SequenceType(AtomicItem(at.STRING))
OPTIONAL_STRING = SequenceType(AtomicItem(at.STRING), Occurrence.OPTIONAL)

ADD = FunctionItem(None, (INTEGER, INTEGER), INTEGER, lambda a, b: a + b)
COUNT = FunctionItem(None, (ANY_SEQUENCE,), INTEGER, len)


def code_of(function: Any, *arguments: Any) -> str:
    with pytest.raises(DynamicError) as caught:
        list(call_function(function, arguments))
    return caught.value.code


def test_calls_convert_their_arguments() -> None:
    assert list(call_function(ADD, [(UntypedAtomic("1"),), (2,)])) == [3]
    assert list(call_function(COUNT, [(1, 2, 3)])) == [3]
    assert code_of(ADD, (1,)) == "XPTY0004"
    assert code_of(ADD, (1,), ("a",)) == "XPTY0004"
    assert code_of(7, (1,)) == "XPTY0004"


def test_maps_and_arrays_are_functions() -> None:
    assert list(call_function(XMap.of([("a", (1, 2))]), [(UntypedAtomic("a"),)])) == [1, 2]
    assert list(call_function(XMap(), [("a",)])) == []
    assert list(call_function(XArray([(1,), (2, 3)]), [(2,)])) == [2, 3]
    assert code_of(XArray([(1,)]), (2,)) == "FOAY0001"
    assert code_of(XArray([(1,)]), (0,)) == "FOAY0001"
    assert code_of(XArray([(1,)]), ("a",)) == "XPTY0004"
    assert code_of(XMap(), ("a", "b")) == "XPTY0004"
    assert code_of(XMap(), ("a",), ("b",)) == "XPTY0004"


def test_a_fitting_function_is_called_without_detour() -> None:
    expected = FunctionItemType((INTEGER, INTEGER), SequenceType(AtomicItem(at.ANY_ATOMIC)))
    coerced = coerce_function(ADD, expected)
    assert coerced.call is ADD.call
    assert coerced.returns == expected.returns


def test_results_are_checked() -> None:
    coerced = coerce_function(COUNT, FunctionItemType((STRING,), STRING))
    with pytest.raises(DynamicError) as caught:
        coerced.call("a")
    assert caught.value.code == "XPTY0004"


def test_a_map_as_a_function() -> None:
    entries = XMap.of([("a", ("x",))])
    coerced = coerce_function(entries, FunctionItemType((STRING,), OPTIONAL_STRING))
    assert coerced.call("a") == "x"
    assert coerced.call("b") is None


def test_wrong_arity() -> None:
    with pytest.raises(DynamicError) as caught:
        coerce_function(ADD, FunctionItemType((INTEGER,), INTEGER))
    assert caught.value.code == "XPTY0004"
    with pytest.raises(DynamicError) as caught:
        coerce_function(1, FunctionItemType((INTEGER,), INTEGER))
    assert caught.value.code == "XPTY0004"
