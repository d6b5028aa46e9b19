"""Grouped bars as SVG text, lengths on a logarithmic scale: enough for a figure of times, and nothing to install."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from html import escape

_COLOURS = ("#2f7d5b", "#c98a2b", "#4a6fa5", "#8a4f7d", "#777777")
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
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_LEFT + _WIDTH + 90} {height}" '
        'font-family="sans-serif" font-size="11" role="img">',
        f"<title>{escape(title)}</title>",
        '<rect width="100%" height="100%" fill="white"/>',
        f'<text x="{_LEFT}" y="20" font-size="14" font-weight="bold">{escape(title)}</text>',
    ]
    parts += _legend(list(series))
    parts += _grid(low, high, height - 30, unit)
    for row, group in enumerate(groups):
        top = _TOP + row * step
        middle = top + len(series) * _BAR / 2 + 4
        parts.append(f'<text x="{_LEFT - 6}" y="{middle:.0f}" text-anchor="end">{escape(group)}</text>')
        for line, (name, numbers) in enumerate(series.items()):
            value = numbers[row]
            if value is not None:
                parts.append(_bar(name, value, top + line * _BAR, line, _along(value, low, high), unit))
    return "\n".join([*parts, "</svg>", ""])


def _decades(values: Sequence[float]) -> tuple[int, int]:
    if not values:
        return 0, 1
    low = math.floor(math.log10(min(values)))
    return low, max(low + 1, math.ceil(math.log10(max(values))))


def _along(value: float, low: int, high: int) -> float:
    return _WIDTH * max(0.0, (math.log10(value) - low) / (high - low)) if value > 0 else 0.0


def _bar(name: str, value: float, top: float, line: int, length: float, unit: str) -> str:
    label = f"{value:,.0f}" if value >= 100 else f"{value:.3g}"
    return (
        f'<rect x="{_LEFT}" y="{top}" width="{max(length, 1):.1f}" height="{_BAR - 1}" '
        f'fill="{_COLOURS[line % len(_COLOURS)]}"><title>{escape(name)}: {label} {escape(unit)}</title></rect>'
        f'<text x="{_LEFT + max(length, 1) + 4:.1f}" y="{top + _BAR - 2}" font-size="9">{label}</text>'
    )


def _legend(names: Sequence[str]) -> list[str]:
    parts = []
    for place, name in enumerate(names):
        x = _LEFT + place * 120
        parts.append(f'<rect x="{x}" y="30" width="10" height="10" fill="{_COLOURS[place % len(_COLOURS)]}"/>')
        parts.append(f'<text x="{x + 15}" y="39">{escape(name)}</text>')
    return parts


def _grid(low: int, high: int, bottom: float, unit: str) -> list[str]:
    parts = []
    for decade in range(low, high + 1):
        x = _LEFT + _WIDTH * (decade - low) / (high - low)
        parts.append(f'<line x1="{x:.1f}" y1="{_TOP - 6}" x2="{x:.1f}" y2="{bottom}" stroke="#dddddd"/>')
        parts.append(f'<text x="{x:.1f}" y="{bottom + 16}" text-anchor="middle">{10.0**decade:g} {escape(unit)}</text>')
    return parts
