"""What a scan writes for one unit of a loop over update streams: rows, as they go into the answer.

Order keys stand before an item as a hole (`result_template.py`), and values of an aggregate are such holes, too: so
each value comes with its type, and no code runs for it.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from .result_template import Template

__all__ = ["Chosen", "Rows", "UnitRows"]


class Rows(Enum):
    """What the template of a unit writes. Whatever else it writes is left to code."""

    ITEMS = "items"
    """Items, of which the text counts."""
    ITEM = "item"
    """At most one item."""
    SEVERAL = "several"
    """Items that are nodes, each behind a hole that separates it from the one before."""
    KEYED = "keyed"
    """Items, each behind its order keys."""
    NUMBERS = "numbers"
    """Values that are added."""
    COMPARABLE = "comparable"
    """Values of which the least or greatest is asked for."""


@dataclass(frozen=True)
class Chosen:
    """Versions of children: `quote#1` is `past0/quote` in the document of a unit. One stands behind each `quote`."""

    around: str
    name: str
    first: int
    """Counted from the newest version, 0."""
    last: int


@dataclass(frozen=True)
class Joined:
    """Units that a unit looks up, as children of an element in its document: `found0/*`.

    Which ones it finds depends on the children that the lookup compares: texts in those are left to code.
    """

    around: str
    source: int
    keys: frozenset[tuple[str, str]]
    """The children by which a unit is found."""
    asked: frozenset[tuple[str, str]]
    """The children by which the outer unit asks for it."""


@dataclass(frozen=True)
class UnitRows:
    """A template of the document of a unit."""

    template: Template
    rows: Rows
    chosen: tuple[Chosen, ...] = ()
    joined: tuple[Joined, ...] = ()
    has_one_row: bool = True
    """Whether a unit never gives more than one row."""
