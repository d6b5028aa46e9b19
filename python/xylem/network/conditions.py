"""Conditions on a record as zones: the same zones for every spelling of a condition.

    not($record/en <= 1.3)      1.3 < $record/en      $record/en > 2.6 div 2

A comparison of a value that a record has at most once becomes a bound. A comparison of a value that may occur many
times holds if one of them matches, and is an atom. XQuery's rules decide the types: an untyped value becomes a double
against a number and a string against a string; two untyped values are strings; xs:decimal($record/en) is exact.
"""

from __future__ import annotations

from fractions import Fraction
from math import ceil, floor

from xylem.analysis.facts.comparisons import GENERAL, TURNED
from xylem.analysis.facts.conjuncts import conjuncts
from xylem.analysis.facts.standard_calls import argument_of
from xylem.functions.library import look_up
from xylem.functions.registry import FN, PREFIXES
from xylem.rewrite.substitution import FocusInTheWay, Substitution
from xylem.syntax import ast
from xylem.values.numbers import to_double

from .composed_values import Step, bounds_of, composed, operations
from .constants import Constant, Number, constant_number, constant_text, constants_of, in_view
from .difference_bounds import ZERO, DifferenceBounds
from .item_conditions import THE_ITEM, ItemCondition, atomized_path, deeper, item_condition, literal, needed_paths
from .measured_values import (
    Measured,
    is_exact,
    is_whole,
    linear,
    measured,
    moment_of,
    number_argument,
    variable_of,
)
from .moments import Moment
from .record_facts import RECORD, RecordFacts, is_path
from .single_values import in_fewer_words
from .text_tests import as_text_test, text_itself
from .zones import (
    ALWAYS,
    EXISTS,
    NEVER,
    NUMBER_CALL,
    Kinds,
    Opaque,
    Some,
    SomeItem,
    TooMany,
    Variable,
    Zone,
    Zones,
    both,
    compares,
    either,
)  # fmt: skip

NEGATED = {"=": "!=", "!=": "=", "<": ">=", "<=": ">", ">": "<=", ">=": "<"}
_TEXT_TESTS = ("starts-with", "ends-with", "contains", "matches")


def zones_of(condition: ast.Expr, facts: RecordFacts) -> Zones:
    """The zones in which a condition on $record holds."""
    try:
        return _Reader(facts).zones(in_fewer_words(condition, facts), True)
    except TooMany:
        return (Zone(atoms=frozenset({(Opaque(condition), True)})),)


