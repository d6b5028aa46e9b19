"""The stream data flow graph of a query, its fusions and the single-pass test (single-pass paper, §4).

The body of a query with its prolog and resolved names comes in; a graph of dependencies goes out, and a verdict: one
pass, or how many and why. It changes no query and knows nothing of execution.
"""

from __future__ import annotations

from .build import build
from .fusion import horizontal_fusion, vertical_fusion
from .graph import AtomicNode, Blocking, Dependence, Edge, Graph, Node, Reason, SequenceNode, SuperNode, Verdict
from .single_pass import verdict
from .stream_path import INPUT
from .values import label

__all__ = [
    "INPUT",
    "AtomicNode",
    "Blocking",
    "Dependence",
    "Edge",
    "Graph",
    "Node",
    "Reason",
    "SequenceNode",
    "SuperNode",
    "Verdict",
    "build",
    "horizontal_fusion",
    "label",
    "verdict",
    "vertical_fusion",
]
