"""Fusions of the graph: traversals with a common prefix become one, and pipelines become one node (§4.3)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from .graph import Blocking, Dependence, Edge, Graph, SequenceNode, SuperNode
from .stream_path import StreamPath, common_prefix


def horizontal_fusion(graph: Graph) -> Graph:
    """Traversals of one stream as one traversal of their common prefix (§4.3.1).

    As in the paper, dependences are ignored here: the test that follows checks them. Only traversals whose items are
    compared with each other stay separate, because that needs two of them.
    """
    numbers = max((node.number for node in graph.nodes), default=0)
    for stream in graph.streams:
        own = [node for node in _roots(graph) if node.path is not None and node.path.root == stream]
        apart = _apart(graph, own)
        group = [node for node in own if node.number not in apart]
        if len(group) > 1:
            numbers += 1
            graph = _fused(graph, group, numbers)
    return graph


def _roots(graph: Graph) -> list[SequenceNode]:
    """The traversals that depend on no other one."""
    return [
        node
        for node in graph.sequences
        if node.path is not None and not any(_is_stream(graph, number) for number in graph.predecessors(node.number))
    ]


def _is_stream(graph: Graph, number: int) -> bool:
    """Whether a node depends on a stream, item by item."""
    found = {number, *graph.origins([number], Dependence.FLOW)}
    return any(graph.node(origin).is_sequence for origin in found)


def _apart(graph: Graph, own: list[SequenceNode]) -> set[int]:
    """For joined traversals, all but the first."""
    apart: set[int] = set()
    for node in graph.nodes:
        if node.blocking is Blocking.JOINS:
            origins = {node.number, *graph.origins([node.number])}
            joined = [one.number for one in own if one.number in origins]
            apart |= set(joined[1:])
    return apart


def _fused(graph: Graph, group: list[SequenceNode], number: int) -> Graph:
    paths = [node.path for node in group if node.path is not None]
    prefix = _prefix(paths)
    span = group[0].span
    shared = SequenceNode(number, str(prefix), span, None, prefix)
    gone = {node.number for node in group if node.path == prefix and node.blocking is None}
    kept = []
    for node in graph.nodes:
        if node.number in gone:
            continue
        if any(node is one for one in group):
            assert isinstance(node, SequenceNode) and node.path is not None
            variable, named, _ = node.label.partition(" := ")
            rest = node.path.below(prefix) or "."
            node = replace(node, label=f"{variable} := {rest}" if named else rest, path=None)
        kept.append(node)
    edges = [replace(edge, source=number) if edge.source in gone else edge for edge in graph.edges]
    edges = [edge for edge in edges if edge.target not in gone]
    edges += [Edge(number, node.number) for node in group if node.number not in gone]
    edges += [replace(edge, target=number) for edge in graph.edges if edge.target in gone]
    return replace(graph, nodes=(shared, *kept)).with_edges(edges)


def _prefix(paths: Iterable[StreamPath]) -> StreamPath:
    """The longest common prefix of the paths; the document itself, if there is no other."""
    first, *others = paths
    for other in others:
        first = common_prefix(first, other) or first.from_root()
    return first


def vertical_fusion(graph: Graph) -> Graph:
    """Pipelines along each traversal as super-nodes: the algorithm of figure 7."""
    taken: set[int] = set()
    made: list[SuperNode] = []
    for root in _starts(graph):
        if root in taken:
            continue
        members = {root}
        while True:
            taken |= members
            reached = {number for member in members for number in graph.successors(member, Dependence.FLOW)}
            new = reached - taken
            if not new:
                break
            members |= new
        made.append(SuperNode(len(made) + 1, frozenset(members)))
    return replace(graph, super_nodes=tuple(made))


def _starts(graph: Graph) -> list[int]:
    """The sequence nodes in the root set; nodes that depend only on constants count as roots too."""
    starts = []
    for node in graph.sequences:
        if not any(_is_stream(graph, number) for number in graph.predecessors(node.number)):
            starts.append(node.number)
    return starts