class _Reader:
    def __init__(self, facts: RecordFacts) -> None:
        self._facts = facts

    def zones(self, test: ast.Expr, holds: bool) -> Zones:
        """The zones in which a condition holds, or in which its negation holds."""
        match test:
            case ast.And(left=left, right=right) | ast.Or(left=left, right=right):
                sides = self.zones(left, holds), self.zones(right, holds)
                return both(*sides) if isinstance(test, ast.And) == holds else either((*sides[0], *sides[1]))
            case ast.If(test=chosen, then=then, otherwise=otherwise):
                first = both(self.zones(chosen, True), self.zones(then, holds))
                return either((*first, *both(self.zones(chosen, False), self.zones(otherwise, holds))))
            case ast.SequenceExpr(items=(item,)):
                return self.zones(item, holds)
        found: Zones | None = None
        match test:
            case ast.FunctionCall(name=name, arguments=arguments) if name.uri == FN:
                found = self._call(name.local, arguments, holds)
            case ast.GeneralComparison() | ast.ValueComparison():
                found = self._comparison(test, holds)
        if found is None and (of_items := item_condition(test)) is not None:
            found = self._items(of_items, holds, test)
        return self._opaque(test, holds) if found is None else found

    def _opaque(self, test: ast.Expr, holds: bool) -> Zones:
        found = _atom(Opaque(_turned(test)), holds)
        for path in needed_paths(test) if holds else ():
            found = both(found, self._presence(path, True))
        return found

    def _call(self, local: str, arguments: tuple[ast.Expr, ...], holds: bool) -> Zones | None:
        if local in ("true", "false") and not arguments:
            return ALWAYS if (local == "true") == holds else NEVER
        if local in _TEXT_TESTS and len(arguments) == 2:
            text = constant_text(arguments[1])
            if text is None or (local == "matches" and as_text_test(arguments[0], local, text) is None):
                return None
            return self._text(arguments[0], local, text, holds)
        if len(arguments) != 1:
            return None
        (argument,) = arguments
        if local == "not":
            return self.zones(argument, not holds)
        if local == "boolean" and not is_path(argument):
            return self.zones(argument, holds)
        return None

    # --- items

    def _items(self, condition: ItemCondition, holds: bool, whole: ast.Expr) -> Zones | None:
        """A condition on the items of a path; None if it says no more of a single item than `whole` does."""
        path, test = condition.path, condition.test
        holds = condition.holds == holds
        if self._facts.is_at_most_one(path):
            there = self._presence(path, True)
            if test is None:
                return there if holds else self._presence(path, False)
            try:
                inside = Substitution({RECORD.expanded: path}).apply(test)
            except FocusInTheWay:
                return _atom(Opaque(ast.Filter(path, test)), holds)
            if inside == whole:
                # x > 1e400: no finite number bounds it.
                return None
            if holds:
                return both(there, self.zones(inside, True))
            return either((*self._presence(path, False), *both(there, self.zones(inside, False))))
        if test is None:
            return _atom(Some(path, "", EXISTS), holds)
        return _atom(self._some_item(path, test), holds)

    def _some_item(self, path: ast.Expr, test: ast.Expr) -> SomeItem:
        inside = self._facts.inside(path)
        reader, test = _Reader(inside), in_fewer_words(test, inside)
        parts: list[SomeItem | Some] = []
        for one in conjuncts(test):
            # one of `obs` with val > 3 and kind = "x": then one of `obs/val` is above 3
            inner = deeper(ItemCondition(path, one))
            if inner.path != path:
                of_inner = Some(inner.path, "", EXISTS)
                parts.append(of_inner if inner.test is None else self._some_item(inner.path, inner.test))
        return SomeItem(path, test, reader.zones(test, True), reader.zones(test, False), tuple(parts))

    def _presence(self, path: ast.Expr, holds: bool) -> Zones:
        if not self._facts.is_at_most_one(path):
            return _atom(Some(path, "", EXISTS), holds)
        variable = variable_of(path, "double", self._facts)
        kinds = variable.domain & (~Kinds.MISSING if holds else Kinds.MISSING)
        return (Zone({variable: kinds}),) if kinds else NEVER

    # --- comparisons

    def _comparison(self, test: ast.GeneralComparison | ast.ValueComparison, holds: bool) -> Zones | None:
        is_general = isinstance(test, ast.GeneralComparison)
        op = GENERAL.get(test.op, test.op)
        found = self._of_sums(test.left, op, test.right, holds)
        if found is not None:
            return found
        for own, compared, other in ((test.left, op, test.right), (test.right, TURNED[op], test.left)):
            truth = _truth(other)
            if truth is not None and op in ("=", "!=") and _is_truth(own):
                # (en > 1.3) = true()
                return self.zones(own, holds == (truth == (op == "=")))
            constants = constants_of(other)
            if constants is not None and (is_general or len(constants) == 1):
                found = self._with_constants(own, compared, constants, is_general, holds)
                if found is not None:
                    return found
        return self._of_two(test.left, op, test.right, is_general, holds)

    def _with_constants(
        self, own: ast.Expr, op: str, constants: list[Constant], is_general: bool, holds: bool
    ) -> Zones | None:
        if isinstance(own, ast.SequenceExpr) and len(own.items) > 1:
            return self._any_of(own.items, op, constants, holds) if is_general else None
        found: Zones = NEVER if holds else ALWAYS
        for constant in constants:
            one = self._with_constant(own, op, constant, is_general, holds)
            if one is None:
                return None
            found = either((*found, *one)) if holds else both(found, one)
        return found

    def _any_of(
        self, values: tuple[ast.Expr, ...], op: str, constants: list[Constant], holds: bool
    ) -> Zones | None:
        """(en, ra) > 2: one value after another; a value that is not a number ends it."""
        found: Zones = NEVER if holds else ALWAYS
        before: Zones = ALWAYS
        for value in values:
            if measured(value, self._facts) is None:
                return None
            one = self._with_constants(value, op, constants, True, holds)
            fails = self._with_constants(value, op, constants, True, False)
            if one is None or fails is None:
                return None
            found = either((*found, *both(before, one))) if holds else both(found, one)
            before = both(before, fails)
        return found

    def _with_constant(
        self, own: ast.Expr, op: str, constant: Constant, is_general: bool, holds: bool
    ) -> Zones | None:
        if isinstance(constant, str):
            return self._text(own, op, constant, holds) if self._is_one_text(own) else None
        if isinstance(constant, Moment):
            moment = moment_of(own, constant, self._facts, is_general=is_general)
            return None if moment is None else _bounded(moment, op, constant.at, holds)
        if isinstance(own, ast.Unary) and own.op.count("-") % 2 and len(own.op) == 1:
            # -en < -2
            return self._with_constant(own.operand, TURNED[op], -constant, is_general, holds)
        inner = argument_of(own, "abs")
        if inner is not None and (found := self._of_size(inner, op, constant, holds)) is not None:
            return found
        made = composed(own, self._facts)
        if made is None:
            found = self._of_sum(own, op, constant, holds) or self._of_difference(own, op, constant, holds)
            found = found or (self._of_only_item(own, op, constant) if holds else None)
            if found is not None:
                return found
        if made is not None:
            number = in_view(constant, "double")
            return None if number is None else _bounded_through(*made, op, number, holds)
        value = measured(own, self._facts)
        if value is not None and (is_general or value.is_typed):
            number = in_view(constant, value.variable.view)
            return None if number is None else _bounded(value, op, number, holds)
        number, called = in_view(constant, "double"), number_argument(own)
        if called is None and holds and op != "!=":
            # A value that number() turns into NaN is an error of a cast: neither the comparison nor its negation holds.
            called = _double_argument(own)
        if number is None or called is None:
            return None
        return _atom(Some(called, NUMBER_CALL, op, number), holds)

    def _of_sum(self, own: ast.Expr, op: str, constant: Number, holds: bool) -> Zones | None:
        """sum() of at most one value: 0 if there is none. Of several: if 0 does not compare so, there is one."""
        argument, number = argument_of(own, "sum"), in_view(constant, "double")
        path = None if argument is None else atomized_path(argument)
        if path is None or number is None or self._facts.is_always_one(path):
            return None
        is_so = compares(Fraction(0), op, number) == holds
        if self._facts.is_at_most_one(path):
            single = Measured(variable_of(path, "double", self._facts))
            there = both(_bounded(single, op, number, holds), self._presence(path, True))
            return either((*there, *(self._presence(path, False) if is_so else NEVER)))
        value = measured(own, self._facts)
        if value is None or is_so:
            return None
        return both(_bounded(value, op, number, holds), self._presence(path, True))

    def _of_difference(self, own: ast.Expr, op: str, constant: Number, holds: bool) -> Zones | None:
        """x - y > 1 of doubles: then x > y."""
        match own:
            case ast.SequenceExpr(items=(item,)):
                return self._of_difference(item, op, constant, holds)
            case ast.Arithmetic(op="-", left=left, right=right) if holds:
                x, y = measured(left, self._facts), measured(right, self._facts)
            case _:
                return None
        value, number = measured(own, self._facts), in_view(constant, "double")
        if x is None or y is None or value is None or number is None:
            return None
        if {x.variable.view, y.variable.view, value.variable.view} != {"double"}:
            return None
        is_above = op in (">", ">=", "=") and number >= 0
        if not is_above and not (op in ("<", "<=", "=") and number <= 0):
            return None
        is_strict = number != 0 or op in ("<", ">")
        order = _ordered(x, y, (">" if is_above else "<") + ("" if is_strict else "="), Fraction(0), True)
        return None if order is None else both(_bounded(value, op, number, True), order)

    def _of_only_item(self, own: ast.Expr, op: str, constant: Number) -> Zones | None:
        """note - 1 > 2, which is an error for several notes: then there is one, and it is above 3."""
        operand, steps = operations(own)
        path, number = atomized_path(operand), in_view(constant, "double")
        if not steps or path is None or number is None or self._facts.is_at_most_one(path) or op == "!=":
            return None
        value = measured(own, self._facts)
        if value is None:
            return None
        found = _bounded(value, op, number, True)
        for part in ("<=", ">=") if op == "=" else (op,):
            known = bounds_of(steps, part, number)
            if isinstance(known, bool):
                found = both(found, self._presence(path, True)) if known else NEVER
            else:
                test = ast.GeneralComparison(known[0], THE_ITEM, literal(float(known[1])))
                found = both(found, _atom(self._some_item(path, test), True))
        return found

    def _of_size(self, own: ast.Expr, op: str, constant: Number, holds: bool) -> Zones | None:
        """abs(x) < 2 is x > -2 and x < 2, for a single number."""
        known = composed(own, self._facts) or measured(own, self._facts)
        if known is None or constant < 0:
            return None
        upper = self._with_constant(own, op, constant, True, holds)
        lower = self._with_constant(own, TURNED[op], -constant, True, holds)
        if upper is None or lower is None:
            return None
        return either((*upper, *lower)) if (op in (">", ">=", "=")) == holds else both(upper, lower)

    def _is_one_text(self, own: ast.Expr) -> bool:
        """Whether a side is at most one text, or the text of at most one node."""
        path = atomized_path(own)
        if path is not None:
            return self._facts.is_at_most_one(path)
        itself = text_itself(own)
        if itself is not None and (path := atomized_path(itself)) is not None:
            return self._facts.is_at_most_one(path)
        if isinstance(own, ast.FunctionCall):
            known = look_up(*own.name.expanded, len(own.arguments))
            return known is not None and known.returns in ("xs:string", "xs:string?")
        return False

    def _text(self, own: ast.Expr, op: str, constant: str, holds: bool) -> Zones | None:
        """A comparison of texts, or whether one begins with another: starts-with(@id, "x")."""
        is_equality = op in ("=", "!=")
        known = as_text_test(own, "=" if is_equality else op, constant)
        if known is not None:
            return self._text(*known, holds == (op != "!="))
        itself = text_itself(own)
        if itself is not None and (path := atomized_path(itself)) is not None and self._facts.is_at_most_one(path):
            return self._text(path, op, constant, holds)
        match own:
            case ast.SequenceExpr(items=(item,)):
                return self._text(item, op, constant, holds)
            case ast.FunctionCall(name=ast.Name(local="string", uri=uri), arguments=(argument,)) if uri == FN:
                inner = atomized_path(argument)
                if inner is not None and self._facts.is_at_most_one(inner):
                    # string() of nothing is the empty text.
                    there = both(self._presence(inner, True), self._text_atom(inner, op, constant, holds))
                    is_so = _holds_of_nothing(op, constant) == holds
                    return either((*there, *(self._presence(inner, False) if is_so else NEVER)))
        path = atomized_path(own)
        if path is None:
            return _atom(Some(own, "string", op, constant), holds)
        if not self._facts.is_at_most_one(path):
            # starts-with() of several values is an error; of one it is a test of that value.
            return _atom(Some(path, "text", op, constant), holds)
        if op in _TEXT_TESTS and not constant:
            return None
        zones = self._text_atom(path, op, constant, holds)
        if not holds and op not in ("=", "!="):
            return zones
        there = both(zones, self._presence(path, True))
        return there if holds else either((*self._presence(path, False), *there))

    @staticmethod
    def _text_atom(path: ast.Expr, op: str, constant: str, holds: bool) -> Zones:
        """A condition on one text that exists."""
        if not holds and op in ("=", "!="):
            op, holds = NEGATED[op], True
        return _atom(Some(path, "string", op, constant), holds)

    def _of_two(self, left: ast.Expr, op: str, right: ast.Expr, is_general: bool, holds: bool) -> Zones | None:
        """A comparison of two values of the record."""
        if holds and (found := self._of_shifted(left, op, right, is_general)) is not None:
            return found
        x, y = measured(left, self._facts), measured(right, self._facts)
        if x is None or y is None or x.variable.view != "double" or y.variable.view != "double":
            return None
        # Two untyped values are compared as strings, and so are the operands of a value comparison.
        typed = [x.is_typed, y.is_typed]
        if not any(typed) or (not all(typed) and not is_general):
            return None
        # If it does not hold, the order of evaluation decides whether there is an error.
        is_sure = holds or (x.is_total and y.is_total)
        return _ordered(x, y, op, Fraction(0), holds) if is_sure else None

    def _of_shifted(self, left: ast.Expr, op: str, right: ast.Expr, is_general: bool) -> Zones | None:
        """x > y + 1: then x > y, since a sum of doubles is never below a number that something was added to."""
        sides = [_shift(side) for side in (left, right)]
        if sides[0] is None and sides[1] is None:
            return None
        values = [measured(side, self._facts) for side in (left, right)]
        x, y = values
        if x is None or y is None or {x.variable.view, y.variable.view} != {"double"}:
            return None
        if not is_general and not (x.is_typed and y.is_typed):
            return None
        found = _ordered(x, y, op, Fraction(0), True)
        for value, side in zip(values, sides, strict=True):
            inner = None if side is None else measured(side[0], self._facts)
            if found is None or value is None or side is None or inner is None or inner.variable.view != "double":
                continue
            more = _between(value.variable, inner.variable, ">=" if side[1] >= 0 else "<=", Fraction(0))
            assert more is not None
            found = both(found, (Zone({value.variable: Kinds.NUMBER, inner.variable: Kinds.NUMBER}, more),))
        return found

    def _of_sums(self, left: ast.Expr, op: str, right: ast.Expr, holds: bool) -> Zones | None:
        """x op c, or x - y op c, for exact numbers, from any sums and multiples of them on the two sides."""
        terms = linear(left), linear(right)
        if terms[0] is None or terms[1] is None:
            return None
        together = dict(terms[0][0])
        for term, factor in terms[1][0].items():
            together[term] = together.get(term, Fraction(0)) - factor
        # A term that cancels out must still be a number: it counts as one more.
        if not together or len(together) > 2:
            return None
        by = next(iter(together.values()))
        if not by or any(abs(other) != abs(by) for other in together.values()):
            return None
        values = [self._exact(term) for term in together]
        op, value = op if by > 0 else TURNED[op], (terms[1][1] - terms[0][1]) / by
        first, second = values[0], values[-1]
        if first is None or second is None:
            return None
        if len(together) == 1:
            return _bounded(first, op, value, holds)
        return _ordered(first, second, op, value, holds) if sum(together.values()) == 0 else None

    def _exact(self, term: ast.Expr) -> Measured | None:
        found = measured(term, self._facts)
        return found if found is not None and is_exact(found.variable.view) else None


