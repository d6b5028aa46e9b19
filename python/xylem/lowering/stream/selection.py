"""Selection in the scan: conditions that decide whether a handler can need an element at all.

        on person as $p return … { if ($p/@id = "person0" and …) then … } …     →     person[@id = "person0"]

Gain:   the scan skips elements whose attributes fail and drops complete records whose values fail, without calling a
        handler for either.
Needs:  the condition compares an attribute, or a value at the end of a path, with a constant, and guards all output of
        the handler.
Safe:   the handler still tests the condition; the scan drops only records that would write nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from decimal import Decimal
from math import inf

from xylem.analysis.facts.comparisons import GENERAL, TURNED
from xylem.analysis.facts.conjuncts import conjuncts
from xylem.analysis.streamable_paths import is_element_test
from xylem.functions.decimal_format import DecimalFormat
from xylem.functions.registry import FN
from xylem.plan.flux import Copy, Flux, For, Handler, If, On, OnEach, OnFirst, OnWindow, ProcessStream, Sequence, Step
from xylem.plan.needs import element_names
from xylem.plan.scan_plan import (
    ABSENT,
    EXISTS,
    AttributeTest,
    NameTest,
    PositionTest,
    PresenceTest,
    StartTest,
    ValueTest,
)
from xylem.syntax import ast

from .needed_names import ANY, NONE, NameOf, needed_names
from .steps import path_expression

MOST_ALTERNATIVES = 8
Guards = frozenset[ast.Expr] | None
"""Conditions required for a body to write anything; None for a body that never writes."""


@dataclass(frozen=True)
class Selection:
    """Finds the tests that a scan can make."""

    by_code_points: bool = True
    """Whether strings are compared as the scan does; the default collation of the query may differ."""
    empty_greatest: bool = False
    """Whether an empty value sorts after all values, if an order does not say."""
    decimal_formats: Mapping[tuple[str, str], DecimalFormat] = field(default_factory=dict)
    """Those that the query declares."""
    by_name: bool = True
    """Whether names are tested; not after a positional test, since the scan would test them before it."""

    has_default_namespace: bool = False
    """Whether element names without prefix are in a namespace."""

    def behind(self, tests: tuple[StartTest, ...]) -> Selection:
        """The tests that can follow these tests."""
        return replace(self, by_name=False) if any(isinstance(test, PositionTest) for test in tests) else self

    def tests_of(self, body: Flux, variable: str) -> tuple[StartTest, ...]:
        """The tests of the name and attributes of `variable` that must hold for a body to write anything."""
        found = self.tests(guards(body) or (), variable)
        names = needed_names(body, variable) if self.by_name and self.by_code_points else ANY
        if names in (ANY, NONE):
            return found
        # It implies the other tests of names.
        rest = (test for test in found if not isinstance(test, NameTest))
        return NameTest(tuple(sorted(names, key=repr))), *rest

    def decided_at_start(self, body: Flux, variable: str) -> set[ast.Expr]:
        """The conditions that these tests decide, anywhere in the body."""
        return {condition for condition in guards(body) or () if self.test(condition, variable) is not None}

    def value_tests_of(self, body: Flux, variable: str) -> tuple[ValueTest, ...]:
        """The tests of values below `variable` that must hold for a body to write anything."""
        return self._value_tests(guards(body) or (), variable)

    def alternatives_of(self, body: Flux, variable: str) -> tuple[tuple[ValueTest, ...], ...]:
        """Lists of tests: a body writes something only if all tests of one list hold; empty if nothing is known."""
        found = (self._alternatives(one, variable) for one in guards(body) or () if isinstance(one, ast.Or))
        return min((one for one in found if one is not None), key=repr, default=())

    def _alternatives(self, condition: ast.Expr, variable: str) -> tuple[tuple[ValueTest, ...], ...] | None:
        if isinstance(condition, ast.Or):
            left, right = (self._alternatives(side, variable) for side in (condition.left, condition.right))
            return None if left is None or right is None or len(left + right) > MOST_ALTERNATIVES else left + right
        tests = [self.value_test(one, variable) for one in conjuncts(condition)]
        known = tuple(test for test in tests if test is not None)
        # If the scan cannot test a part, the rest of its alternative can still be tested.
        return (known,) if known else None

    def value_tests_of_predicates(self, taken: ast.Expr, variable: str) -> tuple[ValueTest, ...]:
        """The tests of values among the predicates of `$variable[p][q]…`, or the `where` of a loop over it."""
        relative = (of_variable(predicate, variable) for predicate in _predicates(taken))
        return self._value_tests((p for p in relative if p is not None), variable)

    def tests_of_predicates(self, taken: ast.Expr, variable: str) -> tuple[tuple[StartTest, ...], bool]:
        """The tests among the predicates of `$variable[p][q]…`, and whether there are no other predicates."""
        predicates = _predicates(taken)
        while isinstance(taken, ast.Filter):
            taken = taken.base
        relative = [one for predicate in predicates if (one := of_variable(predicate, variable)) is not None]
        exact = [one for one in relative if self.test(one, variable) is not None]
        is_plain = isinstance(taken, ast.VarRef) and len(exact) == len(predicates)
        if isinstance(taken, ast.Path):
            # An attribute is taken: without it there is nothing.
            relative.append(first_step(taken))
        return self.tests(relative, variable), is_plain

    def tests(self, conditions: Iterable[ast.Expr], variable: str) -> tuple[StartTest, ...]:
        """The tests that must hold for all conditions to hold."""
        found = {self.test(condition, variable) or self._needed(condition, variable) for condition in conditions}
        return tuple(sorted((test for test in found if test is not None), key=repr))

    def _needed(self, condition: ast.Expr, variable: str) -> PresenceTest | None:
        """The attribute without which a condition is certainly false."""
        match condition:
            case ast.GeneralComparison(left=left, right=right) | ast.ValueComparison(left=left, right=right):
                found = _attribute(left, variable) or _attribute(right, variable)
            case ast.FunctionCall(name=name, arguments=(value, ast.StringLiteral(value=string))) if string:
                is_inside = name.uri == FN and name.local in ("starts-with", "ends-with", "contains")
                found = _attribute(value, variable) if is_inside else None
            case _:
                return None
        return None if found is None else PresenceTest(*found)

    def _value_tests(self, conditions: Iterable[ast.Expr], variable: str) -> tuple[ValueTest, ...]:
        found = (self.value_test(one, variable) or self._own_value_test(one, variable) for one in conditions)
        # Tests of the element's own attributes are decided at its start tag.
        usable = [test for test in found if test is not None and (test.path or not test.attribute or test.op == ABSENT)]
        return tuple(sorted(usable, key=repr))

    def _own_value_test(self, condition: ast.Expr, variable: str) -> ValueTest | None:
        """A condition on the string value of an element, or on its own text nodes."""
        found = self._comparison(condition)
        if found is None or not isinstance(condition, ast.GeneralComparison):
            return None
        op, value, string, number = found
        is_text = False
        match value:
            case ast.Path(left=left, right=ast.AxisStep(axis="child", test=ast.TextTest(), predicates=())):
                value, is_text = left, True
        if not isinstance(value, ast.VarRef) or value.name.expanded != ("", variable):
            return None
        return ValueTest((), op, string, number, is_text)

    def test(self, condition: ast.Expr, variable: str) -> StartTest | None:
        """A condition as a test of an attribute or of the element's name."""
        names = self._names(condition, variable)
        if names is not None:
            return NameTest(tuple(names))
        sought, nodes = _sought(condition)
        present = _attribute(nodes, variable)
        if present is not None and sought == EXISTS:
            return PresenceTest(*present)
        found = self._comparison(condition)
        if found is None:
            return None
        op, value, string, number = found
        name = _attribute(value, variable)
        # Comparing a value with a number is an error: it is left to the handler.
        if name is None or (number is not None and isinstance(condition, ast.ValueComparison)):
            return None
        return AttributeTest(*name, op, string, number)

    def value_test(self, condition: ast.Expr, variable: str) -> ValueTest | None:
        """A condition as a test of values, perhaps of an attribute of the element itself."""
        sought, nodes = _sought(condition)
        there = _value_path(nodes, variable)
        if there is not None:
            return ValueTest(there[0], sought, "", None, *there[1:])
        found = self._comparison(condition)
        if found is None or not isinstance(condition, ast.GeneralComparison):
            return None
        op, value, string, number = found
        names = _value_path(value, variable)
        if names is None:
            return None
        path, text, attribute = names
        return ValueTest(path, op, string, number, text, attribute)

    def _names(self, condition: ast.Expr, variable: str) -> list[NameOf] | None:
        """$variable/self::a or local-name($variable) = "b" or …: the names."""
        if not self.by_name:
            return None
        if isinstance(condition, ast.Or):
            return _all(self._names(side, variable) for side in (condition.left, condition.right))
        match condition:
            case ast.Path(left=ast.VarRef(name=source), right=ast.AxisStep(axis="self", test=test, predicates=())):
                is_name = source.expanded == ("", variable) and is_element_test(test)
                return [element_names(Step("*", "self", test))] if is_name else None
            case ast.GeneralComparison(op="=", left=left, right=ast.SequenceExpr(items=items)) if items:
                return _all(self._names(ast.GeneralComparison("=", left, item), variable) for item in items)
        found = self._comparison(condition)
        if found is None or found[0] != "=" or found[2] is None or not _is_local_name(found[1], variable):
            return None
        return [(None, found[2])]

    def decides(self, condition: ast.Expr, variable: str) -> bool:
        """Whether scan tests decide a condition completely."""
        return self.test(condition, variable) is not None or self.value_test(condition, variable) is not None

    def _comparison(self, condition: ast.Expr) -> tuple[str, ast.Expr, str | None, float | None] | None:
        """A comparison with a constant: the operator, the compared path, and the string or number."""
        if not isinstance(condition, (ast.GeneralComparison, ast.ValueComparison)):
            return None
        op = GENERAL.get(condition.op, condition.op)
        value, constant = condition.left, _constant(condition.right)
        if constant is None:
            op, value, constant = TURNED[op], condition.right, _constant(condition.left)
        if constant is None or (constant[0] is not None and not self.by_code_points):
            return None
        return op, value, *constant


