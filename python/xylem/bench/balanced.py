"""Draws that keep their promise early: random values whose mean is right after a few dozen of them.

A document at scale 0.005 has sixty auctions. Sixty independent draws of an exponential variable miss its mean by 13 %
as a matter of course, and a generator that is meant to agree with the original within a few percent cannot afford
that. So uniform numbers are taken from shuffled strata (stratified sampling): each block of draws has exactly one
number from each of its equal slices of [0, 1). Every distribution is then the quantile function of such a number.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from random import Random
from statistics import NormalDist
from typing import TypeVar

_STRATA = 32

Item = TypeVar("Item")


class Balanced:
    """A family of balanced draws fed by one random generator; each draw function has strata of its own."""

    def __init__(self, random: Random) -> None:
        self._random = random

    def uniform(self) -> Callable[[], float]:
        """Numbers in [0, 1), one from every 32nd of it in each block of 32."""
        return self._numbers().__next__

    def _numbers(self) -> Iterator[float]:
        random, shuffle = self._random.random, self._random.shuffle
        order = list(range(_STRATA))
        while True:
            shuffle(order)
            for stratum in order:
                yield (stratum + random()) / _STRATA

    def chance(self, probability: float) -> Callable[[], bool]:
        """True in the given share of the draws."""
        draw = self.uniform()
        return lambda: draw() < probability

    def exponential(self, mean: float, least: float = 0.0, most: float = math.inf) -> Callable[[], float]:
        """`least` plus an exponential variable of the given mean, cut off at `most`."""
        draw, log = self.uniform(), math.log
        return lambda: min(most, least - mean * log(1.0 - draw()))

    def count(self, mean: float, least: int = 0, most: int = 250) -> Callable[[], int]:
        """A number of children: the exponential variable, rounded as XMark's generator does it."""
        draw = self.exponential(mean, least, most)
        return lambda: int(draw() + 0.5)

    def normal(self, mean: float, deviation: float, least: float = -math.inf) -> Callable[[], float]:
        """A normal variable; what falls under `least` becomes `least`."""
        draw, quantile = self.uniform(), NormalDist(mean, deviation).inv_cdf
        return lambda: max(least, quantile(draw() or 1e-9))

    def integer(self, least: int, most: int) -> Callable[[], int]:
        """An integer of `least` … `most`, all alike."""
        draw, width = self.uniform(), most - least + 1
        return lambda: least + int(draw() * width)

    def choice(self, items: Sequence[Item]) -> Callable[[], Item]:
        """One of the items, all alike."""
        draw, size = self.uniform(), len(items)
        return lambda: items[int(draw() * size)]

    def weighted(self, shares: dict[Item, float]) -> Callable[[], Item]:
        """One of the keys, each in proportion to its value."""
        from bisect import bisect
        from itertools import accumulate

        draw, items, sums = self.uniform(), list(shares), list(accumulate(shares.values()))
        total, last = sums[-1], len(items) - 1
        return lambda: items[min(last, bisect(sums, draw() * total))]