def _atom(atom: Some | SomeItem | Opaque, holds: bool) -> Zones:
    return (Zone(atoms=frozenset({(atom, holds)})),)


def _double_argument(expr: ast.Expr) -> ast.Expr | None:
    """The path in xs:double(PATH)."""
    match expr:
        case ast.FunctionCall(name=ast.Name(local="double", uri=uri), arguments=(argument,)) if uri == PREFIXES["xs"]:
            return atomized_path(argument)
    return None


def _shift(expr: ast.Expr) -> tuple[ast.Expr, float] | None:
    """A value and the number that is added to it."""
    match expr:
        case ast.SequenceExpr(items=(item,)):
            return _shift(item)
        case ast.Arithmetic(op="+" | "-" as op, left=left, right=right):
            number = constant_number(right)
            if number is not None:
                return left, to_double(number) if op == "+" else -to_double(number)
            number = constant_number(left)
            return None if number is None or op == "-" else (right, to_double(number))
    return None


def _truth(expr: ast.Expr) -> bool | None:
    match expr:
        case ast.FunctionCall(name=ast.Name(local="true" | "false" as local, uri=uri), arguments=()) if uri == FN:
            return local == "true"
    return None


def _is_truth(expr: ast.Expr) -> bool:
    match expr:
        case ast.SequenceExpr(items=(item,)):
            return _is_truth(item)
        case ast.FunctionCall(name=ast.Name(local="not" | "boolean" | "exists" | "empty", uri=uri)):
            return uri == FN
    return isinstance(expr, (ast.GeneralComparison, ast.And, ast.Or, ast.Quantified))


