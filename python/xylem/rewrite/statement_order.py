"""Check whether a streamed program executes its statements in their written order.

A stream evaluates expressions as elements pass. Two loops over one document then take turns, an aggregate beside a
loop grows while the loop runs, and a quantifier sees items after the one that decided it. For expressions that depend
on no statement this makes no difference. Of those that do (`analysis/statements.py`), one in each open element may
follow the stream: a loop or windows, whose items are complete when they are evaluated; or, if nothing else depends
on statements, an expression that reads the stream in one place.
"""

from __future__ import annotations

from collections.abc import Iterator

from xylem.analysis.free_variables import Names, free_in
from xylem.analysis.statements import Statements
from xylem.plan.flux import ROOT, Flux, For, If, Leaf, OpenWindows, Sequence
from xylem.plan.flux_variables import expressions_of
from xylem.syntax import ast


def keeps_order(query: Flux, statements: Statements) -> bool:
    """Whether streaming a query, not yet in normal form, evaluates what its statements change in their order."""
    return not statements or _keeps_order(query, frozenset({("", ROOT)}), statements)


def _keeps_order(body: Flux, is_open: Names, statements: Statements) -> bool:
    """`is_open`: the variables of elements that are not complete while the body runs."""
    depending = [part for part in _parts(body) if not _is_steady(part, statements)]
    followers = [part for part in depending if _follows(part, is_open)]
    if len(followers) > 1:
        return False
    for part in followers:
        if isinstance(part, Leaf) and (len(depending) > 1 or len(is_open) > 1 or _reads(part, is_open) > 1):
            return False
        if not isinstance(part, (For, OpenWindows, Leaf)):
            return False
        if isinstance(part, For) and _opens(part):
            return _keeps_order(part.body, is_open | {("", part.variable)}, statements)
    return True


def _parts(body: Flux) -> Iterator[Flux]:
    """The separately evaluated parts of a body: loops, and expressions without further parts."""
    match body:
        case Sequence(parts=parts):
            for part in parts:
                yield from _parts(part)
        case If(body=inner):
            yield from _parts(inner)
        case _:
            yield body


def _is_steady(part: Flux, statements: Statements) -> bool:
    return all(map(statements.is_steady, expressions_of(part)))


def _follows(part: Flux, is_open: Names) -> bool:
    """Whether a part reads items that are still arriving."""
    if isinstance(part, (For, OpenWindows)):
        return True
    return any(free_in(expression) & is_open for expression in expressions_of(part))


def _reads(leaf: Leaf, is_open: Names) -> int:
    """The number of places where a leaf reads items that are still arriving."""
    return sum(isinstance(node, ast.VarRef) and node.name.expanded in is_open for node in leaf.expression.walk())


def _opens(loop: For) -> bool:
    """Whether the items of a loop are open while its body runs, because it loops over their content."""
    todo: list[Flux] = [loop.body]
    while todo:
        body = todo.pop()
        match body:
            case Sequence(parts=parts):
                todo.extend(parts)
            case If(body=inner):
                todo.append(inner)
            case For(source=source, body=inner):
                if source == loop.variable:
                    return True
                todo.append(inner)
    return False
