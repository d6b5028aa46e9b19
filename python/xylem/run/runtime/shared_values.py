"""Values that all turns of a loop share: computed on first use, then kept.

Holds:  the items; the items by parent, if each turn takes some by their position among the children of one parent;
        positions by value, if each turn asks for the positions of a value.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

from xylem.values.comparison_keys import grouping_key
from xylem.values.document_order import SearchedItems, document_order
from xylem.values.node import Node

from .paths import PositionTests, at_positions, by_number_or_truth

_Family = tuple[int, int | None]


class SharedValue:
    """Items that are computed on first use, and then kept."""

    __slots__ = ("_families", "_positions", "built", "fold", "items")

    def __init__(self) -> None:
        self.built = False
        self.items: Sequence[Any] = ()
        self._families: list[list[Node]] | None = None
        self._positions: dict[Any, list[int]] | None = None
        self.fold: Any = None
        """Aggregates of the first items, for any number of them (running_folds.py)."""

    @property
    def size(self) -> int:
        """Number of items held."""
        return len(self.items)

    def keep(self, items: Sequence[Any]) -> Sequence[Any]:
        self.items, self.built = SearchedItems(items) if type(items) is list else items, True
        return self.items

    # --- children by their position among those of their parent

    def of_parents_at(self, items: Sequence[Node], tests: Callable[[], PositionTests]) -> Sequence[Node]:
        """The items whose positions among the items of their parents pass all tests."""
        return self._of_each_family(items, tests, at_positions)

    def of_parents_by(self, items: Sequence[Node], asked: Callable[[], Sequence[Any]]) -> Sequence[Node]:
        """The same for a predicate that is a number or a truth value."""
        return self._of_each_family(items, asked, by_number_or_truth)

    def _of_each_family(
        self, items: Sequence[Node], asked: Callable[[], Any], pick: Callable[..., Iterable[Node]]
    ) -> Sequence[Node]:
        if not items:
            return ()
        value = asked()
        families = self._of_families(items)
        if len(families) == 1:
            return list(pick(families[0], lambda: value))
        found: list[Node] = []
        for family in families:
            picked = list(pick(family, lambda: value))
            if not picked:
                break
            found += picked
        return document_order(found)

    def is_one_family(self, items: Sequence[Node]) -> bool:
        """Whether all items have the same parent."""
        return len(self._of_families(items)) < 2

    def _of_families(self, items: Sequence[Node]) -> list[list[Node]]:
        if self._families is None:
            # The largest first: if a parent has nothing at a place, it has nothing at later ones.
            self._families = sorted(_by_parent(items), key=len, reverse=True)
        return self._families

    # --- positions of values

    def positions_of(self, items: Sequence[Any], value: Any, implicit_timezone: int) -> Sequence[int]:
        """fn:index-of: the positions at which the items equal a value."""
        if value != value:  # NaN equals nothing here, though all NaN have one key.
            return ()
        known = self._positions
        if known is None:
            known = self._positions = {}
            for position, item in enumerate(items, 1):
                known.setdefault(grouping_key(item, None, implicit_timezone), []).append(position)
        return known.get(grouping_key(value, None, implicit_timezone), ())


def _by_parent(nodes: Iterable[Node]) -> list[list[Node]]:
    """Nodes in document order, grouped by parent."""
    families: dict[_Family, list[Node]] = {}
    for node in nodes:
        families.setdefault(_family(node), []).append(node)
    return list(families.values())


def of_each_parent(nodes: Iterable[Node], place: int) -> Iterator[Node]:
    """The node at a position among the nodes of each parent, in document order; -1 means the last one."""
    passed: dict[_Family, int] = {}
    last: dict[_Family, Node] = {}
    for node in nodes:
        family = _family(node)
        if place < 0:
            # The last one of its parent so far gives way to a later one, which comes after all seen before.
            last.pop(family, None)
            last[family] = node
            continue
        passed[family] = number = passed.get(family, 0) + 1
        if number == place:
            yield node
    yield from last.values()


def _family(node: Node) -> _Family:
    parent = node.parent
    return id(node.tree), None if parent is None else parent.pre
