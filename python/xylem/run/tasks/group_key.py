"""Grouping keys as bytes: values that are equal under `group by` have equal bytes (XQuery 3.1 §3.12.7).

The converse need not hold: `eq` promotes numbers, and is not transitive between decimals, floats and doubles, so no
bytes can represent it exactly. Numbers are compared by their value in single precision, the coarsest of the types; the
process that has all rows of a key separates groups with `grouping_key` itself.
"""

from __future__ import annotations

import struct
from collections.abc import Sequence
from decimal import Decimal
from typing import Any

from xylem.values.collations import Collation
from xylem.values.comparison_keys import grouping_key
from xylem.values.families import CALENDAR, FAMILY_OF, Family
from xylem.values.numbers import to_double, to_single
from xylem.values.string_of import string_of


def group_key(values: Sequence[Any], collations: Sequence[Collation | None], implicit_tz: int) -> bytes:
    """The bytes of some grouping values; None is the empty sequence."""
    return b"".join(_one(value, own, implicit_tz) for value, own in zip(values, collations, strict=True))


def exact_key(values: Sequence[Any], collations: Sequence[Collation | None], implicit_tz: int) -> tuple[Any, ...]:
    """The exact key that the tuples of one group share."""
    return tuple(
        None if value is None else grouping_key(value, own, implicit_tz)
        for value, own in zip(values, collations, strict=True)
    )


def _one(value: Any, collation: Collation | None, implicit_tz: int) -> bytes:
    if value is None:
        return b"\0"
    family = FAMILY_OF[type(value)]
    if family == Family.STRING:
        return _framed(b"s", (value if collation is None else collation.key(value)).encode("utf-8", "surrogatepass"))
    if family == Family.NUMBER:
        number = float(to_single(to_double(value)))
        return b"n" + (b"NaN_" if number != number else struct.pack(">f", number + 0.0 if number else 0.0))
    if family in CALENDAR:
        minutes, seconds = value.compare_key(implicit_tz)
        return _framed(b"t%d" % int(family), f"{minutes} {Decimal(seconds).normalize()}".encode())
    if family == Family.DURATION:
        return _framed(b"d", repr((value.months, value.seconds.normalize())).encode())
    if family == Family.BOOLEAN:
        return b"b1" if value else b"b0"
    return _framed(b"o%d" % int(family), getattr(value, "eqname", string_of(value)).encode("utf-8", "surrogatepass"))


def _framed(kind: bytes, data: bytes) -> bytes:
    return kind + struct.pack(">I", len(data)) + data