def _predicates(taken: ast.Expr) -> list[ast.Expr]:
    """The conditions required for anything to be taken from a record."""
    found: list[ast.Expr] = []
    while isinstance(taken, (ast.Path, ast.Filter)):
        if isinstance(taken, ast.Filter):
            found += conjuncts(taken.predicate)
            taken = taken.base
        else:
            # The conditions found so far concern nodes of the path, and not the record that it starts from.
            found = []
            taken = taken.left
    return found


def guards(body: Flux) -> Guards:
    """The conditions that guard everything a body writes."""
    match body:
        case If(condition=condition, body=inner):
            below = guards(inner)
            return None if below is None else below | frozenset(conjuncts(condition))
        case For(body=inner, where=where):
            below = guards(inner)
            return None if below is None else below | frozenset(conjuncts(where))
        case Sequence(parts=parts):
            return _common(guards(part) for part in parts)
        case Copy(variable=variable, path=(Step(axis="attribute") as step, *_)):
            return frozenset({path_expression(variable, (step,))})
        case ProcessStream(variable=variable, handlers=handlers):
            return _common(_of_handler(variable, handler) for handler in handlers)
    return frozenset()


def _of_handler(variable: str, handler: Handler) -> Guards:
    below = guards(handler.body) if isinstance(handler, (On, OnFirst, OnWindow, OnEach)) else None
    if below is None or not isinstance(handler, On) or handler.step.axis != "attribute" or handler.through:
        return below
    # Without the attribute of the element itself it does not fire.
    return below | {path_expression(variable, (handler.step,))}


