"""Which versions a projection chooses: `#v`, `#[v]`, `?t`, `?[t]`, and those between two moments.

Versions are counted newest first. The lifespan of one is [begin, end), and the newest has no end. An equal begin and
end is a version that was superseded at the moment it came: it counts, and no moment is within it.
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
    """A projection: its sign, and the number behind it."""

    sign: Sign
    amount: Decimal
    until: Decimal | None = None
    """Of `between`, the moment where it ends, which is not within; `amount` is where it begins."""

    @property
    def is_by_time(self) -> bool:
        return self.sign in ("?", "?[]", "between")

    def counted(self, number: int, current: int = 0) -> list[int]:
        """The places that `#v` or `#[v]` chooses of so many versions, whenever they lived."""
        last = current + int(self.amount)
        if self.sign == "#":
            return [last] if last < number else []
        return list(range(current, min(last + 1, number)))

    def places(self, lifespans: Sequence[Lifespan], now: Decimal, current: int = 0) -> list[int]:
        """The places of the chosen ones, newest first. `#v` counts from `current`, `?t` from now."""
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
