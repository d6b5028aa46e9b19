"""Steps and conditions on what windows give, as a loop over it: then each result is asked when it comes.

    (forseq $w in /log/entry … return <w>{ $w }</w>)/entry/@id   →   (forseq …) ! (entry/@id)
    (for sliding window $w in /log/entry … return …)[x = 2]      →   (for sliding window …) ! .[x = 2]

Gain:   results pass by and are not kept.
Needs:  no position among all results is asked for. For steps: each result is an element made for it, so that what is
        found below them comes in the order of the results and nothing twice.
Safe:   a path sorts nodes in document order; elements that are made one after the other stand in that order.
"""

from __future__ import annotations

from dataclasses import replace

from xylem.analysis.focus import uses_position
from xylem.analysis.streamable_paths import is_test
from xylem.syntax import ast

from .value_expressions import gives_values

_FORWARD = ("child", "descendant", "descendant-or-self", "self", "attribute")


def about_each(expr: ast.Expr) -> ast.SimpleMap | None:
    """A path or a filter that asks each item of a sequence by itself, as a map over that sequence."""
    match expr:
        case ast.Filter(base=base, predicate=predicate) if is_test(predicate) and not uses_position(predicate):
            here = ast.ContextItem(span=predicate.span)
            return ast.SimpleMap(base, replace(expr, base=here), span=expr.span)
        case ast.Path():
            return _steps(expr)
    return None


def _steps(path: ast.Path) -> ast.SimpleMap | None:
    parts: list[ast.Expr] = []
    start: ast.Expr = path
    while isinstance(start, ast.Path):
        parts.append(start.right)
        start = start.left
    parts.reverse()
    if not makes_elements(start) or not all(map(_is_step, parts[:-1])):
        return None
    if not (_is_step(parts[-1]) or gives_values(parts[-1])) or uses_position(parts[-1]):
        return None
    below = parts[0]
    for part in parts[1:]:
        below = ast.Path(below, part, span=path.span)
    return ast.SimpleMap(start, below, span=path.span)


def _is_step(expr: ast.Expr) -> bool:
    return isinstance(expr, ast.AxisStep) and expr.axis in _FORWARD


def makes_elements(expr: ast.Expr) -> bool:
    """Whether all items are elements, each made when it is its turn."""
    match expr:
        case ast.DirectElement() | ast.ComputedElement():
            return True
        case ast.Flwor(result=result) | ast.SimpleMap(right=result):
            return makes_elements(result)
        case ast.Filter(base=base):
            return makes_elements(base)
        case ast.SequenceExpr(items=items):
            return all(map(makes_elements, items))
        case ast.If(then=then, otherwise=otherwise):
            return makes_elements(then) and makes_elements(otherwise)
    return False
