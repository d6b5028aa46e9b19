"""Aggregates that the scan computes itself (`plan/scan_table.py`): values as small programs, keys known before the run.

        max(for $r in ITEM return ($r/band1 - $r/band0) * 2)     →     load band1, load band0, -, 2, *

Gain:   no record leaves the scan.
Needs:  numbers: paths, constants and variables of known type under arithmetic, casts to xs:integer and xs:double. All
        conditions of a record are tests of the scan, and all values of the keys are known when the run begins.
Safe:   what the scan cannot decide is left to the query, with all that comes after it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace

from xylem.analysis.facts.conjuncts import conjuncts
from xylem.analysis.facts.value_class import XS, Known, Values, classify
from xylem.analysis.focus import read_variables, reads_focus
from xylem.functions.registry import FN
from xylem.functions.traits import AGGREGATES, COUNTS
from xylem.plan.result_template import PathStep, ValueOf
from xylem.plan.scan_table import Apply, Constant, Load, Program, ScanKey, ScanPart, ScanTable, Variable
from xylem.rewrite.substitution import FocusInTheWay, Substitution
from xylem.syntax import ast

from ..python.keyed_groups import GroupKey, GroupPart
from .aggregates import Aggregate
from .fed_records import ITEM
from .template_paths import NoTemplate, taken_by

_OPERATORS = ("+", "-", "*", "div", "idiv", "mod")
_SAME = ("count", "sum", "min", "max")
_FUNCTIONS = {"exists": "count", "empty": "count", "avg": "sum", "avg-of-sum": "sum", **{name: name for name in _SAME}}
_LARGEST = 2**53

Types = Mapping[tuple[str, str], Known]


class TableMaker:
    """Makes tables for the aggregates of one program."""

    def __init__(self, types: Types, write: Callable[[ast.Expr], str]) -> None:
        """`types` are those of the variables of the prolog; `write` writes a function that gives a value."""
        self._write = write
        self.types: Types = {**types, ITEM.name.expanded: Known(Values.UNTYPED, True, True)}

    def table_of(self, aggregate: Aggregate) -> ScanTable | None:
        """The table of an aggregate whose records are taken as they are; None where code has to compute it."""
        try:
            if aggregate.grouping is not None:
                keys = tuple(map(self._key, aggregate.grouping.keys))
                return ScanTable(keys, tuple(map(self._part, aggregate.grouping.parts)))
            if (FN, aggregate.function) in AGGREGATES - COUNTS:
                return ScanTable((), (self._part(GroupPart(aggregate.function, aggregate.taken)),))
        except (NoTemplate, FocusInTheWay):
            pass
        return None

    def _key(self, key: GroupKey) -> ScanKey:
        if key.items is None:
            raise NoTemplate
        if key.kind == "string":
            return ScanKey((_load(key.value, "string"),))
        found = self._class(key.value)
        if key.kind == "number" and found is not Values.INTEGER:
            raise NoTemplate
        return ScanKey(self._program(key.value))

    def _part(self, part: GroupPart) -> ScanPart:
        function = _FUNCTIONS.get(part.function)
        if function is None:
            raise NoTemplate
        taken = _simplified(part.taken)
        found = classify(taken, self.types).values
        if function == "count" and (taken == ITEM or found is Values.UNTYPED):
            return ScanPart(function, () if taken == ITEM else (_load(taken, "string"),))
        if found is Values.UNTYPED:
            return ScanPart(function, (_load(taken, "double"),))
        found = self._class(taken)
        return ScanPart(function, self._program(taken), found is Values.INTEGER)

    def _class(self, expr: ast.Expr) -> Values:
        found = classify(expr, self.types).values
        if found not in (Values.INTEGER, Values.DOUBLE, Values.UNTYPED):
            raise NoTemplate
        return found

    def _program(self, expr: ast.Expr) -> Program:
        """What computes one number."""
        expr = _simplified(expr)
        match expr:
            case ast.IntegerLiteral(value=value) if abs(value) < _LARGEST:
                return (Constant(value),)
            case ast.DoubleLiteral(value=number):
                return (Constant(float(number)),)
            case _ if not reads_focus(expr) and ITEM.name.expanded not in read_variables(expr):
                known = classify(expr, self.types)
                if not known.is_one or known.values not in (Values.INTEGER, Values.DOUBLE):
                    raise NoTemplate
                return (Variable(self._write(expr)),)
            case ast.Unary(op="-", operand=operand) if self._class(operand) is not Values.UNTYPED:
                return (*self._program(operand), Apply("neg"))
            case ast.Arithmetic(op=op, left=left, right=right) if op in _OPERATORS:
                return self._arithmetic(op, left, right)
            case ast.FunctionCall(name=name, arguments=(argument,)) if name.uri in (XS, FN):
                return self._cast(name.local, argument)
            case ast.CastAs(operand=operand, type=kind) if kind.name.uri == XS and kind.optional:
                return self._cast(kind.name.local, operand)
            case ast.Path():
                return (replace(_load(expr, "double"), is_single=True),)
        raise NoTemplate

    def _arithmetic(self, op: str, left: ast.Expr, right: ast.Expr) -> Program:
        kinds = [self._class(left), self._class(right)]
        are_integers = kinds == [Values.INTEGER, Values.INTEGER]
        # Integers divided are decimals; doubles divided as integers are rounded by their own rules.
        if (op == "div" and are_integers) or (op == "idiv" and not are_integers):
            raise NoTemplate
        return (*self._program(left), *self._program(right), Apply(op))

    def _cast(self, name: str, argument: ast.Expr) -> Program:
        if name not in ("integer", "double", "number"):
            raise NoTemplate
        found = self._class(argument)
        if found is Values.UNTYPED:
            return (replace(_load(_simplified(argument), name), is_single=True),)
        is_one = classify(argument, self.types).is_one
        if found.value == name or (name == "number" and found is Values.DOUBLE and is_one):
            return self._program(argument)
        raise NoTemplate


def without_common_conditions(aggregate: Aggregate) -> tuple[list[ast.Expr], Aggregate]:
    """The conditions that all parts of a table have, about the record, and the table without them."""
    grouping = aggregate.grouping
    if grouping is None or not grouping.parts:
        return [], aggregate
    split = [_conditions(part.taken) for part in grouping.parts]
    if any(conditions != split[0][0] for conditions, _ in split):
        return [], aggregate
    parts = tuple(replace(part, taken=taken) for part, (_, taken) in zip(grouping.parts, split, strict=True))
    return split[0][0], replace(aggregate, grouping=replace(grouping, parts=parts))


def _conditions(taken: ast.Expr) -> tuple[list[ast.Expr], ast.Expr]:
    """for $r in ITEM where c return E as c and E, both of the item"""
    match taken:
        case ast.Flwor(clauses=(ast.ForClause(name=name, collection=collection), *rest), result=result):
            tests = [clause.test for clause in rest if isinstance(clause, ast.WhereClause)]
            if collection == ITEM and len(tests) == len(rest):
                put_in = Substitution({name.expanded: ITEM})
                return [part for test in tests for part in conjuncts(put_in.apply(test))], put_in.apply(result)
    return [], taken


def _simplified(expr: ast.Expr) -> ast.Expr:
    """Without names for values, and in terms of the record where the focus is on it."""
    match expr:
        case ast.Flwor(clauses=(ast.LetClause(type=None, name=name, value=value), *rest), result=result):
            inner = ast.Flwor(tuple(rest), result) if rest else result
            return _simplified(Substitution({name.expanded: value}).apply(inner))
        case ast.Flwor(clauses=(ast.ForClause(position=None, type=None, name=name) as loop, *rest), result=result):
            if loop.collection == ITEM:
                inner = ast.Flwor(tuple(rest), result) if rest else result
                return _simplified(Substitution({name.expanded: ITEM}).apply(inner))
        case ast.SimpleMap(left=left, right=right) if left == ITEM:
            return _simplified(Substitution({}, ITEM).apply(right))
        case ast.Path(left=left, right=right) if left == ITEM and not isinstance(right, ast.AxisStep):
            return _simplified(Substitution({}, ITEM).apply(right))
        case ast.SequenceExpr(items=(only,)):
            return _simplified(only)
    return expr


def _load(expr: ast.Expr, kind: str) -> Load:
    """A path from the record."""
    variable, (path, of, attribute) = taken_by(_simplified(expr))
    if variable != ITEM.name.local or of is ValueOf.TEXT or any(step.descends for step in path):
        raise NoTemplate
    return Load(tuple(PathStep(step.uri, step.local) for step in path), attribute, kind)
