"""Windows by event time: items are put in order before they reach the cursor."""

from __future__ import annotations

from functools import partial

from xylem.analysis.event_order_call import EventOrderCall
from xylem.analysis.types import signature_type
from xylem.functions.event_order import EventOrder
from xylem.run.windows.event_time_cursor import EventTimeCursor
from xylem.values.sequence_type import ItemType

from .code import one
from .compiler import Compiler


def in_event_order(c: Compiler, order: EventOrderCall, cursor: str, item: ItemType) -> str:
    """Wrap an expression that creates a cursor: the result puts items in event-time order for it."""

    def write() -> None:
        c.declare(order.item.expanded, one("item", item, simple=True))
        c.writer.line(f"return {c.atomic_operand(order.time, 'the event time of an item').text}")

    frame = c.lifted("time", ["item"], c.describe(order.time), write)
    captures = "".join(f", {name}={name}" for name in frame.captures)
    time_of = f"{c.rt(partial)}({frame.name}{captures})" if captures else frame.name
    text = signature_type("xs:string")
    bound, late = (
        c.converted(c.compile(expr), text, "an argument of event-order()").text for expr in (order.bound, order.late)
    )
    return f"{c.rt(EventTimeCursor)}({c.rt(EventOrder)}({time_of}, {bound}, {late}, {c.context()}), {cursor})"
