"""Join keys: values that may be equal under `=` (XQuery 3.1 §3.7.2) have a key in common.

Numeric texts have the key of their number, since an untyped value that is compared with a number becomes one; the keys
of other texts are their characters. So equal values have equal keys; values with equal keys are compared afterwards (an
untyped `1` is not an untyped `1.0`). No key fits values that compare otherwise, or whose comparison is an error: their
*mark* says which must be compared with which, whatever their keys.
"""

from __future__ import annotations

import struct
from collections.abc import Collection
from decimal import Decimal
from typing import Any

from xylem.errors import XylemError
from xylem.values.casting_numbers import parse_double
from xylem.values.families import FAMILY_OF, INTEGER_CLASSES, Family
from xylem.values.numbers import to_double
from xylem.values.strings import UntypedAtomic

NUMERAL, WORD, STRING, NUMBER, OTHER = "numeral", "word", "string", "number", "other"
"""Marks: numeric and other untyped values, strings, numbers, everything else."""
_CLASHES = frozenset({(STRING, NUMBER), (WORD, NUMBER)})
"""Comparing these is an error."""
_EXACT = INTEGER_CLASSES | {Decimal, float}
_BEGINS_NUMBER = frozenset("+-.0123456789IN \t\r\n")

JoinKey = str | float | None
"""None if values of the mark have no key: they equal nothing, or must be compared with everything."""


def join_key(value: Any) -> tuple[JoinKey, str]:
    """The key and the mark of an atomic value."""
    kind = type(value)
    if kind is UntypedAtomic:
        number = _number(value)
        return (str(value), WORD) if number is None else (number if number == number else str(value), NUMERAL)
    family = FAMILY_OF.get(kind)
    if family == Family.STRING:
        number = _number(value)
        return (str(value) if number is None or number != number else number), STRING
    if kind in _EXACT:
        double = to_double(value)
        return (double if double == double else None), NUMBER
    # Including xs:float: a decimal is rounded to be compared with it.
    return None, OTHER


def must_compare(marks: Collection[str], others: Collection[str]) -> bool:
    """Whether values with some marks must be compared with values with others, whatever their keys."""
    if not marks or not others:
        return False
    if OTHER in marks or OTHER in others:
        return True
    return any((a, b) in _CLASHES or (b, a) in _CLASHES for a in marks for b in others)


def key_bytes(key: str | float) -> bytes:
    """A key in the form sent between processes."""
    return b"t" + key.encode("utf-8", "surrogatepass") if isinstance(key, str) else b"n" + struct.pack(">d", key + 0.0)


def _number(text: str) -> float | None:
    if text[:1] not in _BEGINS_NUMBER or (text[:1] in "NI" and text.rstrip() not in ("NaN", "INF")):
        return None
    try:
        return parse_double(text)
    except XylemError:
        return None
