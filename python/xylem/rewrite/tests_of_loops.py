"""Turn a `where` on the parent or ancestors of a loop's element into a predicate of the loop's path.

    for $p in //paper where $p/../meta/year = "2020" …     →     for $p in //paper[../meta/year = "2020"] …

Gain:   `forward_predicate` matches predicates only; it then moves the test to where the parent is open.
Needs:  the `where` follows its loop; no position variable; each condition tests one node and reads the variable
        outside every other focus.
Safe:   a `where` drops the tuples of the nodes that the predicate rejects.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from xylem.analysis.ast_replacement import replaced
from xylem.analysis.facts.conjuncts import conjunction, conjuncts
from xylem.analysis.focus import nodes_in_same_focus, reads_focus
from xylem.analysis.streamable_paths import is_test
from xylem.syntax import ast

from .step_lists import has_only_tests

_UP = ("parent", "ancestor", "ancestor-or-self")


def with_tests_above(
    clause: ast.ForClause, rest: Sequence[ast.Clause]
) -> tuple[ast.ForClause, list[ast.Clause]] | None:
    """The loop with such conditions as predicates, and the remaining clauses; None if there are none."""
    if not rest or not isinstance(rest[0], ast.WhereClause) or clause.position is not None:
        return None
    path = clause.collection
    if not isinstance(path, ast.Path) or not isinstance(path.right, ast.AxisStep) or not has_only_tests(path.right):
        return None
    above: list[ast.Expr] = []
    others: list[ast.Expr] = []
    for test in conjuncts(rest[0].test):
        predicate = _as_predicate(test, clause.name)
        (others if predicate is None else above).append(test if predicate is None else predicate)
    if not above:
        return None
    step = replace(path.right, predicates=(*path.right.predicates, *above))
    left = conjunction(others)
    where = [] if left is None else [replace(rest[0], test=left)]
    return replace(clause, collection=replace(path, right=step)), [*where, *rest[1:]]


def _as_predicate(test: ast.Expr, name: ast.Name) -> ast.Expr | None:
    """The test with the node as its focus; None if it does not look up, or reads the node in another focus."""
    here = ast.VarRef(name)
    reads = [node for node in test.walk() if node == here]
    in_focus = [node for node in nodes_in_same_focus(test) if node == here]
    if not reads or len(reads) != len(in_focus) or reads_focus(test):
        return None
    if not any(isinstance(node, ast.Path) and node.left == here and _goes_up(node.right) for node in test.walk()):
        return None

    def relative(node: ast.Node) -> ast.Node | None:
        if isinstance(node, ast.Path) and node.left == here:
            return node.right
        return ast.ContextItem(span=node.span) if node == here else None

    predicate = replaced(test, relative)
    return predicate if is_test(predicate) else None


def _goes_up(step: ast.Expr) -> bool:
    return isinstance(step, ast.AxisStep) and step.axis in _UP
