"""Direct constructors: boundary space, attribute values, tags (XQuery 3.1, 3.9.1)."""

from __future__ import annotations

import pytest
from xylem.errors import StaticError
from xylem.syntax import ast, parse

ONE = ast.EnclosedExpr(ast.IntegerLiteral(1))


def _content(text: str) -> tuple[ast.Expr, ...]:
    body = parse(text).body
    assert isinstance(body, ast.DirectElement)
    return body.content


@pytest.mark.parametrize(
    ("text", "content"),
    [
        ("<a/>", ()),
        ("<a></a>", ()),
        ("<a> </a>", ()),
        ("<a> {1} </a>", (ONE,)),
        ("<a> x {1}</a>", (ast.DirectText(" x "), ONE)),
        ("<a> &#x20; </a>", (ast.DirectText("   "),)),
        ("<a> <![CDATA[ ]]> </a>", (ast.DirectText("   "),)),
        ("<a> <![CDATA[]]></a>", (ast.DirectText(" "),)),
        ("<a><![CDATA[<&{}]]></a>", (ast.DirectText("<&{}"),)),
        ("<a>{{ }}</a>", (ast.DirectText("{ }"),)),
        ("<a>{ }</a>", (ast.EnclosedExpr(ast.SequenceExpr()),)),
        ('<a>{" "}</a>', (ast.EnclosedExpr(ast.StringLiteral(" ")),)),
        ("<a>&lt;&#10;</a>", (ast.DirectText("<\n"),)),
        ("<a> <!-- c --> <?p x ?> </a>", (ast.DirectComment(" c "), ast.DirectPI("p", "x "))),
        ("<a>\n <b/>\n</a>", (ast.DirectElement(ast.Name("b")),)),
        ("<a>\u00a0</a>", (ast.DirectText("\u00a0"),)),
    ],
)
def test_content(text: str, content: tuple[ast.Expr, ...]) -> None:
    assert _content(text) == content


def test_boundary_space_is_kept_on_demand() -> None:
    module = parse("declare boundary-space preserve; <a> <b/> {1}</a>")
    assert isinstance(module, ast.MainModule)
    assert module.body == ast.DirectElement(
        ast.Name("a"), content=(ast.DirectText(" "), ast.DirectElement(ast.Name("b")), ast.DirectText(" "), ONE)
    )


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ('<a b=""/>', ()),
        ('<a b="x y"/>', ("x y",)),
        ('<a b="x\n\ty"/>', ("x  y",)),
        ('<a b="x&#10;&#9;y"/>', ("x\n\ty",)),
        ('<a b="{1}"/>', (ONE,)),
        ('<a b="a{1}b{1}"/>', ("a", ONE, "b", ONE)),
        ('<a b="{{x}}"/>', ("{x}",)),
        ("<a b='\"\"'/>", ('""',)),
        ("<a b=''''/>", ("'",)),
        ('<a b=""""/>', ('"',)),
        ("<a b = '>'/>", (">",)),
        ('<a b="{\'"\'}"/>', (ast.EnclosedExpr(ast.StringLiteral('"')),)),
    ],
)
def test_attribute(text: str, parts: tuple[str | ast.EnclosedExpr, ...]) -> None:
    body = parse(text).body
    assert isinstance(body, ast.DirectElement)
    assert body.attributes == (ast.DirectAttribute(ast.Name("b"), parts),)


def test_namespaces_are_no_attributes() -> None:
    body = parse('<p:a xmlns="urn:d" b="1" xmlns:p=" urn:p&amp;q "/>').body
    assert isinstance(body, ast.DirectElement)
    assert body.namespaces == (ast.NamespaceDeclaration("", "urn:d"), ast.NamespaceDeclaration("p", "urn:p&q"))
    assert body.attributes == (ast.DirectAttribute(ast.Name("b"), ("1",)),)


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("<a></b>", "XQST0118"),
        ("<p:a></a>", "XQST0118"),
        ("<a xmlns:p='x' xmlns:p='y'/>", "XQST0071"),
        ("<a xmlns='x' xmlns='y'/>", "XQST0071"),
        ("<a xmlns='{1}'/>", "XQST0022"),
        ("<a xmlns:p='{1}'/>", "XQST0022"),
        ("<a xmlns:p=''/>", "XQST0085"),
        ("<a xmlns:xmlns='x'/>", "XQST0070"),
        ("<a xmlns:xml='x'/>", "XQST0070"),
        ("<a xmlns:p='http://www.w3.org/XML/1998/namespace'/>", "XQST0070"),
        ("<a xmlns='http://www.w3.org/2000/xmlns/'/>", "XQST0070"),
        ("<a b='<'/>", "XPST0003"),
        ("<a b='}'/>", "XPST0003"),
        ("<a>}</a>", "XPST0003"),
        ("<a>&x;</a>", "XPST0003"),
        ("<a b='1'c='2'/>", "XPST0003"),
        ("< a/>", "XPST0003"),
        ("<a>", "XPST0003"),
        ("<a", "XPST0003"),
        ("<a b='", "XPST0003"),
        ("<a>{1</a>", "XPST0003"),
        ("<a><![CDATA[</a>", "XPST0003"),
        ("<![CDATA[x]]>", "XPST0003"),
        ("<!-- a--->", "XPST0003"),
        ("<?xml x?>", "XPST0003"),
        ("<?p", "XPST0003"),
        ("<Q{urn:x}a/>", "XPST0003"),
    ],
)
def test_faults(text: str, code: str) -> None:
    with pytest.raises(StaticError) as caught:
        parse(text)
    assert caught.value.code == code


def test_what_follows_a_constructor_is_ordinary() -> None:
    assert parse("<a/> (: x :) = <b> </b> , 1") == parse("(<a/>=<b/>,1)")
    assert parse("<xml xmlns:xml='http://www.w3.org/XML/1998/namespace'/>")
