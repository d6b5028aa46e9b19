"""What `xylem bench single-pass` measures: queries, their documents, and the plain scan they are compared with.

Frequent items are there twice: with the recursion of the paper's figure 1, which is as deep as the input is long unless
it is rewritten, and with a tail call, which engines on trees turn into a loop, too.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from . import single_pass_data, xmark
from .single_pass_queries import application
from .xmark_queries import query

XMARK_NUMBERS = (1, 5, 6, 7, 20)
XMARK_BYTES_PER_SCALE = 116e6


@dataclass(frozen=True)
class PassTask:
    """One query with the values of its variables."""

    name: str
    data: str
    """xmark, or the application whose generator makes the document"""
    query: str
    plain: str
    """A scan of the same bytes that only counts."""
    variables: Mapping[str, int] = field(default_factory=dict)
    has_tail_call: bool = False
    """Whether its recursion is a loop for every engine: then one pass is no matter of rewriting."""

    @property
    def is_application(self) -> bool:
        return self.data != "xmark"

    def write(self, path: Path, megabytes: float) -> None:
        """A document of about so many megabytes."""
        if self.is_application:
            single_pass_data.write(self.data, path, int(megabytes * 1e6))
        else:
            xmark.write(path, megabytes * 1e6 / XMARK_BYTES_PER_SCALE, 0)


APPLICATIONS = (
    PassTask("satellite", "satellite", application("satellite"), "count(//pixel)", {"maxx": 63, "maxy": 63}),
    PassTask("microscope", "microscope", application("microscope"), "count(//pixel)", {"right": 63, "bottom": 63}),
    PassTask("frequent-items", "frequent-items", application("frequent-items"), "count(//packet)", {}),
    PassTask(
        "frequent-items-tail",
        "frequent-items",
        application("frequent-items-tail"),
        "count(//packet)",
        has_tail_call=True,
    ),
)
XMARK = tuple(PassTask(f"XMark Q{number}", "xmark", query(number), "count(//item)") for number in XMARK_NUMBERS)
NAMED = {task.name: task for task in (*XMARK, *APPLICATIONS)}
