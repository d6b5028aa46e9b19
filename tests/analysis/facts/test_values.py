"""What the form of an expression tells of its value: a truth value, a number or not, atomic values or nodes."""

from __future__ import annotations

import pytest
from xylem.analysis.facts.may_be_number import may_be_number
from xylem.analysis.facts.standard_calls import argument_of, is_call
from xylem.analysis.facts.truth_values import is_boolean
from xylem.analysis.facts.value_class import Values, classify
from xylem.analysis.facts.value_expressions import gives_values
from xylem.analysis.resolve_names import resolve_names
from xylem.analysis.static_context import StaticContext, build_static_context
from xylem.pipeline import StaticEnvironment, compile_query
from xylem.source.resources import FileResources
from xylem.syntax import ast, parse
from xylem.values.node import Node

TRUTHS = (
    "1 = 2", "1 = 1 and 2 = 2", "1 = 2 or 2 = 2", "some $x in (1, 2) satisfies $x = 2", "1 instance of xs:integer",
    '"a" castable as xs:integer', "not(1)", "exists(())", 'contains("ab", "b")', 'matches("ab", "b")', "true()",
    "deep-equal((), 1)", "map:contains(map { 1: 2 }, 1)", "() = 1",
)  # fmt: skip
OTHERS = ("1 eq 1", "() eq 1", "<a/> is <a/>", '"a"', "1", "1 + 1", "(1, 2)", "<a/>", "<a/>/b", "()", "nilled(<a/>)")
NUMBERS = ("1", "1 + 1", "1.5", "count(())", "sum(())", "(1, 2)", 'number("1")', "if (1 = 1) then 2 else <a/>", "-1")


def expression(text: str) -> ast.Expr:
    module = parse(text)
    resolved = resolve_names(module, build_static_context(module, StaticContext()))
    assert isinstance(resolved, ast.MainModule)
    return resolved.body


def evaluated(text: str) -> list[object]:
    return list(compile_query(text, StaticEnvironment()).run(FileResources()))


@pytest.mark.parametrize("text", TRUTHS)
def test_truth_values_are_known_by_their_form(text: str) -> None:
    assert is_boolean(expression(text))
    assert classify(expression(text), {}) == (Values.BOOLEAN, True, True)
    assert evaluated(text) in ([True], [False])


@pytest.mark.parametrize("text", OTHERS)
def test_what_may_be_empty_or_something_else_is_no_truth_value(text: str) -> None:
    assert not is_boolean(expression(text))


def test_a_function_of_the_query_is_none_of_ours() -> None:
    assert not is_boolean(expression("declare function local:exists($x) { $x }; local:exists(1)"))
    assert may_be_number(expression("declare function local:exists($x) { $x }; local:exists(1)"))


@pytest.mark.parametrize("text", [*TRUTHS, *OTHERS, *NUMBERS])
def test_what_cannot_be_a_number_is_none(text: str) -> None:
    numbers = [item for item in evaluated(text) if isinstance(item, (int, float)) and not isinstance(item, bool)]
    assert may_be_number(expression(text)) or not numbers


@pytest.mark.parametrize("text", [*TRUTHS, *OTHERS, *NUMBERS])
def test_where_values_are_given_no_node_is(text: str) -> None:
    assert not gives_values(expression(text)) or not any(isinstance(item, Node) for item in evaluated(text))


def test_calls_are_known_by_namespace() -> None:
    assert is_call(expression("true()"), "true")
    assert is_call(expression("fn:true()"), "true")
    assert not is_call(expression("false()"), "true")
    assert not is_call(expression("not(1)"), "not")
    assert not is_call(expression("declare function local:true() { 1 }; local:true()"), "true")
    assert not is_call(None, "true")
    assert argument_of(expression("reverse(1)"), "reverse") == ast.IntegerLiteral(1)
    assert argument_of(expression("true()"), "true") is None
