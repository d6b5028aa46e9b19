"""How often this process has parsed a query and lowered one: what is compiled once shows here that it is."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass
class Compilations:
    """Counts since the process began."""

    parsed: int = 0
    """Texts of modules that were parsed, library modules among them."""
    lowered: int = 0
    """Programs that were generated, one for each part of a query that has one of its own."""


COMPILATIONS = Compilations()
