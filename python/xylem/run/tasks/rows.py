"""The rows that a task returns: plain values that any transport can carry and sort."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple


class Row(NamedTuple):
    """One result of a part over a range.

    For a map the rows of all ranges, ordered by (range, ordinal), are the value. For an aggregate there is one row
    for each range. For a shuffle, `key` sorts as bytes as the query would sort or group: rows of equal keys belong
    together, and (range, ordinal) keeps their order stable.
    """

    part: int
    key: bytes
    range: int
    """Number of the range, in the order of the whole input."""
    ordinal: int
    """From 0 within part and range."""
    value: bytes
    """Text of the answer in UTF-8 if the part's value is written as it is; otherwise packed items or a state."""


Reducer = Callable[[Iterable[Row]], Iterator[Row]]
"""Turns all rows of one key into rows of the answer."""
