"""Numbers whose sums are exact, in whatever order they are added and taken away.

Integers and decimals are. Doubles are if each is a multiple of 2⁻²⁰ and their magnitudes add up to less than 2³²: every
partial sum is then a double, and no addition rounds.
"""

from __future__ import annotations

SCALE = 1 << 20
"""Units in one."""
MOST_UNITS = 1 << 52
"""The magnitudes of doubles add up to less than this many units."""


def units(number: float) -> int | None:
    """A double as a whole number of units; None if it is not one, or if a sum would not show its sign."""
    if not -(2.0**31) < number < 2.0**31:
        return None
    scaled = number * SCALE
    whole = int(scaled)
    # A negative zero keeps its sign in a sum of nothing else.
    return whole if whole == scaled and (whole or str(number)[0] != "-") else None
