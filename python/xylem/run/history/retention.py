"""Keep history lists as short as the query allows: a version is dropped once no expression can ask for it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal

from xylem.analysis.history.demand import demand_of
from xylem.errors import StaticError

from ..program import Program
from .commits import Commit, History
from .content import Content, Slot

KEEPS_TOO_LITTLE = "XYST0032"
Forget = Callable[[list[Content]], None]


@dataclass(frozen=True)
class Keep:
    """The versions that a user wants to keep; None leaves the choice to the query."""

    versions: int | None = None
    seconds: Decimal | None = None


@dataclass(frozen=True)
class Retention:
    """The versions kept of each slot: the newest, a number before it, and those of the last seconds."""

    versions: int = 0
    seconds: Decimal | None = None
    before: int = 0
    """Number of further versions before those of the last seconds: what was chosen by time may look back by number."""

    def truncate(self, history: History, commit: Commit, forget: Forget | None = None) -> int:
        """Drop versions in the slots that a commit changed; return their number. `forget` receives their content."""
        return sum(
            self._truncated(history, change.slot, commit.time, forget)
            for change in commit.changes
            if change.slot is not None and change.kind in ("replaced", "removed")
        )

    def _truncated(self, history: History, slot: Slot, now: Decimal, forget: Forget | None) -> int:
        versions = slot.versions
        keep = self.versions + 1
        if len(versions) <= keep:
            # Slots directly in a slot share one history, which has at least as many versions as each of them.
            return 0
        last = len(versions) - keep
        if self.seconds is not None:
            since = now - self.seconds
            # A version superseded at that time or later may still be requested.
            while last > 0 and history.time_of(versions[last].shown) >= since:
                last -= 1
            last = max(last - self.before, 0)
        if last:
            known = history.time_of(versions[min(last + self.before, len(versions) - 1)].shown)
            history.kept_since = max(known, history.kept_since or known)
            if forget is not None:
                for version in versions[:last]:
                    forget(version.content)
            history.let_go(slot, last)
        return last


def travel_of(program: Program, keep: Keep) -> tuple[Retention, Decimal]:
    """The retention for questions about past states within `keep`, given how far the query itself looks back.

    XYST0032 if `keep` is less than the query needs.
    """
    retention_of(program, keep)
    demand = demand_of([program.module])
    seconds = None if keep.seconds is None else keep.seconds + (demand.seconds or 0)
    return Retention((keep.versions or 0) + demand.versions, seconds, demand.versions), demand.seconds or Decimal(0)


def retention_of(program: Program, keep: Keep | None = None) -> Retention | None:
    """The retention that the query needs, extended by the user's; None keeps everything.

    XYST0032 if the user's is less than the query needs.
    """
    demand = demand_of([program.module])
    if demand.is_everything:
        if keep is not None:
            span = None if demand.why is None else demand.why.span
            raise StaticError(KEEPS_TOO_LITTLE, "the query asks for every version there was", span=span)
        return None
    if keep is None:
        return Retention(demand.versions, demand.seconds, demand.versions)
    versions = demand.versions if keep.versions is None else keep.versions
    if versions < demand.versions or (keep.seconds is not None and keep.seconds < (demand.seconds or 0)):
        seconds = "" if demand.seconds is None else f" and those of {demand.seconds} seconds"
        raise StaticError(KEEPS_TOO_LITTLE, f"the query asks for {demand.versions} earlier versions{seconds}")
    both = [seconds for seconds in (keep.seconds, demand.seconds) if seconds is not None]
    return Retention(versions, max(both, default=None), demand.versions)