def _holds_of_nothing(op: str, constant: str) -> bool:
    """Whether the comparison holds for an empty text."""
    if op in _TEXT_TESTS:
        return not constant
    compared = {"=": not constant, "!=": bool(constant), "<": bool(constant), "<=": True, ">": False}
    return compared.get(op, not constant)


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


def _bounded(value: Measured, op: str, number: Fraction, holds: bool) -> Zones:
    """The zones in which a variable compares with a number this way, or in which it does not."""
    return _with_other_kinds(value, op, _bounds(value.variable, op if holds else NEGATED[op], number), holds)


def _with_other_kinds(value: Measured, op: str, numbers: list[DifferenceBounds], holds: bool) -> Zones:
    """Zones of numbers, and what a comparison or its negation is for values that are no numbers."""
    variable = value.variable
    zones = [Zone({variable: Kinds.NUMBER}, bounds) for bounds in numbers]
    # NaN differs from every number and has no other relation; a missing value does not even differ.
    if holds:
        others = value.nan if op == "!=" else Kinds(0)
    else:
        others = value.defined & ~Kinds.NUMBER & (~value.nan if op == "!=" else Kinds.ANY)
    if others:
        zones.append(Zone({variable: others}))
    return tuple(zones)


def _bounded_through(value: Measured, steps: tuple[Step, ...], op: str, number: Fraction, holds: bool) -> Zones:
    """The zones in which the result of operations on a variable compares with a number this way, or does not."""
    applied = op if holds else NEGATED[op]
    parts = {"!=": ("<", ">"), "=": ("<=", ">=")}.get(applied, (applied,))
    found: list[DifferenceBounds] = [] if applied == "!=" else [DifferenceBounds()]
    for part in parts:
        known = bounds_of(steps, part, number)
        each = _of_known(value.variable, known)
        if applied == "!=":
            found += each
        else:
            found = [made for one in found for more in each if (made := one.with_all(more)) is not None]
    return _with_other_kinds(value, op, found, holds)


