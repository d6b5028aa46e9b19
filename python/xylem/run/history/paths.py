"""One automaton that follows the paths of all sources of a query down the elements."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from xylem.plan.history import Kept, Source
from xylem.values.qname import QName

__all__ = ["Paths", "Standing"]


class Standing:
    """The possible matches below an element: for each source, the steps that its children may match next."""

    __slots__ = ("_known", "_paths", "has_units", "kept", "past", "positions", "projected")

    def __init__(self, paths: Paths, positions: frozenset[tuple[int, int]]) -> None:
        self._paths = paths
        self.positions = positions
        self._known: dict[tuple[str, str], Taken] = {}
        self.projected = tuple(
            number
            for number, index in sorted(positions)
            if number < len(paths.sources)
            and paths.sources[number].projection is not None
            and index == len(paths.sources[number].steps) - 1
        )
        """The sources whose units are the children, with their versions."""
        self.has_units = any(number < len(paths.sources) for number, _ in positions)
        """Whether units may come."""
        self.kept = tuple(
            paths.kept[number - len(paths.sources)]
            for number, index in sorted(positions)
            if number >= len(paths.sources) and index == len(paths.steps[number]) - 1
        )
        """The retention of slots here that hold elements of certain names."""
        self.past: Standing = (
            paths.standing(frozenset(one for one in positions if one[0] >= len(paths.sources)))
            if self.has_units
            else self
        )
        """The same in a superseded version: no units, but the retention of its slots."""

    def __bool__(self) -> bool:
        return bool(self.positions)

    def below(self, name: QName) -> Taken:
        """Enter an element of this name."""
        key = (name.uri, name.local)
        known = self._known.get(key)
        if known is None:
            known = self._known[key] = self._paths.taken(self.positions, *key)
        return known


class Taken(NamedTuple):
    inside: Standing
    units: tuple[int, ...]
    """The sources for which the element is a unit."""


class Paths:
    """The automaton of all sources."""

    def __init__(self, sources: Sequence[Source], kept: Sequence[Kept] = ()) -> None:
        self.sources = sources
        self.kept = kept
        self.steps = [*(one.steps for one in sources), *(one.steps for one in kept)]
        """Meaning of the numbers in positions: sources, then retentions."""
        self._streams = [*(one.stream for one in sources), *(one.stream for one in kept)]
        self._standings: dict[frozenset[tuple[int, int]], Standing] = {}

    def of_stream(self, stream: str) -> Standing:
        """The state at the root of a stream."""
        return self.standing(frozenset((number, 0) for number, name in enumerate(self._streams) if name == stream))

    def taken(self, positions: frozenset[tuple[int, int]], uri: str, local: str) -> Taken:
        following: set[tuple[int, int]] = set()
        units: list[int] = []
        for number, index in sorted(positions):
            steps = self.steps[number]
            step = steps[index]
            if step.is_deep:
                following.add((number, index))
            if not step.test.takes(uri, local):
                continue
            if index + 1 < len(steps):
                following.add((number, index + 1))
            elif number < len(self.sources) and self.sources[number].projection is None:
                units.append(number)
        return Taken(self.standing(frozenset(following)), tuple(units))

    def standing(self, positions: frozenset[tuple[int, int]]) -> Standing:
        known = self._standings.get(positions)
        if known is None:
            known = self._standings[positions] = Standing(self, positions)
        return known
