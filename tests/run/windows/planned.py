"""A query with its window clauses planned, as text: the clauses as they would be written, and what was decided."""

from __future__ import annotations

from dataclasses import replace

from xylem.analysis.ast_replacement import replaced
from xylem.analysis.readable_names import with_readable_names
from xylem.analysis.resolve_names import resolve_names
from xylem.analysis.static_context import StaticContext
from xylem.plan.window_plan import AggregateRead, WindowPlan, decisions, written_clause
from xylem.rewrite.windows import WindowFacts, plan_windows
from xylem.schema.constraints import Schema
from xylem.syntax import ast, parse, print_query


def planned(
    query: str, schema: Schema | None = None, without: frozenset[str] = frozenset()
) -> tuple[str, list[str], set[str]]:
    """(the query after rewriting, decisions, the rules that fired)"""
    module = resolve_names(parse(query), StaticContext())
    assert isinstance(module, ast.MainModule)
    fired: set[str] = set()
    told: list[str] = []
    infinite = {
        declaration.name.expanded
        for declaration in module.prolog
        if isinstance(declaration, ast.VariableDecl) and declaration.type and declaration.type.occurrence == "**"
    }

    def is_infinite(expr: ast.Expr) -> bool:
        return any(isinstance(node, ast.VarRef) and node.name.expanded in infinite for node in expr.walk())

    def plan(node: ast.Node) -> ast.Node | None:
        if not isinstance(node, ast.Flwor):
            return None
        facts = WindowFacts(without=without, schema=schema, is_infinite=is_infinite)
        made = plan_windows(node, facts, lambda rule, before, after: fired.add(rule.name))
        if made is node:
            return None
        for clause in made.clauses:
            if isinstance(clause, WindowPlan):
                told.extend(f"{topic}: {text}" for topic, text in decisions(clause))
                if clause.has_one_start:
                    told.append("starts: at most one")
        clauses = tuple(written_clause(c) if isinstance(c, WindowPlan) else c for c in made.clauses)
        return replaced(replace(made, clauses=clauses), _as_variable)

    return print_query(with_readable_names(replaced(module.body, plan))), told, fired


def _as_variable(node: ast.Node) -> ast.Node | None:
    return node.variable if isinstance(node, AggregateRead) else None
