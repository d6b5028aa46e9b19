"""The stream data flow graph of a query in the forms of `explain --graph`: text, DOT for Graphviz, or SVG."""

from __future__ import annotations

from collections.abc import Iterator

from xylem.analysis.dataflow import Dependence, Graph, Node, Verdict

from .streamability import DataFlow

FORMS = ("text", "dot", "svg")


def drawn(flow: DataFlow, form: str) -> str:
    """Both graphs, as written and after fusion, in one of the forms."""
    if form == "svg":
        from .graph_svg import svg

        return svg(flow)
    return dot(flow) if form == "dot" else text(flow)


def words_of(verdict: Verdict) -> str:
    """The verdict on a graph in a few words."""
    if verdict.is_single_pass:
        return "single pass"
    return f"{verdict.passes} passes" if verdict.passes > 1 else "not a single pass"


def short(node: Node) -> str:
    """S1 for a sequence, v1 for a value, as in the paper's figures."""
    return f"{'S' if node.is_sequence else 'v'}{node.number}"


# --- text


def text(flow: DataFlow) -> str:
    """One line for each node, with its dependences; a bar marks nodes that one pass computes together."""
    verdict = flow.verdict
    lines = ["as written", *_rows(flow.written), "", "after fusion", *_rows(flow.fused), ""]
    lines.append(words_of(verdict))
    if len(verdict.passes_by_stream) > 1:
        lines += [f"  {stream}: {number}" for stream, number in verdict.passes_by_stream]
    for reason in verdict.reasons:
        places = ", ".join(f"{span.line}:{span.column}" for span in reason.spans)
        lines.append(f"  {reason.text}{f' at {places}' if places else ''}")
    return "\n".join(lines) + "\n"


def _rows(graph: Graph) -> Iterator[str]:
    taken: set[int] = set()
    for super_node in graph.super_nodes:
        yield f"  super-node {super_node.number}"
        for node in graph.nodes:
            if node.number in super_node.members:
                taken.add(node.number)
                yield f"  ┆ {_row(graph, node)}"
    for node in graph.nodes:
        if node.number not in taken:
            yield f"  {_row(graph, node)}"


def _row(graph: Graph, node: Node) -> str:
    flows = [short(graph.node(n)) for n in graph.predecessors(node.number, Dependence.FLOW)]
    folded = [short(graph.node(n)) for n in graph.predecessors(node.number, Dependence.AGGREGATE)]
    parts = [f"{short(node):<4} {node.label}"]
    if folded:
        parts.append(f"<= {', '.join(folded)}")
    if flows:
        parts.append(f"<- {', '.join(flows)}")
    if node.blocking is not None:
        parts.append(f"! {node.blocking.value}")
    return "  ".join(parts)


# --- DOT


def dot(flow: DataFlow) -> str:
    """Two clusters for Graphviz, in the paper's shapes: boxes for sequences, dashed boxes for super-nodes."""
    lines = ["digraph query {", "  rankdir=TB; node [fontname=sans, fontsize=10]; compound=true;"]
    for name, title, graph in (("a", "as written", flow.written), ("b", "after fusion", flow.fused)):
        lines += [f"  subgraph cluster_{name} {{", f"    label={_quoted(title)}; color=white;"]
        lines += [f"    {line}" for line in _dot_nodes(graph, name)]
        for edge in graph.edges:
            style = " [style=dashed]" if edge.kind is Dependence.AGGREGATE else ""
            lines.append(f"    {name}{edge.source} -> {name}{edge.target}{style};")
        lines.append("  }")
    return "\n".join([*lines, "}", ""])


def _dot_nodes(graph: Graph, name: str) -> Iterator[str]:
    inside = {number for super_node in graph.super_nodes for number in super_node.members}
    for super_node in graph.super_nodes:
        yield f'subgraph cluster_{name}_{super_node.number} {{ style=dashed; color=black; label="";'
        for node in graph.nodes:
            if node.number in super_node.members:
                yield f"  {_dot_node(node, name)}"
        yield "}"
    for node in graph.nodes:
        if node.number not in inside:
            yield _dot_node(node, name)


def _dot_node(node: Node, name: str) -> str:
    shape = "box" if node.is_sequence else "ellipse"
    told = "" if node.blocking is None else f", color=red, tooltip={_quoted(node.blocking.value)}"
    return f"{name}{node.number} [shape={shape}, label={_quoted(f'{short(node)}  {node.label}')}{told}];"


def _quoted(value: str) -> str:
    return '"' + value.replace("\\", "\\\\").replace('"', '\\"') + '"'