def _of_known(variable: Variable, known: tuple[str, Fraction] | bool) -> list[DifferenceBounds]:
    if isinstance(known, bool):
        return [DifferenceBounds()] if known else []
    return _bounds(variable, *known)


def _bounds(variable: Variable, op: str, number: Fraction) -> list[DifferenceBounds]:
    if op == "!=":
        return [*_bounds(variable, "<", number), *_bounds(variable, ">", number)]
    if is_whole(variable.view):
        # x > 1.5 is x >= 2.
        match op:
            case "<" | "<=":
                below = ceil(number) - 1 if op == "<" else floor(number)
                op, number = "<=", Fraction(below)
            case ">" | ">=":
                op, number = ">=", Fraction(floor(number) + 1 if op == ">" else ceil(number))
            case _ if number.denominator != 1:
                return []
    found = _between(variable, ZERO, op, number)
    return [] if found is None else [found]


def _between(x: Variable, y: Variable | None, op: str, value: Fraction) -> DifferenceBounds | None:
    """The bounds of x - y op value; None if they cannot hold."""
    found: DifferenceBounds | None = DifferenceBounds()
    if op in ("<", "<=", "=") and found is not None:
        found = found.with_bound(x, y, (value, op == "<"))
    if op in (">", ">=", "=") and found is not None:
        found = found.with_bound(y, x, (-value, op == ">"))
    return found


def _ordered(x: Measured, y: Measured, op: str, value: Fraction, holds: bool) -> Zones | None:
    """x - y op value for numbers; the negation also holds for values that are no numbers."""
    if op == "!=" or (not holds and op == "="):
        return None
    first, second = x.variable, y.variable
    applied = op if holds else NEGATED[op]
    bounds = _between(first, second, applied, value)
    kinds = {first: Kinds.NUMBER, second: Kinds.NUMBER}
    # A value compared with itself may never hold; values that are not numbers still count.
    zones = [] if bounds is None else [Zone(kinds, bounds)]
    if not holds:
        if not (x.is_total and y.is_total):
            return None
        for variable in (first, second):
            if others := variable.domain & ~Kinds.NUMBER:
                zones.append(Zone({variable: others}))
    return tuple(zones)
