"""Prologs and modules: what is declared, in which order, how often (XQuery 3.1, 4)."""

from __future__ import annotations

import pytest
from xylem.errors import StaticError
from xylem.syntax import ast, parse


def test_prolog() -> None:
    module = parse(
        """
        xquery version "3.1" encoding "utf-8";
        declare base-uri "http://x/";
        declare copy-namespaces no-preserve, inherit;
        declare default order empty greatest;
        declare decimal-format p:d NaN = "?" digit = "!";
        import module namespace m = "urn:m" at "a.xq", "b.xq";
        import schema default element namespace "urn:s";
        declare variable $x as xs:int* external := 1;
        declare %private %p:a("x", 1, 2.5) function local:f($a, $b as item()) as item()+ external;
        declare context item as document-node() external;
        declare option p:o "v";
        1
        """
    )
    assert module.version == "3.1"
    assert module.encoding == "utf-8"
    assert [type(declaration) for declaration in module.prolog] == [
        ast.BaseUriDecl,
        ast.CopyNamespacesDecl,
        ast.EmptyOrderDecl,
        ast.DecimalFormatDecl,
        ast.ModuleImport,
        ast.SchemaImport,
        ast.VariableDecl,
        ast.FunctionDecl,
        ast.ContextItemDecl,
        ast.OptionDecl,
    ]
    assert module.prolog[4] == ast.ModuleImport("m", "urn:m", ("a.xq", "b.xq"))
    assert module.prolog[5] == ast.SchemaImport("", "urn:s")
    assert module.prolog[6] == ast.VariableDecl(
        ast.Name("x"), ast.SequenceTypeNode(ast.AtomicType(ast.Name("int", "xs")), "*"), ast.IntegerLiteral(1), True
    )


def test_library_module() -> None:
    module = parse("module namespace m = 'urn:m'; declare variable $m:x := 1;")
    assert isinstance(module, ast.LibraryModule)
    assert (module.prefix, module.uri, len(module.prolog)) == ("m", "urn:m", 1)


def test_a_module_may_import_its_own_namespace() -> None:
    assert parse("module namespace m = 'urn:m'; import module namespace m = 'urn:m' at 'b.xq';")


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("declare boundary-space strip; declare boundary-space strip; 1", "XQST0068"),
        ("declare default collation 'a'; declare default collation 'b'; 1", "XQST0038"),
        ("declare base-uri 'a'; declare base-uri 'b'; 1", "XQST0032"),
        ("declare construction strip; declare construction strip; 1", "XQST0067"),
        ("declare ordering ordered; declare ordering ordered; 1", "XQST0065"),
        ("declare default order empty least; declare default order empty least; 1", "XQST0069"),
        ("declare copy-namespaces preserve,inherit; declare copy-namespaces preserve,inherit; 1", "XQST0055"),
        ("declare default function namespace 'a'; declare default function namespace 'b'; 1", "XQST0066"),
        ("declare default element namespace 'a'; import schema default element namespace 'b'; 1", "XQST0066"),
        ("declare namespace p='a'; import module namespace p='b'; 1", "XQST0033"),
        ("import module 'a'; import module 'a'; 1", "XQST0047"),
        ("import schema 'a'; import schema 'a'; 1", "XQST0058"),
        ("import schema namespace p=''; 1", "XQST0057"),
        ("import module namespace p=''; 1", "XQST0088"),
        ("module namespace p='';", "XQST0088"),
        ("declare namespace xml='a'; 1", "XQST0070"),
        ("declare namespace p='http://www.w3.org/2000/xmlns/'; 1", "XQST0070"),
        ("declare context item := 1; declare context item := 2; 1", "XQST0099"),
        ("module namespace p='a'; declare context item := 1;", "XQST0113"),
        ("xquery version '4.0'; 1", "XQST0031"),
        ("xquery version '1.0' encoding '8'; 1", "XQST0087"),
        ("declare decimal-format a percent='%%'; 1", "XQST0097"),
        ("declare decimal-format a zero-digit='1'; 1", "XQST0097"),
        ("declare decimal-format a digit='0'; 1", "XQST0098"),
        ("declare decimal-format a digit='5'; 1", "XQST0098"),
        ("declare decimal-format a digit='x' digit='x'; 1", "XQST0114"),
        ("declare decimal-format a; declare decimal-format a; 1", "XQST0111"),
        ("declare variable $x := 1; declare namespace p='a'; 1", "XPST0003"),
        ("declare variable $x := 1", "XPST0003"),
        ("declare variable $x; 1", "XPST0003"),
        ("declare function local:f($x); 1", "XPST0003"),
        ("declare copy-namespaces inherit,preserve; 1", "XPST0003"),
        ("1; 2", "XPST0003"),
        ("declare context item as item()*; 1", "XPST0003"),
    ],
)
def test_faults(text: str, code: str) -> None:
    with pytest.raises(StaticError) as caught:
        parse(text)
    assert caught.value.code == code


@pytest.mark.parametrize("text", ["declare", "import", "xquery", "module", "declare/variable", "xquery/version"])
def test_words_of_the_prolog_are_names(text: str) -> None:
    assert parse(text).prolog == ()
