"""Grouped bars as SVG text, lengths on a logarithmic scale: enough for a figure of times, and nothing to install."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from html import escape

from xylem.sink.svg_chart import COLOURS, chart, label, legend, line

_LEFT, _WIDTH, _TOP, _BAR, _GAP = 60, 640, 64, 11, 8


def bar_chart(
    title: str,
    groups: Sequence[str],
    series: Mapping[str, Sequence[float | None]],
    unit: str = "ms",
) -> str:
    """One group of bars per name, one bar per series in it; a missing value leaves its place empty."""
    values = [value for row in series.values() for value in row if value is not None and value > 0]
    low, high = _decades(values)
    step = len(series) * _BAR + _GAP
    height = _TOP + len(groups) * step + 36
    parts = legend(list(series), _LEFT) + _grid(low, high, height - 30, unit)
    for row, group in enumerate(groups):
        top = _TOP + row * step
        parts.append(label(_LEFT - 6, top + len(series) * _BAR / 2 + 4, group, "end"))
        for place, (name, numbers) in enumerate(series.items()):
            value = numbers[row]
            if value is not None:
                parts.append(_bar(name, value, top + place * _BAR, place, _along(value, low, high), unit))
    return chart(title, _LEFT + _WIDTH + 90, height, _LEFT, parts)


def _decades(values: Sequence[float]) -> tuple[int, int]:
    if not values:
        return 0, 1
    low = math.floor(math.log10(min(values)))
    return low, max(low + 1, math.ceil(math.log10(max(values))))


def _along(value: float, low: int, high: int) -> float:
    return _WIDTH * max(0.0, (math.log10(value) - low) / (high - low)) if value > 0 else 0.0


def _bar(name: str, value: float, top: float, place: int, length: float, unit: str) -> str:
    number = f"{value:,.0f}" if value >= 100 else f"{value:.3g}"
    return (
        f'<rect x="{_LEFT}" y="{top}" width="{max(length, 1):.1f}" height="{_BAR - 1}" '
        f'fill="{COLOURS[place % len(COLOURS)]}"><title>{escape(name)}: {number} {escape(unit)}</title></rect>'
        + label(_LEFT + max(length, 1) + 4, top + _BAR - 2, number, font_size=9)
    )


def _grid(low: int, high: int, bottom: float, unit: str) -> list[str]:
    parts = []
    for decade in range(low, high + 1):
        x = _LEFT + _WIDTH * (decade - low) / (high - low)
        parts.append(line(x, _TOP - 6, x, bottom))
        parts.append(label(x, bottom + 16, f"{10.0**decade:g} {unit}", "middle"))
    return parts
