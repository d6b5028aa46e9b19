"""Expressions that the planner builds, and tests that it makes on expressions."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from xylem.analysis.free_variables import free_in
from xylem.analysis.history.operands import PROJECTIONS
from xylem.functions.registry import FN
from xylem.sink.character_expansion import escape_attribute
from xylem.syntax import ast

ExpandedName = tuple[str, str]
COUNTS = frozenset({"count", "exists", "empty"})
"""Aggregates that count items."""
FOLDS = frozenset((FN, name) for name in (*COUNTS, "sum", "avg", "min", "max"))
PLAIN = (ast.ForClause, ast.LetClause, ast.WhereClause)
"""Clauses that process each unit separately."""


class NoOperator(Exception):
    """The reason why operators cannot keep an expression up to date."""

    def __init__(self, why: str, node: ast.Node | None = None) -> None:
        super().__init__(why)
        self.why = why
        self.node = node


def condition(test: ast.JoinTest) -> ast.Expr:
    return call("not", test.comparison) if test.negated else test.comparison


def call(name: str, *arguments: ast.Expr) -> ast.FunctionCall:
    return ast.FunctionCall(ast.Name(name, "fn", FN), arguments, span=arguments[0].span)


def conjoined(tests: Iterable[ast.Expr]) -> ast.Expr:
    made: ast.Expr | None = None
    for test in tests:
        made = test if made is None else ast.And(made, test, span=test.span)
    assert made is not None
    return made


def start_tag(expr: ast.DirectElement) -> str | None:
    """The start tag of an element without its end; None where it depends on values or namespaces."""
    if expr.namespaces or expr.name.uri or expr.name.prefix:
        return None
    made = f"<{expr.name.local}"
    for attribute in expr.attributes:
        if attribute.name.prefix or attribute.name.uri:
            return None
        parts = [part for part in attribute.parts if isinstance(part, str)]
        if len(parts) < len(attribute.parts):
            return None
        made += f' {attribute.name.local}="{escape_attribute("".join(parts))}"'
    return made


def folded_variable(argument: ast.Expr) -> ExpandedName | None:
    """The variable whose items are folded one by one: `$x`, or the result of child steps from it."""
    while isinstance(argument, ast.Path):
        step = argument.right
        if not isinstance(step, ast.AxisStep) or step.axis not in ("child", "attribute") or step.predicates:
            return None
        argument = argument.left
    return argument.name.expanded if isinstance(argument, ast.VarRef) else None


def asks_for_versions(body: ast.Expr, unit: ast.Name) -> bool:
    """Whether an expression reads versions of a variable's nodes: `$x#1`."""
    return any(
        isinstance(node, PROJECTIONS)
        and isinstance(node.base, (ast.VarRef, *PROJECTIONS))
        and unit.expanded in free_in(node.base)
        for node in body.walk()
    )


def path_from(expr: ast.Node, mixed: set[ExpandedName]) -> ast.Node | None:
    """A path or a group that starts at one of these variables; None if there is none."""
    if not mixed:
        return None
    tainted = set(mixed)
    for node in expr.walk():
        match node:
            case ast.LetClause(name=name, value=value) if free_in(value) & tainted:
                tainted.add(name.expanded)
            case ast.GroupByClause():
                return node
    for node in expr.walk():
        if isinstance(node, ast.Path):
            start: ast.Expr = node
            while isinstance(start, (ast.Path, ast.Filter)):
                start = start.left if isinstance(start, ast.Path) else start.base
            if free_in(start) & tainted:
                return node
    return None


def stays_apart(rest: Sequence[ast.Expr], is_order_kept: bool) -> bool:
    """Whether results from nested elements are disjoint, and in document order if order matters."""
    axes = [step.axis if isinstance(step, ast.AxisStep) else "" for step in rest]
    if not axes or axes == ["attribute"]:
        return True
    return not is_order_kept and all(axis in ("child", "attribute") for axis in axes)


def text_of(expr: ast.Node) -> str:
    """An expression as it was written; the position of a step identifies the path before it."""
    span = expr.span
    return " ".join(span.source.text[span.start : span.end].split())
