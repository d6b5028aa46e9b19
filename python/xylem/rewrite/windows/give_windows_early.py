"""Give a result before the window ends.

    forseq $w in E tumbling window start curItem $s when A end … return f($s)     as soon as a window starts
    forseq $w in E tumbling window … return for $x in $w return g($x)             as each item arrives

Gain:   results come early, and no item is kept (windows paper, 6.3.4).
Needs:  no `force`, and nothing after the clause reads the variables of the end. First form: nothing reads the window
        either, and windows come in the order of their first items. Second form: tumbling windows; only the result reads
        $w, once, as the sequence of a `for` or the base of a map or filter, and no clause in between waits for all
        tuples.
Safe:   every window that starts is returned, at the latest at the end of the input; the results are the same, in the
        same order.
"""

from __future__ import annotations

from xylem.analysis.bound_names import read_variables
from xylem.analysis.focus import uses_last
from xylem.plan.window_plan import WindowPlan
from xylem.syntax import ast

from .conditions import binds
from .rule import WindowFacts, WindowPlace, WindowRule


class GiveWindowsEarly(WindowRule):
    name = "give_windows_early"
    paper = "6.3.4"

    def apply(self, place: WindowPlace, facts: WindowFacts) -> WindowPlace:
        window = place.window
        if window.force or window.aggregates or window.longest is not None or window.type is not None:
            return place
        if window.kind == "landmark" or window.partition is not None or facts.is_sequential:
            return place
        if binds(place.followers, window.names):
            return place
        if any(variable.type is not None for variable in (*window.start.variables, *window.end.variables)):
            return place
        read: set[tuple[str, str]] = set()
        for node in place.followers:
            read |= read_variables(node)
        if read & window.end.names:
            return place
        if window.name.expanded not in read:
            return place.with_window(early="start") if window.kind == "tumbling" or window.is_standard else place
        if window.kind == "tumbling" and _is_read_on(place, window):
            return place.with_window(early="items")
        return place


def _is_read_on(place: WindowPlace, window: WindowPlan) -> bool:
    if any(window.name.expanded in read_variables(clause) for clause in place.rest):
        return False
    if any(isinstance(clause, (ast.OrderByClause, ast.GroupByClause, ast.ForClause)) for clause in place.rest):
        return False
    if any(not isinstance(clause, (ast.LetClause, ast.WhereClause, ast.CountClause)) for clause in place.rest):
        return False
    return _is_iterated(place.result, window)


def _is_iterated(expr: ast.Expr, window: WindowPlan) -> bool:
    """Whether an expression reads the window once, from its first item to its last."""
    own = window.name.expanded
    match expr:
        case ast.VarRef(name=name):
            return name.expanded == own
        case ast.Flwor(clauses=(ast.ForClause() as first, *rest), result=result):
            others = (*rest, result)
            if any(own in read_variables(node) for node in others) or not _is_iterated(first.collection, window):
                return False
            return not any(isinstance(clause, (ast.OrderByClause, ast.GroupByClause)) for clause in rest)
        case ast.SimpleMap(left=left, right=right):
            return own not in read_variables(right) and not uses_last(right) and _is_iterated(left, window)
        case ast.Filter(base=base, predicate=predicate):
            return own not in read_variables(predicate) and not uses_last(predicate) and _is_iterated(base, window)
    return False
