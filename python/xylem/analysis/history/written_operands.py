"""Projections as written, with their operands in place, for planning.

    let $q := $t/quote return $q#1      →   $t/quote#1       a `let` variable stands for its expression
    (//a/b#1)#1                         →   //a/b#2          numbers of one sign add up
    (//a/b)#1                           →   //a/b#1          versions are chosen of the last step of a path
    count(//b)?60                       →   a time projection

The meaning is that of `projections.py`, which makes calls of the same operands.
"""

from __future__ import annotations

from typing import TypeVar, cast

from xylem.syntax import ast

from .operands import Choice, choice_of, combined, is_container
from .projections import _Here, _Projections, added

M = TypeVar("M", bound=ast.Module)
_KINDS: dict[str, type[ast.VersionProjection | ast.VersionWindow | ast.TimeProjection | ast.TimeWindow]] = {
    "#": ast.VersionProjection,
    "#[]": ast.VersionWindow,
    "?": ast.TimeProjection,
    "?[]": ast.TimeWindow,
}


def with_operands(module: M) -> M:
    """The module with resolved names, its projections by their operands."""
    return cast(M, _WrittenOperands(module, over_updates=True).module())


class _WrittenOperands(_Projections):
    def _node(self, node: ast.Node, here: _Here) -> ast.Node:
        # Calls stay calls: `xylem:as-of`, `xylem:versions` and `stream` are planned unchanged.
        return self._parts(node, here) if isinstance(node, ast.FunctionCall) else super()._node(node, here)

    def _projected(self, base: ast.Expr, choice: Choice, here: _Here, node: ast.Node) -> ast.Expr:
        base = self._resolved(base, here)
        inner = self._inner(base, here)
        if inner is not None and (both := combined(choice, self._checked(inner[1], here))) is not None:
            return self._projected(inner[0], both, here, node)
        if isinstance(base, ast.Path):
            last = choice_of(base.right)
            if last is not None and (both := combined(choice, self._checked(last[1], here))) is not None:
                right = self._projected(last[0], both, here.inside(), node)
                return ast.Path(self._expr(base.left, here), right, span=base.span)
            if isinstance(base.right, ast.AxisStep):
                right = _made(choice, self._expr(base.right, here.inside()), node)
                return ast.Path(self._expr(base.left, here), right, span=base.span)
        return _made(choice, self._expr(base, here), node)

    def _lookup(self, node: ast.Lookup, here: _Here) -> ast.Expr:
        _, base, keys = self._lookups(node, here)
        if is_container(base) is False:
            return self._projected(base, Choice("?", added(keys)), here, node)
        return self._parts(node, here)


def _made(choice: Choice, base: ast.Expr, node: ast.Node) -> ast.Expr:
    return _KINDS[choice.sign](base, choice.amount, span=node.span)
