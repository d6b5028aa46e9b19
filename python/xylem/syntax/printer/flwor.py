"""FLWOR expressions as text: a line for each clause."""

from __future__ import annotations

from .. import ast
from .lexical import name_text, string_text
from .types import type_declaration
from .writer import PRIMARY, SINGLE, Writer, prints


@prints(SINGLE, ast.Flwor)
def _flwor(out: Writer, node: ast.Flwor) -> None:
    for clause in node.clauses:
        out.part(clause)
        out.line()
    out.put("return")
    out.below(node.result)


@prints(PRIMARY, ast.ForClause)
def _for(out: Writer, node: ast.ForClause) -> None:
    empty = " allowing empty" if node.allowing_empty else ""
    position = f" at ${name_text(node.position)}" if node.position else ""
    out.put(f"for ${name_text(node.name)}{type_declaration(node.type)}{empty}{position} in ")
    out.single(node.collection)


@prints(PRIMARY, ast.JoinClause)
def _join(out: Writer, node: ast.JoinClause) -> None:
    _for(out, ast.ForClause(node.name, node.type, node.collection, node.position))
    for test in node.tests:
        out.line()
        out.put("where ")
        out.part(test)
    if node.place is not None:
        which = "last match" if node.place < 0 else f"match at place {node.place}"
        out.put(f" (: the {which} of each parent :)")


@prints(PRIMARY, ast.JoinTest)
def _join_test(out: Writer, node: ast.JoinTest) -> None:
    test = node.comparison
    out.single(ast.FunctionCall(ast.Name("not", "fn"), (test,)) if node.negated else test)


@prints(PRIMARY, ast.LetClause)
def _let(out: Writer, node: ast.LetClause) -> None:
    out.put(f"let ${name_text(node.name)}{type_declaration(node.type)} := ")
    out.single(node.value)


@prints(PRIMARY, ast.WindowClause)
def _window(out: Writer, node: ast.WindowClause) -> None:
    out.put(f"for {node.kind} window ${name_text(node.name)}{type_declaration(node.type)} in ")
    out.single(node.collection)
    out.indent()
    out.line()
    out.put("start")
    out.part(node.start)
    if node.end is not None:
        out.line()
        out.put("only end" if node.end.only else "end")
        out.part(node.end)
    out.dedent()


@prints(PRIMARY, ast.WindowCondition)
def _window_condition(out: Writer, node: ast.WindowCondition) -> None:
    out.part(node.variables)
    out.put(" when ")
    out.single(node.when)


@prints(PRIMARY, ast.WindowVariables)
def _window_variables(out: Writer, node: ast.WindowVariables) -> None:
    named = (("", node.current), ("at ", node.position), ("previous ", node.previous), ("next ", node.next))
    for role, name in named:
        if name is not None:
            out.put(f" {role}${name_text(name)}")


@prints(PRIMARY, ast.WhereClause)
def _where(out: Writer, node: ast.WhereClause) -> None:
    out.put("where ")
    out.single(node.test)


@prints(PRIMARY, ast.CountClause)
def _count(out: Writer, node: ast.CountClause) -> None:
    out.put(f"count ${name_text(node.name)}")


@prints(PRIMARY, ast.GroupByClause)
def _group_by(out: Writer, node: ast.GroupByClause) -> None:
    out.put("group by ")
    out.listed(node.specs)


@prints(PRIMARY, ast.GroupingSpec)
def _grouping_spec(out: Writer, node: ast.GroupingSpec) -> None:
    out.put(f"${name_text(node.name)}{type_declaration(node.type)}")
    if node.value is not None:
        out.put(" := ")
        out.single(node.value)
    _collation(out, node.collation)


@prints(PRIMARY, ast.OrderByClause)
def _order_by(out: Writer, node: ast.OrderByClause) -> None:
    out.put("stable order by " if node.stable else "order by ")
    out.listed(node.specs)


@prints(PRIMARY, ast.OrderSpec)
def _order_spec(out: Writer, node: ast.OrderSpec) -> None:
    out.single(node.key)
    if node.descending:
        out.put(" descending")
    if node.empty is not None:
        out.put(f" empty {node.empty}")
    _collation(out, node.collation)


def _collation(out: Writer, uri: str | None) -> None:
    if uri is not None:
        out.put(f" collation {string_text(uri)}")
