"""The account of a stream: which parts are processed as they pass, which only counted or summed, which are kept.

This is the account that `xylem explain` gives of a plan, as plain data.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from xylem.functions.registry import FN
from xylem.functions.traits import COUNTS

from .bounds import GROWING
from .flux import Flux
from .flux_plan import Buffered


@dataclass(frozen=True)
class Streamed:
    """Elements that are processed as they pass."""

    path: str
    variable: str
    how: str
    """one at a time, or child by child."""
    reads: tuple[str, ...]
    """The paths of each element that are read; others are skipped."""
    by_scan: bool = False
    """Whether the scan itself writes the results, if they are wanted as plain XML."""

    def to_dict(self) -> dict[str, Any]:
        return {
            "path": self.path,
            "variable": self.variable,
            "how": self.how,
            "reads": list(self.reads),
            "written_by_scan": self.by_scan,
        }


@dataclass(frozen=True)
class Aggregated:
    """Elements that are folded into a value on the way."""

    path: str
    function: str
    by_scan: bool = False
    """Whether the scan itself does it."""

    @property
    def told(self) -> str:
        return self.function if self.function.endswith((" by key", "by group")) else f"{self.function}()"

    @property
    def verb(self) -> str:
        """A verb for the function."""
        return "counted" if (FN, self.function) in COUNTS else "computed"

    def to_dict(self) -> dict[str, Any]:
        return {"path": self.path, "function": self.function, "by_scan": self.by_scan}


@dataclass(frozen=True)
class StreamAccount:
    """The account of one plan."""

    streamed: tuple[Streamed, ...]
    aggregated: tuple[Aggregated, ...]
    buffered: tuple[Buffered, ...]
    program: Flux
    code: str
    """The generated handlers."""
    passes: int = 1
    fusions: tuple[str, ...] = ()
    """Rewritings that turned many passes into one."""
    by_code: tuple[tuple[str, str], ...] = ()
    """Expressions that the kernel leaves to code, and why."""

    @property
    def is_bounded(self) -> bool:
        """Whether buffers stay as small as an item or a window, however long the input."""
        return all(buffer.bound not in GROWING for buffer in self.buffered)

    @property
    def waits_for_end(self) -> bool:
        """Whether something that grows with the input is kept until its end, and then read."""
        return any(buffer.bound in GROWING and not buffer.passes_on for buffer in self.buffered)
