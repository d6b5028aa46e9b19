"""The adaptive method."""

from __future__ import annotations

from decimal import Decimal

import pytest
from xylem.sink.adaptive_output import adaptive_double
from xylem.values import atomic_type as at
from xylem.values.array import XArray
from xylem.values.builder import TreeBuilder
from xylem.values.casting import cast
from xylem.values.function_item import FunctionItem
from xylem.values.map import XMap
from xylem.values.numbers import Float
from xylem.values.qname import QName
from xylem.values.sequence_type import ANY_SEQUENCE, ONE_ATOMIC
from xylem.values.strings import AnyURI, UntypedAtomic

from .trees import element, written

FN = "http://www.w3.org/2005/xpath-functions"


@pytest.mark.parametrize(
    ("item", "text"),
    [
        (1, "1"),
        (Decimal("1.50"), "1.5"),
        (True, "true()"),
        ('a"b', '"a""b"'),
        (UntypedAtomic("u"), '"u"'),
        (AnyURI("u"), '"u"'),
        (Float(1.5), 'xs:float("1.5")'),
        (QName("u", "l", "p"), "Q{u}l"),
        (cast("P1Y2M", at.YEAR_MONTH_DURATION), 'xs:duration("P1Y2M")'),
        (cast("2000-01-01", at.DATE), 'xs:date("2000-01-01")'),
        (cast("0fb7", at.HEX_BINARY), 'xs:hexBinary("0FB7")'),
        (cast("1", at.BYTE), "1"),
        (cast("a", at.NCNAME), '"a"'),
        (TreeBuilder.attribute_node(QName("", "a"), '<"'), 'a="&lt;&quot;"'),
        (TreeBuilder.namespace_node("p", "u"), 'xmlns:p="u"'),
        (TreeBuilder.text_node("a<b"), "a&lt;b"),
        (FunctionItem(QName(FN, "exists"), (ONE_ATOMIC,), ANY_SEQUENCE, lambda a: a), "fn:exists#1"),
        (FunctionItem(QName("u", "f"), (), ANY_SEQUENCE, lambda: ()), "Q{u}f#0"),
        (FunctionItem(None, (ONE_ATOMIC,), ANY_SEQUENCE, lambda a: a), "(anonymous-function)#1"),
        (XArray([(1, 2), (), ("a",), (XArray(),)]), '[(1,2),(),"a",[]]'),
        (XMap.of([("a", (XMap(),)), (1, (2, 3))]), 'map{"a":map{},1:(2,3)}'),
    ],
)
def test_items(item: object, text: str) -> None:
    assert written(item, method="adaptive") == text


def test_items_are_separated() -> None:
    assert written(1, element("<a/>"), "b", method="adaptive") == '1\n<a/>\n"b"'
    assert written(1, 2, XArray([(3, 4)]), method="adaptive", item_separator="; ") == "1; 2; [(3,4)]"


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (1.0, "1.0e0"),
        (0.0, "0.0e0"),
        (-0.0, "-0.0e0"),
        (1500.0, "1.5e3"),
        (-1.25e-7, "-1.25e-7"),
        (1e100, "1.0e100"),
        (float("inf"), "INF"),
        (float("-inf"), "-INF"),
        (float("nan"), "NaN"),
    ],
)
def test_doubles(value: float, text: str) -> None:
    assert adaptive_double(value) == text
