"""The spellings of the first or last item of a sequence, of all other items, and of the test for any."""

from __future__ import annotations

from xylem.analysis.facts.comparisons import GENERAL, TURNED, compared_with_number
from xylem.analysis.facts.standard_calls import argument_of, is_call
from xylem.functions.registry import FN
from xylem.syntax import ast

ExpandedName = tuple[str, str]


def is_variable(expr: ast.Expr, name: ExpandedName) -> bool:
    return isinstance(expr, ast.VarRef) and expr.name.expanded == name


def is_head(expr: ast.Node, name: ExpandedName) -> bool:
    """$p[1], head($p), subsequence($p, 1, 1), $p[position() = 1]."""
    match expr:
        case ast.Filter(base=base, predicate=predicate):
            return is_variable(base, name) and (_is_number(predicate, 1) or _position(predicate) in _FIRST)
        case ast.FunctionCall(name=ast.Name(local="head", uri=uri), arguments=(sequence,)) if uri == FN:
            return is_variable(sequence, name)
        case ast.FunctionCall(name=ast.Name(local="exactly-one" | "zero-or-one", uri=uri), arguments=(item,)):
            return uri == FN and is_head(item, name)
        case ast.FunctionCall(name=ast.Name(local="subsequence", uri=uri), arguments=(sequence, start, length)):
            return uri == FN and is_variable(sequence, name) and _is_number(start, 1) and _is_number(length, 1)
    return False


def is_tail(expr: ast.Expr, name: ExpandedName) -> bool:
    """tail($p), subsequence($p, 2), $p[position() > 1], $p[position() = 2 to last()], remove($p, 1)"""
    match expr:
        case ast.Filter(base=base, predicate=predicate):
            return is_variable(base, name) and _are_others(predicate, name)
        case ast.FunctionCall(name=ast.Name(local="tail", uri=uri), arguments=(sequence,)) if uri == FN:
            return is_variable(sequence, name)
        case ast.FunctionCall(name=ast.Name(local="subsequence", uri=uri), arguments=(sequence, start)) if uri == FN:
            return is_variable(sequence, name) and _is_number(start, 2)
        case ast.FunctionCall(name=ast.Name(local="subsequence", uri=uri), arguments=(sequence, start, length)):
            # The length is the number of items, or one less: all that are left.
            if isinstance(length, ast.Arithmetic) and length.op == "-" and _is_number(length.right, 1):
                length = length.left
            return uri == FN and is_variable(sequence, name) and _is_number(start, 2) and _is_count(length, name)
        case ast.FunctionCall(name=ast.Name(local="remove", uri=uri), arguments=(sequence, place)) if uri == FN:
            return is_variable(sequence, name) and _is_number(place, 1)
    return False


def _are_others(predicate: ast.Expr, name: ExpandedName) -> bool:
    """position() > 1, not(position() = 1), position() = 2 to last()."""
    match predicate:
        case ast.FunctionCall(name=called, arguments=(argument,)) if called.expanded == (FN, "not"):
            return _position(argument) in _FIRST
        case ast.GeneralComparison(op="=", left=left, right=ast.Range(left=start, right=end)):
            is_rest = is_call(end, "last") or _is_count(end, name)
            return is_call(left, "position") and _is_number(start, 2) and is_rest
    return _position(predicate) in _OTHERS


def is_last(expr: ast.Node, name: ExpandedName) -> bool:
    """$p[last()], $p[position() = last()], $p[count($p)], subsequence($p, count($p)), reverse($p)[1]."""
    match expr:
        case ast.Filter(base=base, predicate=predicate) if is_variable(base, name):
            return is_call(predicate, "last") or _is_count(predicate, name) or _beside_last(predicate) in _AT_LAST
        case ast.Filter(base=base, predicate=predicate):
            return _is_reversed(base, name) and (_is_number(predicate, 1) or _position(predicate) in _FIRST)
        case ast.FunctionCall(name=ast.Name(local="head", uri=uri), arguments=(sequence,)) if uri == FN:
            return _is_reversed(sequence, name)
        case ast.FunctionCall(name=ast.Name(local="subsequence", uri=uri), arguments=(sequence, start)) if uri == FN:
            return is_variable(sequence, name) and _is_count(start, name)
    return False


