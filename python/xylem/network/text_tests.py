"""Tests of texts in other words: substring(@id, 1, 2) = "xy", matches(@id, "^xy") and compare(@id, "xy") = 0.

They count as starts-with(@id, "xy") and @id = "xy", which are compared with the tests of other queries.
"""

from __future__ import annotations

import re

from xylem.functions.registry import FN, PREFIXES
from xylem.syntax import ast

_PLAIN = re.compile(r"(\^?)((?:[\w \-,:;/@#%&=<>'\"!~`]|\\[.\\?*+{}()\[\]|^$-])+)(\$?)", re.ASCII)
"""A regular expression that is nothing but a text, perhaps bound to the beginning and the end."""


def as_text_test(own: ast.Expr, op: str, constant: str) -> tuple[ast.Expr, str, str] | None:
    """A text, how it is tested, and with what; None if it is not one of these tests.

    Nothing counts as an empty text on both sides.
    """
    if op == "matches":
        return _matched(own, constant)
    match own:
        case ast.FunctionCall(name=name, arguments=(text, ast.IntegerLiteral(value=1), ast.IntegerLiteral() as length)):
            # A shorter text is not equal to one of the full length.
            if name.expanded == (FN, "substring") and op == "=" and length.value == len(constant) > 0:
                return text, "starts-with", constant
    return None


def _matched(own: ast.Expr, pattern: str) -> tuple[ast.Expr, str, str] | None:
    found = _PLAIN.fullmatch(pattern)
    if found is None:
        return None
    begins, text, ends = found.groups()
    test = {("^", "$"): "=", ("^", ""): "starts-with", ("", "$"): "ends-with"}.get((begins, ends), "contains")
    return own, test, re.sub(r"\\(.)", r"\1", text)


def text_itself(own: ast.Expr) -> ast.Expr | None:
    """The value whose text is tested: E in E/string() and xs:string(E), of which nothing comes out for nothing."""
    match own:
        case ast.Path(left=left, right=ast.FunctionCall(name=name, arguments=() | (ast.ContextItem(),))):
            return left if name.expanded in ((FN, "string"), (FN, "data")) else None
        case ast.SimpleMap(left=left, right=ast.FunctionCall(name=name, arguments=() | (ast.ContextItem(),))):
            return left if name.expanded in ((FN, "string"), (FN, "data")) else None
        case ast.FunctionCall(name=name, arguments=(argument,)) if name.expanded == (PREFIXES["xs"], "string"):
            return argument
        case ast.CastAs(operand=operand, type=kind) if kind.name.expanded == (PREFIXES["xs"], "string"):
            return operand if kind.optional else None
    return None
