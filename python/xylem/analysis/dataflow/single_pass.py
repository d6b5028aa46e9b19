"""The single-pass test (single-pass paper, §4.4): theorems 1 to 4 over a graph after its fusions.

This test adds two things to the paper's. It looks for blocking operators instead of assuming that there are none
(§4.1). And if one pass is not enough, it returns the number of passes: one more than the aggregates that wait for each
other.
"""

from __future__ import annotations

from functools import cache

from .graph import Blocking, Dependence, Graph, Node, Reason, SequenceNode, SuperNode, Verdict
from .reasons import blocked, cycle, several, waiting


def verdict(graph: Graph) -> Verdict:
    """Whether one pass is enough for a graph after horizontal and vertical fusion, and if not, why."""
    aggregates = [node for node in graph.nodes if _is_aggregate(graph, node.number)]
    found = [*_theorem_1(graph), *_theorem_2(graph, aggregates), *_theorem_3(graph, aggregates)]
    blocking = [blocked(node) for node in graph.nodes if _blocks(node)]
    passes = _passes(graph)
    behind = [node for node in graph.nodes if node.blocking is Blocking.WAITS]
    for node in behind:
        # The part after a long sequence has a pass of its own.
        for stream in _streams_of(graph, node.number):
            passes[stream] += 1
    total = max(passes.values(), default=1)
    reasons = tuple(dict.fromkeys([*blocking, *found]))
    is_bounded = len(blocking) == len(behind) and not any(reason.theorem == 1 for reason in found)
    # Theorem 4: if no condition holds, nothing waits for a value known only at the end.
    return Verdict(total, not reasons, reasons, tuple(passes.items()), is_bounded)


def _is_aggregate(graph: Graph, number: int) -> bool:
    """Whether a value is only known at the end of a pass; one of a join differs from item to item."""
    folded = list(graph.predecessors(number, Dependence.AGGREGATE))
    if not folded or graph.node(number).blocking is Blocking.JOINS:
        return False
    sources = {*folded, *graph.origins(folded, Dependence.FLOW)}
    return not any(graph.node(source).blocking is Blocking.JOINS for source in sources)


def _blocks(node: Node) -> bool:
    return node.blocking is not None and node.blocking is not Blocking.JOINS


def _theorem_1(graph: Graph) -> list[Reason]:
    """More than one sequence node: traversals of one stream without a common pipeline."""
    joins = [node for node in graph.nodes if node.blocking is Blocking.JOINS]
    starts: dict[str, list[SequenceNode]] = {}
    for super_node in graph.super_nodes:
        first = _start(graph, super_node)
        if first is not None and first.path is not None:
            starts.setdefault(first.path.root, []).append(first)
    found = [several(nodes, joins) for nodes in starts.values() if len(nodes) > 1]
    if not found and joins:
        found = [several([], joins)]
    return found


def _start(graph: Graph, super_node: SuperNode) -> SequenceNode | None:
    members = (node for node in graph.sequences if node.number in super_node.members)
    return next((node for node in members if node.path is not None), None)


def _theorem_2(graph: Graph, aggregates: list[Node]) -> list[Reason]:
    """An aggregate that is computed from another one."""
    numbers = {node.number: node for node in aggregates}
    found = []
    for first in aggregates:
        for later in sorted(graph.reached([first.number]) & numbers.keys()):
            if later != first.number:
                found.append(waiting(first, numbers[later]))
    return found


def _theorem_3(graph: Graph, aggregates: list[Node]) -> list[Reason]:
    """A cycle: a pipeline needs an aggregate of the very items that pass through it."""
    found = []
    for aggregate in aggregates:
        for source in graph.predecessors(aggregate.number, Dependence.AGGREGATE):
            super_node = graph.super_node_of(source)
            if super_node is None or aggregate.number in super_node.members:
                continue
            readers = sorted(set(graph.reached([aggregate.number], Dependence.FLOW)) & super_node.members)
            if readers:
                found.append(cycle(aggregate, graph.node(readers[0])))
    return found


def _passes(graph: Graph) -> dict[str, int]:
    """The number of passes over each stream: a pipeline that reads an aggregate runs after the pass computing it."""
    folded = {node.number for node in graph.nodes if _is_aggregate(graph, node.number)}

    @cache
    def is_long(number: int) -> bool:
        """Whether a node is computed item by item."""
        if graph.node(number).is_sequence:
            return True
        return any(is_long(source) for source in graph.predecessors(number, Dependence.FLOW))

    @cache
    def level(number: int) -> int:
        along = is_long(number) or number in folded
        levels = [1]
        for edge in graph.edges:
            if edge.target == number:
                waits = along and edge.kind is Dependence.FLOW and _is_known_late(edge.source)
                levels.append(level(edge.source) + waits)
        return max(levels)

    @cache
    def _is_known_late(number: int) -> bool:
        """Whether a value is only known at the end of a pass."""
        if number in folded:
            return True
        return not is_long(number) and any(map(_is_known_late, graph.predecessors(number, Dependence.FLOW)))

    found: dict[str, int] = dict.fromkeys(graph.streams, 1)
    for node in graph.nodes:
        if is_long(node.number) or node.number in folded:
            for stream in _streams_of(graph, node.number):
                found[stream] = max(found[stream], level(node.number))
    return found


def _streams_of(graph: Graph, number: int) -> set[str]:
    """The streams read for a node: through pipelines, and for the aggregate it is itself."""
    own = {number, *graph.predecessors(number, Dependence.AGGREGATE)}
    origins = own | graph.origins(own, Dependence.FLOW)
    nodes = (graph.node(origin) for origin in origins)
    return {node.path.root for node in nodes if isinstance(node, SequenceNode) and node.path is not None}
