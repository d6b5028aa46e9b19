"""The operators of a plan in the forms of `explain --plan`: text, DOT for Graphviz, or SVG, with the same numbers."""

from __future__ import annotations

from collections.abc import Iterator
from html import escape

from .bounds import NOTHING, grows_with_input
from .explain_operators import plan_lines
from .operators import Operator, OperatorPlan, Runs
from .properties import properties

_FILLS = {
    Runs.SCAN: "#e3f0e6",
    Runs.KERNEL: "#e3f0e6",
    Runs.CODE: "#eef1f6",
    Runs.TASK: "#e3f0e6",
    Runs.ONE_TASK: "#f6dedc",
    Runs.MERGE: "#fbf0d9",
    Runs.DRIVER: "#eef1f6",
}
_GROWS, _LINE, _TEXT = "#b3261e", "#8a8a8a", "#222222"
_ROW, _INDENT, _MARGIN, _CHARACTER = 30, 26, 20, 6.3
_MOST_CHARACTERS = 110


def drawn_plan(plan: OperatorPlan, form: str) -> str:
    """The plan in one of the forms."""
    if form == "text":
        return "".join(f"{line}\n" for line in plan_lines(plan))
    return dot(plan) if form == "dot" else svg(plan)


def _label(plan: OperatorPlan, operator: Operator) -> str:
    text = f"{plan.number(operator)}  {operator.told}"
    return text if len(text) <= _MOST_CHARACTERS else text[: _MOST_CHARACTERS - 1] + "…"


def _kept(operator: Operator) -> str:
    bound = properties(operator).bound
    return "" if bound == NOTHING else f"keeps {bound}"


# --- DOT


def dot(plan: OperatorPlan) -> str:
    """Items flow upwards, to the answer; dashed lines lead from tuples to the operators evaluated for each of them."""
    lines = ["digraph plan {", "  rankdir=BT; node [fontname=sans, fontsize=10, shape=box, style=filled];"]
    for operator in plan.operators():
        number = plan.number(operator)
        lines.append(f"  o{number} [{', '.join(_dot_attributes(plan, operator))}];")
        lines += [f"  o{plan.number(child)} -> o{number};" for child in operator.inputs]
        if operator.over is not None:
            lines.append(f"  o{plan.number(operator.over)} -> o{number} [style=dashed];")
    return "\n".join([*lines, "}", ""])


def _dot_attributes(plan: OperatorPlan, operator: Operator) -> Iterator[str]:
    kept = _kept(operator)
    told = [_label(plan, operator), *([kept] if kept else []), operator.runs.value]
    yield f"label={_quoted(chr(10).join(told))}"
    yield f"fillcolor={_quoted(_FILLS[operator.runs])}"
    if grows_with_input(properties(operator).bound):
        yield f"color={_quoted(_GROWS)}"


def _quoted(value: str) -> str:
    return '"' + value.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n") + '"'


# --- SVG


def svg(plan: OperatorPlan) -> str:
    """A row for each operator below the one that takes its items, as in the text."""
    rows = list(plan.rows())
    texts = [f"as {plan.number(op)}" if known else _row_text(plan, op) for _, op, known in rows]
    widest = max(depth * _INDENT + len(text) * _CHARACTER for (depth, _, _), text in zip(rows, texts, strict=True))
    width, height = widest + 2 * _MARGIN + 90, len(rows) * _ROW + 2 * _MARGIN
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:g} {height:g}" width="{width:g}" '
        f'height="{height:g}" font-family="sans-serif" font-size="11" role="img">',
        f"<title>Plan of {len(plan.numbers)} operators</title>",
        '<rect width="100%" height="100%" fill="white"/>',
    ]
    for row, ((depth, operator, _), text) in enumerate(zip(rows, texts, strict=True)):
        x, y = _MARGIN + depth * _INDENT, _MARGIN + row * _ROW
        if depth:
            parts.append(_connection(depth, row, rows))
        parts.append(_box(operator, text, x, y))
    return "\n".join([*parts, "</svg>", ""])


def _row_text(plan: OperatorPlan, operator: Operator) -> str:
    kept = _kept(operator)
    return f"{_label(plan, operator)}{f'   ({kept})' if kept else ''}"


def _connection(depth: int, row: int, rows: list[tuple[int, Operator, bool]]) -> str:
    """A line from the row of the upper operator down to this one."""
    start = next(number for number in range(row - 1, -1, -1) if rows[number][0] == depth - 1)
    x = _MARGIN + (depth - 1) * _INDENT
    y1, y2 = _MARGIN + start * _ROW + _ROW - 6, _MARGIN + row * _ROW + (_ROW - 6) / 2
    return f'<path d="M{x + 10:g} {y1:g} V{y2:g} H{x + _INDENT:g}" fill="none" stroke="{_LINE}"/>'


def _box(operator: Operator, text: str, x: float, y: float) -> str:
    width = len(text) * _CHARACTER + 66
    edge = _GROWS if grows_with_input(properties(operator).bound) else _LINE
    place = "" if operator.place is None else f", line {operator.place[0]}"
    why = properties(operator).why
    told = escape(f"{operator.runs.value}{place}{f': {why}' if why else ''}")
    return (
        f'<g><title>{told}</title><rect x="{x:g}" y="{y:g}" width="{width:g}" height="{_ROW - 6}" rx="3" '
        f'fill="{_FILLS[operator.runs]}" stroke="{edge}"/>'
        f'<text x="{x + 8:g}" y="{y + 16:g}" fill="{_TEXT}">{escape(text)}'
        f'<tspan fill="{_LINE}">   {operator.runs.value}</tspan></text></g>'
    )
