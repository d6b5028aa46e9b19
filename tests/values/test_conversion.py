"""The function conversion rules (XQuery 3.1 §3.1.5.2) and the calling convention."""

from __future__ import annotations

from decimal import Decimal
from itertools import count
from typing import Any

import pytest
from xylem.errors import DynamicError
from xylem.values import atomic_type as at
from xylem.values.array import XArray
from xylem.values.conversion import convert, convert_lazily, shape, unshape
from xylem.values.function_item import FunctionItem
from xylem.values.map import XMap
from xylem.values.numbers import Float, UnsignedByte
from xylem.values.sequence_type import (
    ANY_ITEM,
    ANY_SEQUENCE,
    EMPTY_SEQUENCE,
    AtomicItem,
    FunctionItemType,
    MapItem,
    Occurrence,
    SequenceType,
)
from xylem.values.strings import AnyURI, UntypedAtomic

ONE, OPTIONAL, MANY, SOME = Occurrence.ONE, Occurrence.OPTIONAL, Occurrence.MANY, Occurrence.SOME


def of(atomic: at.AtomicType, occurrence: Occurrence = ONE) -> SequenceType:
    return SequenceType(AtomicItem(atomic), occurrence)


@pytest.mark.parametrize(
    ("sequence", "expected", "result"),
    [
        ((1,), of(at.INTEGER), 1),
        ((UntypedAtomic("7"),), of(at.INTEGER), 7),
        ((UntypedAtomic("7"),), of(at.NUMERIC), 7.0),
        ((UntypedAtomic("7"),), of(at.ANY_ATOMIC), UntypedAtomic("7")),
        ((1,), of(at.DOUBLE), 1.0),
        ((Decimal("1.5"),), of(at.FLOAT), Float(1.5)),
        ((Float(1.5),), of(at.DOUBLE), 1.5),
        ((AnyURI("u"),), of(at.STRING), "u"),
        ((UnsignedByte(3),), of(at.INTEGER), UnsignedByte(3)),
        ((XArray([(1,)]),), of(at.INTEGER), 1),
        ((XArray([(), ()]),), of(at.INTEGER, OPTIONAL), None),
        ((XArray([(1, 2), (3,)]), 4), of(at.INTEGER, MANY), [1, 2, 3, 4]),
        (range(5), of(at.INTEGER, SOME), range(5)),
        ((), of(at.INTEGER, OPTIONAL), None),
        ((), ANY_SEQUENCE, ()),
        ((), EMPTY_SEQUENCE, ()),
    ],
)
def test_converts(sequence: Any, expected: SequenceType, result: Any) -> None:
    converted = convert(sequence, expected, "it")
    assert converted == result
    assert type(converted) is type(result)


@pytest.mark.parametrize(
    ("sequence", "expected", "code"),
    [
        (("a",), of(at.INTEGER), "XPTY0004"),
        ((1.5,), of(at.FLOAT), "XPTY0004"),
        ((1.5,), of(at.INTEGER), "XPTY0004"),
        ((True,), of(at.INTEGER), "XPTY0004"),
        (("a",), of(at.ANY_URI), "XPTY0004"),
        ((1, 2), of(at.INTEGER), "XPTY0004"),
        ((), of(at.INTEGER), "XPTY0004"),
        ((), of(at.INTEGER, SOME), "XPTY0004"),
        ((XArray(),), of(at.INTEGER, SOME), "XPTY0004"),
        ((1,), EMPTY_SEQUENCE, "XPTY0004"),
        ((1, 2), SequenceType(ANY_ITEM), "XPTY0004"),
        ((1,), SequenceType(MapItem()), "XPTY0004"),
        ((UntypedAtomic("a"),), of(at.INTEGER), "FORG0001"),
        ((UntypedAtomic("a"),), of(at.QNAME), "XPTY0117"),
        ((XMap(),), of(at.STRING), "FOTY0013"),
    ],
)
def test_refuses(sequence: Any, expected: SequenceType, code: str) -> None:
    with pytest.raises(DynamicError) as caught:
        convert(sequence, expected, "the answer")
    assert caught.value.code == code
    assert "the answer" in caught.value.message


def test_a_single_item_is_looked_for_in_two_items_only() -> None:
    with pytest.raises(DynamicError):
        convert(count(), of(at.INTEGER), "it")


def test_lazy_conversion_goes_as_far_as_it_is_read() -> None:
    lazy = convert_lazily(count(), of(at.DOUBLE, MANY), "it")
    first = next(lazy)
    assert first == 0.0
    assert type(first) is float
    with pytest.raises(DynamicError):
        convert_lazily((), of(at.DOUBLE, SOME), "it")


def test_functions_are_coerced() -> None:
    double = FunctionItem(None, (of(at.DOUBLE),), of(at.DOUBLE), lambda x: x * 2)
    expected = FunctionItemType((of(at.INTEGER),), SequenceType(ANY_ITEM, MANY))
    coerced = convert((double,), SequenceType(expected), "it")
    assert list(coerced.call(3)) == [6.0]
    assert (coerced.parameters, coerced.returns) == (expected.parameters, expected.returns)


def test_shapes() -> None:
    assert shape((1,), ONE) == 1
    assert shape((), OPTIONAL) is None
    assert shape(iter((1, 2)), MANY) == [1, 2]
    assert unshape(1, ONE) == (1,)
    assert unshape(None, OPTIONAL) == ()
    assert unshape([1, 2], SOME) == [1, 2]
