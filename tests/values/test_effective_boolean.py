"""The effective boolean value (XQuery 3.1 §2.4.3), and atomization of what is not a node (§2.4.2)."""

from __future__ import annotations

import math
from decimal import Decimal
from typing import Any

import pytest
from xylem.errors import DynamicError
from xylem.values.array import XArray
from xylem.values.atomize import atomize, atomize_list
from xylem.values.effective_boolean import effective_boolean
from xylem.values.map import XMap
from xylem.values.numbers import Float
from xylem.values.qname import QName
from xylem.values.strings import AnyURI, UntypedAtomic


@pytest.mark.parametrize("item", [True, 1, 0.5, Decimal("0.1"), "a", UntypedAtomic("false"), AnyURI("x"), math.inf])
def test_true(item: Any) -> None:
    assert effective_boolean([item]) is True


@pytest.mark.parametrize("items", [[], [False], [0], [-0.0], [math.nan], [Float(math.nan)], [""], [UntypedAtomic("")]])
def test_false(items: list[Any]) -> None:
    assert effective_boolean(iter(items)) is False


@pytest.mark.parametrize("items", [[1, 2], ["a", "b"], [QName("", "a")], [XArray([])], [XMap.of(())]])
def test_faults(items: list[Any]) -> None:
    with pytest.raises(DynamicError, match="FORG0006"):
        effective_boolean(items)


def test_arrays_are_atomized_deeply() -> None:
    nested = XArray([(1, XArray([(2,), ()])), (), ("a",)])
    assert list(atomize([nested, 3])) == atomize_list([nested, 3]) == [1, 2, "a", 3]


def test_maps_have_no_atomic_value() -> None:
    with pytest.raises(DynamicError, match="FOTY0013"):
        list(atomize([XMap.of(())]))
