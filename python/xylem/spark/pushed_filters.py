"""Filters that Spark passes to a reader, as tests of records: rows that fail never leave the worker.

Spark's logic has three values, and a row passes if a filter is true: a comparison with null is not, nor is its
negation. Only comparisons with certainly the same meaning in both languages are taken: of integers, decimals, text,
booleans and dates. Floats (NaN), timestamps, and columns inside structs are left to Spark.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pyspark.sql.datasource import Filter
    from pyspark.sql.types import StructType

Record = dict[str, Any]
Test = Callable[[Record], bool | None]
"""None: neither true nor false."""


def taken_filters(filters: Sequence[Filter], schema: StructType) -> tuple[list[Test], list[Filter]]:
    """The tests for the filters that can be taken, and the other filters."""
    tests: list[Test] = []
    others: list[Filter] = []
    for given in filters:
        test = _test(given, _comparable(schema))
        if test is None:
            others.append(given)
        else:
            tests.append(test)
    return tests, others


def keep(tests: Iterable[Test]) -> Callable[[Record], bool]:
    """Whether a record passes all tests."""
    chosen = tuple(tests)
    return lambda record: all(test(record) for test in chosen)


def _comparable(schema: StructType) -> set[str]:
    from pyspark.sql import types as st

    kinds = (st.IntegralType, st.DecimalType, st.StringType, st.BooleanType, st.DateType)
    return {field.name for field in schema.fields if isinstance(field.dataType, kinds)}


def _test(given: Filter, comparable: set[str]) -> Test | None:
    from pyspark.sql import datasource as ds

    if isinstance(given, ds.Not):
        inner = _test(given.child, comparable)
        return None if inner is None else _negated(inner)
    path: tuple[str, ...] = getattr(given, "attribute", ())
    if len(path) != 1:
        return None
    name = path[0]
    if isinstance(given, ds.IsNull):
        return lambda record: record[name] is None
    if isinstance(given, ds.IsNotNull):
        return lambda record: record[name] is not None
    if name not in comparable:
        return None
    if isinstance(given, ds.In):
        return _in(name, given.value)
    if isinstance(given, ds.EqualNullSafe):
        value = given.value
        return lambda record: record[name] == value
    compare: dict[type, Callable[[Any, Any], bool]] = {
        ds.EqualTo: operator.eq,
        ds.GreaterThan: operator.gt,
        ds.GreaterThanOrEqual: operator.ge,
        ds.LessThan: operator.lt,
        ds.LessThanOrEqual: operator.le,
        ds.StringStartsWith: str.startswith,
        ds.StringEndsWith: str.endswith,
        ds.StringContains: operator.contains,
    }
    found = compare.get(type(given))
    return None if found is None else _compared(name, found, getattr(given, "value", None))


def _negated(test: Test) -> Test:
    def negated(record: Record) -> bool | None:
        outcome = test(record)
        return None if outcome is None else not outcome

    return negated


def _compared(name: str, compare: Callable[[Any, Any], bool], value: Any) -> Test:
    def compared(record: Record) -> bool | None:
        found = record[name]
        return None if found is None or value is None else compare(found, value)

    return compared


def _in(name: str, values: Sequence[Any]) -> Test:
    has_null = any(value is None for value in values)

    def contained(record: Record) -> bool | None:
        found = record[name]
        if found is None:
            return None
        return True if found in values else None if has_null else False

    return contained
