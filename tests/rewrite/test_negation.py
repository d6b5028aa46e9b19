"""The opposite of a condition: a `not` is taken away only where what is left is a truth value of its own."""

from __future__ import annotations

import pytest
from xylem.analysis.resolve_names import resolve_names
from xylem.analysis.static_context import StaticContext, build_static_context
from xylem.rewrite.negation import negated
from xylem.syntax import ast, parse


def condition(text: str) -> ast.Expr:
    module = parse(text)
    resolved = resolve_names(module, build_static_context(module, StaticContext()))
    assert isinstance(resolved, ast.MainModule)
    return resolved.body


@pytest.mark.parametrize(
    ("text", "opposite"),
    [
        ("not(a = 1)", "a = 1"),
        ('not(contains(a, "x"))', 'contains(a, "x")'),
        ("not(a instance of node())", "a instance of node()"),
        ("exists(a)", "fn:empty(a)"),
        ("true()", "fn:false()"),
        # Their value is not their effective boolean value.
        ("not(a)", "fn:not(not(a))"),
        ("not(a eq 1)", "fn:not(not(a eq 1))"),
        ("not(1)", "fn:not(not(1))"),
        ("a = 1", "fn:not(a = 1)"),
    ],
)
def test_opposites(text: str, opposite: str) -> None:
    assert negated(condition(text)) == condition(opposite)
