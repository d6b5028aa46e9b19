"""One form for all spellings of the condition that one of several items passes a test.

        note > 2       note[. > 2]       exists(note[. > 2])       some $n in note satisfies $n > 2
        →   one of `note` with  . > 2                               (`$record` stands for the item in its test)

Each item is tested separately: an item whose test fails with an error does not count, and hides no other. Filters test
records in this way (`filter_stream.guarded`), and conclusions about a condition (`conditions`) refer to this form.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from xylem.analysis.facts.comparisons import GENERAL, TURNED
from xylem.analysis.facts.conjuncts import conjunction
from xylem.analysis.focus import uses_position
from xylem.analysis.free_variables import free_in
from xylem.analysis.streamable_paths import is_test
from xylem.functions.registry import FN, PREFIXES
from xylem.rewrite.negation import negated
from xylem.rewrite.substitution import FocusInTheWay, Substitution
from xylem.syntax import ast

from .constants import Constant, constants_of
from .moments import Moment, literal_of
from .record_facts import RECORD, is_path, is_place

THE_ITEM = ast.VarRef(RECORD)


@dataclass(frozen=True)
class ItemCondition:
    """Whether one of the items that a path from the record leads to passes a test."""

    path: ast.Expr
    test: ast.Expr | None
    """In terms of `$record`, which stands for the item; None if existence is enough."""
    holds: bool = True
    """Whether there must be such an item, or none."""


def item_condition(condition: ast.Expr) -> ItemCondition | None:
    """A condition as one on items; None if it is not one."""
    found = _item_condition(condition)
    return None if found is None else _lifted(found)


def _lifted(condition: ItemCondition) -> ItemCondition:
    """one of `obs[kind = "x"]/val` with . > 3  →  one of `obs` with kind = "x" and one of its `val` above 3."""
    steps: list[ast.AxisStep] = []
    path = condition.path
    while isinstance(path, ast.Path) and isinstance(path.right, ast.AxisStep):
        steps.insert(0, path.right)
        path = path.left
    at = next((number for number, step in enumerate(steps[:-1]) if step.predicates), None)
    if at is None or path != THE_ITEM:
        return condition
    tests = [_of_item(predicate) for predicate in steps[at].predicates]
    base: ast.Expr = path
    for step in (*steps[:at], replace(steps[at], predicates=())):
        base = ast.Path(base, step)
    rest: ast.Expr = THE_ITEM
    for step in steps[at + 1 :]:
        rest = ast.Path(rest, step)
    if condition.test is not None:
        name = ast.Name("item", None, f"{RECORD.uri}:below")
        test = Substitution({RECORD.expanded: ast.VarRef(name)}).apply(condition.test)
        rest = ast.Quantified("some", (ast.QuantifiedBinding(name, None, rest),), test)
    made = conjunction([one for one in (*tests, rest) if one is not None])
    return condition if None in tests else ItemCondition(base, made, condition.holds)


def _item_condition(condition: ast.Expr) -> ItemCondition | None:
    match condition:
        case ast.SequenceExpr(items=(item,)):
            return item_condition(item)
        case ast.GeneralComparison(op=op, left=left, right=right):
            return _compared(left, op, right) or _compared(right, TURNED[GENERAL.get(op, op)], left)
        case ast.ValueComparison() if (counted := _counted(condition)) is not None:
            return counted
        case ast.Quantified():
            return _quantified(condition)
        case ast.FunctionCall(name=ast.Name(local=local, uri=uri), arguments=(argument,)) if uri == FN:
            if local in ("exists", "boolean", "empty") and (is_path(argument) or isinstance(argument, ast.Filter)):
                found = item_condition(argument)
                return None if found is None else ItemCondition(found.path, found.test, local != "empty")
            return None
        case ast.Filter(base=base, predicate=predicate) if is_path(base):
            test = _of_item(predicate)
            return None if test is None else ItemCondition(base, test)
        case ast.VarRef() if is_path(condition):
            return ItemCondition(condition, None)
    return _present(condition, True) if isinstance(condition, ast.Path) and is_path(condition) else None


def _present(path: ast.Expr, holds: bool) -> ItemCondition:
    """Items whose last predicates are the test."""
    if isinstance(path, ast.Path) and isinstance(path.right, ast.AxisStep):
        step = path.right
        tests = [_of_item(predicate) for predicate in step.predicates]
        if tests and None not in tests:
            bare = ast.Path(path.left, ast.AxisStep(step.axis, step.test))
            return ItemCondition(bare, conjunction([one for one in tests if one is not None]), holds)
    return ItemCondition(path, None, holds)


def _of_item(predicate: ast.Expr) -> ast.Expr | None:
    if not is_test(predicate) or uses_position(predicate):
        return None
    try:
        return Substitution({}, THE_ITEM).apply(predicate)
    except FocusInTheWay:
        return None


def _compared(own: ast.Expr, op: str, other: ast.Expr) -> ItemCondition | None:
    counted = _count_test(own, op, other)
    if counted is not None:
        return counted
    constants, path = constants_of(other), atomized_path(own)
    value: ast.Expr = THE_ITEM
    if path is None and (of_each := _of_each(own)) is not None:
        path, value = of_each
    if constants is None or path is None or not constants:
        return None
    inner = _present(path, True)
    test = one_of(value, GENERAL.get(op, op), constants)
    return ItemCondition(inner.path, test if inner.test is None else ast.And(inner.test, test))


def _of_each(expr: ast.Expr) -> tuple[ast.Expr, ast.Expr] | None:
    """A path and the value computed from each item: en/number(), en ! number(.), for $e in en return number($e)."""
    match expr:
        case ast.SequenceExpr(items=(item,)):
            return _of_each(item)
        case ast.Path(left=left, right=ast.FunctionCall() as made) | ast.SimpleMap(left=left, right=made):
            path, put = atomized_path(left), Substitution({}, THE_ITEM)
        case ast.Flwor(clauses=(ast.ForClause(type=None, position=None, allowing_empty=False) as only,), result=made):
            path, put = atomized_path(only.collection), Substitution({only.name.expanded: THE_ITEM})
            if free_in(made) - {only.name.expanded}:
                return None
        case _:
            return None
    if path is None or uses_position(made):
        return None
    try:
        return path, put.apply(made)
    except FocusInTheWay:
        return None


def one_of(own: ast.Expr, op: str, constants: list[Constant]) -> ast.Expr:
    """A comparison with several constants as one comparison per constant: it holds if one of them does."""
    made: ast.Expr | None = None
    for constant in constants:
        one = ast.GeneralComparison(op, own, literal(constant))
        made = one if made is None else ast.Or(made, one)
    assert made is not None
    return made


def literal(constant: Constant) -> ast.Expr:
    if isinstance(constant, str):
        return ast.StringLiteral(constant)
    if isinstance(constant, Moment):
        return literal_of(constant)
    if constant < 0:
        return ast.Unary("-", literal(-constant))
    if isinstance(constant, float):
        return ast.DoubleLiteral(constant)
    return ast.IntegerLiteral(constant) if isinstance(constant, int) else ast.DecimalLiteral(constant)


def _counted(condition: ast.ValueComparison) -> ItemCondition | None:
    op = GENERAL.get(condition.op, condition.op)
    return _count_test(condition.left, op, condition.right) or _count_test(condition.right, TURNED[op], condition.left)


_SOME = {(">", 0), (">=", 1), ("!=", 0)}
_NONE = {("=", 0), ("<", 1), ("<=", 0)}


def _count_test(own: ast.Expr, op: str, other: ast.Expr) -> ItemCondition | None:
    """count(E) > 0 and the like, which test for an item."""
    match own, other:
        case (
            ast.FunctionCall(name=ast.Name(local="count", uri=uri), arguments=(argument,)),
            ast.IntegerLiteral(value=number),
        ) if uri == FN and is_path(argument) and (op, number) in _SOME | _NONE:
            return _present(argument, (op, number) in _SOME)
    return None


def _quantified(test: ast.Quantified) -> ItemCondition | None:
    if len(test.bindings) != 1 or test.bindings[0].type is not None:
        return None
    binding = test.bindings[0]
    if not is_path(binding.collection):
        return None
    inner = _present(binding.collection, True)
    asked = test.satisfies if test.kind == "some" else negated(test.satisfies)
    if free_in(asked) - {binding.name.expanded}:
        # It also reads the record: `$record` would be ambiguous.
        return None
    try:
        of_item = Substitution({binding.name.expanded: THE_ITEM}).apply(asked)
    except FocusInTheWay:
        return None
    made = ItemCondition(inner.path, of_item if inner.test is None else ast.And(inner.test, of_item))
    found = deeper(made)
    return found if test.kind == "some" else ItemCondition(found.path, found.test, False)


def deeper(condition: ItemCondition) -> ItemCondition:
    """one of `obs` with val > 3  →  one of `obs/val` with . > 3."""
    if condition.test is None:
        return condition
    inner = item_condition(condition.test)
    if inner is None or not inner.holds or inner.path == THE_ITEM:
        return condition
    path = Substitution({RECORD.expanded: condition.path}).apply(inner.path)
    return deeper(ItemCondition(path, inner.test)) if is_path(path) else condition


def atomized_path(expr: ast.Expr) -> ast.Expr | None:
    """The path whose values are compared; None for anything but a path."""
    match expr:
        case ast.SequenceExpr(items=(item,)):
            return atomized_path(item)
        case ast.FunctionCall(name=ast.Name(local="data", uri=uri), arguments=(argument,)) if uri == FN:
            return atomized_path(argument)
        case ast.VarRef():
            return expr if is_path(expr) else None
        case ast.Filter(base=base, predicate=predicate) if is_place(predicate) and is_path(base):
            return expr
    return expr if isinstance(expr, ast.Path) and is_path(expr) else None


def needed_paths(test: ast.Expr) -> list[ast.Expr]:
    """Paths that select something wherever a condition holds that is not compared otherwise."""
    match test:
        case ast.GeneralComparison(left=left, right=right) | ast.ValueComparison(left=left, right=right):
            return [*strict_paths(left), *strict_paths(right)]
        case ast.Quantified(kind="some", bindings=bindings):
            collections = [one.collection for one in bindings]
            return [one for one in collections if isinstance(one, ast.Path) and is_path(one)]
    return []


_STRICT = ("abs", "avg", "ceiling", "data", "floor", "max", "min", "round")


def strict_paths(expr: ast.Expr) -> list[ast.Expr]:
    """The paths without whose nodes an expression gives nothing."""
    path = atomized_path(expr)
    if path is not None:
        return [path] if isinstance(path, ast.Path) else []
    match expr:
        case ast.SequenceExpr(items=(item,)):
            return strict_paths(item)
        case ast.Arithmetic(left=left, right=right):
            return [*strict_paths(left), *strict_paths(right)]
        case ast.Unary(operand=operand) | ast.CastAs(operand=operand):
            return strict_paths(operand)
        case ast.FunctionCall(name=name, arguments=(argument,)) if (
            name.uri == PREFIXES["xs"] or (name.uri == FN and name.local in _STRICT)
        ):
            return strict_paths(argument)
    return []
