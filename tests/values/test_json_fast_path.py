"""The standard library's parser gives what ours gives, or leaves the text to it."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from xylem.errors import DynamicError
from xylem.values.json_fast_path import NotTaken, fast_json_value
from xylem.values.json_parser import parse_json
from xylem.values.json_values import Duplicates, JsonValues, json_value

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=20,
)


def slowly(text: str, duplicates: Duplicates = Duplicates.USE_FIRST) -> Any:
    values = JsonValues(duplicates)
    parse_json(text, values, escape=False, liberal=False, fallback=None)
    return values.result


@given(VALUES, st.booleans())
def test_the_same_value(value: Any, ascii_only: bool) -> None:
    text = json.dumps(value, ensure_ascii=ascii_only)
    try:
        expected = slowly(text)
    except DynamicError:
        with pytest.raises(DynamicError):
            json_value(text)
    else:
        assert repr(json_value(text)) == repr(expected)


@pytest.mark.parametrize("policy", [Duplicates.USE_FIRST, Duplicates.USE_LAST])
def test_keys_that_occur_twice(policy: Duplicates) -> None:
    text = '{"a": 1, "b": {"a": [2], "a": null}, "a": 3}'
    assert repr(fast_json_value(text, use_last=policy is Duplicates.USE_LAST)) == repr(slowly(text, policy))


ESCAPES = st.lists(
    st.integers(0, 0xFFFF).map(lambda code: f"\\u{code:04x}")
    | st.sampled_from(["\\ud83d", "\\uDE00", "\\\\", "\\n", "a"])
)


@given(ESCAPES)
def test_escapes_mean_the_same_to_both(escapes: list[str]) -> None:
    text = f'"{"".join(escapes)}"'
    assert json_value(text) == slowly(text)


@pytest.mark.parametrize("text", ['"\\u00e9"', '"\\ud83d\\ude00"', '{"a": "\\n\\t\\u000a"}', '"\\ufffd"'])
def test_usual_escapes_are_taken(text: str) -> None:
    assert repr(fast_json_value(text, use_last=False)) == repr(slowly(text))


@pytest.mark.parametrize(
    "text",
    ["NaN", "[Infinity]", "-Infinity", "{", "01", '"\\u0000"', '"\\ud800"', '"a\\b"', '"\\x"', "", "[1,]", "[" * 9999],
)
def test_what_is_left_to_the_other_parser(text: str) -> None:
    with pytest.raises(NotTaken):
        fast_json_value(text, use_last=False)


@pytest.mark.parametrize("text", ["NaN", "{", "[1,]", "01", '{"a": 1 "b"}'])
def test_errors_are_those_of_our_own_parser(text: str) -> None:
    with pytest.raises(DynamicError, match="FOJS0001"):
        json_value(text)