def _common(parts: Iterable[Guards]) -> Guards:
    found: Guards = None
    for part in parts:
        if part is not None:
            found = part if found is None else found & part
    return found


def _constant(expr: ast.Expr) -> tuple[str | None, float | None] | None:
    match expr:
        case ast.StringLiteral(value=string):
            return string, None
        case ast.IntegerLiteral(value=number) | ast.DecimalLiteral(value=number) | ast.DoubleLiteral(value=number):
            return None, _double(number)
        case ast.Unary(op="-", operand=operand):
            constant = _constant(operand)
            return None if constant is None or constant[1] is None else (None, -constant[1])
    return None


def _double(number: int | Decimal | float) -> float:
    try:
        return float(number)
    except OverflowError:
        # As xs:double it is infinite; Python refuses only integers.
        return inf if number > 0 else -inf


def _value_path(expr: ast.Expr, variable: str) -> tuple[tuple[NameOf, ...], bool, tuple[str, str] | None] | None:
    """$variable/a/b, $variable/a/text(), $variable/a/@b, $variable/@b: the elements, and the value of the last."""
    steps: list[NameOf] = []
    text, attribute = False, None
    while isinstance(expr, ast.Path):
        match expr.right:
            case ast.AxisStep(axis="child", test=ast.NameTest() | ast.Wildcard() as test, predicates=()):
                steps.append(element_names(Step("*", "child", test)))
            case ast.AxisStep(axis="child", test=ast.TextTest(), predicates=()) if not steps:
                text = True
            case ast.AxisStep(axis="attribute", test=ast.NameTest(name=name), predicates=()) if not steps:
                attribute = name.expanded
            case _:
                return None
        expr = expr.left
    if (not steps and attribute is None) or (text and attribute is not None):
        return None
    if not isinstance(expr, ast.VarRef) or expr.name.expanded != ("", variable):
        return None
    return tuple(reversed(steps)), text, attribute