def is_all_but_last(expr: ast.Expr, name: ExpandedName) -> bool:
    """subsequence($p, 1, count($p) - 1), $p[position() < last()], remove($p, count($p)), reverse(tail(reverse($p)))"""
    match expr:
        case ast.Filter(base=base, predicate=predicate):
            return is_variable(base, name) and _beside_last(predicate) in _BEFORE_LAST
        case ast.FunctionCall(name=ast.Name(local="subsequence", uri=uri), arguments=(sequence, start, length)):
            if uri != FN or not is_variable(sequence, name) or not _is_number(start, 1):
                return False
            match length:
                case ast.Arithmetic(op="-", left=left, right=right):
                    return _is_count(left, name) and _is_number(right, 1)
        case ast.FunctionCall(name=ast.Name(local="remove", uri=uri), arguments=(sequence, place)) if uri == FN:
            return is_variable(sequence, name) and _is_count(place, name)
        case ast.FunctionCall(name=ast.Name(local="reverse", uri=uri), arguments=(turned,)) if uri == FN:
            match turned:
                case ast.FunctionCall(name=ast.Name(local="tail", uri=inner), arguments=(sequence,)):
                    return inner == FN and _is_reversed(sequence, name)
    return False


def _is_of_variable(expr: ast.Expr, local: str, name: ExpandedName) -> bool:
    sequence = argument_of(expr, local)
    return sequence is not None and is_variable(sequence, name)


def _is_count(expr: ast.Expr, name: ExpandedName) -> bool:
    return _is_of_variable(expr, "count", name)


def _is_reversed(expr: ast.Expr, name: ExpandedName) -> bool:
    return _is_of_variable(expr, "reverse", name)


def _beside_last(predicate: ast.Expr) -> str | None:
    """The operator of position() < last()."""
    if not isinstance(predicate, (ast.GeneralComparison, ast.ValueComparison)):
        return None
    sign = GENERAL.get(predicate.op, predicate.op)
    if is_call(predicate.left, "position") and is_call(predicate.right, "last"):
        return sign
    return TURNED[sign] if is_call(predicate.left, "last") and is_call(predicate.right, "position") else None


_AT_LAST = ("=", ">=")
_BEFORE_LAST = ("<", "!=")
_FIRST = {("=", 1), ("<", 2), ("<=", 1)}
_OTHERS = {(">", 1), (">=", 2), ("!=", 1)}


def _is_number(expr: ast.Expr, number: int) -> bool:
    return isinstance(expr, ast.IntegerLiteral) and expr.value == number


def _position(predicate: ast.Expr) -> tuple[str, int] | None:
    """position() > 1 as its operator and number."""
    found = compared_with_number(predicate)
    return found[1:] if found is not None and is_call(found[0], "position") else None


def presence_test(test: ast.Expr, name: ExpandedName, of_nodes: bool) -> bool | None:
    """True for a condition that a sequence has items, False for one that it has none.

    `of_nodes`: the sequence is known to have only nodes, so `if ($p)` tests for any.
    """
    match test:
        case ast.VarRef() if of_nodes and is_variable(test, name):
            return True
        case ast.FunctionCall(name=ast.Name(local=local, uri=uri), arguments=(argument,)) if uri == FN:
            if local in ("exists", "empty"):
                return local == "exists" if is_variable(argument, name) else None
            inner = presence_test(argument, name, of_nodes) if local in ("not", "boolean") else None
            return inner if inner is None or local == "boolean" else not inner
        case (
            ast.GeneralComparison(op="=" | "!=", left=left, right=right)
            | ast.ValueComparison(op="eq" | "ne", left=left, right=right)
        ) if (truth := _truth(right)) is not None:
            # Only booleans: a sequence is compared by its items.
            inner = None if isinstance(left, ast.VarRef) else presence_test(left, name, of_nodes)
            return inner if inner is None or truth == (test.op in ("=", "eq")) else not inner
    match compared_with_number(test):
        case (ast.FunctionCall(name=ast.Name(local="count", uri=uri), arguments=(argument,)), sign, number):
            if uri != FN or not is_variable(argument, name):
                return None
            if (sign, number) in ((">", 0), (">=", 1), ("!=", 0)):
                return True
            return False if (sign, number) in (("=", 0), ("<", 1), ("<=", 0)) else None
    return None


def _truth(expr: ast.Expr) -> bool | None:
    """true() and false()."""
    match expr:
        case ast.FunctionCall(name=name, arguments=()) if name.expanded in ((FN, "true"), (FN, "false")):
            return name.local == "true"
    return None
