"""Names: every keyword is one where it cannot be a keyword; some functions cannot be named."""

from __future__ import annotations

import pytest
from xylem.errors import StaticError
from xylem.pipeline import StaticEnvironment, compile_query
from xylem.syntax import ast, parse

KEYWORDS = [
    "ancestor",
    "and",
    "array",
    "as",
    "ascending",
    "at",
    "attribute",
    "case",
    "cast",
    "castable",
    "catch",
    "child",
    "collation",
    "comment",
    "context",
    "copy-namespaces",
    "count",
    "declare",
    "default",
    "descendant",
    "descending",
    "div",
    "document",
    "element",
    "else",
    "empty",
    "end",
    "eq",
    "every",
    "except",
    "execution",
    "external",
    "following",
    "for",
    "forseq",
    "function",
    "ge",
    "group",
    "gt",
    "idiv",
    "if",
    "import",
    "in",
    "instance",
    "intersect",
    "is",
    "item",
    "le",
    "let",
    "lt",
    "map",
    "mod",
    "module",
    "namespace",
    "ne",
    "node",
    "of",
    "only",
    "option",
    "or",
    "order",
    "ordered",
    "parent",
    "preceding",
    "processing-instruction",
    "return",
    "satisfies",
    "schema",
    "self",
    "sliding",
    "some",
    "stable",
    "start",
    "strict",
    "switch",
    "text",
    "then",
    "to",
    "treat",
    "try",
    "tumbling",
    "type",
    "typeswitch",
    "union",
    "unordered",
    "validate",
    "variable",
    "version",
    "when",
    "where",
    "window",
    "xquery",
    "newstart",
    "bestmatch",
    "set",
]


@pytest.mark.parametrize("word", KEYWORDS)
def test_keyword_as_a_name(word: str) -> None:
    step = ast.AxisStep("child", ast.NameTest(ast.Name(word)))
    assert parse(word).body == step
    assert parse(f"x/{word}").body == ast.Path(parse("x").body, step)
    assert parse(f"{word} and {word}").body == ast.And(step, step)
    assert parse(f"{word} = 1").body == ast.GeneralComparison("=", step, ast.IntegerLiteral(1))
    assert parse(f"${word}").body == ast.VarRef(ast.Name(word))
    assert parse(f"<{word}/>").body == ast.DirectElement(ast.Name(word))
    assert parse(f"({word}, @{word}, {word}[1])")
    assert parse(f"for ${word} in {word} return {word}")


@pytest.mark.parametrize(
    "word",
    [
        "array",
        "attribute",
        "comment",
        "document-node",
        "element",
        "empty-sequence",
        "function",
        "if",
        "item",
        "map",
        "namespace-node",
        "node",
        "processing-instruction",
        "schema-attribute",
        "schema-element",
        "switch",
        "text",
        "typeswitch",
    ],
)
def test_reserved_function_names(word: str) -> None:
    for text in (f"declare function {word}() {{ 1 }}; 1", f"1 => {word}()"):
        with pytest.raises(StaticError) as caught:
            parse(text)
        assert caught.value.code == "XPST0003"
    # Over update streams it is a version of a child.
    for text in (f"{word}#1", f"/a/{word}#1", f"/a[{word}#1 = 1]", f"{word}#1(1)"):
        with pytest.raises(StaticError) as caught:
            compile_query(text, StaticEnvironment())
        assert caught.value.code == "XPST0003"
    for text in (f"/a/{word}#1", f"/a[{word}#1 = 1]", f"/a/child::{word}#1"):
        compile_query(text, StaticEnvironment(over_updates=True))
    assert parse(f"p:{word}(1)").body == ast.FunctionCall(ast.Name(word, "p"), (ast.IntegerLiteral(1),))


def test_qnames() -> None:
    assert parse("p:a").body == ast.AxisStep("child", ast.NameTest(ast.Name("a", "p")))
    assert parse("Q{urn:x}a").body == ast.AxisStep("child", ast.NameTest(ast.Name("a", None, "urn:x")))
    assert parse("Q{ urn:x \n y }a").body == ast.AxisStep("child", ast.NameTest(ast.Name("a", None, "urn:x y")))
    assert parse("Q{}a").body == ast.AxisStep("child", ast.NameTest(ast.Name("a", None, "")))
    assert parse("Q{a&amp;b}a").body == ast.AxisStep("child", ast.NameTest(ast.Name("a", None, "a&b")))
    assert parse("été").body == ast.AxisStep("child", ast.NameTest(ast.Name("été")))


@pytest.mark.parametrize(
    ("text", "test"),
    [
        ("*", ast.Wildcard()),
        ("p:*", ast.Wildcard("p")),
        ("*:a", ast.Wildcard(local="a")),
        ("Q{urn:x}*", ast.Wildcard(uri="urn:x")),
        ("Q{}*", ast.Wildcard(uri="")),
    ],
)
def test_wildcards(text: str, test: ast.Wildcard) -> None:
    assert parse(text).body == ast.AxisStep("child", test)
    assert parse(f"@{text}").body == ast.AxisStep("attribute", test)


@pytest.mark.parametrize("text", ["p :a", "p: a", "* :a", "p: *", "1a", "a×b", "$1", "·a"])
def test_no_names(text: str) -> None:
    with pytest.raises(StaticError) as caught:
        parse(text)
    assert caught.value.code == "XPST0003"


def test_namespace_of_xmlns_is_refused() -> None:
    with pytest.raises(StaticError) as caught:
        parse("Q{http://www.w3.org/2000/xmlns/}a")
    assert caught.value.code == "XQST0070"
