"""Complete the tables of a scan with the values of one run: their keys and variables (`plan/scan_table.py`)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from xylem.errors import XylemError
from xylem.plan.kernel_expression import Constant, settled
from xylem.plan.result_template import Numbered
from xylem.plan.scan_plan import Report, ScanPlan
from xylem.plan.scan_table import ScanTable

from .keyed_groups import KeyColumn, TableSpec
from .roles import FeedRole, ItemRole, Role, ScopeRole
from .settled_templates import settled_template

_TAGS = Report.START | Report.END
_LARGEST = 2**53
MOST_CELLS = 2**40


class NotForScan(Exception):
    """A value that the scan cannot compute with."""


def without_tables(plan: ScanPlan) -> ScanPlan:
    """The plan of a scan that leaves all records of tables to the query."""
    steps = tuple(replace(step, result=None) if isinstance(step.result, ScanTable) else step for step in plan.steps)
    return replace(plan, steps=steps)


def without_numbers(plan: ScanPlan) -> ScanPlan:
    """The plan of a scan that may begin after some records: it does not know their numbers."""
    steps = tuple(replace(step, result=None) if _is_numbered(step.result) else step for step in plan.steps)
    return replace(plan, steps=steps)


def _is_numbered(result: object) -> bool:
    return isinstance(result, tuple) and len(result) == 1 and isinstance(result[0], Numbered)


def without_wholes(plan: ScanPlan) -> ScanPlan:
    """The plan of a scan that reports records even inside elements that it could write as a whole."""
    steps = tuple(replace(step, result=None) if _TAGS in step.report else step for step in plan.steps)
    return replace(plan, steps=steps)


def settled_plan(plan: ScanPlan, roles: Sequence[Role], space: dict[str, Any]) -> ScanPlan:
    """The plan with the values of keys and variables in tables and templates, without entries that lack values."""
    steps = list(plan.steps)
    for role in roles:
        if isinstance(role, (ItemRole, ScopeRole)) and role.is_given_values:
            template = steps[role.step].result
            if isinstance(template, tuple):
                steps[role.step] = replace(steps[role.step], result=settled_template(template, space))
        if isinstance(role, FeedRole):
            table = steps[role.step].result
            if isinstance(table, ScanTable):
                spec = role.scope.aggregates[role.aggregate].table
                steps[role.step] = replace(steps[role.step], result=_settled(table, spec, space))
    return plan if all(a is b for a, b in zip(steps, plan.steps, strict=True)) else replace(plan, steps=tuple(steps))


def _settled(table: ScanTable, spec: TableSpec | None, space: dict[str, Any]) -> ScanTable | None:
    def constant(function: str) -> Constant:
        return _constant(function, space)

    try:
        keys = []
        cells = 1
        for key, own in zip(table.keys, () if spec is None else spec.keys, strict=True):
            if key.is_found:
                keys.append(replace(key, value=settled(key.value, constant)))
                continue
            column = KeyColumn.of_spec(own, space)
            domain = column.for_scan()
            if domain is None:
                return None
            cells *= column.size
            keys.append(replace(key, value=settled(key.value, constant), **domain))
        if cells > MOST_CELLS:
            return None
        parts = tuple(
            part if part.value is None else replace(part, value=settled(part.value, constant)) for part in table.parts
        )
        return ScanTable(tuple(keys), parts, table.tests, is_settled=True)
    except (NotForScan, XylemError):
        return None


def _constant(name: str, space: dict[str, Any]) -> Constant:
    (value,) = space[name]()
    if type(value) is float or (type(value) is int and abs(value) < _LARGEST):
        return Constant(value)
    raise NotForScan
