"""The versions that a projection chooses: `#v`, `#[v]`, `?t`, `?[t]`, and those between two moments.

Versions are counted newest first. The lifespan of one is [begin, end), and the newest has no end. A version with equal
begin and end was superseded the moment it began: it counts, but contains no moment.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Literal

Sign = Literal["#", "#[]", "?", "?[]", "between"]
Lifespan = tuple[Decimal, Decimal | None]


@dataclass(frozen=True)
class VersionChoice:
    """A projection: its sign and number."""

    sign: Sign
    amount: Decimal
    until: Decimal | None = None
    """For `between`: its end, which is excluded; `amount` is the start."""

    @property
    def is_by_time(self) -> bool:
        return self.sign in ("?", "?[]", "between")

    def counted(self, number: int, current: int = 0) -> list[int]:
        """The indexes that `#v` or `#[v]` chooses from a number of versions, whenever they lived."""
        last = current + int(self.amount)
        if self.sign == "#":
            return [last] if last < number else []
        return list(range(current, min(last + 1, number)))

    def places(self, lifespans: Sequence[Lifespan], now: Decimal, current: int = 0) -> list[int]:
        """The indexes of the chosen versions, newest first. `#v` counts from `current`, `?t` from now."""
        match self.sign:
            case "#" | "#[]":
                return self.counted(len(lifespans), current)
            case "?":
                moment = now - self.amount
                return [place for place, span in enumerate(lifespans) if _holds_at(span, moment)][:1]
            case "?[]":
                return [place for place, span in enumerate(lifespans) if _meets(span, now - self.amount, now)]
        until = now + 1 if self.until is None else self.until
        return [place for place, span in enumerate(lifespans) if _overlaps(span, self.amount, until)]


def _holds_at(span: Lifespan, moment: Decimal) -> bool:
    begin, end = span
    return begin <= moment and (end is None or moment < end)


def _meets(span: Lifespan, since: Decimal, until: Decimal) -> bool:
    """Whether [begin, end) meets [since, until], or is empty and begins in it."""
    begin, end = span
    return begin <= until and (end is None or end > since or begin == end >= since)


def _overlaps(span: Lifespan, since: Decimal, until: Decimal) -> bool:
    """Whether [begin, end) overlaps [since, until): FROM … TO of SQL:2011."""
    begin, end = span
    return begin < until and (end is None or end > since or begin == end >= since)
