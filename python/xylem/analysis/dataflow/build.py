"""The stream data flow graph of a query (single-pass paper, Def. 2)."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from xylem.syntax import ast

from .graph import Graph
from .walk import Around, Walk


def build(
    body: ast.Expr,
    prolog: Iterable[ast.Declaration] = (),
    is_fold: Callable[[ast.FunctionDecl], bool] = lambda declared: False,
) -> Graph:
    """The graph of the body of a query, its names resolved.

    `prolog` has the declarations of the module and of those it imports. Functions that call themselves are opaque, but
    for those that `is_fold` knows to go over their argument once, from its first item to its last, with a small value.
    """
    walk = Walk(prolog, is_fold)
    value = walk.settled(walk.of(body, Around()), body)
    if len(value.refs) > 1 and not value.is_sequence:
        walk.nodes.atom("result", body.span, value.refs)
    return walk.nodes.graph()
