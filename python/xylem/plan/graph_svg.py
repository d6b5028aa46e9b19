"""The stream data flow graph as SVG, in the shapes of the paper's figures: boxes for sequences, ellipses for values,
dashed boxes for nodes that one pass computes together, solid arrows for flow and dashed ones for aggregates.

Nodes are arranged in layers, each below all its dependences. Super-nodes are placed side by side, with other nodes to
their right, so a dashed box never encloses a foreign node.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache
from html import escape

from xylem.analysis.dataflow import Dependence, Edge, Graph, Node

from .graph_drawing import short, words_of
from .streamability import DataFlow

_LAYER, _HEIGHT, _GAP, _MARGIN, _TOP = 74, 30, 26, 26, 58
_CHARACTER = 6.1
_MOST_WIDTH = 1300
"""If wider than this, the graphs are drawn one below the other."""
_MOST_CHARACTERS = 46
_FLOW, _BLOCKS, _BOX = "#333333", "#b3261e", "#2f7d5b"


@dataclass(frozen=True)
class _Placed:
    """A node with the place of its middle."""

    node: Node
    text: str
    x: float
    y: float

    @property
    def half(self) -> float:
        padding = 16 if self.node.is_sequence else 26
        return (len(self.text) * _CHARACTER + padding) / 2


@dataclass
class _Panel:
    """One graph, laid out."""

    graph: Graph
    places: dict[int, _Placed] = field(default_factory=dict)
    boxes: list[tuple[float, float, float, float]] = field(default_factory=list)
    width: float = 0
    height: float = 0


def svg(flow: DataFlow) -> str:
    """The graph as written and after fusion."""
    panels = [("as written", _laid_out(flow.written)), ("after fusion", _laid_out(flow.fused))]
    verdict = words_of(flow.verdict)
    is_wide = sum(panel.width for _, panel in panels) > _MOST_WIDTH
    width = (max if is_wide else sum)([panel.width for _, panel in panels])
    height = (sum if is_wide else max)([panel.height + _TOP for _, panel in panels])
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:g} {height:g}" width="{width:g}" '
        f'height="{height:g}" font-family="sans-serif" font-size="11" role="img">',
        f"<title>Stream data flow graph: {escape(verdict)}</title>",
        "<defs>"
        '<marker id="arrow" viewBox="0 0 8 8" refX="7.5" refY="4" markerWidth="7" markerHeight="7" orient="auto">'
        f'<path d="M0 0 L8 4 L0 8 z" fill="{_FLOW}"/></marker></defs>',
        '<rect width="100%" height="100%" fill="white"/>',
    ]
    x = y = 0.0
    for title, panel in panels:
        told = f"{title}: {verdict}" if panel.graph is flow.fused else title
        place = f'x="{x + _MARGIN:g}" y="{y + 24:g}"'
        parts.append(f'<text {place} font-size="13" font-weight="bold">{escape(told)}</text>')
        parts.append(f'<g transform="translate({x:g} {y + _TOP:g})">')
        parts += _drawn(panel)
        parts.append("</g>")
        if is_wide:
            y += panel.height + _TOP
        else:
            x += panel.width
    return "\n".join([*parts, "</svg>", ""])


# --- layout


def _laid_out(graph: Graph) -> _Panel:
    panel = _Panel(graph)
    layers = _layers(graph)
    x = float(_MARGIN)
    for block in _blocks(graph):
        right = _place_block(panel, block, layers, x)
        if graph.super_nodes and any(block == super_node.members for super_node in graph.super_nodes):
            own = [panel.places[number] for number in block]
            top, bottom = min(p.y for p in own) - _HEIGHT, max(p.y for p in own) + _HEIGHT
            panel.boxes.append((x - 12, top, right - x + 24, bottom - top))
        x = right + _MARGIN + 24
    panel.width = max(x, 220.0)
    panel.height = (max(layers.values(), default=0) + 1) * _LAYER
    return panel


def _layers(graph: Graph) -> dict[int, int]:
    """The layer of each node: one below the lowest of its dependences."""

    @cache
    def layer(number: int) -> int:
        return max((layer(source) + 1 for source in graph.predecessors(number)), default=0)

    return {node.number: layer(node.number) for node in graph.nodes}


def _blocks(graph: Graph) -> Iterator[frozenset[int]]:
    inside: frozenset[int] = frozenset()
    for super_node in graph.super_nodes:
        inside |= super_node.members
        yield super_node.members
    others = frozenset(node.number for node in graph.nodes) - inside
    if others:
        yield others


def _place_block(panel: _Panel, block: frozenset[int], layers: dict[int, int], left: float) -> float:
    """Place the nodes of a block from `left` on; return its right end."""
    graph = panel.graph
    rows: dict[int, list[Node]] = {}
    for node in graph.nodes:
        if node.number in block:
            rows.setdefault(layers[node.number], []).append(node)
    widths = {layer: sum(_width(node) for node in row) + _GAP * (len(row) - 1) for layer, row in rows.items()}
    widest = max(widths.values())
    for layer, row in sorted(rows.items()):
        row.sort(key=lambda node: (_pull(panel, node), node.number))
        x = left + (widest - widths[layer]) / 2
        for node in row:
            width = _width(node)
            panel.places[node.number] = _Placed(node, _text(node), x + width / 2, layer * _LAYER + _LAYER / 2)
            x += width + _GAP
    return left + widest


def _pull(panel: _Panel, node: Node) -> float:
    """The average position of the nodes above it."""
    above = [panel.places[n].x for n in panel.graph.predecessors(node.number) if n in panel.places]
    return sum(above) / len(above) if above else 0.0


def _width(node: Node) -> float:
    return _Placed(node, _text(node), 0, 0).half * 2


def _text(node: Node) -> str:
    text = f"{short(node)}  {node.label}"
    return text if len(text) <= _MOST_CHARACTERS else text[: _MOST_CHARACTERS - 1] + "…"


# --- drawing


def _drawn(panel: _Panel) -> Iterator[str]:
    for x, y, width, height in panel.boxes:
        yield (
            f'<rect x="{x:.1f}" y="{y:.1f}" width="{width:.1f}" height="{height:.1f}" rx="6" fill="none" '
            f'stroke="{_BOX}" stroke-width="1.4" stroke-dasharray="7 4"/>'
        )
    for edge in panel.graph.edges:
        yield _arrow(panel, edge)
    for place in panel.places.values():
        yield from _shape(place)


def _arrow(panel: _Panel, edge: Edge) -> str:
    start, end = panel.places[edge.source], panel.places[edge.target]
    x1, y1, x2, y2 = start.x, start.y + _HEIGHT / 2, end.x, end.y - _HEIGHT / 2
    bend = (y2 - y1) / 2
    # It goes around the node in its way.
    aside = max((place.half + 24 for place in panel.places.values() if _is_between(place, start, end)), default=0.0)
    curve = f"M{x1:.1f} {y1:.1f} C{x1 + aside:.1f} {y1 + bend:.1f} {x2 + aside:.1f} {y2 - bend:.1f} {x2:.1f} {y2:.1f}"
    dashes = ' stroke-dasharray="4 3"' if edge.kind is Dependence.AGGREGATE else ""
    return f'<path d="{curve}" fill="none" stroke="{_FLOW}"{dashes} marker-end="url(#arrow)"/>'


def _is_between(place: _Placed, start: _Placed, end: _Placed) -> bool:
    """Whether a straight line from one node to another would cross a third."""
    if not start.y < place.y < end.y:
        return False
    x = start.x + (end.x - start.x) * (place.y - start.y) / (end.y - start.y)
    return abs(x - place.x) < place.half + 6


def _shape(place: _Placed) -> Iterator[str]:
    node, half = place.node, place.half
    colour = _FLOW if node.blocking is None else _BLOCKS
    style = f'fill="white" stroke="{colour}"' + ("" if node.blocking is None else ' stroke-width="2"')
    yield "<g>"
    yield f"<title>{escape(node.label + ('' if node.blocking is None else ': ' + node.blocking.value))}</title>"
    if node.is_sequence:
        x, y = place.x - half, place.y - _HEIGHT / 2
        yield f'<rect x="{x:.1f}" y="{y:.1f}" width="{2 * half:.1f}" height="{_HEIGHT}" {style}/>'
    else:
        yield f'<ellipse cx="{place.x:.1f}" cy="{place.y:.1f}" rx="{half:.1f}" ry="{_HEIGHT / 2}" {style}/>'
    yield f'<text x="{place.x:.1f}" y="{place.y + 4:.1f}" text-anchor="middle">{escape(place.text)}</text>'
    yield "</g>"
