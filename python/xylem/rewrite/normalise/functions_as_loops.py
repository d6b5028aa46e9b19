"""Write functions over sequences as loops, paths and predicates, which stream.

    for-each(E, function($p) { B })                   →     for $p in E return B
    filter(E, function($p) { C })                     →     for $p in E where C return $p
    reverse(E)[1], head(reverse(E)), reverse(E)[3]    →     (E)[last()], (E)[last()], (E)[last() - 2]
    reverse(E)[position() <= 3]                       →     reverse((E)[position() > last() - 3])
    subsequence(E, count(E) - 3)                      →     (E)[position() >= last() - 3]
    (E)[position() > count(E) - 3]                    →     (E)[position() > last() - 3]
    remove(E, 3)                                      →     (E)[position() != 3]
    index-of(E, "x")                                  →     for $x at $i in E where string($x) eq "x" return $i
    exists(index-of(E, V)), empty(index-of(E, V))     →     E = V, not(E = V)
    boolean(/a/b), not(/a/b), if (/a/b) …             →     exists(/a/b), empty(/a/b), if (exists(/a/b)) …
    (for $p in E return B) ! F                        →     for $p in E return B ! F
    unordered(E)                                      →     E
    count((A, B)), exists((A, B))                     →     count(A) + count(B), exists(A) or exists(B)
    sum(E, Z)                                         →     if (exists(E)) then sum(E) else Z

Gain:   a loop takes items as they pass, or keeps a few of the last ones, whereas a function needs all of them.
Needs:  E is a path or a variable; the function is named, or inline without focus; the loop checks the type of its
        parameter, and its body is known to have the type of its result; the condition is always one xs:boolean; the
        numbers are literals.
Safe:   each right side is the definition of the function in its specification (F&O 3.1 §14, §16.2).
"""

from __future__ import annotations

from dataclasses import replace

from xylem.analysis.ast_replacement import replaced
from xylem.analysis.facts.comparisons import compared_with_number
from xylem.analysis.facts.standard_calls import argument_of, is_call
from xylem.analysis.facts.value_class import Values, classify
from xylem.analysis.focus import reads_focus, uses_position
from xylem.analysis.free_variables import free_in
from xylem.functions.registry import FN
from xylem.syntax import ast

from ..argument_types import is_checked_alike
from ..inline_prolog import gives_type
from ..let_values import bound_once
from ..query_rule import QueryFacts, QueryRule
from .written_functions import written_function

_SPELLED_OUT = (
    *("for-each", "filter", "sort", "reverse", "head", "remove", "subsequence", "unordered", "index-of", "count"),
)
_ASKED = (ast.Filter, ast.Path, ast.If, ast.FunctionCall)


class SpellOutFunctions(QueryRule):
    name = "spell_out_functions"
    told = "functions over sequences are written as loops and predicates"

    def apply(self, body: ast.Expr, facts: QueryFacts) -> ast.Expr:
        functions = {
            name: value
            for name, value in bound_once(body).items()
            if isinstance(value, ast.InlineFunction) and not free_in(value)
        }

        def named(node: ast.Node) -> ast.Node | None:
            return functions.get(node.name.expanded) if isinstance(node, ast.VarRef) else None

        def at(node: ast.Node) -> ast.Node | None:
            match node:
                case ast.FunctionCall(name=name, arguments=(sequence, function)) if name.expanded in _OVER_ITEMS:
                    pass
                case _:
                    return _spelled_out(node, facts)
            written = written_function(replaced(function, named), facts) or function
            made = node if written is function else replace(node, arguments=(sequence, written))
            # A call in a function is put in first (`inline_functions`): then one sees whether it is a condition.
            return _spelled_out(made, facts) or (None if made is node else made)

        return replaced(replaced(body, at, _ASKED), _mapped, (ast.SimpleMap,))


def _mapped(node: ast.Node) -> ast.Node | None:
    """Map the result of a loop inside the loop."""
    match node:
        case ast.SimpleMap(left=ast.Flwor() as loop, right=right) if not uses_position(right):
            return replace(loop, result=replaced(replace(node, left=loop.result), _mapped, (ast.SimpleMap,)))
    return None


