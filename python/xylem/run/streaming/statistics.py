"""What a run measures, and the limit of what it may hold."""

from __future__ import annotations

from dataclasses import dataclass, field

from xylem.errors import DynamicError
from xylem.source.limits import DEFAULT_LIMITS
from xylem.values.node import Node

from .late_children import path_of


@dataclass
class Statistics:
    """What a run measured."""

    records: int = 0
    input_bytes: int = 0
    buffered_bytes: dict[str, int] = field(default_factory=dict)
    """Held now, by variable."""
    peak_by_variable: dict[str, int] = field(default_factory=dict)
    peak_buffered_bytes: int = 0
    held_bytes: int = 0
    """Held now, by all variables."""
    recent_peak_bytes: int = 0
    """The most since someone set it back to `held_bytes`."""
    limit_bytes: int = DEFAULT_LIMITS.buffered_bytes
    """What may be held at all."""

    def hold(self, variable: str, size: int, node: Node | None = None) -> None:
        """More is held for a variable, or less where the size is negative; `node` is what it is held of."""
        held = self.buffered_bytes.get(variable, 0) + size
        self.buffered_bytes[variable] = held
        if held > self.peak_by_variable.get(variable, 0):
            self.peak_by_variable[variable] = held
        self.held_bytes += size
        if self.held_bytes > self.recent_peak_bytes:
            self.recent_peak_bytes = self.held_bytes
            if self.held_bytes > self.peak_buffered_bytes:
                self.peak_buffered_bytes = self.held_bytes
                if self.held_bytes > self.limit_bytes:
                    raise self._too_much(variable, held, node)

    def forget_held(self) -> None:
        """Nothing is held any more: what held it is gone, whether or not it came to its end."""
        self.buffered_bytes.clear()
        self.held_bytes = self.recent_peak_bytes = 0

    def _too_much(self, variable: str, held: int, node: Node | None) -> DynamicError:
        most = f"{self.held_bytes:,} bytes where {self.limit_bytes:,} are allowed"
        where = "" if node is None else f" at {path_of(node)}"
        place = f"{where}, within the first {self.input_bytes:,} bytes of input"
        return DynamicError("XYDY0005", f"{most}{place}; ${variable} alone holds {held:,}")
