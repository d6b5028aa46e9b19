"""Names get their namespaces; behind this stage, spellings of one thing are one thing."""

from __future__ import annotations

import pytest
from xylem.analysis.resolve_names import resolve_names
from xylem.analysis.static_context import StaticContext
from xylem.syntax import ast
from xylem.syntax.parser import parse


def body(query: str) -> ast.Expr:
    module = parse(query)
    assert isinstance(module, ast.MainModule)
    made: ast.Expr = resolve_names(module.body, StaticContext())
    return made


@pytest.mark.parametrize(
    ("arrow", "call"),
    [
        ("(1, 2) => count()", "count((1, 2))"),
        ("'a' => concat('b') => upper-case()", "upper-case(concat('a', 'b'))"),
        ("2 => (abs#1)()", "(abs#1)(2)"),
        ("3 => concat(?)", "concat(3, ?)"),
        ("(1 => string()) || ('x' => string-length())", "string(1) || string-length('x')"),
    ],
)
def test_an_arrow_is_a_call(arrow: str, call: str) -> None:
    assert body(arrow) == body(call)
    assert not any(isinstance(node, ast.Arrow) for node in body(arrow).walk())