def _spelled_out(node: ast.Node, facts: QueryFacts) -> ast.Expr | None:
    made: ast.Expr | None = None
    match node:
        case ast.Filter(base=base, predicate=predicate):
            made = _filtered(node, base, predicate)
        case ast.Path(left=ast.Path(left=ast.Root(), right=ast.AxisStep(axis="child")), right=ast.AxisStep()):
            made = _with_last(node)
        case ast.If(test=test) if _is_node_path(test):
            made = replace(node, test=_fn("exists", test))
        case ast.FunctionCall(name=name, arguments=(ast.SequenceExpr(items=(_, _, *_) as parts),)) if (
            name.expanded in _IN_PARTS
        ):
            made = _of_parts(node, parts)
        case ast.FunctionCall(name=name, arguments=(sequence, nothing)) if name.expanded == (FN, "sum"):
            if _is_node_path(sequence):
                # sum(E, Z)  as  if (exists(E)) then sum(E) else Z.
                test, total = (ast.FunctionCall(ast.Name(n, "fn", FN), (sequence,)) for n in ("exists", "sum"))
                made = ast.If(test, replace(total, span=node.span), nothing, span=node.span)
        case ast.FunctionCall(name=name, arguments=(sequence, *more)) if name.uri == FN:
            if name.local in ("exists", "empty", "boolean", "not") and not more:
                made = _found(node, sequence, facts)
            if made is None and name.local in ("boolean", "not"):
                made = _presence(node, sequence) if not more else None
            elif name.local in _LOOPS or _is_sequence(sequence) or argument_of(sequence, "reverse") is not None:
                made = _called(node, sequence, more, facts)
    if made is None:
        return None
    return replaced(made, lambda inner: None if inner is made else _spelled_out(inner, facts), _ASKED)


def _found(call: ast.FunctionCall, indexes: ast.Expr, facts: QueryFacts) -> ast.Expr | None:
    """exists(index-of(E, V)) for strings, and for values that are compared as strings: there, `=` means the same."""
    match indexes:
        case ast.FunctionCall(name=name, arguments=(values, sought)) if name.expanded == (FN, "index-of"):
            pass
        case _:
            return None
    of_one, of_all = classify(sought, facts.variables), classify(values, facts.variables)
    if not of_one.single or not of_one.some or of_one.values not in _AS_STRINGS or of_all.values not in _AS_STRINGS:
        return None
    made = ast.GeneralComparison("=", values, sought, span=call.span)
    return made if call.name.local in ("exists", "boolean") else _fn("not", made)


_AS_STRINGS = (Values.STRING, Values.UNTYPED)
_LOOPS = ("for-each", "filter")
"""Loops over any items they are given."""
_OVER_ITEMS = tuple((FN, local) for local in _LOOPS)
_IN_PARTS = ((FN, "count"), (FN, "exists"), (FN, "empty"))


def _of_parts(call: ast.FunctionCall, parts: tuple[ast.Expr, ...]) -> ast.Expr | None:
    """count((A, B))  as  count(A) + count(B); exists by `or`, empty by `and`."""
    if not any(_is_node_path(part) for part in parts):
        return None
    first, *others = (replace(call, arguments=(part,)) for part in parts)
    made: ast.Expr = first
    for other in others:
        match call.name.local:
            case "count":
                made = ast.Arithmetic("+", made, other, span=call.span)
            case "exists":
                made = ast.Or(made, other, span=call.span)
            case _:
                made = ast.And(made, other, span=call.span)
    return made


def _called(call: ast.FunctionCall, sequence: ast.Expr, more: list[ast.Expr], facts: QueryFacts) -> ast.Expr | None:
    match call.name.local, more:
        case "unordered", []:
            return sequence
        case "head", []:
            reverted = argument_of(sequence, "reverse")
            return None if reverted is None else _where(call, reverted, _fn("last"))
        case "remove", [ast.IntegerLiteral() as place] if place.value > 0:
            return _where(call, sequence, ast.GeneralComparison("!=", _fn("position"), place))
        case "subsequence", [start]:
            behind = _from_end(start, sequence)
            return None if behind is None else _where(call, sequence, _positions(">=", behind))
        case "for-each", [function]:
            return _each(call, sequence, function)
        case "filter", [function]:
            return _tested(call, sequence, function, facts)
        case "index-of", [ast.StringLiteral() as sought]:
            if classify(sequence, facts.variables).values is not Values.UNTYPED:
                return None
            item, number = facts.fresh("item"), facts.fresh("number")
            clause = ast.ForClause(item.name, None, sequence, position=number.name, span=call.span)
            test = ast.ValueComparison("eq", _fn("string", item), sought, span=call.span)
            return ast.Flwor((clause, ast.WhereClause(test, span=call.span)), number, span=call.span)
    return None


def _each(call: ast.FunctionCall, sequence: ast.Expr, function: ast.Expr) -> ast.Expr | None:
    loop = _loop_of_calls(call, sequence, function)
    return None if loop is None else ast.Flwor((loop[0],), loop[1], span=call.span)


def _tested(call: ast.FunctionCall, sequence: ast.Expr, function: ast.Expr, facts: QueryFacts) -> ast.Expr | None:
    loop = _loop_of_calls(call, sequence, function)
    if loop is None:
        return None
    clause, test = loop
    found = classify(test, facts.variables)
    if not found.is_one or found.values is not Values.BOOLEAN:
        return None
    return ast.Flwor((clause, ast.WhereClause(test, span=test.span)), ast.VarRef(clause.name), span=call.span)


