"""Curves over time, one panel below the other: enough for a figure of a long run, and nothing to install."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from html import escape

from xylem.sink.svg_chart import COLOURS, Scale, chart, label, line

_LEFT, _WIDTH, _TOP, _HEIGHT, _APART = 80, 680, 56, 120, 46

Curve = Sequence[tuple[float, float]]
"""Seconds and values."""


@dataclass(frozen=True)
class Panel:
    """Curves that share a scale."""

    title: str
    curves: Mapping[str, Curve]
    bound: float | None = None
    """A value that no curve should reach: a dashed line."""


def time_chart(
    title: str, panels: Sequence[Panel], marks: Mapping[str, float] | None = None, unit: str = " s"
) -> str:
    """The figure; `marks` are moments, drawn through all panels; `unit` is what stands behind numbers below them."""
    end = max((x for panel in panels for curve in panel.curves.values() for x, _ in curve), default=1.0)
    across = Scale(end, _LEFT, _LEFT + _WIDTH)
    parts: list[str] = []
    for number, panel in enumerate(panels):
        parts += _panel(panel, across, _TOP + number * (_HEIGHT + _APART))
    bottom = _TOP + len(panels) * (_HEIGHT + _APART) - _APART
    for name, moment in (marks or {}).items():
        x = across.at(moment)
        parts.append(_dashed(x, _TOP, x, bottom, "#999999"))
        parts.append(label(x + 4, _TOP + 12, name, fill="#777777"))
    for value in across.marks():
        parts.append(label(across.at(value), bottom + 16, f"{value:g}{unit}", "middle"))
    return chart(title, _LEFT + _WIDTH + 40, bottom + 30, _LEFT, parts)


def _dashed(x1: float, y1: float, x2: float, y2: float, colour: str) -> str:
    return line(x1, y1, x2, y2, colour).replace("/>", ' stroke-dasharray="5 4"/>')


def _panel(panel: Panel, across: Scale, top: float) -> list[str]:
    values = [y for curve in panel.curves.values() for _, y in curve]
    most = max([*values, panel.bound or 0.0], default=1.0)
    up = Scale(most, top + _HEIGHT, top)
    parts = [label(_LEFT, top - 8, panel.title, font_weight="bold")]
    for value in up.marks():
        y = up.at(value)
        parts += [line(_LEFT, y, _LEFT + _WIDTH, y), label(_LEFT - 6, y + 4, f"{value:,.6g}", "end")]
    if panel.bound is not None:
        y = up.at(panel.bound)
        parts.append(_dashed(_LEFT, y, _LEFT + _WIDTH, y, "#b5452f"))
    for place, (name, curve) in enumerate(panel.curves.items()):
        colour = COLOURS[place % len(COLOURS)]
        points = " ".join(f"{across.at(x):.1f},{up.at(y):.1f}" for x, y in curve)
        parts.append(
            f'<polyline points="{points}" fill="none" stroke="{colour}" stroke-width="1.5">'
            f"<title>{escape(name)}</title></polyline>"
        )
        if len(panel.curves) > 1:
            x = _LEFT + 200 + place * 130
            parts.append(f'<rect x="{x}" y="{top - 16:.1f}" width="10" height="10" fill="{colour}"/>')
            parts.append(label(x + 15, top - 7, name))
    return parts
