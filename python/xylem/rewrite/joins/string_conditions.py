"""Functions that compare strings, as conditions that an index answers.

    compare(A, B) = 0, codepoint-equal(A, B), deep-equal(string(A), string(B))      →    A eq B
    contains-token(A, B)       →    A ! tokenize(.) = normalize-space(B)
    starts-with(A, B)          →    a run of the keys A in their order; or keys B that are beginnings of A
    ends-with(A, B)            →    the same for reversed strings
    deep-equal(/a/b, $x/c)     →    equal sequences have equal texts; the function itself is still called
    contains(' ' || A || ' ', ' ' || B || ' ')
                               →    the first part of B is one of the parts of A; the function itself is still called

Gain:   a lookup instead of a loop over all pairs.
Needs:  strings that compare by code points.
Safe:   tokens have no spaces, and none is empty, so a sought token with spaces inside equals none. Deep-equal sequences
        of nodes have the same texts in the same order; nodes of an input without a schema have no other values.
        A text between separators is found where all its parts stand side by side, so that one of them is its first.
Not for contains(A, B) without separators: no order of A puts its matches side by side.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from xylem.analysis.facts.comparisons import VALUE, sides
from xylem.analysis.facts.standard_calls import is_call
from xylem.analysis.facts.truth_values import is_boolean
from xylem.analysis.facts.value_class import Values, classify
from xylem.functions.registry import FN
from xylem.syntax import ast

from .condition import Condition

_BEGINNINGS = ((FN, "starts-with"), (FN, "ends-with"))
_BETWEEN = ast.StringLiteral("\x01")
"""Separator between the texts of several nodes: any would do."""
_SEPARATORS = frozenset(" ,;:|/#")
"""They mean themselves in `[…]` of a regular expression."""


def as_equality(test: ast.Expr) -> ast.Expr:
    """A call that is equivalent to a comparison, as that comparison; (C) = true() as C."""
    match test:
        case ast.FunctionCall(name=name, arguments=(left, right)) if name.expanded == (FN, "codepoint-equal"):
            if _is_string(left) and _is_string(right):
                return ast.ValueComparison("eq", left, right, span=test.span)
        case ast.FunctionCall(name=name, arguments=(left, right)) if name.expanded == (FN, "deep-equal"):
            if _is_one_string(left) and _is_one_string(right):
                return ast.ValueComparison("eq", left, right, span=test.span)
        case ast.FunctionCall(name=name, arguments=(left, right)) if name.expanded == (FN, "contains-token"):
            tokens = ast.SimpleMap(left, _call("tokenize", ast.ContextItem()), span=left.span)
            return ast.GeneralComparison("=", tokens, _token(test, right), span=test.span)
        case ast.GeneralComparison() | ast.ValueComparison():
            for side in sides(test):
                if side.op in ("=", "eq") and is_call(side.other, "true") and is_boolean(side.own):
                    return side.own
                match side.own:
                    case ast.FunctionCall(name=name, arguments=(left, right)) if name.expanded == (
                        FN,
                        "compare",
                    ) and side.other == ast.IntegerLiteral(0):
                        if _is_string(left) and _is_string(right):
                            return ast.ValueComparison(VALUE.get(side.op, side.op), left, right, span=test.span)
    return test


def of_strings(test: ast.Expr) -> Iterator[Condition]:
    """The conditions of a call that is not a comparison, from both sides."""
    match test:
        case ast.FunctionCall(name=name, arguments=(left, right)) if name.expanded in _BEGINNINGS:
            text, start = _call("string", left), _call("string", right)
            if name.local == "ends-with":
                text, start = _turned(text), _turned(start)
            yield Condition(text, ast.STARTS_WITH, start, False, test)
            yield Condition(start, ast.BEGINS, text, False, test)
        case ast.FunctionCall(name=name, arguments=(left, right)) if name.expanded == (FN, "deep-equal"):
            if all(classify(one, {}).values is Values.UNTYPED for one in (left, right)):
                texts = [_call("string-join", one, _BETWEEN) for one in (left, right)]
                yield Condition(texts[0], "eq", texts[1], False, test, is_implied=True)
                yield Condition(texts[1], "eq", texts[0], False, test, is_implied=True)
        case ast.FunctionCall(name=name, arguments=(left, right)) if name.expanded == (FN, "contains"):
            separator, whole = _between(left)
            other, sought = _between(right)
            if whole is not None and sought is not None and separator == other:
                mark, nothing = ast.StringLiteral(separator), ast.StringLiteral("")
                parts = _call("tokenize", _call("string", whole), ast.StringLiteral(f"[{separator}]"))
                tokens = ast.SequenceExpr((parts, nothing))
                first = _call("substring-before", _call("concat", sought, mark), mark)
                yield Condition(tokens, "=", first, False, test, is_implied=True)
                yield Condition(first, "=", tokens, False, test, is_implied=True)


def _between(expr: ast.Expr) -> tuple[str, ast.Expr | None]:
    """The text between two equal separators, each of one character, and the separator: concat(' ', A, ' ')."""
    parts: list[ast.Expr] = []
    match expr:
        case ast.FunctionCall(name=name, arguments=arguments) if name.expanded == (FN, "concat"):
            parts = list(arguments)
        case ast.StringConcat():
            whole: ast.Expr = expr
            while isinstance(whole, ast.StringConcat):
                parts.insert(0, whole.right)
                whole = whole.left
            parts.insert(0, whole)
    match parts:
        case [ast.StringLiteral(value=before), text, ast.StringLiteral(value=after)] if before == after:
            return (before, text) if before in _SEPARATORS else ("", None)
    return "", None


def _token(call: ast.FunctionCall, sought: ast.Expr) -> ast.Expr:
    """The token to find; none or several are an error."""
    token = _call("normalize-space", sought)
    if _is_one_string(sought):
        return token
    checked = replace(call, arguments=(ast.SequenceExpr(span=sought.span), sought))
    return ast.If(checked, ast.SequenceExpr(span=sought.span), token, span=sought.span)


def _turned(text: ast.Expr) -> ast.FunctionCall:
    """A reversed string."""
    return _call("codepoints-to-string", _call("reverse", _call("string-to-codepoints", text)))


def _is_one_string(expr: ast.Expr) -> bool:
    known = classify(expr, {})
    return known.values is Values.STRING and known.is_one


def _is_string(expr: ast.Expr) -> bool:
    """Whether all values of an expression are strings, or are compared as strings."""
    return classify(expr, {}).values in (Values.STRING, Values.UNTYPED)


def _call(local: str, *arguments: ast.Expr) -> ast.FunctionCall:
    return ast.FunctionCall(ast.Name(local, "fn", FN), arguments, span=arguments[0].span)
