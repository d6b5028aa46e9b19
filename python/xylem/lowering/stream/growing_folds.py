"""Folds whose value grows with each item: appended items, or a text that becomes longer.

A fold keeps its value. For most folds, the size of that value is unknown at compile time; for these it is known.
"""

from __future__ import annotations

from xylem.functions.registry import FN
from xylem.syntax import ast

from ..python.folds import SO_FAR


def fold_grows(step: ast.Expr) -> bool:
    """Whether some branch of a step returns the value so far with something added."""
    match step:
        case ast.SequenceExpr(items=items):
            return len(items) > 1 and SO_FAR in items
        case ast.StringConcat(left=left, right=right):
            return SO_FAR in (left, right) or fold_grows(left) or fold_grows(right)
        case ast.FunctionCall(name=name, arguments=arguments):
            return name.expanded in _GROWING and SO_FAR in arguments
        case ast.If(then=then, otherwise=otherwise):
            return fold_grows(then) or fold_grows(otherwise)
        case ast.Switch(cases=cases, default=default):
            return fold_grows(default) or any(fold_grows(case.result) for case in cases)
        case ast.Flwor(clauses=clauses, result=result) if all(isinstance(c, ast.LetClause) for c in clauses):
            return fold_grows(result)
    return False


_ARRAY = "http://www.w3.org/2005/xpath-functions/array"
_GROWING = ((FN, "concat"), (_ARRAY, "append"), (FN, "insert-before"))
