"""The smallest parts of a query that no operator maintains: only these are reevaluated after each commit.

    <r>{ count(//a), //a/following::b }</r>                   the second part
    for $x in //a where $x/b > f(//c/preceding::c) return $x  the call of f, the same for all turns

A part is closed: it reads no variable of the query and no context item. The query reads its value by a variable.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from xylem.analysis.ast_replacement import replaced
from xylem.analysis.focus import nodes_in_same_focus, reads_focus
from xylem.analysis.free_variables import free_in
from xylem.syntax import ast

from .expressions import ExpandedName, NoOperator
from .input_paths import NAMESPACE, STREAMS

__all__ = ["Scope", "Scopes"]

_ONE_VALUE = (ast.FunctionCall, ast.Path, ast.Filter, ast.SimpleMap)
"""Expressions that are evaluated whole if a part of them is: their value changes less often than that of the part."""


@dataclass(frozen=True)
class Scope:
    """A part that is evaluated as a whole, and the reason."""

    expression: ast.Expr
    why: NoOperator


class Scopes:
    """Finds the parts, and replaces them by variables."""

    def __init__(
        self, why_not: Callable[[ast.Expr, Scopes], NoOperator | None], constants: frozenset[ExpandedName]
    ) -> None:
        """`why_not`: why an expression has no operators once some parts are variables."""
        self._why_not = why_not
        self._constants = constants
        self.found: dict[ExpandedName, Scope] = {}

    def marked(self, expr: ast.Expr) -> ast.Expr:
        """The expression with variables for its parts; a single variable if it is a part as a whole."""
        why = self._why_not(expr, self)
        if why is None:
            return expr
        known = dict(self.found)
        # A path from the root may belong to another document in another place.
        in_focus = {id(node) for node in nodes_in_same_focus(expr)}

        def by(node: ast.Node) -> ast.Node | None:
            # The content of braces is an expression, the braces are not.
            if node is expr or not isinstance(node, ast.Expr) or isinstance(node, ast.EnclosedExpr):
                return None
            return self.marked(node) if self._is_part(node, id(node) in in_focus) else None

        made = expr if isinstance(expr, _ONE_VALUE) else replaced(expr, by)
        if made is not expr and self._why_not(made, self) is None:
            return made
        self.found = known
        name = ast.Name(f"scope{len(known) + 1}", None, NAMESPACE)
        self.found[name.expanded] = Scope(expr, why)
        return ast.VarRef(name, span=expr.span)

    def _is_part(self, node: ast.Expr, is_in_focus: bool) -> bool:
        """Whether an expression can be evaluated separately, and reads a stream."""
        if isinstance(node, ast.Root) or _is_stream(node):
            return False
        has_root = any(isinstance(one, ast.Root) for one in node.walk())
        if not (is_in_focus if has_root else any(map(_is_stream, node.walk()))):
            return False
        return free_in(node) <= self._constants and not reads_focus(replaced(node, _rootless))


def _rootless(node: ast.Node) -> ast.Node | None:
    return ast.SequenceExpr(()) if isinstance(node, ast.Root) else None


def _is_stream(node: ast.Node) -> bool:
    return isinstance(node, ast.FunctionCall) and node.name.expanded in STREAMS
