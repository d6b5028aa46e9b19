"""Counts how often this process has parsed and lowered a query, so that tests can check that both happen once."""

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
