"""Loops of a template that read nodes outside their items at each turn.

    for $a in $r/a return <x>{ $a/k, $r/h }</x>        the children of $r are read for each $a

Gain:   the scan writes the results of a few turns faster than code does, but reads the same rows again for each. Code
        computes values that all turns share once, by an index or a cache (`rewrite/joins`). If there are many turns,
        the scan leaves the record to code, and time stays linear.
Needs:  code that looks something up. Otherwise it would read as much again, and take longer.
"""

from __future__ import annotations

from dataclasses import fields, is_dataclass, replace
from typing import Any

from xylem.plan.kernel_expression import AxisOf, EachItem, EachMember, EachNode, EachOf, EachTuple, SlotValue
from xylem.plan.result_template import Each, EachBinding, EachNodeOf, EachValue, Template

LOOPS = (Each, EachNode, EachMember, EachOf, EachNodeOf)
"""Loops over elements: paths inside of them begin there."""


def with_few_turns(template: Template) -> Template:
    """The template, in which loops over elements that look above themselves are limited to few turns."""
    made: Template = _limited(template)
    return made


def _limited(node: Any) -> Any:
    if isinstance(node, tuple):
        return tuple(map(_limited, node))
    if not is_dataclass(node) or isinstance(node, type):
        return node
    changed: dict[str, Any] = {one.name: _limited(getattr(node, one.name)) for one in fields(node)}
    if isinstance(node, (Each, EachNode)):
        inside = node.parts if isinstance(node, Each) else node.inner
        changed["are_few"] = _looks_above((inside, node.counting), 0) or _walks_slots(inside)
    elif isinstance(node, (EachOf, EachNodeOf)):
        inside = node.parts if isinstance(node, EachNodeOf) else node.inner
        changed["are_few"] = _looks_above(inside, 0) or _walks_slots(inside)
    elif isinstance(node, (EachItem, EachValue, EachTuple, EachBinding)):
        # They have no element of their own: all paths begin outside.
        inside = node.inner if isinstance(node, (EachItem, EachTuple)) else node.parts
        changed["are_few"] = _looks_above(inside, -1) or _walks_slots(inside)
    return replace(node, **changed)


def _walks_slots(node: Any) -> bool:
    """Whether there is a loop over nodes that were gathered before."""
    if isinstance(node, tuple):
        return any(map(_walks_slots, node))
    if not is_dataclass(node) or isinstance(node, type):
        return False
    if isinstance(node, (EachOf, EachNodeOf)) and isinstance(node.nodes, SlotValue):
        return True
    if isinstance(node, EachItem) and isinstance(node.values, SlotValue):
        return True
    return any(_walks_slots(getattr(node, one.name)) for one in fields(node))


def begins_outside(node: Any) -> bool:
    """Whether nodes are found by steps from an element, perhaps an outer one."""
    if isinstance(node, AxisOf):
        return node.axis.startswith(("child", "descendant"))
    return bool(getattr(node, "path", ()))


def _looks_above(node: Any, loops: int) -> bool:
    """Whether a path begins outside this many loops and one more, and goes down from there."""
    if isinstance(node, tuple):
        return any(_looks_above(one, loops) for one in node)
    if not is_dataclass(node) or isinstance(node, type):
        return False
    if begins_outside(node) and getattr(node, "up", 0) > loops:
        return True
    inner = loops + isinstance(node, LOOPS)
    return any(_looks_above(getattr(node, one.name), inner) for one in fields(node))
