"""The catalogue as a page of the documentation: `python -m xylem.errors.page docs/errors.md`."""

from __future__ import annotations

import sys
from pathlib import Path

from .catalogue import CATALOGUE

FAMILIES = (
    ("FO", "Functions and operators"),
    ("SE", "Serialization"),
    ("XP", "The language: what XQuery shares with XPath"),
    ("XQ", "The language: what XQuery adds"),
    ("XY", "Xylem's own"),
)


def page() -> str:
    """The page, in Markdown."""
    lines = [
        "# Errors",
        "",
        "An error has a code, its particulars, a place in the query or the input if there is one, and often a way out.",
        "Most codes come from the W3C specifications; codes that start with XY are Xylem's own.",
        "`make docs` writes this page from the catalogue (`python/xylem/errors/catalogue.py`).",
    ]
    for start, title in FAMILIES:
        lines += ["", f"## {title}", "", "| code | meaning | way out |", "|---|---|---|"]
        for code, entry in CATALOGUE.items():
            if code.startswith(start):
                lines.append(f"| `{code}` | {_cell(entry.title)} | {_cell(entry.hint)} |")
    return "\n".join(lines) + "\n"


def _cell(text: str) -> str:
    return text.replace("|", "\\|").replace("\\\\", "\\\\\\\\")


if __name__ == "__main__":
    Path(sys.argv[1]).write_text(page(), encoding="utf-8")
