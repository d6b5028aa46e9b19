"""Predicates, `!` and calls at the end of paths as loops, which the kernel supports.

    $o/line[qty > 2]/price     →     for $line in $o/line where $line/qty > 2 return $line/price
    $o/line ! (qty * price)    →     for $line in $o/line return $line/qty * $line/price
    $o/line[@qty > 2][1]       →     for $line at $place in $o/line[@qty > 2] where $place = 1 return $line
    $o/line[last()]            →     let $last := count($o/line) for $line at $place in … where $place = $last …

Needs:  at most one positional predicate in a step.
Safe:   children of children come in document order, each once. That does not hold below descendants.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from xylem.analysis.ast_replacement import replaced
from xylem.analysis.facts.truth_values import is_boolean
from xylem.analysis.focus import nodes_in_same_focus, uses_position
from xylem.analysis.streamable_paths import is_descend, is_test
from xylem.functions.registry import FN, PREFIXES
from xylem.rewrite.substitution import FocusInTheWay, Substitution
from xylem.syntax import ast

from ..template_paths import NoTemplate
from .known_functions import XS

PASSING = frozenset({"reverse", "sort", "head", "tail", "zero-or-one", "exactly-one", "one-or-more"})
"""Functions that give items of their first argument, nodes or values."""
Fresh = Callable[[], ast.Name]
"""Returns a name that no query uses."""


def as_loop(expr: ast.Expr, fresh: Fresh) -> ast.Flwor | None:
    """An expression as a loop; None if it is not one."""
    match expr:
        case ast.Filter(base=base, predicate=predicate):
            return _filtered(base, (predicate,), (), fresh, of_step=False)
        case ast.SimpleMap(left=left, right=right):
            return _mapped(left, right, fresh)
        case ast.Path(left=left, right=right) if not isinstance(right, ast.AxisStep):
            if not is_atomic(right):
                raise NoTemplate("a path with calls that give nodes", expr)
            return _mapped(left, right, fresh)
        case ast.Path():
            return _with_predicates(expr, fresh)
    return None


def _mapped(left: ast.Expr, right: ast.Expr, fresh: Fresh) -> ast.Flwor:
    if uses_position(right):
        raise NoTemplate("a position", right)
    item = fresh()
    return ast.Flwor((ast.ForClause(item, None, left),), of_item(right, item))


def _with_predicates(path: ast.Path, fresh: Fresh) -> ast.Flwor | None:
    """A path with a predicate, or with a loop at its start, split after the first of these."""
    behind: list[ast.AxisStep] = []
    cut: ast.Expr = path
    found: tuple[ast.Expr, tuple[ast.Expr, ...], int] | None = None
    of_step = True
    while isinstance(cut, ast.Path) and isinstance(cut.right, ast.AxisStep):
        if cut.right.predicates:
            bare = replace(cut, right=replace(cut.right, predicates=()))
            found = bare, cut.right.predicates, len(behind)
        behind.append(cut.right)
        cut = cut.left
    if isinstance(cut, (ast.Filter, ast.SimpleMap, ast.Path, ast.SequenceExpr)):
        if not isinstance(cut, ast.Filter):
            raise NoTemplate("a path that begins at no loop", cut)
        found, of_step = (cut.base, (cut.predicate,), len(behind)), False
    if found is None:
        return None
    base, predicates, length = found
    if length and _descends(base):
        raise NoTemplate("a step below nested elements", path)
    return _filtered(base, predicates, tuple(reversed(behind[:length])), fresh, of_step=of_step)


def _filtered(
    base: ast.Expr, predicates: tuple[ast.Expr, ...], steps: tuple[ast.AxisStep, ...], fresh: Fresh, *, of_step: bool
) -> ast.Flwor:
    """With `of_step`, the predicates apply to the last step of a path, and not to all its nodes together."""
    item = fresh()
    result: ast.Expr = ast.VarRef(item)
    for step in steps:
        result = ast.Path(result, step, span=step.span)
    number = next((place for place, each in enumerate(predicates) if not is_test(each)), None)
    if number is None:
        tests = tuple(ast.WhereClause(of_item(predicate, item)) for predicate in predicates)
        return ast.Flwor((ast.ForClause(item, None, base), *tests), result)
    loops: tuple[ast.Clause, ...] = ()
    match base:
        case ast.Path(left=left, right=ast.AxisStep() as step) if of_step:
            # Positions count among the children of one parent.
            parent = fresh()
            loops = (ast.ForClause(parent, None, left),)
            base = ast.Path(ast.VarRef(parent), replace(step, predicates=predicates[:number]), span=base.span)
        case _ if number:
            raise NoTemplate("a predicate that counts behind another", predicates[number])
    return ast.Flwor((*loops, *_counted(base, item, predicates[number:], fresh)), result)


def _counted(base: ast.Expr, item: ast.Name, predicates: tuple[ast.Expr, ...], fresh: Fresh) -> tuple[ast.Clause, ...]:
    """The clauses of a loop with a positional predicate, followed by others."""
    first, *others = predicates
    for predicate in others:
        if not is_test(predicate):
            raise NoTemplate("a second predicate that counts", predicate)
    place, last = fresh(), fresh()
    test = placed(first, place, last)
    loop = (ast.ForClause(item, None, base, place), *(ast.WhereClause(of_item(each, item)) for each in (test, *others)))
    if any(isinstance(node, ast.VarRef) and node.name == last for node in test.walk()):
        number = ast.FunctionCall(ast.Name("count", None, FN), (base,), span=first.span)
        return ast.LetClause(last, None, number), *loop
    return loop


def placed(predicate: ast.Expr, place: ast.Name, last: ast.Name) -> ast.Expr:
    """A predicate as a condition on variables that hold position() and last()."""
    calls = {id(node) for node in nodes_in_same_focus(predicate)}

    def variable(node: ast.Node) -> ast.Expr | None:
        match node:
            case ast.FunctionCall(name=name, arguments=()) if id(node) in calls and name.uri == FN:
                return {"position": ast.VarRef(place), "last": ast.VarRef(last)}.get(name.local)
        return None

    found = replaced(predicate, variable)
    if uses_position(found):
        raise NoTemplate("a predicate that counts", predicate)
    if is_boolean(found):
        return found
    if not _is_whole_number(found):
        raise NoTemplate("a predicate that may count", predicate)
    return ast.ValueComparison("eq", ast.VarRef(place), found, span=predicate.span)


def _is_whole_number(expr: ast.Expr) -> bool:
    """Whether an expression produced by `placed` is an integer."""
    match expr:
        case ast.IntegerLiteral():
            return True
        case ast.VarRef(name=name):
            # Only our own variables have such names.
            return " " in name.local
        case ast.Arithmetic(op="+" | "-", left=left, right=right):
            return _is_whole_number(left) and _is_whole_number(right)
    return False


def first_of(expr: ast.Filter) -> ast.Expr | None:
    """(A, B)[1], a value or a default: if (exists(A)) then A[1] else B[1]."""
    match expr:
        case ast.Filter(base=ast.SequenceExpr(items=(first, *others)), predicate=ast.IntegerLiteral(value=1)) if others:
            rest = others[0] if len(others) == 1 else ast.SequenceExpr(tuple(others), span=expr.base.span)
            test = ast.FunctionCall(ast.Name("exists", None, FN), (first,), span=first.span)
            one = replace(expr, base=first)
            if not isinstance(rest, (ast.StringLiteral, ast.IntegerLiteral, ast.DecimalLiteral, ast.DoubleLiteral)):
                rest = replace(expr, base=rest)
            return ast.If(test, one, rest, span=expr.span)
    return None


def of_value(expr: ast.Expr, value: ast.Expr) -> ast.Expr:
    """An expression with another expression in place of its focus."""
    try:
        return Substitution({}, value).apply(expr)
    except FocusInTheWay as inside:
        raise NoTemplate("the focus of an expression", expr) from inside


def of_item(expr: ast.Expr, item: ast.Name) -> ast.Expr:
    """An expression with a variable in place of its focus."""
    return of_value(expr, ast.VarRef(item))


def _descends(expr: ast.Expr) -> bool:
    """Whether elements may contain each other."""
    return any(
        isinstance(node, ast.AxisStep) and (is_descend(node) or node.axis not in ("child", "attribute"))
        for node in expr.walk()
    )


def _bound_to(clause: ast.Clause) -> ast.Expr | None:
    match clause:
        case ast.ForClause(collection=value) | ast.LetClause(value=value):
            return value
    return None


def is_atomic(expr: ast.Expr) -> bool:
    """Whether all items of an expression are atomic, judged by its form."""
    match expr:
        case ast.SequenceExpr(items=items):
            return all(map(is_atomic, items))
        case ast.If(then=then, otherwise=otherwise):
            return is_atomic(then) and is_atomic(otherwise)
        case ast.Switch(cases=cases, default=default):
            return is_atomic(default) and all(is_atomic(case.result) for case in cases)
        case ast.FunctionCall(name=name, arguments=(argument, *_)) if name.uri == FN and name.local in PASSING:
            return is_atomic(argument)
        case ast.FunctionCall(name=name):
            return name.uri in (FN, XS, PREFIXES["math"]) or name.expanded == (PREFIXES["map"], "contains")
        case ast.TryCatch(body=body, catches=catches):
            return is_atomic(body) and all(is_atomic(each.body) for each in catches)
        case ast.Flwor(clauses=clauses, result=ast.VarRef(name=name)):
            # The last binding counts.
            bound = [_bound_to(clause) for clause in clauses if getattr(clause, "name", None) == name]
            return bool(bound) and bound[-1] is not None and is_atomic(bound[-1])
        case ast.Flwor(result=result):
            return is_atomic(result)
        case ast.Path(right=right) | ast.SimpleMap(right=right) if not isinstance(right, ast.AxisStep):
            return is_atomic(right)
        case ast.Filter(base=base):
            return is_atomic(base)
    literals = (ast.StringLiteral, ast.IntegerLiteral, ast.DecimalLiteral, ast.DoubleLiteral)
    strings = (ast.StringConcat, ast.StringConstructor)
    operators = (
        ast.Arithmetic, ast.Unary, ast.Range, ast.CastAs, ast.ValueComparison, ast.NodeComparison, *strings
    )  # fmt: skip
    return isinstance(expr, (*literals, *operators)) or is_boolean(expr)
