"""Notice that a site or one of its links is overloaded, and have the network optimised again.

A load is a share: of the processors that the site offers, or of a link's bandwidth. An alert begins when a load has
been above `HIGH` for some measurements in a row, and ends below `LOW`: a short burst is no alert, and a load that
swings around one bound does not raise it again and again.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

HIGH = 0.8
"""As in the cost model: above this, load counts more than linearly."""
LOW = 0.6
IN_A_ROW = 3
SECONDS = 5.0
"""Time between two measurements."""
QUIET_SECONDS = 60.0
"""Pause after an optimisation: its effect must show first."""


@dataclass(frozen=True)
class Measurement:
    """The work of a site and the bytes it has received, so far."""

    seconds: float
    """Clock time."""
    cpu_seconds: float
    bytes_from: Mapping[str, int]
    """By neighbour."""


@dataclass
class _Watched:
    share: float = 0.0
    high: int = 0
    is_alert: bool = False


class Alerter:
    """Watches one site: `measure` gives its counters, and the alerter calls `optimize` when an alert begins."""

    def __init__(
        self,
        measure: Callable[[], Measurement],
        capacity: Callable[[], float],
        bandwidths: Callable[[], Mapping[str, float]],
        optimize: Callable[[], None],
    ) -> None:
        self._measure, self._optimize = measure, optimize
        self._capacity, self._bandwidths = capacity, bandwidths
        self._before = measure()
        self._watched: dict[str, _Watched] = {}
        self._quiet_until = float("-inf")

    @property
    def alerts(self) -> dict[str, float]:
        """The overloaded resources with their loads: `processors`, or `link to NAME`."""
        return {name: round(one.share, 3) for name, one in self._watched.items() if one.is_alert}

    @property
    def loads(self) -> dict[str, float]:
        return {name: round(one.share, 3) for name, one in self._watched.items()}

    def look(self) -> bool:
        """Measure, if it is time; return whether the network was optimised again."""
        now = self._measure()
        passed = now.seconds - self._before.seconds
        if passed < SECONDS:
            return False
        before, self._before = self._before, now
        shares = {"processors": (now.cpu_seconds - before.cpu_seconds) / passed / max(1e-9, self._capacity())}
        for peer, bandwidth in self._bandwidths().items():
            came = now.bytes_from.get(peer, 0) - before.bytes_from.get(peer, 0)
            shares[f"link to {peer}"] = max(0, came) / passed / bandwidth
        self._watched = {name: self._noted(name, share) for name, share in shares.items()}
        if not self.alerts or now.seconds < self._quiet_until:
            return False
        self._quiet_until = now.seconds + QUIET_SECONDS
        self._optimize()
        return True

    def _noted(self, name: str, share: float) -> _Watched:
        known = self._watched.get(name, _Watched())
        high = known.high + 1 if share > HIGH else 0
        is_alert = share >= LOW if known.is_alert else high >= IN_A_ROW
        return _Watched(share, high, is_alert)
