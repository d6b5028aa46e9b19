"""A file as users name it with --functions: a function, an aggregate that merges its states, one that cannot."""

from __future__ import annotations

from dataclasses import dataclass

import xylem

FACTOR = 1000


@dataclass
class Bounds:
    """A state that is an object of the user's own."""

    least: float = float("inf")
    most: float = float("-inf")

    def with_value(self, value: float) -> Bounds:
        return Bounds(min(self.least, value), max(self.most, value))


def scaled(value: float) -> int:
    return round(value * FACTOR)


@xylem.function("udf:milli", "xs:double", "xs:integer")
def milli(value: float) -> int:
    return scaled(value)


@xylem.aggregate("udf:spread", "xs:double*", "xs:integer?")
class Spread:
    """The largest value less the smallest."""

    def init(self) -> Bounds:
        return Bounds()

    def step(self, state: Bounds, value: float) -> Bounds:
        return state.with_value(value)

    def merge(self, first: Bounds, second: Bounds) -> Bounds:
        return Bounds(min(first.least, second.least), max(first.most, second.most))

    def finish(self, state: Bounds) -> int | None:
        return scaled(state.most - state.least) if state.least <= state.most else None


@xylem.aggregate("udf:turns", "xs:double*", "xs:integer")
class Turns:
    """How often values begin to fall: by the order of all, and without `merge`."""

    def init(self) -> tuple[float | None, bool, int]:
        return None, False, 0

    def step(self, state: tuple[float | None, bool, int], value: float) -> tuple[float | None, bool, int]:
        before, falls, count = state
        falling = before is not None and value < before
        return value, falling, count + (falling and not falls)

    def finish(self, state: tuple[float | None, bool, int]) -> int:
        return state[2]
