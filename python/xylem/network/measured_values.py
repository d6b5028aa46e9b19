"""Values of a record as numbers. Bounds apply to them, because a record has each at most once.

        $record/en      number($record/en)      xs:decimal($record/en)      count($record/note)      max($record/note)
        $record/ra * $record/ra + $record/dec * $record/dec      string-length($record/@id)      math:sqrt(…)

Arithmetic of doubles rounds, so its result counts as a new value, unrelated to the operands. Sums and differences of
exact numbers are split into their terms (`linear`).
"""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction

from xylem.functions.library import look_up
from xylem.functions.registry import FN, PREFIXES
from xylem.syntax import ast

from .constants import constant_number, constants_of
from .item_conditions import atomized_path
from .moments import Moment, constructed
from .record_facts import RecordFacts, is_path
from .zones import Kinds, Variable, shared_variable

_WHOLE = frozenset({
    "byte", "int", "integer", "long", "negativeInteger", "nonNegativeInteger", "nonPositiveInteger", "positiveInteger",
    "short", "unsignedByte", "unsignedInt", "unsignedLong", "unsignedShort",
})  # fmt: skip
_CASTS = {"double": "double", "decimal": "decimal"} | {one: one for one in _WHOLE}
_VIEWS = {"xs:integer": "integer", "xs:decimal": "decimal", "xs:double": "double"}
_LIKE_OPERAND = ("abs", "ceiling", "floor", "round")


@dataclass(frozen=True)
class Measured:
    """One side of a comparison as a number: a variable, and the effect of a missing number."""

    variable: Variable
    is_total: bool = False
    """Whether it is NaN if there is nothing, or no number."""
    is_typed: bool = True
    """Whether a value comparison treats it as a number; an untyped value counts as a string there."""
    may_miss: bool = True
    """Whether a missing value compares as nothing; otherwise it is an error."""

    @property
    def defined(self) -> Kinds:
        """The kinds for which a comparison is no error."""
        if self.is_total:
            return self.variable.domain
        return self.variable.domain & ~(Kinds.OTHER if self.may_miss else Kinds.OTHER | Kinds.MISSING)

    @property
    def nan(self) -> Kinds:
        """The kinds for which its value is NaN."""
        return self.variable.domain & (~Kinds.NUMBER if self.is_total else Kinds.NAN)


def is_whole(view: str) -> bool:
    """Whether values of a view are integers. Each type is a view of its own: what it does not allow is an error."""
    return view in _WHOLE


def is_exact(view: str) -> bool:
    return view == "decimal" or is_whole(view)


def moment_of(expr: ast.Expr, constant: Moment, facts: RecordFacts, *, is_general: bool) -> Measured | None:
    """A value that a record has at most once, as the date or time that it is compared with a constant as."""
    made = constructed(expr)
    if made is None:
        # An untyped value becomes what it is compared with, but for `eq`, where it is a string.
        path, may_miss = (atomized_path(expr) if is_general else None), True
    else:
        path, may_miss = atomized_path(made[1]), made[2]
        if made[0] != constant.type:
            return None
    if path is None or not facts.is_at_most_one(path):
        return None
    return Measured(variable_of(path, constant.view, facts), may_miss=may_miss)


def variable_of(path: ast.Expr, view: str, facts: RecordFacts) -> Variable:
    domain = Kinds.ANY if view == "double" else Kinds.ANY & ~Kinds.NAN
    return shared_variable(path, view, domain & ~Kinds.MISSING if facts.is_always_one(path) else domain)


def measured(expr: ast.Expr, facts: RecordFacts) -> Measured | None:
    """A value that a record has at most once, as a number; None if it may have several, or is not a number."""
    path = atomized_path(expr)
    if path is not None:
        if not facts.is_at_most_one(path):
            return None
        return Measured(variable_of(path, "double", facts), is_typed=False)
    match expr:
        case ast.SequenceExpr(items=(item,)):
            return measured(item, facts)
        case ast.FunctionCall(name=ast.Name(uri=uri), arguments=(argument,)) if uri == PREFIXES["xs"]:
            return _cast(expr.name.local, argument, facts, may_miss=True)
        case ast.CastAs(operand=operand, type=kind) if kind.name.uri == PREFIXES["xs"]:
            return _cast(kind.name.local, operand, facts, may_miss=kind.optional)
        case ast.FunctionCall(name=ast.Name(uri=uri)) if uri in (FN, PREFIXES["math"]):
            return _call(expr, facts)
        case ast.Arithmetic(op="+" | "-" | "*" | "div", left=left, right=right):
            view = _view_of_sum(expr.op, left, right, facts)
            return None if view is None else Measured(shared_variable(expr, view))
        case ast.Unary(operand=operand):
            view = _view_of_operand(operand, facts)
            return None if view is None else Measured(shared_variable(expr, view))
    return None


def _view_of_operand(operand: ast.Expr, facts: RecordFacts) -> str | None:
    """The type of an operand, of which there is one, or none, or it is an error."""
    found = measured(operand, facts)
    if found is not None:
        return found.variable.view
    # The values of a record are untyped, and count as doubles.
    return None if atomized_path(operand) is None else "double"


