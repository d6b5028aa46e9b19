"""The json method."""

from __future__ import annotations

import json
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st
from xylem.errors import DynamicError
from xylem.sink import SerializationParameters, serialize
from xylem.values.array import XArray
from xylem.values.builder import TreeBuilder
from xylem.values.function_item import FunctionItem
from xylem.values.json_values import json_value
from xylem.values.map import XMap
from xylem.values.numbers import Float
from xylem.values.qname import QName
from xylem.values.sequence_type import ANY_SEQUENCE

from .trees import element, written


def test_values() -> None:
    array = XArray([(1,), (Decimal("2.5"),), (1e-5,), (True,), (), ("a",), (QName("u", "b", "p"),)])
    assert written(array, method="json") == '[1,2.5,0.00001,true,null,"a","p:b"]'
    assert written(XMap.of([("a", (XArray(),)), (1, (XMap(),))]), method="json") == '{"a":[],"1":{}}'
    assert written(method="json") == "null"
    assert written(Float(-0.0), method="json") == "-0"
    assert written(XArray([(123456789.0,), (1e21,)]), method="json") == "[123456789,1.0E21]"


def test_strings() -> None:
    assert written('"\\/\b\f\n\r\t\x7f\u00e9', method="json") == '"\\"\\\\\\/\\b\\f\\n\\r\\t\\u007F\u00e9"'
    assert written("\U0001d11e\u00e9", method="json", encoding="ISO-8859-1") == '"\\uD834\\uDD1E\u00e9"'
    parameters = SerializationParameters(method="json", character_map={"y": '"', "1": "one"}, normalization_form="NFC")
    assert serialize([XArray([("y/c\u0327",), (1,), ("1",)])], parameters) == '[""\\/\xe7",1,"one"]'


def test_nodes_are_strings_of_markup() -> None:
    assert written(element("<a>&lt;<b/></a>"), method="json") == '"<a>&lt;<b\\/><\\/a>"'
    assert written(element("<a>x</a>"), method="json", json_node_output_method="text") == '"x"'


def test_indentation() -> None:
    value = json_value('{"a": [1, {}], "b": []}')
    assert written(value, method="json", indent="yes") == '{\n  "a": [\n    1,\n    {}\n  ],\n  "b": []\n}'


def test_duplicate_names() -> None:
    twice = XMap.of([("a", (1,)), (QName("", "a"), (2,))])
    assert written(twice, method="json", allow_duplicate_names="yes") == '{"a":1,"a":2}'
    assert code_of(twice) == "SERE0022"


def code_of(*items: object) -> str:
    with pytest.raises(DynamicError) as caught:
        written(*items, method="json")
    return caught.value.code


def test_what_json_cannot_say() -> None:
    assert code_of(float("nan")) == "SERE0020"
    assert code_of(XArray([(Float(float("inf")),)])) == "SERE0020"
    assert code_of(FunctionItem(None, (), ANY_SEQUENCE, lambda: ())) == "SERE0021"
    assert code_of(1, 2) == "SERE0023"
    assert code_of(XArray([(1, 2)])) == "SERE0023"
    assert code_of(TreeBuilder.attribute_node(QName("", "a"), "1")) == "SENR0001"


# What XML allows: anything else would be replaced on reading.
TEXTS = st.text(st.characters(min_codepoint=32, exclude_categories=["Cs"], exclude_characters="\ufffe\uffff"))
TREES = st.recursive(
    st.none() | st.booleans() | st.floats(allow_nan=False, allow_infinity=False) | TEXTS,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(TEXTS, inner, max_size=4),
    max_leaves=20,
)


@given(TREES, st.sampled_from(["yes", "no"]))
def test_another_parser_reads_the_same(tree: object, indent: str) -> None:
    value = json_value(json.dumps(tree))
    output = written(*(() if value is None else (value,)), method="json", indent=indent)
    assert json.loads(output) == tree
