"""Which values of a `let` are computed again where they are read: functions are known by namespace, not by prefix."""

from __future__ import annotations

import pytest
from xylem.analysis.resolve_names import resolve_names
from xylem.analysis.static_context import StaticContext, build_static_context
from xylem.functions.external import Functions
from xylem.pipeline import StaticEnvironment, compile_stream
from xylem.plan.flux_printer import print_flux
from xylem.rewrite.let_values import is_cheap
from xylem.syntax import ast, parse

OTHER = 'declare namespace udf = "urn:other"; declare function udf:f($x) { count($x) }; '


def value(query: str) -> ast.Expr:
    module = parse(query)
    resolved = resolve_names(module, build_static_context(module, StaticContext()))
    assert isinstance(resolved, ast.MainModule)
    return resolved.body


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("udf:f(/a/b)", True),
        ('declare namespace u = "urn:xylem:udf"; u:f(/a/b)', True),
        ("Q{urn:xylem:udf}f(/a/b)", True),
        (OTHER + "udf:f(/a/b)", False),
        ("count(/a/b)", True),
        ("fn:count(/a/b)", True),
        ('declare namespace f = "http://www.w3.org/2005/xpath-functions"; f:count(/a/b)', True),
        ("declare function local:count($x) { $x }; local:count(/a/b)", False),
        ('declare function local:doc($x) { $x }; local:doc("a")', False),
        ('doc("a")', True),
        ("string-join(/a/b)", False),
    ],
)
def test_what_is_cheap(query: str, expected: bool) -> None:
    assert is_cheap(value(query)) is expected


def test_a_function_of_users_streams_alike_with_any_prefix() -> None:
    functions = Functions()

    @functions.function("udf:f", "item()*", "xs:integer")
    def f(items: list[object]) -> int:
        return len(items)

    def program(prolog: str, prefix: str) -> str:
        query = f"{prolog}for $a in /r/a let $n := {prefix}f($a/b) return <n>{{ $n, $n }}</n>"
        compiled = compile_stream(query, StaticEnvironment(external_functions=tuple(functions)))
        return print_flux(compiled.plan.program).replace(f"{prefix}f(", "f(")

    assert program('declare namespace u = "urn:xylem:udf"; ', "u:") == program("", "udf:")