def number_argument(expr: ast.Expr) -> ast.Expr | None:
    """The path of number(path)."""
    match expr:
        case ast.FunctionCall(name=ast.Name(local="number", uri=uri), arguments=(argument,)) if uri == FN:
            return atomized_path(argument)
    return None


def count_of(path: ast.Expr) -> Variable:
    """The number of items that a path selects; a predicate in it may raise an error."""
    has_tests = any(isinstance(node, ast.AxisStep) and node.predicates for node in path.walk())
    call = ast.FunctionCall(ast.Name("count", None, FN), (path,))
    return shared_variable(call, "integer", Kinds.NUMBER | Kinds.OTHER if has_tests else Kinds.NUMBER)


def _cast(local: str, argument: ast.Expr, facts: RecordFacts, *, may_miss: bool) -> Measured | None:
    path, view = atomized_path(argument), _CASTS.get(local)
    if view is None:
        return None
    if path is None:
        inner = measured(argument, facts)
        if inner is None:
            return None
        # An integer is the same number as a decimal.
        known = inner.variable.view
        return inner if known == view or (view == "decimal" and is_whole(known)) else None
    if not facts.is_at_most_one(path):
        return None
    return Measured(variable_of(path, view, facts), may_miss=may_miss)


def _call(call: ast.FunctionCall, facts: RecordFacts) -> Measured | None:
    local, arguments = call.name.local, call.arguments
    if call.name.uri == FN and local == "number":
        inner = number_argument(call)
        if inner is None or not facts.is_at_most_one(inner):
            return None
        return Measured(variable_of(inner, "double", facts), is_total=True)
    if call.name.uri == FN and len(arguments) == 1:
        (argument,) = arguments
        path = atomized_path(argument)
        if local == "count":
            return Measured(count_of(argument)) if is_path(argument) else None
        if local in ("min", "max", "avg", "sum"):
            if path is None:
                return None
            if facts.is_always_one(path) or (local != "sum" and facts.is_at_most_one(path)):
                # For a single value it is that value, as a double.
                return Measured(variable_of(path, "double", facts))
            domain = Kinds.ANY & ~Kinds.MISSING if local == "sum" else Kinds.ANY
            return Measured(shared_variable(call, "double", domain))
        if local in _LIKE_OPERAND:
            view = _view_of_operand(argument, facts)
            return None if view is None else Measured(shared_variable(call, view))
    return _by_signature(call)


def _by_signature(call: ast.FunctionCall) -> Measured | None:
    """string-length($record/@id), math:sqrt(…): at most one number, whatever it is computed from."""
    known = look_up(*call.name.expanded, len(call.arguments))
    view = None if known is None else _VIEWS.get(known.returns.rstrip("?"))
    if known is None or view is None or (known.focus and len(call.arguments) < known.most):
        return None
    domain = Kinds.ANY if view == "double" else Kinds.ANY & ~Kinds.NAN
    return Measured(shared_variable(call, view, domain if known.returns.endswith("?") else domain & ~Kinds.MISSING))


def _view_of_sum(op: str, left: ast.Expr, right: ast.Expr, facts: RecordFacts) -> str | None:
    """The result type of arithmetic with at most one number per side; None if unknown."""
    views: list[str] = []
    is_of_record = False
    for side in (left, right):
        of_record, constants = _view_of_operand(side, facts), constants_of(side)
        if of_record is not None:
            is_of_record = True
            views.append(of_record)
        elif constants is None or len(constants) != 1 or isinstance(constants[0], (str, Moment)):
            return None
        else:
            views.append("double" if isinstance(constants[0], float) else "decimal")
    if not is_of_record:
        return None
    if "double" in views:
        return "double"
    return "integer" if op != "div" and all(map(is_whole, views)) else "decimal"


Linear = tuple[dict[ast.Expr, Fraction], Fraction]


def linear(expr: ast.Expr) -> Linear | None:
    """A sum of terms and an exact constant."""
    number = constant_number(expr)
    if number is not None:
        return None if isinstance(number, float) else ({}, Fraction(number))
    match expr:
        case ast.SequenceExpr(items=(item,)):
            return linear(item)
        case ast.Arithmetic(op="+" | "-" as op, left=left, right=right):
            one, other = linear(left), linear(right)
            if one is None or other is None:
                return None
            sign = 1 if op == "+" else -1
            terms = dict(one[0])
            for term, by in other[0].items():
                terms[term] = terms.get(term, Fraction(0)) + sign * by
            return terms, one[1] + sign * other[1]
        case ast.Arithmetic(op="*", left=left, right=right):
            for factor, part in ((constant_number(left), right), (constant_number(right), left)):
                inner = linear(part)
                if isinstance(factor, (int, Decimal)) and factor and inner is not None:
                    return {term: by * Fraction(factor) for term, by in inner[0].items()}, inner[1] * Fraction(factor)
        case ast.Unary(op=op, operand=operand):
            inner = linear(operand)
            turned = -1 if op.count("-") % 2 else 1
            return inner and ({term: turned * by for term, by in inner[0].items()}, turned * inner[1])
        case ast.Path() | ast.VarRef():
            return None
    return {expr: Fraction(1)}, Fraction(0)
