"""The ranges of single values say no only where the comparison of conditions does."""

from __future__ import annotations

import random

from xylem.network.implication import implies
from xylem.network.properties import properties_of
from xylem.network.value_ranges import are_within
from xylem.schema import load_schema
from xylem.syntax import parse

from .match_pairs import DTD as PHOTONS
from .random_conditions import DTD, condition
from .test_matching_campaign import query_of

SCHEMA = load_schema(DTD)


def test_ranges_of_conditions() -> None:
    schema = load_schema(PHOTONS)

    def is_left(own: str, wanted: str) -> bool:
        found = [properties_of(parse(f"/photons/photon[{test}]"), schema) for test in (own, wanted)]
        return are_within(found[1].asked_ranges, found[0].ranges)

    assert is_left("ra > 1", "ra > 1 and dec < 2")
    assert is_left("ra > 1 or dec > 1", "ra > 2")
    assert is_left("ra > 1e300", "ra > 1e301")
    assert is_left("xs:decimal(en) > 1" + "0" * 400, "xs:decimal(en) > 1" + "0" * 401)
    assert is_left("ra >= 0.1", "ra >= 0.1")
    # What follows from a condition counts, and not its words alone.
    assert is_left("en >= 2", "xs:decimal(en) >= 2")
    assert not is_left("ra > 1 and ra < 5", "ra > 1 and ra < 6")
    assert not is_left("ra > 1", "dec > 1")
    # Values that are not numbers are outside of every range.
    assert not is_left("phc > 1", "not(phc <= 1)")


def test_no_match_is_lost() -> None:
    draw = random.Random("ranges")
    each = [properties_of(parse(query_of(condition(draw))), schema) for schema in (SCHEMA, None) for _ in range(60)]
    left_out = 0
    for own in each:
        for wanted in each:
            if not are_within(wanted.asked_ranges, own.ranges):
                left_out += 1
                assert not implies(wanted.zones, own.zones), (own.conditions, wanted.conditions)
    assert left_out > 200
