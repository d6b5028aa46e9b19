"""Decide whether an expression returns the same items each time."""

from __future__ import annotations

from xylem.functions.library import look_up
from xylem.functions.registry import FN
from xylem.functions.traits import CONSTRUCTS, UNSTEADY
from xylem.syntax import ast
from xylem.syntax.ast.facts import kept_with_node

from ..focus import uses_position

_CONSTRUCTORS = (
    ast.DirectElement,
    ast.ComputedElement,
    ast.ComputedDocument,
    ast.ComputedText,
    ast.ComputedAttribute,
    ast.ComputedComment,
    ast.ComputedPI,
    ast.ComputedNamespace,
    ast.DirectComment,
    ast.DirectPI,
)
_NOT_TWICE = CONSTRUCTS | UNSTEADY | {(FN, "apply"), (FN, "function-lookup")}
_PLACES = ((FN, "position"), (FN, "last"))


@kept_with_node
def is_the_same_each_time(expr: ast.Node) -> bool:
    """Whether each evaluation gives the same items: the expression creates no nodes and is deterministic.

    Built-in functions are known; calls of others count as different. Positions are those of its own items.
    """
    if uses_position(expr):
        return False
    for node in expr.walk():
        if isinstance(node, (*_CONSTRUCTORS, ast.DynamicCall, ast.ExtensionNode, ast.InlineFunction)):
            return False
        if isinstance(node, ast.FunctionCall) and not _is_known(node):
            return False
    return True


def _is_known(call: ast.FunctionCall) -> bool:
    if call.name.uri == "http://www.w3.org/2001/XMLSchema":
        return True
    if call.name.expanded in _NOT_TWICE:
        return False
    if call.name.expanded in _PLACES:
        return True
    return look_up(*call.name.expanded, len(call.arguments)) is not None
