"""Places among siblings: `b[2]`, `b[c][last()]`. A list for each parent finds the units at the requested places."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from xylem.plan import history as plan
from xylem.values.node import Node

from .content import Element
from .ordered_list import OrderedList
from .unit_notes import Unit

__all__ = ["SiblingPlaces"]


class _Family:
    """The units of one parent that pass, in order, and those of them at requested places."""

    __slots__ = ("chosen", "members")

    def __init__(self) -> None:
        self.members: OrderedList[Unit] = OrderedList()
        self.chosen: dict[Unit, None] = {}


class SiblingPlaces:
    """The units of a loop at the requested positions."""

    def __init__(self, described: plan.Siblings, passes: Callable[..., Any] | None) -> None:
        self._start, self._end = described.start, described.end
        self._passes = passes
        self._families: dict[Element | None, _Family] = {}
        self._changed: dict[Element | None, None] = {}

    def note(self, unit: Unit, node: Node) -> None:
        """Note a unit that is new or whose input has changed."""
        is_member = True
        if self._passes is not None:
            found = self._passes(node)
            is_member = bool(found if isinstance(found, bool) else next(iter(found)))
        family = self._families.get(unit.parent)
        if family is None:
            family = self._families[unit.parent] = _Family()
        key = (unit.place,)
        if is_member is (family.members.get(key, None) is not None):  # type: ignore[arg-type]  # None is no unit
            return
        if is_member:
            family.members.add(key, unit)
        else:
            family.members.remove(key)
        self._changed[unit.parent] = None

    def remove(self, unit: Unit) -> None:
        """Remove a unit."""
        family = self._families.get(unit.parent)
        if family is None:
            return
        family.chosen.pop(unit, None)
        if family.members.get((unit.place,), None) is not None:  # type: ignore[arg-type]  # None is no unit
            family.members.remove((unit.place,))
            self._changed[unit.parent] = None
        if not family.members.weight:
            del self._families[unit.parent]

    def holds(self, unit: Unit) -> bool:
        """Whether the unit was at a requested place when all were last checked."""
        family = self._families.get(unit.parent)
        return family is not None and unit in family.chosen

    def moved(self) -> list[Unit]:
        """Check all places that may have changed; return the units that entered or left a requested place."""
        changed, self._changed = self._changed, {}
        found: list[Unit] = []
        for parent in changed:
            family = self._families.get(parent)
            if family is None:
                continue
            before, family.chosen = family.chosen, self._chosen(family.members)
            found += [unit for unit in before if unit not in family.chosen]
            found += [unit for unit in family.chosen if unit not in before]
        return found

    def _chosen(self, members: OrderedList[Unit]) -> dict[Unit, None]:
        size = members.weight
        start = self._start if self._start >= 0 else max(size + self._start, 0)
        end = size if self._end is None else min(self._end, size)
        found: dict[Unit, None] = {}
        if start < end:
            for unit, place in members.from_item(start):
                if place >= end:
                    break
                found[unit] = None
        return found
