"""Values that are the same at each turn of a loop over elements: they are computed once, before it.

        for $l in $o/line where $l/price = max($o/line/price) return $l
    →   LetValue(0, max(line/price), EachNode(line, if (price = $0) …))

Safe:   if the value cannot be computed, or is an error, the record is left to the query, which may not need it.
"""

from __future__ import annotations

from collections.abc import Container
from dataclasses import dataclass, field, fields, is_dataclass, replace
from typing import Any

from xylem.plan.kernel_expression import EachMember, EachNode, EachOf, KernelExpression, LetValue, SlotValue, Tests
from xylem.plan.result_template import Let

_INSIDE = ("inner", "counting", "members")
"""What belongs to the turns of a loop."""


@dataclass
class Turn:
    """A loop in progress."""

    first_slot: int
    """Slots from this one on belong to its turns."""
    before: list[tuple[int, KernelExpression]] = field(default_factory=list)
    """What is computed before the loop, with its slots."""

    def around(self, loop: KernelExpression) -> KernelExpression:
        """The loop behind what is computed before it."""
        for slot, value in reversed(self.before):
            loop = LetValue(slot, value, loop)
        return loop

    @property
    def lets(self) -> list[Let]:
        """What is computed before the loop, as parts of a template."""
        return [Let(slot, value) for slot, value in self.before]


class _Inside(Exception):
    """It reads something of the loops."""


def moved_out(value: KernelExpression, levels: int, inside: Container[int]) -> KernelExpression | None:
    """An expression as it reads some loops further out; None if it depends on them, or on slots inside of them."""
    try:
        made: KernelExpression = _moved(value, levels, 0, inside)
    except _Inside:
        return None
    return made


def _moved(node: Any, levels: int, depth: int, inside: Container[int]) -> Any:
    """`depth` is the number of loops in the expression itself."""
    if isinstance(node, tuple):
        return tuple(_moved(one, levels, depth, inside) for one in node)
    if not is_dataclass(node) or isinstance(node, type):
        return node
    if (isinstance(node, Tests) and depth == 0) or (isinstance(node, SlotValue) and node.slot in inside):
        raise _Inside
    changed: dict[str, Any] = {}
    for one in fields(node):
        old = getattr(node, one.name)
        is_further_in = isinstance(node, (EachNode, EachOf, EachMember)) and one.name in _INSIDE
        changed[one.name] = _moved(old, levels, depth + is_further_in, inside)
    up = getattr(node, "up", None)
    if isinstance(up, int) and up >= depth:
        if up - depth < levels:
            raise _Inside
        changed["up"] = up - levels
    return replace(node, **changed)
