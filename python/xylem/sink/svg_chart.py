"""The common parts of small charts, as SVG text: a frame with title and legend, lines, labels. No dependencies."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from html import escape

COLOURS = ("#2f7d5b", "#c98a2b", "#4a6fa5", "#8a4f7d", "#777777")
GRID = "#dddddd"


def chart(title: str, width: float, height: float, left: float, parts: Iterable[str]) -> str:
    """A whole document of the given size; the title begins at `left`."""
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:g} {height:g}" '
            'font-family="sans-serif" font-size="11" role="img">',
            f"<title>{escape(title)}</title>",
            '<rect width="100%" height="100%" fill="white"/>',
            f'<text x="{left:g}" y="20" font-size="14" font-weight="bold">{escape(title)}</text>',
            *parts,
            "</svg>",
            "",
        ]
    )


def legend(names: Sequence[str], left: float, colours: Sequence[str] = COLOURS, apart: float = 120) -> list[str]:
    """A small square for each series, with its name."""
    parts = []
    for place, name in enumerate(names):
        x = left + place * apart
        parts.append(f'<rect x="{x:g}" y="30" width="10" height="10" fill="{colours[place % len(colours)]}"/>')
        parts.append(label(x + 15, 39, name))
    return parts


def line(x1: float, y1: float, x2: float, y2: float, colour: str = GRID) -> str:
    return f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" stroke="{colour}"/>'


def label(x: float, y: float, text: str, anchor: str = "start", **more: object) -> str:
    """Text at a place; further attributes by name, `_` for `-`."""
    attributes = "".join(f' {name.replace("_", "-")}="{value}"' for name, value in more.items())
    side = "" if anchor == "start" else f' text-anchor="{anchor}"'
    return f'<text x="{x:.1f}" y="{y:.1f}"{side}{attributes}>{escape(text)}</text>'


@dataclass(frozen=True)
class Scale:
    """Maps values to places on the figure, with round numbers as marks."""

    most: float
    start: float
    end: float

    @property
    def top(self) -> float:
        return self.marks()[-1]

    def at(self, value: float) -> float:
        return self.start + (self.end - self.start) * value / self.top

    def marks(self) -> list[float]:
        """Zero and up to five round numbers above it, the last not below the maximum."""
        rough = max(self.most, 1) / 5
        power = 10.0 ** math.floor(math.log10(rough))
        step = next(power * factor for factor in (1, 2, 5, 10) if power * factor >= rough)
        return [step * number for number in range(math.ceil(max(self.most, 1) / step) + 1)]
