"""Limits on the super-peers of a subnet, and on the neighbours of each."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class SubnetLimits:
    """A subnet divides above one limit, and merges below the other; the speaker's own limits count.

    The thesis leaves the numbers open. A merged subnet is not divided at once: two subnets merge only if the result has
    at most three quarters of the upper limit.
    """

    most: int = 32
    least: int = 8
    neighbours: int = 64
    """A super-peer with this many is not chosen for a newcomer; one that names it may still join it."""

    @property
    def most_joined(self) -> int:
        return self.most * 3 // 4
