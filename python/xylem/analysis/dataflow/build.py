"""The stream data flow graph of a query (single-pass paper, Def. 2)."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from dataclasses import replace

from xylem.syntax import ast

from .graph import AtomicNode, Graph
from .walk import Around, Walk


def build(
    body: ast.Expr,
    prolog: Iterable[ast.Declaration] = (),
    is_fold: Callable[[ast.FunctionDecl], bool] = lambda declared: False,
    limited: Collection[int] = (),
) -> Graph:
    """The graph of the body of a query with resolved names.

    `prolog` has the declarations of the module and of those it imports. Recursive functions are opaque, except those
    that `is_fold` identifies: they read their argument once, from first to last item, with a small value. `limited` has
    the ids of `order by` clauses and sort() calls of which the query needs only the first items, and of `group by`
    clauses of which it needs only aggregates.
    """
    walk = Walk(prolog, is_fold, limited)
    value = walk.settled(walk.of(body, Around()), body)
    if len(value.refs) > 1 and not value.is_sequence:
        walk.nodes.atom("result", body.span, value.refs)
    return _without_idle_loops(walk.nodes.graph())


def _without_idle_loops(graph: Graph) -> Graph:
    """The graph without loops that read no input, except those that traversals of it depend on."""
    idle = {
        node.number
        for node in graph.nodes
        if isinstance(node, AtomicNode)
        and node.is_iterator
        and not any(graph.predecessors(node.number))
        and not any(graph.node(reader).is_sequence for reader in graph.successors(node.number))
    }
    nodes = tuple(node for node in graph.nodes if node.number not in idle)
    return replace(graph, nodes=nodes).with_edges(edge for edge in graph.edges if edge.source not in idle)
