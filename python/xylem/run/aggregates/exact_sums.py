"""Exact sums: the order of adding and removing the numbers does not matter.

Sums of integers and decimals are exact. Sums of doubles are exact if each is a multiple of 2⁻²⁰ and their magnitudes
add up to less than 2³²: every partial sum is then a double, and no addition rounds.
"""

from __future__ import annotations

SCALE = 1 << 20
"""Units per 1."""
MOST_UNITS = 1 << 52
"""The sum of the magnitudes of doubles must stay below this many units."""


def units(number: float) -> int | None:
    """Convert a double to a whole number of units; None if that is impossible, or if a sum would lose its sign."""
    if not -(2.0**31) < number < 2.0**31:
        return None
    scaled = number * SCALE
    whole = int(scaled)
    # The sign of a negative zero only survives in a sum of negative zeros.
    return whole if whole == scaled and (whole or str(number)[0] != "-") else None
