"""Read the two ends of a window, and its length, without the window.

    forseq $w in E … start … end …          forseq $w in E … start curItem $f, position $s … end curItem $l, position
    $e …
    … $w[1] … $w[last()] … count($w) …  →   … $f … $l … $e - $s + 1 …

Gain:   if the query reads nothing else of $w, the run keeps no items (windows paper, 6.3.6).
Needs:  no inner expression binds these names again, and no `group by` follows, after which $w would hold several
        windows.
Safe:   a window is never empty, so its first and last items are those at which it started and ended.
"""

from __future__ import annotations

from dataclasses import replace

from xylem.analysis.ast_replacement import replaced
from xylem.functions.registry import FN
from xylem.plan.window_plan import WindowPlan
from xylem.syntax import ast

from .conditions import binds, fresh, with_variable
from .rule import WindowFacts, WindowPlace, WindowRule


class ReadEndsDirectly(WindowRule):
    name = "read_ends_directly"
    paper = "6.3.6"

    def apply(self, place: WindowPlace, facts: WindowFacts) -> WindowPlace:
        if place.is_grouped or binds(place.followers, place.window.names):
            return place
        found = {_part(node, place.window) for top in place.followers for node in top.walk()} - {None}
        if not found:
            return place
        return _Reader(place).read(found)  # type: ignore[arg-type]


def _part(node: ast.Node, window: WindowPlan) -> str | None:
    """The part of the window that an expression reads: first, last or count."""
    match node:
        case ast.Filter(base=ast.VarRef(name=name), predicate=predicate) if name.expanded == window.name.expanded:
            if isinstance(predicate, ast.IntegerLiteral) and predicate.value == 1:
                return "first"
            if isinstance(predicate, ast.FunctionCall) and predicate.name.expanded == (FN, "last"):
                return "last"
        case ast.FunctionCall(name=function, arguments=(ast.VarRef(name=name),)):
            if name.expanded == window.name.expanded and function.uri == FN:
                return {"head": "first", "count": "count"}.get(function.local)
    return None


class _Reader:
    def __init__(self, place: WindowPlace) -> None:
        self.place = place
        self.window = place.window

    def read(self, parts: set[str]) -> WindowPlace:
        made: dict[str, ast.Expr] = {}
        if "first" in parts:
            made["first"] = self._variable("start", "current", "first")
        if "last" in parts:
            made["last"] = self._variable("end", "current", "last")
        if "count" in parts:
            start, end = self._variable("start", "position", "from"), self._variable("end", "position", "to")
            made["count"] = ast.Arithmetic("+", ast.Arithmetic("-", end, start), ast.IntegerLiteral(1))
        window = self.window

        def by(node: ast.Node) -> ast.Node | None:
            part = _part(node, window)
            return None if part is None else replace(made[part], span=node.span)

        rest = tuple(replaced(clause, by) for clause in self.place.rest)
        return replace(self.place, window=window, rest=rest, result=replaced(self.place.result, by))

    def _variable(self, side: str, role: str, stem: str) -> ast.Expr:
        boundary = getattr(self.window, side)
        name = boundary.named(role)
        if name is None:
            name = fresh(f"{self.window.name.local}-{stem}", (*self.place.before, self.window, *self.place.followers))
            made = with_variable(boundary, role, name)
            self.window = replace(self.window, start=made) if side == "start" else replace(self.window, end=made)
        return ast.VarRef(name)
