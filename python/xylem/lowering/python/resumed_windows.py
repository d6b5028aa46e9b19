"""Window clauses over a stream that arrives in batches: the run replaces the source of their windows."""

from __future__ import annotations

from xylem.analysis.event_order_call import event_order_call
from xylem.plan.part_names import ITEMS_OF_STREAM, RESUMED_WINDOWS
from xylem.syntax import ast

from .compiler import Compiler


def reads_stream_in_batches(collection: ast.Expr) -> bool:
    """Whether windows range over items that arrive in batches."""
    return isinstance(collection, ast.VarRef) and collection.name.expanded == ITEMS_OF_STREAM.name.expanded


def forms_windows_in_batches(clause: ast.Clause) -> bool:
    """Whether a clause, planned or not, forms windows over such items."""
    collection: object = getattr(clause, "collection", None)
    if isinstance(collection, ast.DataWindow):
        collection = collection.base
    if not isinstance(collection, ast.Expr):
        return False
    order = event_order_call(collection)
    return reads_stream_in_batches(collection if order is None else order.items)


def resumed_windows(c: Compiler) -> str:
    """An expression for the windows of a batch."""
    return f"run.variables[{c.writer.constant(RESUMED_WINDOWS, 'resumed', key=RESUMED_WINDOWS)}]"
