"""Precedence and association (XQuery 3.1, A.4), shown by brackets that change nothing."""

from __future__ import annotations

import pytest
from xylem.errors import StaticError
from xylem.syntax import ast, parse


@pytest.mark.parametrize(
    ("text", "bracketed"),
    [
        ("1 + 2 * 3", "1 + (2 * 3)"),
        ("1 - 2 - 3", "(1 - 2) - 3"),
        ("2 div 3 mod 4", "(2 div 3) mod 4"),
        ("a or b and c", "a or (b and c)"),
        ("a and b = c", "a and (b = c)"),
        ("a = b || c", "a = (b || c)"),
        ("a || 1 to 2", "a || (1 to 2)"),
        ("1 to 2 + 3", "1 to (2 + 3)"),
        ("a * b union c", "a * (b union c)"),
        ("a | b intersect c", "a | (b intersect c)"),
        ("a except b except c", "(a except b) except c"),
        ("a intersect b instance of node()", "a intersect (b instance of node())"),
        ("a treat as node() instance of node()", "(a treat as node()) instance of node()"),
        ("a castable as xs:int treat as item()", "(a castable as xs:int) treat as item()"),
        ("a cast as xs:int castable as xs:int", "(a cast as xs:int) castable as xs:int"),
        ("a => f() cast as xs:int", "(a => f()) cast as xs:int"),
        ("-a => f()", "(-a) => f()"),
        ("- - a", "-(-a)"),
        ("-a + b", "(-a) + b"),
        ("2 * -3", "2 * (-3)"),
        ("-a/b", "-(a/b)"),
        ("a!b!c", "(a!b)!c"),
        ("a/b!c/d", "(a/b)!(c/d)"),
        ("a/b/c", "(a/b)/c"),
        ("$a?b?c", "($a?b)?c"),
        ("$a(1)[2]", "($a(1))[2]"),
        ("a<b", "a < b"),
        ("a eq b+1", "a eq (b+1)"),
        ("1 treat as xs:integer*+ 2", "(1 treat as xs:integer*) + 2"),
        ("1 treat as xs:integer**2", "(1 treat as xs:integer*) * 2"),
        ("* * *", "child::* * child::*"),
        ("a -b", "a - b"),
        ("1-1", "1 - 1"),
        ("$a+-1", "$a + (-1)"),
    ],
)
def test_precedence(text: str, bracketed: str) -> None:
    assert parse(text) == parse(bracketed)


@pytest.mark.parametrize(
    "text",
    [
        "1 = 2 = 3",
        "1 eq 2 ne 3",
        "1 to 2 to 3",
        "1 instance of xs:int instance of xs:boolean",
        "1 instance of xs:int cast as xs:int",
        "1 cast as xs:int treat as xs:int cast as xs:int",
        "10div 3",
        "1eq 1",
        "1 eq1",
        "1.5e",
        "1to 3",
        "/ * 5",
        "/ < 5",
        "1 +",
        "1 is",
        "+",
        "!a",
    ],
)
def test_no_expression(text: str) -> None:
    with pytest.raises(StaticError) as caught:
        parse(text)
    assert caught.value.code == "XPST0003"


def test_minus_belongs_to_a_name() -> None:
    body = parse("a-b").body
    assert isinstance(body, ast.AxisStep)
    assert body.test == ast.NameTest(ast.Name("a-b"))


@pytest.mark.parametrize("text", ["/ = 5", "(/) * 5", "/ - 5", "5 * /", "/ to 2", "(/, 1)", "/ | a"])
def test_lone_slash(text: str) -> None:
    if text == "/ to 2":
        with pytest.raises(StaticError):
            parse(text)
    else:
        assert any(isinstance(node, ast.Root) for node in parse(text).walk())


def test_validate_and_pragma_bind_like_values() -> None:
    assert parse("-validate { a }").body == ast.Unary("-", ast.Validate("strict", None, parse("a").body))
    pragma = ast.Pragma(ast.Name("x", "p"), "y ")
    assert parse("(# p:x y #) { 1 }").body == ast.ExtensionExpr((pragma,), ast.IntegerLiteral(1))
