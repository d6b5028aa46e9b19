"""Facts that are kept with the nodes of a query."""

from __future__ import annotations

import pickle
from dataclasses import replace

from xylem.analysis.ast_replacement import replaced
from xylem.analysis.bound_names import binds_a_name_twice, bound_in, names_in, read_variables
from xylem.analysis.free_variables import free_in
from xylem.syntax import ast, parse
from xylem.syntax.ast.facts import contains, kept_with_node, size_of


def _body(query: str) -> ast.Expr:
    module = parse(query)
    assert isinstance(module, ast.MainModule)
    return module.body


def test_a_fact_is_computed_once_for_a_node() -> None:
    asked: list[ast.Node] = []

    @kept_with_node
    def fact(node: ast.Node) -> bool:
        asked.append(node)
        return False

    body = _body("1 + 2")
    assert [fact(body), fact(body)] == [False, False]
    assert asked == [body]


def test_a_node_with_other_parts_has_other_facts() -> None:
    body = _body("for $x in //a return $x")
    assert isinstance(body, ast.Flwor)
    assert (bound_in(body), read_variables(body)) == ({("", "x")}, {("", "x")})
    other = replace(body, result=_body("let $y := $z return $y"))
    assert bound_in(other) == {("", "x"), ("", "y")}
    assert read_variables(other) == {("", "y"), ("", "z")}
    assert free_in(other) == {("", "z")}
    assert names_in(other) == {"x", "y", "z"}
    assert bound_in(body) == {("", "x")}


def test_facts_of_a_long_chain_need_no_recursion() -> None:
    body: ast.Expr = ast.VarRef(ast.Name("x"))
    for _ in range(20_000):
        body = ast.Arithmetic("+", body, ast.IntegerLiteral(1))
    assert read_variables(body) == {("", "x")}
    assert contains(body, ast.VarRef)
    assert not contains(body, ast.Flwor)


def test_facts_stay_with_their_process() -> None:
    body = _body("for $x in //a return $x")
    bound_in(body), size_of(body), hash(body), body.children()
    made = pickle.loads(pickle.dumps(body))
    assert made == body
    assert set(made.__dict__) == {"clauses", "result", "span"}


def test_two_bindings_of_a_name() -> None:
    assert not binds_a_name_twice(_body("for $x in //a for $y in $x/b return $y"))
    assert binds_a_name_twice(_body("for $x in //a for $x in $x/b return $x"))
    assert binds_a_name_twice(_body("(for $x in //a return $x, some $x in //b satisfies $x)"))


def test_only_some_kinds_of_nodes_are_asked() -> None:
    body = _body("(for $x in //a return $x + 1, //b[. = 2], 3)")
    asked: list[ast.Node] = []

    def by(node: ast.Node) -> ast.Node | None:
        asked.append(node)
        return ast.IntegerLiteral(0) if isinstance(node, ast.IntegerLiteral) else None

    everywhere = replaced(body, by)
    assert len(asked) > 6
    asked.clear()
    assert replaced(body, by, (ast.IntegerLiteral,)) == everywhere
    assert {type(node) for node in asked} == {ast.IntegerLiteral}
    assert replaced(body, by, (ast.Quantified,)) is body
