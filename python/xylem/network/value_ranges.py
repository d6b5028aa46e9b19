"""The ranges that conditions leave to single values: most streams that cannot serve a query are told by these alone.

        a stream of photons with 120 < ra < 130          a query for 128 < ra < 135: some are not in the stream

Gain:   a comparison of zones takes tens of microseconds, this takes less than one.
Safe:   it only says no, and only where the query asks for records outside of a range that holds all of the stream's.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from fractions import Fraction
from math import inf

from .difference_bounds import ZERO, Bound
from .implication import with_consequences
from .zones import Kinds, Variable, Zone, Zones

Ranges = Mapping[Variable, tuple[float, float]]
"""Least and greatest numbers; rounding moves a bound of a stream and that of a query the same way."""


def ranges_of_all(zones: Zones) -> Ranges:
    """Ranges that hold in every zone, of values that are always numbers."""
    each = [_ranges(zone) for zone in zones]
    if not each:
        return {}
    common = [variable for variable in each[0] if all(variable in one for one in each)]
    found = {variable: _around(one[variable] for one in each) for variable in common}
    return {variable: limits for variable, limits in found.items() if limits != (-inf, inf)}


def ranges_of_each(zones: Zones) -> tuple[Ranges, ...]:
    """The ranges in each zone, with all that follows from it; zones that cannot be are left out."""
    whole = (with_consequences(zone) for zone in zones)
    return tuple(_ranges(zone) for zone in whole if zone is not None)


def are_within(wanted: tuple[Ranges, ...], own: Ranges) -> bool:
    """Whether all ranges of the one may lie in those of the other."""
    for variable, (least, most) in own.items():
        for one in wanted:
            found = one.get(variable)
            if found is None or found[0] < least or found[1] > most:
                return False
    return True


def _ranges(zone: Zone) -> dict[Variable, tuple[float, float]]:
    numbers = (variable for variable, kinds in zone.kinds.items() if kinds == Kinds.NUMBER)
    return {
        one: (-_number(zone.bounds.bound(ZERO, one)), _number(zone.bounds.bound(one, ZERO))) for one in numbers
    }


def _number(bound: Bound | None) -> float:
    if bound is None:
        return inf
    return _rounded(bound[0])


def _rounded(value: Fraction) -> float:
    try:
        return float(value)
    except OverflowError:
        return inf if value > 0 else -inf


def _around(each: Iterable[tuple[float, float]]) -> tuple[float, float]:
    lows, highs = zip(*each, strict=True)
    return min(lows), max(highs)
