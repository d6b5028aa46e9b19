"""What `xylem bench scan` asks: five queries that pass over a whole document and keep little of it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from .xmark_queries import query as xmark_query

VELA: Final = """<photons>{ for $p in /photons/photon
  where $p/ra > 120.0 and $p/ra < 138.0 and $p/dec > -49.0 and $p/dec < -40.0
  return <vela>{ $p/ra }{ $p/dec }{ $p/phc }{ $p/en }{ $p/det_time }</vela> }</photons>"""


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
)
BY_NAME: Final = {task.name: task for task in TASKS}
