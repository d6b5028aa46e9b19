"""fn: functions that compare strings, and the collations they choose."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from xylem.errors import DynamicError
from xylem.functions import comparing_strings as fn
from xylem.functions.context import Context
from xylem.values.collations import HTML_ASCII_URI, UCA_URI

CASE_BLIND = UCA_URI + "?strength=secondary"


def test_compare(ctx: Context) -> None:
    assert fn.compare(ctx, "a", "b") == -1
    assert fn.compare(ctx, "Strassen", "Strasse") == 1
    assert fn.compare(ctx, None, "b") is None
    assert fn.compare(ctx, "abc", "ABC", HTML_ASCII_URI) == 0
    with pytest.raises(DynamicError, match="FOCH0002"):
        fn.compare(ctx, None, None, "unknown")


def test_default_and_relative_collations(make_context: Callable[..., Context]) -> None:
    assert fn.compare(make_context(default_collation=CASE_BLIND), "abc", "ABC") == 0
    relative = make_context(base_uri="http://www.w3.org/2005/xpath-functions/x")
    assert fn.contains(relative, "ABC", "b", "collation/html-ascii-case-insensitive")


def test_codepoint_equal() -> None:
    assert fn.codepoint_equal("a", "a") is True
    assert fn.codepoint_equal("a", None) is None


def test_collation_keys_order_as_their_strings(ctx: Context) -> None:
    assert fn.collation_key(ctx, "a\U00010000").value > fn.collation_key(ctx, "a\uffdc").value
    assert fn.collation_key(ctx, "abc", CASE_BLIND).value == fn.collation_key(ctx, "ABC", CASE_BLIND).value


def test_contains_token(ctx: Context) -> None:
    assert fn.contains_token(ctx, ["red green", " blue "], " blue ")
    assert not fn.contains_token(ctx, ["red green blue"], "red green")
    assert not fn.contains_token(ctx, ["red"], " ")
    assert fn.contains_token(ctx, ["red green blue"], "RED", HTML_ASCII_URI)


def test_parts_of_strings(ctx: Context) -> None:
    assert fn.contains(ctx, "tattoo", "tt")
    assert fn.contains(ctx, None, None)
    assert fn.starts_with(ctx, "tattoo", "tat")
    assert fn.ends_with(ctx, "tattoo", "too")
    assert fn.substring_before(ctx, "tattoo", "attoo") == "t"
    assert fn.substring_before(ctx, "tattoo", "") == ""
    assert fn.substring_after(ctx, "tattoo", "tat") == "too"
    assert fn.substring_after(ctx, "tattoo", None) == "tattoo"
    assert fn.substring_after(ctx, "tattoo", "x") == ""
    assert fn.substring_after(ctx, "TATTOO", "ta", CASE_BLIND) == "TTOO"
