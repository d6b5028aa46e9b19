"""Conditions on a record as zones: the same zones however a condition is spelled.

        not($record/en <= 1.3)      1.3 < $record/en      $record/en > 2.6 div 2

Comparisons of values that a record has at most once become bounds; those of values it may have many times hold where
one of them does, and are atoms. What is compared how is XQuery's: an untyped value becomes a double against a number
and a string against a string; two untyped values are strings; xs:decimal($record/en) is exact.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from xylem.analysis.facts.comparisons import GENERAL, TURNED
from xylem.functions.registry import FN, PREFIXES
from xylem.syntax import ast

from .constants import Number, constant_number, constants_of, in_view
from .difference_bounds import ZERO, DifferenceBounds
from .record_facts import RecordFacts, is_path
from .zones import ALWAYS, EXISTS, NEVER, NUMBER_CALL, Kinds, Opaque, Some, TooMany, Variable, Zone, Zones, both, either

NEGATED = {"=": "!=", "!=": "=", "<": ">=", "<=": ">", ">": "<=", ">=": "<"}
_CASTS = {"double": "double", "decimal": "decimal", "integer": "integer"}


def zones_of(condition: ast.Expr, facts: RecordFacts) -> Zones:
    """The zones where a condition on $record holds."""
    try:
        return _Reader(facts).zones(condition, True)
    except TooMany:
        return (Zone(atoms=frozenset({(Opaque(condition), True)})),)


@dataclass(frozen=True)
class _Measured:
    """One side of a comparison as a number: a variable, and whether it gives NaN where there is no number."""

    variable: Variable
    is_total: bool = False

    @property
    def defined(self) -> Kinds:
        """The kinds for which a comparison is no error."""
        return self.variable.domain if self.is_total else self.variable.domain & ~Kinds.OTHER

    @property
    def nan(self) -> Kinds:
        """The kinds for which its value is NaN."""
        return self.variable.domain & (~Kinds.NUMBER if self.is_total else Kinds.NAN)


class _Reader:
    def __init__(self, facts: RecordFacts) -> None:
        self._facts = facts

    def zones(self, test: ast.Expr, holds: bool) -> Zones:
        """Where a condition holds, or where its negation does."""
        match test:
            case ast.And(left=left, right=right) | ast.Or(left=left, right=right):
                sides = self.zones(left, holds), self.zones(right, holds)
                return both(*sides) if isinstance(test, ast.And) == holds else either((*sides[0], *sides[1]))
            case ast.If(test=chosen, then=then, otherwise=otherwise):
                first = both(self.zones(chosen, True), self.zones(then, holds))
                return either((*first, *both(self.zones(chosen, False), self.zones(otherwise, holds))))
            case ast.SequenceExpr(items=(item,)):
                return self.zones(item, holds)
            case ast.FunctionCall(name=name, arguments=arguments) if name.uri == FN:
                found = self._call(name.local, arguments, holds)
                return self._opaque(test, holds) if found is None else found
            case ast.GeneralComparison() | ast.ValueComparison():
                found = self._comparison(test, holds)
                return self._opaque(test, holds) if found is None else found
            case ast.Quantified():
                found = self._quantified(test, holds)
                return self._opaque(test, holds) if found is None else found
        if is_path(test):
            return self._presence(test, holds)
        return self._opaque(test, holds)

    @staticmethod
    def _opaque(test: ast.Expr, holds: bool) -> Zones:
        return (Zone(atoms=frozenset({(Opaque(_turned(test)), holds)})),)

    def _call(self, local: str, arguments: tuple[ast.Expr, ...], holds: bool) -> Zones | None:
        if local in ("true", "false") and not arguments:
            return ALWAYS if (local == "true") == holds else NEVER
        if len(arguments) != 1:
            return None
        (argument,) = arguments
        if local == "not":
            return self.zones(argument, not holds)
        if local == "boolean":
            return self.zones(argument, holds)
        if local in ("exists", "empty") and is_path(argument):
            return self._presence(argument, holds == (local == "exists"))
        return None

    def _presence(self, path: ast.Expr, holds: bool) -> Zones:
        compared = _own_comparison(path)
        if compared is not None and self._facts.is_at_most_one(_tested(compared)):
            # Of several values, a predicate looks at more than a comparison does: one that is no number ends it.
            return self.zones(compared, holds)
        if not self._facts.is_at_most_one(path):
            return (Zone(atoms=frozenset({(Some(path, "", EXISTS), holds)})),)
        variable = self._variable(path, "double")
        kinds = variable.domain & (~Kinds.MISSING if holds else Kinds.MISSING)
        return (Zone({variable: kinds}),) if kinds else NEVER

    def _variable(self, path: ast.Expr, view: str) -> Variable:
        domain = Kinds.ANY if view == "double" else Kinds.ANY & ~Kinds.NAN
        return Variable(path, view, domain & ~Kinds.MISSING if self._facts.is_always_one(path) else domain)

    # --- comparisons

    def _comparison(self, test: ast.GeneralComparison | ast.ValueComparison, holds: bool) -> Zones | None:
        is_general = isinstance(test, ast.GeneralComparison)
        op = GENERAL.get(test.op, test.op)
        for own, compared, other in ((test.left, op, test.right), (test.right, TURNED[op], test.left)):
            constants = constants_of(other)
            if constants is not None and (is_general or len(constants) == 1):
                found = self._with_constants(own, compared, constants, is_general, holds)
                if found is not None:
                    return found
        return self._of_two(test.left, op, test.right, is_general, holds)

    def _with_constants(
        self, own: ast.Expr, op: str, constants: list[Number | str], is_general: bool, holds: bool
    ) -> Zones | None:
        if len(constants) > 1 and not all(isinstance(one, str) for one in constants) and self._measured(own) is None:
            # Of several values, one that is no number may be met before the pair that holds.
            return None
        found: Zones = NEVER if holds else ALWAYS
        for constant in constants:
            one = self._with_constant(own, op, constant, is_general, holds)
            if one is None:
                return None
            found = either((*found, *one)) if holds else both(found, one)
        return found

    def _with_constant(
        self, own: ast.Expr, op: str, constant: Number | str, is_general: bool, holds: bool
    ) -> Zones | None:
        path = _atomized(own)
        if isinstance(constant, str):
            return None if path is None else self._some(Some(path, "string", op, constant), is_general, holds)
        if path is not None and not is_general:
            # An untyped value is no number to a value comparison: an error, which the query raises itself.
            return None
        counted = _counted(own)
        if counted is not None and (tested := _count_test(op, constant)) is not None:
            return self._presence(counted, holds == tested)
        measured = self._measured(own)
        if measured is not None:
            number = in_view(constant, measured.variable.view)
            return None if number is None else _bounded(measured, op, number, holds)
        number, called = in_view(constant, "double"), _number_argument(own)
        if called is None and holds and op != "!=":
            # What number() makes NaN of is an error of a cast: a comparison holds for neither.
            called = _double_argument(own)
        if number is None or (path is None and called is None):
            return None
        if called is not None:
            return (Zone(atoms=frozenset({(Some(called, NUMBER_CALL, op, number), holds)})),)
        assert path is not None
        return self._some(Some(path, "double", op, number), is_general, holds)

    def _some(self, atom: Some, is_general: bool, holds: bool) -> Zones | None:
        is_one = self._facts.is_at_most_one(atom.path)
        if not is_general and not is_one:
            return None
        zone = Zone(atoms=frozenset({(atom, holds)}))
        if is_one and holds:
            return both((zone,), self._presence(atom.path, True))
        return (zone,)

    def _of_two(self, left: ast.Expr, op: str, right: ast.Expr, is_general: bool, holds: bool) -> Zones | None:
        """A comparison of two values of the record."""
        exact = self._difference(left, op, right)
        if exact is not None:
            x, y, value, op = exact
        else:
            one, other = self._measured(left), self._measured(right)
            if one is None or other is None or one.variable.view != "double" or other.variable.view != "double":
                return None
            # Two untyped values are compared as strings, and by a value comparison always.
            untyped = [_atomized(left) is not None, _atomized(right) is not None]
            if all(untyped) or (any(untyped) and not is_general):
                return None
            x, y, value = one, other, Fraction(0)
            if not holds and not (x.is_total and y.is_total):
                # Which side is looked at first decides whether there is an error.
                return None
        return _ordered(x, y, op, value, holds)

    def _difference(
        self, left: ast.Expr, op: str, right: ast.Expr
    ) -> tuple[_Measured, _Measured, Fraction, str] | None:
        """x - y op c of exact numbers, from whatever sums of them stand on the two sides."""
        terms = _linear(left), _linear(right)
        if terms[0] is None or terms[1] is None:
            return None
        together = dict(terms[0][0])
        for term, factor in terms[1][0].items():
            together[term] = together.get(term, 0) - factor
        # A term that cancels out must still be a number: it counts as a third one.
        value = terms[1][1] - terms[0][1]
        up = [term for term, factor in together.items() if factor == 1]
        down = [term for term, factor in together.items() if factor == -1]
        if len(together) != 2 or len(up) != 1 or len(down) != 1:
            return None
        x, y = (self._exact(term) for term in (up[0], down[0]))
        return None if x is None or y is None else (x, y, value, op)

    def _exact(self, term: ast.Expr) -> _Measured | None:
        found = self._measured(term)
        return found if found is not None and found.variable.view in ("decimal", "integer") else None

    # --- values of a record as numbers

    def _measured(self, expr: ast.Expr) -> _Measured | None:
        """A value that a record has at most once, as a number; None where it may have several."""
        path = _atomized(expr)
        if path is not None:
            return _Measured(self._variable(path, "double")) if self._facts.is_at_most_one(path) else None
        match expr:
            case ast.FunctionCall(name=ast.Name(local="number")):
                inner = _number_argument(expr)
                if inner is not None and self._facts.is_at_most_one(inner):
                    return _Measured(self._variable(inner, "double"), is_total=True)
            case ast.FunctionCall(name=ast.Name(local="count", uri=uri), arguments=(argument,)) if uri == FN:
                if is_path(argument):
                    return _Measured(Variable(expr, "integer", Kinds.NUMBER))
            case ast.FunctionCall(name=ast.Name(local=local, uri=uri), arguments=(argument,)) if uri == PREFIXES["xs"]:
                return self._cast(local, argument)
            case ast.CastAs(operand=operand, type=kind) if kind.name.uri == PREFIXES["xs"] and kind.optional:
                return self._cast(kind.name.local, operand)
            case ast.Arithmetic(op="+" | "-" | "*", left=left, right=right):
                if self._is_double_sum(left, right):
                    return _Measured(Variable(expr, "double"))
            case ast.Unary(op="-", operand=operand):
                found = self._measured(operand)
                if found is not None and found.variable.view == "double" and not found.is_total:
                    return _Measured(Variable(expr, "double"))
        return None

    def _cast(self, local: str, argument: ast.Expr) -> _Measured | None:
        path, view = _atomized(argument), _CASTS.get(local)
        if path is None or view is None or not self._facts.is_at_most_one(path):
            return None
        return _Measured(self._variable(path, view))

    def _is_double_sum(self, left: ast.Expr, right: ast.Expr) -> bool:
        """Whether arithmetic gives doubles: untyped values and constants, each at most one. It rounds, so it is a value
        of its own: nothing is concluded about its operands."""
        sides = [(self._measured(side), constants_of(side)) for side in (left, right)]
        is_double = False
        for measured, constants in sides:
            if measured is not None:
                if measured.variable.view != "double" or measured.is_total:
                    return False
                is_double = True
            elif constants is None or len(constants) != 1 or isinstance(constants[0], str):
                return False
        return is_double

    def _quantified(self, test: ast.Quantified, holds: bool) -> Zones | None:
        """some $v in PATH satisfies $v op constant: as the general comparison says it."""
        if test.kind != "some" or len(test.bindings) != 1 or test.bindings[0].type is not None:
            return None
        name, collection = test.bindings[0].name, test.bindings[0].collection
        if not is_path(collection) or not isinstance(test.satisfies, ast.GeneralComparison):
            return None

        def is_bound(expr: ast.Expr) -> bool:
            return isinstance(expr, ast.VarRef) and expr.name.expanded == name.expanded

        inner = test.satisfies
        if is_bound(inner.left) and constants_of(inner.right) is not None:
            return self.zones(ast.GeneralComparison(inner.op, collection, inner.right), holds)
        if is_bound(inner.right) and constants_of(inner.left) is not None:
            return self.zones(ast.GeneralComparison(inner.op, inner.left, collection), holds)
        return None


def _double_argument(expr: ast.Expr) -> ast.Expr | None:
    """The path in xs:double(PATH)."""
    match expr:
        case ast.FunctionCall(name=ast.Name(local="double", uri=uri), arguments=(argument,)) if uri == PREFIXES["xs"]:
            return _atomized(argument)
    return None


def _turned(test: ast.Expr) -> ast.Expr:
    """A comparison in one of its two directions: `b < a` is `a > b`."""
    match test:
        case ast.GeneralComparison(op="<" | "<=" as op, left=left, right=right):
            return ast.GeneralComparison(TURNED[op], right, left)
        case ast.ValueComparison(op="lt" | "le" as op, left=left, right=right):
            return ast.ValueComparison({"lt": "gt", "le": "ge"}[op], right, left)
        case ast.GeneralComparison(op="=" | "!=" as op, left=left, right=right) if repr(left) > repr(right):
            return ast.GeneralComparison(op, right, left)
    return test


def _bounded(measured: _Measured, op: str, number: Fraction, holds: bool) -> Zones:
    """Where a variable compares so with a number, or does not."""
    variable = measured.variable
    applied = op if holds else NEGATED[op]
    zones = [Zone({variable: Kinds.NUMBER}, bounds) for bounds in _bounds(variable, applied, number)]
    # NaN is other than every number, and nothing else; what is missing is not even that.
    if holds:
        others = measured.nan if op == "!=" else Kinds(0)
    else:
        others = measured.defined & ~Kinds.NUMBER & (~measured.nan if op == "!=" else Kinds.ANY)
    if others:
        zones.append(Zone({variable: others}))
    return tuple(zones)


def _bounds(variable: Variable, op: str, number: Fraction) -> list[DifferenceBounds]:
    if op == "!=":
        return [*_bounds(variable, "<", number), *_bounds(variable, ">", number)]
    if variable.view == "integer" and op in ("<", ">") and number.denominator == 1:
        op, number = ("<=", number - 1) if op == "<" else (">=", number + 1)
    found = _between(variable, ZERO, op, number)
    return [] if found is None else [found]


def _between(x: Variable, y: Variable | None, op: str, value: Fraction) -> DifferenceBounds | None:
    """The bounds of x - y op value; None where they cannot hold."""
    found: DifferenceBounds | None = DifferenceBounds()
    if op in ("<", "<=", "=") and found is not None:
        found = found.with_bound(x, y, (value, op == "<"))
    if op in (">", ">=", "=") and found is not None:
        found = found.with_bound(y, x, (-value, op == ">"))
    return found


def _ordered(x: _Measured, y: _Measured, op: str, value: Fraction, holds: bool) -> Zones | None:
    """x - y op value, both numbers; where it does not hold, both must be told from all that is no number."""
    if op == "!=" or (not holds and op == "="):
        return None
    first, second = x.variable, y.variable
    applied = op if holds else NEGATED[op]
    bounds = _between(first, second, applied, value)
    kinds = {first: Kinds.NUMBER, second: Kinds.NUMBER}
    # A value compared with itself may never be so; what is no number counts all the same.
    zones = [] if bounds is None else [Zone(kinds, bounds)]
    if not holds:
        if not (x.is_total and y.is_total):
            return None
        for variable in (first, second):
            if others := variable.domain & ~Kinds.NUMBER:
                zones.append(Zone({variable: others}))
    return tuple(zones)


def _atomized(expr: ast.Expr) -> ast.Expr | None:
    """The path whose values are compared; None for anything but a path."""
    match expr:
        case ast.SequenceExpr(items=(item,)):
            return _atomized(item)
        case ast.FunctionCall(name=ast.Name(local="data", uri=uri), arguments=(argument,)) if uri == FN:
            return _atomized(argument)
        case ast.VarRef():
            return expr if is_path(expr) else None
        case ast.Filter(base=base, predicate=ast.IntegerLiteral()) if is_path(base):
            return expr
    return expr if isinstance(expr, ast.Path) and is_path(expr) else None


def _number_argument(expr: ast.Expr) -> ast.Expr | None:
    """The path of number(path)."""
    match expr:
        case ast.FunctionCall(name=ast.Name(local="number", uri=uri), arguments=(argument,)) if uri == FN:
            return _atomized(argument)
    return None


def _own_comparison(path: ast.Expr) -> ast.GeneralComparison | None:
    """en > 1.3 for en[. > 1.3]: what there is of the one is there where the other holds."""
    match path:
        case ast.Path(left=left, right=ast.AxisStep(predicates=(ast.GeneralComparison() as test,)) as step):
            bare = ast.Path(left, ast.AxisStep(step.axis, step.test))
            if isinstance(test.left, ast.ContextItem) and constants_of(test.right) is not None:
                return ast.GeneralComparison(test.op, bare, test.right)
            if isinstance(test.right, ast.ContextItem) and constants_of(test.left) is not None:
                return ast.GeneralComparison(test.op, test.left, bare)
    return None


def _tested(comparison: ast.GeneralComparison) -> ast.Expr:
    return comparison.left if is_path(comparison.left) else comparison.right


def _counted(expr: ast.Expr) -> ast.Expr | None:
    match expr:
        case ast.FunctionCall(name=ast.Name(local="count", uri=uri), arguments=(argument,)) if uri == FN:
            return argument if is_path(argument) else None
    return None


def _count_test(op: str, number: Number) -> bool | None:
    """Whether count(E) op number asks for something (True) or nothing (False); None where it asks for a number."""
    if isinstance(number, int):
        if (op, number) in ((">", 0), (">=", 1), ("!=", 0)):
            return True
        if (op, number) in (("=", 0), ("<", 1), ("<=", 0)):
            return False
    return None


Linear = tuple[dict[ast.Expr, int], Fraction]


def _linear(expr: ast.Expr) -> Linear | None:
    """A sum of terms and an exact constant."""
    number = constant_number(expr)
    if number is not None:
        return None if isinstance(number, float) else ({}, Fraction(number))
    match expr:
        case ast.SequenceExpr(items=(item,)):
            return _linear(item)
        case ast.Arithmetic(op="+" | "-" as op, left=left, right=right):
            one, other = _linear(left), _linear(right)
            if one is None or other is None:
                return None
            sign = 1 if op == "+" else -1
            terms = dict(one[0])
            for term, factor in other[0].items():
                terms[term] = terms.get(term, 0) + sign * factor
            return terms, one[1] + sign * other[1]
        case ast.Path() | ast.VarRef():
            return None
    return {expr: 1}, Fraction(0)
