"""How many super-peers a subnet has, and how many neighbours each of them."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class SubnetLimits:
    """A subnet divides above the one, and joins another below the other; the speaker's own numbers count.

    The thesis leaves the numbers open. What has just been joined is not divided at once: two subnets become one only if
    that has at most three quarters of the super-peers that are too many.
    """

    most: int = 32
    least: int = 8
    neighbours: int = 64
    """A super-peer with so many is not chosen for a newcomer; who names it may still join it."""

    @property
    def most_joined(self) -> int:
        return self.most * 3 // 4
