"""Literals and the text of a query: references, line ends, comments."""

from __future__ import annotations

from decimal import Decimal

import pytest
from xylem.errors import StaticError
from xylem.syntax import ast, parse


@pytest.mark.parametrize(
    ("text", "node"),
    [
        ("1", ast.IntegerLiteral(1)),
        ("007", ast.IntegerLiteral(7)),
        ("1.5", ast.DecimalLiteral(Decimal("1.5"))),
        (".5", ast.DecimalLiteral(Decimal("0.5"))),
        ("1.", ast.DecimalLiteral(Decimal(1))),
        ("1e3", ast.DoubleLiteral(1000.0)),
        ("1.E-2", ast.DoubleLiteral(0.01)),
        (".5e+1", ast.DoubleLiteral(5.0)),
        ('"a""b"', ast.StringLiteral('a"b')),
        ("'a''b\"'", ast.StringLiteral("a'b\"")),
        ('"&lt;&#65;&#x42;&apos;"', ast.StringLiteral("<AB'")),
        ('"&#xD;&#10;"', ast.StringLiteral("\r\n")),
        ('"&amp;lt;"', ast.StringLiteral("&lt;")),
        ('""', ast.StringLiteral("")),
        ("''''", ast.StringLiteral("'")),
    ],
)
def test_literal(text: str, node: ast.Expr) -> None:
    assert parse(text).body == node


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ('"&nbsp;"', "XPST0003"),
        ('"&"', "XPST0003"),
        ('"&#;"', "XPST0003"),
        ('"&#X41;"', "XPST0003"),
        ('"&#0;"', "XQST0090"),
        ('"&#xD800;"', "XQST0090"),
        ('"&#x110000;"', "XQST0090"),
        ('"&#99999999999999999999;"', "XQST0090"),
        ('"a', "XPST0003"),
        ("1" * 5000, "FOAR0002"),
    ],
)
def test_no_literal(text: str, code: str) -> None:
    with pytest.raises(StaticError) as caught:
        parse(text)
    assert caught.value.code == code


def test_line_ends_are_normalised() -> None:
    assert parse('"a\r\nb\rc"').body == ast.StringLiteral("a\nb\nc")
    with pytest.raises(StaticError) as caught:
        parse("1 +\r\n2 +\r\n  )")
    assert caught.value.span is not None
    assert (caught.value.span.line, caught.value.span.column) == (3, 3)


def test_comments_stand_where_white_space_may() -> None:
    assert parse("(: a (: b :) c :)1(::)+(: :)2(: :)") == parse("1+2")
    assert parse("for(: :)$x in(: :)1 return $x(: :)") == parse("for $x in 1 return $x")
    assert parse("f(: :)(: :)(1)") == parse("f(1)")
    assert parse("<a>(: text :)</a>").body == ast.DirectElement(ast.Name("a"), content=(ast.DirectText("(: text :)"),))


def test_spans_end_with_the_last_token() -> None:
    body = parse("  a + b  (: c :) ").body
    assert (body.span.start, body.span.end) == (2, 7)
    assert isinstance(body, ast.Arithmetic)
    assert (body.right.span.start, body.right.span.end) == (6, 7)


def test_string_constructor() -> None:
    assert parse('``[a `{1}` & "b" {x} ` `{}`]``').body == ast.StringConstructor(
        ("a ", ast.IntegerLiteral(1), ' & "b" {x} ` ', ast.SequenceExpr())
    )
    assert parse("``[]``").body == ast.StringConstructor()
    assert parse("``[`{ ``[`{1}`]`` }`]``").body == ast.StringConstructor(
        (ast.StringConstructor((ast.IntegerLiteral(1),)),)
    )
