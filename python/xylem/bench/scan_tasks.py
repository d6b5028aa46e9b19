"""What `xylem bench scan` asks: queries that pass over a whole document and keep little of it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from .xmark_queries import query as xmark_query

VELA: Final = """<photons>{ for $p in /photons/photon
  where $p/ra > 120.0 and $p/ra < 138.0 and $p/dec > -49.0 and $p/dec < -40.0
  return <vela>{ $p/ra }{ $p/dec }{ $p/phc }{ $p/en }{ $p/det_time }</vela> }</photons>"""

"""Subscription Vela of the thesis (§2.1), which a quarter of the photons pass."""
RXJ: Final = """<photons>{ for $p in /photons/photon
  where $p/en > 1.3 and $p/ra > 130.5 and $p/ra < 135.5 and $p/dec > -48.0 and $p/dec < -45.0
  return <rxj>{ $p/ra }{ $p/dec }{ $p/en }{ $p/det_time }</rxj> }</photons>"""
"""Subscription RXJ (§2.1), which three in a hundred pass."""


@dataclass(frozen=True)
class Task:
    """A query over one of the documents."""

    name: str
    document: str
    """auction or photons"""
    query: str


TASKS: Final = (
    Task("Q1", "auction", xmark_query(1)),
    Task("Q5", "auction", xmark_query(5)),
    Task("Q13", "auction", xmark_query(13)),
    Task("count", "auction", "count(//item)"),
    Task("Vela", "photons", VELA),
    Task("RXJ", "photons", RXJ),
)
BY_NAME: Final = {task.name: task for task in TASKS}
