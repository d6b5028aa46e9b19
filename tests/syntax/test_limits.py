"""Deep nesting ends in an error of ours; long chains do not end at all."""

from __future__ import annotations

import sys

import pytest
from xylem.errors import StaticError
from xylem.syntax import parse, print_query


@pytest.mark.parametrize(
    "text",
    [
        "(" * 5000 + "1" + ")" * 5000,
        "[" * 5000 + "]" * 5000,
        "<a>" * 5000 + "</a>" * 5000,
        "<a>{" * 5000 + "}</a>" * 5000,
        "f(" * 5000 + ")" * 5000,
        "a[" * 5000 + "]" * 5000,
        "for $x in " * 5000 + "1" + " return 1" * 5000,
        "1 instance of " + "array(" * 5000 + "*" + ")" * 5000,
        "1 instance of " + "(" * 5000 + "item()" + ")" * 5000,
        "``[`{" * 5000 + "}`]``" * 5000,
        "map{1:" * 5000,
        "function(){" * 5000,
        "element{" * 5000,
        "if (" * 5000,
        "1+(" * 5000,
    ],
    ids=lambda text: text[:12],
)
def test_too_deep(text: str) -> None:
    before = sys.getrecursionlimit()
    with pytest.raises(StaticError) as caught:
        parse(text)
    assert caught.value.code == "XYST0003"
    assert sys.getrecursionlimit() == before


@pytest.mark.parametrize(
    "text",
    [
        "+".join(["1"] * 10_000),
        "||".join(["'a'"] * 10_000),
        " and ".join(["a"] * 10_000),
        ",".join(["1"] * 10_000),
        "a" + "/b" * 10_000,
        "a" + "!b" * 10_000,
        "$x" + "[1]" * 10_000,
        "$x" + "?a" * 10_000,
        "x" + "=>f()" * 10_000,
        "-" * 10_000 + "1",
        "if (1) then 2 else " * 5_000 + "3",
        "(: " * 5_000 + " :)" * 5_000 + "1",
        "let $x := 1 " * 5_000 + "return 2",
        "<a>" + "<b/>{1}" * 5_000 + "</a>",
    ],
    ids=lambda text: text[:12],
)
def test_long(text: str) -> None:
    module = parse(text)
    again = parse(print_query(module))
    assert module == again
    assert hash(module) == hash(again)


def test_reasonable_nesting_is_allowed() -> None:
    assert parse("f(" * 200 + "1" + ")" * 200)
    assert parse("<a>{" * 100 + "}</a>" * 100)
