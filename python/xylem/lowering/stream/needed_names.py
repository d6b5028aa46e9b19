"""The names without which a handler writes nothing: the scan skips elements with other names.

        on * as $e return { typeswitch ($e) case element(en) return … case element(ra) | element(dec) return $e
                            default return () }                            →     *[self::en or self::ra or self::dec]

Gain:   an element without output is neither kept nor reported.
Needs:  conditions on the name of the element in front of all output: a `typeswitch`, an `if` or a `switch` by name, in
        any nesting.
Safe:   the name alone decides, and no such condition raises an error; the handler still tests it.
"""

from __future__ import annotations

from collections.abc import Iterable

from xylem.analysis.facts.conjuncts import conjuncts
from xylem.analysis.streamable_paths import is_element_test
from xylem.functions.registry import FN
from xylem.plan.flux import Flux, For, If, Leaf, On, OnEach, OnFirst, OnWindow, ProcessStream, Sequence, Step
from xylem.plan.needs import element_names
from xylem.syntax import ast

NameOf = tuple[str | None, str | None]
"""(uri, local), None for any."""
Names = frozenset[NameOf]
ANY: Names = frozenset({(None, None)})
NONE: Names = frozenset()


def needed_names(body: Flux, variable: str) -> Names:
    """The names that the element of a variable may have if a body writes anything; `ANY` if unknown."""
    match body:
        case If(condition=condition, body=inner):
            return _both(_of_condition(condition, variable), needed_names(inner, variable))
        case For(body=inner, where=where):
            below = needed_names(inner, variable)
            return below if where is None else _both(_of_condition(where, variable), below)
        case Sequence(parts=parts):
            return _any_of(needed_names(part, variable) for part in parts)
        case ProcessStream(handlers=handlers):
            bodies = [one.body for one in handlers if isinstance(one, (On, OnFirst, OnWindow, OnEach))]
            return _any_of(needed_names(inner, variable) for inner in bodies)
        case Leaf(expression=expression):
            return _of_result(expression, variable)
    return ANY


def _of_result(expr: ast.Expr, variable: str) -> Names:
    """The element names for which an expression may return anything."""
    match expr:
        case ast.SequenceExpr(items=items):
            return _any_of(_of_result(item, variable) for item in items)
        case ast.If(test=condition, then=then, otherwise=otherwise) if _is_by_name(condition, variable):
            where = _both(_of_condition(condition, variable), _of_result(then, variable))
            return _any_of((where, _of_result(otherwise, variable)))
        case ast.Typeswitch(operand=operand, cases=cases, default=default) if is_variable(operand, variable):
            chosen = (_both(_of_types(case.types), _of_result(case.result, variable)) for case in cases)
            return _any_of((*chosen, _of_result(default, variable)))
        case ast.Switch(operand=operand, cases=cases, default=default) if _called(operand, variable) is not None:
            if not all(isinstance(one, ast.StringLiteral) for case in cases for one in case.operands):
                return ANY
            found = _of_result(default, variable)
            for case in cases:
                wanted = _any_of(_named(operand, one, variable) for one in case.operands)
                found = _any_of((found, _both(wanted, _of_result(case.result, variable))))
            return found
    return ANY


def _of_condition(condition: ast.Expr, variable: str) -> Names:
    """The element names for which a condition may hold."""
    match condition:
        case ast.And():
            found = ANY
            for one in conjuncts(condition):
                found = _both(found, _of_condition(one, variable))
            return found
        case ast.Or(left=left, right=right):
            return _any_of((_of_condition(left, variable), _of_condition(right, variable)))
        case ast.Path(left=left, right=ast.AxisStep(axis="self", test=test, predicates=())):
            is_name = is_variable(left, variable) and is_element_test(test)
            return frozenset({element_names(Step("*", "self", test))}) if is_name else ANY
        case ast.InstanceOf(operand=operand, type=of) if is_variable(operand, variable):
            return _of_types((of,))
        case (
            ast.GeneralComparison(op="=", left=left, right=right) | ast.ValueComparison(op="eq", left=left, right=right)
        ):
            if _called(left, variable) is None:
                left, right = right, left
            values = right.items if isinstance(right, ast.SequenceExpr) else (right,)
            return _any_of(_named(left, value, variable) for value in values)
    return ANY


def _is_by_name(condition: ast.Expr, variable: str) -> bool:
    """Whether the name decides a condition without errors."""
    match condition:
        case ast.And(left=left, right=right) | ast.Or(left=left, right=right):
            return _is_by_name(left, variable) and _is_by_name(right, variable)
    return _of_condition(condition, variable) != ANY


def _of_types(types: tuple[ast.SequenceTypeNode, ...]) -> Names:
    found: set[NameOf] = set()
    for one in types:
        match one.item:
            case None:
                continue
            case ast.ElementTest(name=ast.Name() as name, type=None):
                found.add(name.expanded)
            case ast.AttributeTest() | ast.TextTest() | ast.CommentTest() | ast.DocumentTest():
                continue
            case _:
                return ANY
    return frozenset(found)


def _named(function: ast.Expr, value: ast.Expr, variable: str) -> Names:
    """The element names for which name($variable) or local-name($variable) is a string."""
    called = _called(function, variable)
    if called is None or not isinstance(value, ast.StringLiteral):
        return ANY
    return frozenset({(None, value.value if called == "local-name" else value.value.rpartition(":")[2])})


def _called(expr: ast.Expr, variable: str) -> str | None:
    """The function by which an expression reads the name of the element."""
    match expr:
        case ast.FunctionCall(name=ast.Name(local="name" | "local-name" as local, uri=uri), arguments=(argument,)):
            return local if uri == FN and is_variable(argument, variable) else None
    return None


def is_variable(expr: ast.Expr, variable: str) -> bool:
    return isinstance(expr, ast.VarRef) and expr.name.expanded == ("", variable)


def _any_of(parts: Iterable[Names]) -> Names:
    found = NONE.union(*parts)
    return ANY if found >= ANY else found


def _both(left: Names, right: Names) -> Names:
    return frozenset(met for one in left for other in right if (met := _met(one, other)) is not None)


def _met(one: NameOf, other: NameOf) -> NameOf | None:
    """The names that two patterns share."""
    found: list[str | None] = []
    for mine, yours in zip(one, other, strict=True):
        if mine is not None and yours is not None and mine != yours:
            return None
        found.append(yours if mine is None else mine)
    return found[0], found[1]
