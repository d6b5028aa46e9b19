"""Sets of automaton states as integers: bit q is state q. For most models a union or a test is one operation."""

from __future__ import annotations

from collections.abc import Iterable, Iterator


def states(bits: int) -> Iterator[int]:
    """The members, in ascending order.

    >>> list(states(0b1010))
    [1, 3]
    """
    while bits:
        low = bits & -bits
        yield low.bit_length() - 1
        bits ^= low


def union(sets: Iterable[int]) -> int:
    """The union of several sets."""
    result = 0
    for bits in sets:
        result |= bits
    return result
