"""Graphs of queries as tests ask for them."""

from __future__ import annotations

import xylem
from xylem.analysis.dataflow import Dependence, Graph
from xylem.plan.streamability import DataFlow


def flow_of(query: str, name: str = "query") -> DataFlow:
    return xylem.compile(query, name=name, check=False).data_flow()


def edges(graph: Graph, kind: Dependence | None = None) -> set[tuple[str, str]]:
    """The edges of a graph by the labels of their ends."""
    labels = {node.number: node.label for node in graph.nodes}
    return {(labels[edge.source], labels[edge.target]) for edge in graph.edges if kind in (None, edge.kind)}


def together(graph: Graph) -> list[set[str]]:
    """The labels in each super-node."""
    return [{graph.node(number).label for number in found.members} for found in graph.super_nodes]