def _attribute(expr: ast.Expr, variable: str) -> tuple[str, str] | None:
    """(uri, local) of $variable/@name."""
    match expr:
        case ast.Path(
            left=ast.VarRef(name=source),
            right=ast.AxisStep(axis="attribute", test=ast.NameTest(name=name), predicates=()),
        ) if source.expanded == ("", variable):
            return name.expanded
    return None


def _sought(condition: ast.Expr) -> tuple[str, ast.Expr]:
    """The nodes whose existence a condition tests: exists(E), or E itself; not(E) or empty(E)."""
    match condition:
        case ast.FunctionCall(name=ast.Name(local="exists", uri=uri), arguments=(argument,)) if uri == FN:
            return EXISTS, argument
        case ast.FunctionCall(name=ast.Name(local="not" | "empty", uri=uri), arguments=(argument,)) if uri == FN:
            return ABSENT, argument
    return EXISTS, condition


def first_step(path: ast.Path) -> ast.Expr:
    """$variable/step of $variable[p]/step/…."""
    while isinstance(path.left, ast.Path):
        path = path.left
    base = path.left
    while isinstance(base, ast.Filter):
        base = base.base
    return ast.Path(base, path.right)


def _all(parts: Iterable[list[NameOf] | None]) -> list[NameOf] | None:
    """The names of all parts; None if one has none."""
    found: list[NameOf] = []
    for part in parts:
        if part is None:
            return None
        found += part
    return found


def _is_local_name(expr: ast.Expr, variable: str) -> bool:
    """local-name($variable)."""
    match expr:
        case ast.FunctionCall(name=ast.Name(local="local-name", uri=uri), arguments=(ast.VarRef(name=source),)):
            return uri == FN and source.expanded == ("", variable)
    return False


def of_variable(predicate: ast.Expr, variable: str) -> ast.Expr | None:
    """A comparison or a test of the name in a predicate, with its step as a path from the variable."""
    item = ast.VarRef(ast.Name(variable, None, ""))
    if isinstance(predicate, ast.Or):
        left, right = of_variable(predicate.left, variable), of_variable(predicate.right, variable)
        return None if left is None or right is None else ast.Or(left, right)
    if isinstance(predicate, (ast.AxisStep, ast.Path)):
        return _from(item, predicate)
    if isinstance(predicate, ast.FunctionCall) and _sought(predicate)[1] is not predicate:
        return ast.FunctionCall(predicate.name, tuple(_from(item, argument) for argument in predicate.arguments))
    if not isinstance(predicate, (ast.GeneralComparison, ast.ValueComparison)):
        return None
    return type(predicate)(predicate.op, *(_from(item, side) for side in (predicate.left, predicate.right)))


def _from(item: ast.Expr, side: ast.Expr) -> ast.Expr:
    """A relative path as a path from the item."""
    if isinstance(side, ast.ContextItem):
        return item
    if isinstance(side, ast.AxisStep):
        return ast.Path(item, side)
    if isinstance(side, ast.Path):
        return ast.Path(_from(item, side.left), side.right)
    match side:
        case ast.FunctionCall(name=ast.Name(local="local-name", uri=uri), arguments=() | (ast.ContextItem(),)) if (
            uri == FN
        ):
            return ast.FunctionCall(side.name, (item,))
    return side
