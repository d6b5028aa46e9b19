"""The kind and number of an expression's values, recognised by its form: enough to know how they compare and add. Nodes
of an input have no schema types: their values are xs:untypedAtomic. An unrecognised expression is UNKNOWN, and no rule
relies on it.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum
from typing import NamedTuple

from xylem.analysis.facts.truth_values import is_boolean
from xylem.functions.registry import FN
from xylem.functions.traits import PICKS_ONE
from xylem.syntax import ast

XS = "http://www.w3.org/2001/XMLSchema"
ExpandedName = tuple[str, str]


class Values(Enum):
    """The type of all values of an expression."""

    INTEGER = "integer"
    DECIMAL = "decimal"
    DOUBLE = "double"
    STRING = "string"
    BOOLEAN = "boolean"
    UNTYPED = "untyped"
    NOTHING = "nothing"
    """It returns the empty sequence."""
    UNKNOWN = "unknown"

    @property
    def is_numeric(self) -> bool:
        return self in (Values.INTEGER, Values.DECIMAL, Values.DOUBLE)


class Known(NamedTuple):
    """The class of the values, and whether there is at least one of them, and at most one."""

    values: Values
    some: bool = False
    single: bool = False

    @property
    def is_one(self) -> bool:
        return self.some and self.single


NOTHING_KNOWN = Known(Values.UNKNOWN)
Scope = Mapping[ExpandedName, Known]

_TYPES = {
    "integer": Values.INTEGER, "int": Values.INTEGER, "long": Values.INTEGER, "nonNegativeInteger": Values.INTEGER,
    "positiveInteger": Values.INTEGER, "decimal": Values.DECIMAL, "double": Values.DOUBLE, "string": Values.STRING,
    "boolean": Values.BOOLEAN, "untypedAtomic": Values.UNTYPED,
}  # fmt: skip
_RESULTS = {
    "count": Values.INTEGER, "string-length": Values.INTEGER, "number": Values.DOUBLE, "string": Values.STRING,
    "concat": Values.STRING, "normalize-space": Values.STRING, "upper-case": Values.STRING,
    "lower-case": Values.STRING, "substring": Values.STRING, "substring-before": Values.STRING,
    "substring-after": Values.STRING, "translate": Values.STRING, "string-join": Values.STRING,
}  # fmt: skip
"""Functions that always return one value."""
_UNTYPED_NODES = (ast.NameTest, ast.Wildcard, ast.ElementTest, ast.TextTest)


def declared_class(kind: ast.SequenceTypeNode | None) -> Known:
    """The class of a type as written."""
    if kind is None or not isinstance(kind.item, ast.AtomicType) or kind.item.name.uri != XS:
        return NOTHING_KNOWN
    values = _TYPES.get(kind.item.name.local, Values.UNKNOWN)
    return Known(values, kind.occurrence in ("", "+"), kind.occurrence in ("", "?"))


def classify(expr: ast.Expr, scope: Scope) -> Known:
    """The known facts about the values of an expression, with its nodes atomized."""
    match expr:
        case ast.IntegerLiteral():
            return Known(Values.INTEGER, True, True)
        case ast.DecimalLiteral():
            return Known(Values.DECIMAL, True, True)
        case ast.DoubleLiteral():
            return Known(Values.DOUBLE, True, True)
        case ast.StringLiteral():
            return Known(Values.STRING, True, True)
        case ast.VarRef(name=name):
            return scope.get(name.expanded, NOTHING_KNOWN)
        case ast.Range():
            return Known(Values.INTEGER)
        case ast.AxisStep(test=test) | ast.Path(right=ast.AxisStep(test=test)):
            # The values of comments and processing instructions are strings.
            return Known(Values.UNTYPED if isinstance(test, _UNTYPED_NODES) else Values.UNKNOWN)
        case ast.Path(right=right) | ast.SimpleMap(right=right):
            return Known(classify(right, scope).values)
        case ast.Filter(base=base):
            return Known(classify(base, scope).values, False, classify(base, scope).single)
        case ast.Unary(operand=operand):
            found = classify(operand, scope)
            return Known(_number(found.values), found.is_one, True)
        case ast.Arithmetic(op=op, left=left, right=right):
            return _arithmetic(op, classify(left, scope), classify(right, scope))
        case ast.SequenceExpr(items=items):
            return _together([classify(item, scope) for item in items])
        case ast.If(then=then, otherwise=otherwise):
            return _either(classify(then, scope), classify(otherwise, scope))
        case _ if is_boolean(expr):
            return Known(Values.BOOLEAN, True, True)
        case ast.ValueComparison(left=left, right=right):
            # Nothing where an operand is missing.
            return Known(Values.BOOLEAN, classify(left, scope).is_one and classify(right, scope).is_one, True)
        case ast.StringConcat() | ast.StringConstructor():
            return Known(Values.STRING, True, True)
        case ast.CastAs(operand=operand, type=kind):
            return _cast(kind.name, classify(operand, scope))
        case ast.FunctionCall(name=name, arguments=arguments):
            return _call(name, arguments, scope)
        case ast.Flwor(clauses=clauses, result=result):
            return _flwor(clauses, result, scope)
    return NOTHING_KNOWN


def _number(values: Values) -> Values:
    """The class as an operand of arithmetic."""
    if values is Values.UNTYPED:
        return Values.DOUBLE
    return values if values.is_numeric or values is Values.NOTHING else Values.UNKNOWN


def _arithmetic(op: str, left: Known, right: Known) -> Known:
    kinds = {_number(left.values), _number(right.values)}
    some = left.is_one and right.is_one
    if Values.UNKNOWN in kinds:
        return NOTHING_KNOWN
    if Values.NOTHING in kinds:
        return Known(Values.NOTHING, False, True)
    if op == "idiv":
        return Known(Values.INTEGER, some, True)
    for kind in (Values.DOUBLE, Values.DECIMAL):
        if kind in kinds:
            return Known(kind, some, True)
    return Known(Values.DECIMAL if op == "div" else Values.INTEGER, some, True)


def _together(parts: list[Known]) -> Known:
    parts = [part for part in parts if part.values is not Values.NOTHING]
    if not parts:
        return Known(Values.NOTHING, False, True)
    kinds = {part.values for part in parts}
    values = kinds.pop() if len(kinds) == 1 else Values.UNKNOWN
    return Known(values, any(part.some for part in parts), len(parts) == 1 and parts[0].single)


def _either(first: Known, second: Known) -> Known:
    kinds = {part.values for part in (first, second)} - {Values.NOTHING}
    values = kinds.pop() if len(kinds) == 1 else Values.NOTHING if not kinds else Values.UNKNOWN
    return Known(values, first.some and second.some, first.single and second.single)


def _cast(name: ast.Name, operand: Known) -> Known:
    if name.uri != XS:
        return NOTHING_KNOWN
    return Known(_TYPES.get(name.local, Values.UNKNOWN), operand.is_one, True)


def _call(name: ast.Name, arguments: tuple[ast.Expr, ...], scope: Scope) -> Known:
    if name.uri == XS and len(arguments) == 1:
        return _cast(name, classify(arguments[0], scope))
    if name.uri != FN:
        return NOTHING_KNOWN
    if name.local in _RESULTS:
        return Known(_RESULTS[name.local], True, True)
    if name.local in ("max", "min", "sum") and len(arguments) == 1:
        return _aggregate(name.local, classify(arguments[0], scope))
    if name.local in ("abs", "floor", "ceiling", "round") and len(arguments) == 1:
        found = classify(arguments[0], scope)
        return Known(_number(found.values), found.is_one, True)
    if (name.expanded in PICKS_ONE or name.local in ("one-or-more", "data")) and len(arguments) == 1:
        found = classify(arguments[0], scope)
        some = found.some or name.local in ("exactly-one", "one-or-more")
        return Known(found.values, some, found.single or name.expanded in PICKS_ONE)
    if name.local == "distinct-values" and len(arguments) == 1:
        return classify(arguments[0], scope)
    return NOTHING_KNOWN


def _aggregate(function: str, found: Known) -> Known:
    if function != "sum":
        return Known(Values.STRING if found.values is Values.STRING else _number(found.values), found.some, True)
    if found.values in (Values.INTEGER, Values.DECIMAL):
        return Known(found.values, True, True)
    # The sum of nothing is an integer.
    return Known(_number(found.values), True, True) if found.some else NOTHING_KNOWN


def _flwor(clauses: tuple[ast.Clause, ...], result: ast.Expr, scope: Scope) -> Known:
    known = dict(scope)
    some = single = True
    for clause in clauses:
        match clause:
            case ast.LetClause(name=name, value=value, type=None):
                known[name.expanded] = classify(value, known)
            case ast.ForClause(name=name, collection=collection, type=None, allowing_empty=False):
                found = classify(collection, known)
                known[name.expanded] = Known(found.values, True, True)
                some, single = some and found.some, single and found.single
            case ast.WhereClause():
                some = False
            case _:
                return NOTHING_KNOWN
    found = classify(result, known)
    return Known(found.values, some and found.some, single and found.single)
