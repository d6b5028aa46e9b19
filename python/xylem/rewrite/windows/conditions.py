"""Split conditions into parts, and decide which parts may move."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from xylem.analysis.bound_names import read_variables
from xylem.analysis.facts.conjuncts import conjuncts
from xylem.analysis.facts.standard_calls import is_call
from xylem.functions.library import look_up
from xylem.functions.registry import FN, PREFIXES
from xylem.functions.traits import UNSTEADY
from xylem.plan.window_plan import Boundary, BoundaryVariable, WindowPlan
from xylem.syntax import ast

ExpandedName = tuple[str, str]
_BINDERS = (ast.ForClause, ast.LetClause, ast.WindowClause, ast.ForseqClause, ast.CountClause, ast.GroupingSpec)
_NAMED = (*_BINDERS, ast.QuantifiedBinding, ast.Parameter, ast.ForseqVariable, BoundaryVariable, WindowPlan)


def tests_in(condition: ast.Expr | None) -> list[ast.Expr]:
    """The conjuncts of a condition; `when true()`, which a window clause must write, tests nothing."""
    return [test for test in conjuncts(condition) if not is_true(test)]


def true() -> ast.Expr:
    return ast.FunctionCall(ast.Name("true", "fn", FN))


def is_true(test: ast.Expr | None) -> bool:
    return is_call(test, "true")


def is_false(test: ast.Expr | None) -> bool:
    return is_call(test, "false")


def is_steady(expr: ast.Node) -> bool:
    """Whether an expression has the same value at each evaluation: it calls only built-in functions."""
    for node in expr.walk():
        match node:
            case ast.SetStatement() | ast.Block() | ast.DynamicCall() | ast.NamedFunctionRef() | ast.InlineFunction():
                return False
            case ast.FunctionCall(name=name, arguments=arguments):
                if not _is_steady_call(name, len(arguments)):
                    return False
    return True


def _is_steady_call(name: ast.Name, arity: int) -> bool:
    if name.uri == PREFIXES["xs"]:
        return True
    if name.expanded in UNSTEADY:
        return False
    known = look_up(*name.expanded, arity) or look_up(*name.expanded, arity + 1)
    return known is not None or (name.uri == FN and name.local in ("position", "last"))


def reads(node: ast.Node, names: frozenset[ExpandedName]) -> frozenset[ExpandedName]:
    """Which of these variables a node mentions."""
    return names & read_variables(node)


def binds(nodes: Iterable[ast.Node], names: frozenset[ExpandedName]) -> bool:
    """Whether one of these names is rebound somewhere inside."""
    for top in nodes:
        for node in top.walk():
            if isinstance(node, _NAMED) and node.name is not None and node.name.expanded in names:
                return True
            if isinstance(node, ast.ForClause) and node.position is not None and node.position.expanded in names:
                return True
            if isinstance(node, ast.WindowVariables):
                inner = (node.current, node.position, node.previous, node.next)
                if any(name is not None and name.expanded in names for name in inner):
                    return True
            if isinstance(node, ast.TypeswitchCase) and node.variable is not None and node.variable.expanded in names:
                return True
            if isinstance(node, ast.Typeswitch) and node.default_variable and node.default_variable.expanded in names:
                return True
    return False


def fresh(stem: str, nodes: Iterable[ast.Node]) -> ast.Name:
    """A variable name that is not used here."""
    used = {node.local for top in nodes for node in top.walk() if isinstance(node, ast.Name)}
    name, number = stem, 1
    while name in used:
        number += 1
        name = f"{stem}{number}"
    return ast.Name(name, None, "")


def with_variable(boundary: Boundary, role: str, name: ast.Name) -> Boundary:
    """The boundary with one more variable."""
    return replace(boundary, variables=(*boundary.variables, BoundaryVariable(role, name)))
