"""JSON text to values, with the options of fn:parse-json."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from xylem.errors import DynamicError
from xylem.values.array import XArray
from xylem.values.json_parser import parse_json
from xylem.values.json_values import Duplicates, JsonValues, json_value
from xylem.values.map import XMap


def plain(item: object) -> object:
    """Maps and arrays as dicts and lists, to be compared."""
    if isinstance(item, XMap):
        return {key: plain(value[0]) if value else None for key, value in item.items()}
    if isinstance(item, XArray):
        return [plain(member[0]) if member else None for member in item]
    return item


@pytest.mark.parametrize(
    "text",
    ["null", "true", " [1, -0.5e+2 ,\n{}] ", '{"a":{"b":[]},"":"\\u0041\\/\\n"}', '"\\ud834\\uDD1E"', "-0", "[[],[]]"],
)
def test_valid(text: str) -> None:
    assert plain(json_value(text)) == json.loads(text)


@pytest.mark.parametrize(
    "text",
    [
        "", " ", "[", "]", "[1", "[1,", "[1,]", "[,1]", '{"a"', '{"a":', '{"a":1', '{"a":1,}', "{a:1}", "{1:2}", "01",
        "-", "+1",
        ".5", "1.", "1.e2", "1e", "0x1", "NaN", "TRUE", "nul", '"abc', '"\\x"', '"\\u12"', '"\\u123g"', '"a\nb"',
        "'a'", "1 2", "[1]]", "[1 2]", '{"a" 1}', '{"a":1 "b":2}', "\ufeff1", "[1}", '{"a":1]', "/**/1", "\x0b1",
    ],
)  # fmt: skip
def test_invalid(text: str) -> None:
    with pytest.raises(DynamicError) as caught:
        json_value(text)
    assert caught.value.code == "FOJS0001"


def test_an_error_names_its_place() -> None:
    with pytest.raises(DynamicError, match="line 2, column 3: expected a value"):
        json_value("[1,\n  ]")


def test_liberal() -> None:
    assert plain(json_value('[1,{"a":"b\tc",},]', liberal=True)) == [1, {"a": "b\tc"}]
    with pytest.raises(DynamicError):
        json_value("[1,,2]", liberal=True)


def test_duplicates() -> None:
    text = '{"a":1,"b":2,"a":3}'
    assert plain(json_value(text)) == {"a": 1, "b": 2}
    assert plain(json_value(text, duplicates=Duplicates.USE_LAST)) == {"a": 3, "b": 2}
    with pytest.raises(DynamicError) as caught:
        json_value(text, duplicates=Duplicates.REJECT)
    assert caught.value.code == "FOJS0003"


def test_invalid_characters_are_replaced() -> None:
    text = '"a\\u0000\\uDEAD\\b\\uffff\\ud834x"'
    assert json_value(text) == "a\ufffd\ufffd\ufffd\ufffd\ufffdx"
    assert json_value(text, fallback=lambda sequence: f"<{sequence}>") == (
        "a<\\u0000><\\uDEAD><\\u0008><\\uFFFF><\\uD834>x"
    )


def test_escape_keeps_special_characters_escaped() -> None:
    text = '"\\\\\\/\\"\\r\\u000a\\u0020\\u007f\x80\\ud834\\ud834\\udd1e"'
    assert json_value(text, escape=True) == '\\\\/"\\r\\n \\u007F\\u0080\\uD834\U0001d11e'
    assert plain(json_value('{"\\n":1}', escape=True)) == {"\\n": 1}


def test_depth_costs_no_recursion() -> None:
    values = JsonValues()
    parse_json('{"a":[' * 50_000 + "]}" * 50_000, values)
    assert isinstance(values.result, XMap)


ASCII = st.text(st.characters(codec="ascii"))
TREES = st.recursive(
    st.none() | st.booleans() | st.floats(allow_nan=False, allow_infinity=False) | ASCII,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(ASCII, inner),
)


@given(TREES)
def test_another_parser_reads_the_same(tree: object) -> None:
    assert plain(json_value(json.dumps(tree), fallback=lambda sequence: chr(int(sequence[2:], 16)))) == tree


@given(st.text('{}[],:"\\ue0123. \ntrlnas', max_size=12))
def test_what_another_parser_refuses(text: str) -> None:
    try:
        expected = json.loads(text, parse_constant=lambda name: json.loads("!"))
    except json.JSONDecodeError:
        with pytest.raises(DynamicError):
            json_value(text)
    else:
        read = json_value(text, fallback=lambda sequence: chr(int(sequence[2:], 16)), duplicates=Duplicates.USE_LAST)
        assert plain(read) == expected
