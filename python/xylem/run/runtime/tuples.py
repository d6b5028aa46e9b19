"""Sorting and grouping the tuples of a FLWOR expression (XQuery 3.1 §3.12.7 and §3.12.8)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple

from xylem.values.comparison import grouping_key, order_keys


class OrderColumn(NamedTuple):
    """One key of `order by`."""

    descending: bool
    empty_greatest: bool
    collation: Any


Row = tuple[tuple[Any, ...], tuple[Any, ...]]
Group = tuple[tuple[Any, ...], list[list[Any]]]


def ordered(rows: list[Row], columns: Sequence[OrderColumn], implicit_timezone: int) -> list[tuple[Any, ...]]:
    """The values of (keys, values) rows in the order of their keys; stable."""
    order = list(range(len(rows)))
    # Sorted by the last key first: Python's sort keeps equal rows in place, even in reverse.
    for index, column in reversed(list(enumerate(columns))):
        values = (keys[index] for keys, _ in rows)
        sortable = order_keys(values, column.collation, implicit_timezone, empty_greatest=column.empty_greatest)
        order.sort(key=sortable.__getitem__, reverse=column.descending)
    return [rows[i][1] for i in order]


def group_key(value: Any, collation: Any, implicit_timezone: int) -> Any:
    """The key that grouping values of one group share; None is the empty sequence."""
    return None if value is None else grouping_key(value, collation, implicit_timezone)


def add_to_group(
    groups: dict[Any, Group], key: Any, key_values: tuple[Any, ...], values: Iterable[Sequence[Any]]
) -> None:
    """Add a tuple to its group; the first tuple of a group gives the grouping variables their values."""
    group = groups.get(key)
    if group is None:
        groups[key] = (key_values, [list(value) for value in values])
        return
    for collected, value in zip(group[1], values, strict=True):
        collected.extend(value)


def groups_of(groups: dict[Any, Group]) -> Iterator[tuple[Any, ...]]:
    """One tuple per group: the grouping variables, then the other variables with the values of all its tuples."""
    for key_values, collected in groups.values():
        yield (*key_values, *collected)
