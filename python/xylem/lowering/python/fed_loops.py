"""Loops over items that a stream feeds as they arrive (`run/windows/feed.py`)."""

from __future__ import annotations

from dataclasses import replace

from xylem.analysis.event_order_call import event_order_call
from xylem.plan.flux import ITEMS
from xylem.plan.window_plan import WindowPlan
from xylem.run.windows.feed import PAUSE
from xylem.syntax import ast

from .compiler import Compiler


def reads_fed_items(collection: ast.Expr) -> bool:
    """Whether windows range over items that a stream feeds."""
    order = event_order_call(collection)
    # They may be put in order before windows see them.
    collection = collection if order is None else order.items
    return isinstance(collection, ast.VarRef) and collection.name.expanded == ITEMS.expanded


def pauses(c: Compiler, collection: ast.Expr) -> bool:
    """Whether the items of a variable may include pauses."""
    known = c.scope.variables.get(collection.name.expanded) if isinstance(collection, ast.VarRef) else None
    return known is not None and known.code.pauses


def settled(plan: WindowPlan, result: ast.Expr) -> WindowPlan:
    """The plan of windows whose items are processed as they arrive: fed windows get a loop that can pause."""
    if plan.early != "items" or not reads_fed_items(plan.collection):
        return plan
    match result:
        case ast.VarRef() | ast.Flwor(clauses=(ast.ForClause(collection=ast.VarRef()), *_)):
            return plan
    return replace(plan, early="")


def write_fed_loop(c: Compiler, targets: str, source: str) -> None:
    """The head of a loop over fed items; at a pause among them, the generator pauses too."""
    turn, pause = c.writer.fresh("turn"), c.writer.constant(PAUSE, "PAUSE", key="PAUSE")
    c.writer.line(f"for {turn} in {source}:")
    with c.writer.indented():
        c.writer.line(f"if {turn} is {pause}:")
        with c.writer.indented():
            c.writer.line(f"yield {pause}")
            c.writer.line("continue")
        c.writer.line(f"{targets} = {turn}")
