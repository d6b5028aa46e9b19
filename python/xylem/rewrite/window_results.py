"""Turn steps and conditions on the results of windows into a loop over them, which handles each result as it comes.

    (forseq $w in /log/entry … return <w>{ $w }</w>)/entry/@id   →   (forseq …) ! (entry/@id)
    (for sliding window $w in /log/entry … return …)[x = 2]      →   (for sliding window …) ! .[x = 2]
    (for tumbling window $w in /log/entry … return $w)[3]/x      →   (for tumbling window …)[3] ! x

Gain:   results pass by without a buffer.
Needs:  no position among all results. For steps, the nodes below results come in the order of the results, without
        duplicates: each result is a new element, there is at most one result, or they are items in document order.
Safe:   a path sorts nodes in document order; new elements are in the order of their construction.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from xylem.analysis.facts.value_expressions import gives_values
from xylem.analysis.focus import uses_position
from xylem.analysis.streamable_paths import is_test
from xylem.functions.registry import FN
from xylem.syntax import ast

_FORWARD = ("child", "descendant", "descendant-or-self", "self", "attribute")


def about_each(expr: ast.Expr, is_in_order: Callable[[ast.Expr], bool]) -> ast.SimpleMap | None:
    """A path, a filter or `data()` that treats each item separately, as a map over the sequence.

    `is_in_order` tells whether a sequence of nodes is in document order, each there once and none inside another.
    """
    match expr:
        case ast.Filter(base=base, predicate=predicate) if is_test(predicate) and not uses_position(predicate):
            here = ast.ContextItem(span=predicate.span)
            return ast.SimpleMap(base, replace(expr, base=here), span=expr.span)
        case ast.FunctionCall(name=ast.Name(local="data", uri=uri), arguments=(items,)) if uri == FN:
            here = ast.ContextItem(span=items.span)
            return ast.SimpleMap(items, replace(expr, arguments=(here,)), span=expr.span)
        case ast.Path():
            return _steps(expr, is_in_order)
    return None


def _steps(path: ast.Path, is_in_order: Callable[[ast.Expr], bool]) -> ast.SimpleMap | None:
    parts: list[ast.Expr] = []
    start: ast.Expr = path
    while isinstance(start, ast.Path):
        parts.append(start.right)
        start = start.left
    parts.reverse()
    if not all(map(is_down, parts[:-1])) or not (makes_elements(start) or is_in_order(start)):
        return None
    if not (is_down(parts[-1]) or gives_values(parts[-1])) or uses_position(parts[-1]):
        return None
    below = parts[0]
    for part in parts[1:]:
        below = ast.Path(below, part, span=path.span)
    return ast.SimpleMap(start, below, span=path.span)


def is_down(expr: ast.Expr) -> bool:
    """Whether an expression is a step that goes down, or stays."""
    return isinstance(expr, ast.AxisStep) and expr.axis in _FORWARD


def makes_elements(expr: ast.Expr) -> bool:
    """Whether all items are elements, each constructed in its turn."""
    match expr:
        case ast.DirectElement() | ast.ComputedElement():
            return True
        case ast.Flwor(result=result) | ast.SimpleMap(right=result):
            return makes_elements(result)
        case ast.Filter(base=base):
            return makes_elements(base)
        case ast.FunctionCall(name=ast.Name(local="head" | "tail" | "subsequence", uri=uri), arguments=(items, *_)):
            return uri == FN and makes_elements(items)
        case ast.SequenceExpr(items=items):
            return all(map(makes_elements, items))
        case ast.If(then=then, otherwise=otherwise):
            return makes_elements(then) and makes_elements(otherwise)
    return False
