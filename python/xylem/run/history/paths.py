"""Where the paths of all sources of a query stand at each element: one automaton, made as names are met."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from xylem.plan.history import Source
from xylem.values.qname import QName

__all__ = ["Paths", "Standing"]


class Standing:
    """What may still match below an element: for each source, the steps that its children may take next."""

    __slots__ = ("_known", "_paths", "positions", "projected")

    def __init__(self, paths: Paths, positions: frozenset[tuple[int, int]]) -> None:
        self._paths = paths
        self.positions = positions
        self._known: dict[tuple[str, str], Taken] = {}
        self.projected = tuple(
            number
            for number, index in sorted(positions)
            if paths.sources[number].projection is not None and index == len(paths.sources[number].steps) - 1
        )
        """The sources of which the children, with their versions, are units."""

    def __bool__(self) -> bool:
        return bool(self.positions)

    def below(self, name: QName) -> Taken:
        """An element of this name is entered."""
        key = (name.uri, name.local)
        known = self._known.get(key)
        if known is None:
            known = self._known[key] = self._paths.taken(self.positions, *key)
        return known


class Taken(NamedTuple):
    inside: Standing
    units: tuple[int, ...]
    """The sources that the element is a unit of."""


class Paths:
    """The automaton of all sources."""

    def __init__(self, sources: Sequence[Source]) -> None:
        self.sources = sources
        self._standings: dict[frozenset[tuple[int, int]], Standing] = {}
        self.nowhere = self._standing(frozenset())

    def of_stream(self, stream: str) -> Standing:
        """At the root of a stream."""
        return self._standing(frozenset((one.number, 0) for one in self.sources if one.stream == stream))

    def taken(self, positions: frozenset[tuple[int, int]], uri: str, local: str) -> Taken:
        following: set[tuple[int, int]] = set()
        units: list[int] = []
        for number, index in sorted(positions):
            steps = self.sources[number].steps
            step = steps[index]
            if step.is_deep:
                following.add((number, index))
            if not step.test.takes(uri, local):
                continue
            if index + 1 < len(steps):
                following.add((number, index + 1))
            elif self.sources[number].projection is None:
                units.append(number)
        return Taken(self._standing(frozenset(following)), tuple(units))

    def _standing(self, positions: frozenset[tuple[int, int]]) -> Standing:
        known = self._standings.get(positions)
        if known is None:
            known = self._standings[positions] = Standing(self, positions)
        return known