def _loop_of_calls(
    call: ast.FunctionCall, sequence: ast.Expr, function: ast.Expr
) -> tuple[ast.ForClause, ast.Expr] | None:
    """A loop that calls a function of one parameter for each item, and the body of the function."""
    match function:
        case ast.InlineFunction(annotations=(), parameters=(ast.Parameter() as taken,), returns=returns, body=body):
            if is_checked_alike(taken.type) and gives_type(body, returns, (taken,)) and not reads_focus(body):
                return ast.ForClause(taken.name, taken.type, sequence, span=call.span), body
    return None


def _filtered(whole: ast.Filter, base: ast.Expr, predicate: ast.Expr) -> ast.Expr | None:
    reverted = argument_of(base, "reverse")
    if reverted is not None and isinstance(predicate, ast.IntegerLiteral) and predicate.value > 0:
        before = ast.IntegerLiteral(predicate.value - 1)
        return _where(whole, reverted, ast.Arithmetic("-", _fn("last"), before) if before.value else _fn("last"))
    compared = compared_with_number(predicate)
    if reverted is not None and compared is not None and is_call(compared[0], "position"):
        number = compared[2] - (compared[1] == "<")
        if compared[1] in ("<", "<=") and number > 0:
            last = _where(whole, reverted, _positions(">", ast.IntegerLiteral(number)))
            return _fn("reverse", last)
    # Only for a path from the document: inside the predicate, any other path begins at the item.
    made = _last_for_count(predicate, base) if _is_absolute(base) else predicate
    return None if made is predicate else replace(whole, predicate=made)


def _with_last(path: ast.Path) -> ast.Expr | None:
    """/a/b[position() > count(/a/b) - 3]: there is at most one a."""
    step = path.right
    assert isinstance(step, ast.AxisStep) and isinstance(path.left, ast.Path)
    if step.axis != "child" or not isinstance(path.left.right, ast.AxisStep) or path.left.right.predicates:
        return None
    predicates: list[ast.Expr] = []
    for predicate in step.predicates:
        base = replace(path, right=replace(step, predicates=tuple(predicates)))
        predicates.append(_last_for_count(predicate, base))
    if all(a is b for a, b in zip(predicates, step.predicates, strict=True)):
        return None
    return replace(path, right=replace(step, predicates=tuple(predicates)))


def _last_for_count(predicate: ast.Expr, base: ast.Expr) -> ast.Expr:
    """last() instead of count(base), if the focus is an item of base."""

    def at(node: ast.Node) -> ast.Node | None:
        if isinstance(node, (ast.Path, ast.Filter, ast.AxisStep, ast.SimpleMap, ast.InlineFunction)):
            return node
        return _fn("last") if argument_of(node, "count") == base else None

    return replaced(predicate, at)


def _presence(call: ast.FunctionCall, nodes: ast.Expr) -> ast.Expr | None:
    if not _is_node_path(nodes):
        return None
    local = "exists" if call.name.local == "boolean" else "empty"
    return replace(call, name=ast.Name(local, "fn", FN))


def _is_node_path(expr: ast.Expr) -> bool:
    """Whether an expression returns nodes of the document, so it is true if there are any."""
    return isinstance(expr, ast.Path) and isinstance(expr.right, ast.AxisStep) and _is_absolute(expr)


def _from_end(start: ast.Expr, sequence: ast.Expr) -> ast.IntegerLiteral | None:
    """n of count(E) - n."""
    if argument_of(start, "count") == sequence:
        return ast.IntegerLiteral(0)
    match start:
        case ast.Arithmetic(op="-", left=left, right=ast.IntegerLiteral() as number):
            return number if argument_of(left, "count") == sequence else None
    return None


def _positions(sign: str, behind: ast.IntegerLiteral) -> ast.Expr:
    """position() > last() - n."""
    return ast.GeneralComparison(sign, _fn("position"), ast.Arithmetic("-", _fn("last"), behind))


def _where(whole: ast.Expr, base: ast.Expr, predicate: ast.Expr) -> ast.Filter:
    return ast.Filter(base, predicate, span=whole.span)


def _is_sequence(expr: ast.Expr) -> bool:
    return isinstance(expr, (ast.Path, ast.VarRef, ast.Flwor, ast.Filter))


def _is_absolute(expr: ast.Expr) -> bool:
    while isinstance(expr, (ast.Path, ast.Filter)):
        expr = expr.left if isinstance(expr, ast.Path) else expr.base
    return isinstance(expr, ast.Root)


def _fn(local: str, *arguments: ast.Expr) -> ast.FunctionCall:
    return ast.FunctionCall(ast.Name(local, "fn", FN), arguments)
