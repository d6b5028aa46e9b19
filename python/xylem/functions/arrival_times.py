"""xylem:add-timestamp: items with the time of their arrival (windows paper, 3.4.3).

    forseq $w in xylem:add-timestamp(/log/entry) tumbling window
      start curItem $first when true()
      end curItem $last when xs:dateTime($last/@tstamp) - xs:dateTime($first/@tstamp) ge xs:dayTimeDuration("PT1H")

The function copies each element and gives it an attribute `tstamp`, an xs:dateTime, which replaces an existing one.
During a replay, the time comes from its clock (`source/replay.py`) and is the same each time; otherwise from this
machine.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from xylem.values.builder import TreeBuilder
from xylem.values.node import Node
from xylem.values.qname import QName

from .registry import function

if TYPE_CHECKING:
    from xylem.values.datetimes import DateTime

    from .context import Context

TSTAMP = QName("", "tstamp")


@function("xylem:add-timestamp", "element()*", "element()*", lazy="items", context=True)
def add_timestamp(ctx: Context, items: Iterable[Node]) -> Iterator[Node]:
    for item in items:
        yield stamped(item, arrival_time(ctx))


def arrival_time(ctx: Context) -> DateTime:
    """The current time: of the replay, or of this machine."""
    clock = ctx.run.clock
    shown = None if clock is None else clock()
    if shown is not None:
        return shown
    from datetime import datetime

    from xylem.values.datetimes import DateTime

    return DateTime.from_python(datetime.now().astimezone())


def stamped(item: Node, time: DateTime) -> Node:
    """A copy of an element with the attribute."""
    tree = item.tree
    name = item.name
    assert name is not None
    builder = TreeBuilder(item.base_uri)
    namespaces = {prefix: uri for prefix, uri in item.namespaces.items() if prefix != "xml"}
    builder.start_element(name, namespaces)
    for row in tree.attributes(item.pre):
        if tree.name(row) != TSTAMP:
            builder.copy(Node(tree, row))
    builder.attribute(TSTAMP, str(time))
    for row in tree.children(item.pre):
        builder.copy(Node(tree, row))
    builder.end_element()
    return builder.finish()
