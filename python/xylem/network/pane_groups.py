"""Subscriptions over windows that share their panes: one member of the scan for all with the same items.

The windows of a subscription begin with its first item, as in a separate run. So subscriptions share panes if they
begin at the same position and read the same items by the same reference values; their sizes and steps may differ. One
that is subscribed later, from the same position, has separate panes until it catches up, if theirs suit it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from fractions import Fraction
from typing import TYPE_CHECKING

from .member import Member, SubscribedQuery
from .pane_form import PaneAggregate, PaneForm, PaneValue, items_query
from .panes import Panes, WindowsOfPanes, common_pane

if TYPE_CHECKING:
    from .shared_evaluator import SharedEvaluator

Compile = Callable[[str, str], SubscribedQuery]


class WindowRecords:
    """The elements around the records that represent windows; no log holds these records."""

    opening = b"<windows>"
    closing = b"</windows>"
    depth = 1


@dataclass
class Roll:
    """The windows of one size and step with their readers: a separate evaluator reads windows as records."""

    evaluator: SharedEvaluator
    windows: WindowsOfPanes = field(default_factory=lambda: WindowsOfPanes(1, 1))
    aggregates: dict[str, PaneAggregate] = field(default_factory=dict)

    @property
    def needed(self) -> tuple[PaneAggregate, ...]:
        return tuple(self.aggregates.values())


class PaneGroup:
    """Subscriptions that share panes.

    Holds:  the panes of the longest window, and the state of its members' runs.
    """

    def __init__(self, form: PaneForm, start: int, new_evaluator: Callable[[], SharedEvaluator]) -> None:
        self.form, self.start = form, start
        self._new_evaluator = new_evaluator
        self.length = Fraction(0)
        self.values: frozenset[PaneValue] = frozenset()
        self.panes = Panes(Fraction(1), self.values)
        self.rolls: dict[tuple[Fraction, Fraction], Roll] = {}
        self.items: Member | None = None
        """The member of the scan that supplies the items of panes."""
        self._data: list[bytes] = []

    @property
    def is_fresh(self) -> bool:
        """Whether nothing has arrived yet."""
        return self.items is None or not self.items.is_started

    def names(self) -> list[str]:
        return [name for roll in self.rolls.values() for name in roll.evaluator.names()]

    def __contains__(self, name: str) -> bool:
        return any(name in roll.evaluator for roll in self.rolls.values())

    def suits(self, form: PaneForm, start: int) -> bool:
        """Whether its panes would serve another query."""
        if self.start != start or self.form.key != form.key or not form.values <= self.values:
            return False
        return all((one / self.length).denominator == 1 for one in (form.size, form.step))

    def add(self, form: PaneForm, member: Member, like: PaneGroup | None, compiled: Compile) -> Member:
        """Add a query before anything has arrived; return the member of the scan that now serves all.

        `like` is a group that is ahead: with the same panes, this one can later join it.
        """
        lengths = [*(length for key in self.rolls for length in key), form.size, form.step]
        values = self.values | form.values | (frozenset() if like is None else like.values)
        # No subscription has such a name.
        name = f"panes {id(self)} {len(self.names())}"
        self.items = Member(name, compiled(items_query(self.form, values), name), 0, self._data.append)
        self.length = common_pane(lengths if like is None else [*lengths, like.length])
        self.values = values
        roll = self.rolls.get((form.size, form.step))
        if roll is None:
            roll = self.rolls[form.size, form.step] = Roll(self._new_evaluator())
        roll.aggregates |= {one.name: one for one in form.aggregates}
        roll.evaluator.join(member)
        for (size, step), each in self.rolls.items():
            each.windows = WindowsOfPanes(int(size / self.length), int(step / self.length))
        self.panes = Panes(self.length, self.values)
        return self.items

    def flush(self) -> None:
        """Answer the complete windows; raises Apart if panes cannot represent an item that arrived."""
        data = b"".join(self._data)
        self._data.clear()
        records: dict[tuple[Fraction, Fraction], list[bytes]] = {key: [] for key in self.rolls}

        def closed(number: int) -> None:
            for key, roll in self.rolls.items():
                records[key] += roll.windows.closed(self.panes, number, roll.needed)
            self.panes.forget(min(roll.windows.needs_from for roll in self.rolls.values()))

        self.panes.take(data, closed)
        for key, found in records.items():
            if found:
                self.rolls[key].evaluator.take(b"".join(found))

    def leave(self, name: str) -> None:
        """Complete a member: its last windows are those that the end of the stream would complete here."""
        roll = next(roll for roll in self.rolls.values() if name in roll.evaluator)
        last = roll.windows.last(self.panes, roll.needed)
        member = roll.evaluator.drop(name)
        assert member is not None
        alone = self._new_evaluator()
        alone.join(member)
        alone.take(last)
        alone.leave(name)

    def drop(self, name: str) -> Member | None:
        found = (roll.evaluator.drop(name) for roll in self.rolls.values() if name in roll.evaluator)
        return next(found, None)

    def done(self) -> Iterator[str]:
        """The members with final answers. Windows without readers are no longer formed."""
        for key, roll in list(self.rolls.items()):
            yield from roll.evaluator.take_done()
            if not len(roll.evaluator):
                del self.rolls[key]

    def takes_over(self, other: PaneGroup) -> bool:
        """Take over another group at the same position, if its panes are the very same; return whether they are."""
        is_same = (self.start, self.form.key, self.length) == (other.start, other.form.key, other.length)
        if not is_same or not other.values <= self.values or self.is_fresh or other.is_fresh:
            return False
        assert self.panes.number == other.panes.number
        self.panes.recall(other.panes)
        for key, roll in other.rolls.items():
            there = self.rolls.get(key)
            if there is None:
                self.rolls[key] = roll
            else:
                there.aggregates |= roll.aggregates
                there.evaluator.take_over(roll.evaluator)
        other.rolls = {}
        return True
