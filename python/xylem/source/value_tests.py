"""Tests of values below a complete element, on the rows of the Python scanner; `ValueTest` defines them."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from xylem.errors import DynamicError
from xylem.plan.scan_plan import ABSENT, EXISTS, ValueTest
from xylem.values.casting_numbers import parse_double
from xylem.values.name_pool import KIND_MASK
from xylem.values.node import ATTRIBUTE, ELEMENT, TEXT

from .projected_rows import ProjectedRows
from .reached_steps import COMPARISONS

NameOf = Callable[[int], tuple[str, str]]


def value_may_hold(test: ValueTest, rows: ProjectedRows, name_of: NameOf) -> bool:
    """Whether a test holds, or may, for the innermost open element, whose content is complete."""
    if test.op == ABSENT:
        return not any(True for _ in _values(test, rows, name_of))
    return any(test.op == EXISTS or _compares(test, value) for value in _values(test, rows, name_of))


def _values(test: ValueTest, rows: ProjectedRows, name_of: NameOf) -> Iterator[str]:
    batch = rows.batch
    here = rows.open[-1].row
    reached = [here]
    for step in test.path:
        reached = [
            child
            for row in reached
            for child in _children(rows, row)
            if batch.codes[child] & KIND_MASK == ELEMENT and _fits(step, *name_of(batch.codes[child]))
        ]
    for row in reached:
        if test.attribute is not None:
            attributes = (child for child in _children(rows, row) if batch.codes[child] & KIND_MASK == ATTRIBUTE)
            yield from (
                batch.values[child] or "" for child in attributes if name_of(batch.codes[child]) == test.attribute
            )
        elif test.text:
            yield from (batch.values[child] or "" for child in _children(rows, row) if batch.codes[child] == TEXT)
        else:
            texts = (other for other in range(row + 1, _end(rows, row)) if batch.codes[other] == TEXT)
            yield "".join(batch.values[other] or "" for other in texts)


def _fits(step: tuple[str | None, str | None], uri: str, local: str) -> bool:
    return step[0] in (None, uri) and step[1] in (None, local)


def _end(rows: ProjectedRows, row: int) -> int:
    """The end of a subtree; the innermost open element extends to the last row."""
    return len(rows.batch.codes) if row == rows.open[-1].row else rows.batch.ends[row]


def _children(rows: ProjectedRows, row: int) -> Iterator[int]:
    child, end = row + 1, _end(rows, row)
    while child < end:
        yield child
        child = rows.batch.ends[child]


def _compares(test: ValueTest, value: str) -> bool:
    compare = COMPARISONS[test.op]
    if test.string is not None:
        return compare(value, test.string)
    try:
        return compare(parse_double(value), test.number)
    except DynamicError:
        # A value that is not a number is an error of the query, which raises it.
        return True
