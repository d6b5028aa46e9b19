"""The functions that the kernel knows, by name and number of arguments."""

from __future__ import annotations

from xylem.functions.registry import FN, PREFIXES

XS = "http://www.w3.org/2001/XMLSchema"

BY_NAME = {
    "not": (1, 1), "boolean": (1, 1), "count": (1, 1), "exists": (1, 1), "empty": (1, 1), "sum": (1, 1),
    "avg": (1, 1), "number": (1, 1), "string": (1, 1), "data": (1, 1), "abs": (1, 1), "floor": (1, 1),
    "ceiling": (1, 1), "round": (1, 2), "round-half-to-even": (1, 2), "concat": (2, 99), "string-join": (1, 2),
    "substring": (2, 3),
    "year-from-date": (1, 1), "month-from-date": (1, 1), "day-from-date": (1, 1), "year-from-dateTime": (1, 1),
    "month-from-dateTime": (1, 1), "day-from-dateTime": (1, 1), "hours-from-dateTime": (1, 1),
    "minutes-from-dateTime": (1, 1), "seconds-from-dateTime": (1, 1), "days-from-duration": (1, 1),
    "hours-from-duration": (1, 1), "minutes-from-duration": (1, 1), "seconds-from-duration": (1, 1),
    "upper-case": (1, 1), "lower-case": (1, 1), "normalize-space": (1, 1), "string-length": (1, 1), "translate": (3, 3),
    "reverse": (1, 1), "hours-from-time": (1, 1), "minutes-from-time": (1, 1), "seconds-from-time": (1, 1),
    "timezone-from-date": (1, 1), "timezone-from-dateTime": (1, 1), "timezone-from-time": (1, 1),
    "adjust-date-to-timezone": (2, 2), "adjust-dateTime-to-timezone": (2, 2), "adjust-time-to-timezone": (2, 2),
    "zero-or-one": (1, 1), "exactly-one": (1, 1), "one-or-more": (1, 1), "head": (1, 1), "tail": (1, 1),
    "dateTime": (2, 2), "string-to-codepoints": (1, 1), "codepoints-to-string": (1, 1),
}  # fmt: skip
"""The minimum and maximum number of arguments."""
BY_CODE_POINTS = {
    "min": (1, 1), "max": (1, 1), "contains": (2, 2), "starts-with": (2, 2), "ends-with": (2, 2),
    "substring-before": (2, 2), "substring-after": (2, 2), "distinct-values": (1, 1),
    "compare": (2, 2), "contains-token": (2, 2), "index-of": (2, 2), "deep-equal": (2, 2),
}  # fmt: skip
"""Functions that compare strings by code points: not under another default collation."""
MATHEMATICS = {
    "sqrt": 1, "exp": 1, "log": 1, "log10": 1, "sin": 1, "cos": 1, "tan": 1, "asin": 1, "acos": 1, "atan": 1, "pow": 2,
}  # fmt: skip
CASTS = frozenset({"double", "integer", "decimal", "string", "boolean", "date", "dateTime", "time", "dayTimeDuration"})


def known_function(name: tuple[str, str], arguments: int, by_code_points: bool) -> str | None:
    """The kernel's name of a standard function; None if the kernel does not know it."""
    uri, local = name
    if uri == XS and arguments == 1 and local in CASTS:
        return f"to {local}"
    if uri == PREFIXES["math"]:
        return f"math:{local}" if MATHEMATICS.get(local) == arguments else None
    if uri != FN:
        return None
    fewest, most = BY_NAME.get(local) or (BY_CODE_POINTS.get(local) if by_code_points else None) or (1, 0)
    return local if fewest <= arguments <= most else None
