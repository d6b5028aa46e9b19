"""Rows of a table that the scan wrote as text, many in one string (see `plan/result_template.py` for the form)."""

from __future__ import annotations

from dataclasses import dataclass

from xylem.plan.result_template import END_OF_CELL, NULL

from .collector import Collector


@dataclass(frozen=True, slots=True)
class RowText:
    """Some rows, each with the same number of cells."""

    text: str
    rows: int

    def columns(self) -> list[list[str | None]]:
        """The cells by column, as texts; None for null."""
        cells: list[str | None] = list(self.text.split(END_OF_CELL))
        cells.pop()
        if NULL in self.text:
            cells = [None if cell == NULL else cell for cell in cells]
        width = len(cells) // self.rows
        return [cells[column::width] for column in range(width)]


class RowCollector(Collector):
    """Collects the answer of a program for tables: items, and rows written by the scan."""

    takes_markup = True

    def markup(
        self, text: str, items: int = 1, begins_with_atomic: bool = False, ends_with_atomic: bool = False
    ) -> None:
        """Add rows."""
        self.ready.append(RowText(text, items))
