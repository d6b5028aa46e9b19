"""The report of a soak: figures, a plot, and whether anything grows that should not."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from statistics import median
from typing import Any

from .soak_feed import HELD, IN_DOCUMENT, USERS
from .soak_run import Soak
from .time_chart import Panel, time_chart

WARM = 0.4
"""The part of a soak in which caches fill, code is compiled and heaps find their size."""
FEWEST = 10
"""Points that a trend needs."""
ALLOWED_GROWTH = 0.10
"""Over all of the time after warm-up, as a part of the mean."""
ALLOWED_MB = 40.0
"""What the memory of processes may grow by beyond that: one collection more or less."""

Curve = list[tuple[float, float]]


class SoakReport:
    """A soak, looked at."""

    def __init__(self, soak: Soak) -> None:
        self._soak = soak
        self.seconds = soak.minutes * 60
        batches = soak.batches
        self.rate: Curve = [
            (one["seconds_since"], one["items"] * IN_DOCUMENT / max(gap, 0.001))
            for one, gap in zip(batches[1:], _gaps(batches), strict=False)
        ]
        self.held: Curve = [(one["seconds_since"], float(one["held_items"])) for one in batches]
        self.state: Curve = [(one["seconds_since"], one["state_bytes"] / 1e6) for one in batches]
        self.latency: Curve = [(one["seconds_since"], one["latency_seconds"]) for one in batches]
        self.memory: dict[str, Curve] = {
            name: [(one.seconds, getattr(one, name.lower()) / 1e6) for one in soak.memory]
            for name in ("driver", "JVM", "workers")
        }

    @property
    def items(self) -> int:
        batches = self._soak.batches
        return batches[-1]["total_items"] * IN_DOCUMENT if batches else 0

    def lines(self) -> list[str]:
        """The figures, for people."""
        last = [curve for curve in self.memory.values() if curve]
        memory = ", ".join(f"{name} {max(y for _, y in curve):,.0f}" for name, curve in self.memory.items() if curve)
        return [
            f"{self.items:,} entries in {len(self._soak.batches):,} batches, {self.seconds:,.0f} s",
            f"{self.sustained:,.0f} entries a second after warm-up, latency {self._late(self.latency):.2f} s",
            f"at most {self._most(self.held):,.0f} entries held of {HELD:,} that windows may hold; "
            f"state {self._most(self.state):,.1f} MB for {USERS:,} keys and one window over all",
            f"at most MB resident: {memory}" if last else "no memory was measured",
        ]

    @property
    def sustained(self) -> float:
        return self._late(self.rate)

    def verdicts(self) -> list[tuple[bool, str]]:
        """Whether each of what must hold does."""
        found = [(self._most(self.held) <= HELD, "no more entries are held than open windows need")]
        curves = {"number of entries held": (self.held, 0.0), "size of the state": (self.state, 0.0)}
        curves |= {f"memory of the {name}": (curve, ALLOWED_MB) for name, curve in self.memory.items()}
        for name, (curve, allowed) in curves.items():
            late = self._after_warm_up(curve)
            if len(late) < FEWEST:
                found.append((False, f"the {name}: too few batches to say whether it grows; let it run longer"))
            else:
                found.append((_growth(late) <= _mean(late) * ALLOWED_GROWTH + allowed, _does_not_grow(name)))
        return found

    def as_json(self) -> dict[str, Any]:
        return {
            "minutes": self._soak.minutes,
            "entries": self.items,
            "entries_per_second": round(self.sustained),
            "latency_seconds": round(self._late(self.latency), 3),
            "held_items": int(self._most(self.held)),
            "held_bound": HELD,
            "state_megabytes": round(self._most(self.state), 2),
            "resident_megabytes": {name: round(self._most(curve), 1) for name, curve in self.memory.items()},
            "verdicts": [{"holds": holds, "what": what} for holds, what in self.verdicts()],
        }

    def figure(self) -> str:
        """Memory, state and rate over time, as SVG."""
        panels = [
            Panel("resident memory, MB", self.memory),
            Panel("entries held by open windows", {"held": self.held}, float(HELD)),
            Panel("size of the state, MB", {"state": self.state}),
            Panel("entries a second", {"rate": self.rate}),
        ]
        title = f"Windows by key and in order for {self._soak.minutes:g} minutes"
        return time_chart(title, panels, {"warm": self.seconds * WARM})

    # --- looking at curves

    def _after_warm_up(self, curve: Curve) -> Curve:
        return [point for point in curve if point[0] >= self.seconds * WARM]

    def _late(self, curve: Curve) -> float:
        return median([y for _, y in self._after_warm_up(curve)] or [0.0])

    def _most(self, curve: Curve) -> float:
        return max((y for _, y in curve), default=0.0)


def _gaps(batches: Sequence[dict[str, Any]]) -> list[float]:
    return [later["time"] - earlier["time"] for earlier, later in pairwise(batches)]


def _does_not_grow(name: str) -> str:
    return f"the {name} does not grow after warm-up"


def _mean(curve: Curve) -> float:
    return sum(y for _, y in curve) / len(curve)


def _growth(curve: Curve) -> float:
    """What a straight line through the points rises by from the first to the last; what goes up and down does not."""
    middle = sum(x for x, _ in curve) / len(curve)
    spread = sum((x - middle) ** 2 for x, _ in curve)
    if not spread:
        return 0.0
    mean = _mean(curve)
    slope = sum((x - middle) * (y - mean) for x, y in curve) / spread
    return slope * (curve[-1][0] - curve[0][0])
