"""Drop the state of a key when none of its windows is open.

    for $u in distinct-values($log/user)
    forseq $w in $log[user eq $u] tumbling window
      start curItem $in when $in/op eq 'login' end curItem $out when $out/op eq 'logout' …

Gain:   keys without open windows take no memory: a stream of users, orders or trips has ever new keys (windows paper,
        6.3.6, for keys).
Needs:  windows by key, but not landmark windows, which stay open; nothing reads the item before or after an end, and
        positions occur only in the difference between the two ends of a window.
Safe:   a cursor without an open window then has the state of a new cursor. If a key comes back as an equal value with
        another spelling, its later windows have that spelling.
"""

from __future__ import annotations

from xylem.analysis.ast_replacement import replaced
from xylem.analysis.bound_names import read_variables
from xylem.plan.window_plan import WindowPlan
from xylem.syntax import ast

from .rule import WindowFacts, WindowPlace, WindowRule

_LENGTH = ast.IntegerLiteral(1)


class ForgetKeys(WindowRule):
    name = "forget_keys"
    paper = "6.3.6"

    def apply(self, place: WindowPlace, facts: WindowFacts) -> WindowPlace:
        window = place.window
        if window.partition is None or window.kind == "landmark" or _looks_around(window):
            return place
        if _counts_on(place):
            return place
        return place.with_window(forgets_keys=True)


def _looks_around(window: WindowPlan) -> bool:
    return any(boundary.named(role) for boundary in (window.start, window.end) for role in ("previous", "next"))


def _counts_on(place: WindowPlace) -> bool:
    """Whether the query can observe the number of items that a key has had."""
    window = place.window
    start, end = window.start.named("position"), window.end.named("position")
    names = {name.expanded for name in (start, end) if name is not None}
    if not names:
        return False

    def length(node: ast.Node) -> ast.Node | None:
        """The window length: the difference of the two positions does not depend on earlier items."""
        match node:
            case ast.Arithmetic(op="-", left=ast.VarRef(name=left), right=ast.VarRef(name=right)):
                if end is not None and start is not None and left.expanded == end.expanded:
                    return _LENGTH if right.expanded == start.expanded else None
        return None

    conditions = [boundary.when for boundary in (window.start, window.end) if boundary.when is not None]
    read = [*conditions, *place.followers, *(aggregate.source for aggregate in window.aggregates)]
    return any(read_variables(replaced(node, length)) & names for node in read)
