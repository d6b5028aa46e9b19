"""Aggregates that the scan itself computes (`plan/scan_table.py`), over all records or by key.

        max(for $r in ITEM return ($r/band1 - $r/band0) * 2)     →     max of (band1 - band0) * 2
        group by $y := substring($b/date, 1, 4) … sum($b/price)  →     substring(date, 1, 4), sum of price

Gain:   no record leaves the scan.
Needs:  values that the kernel can compute (`kernel_expressions/`) from the record and from numbers known when the run
        begins. The records contain the keys, or all keys are known when the run begins. All conditions of a record are
        tests of the scan.
Safe:   at a record that the scan cannot decide, the query takes over, for that record and all later ones.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace

from xylem.analysis.bound_names import read_variables
from xylem.analysis.facts.conjuncts import conjuncts
from xylem.analysis.facts.value_class import Known, Values, classify
from xylem.analysis.focus import reads_focus
from xylem.functions.registry import FN
from xylem.functions.traits import AGGREGATES, COUNTS
from xylem.plan.kernel_expression import Given, KernelExpression
from xylem.plan.keyed_groups import OF_GROUP
from xylem.plan.scan_table import ScanKey, ScanPart, ScanTable
from xylem.rewrite.substitution import Substitution
from xylem.syntax import ast

from ..python.keyed_groups import GroupKey, GroupPart
from .aggregates import Aggregate
from .fed_records import ITEM
from .kernel_expressions.compiler import ExpressionCompiler
from .template_paths import NoTemplate

_SAME = ("count", "sum", "min", "max")
_FUNCTIONS = {"exists": "count", "empty": "count", "avg": "sum", "avg-of-sum": "sum", **{name: name for name in _SAME}}
_GIVEN = (Values.INTEGER, Values.DOUBLE)
_NUMBERS = (*_GIVEN, Values.UNTYPED)
_LITERALS = (ast.IntegerLiteral, ast.DoubleLiteral, ast.SequenceExpr)

Types = Mapping[tuple[str, str], Known]


class TableMaker:
    """Makes tables for the aggregates of one program."""

    def __init__(self, types: Types, write: Callable[[ast.Expr], str], by_code_points: bool) -> None:
        """`types` are those of the variables of the prolog; `write` writes a function for a value."""
        self._write = write
        self._by_code_points = by_code_points
        self.types: Types = {**types, ITEM.name.expanded: Known(Values.UNTYPED, True, True)}

    def table_of(self, aggregate: Aggregate) -> ScanTable | None:
        """The table of an aggregate over unfiltered records; None if code must compute it."""
        try:
            if aggregate.grouping is not None:
                keys = tuple(map(self._key, aggregate.grouping.keys))
                return ScanTable(keys, tuple(map(self._part, aggregate.grouping.parts)))
            if (FN, aggregate.function) in AGGREGATES - COUNTS:
                return ScanTable((), (self._part(GroupPart(aggregate.function, aggregate.taken)),))
        except NoTemplate:
            pass
        return None

    def _key(self, key: GroupKey) -> ScanKey:
        if key.kind == OF_GROUP and self._by_code_points:
            return ScanKey(self._value(key.value), is_found=True)
        if key.items is None:
            raise NoTemplate
        if key.kind == "string":
            return ScanKey(self._value(key.value))
        found = classify(key.value, self.types).values
        if found not in _NUMBERS or (key.kind == "number" and found is not Values.INTEGER):
            raise NoTemplate
        return ScanKey(self._value(key.value))

    def _part(self, part: GroupPart) -> ScanPart:
        function = _FUNCTIONS.get(part.function)
        if function is None:
            raise NoTemplate
        if function == "count" and part.taken == ITEM:
            return ScanPart(function, None)
        is_ordered = function in ("min", "max") and not self._by_code_points
        if is_ordered and classify(part.taken, self.types).values not in _NUMBERS:
            raise NoTemplate
        return ScanPart(function, self._value(part.taken))

    def _value(self, expr: ast.Expr) -> KernelExpression:
        compiler = ExpressionCompiler(self._by_code_points, lambda condition: None, self._given)
        compiler.variables.append(ITEM.name.local)
        return compiler.value(expr)

    def _given(self, expr: ast.Expr) -> KernelExpression | None:
        """A number that does not depend on the record."""
        read = read_variables(expr)
        if isinstance(expr, _LITERALS) or reads_focus(expr) or not read <= self.types.keys() - {ITEM.name.expanded}:
            return None
        known = classify(expr, self.types)
        if not known.is_one or known.values not in _GIVEN:
            return None
        return Given(self._write(expr))


def without_common_conditions(aggregate: Aggregate) -> tuple[list[ast.Expr], Aggregate]:
    """The conditions on the record that all parts of a table share, and the table without them.

    Keys found in records are taken from all of them: a group has its place even if none of its records passes.
    """
    grouping = aggregate.grouping
    if grouping is None or not grouping.parts or any(key.kind == OF_GROUP for key in grouping.keys):
        return [], aggregate
    split = [_conditions(part.taken) for part in grouping.parts]
    if any(conditions != split[0][0] for conditions, _ in split):
        return [], aggregate
    parts = tuple(replace(part, taken=taken) for part, (_, taken) in zip(grouping.parts, split, strict=True))
    return split[0][0], replace(aggregate, grouping=replace(grouping, parts=parts))


def _conditions(taken: ast.Expr) -> tuple[list[ast.Expr], ast.Expr]:
    """for $r in ITEM where c return E as c and E, both in terms of the item."""
    match taken:
        case ast.Flwor(clauses=(ast.ForClause(name=name, collection=collection), *rest), result=result):
            tests = [clause.test for clause in rest if isinstance(clause, ast.WhereClause)]
            if collection == ITEM and len(tests) == len(rest):
                put_in = Substitution({name.expanded: ITEM})
                return [part for test in tests for part in conjuncts(put_in.apply(test))], put_in.apply(result)
    return [], taken
