"""Commits: what the streams of a run show, step by step, and when.

    history = History()
    tickers = history.stream("tickers")
    …                                    # content and updates of the streams, by `updates.py`
    commit = history.commit()            # shows all of it; commit.changes says what is new

Commits are counted from 1 over all streams. `now` is the greatest time of all of them; it never runs back.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from .content import PENDING, Content, Document, Element, Leaf, Owner, Slot, Version, brought_into, is_value

if TYPE_CHECKING:
    from .text_regions import TextRegion

Kind = Literal["content", "replaced", "removed", "inserted"]
ZERO = Decimal(0)


class Change(NamedTuple):
    """The effect of one update.

    content     base content came into `owner`, the document or what was shown before: `node`, with all that is in it
    replaced    `slot` has a `new` version, and the `old` one was the newest before
    removed     the same, and `new` has no content
    inserted    `slot` is new, with its only version `new`; it stands beside `anchor`, on the given `side`
    """

    kind: Kind
    stream: Stream
    slot: Slot | None = None
    old: Version | None = None
    new: Version | None = None
    anchor: Slot | None = None
    side: Literal["before", "after", ""] = ""
    owner: Owner | None = None
    node: Content | None = None


class Commit(NamedTuple):
    """A state of all streams that can be asked for."""

    number: int
    time: Decimal
    changes: tuple[Change, ...] = ()
    text: TextRegion | None = None
    """Instead of changes: the region that has another text, and nothing else has changed."""


Listener = Callable[[Commit], None]


@dataclass
class Stream:
    """One stream of a run: its document, and what its ids are bound to."""

    name: str
    history: History
    document: Document = field(default_factory=Document)
    slots: dict[str, Slot] = field(default_factory=dict)
    """By id. Any id given to any version names its slot; the last binding wins."""
    open_ids: dict[str, int] = field(default_factory=dict)
    """Regions that have begun and not ended, and how often."""


class History:
    """The streams of a run and their commits."""

    def __init__(self) -> None:
        self.streams: dict[str, Stream] = {}
        self.commits: list[Commit] = []
        self.now = ZERO
        self.first_time: Decimal | None = None
        """When the first commit came."""
        self.regions = 0
        """How many regions can be updated."""
        self.held_bytes = 0
        """About what updates have brought that is still there."""
        self.kept_since: Decimal | None = None
        """From when on all states are known, where versions have been let go that a state may be asked for by."""
        self._forgotten = 0
        """How many of the first commits are not in the list any more."""
        self._forgotten_time = ZERO
        self.listeners: list[Listener] = []
        self._updates = 0
        self._pending: list[Element | Leaf | Version] = []
        self._changes: list[Change] = []
        self.writes_texts = False
        """Whether the only reader of the history follows texts of regions (`text_regions.py`)."""
        self.unnamed: Callable[[Slot], None] | None = None
        """Is told of regions that an id no longer names, or that are frozen."""

    def stream(self, name: str) -> Stream:
        """The stream of a name, made when it is new."""
        found = self.streams.get(name)
        if found is None:
            found = self.streams[name] = Stream(name, self)
        return found

    def time_of(self, commit: int) -> Decimal:
        """When a commit came. Those that were forgotten came together, with the last of them."""
        place = commit - self._forgotten - 1
        return self.commits[place].time if place >= 0 else self._forgotten_time

    @property
    def number(self) -> int:
        """Of the last commit; 0 before the first."""
        return self._forgotten + len(self.commits)

    def forget_commits(self, before: Decimal | None) -> None:
        """Forget the commits before a time, except the last of them; None forgets all but the last commit."""
        commits = self.commits
        last = len(commits) - 1
        if before is None and last == 1:
            self._forgotten += 1
            self._forgotten_time = commits.pop(0).time
            return
        gone = last if before is None else 0
        while before is not None and gone < last and commits[gone].time < before:
            gone += 1
        if gone:
            self._forgotten += gone
            self._forgotten_time = commits[gone - 1].time
            del commits[:gone]

    def commit(self) -> Commit:
        """Make all changes since the last commit visible, and notify the listeners."""
        made = Commit(self.number + 1, self.now, tuple(self._changes))
        self._changes.clear()
        for item in self._pending:
            item.shown = made.number
        self._pending.clear()
        # Changes are reported once: keeping them would keep every version.
        self.commits.append(Commit(made.number, made.time))
        if self.first_time is None:
            self.first_time = made.time
        for listener in self.listeners:
            listener(made)
        return made

    def commit_text(self, region: TextRegion, text: str) -> Commit | None:
        """A commit of an update that gives a region another text; None if there is more to commit."""
        if self._changes or self._pending or not self.writes_texts:
            return None
        self._updates += 1
        commits = self.commits
        number = self._forgotten + len(commits) + 1
        region.write(text, self._updates, number)
        made = Commit(number, self.now, (), region)
        commits.append(made)
        return made

    def commit_run(self, times: Sequence[Decimal]) -> int:
        """Commits of a run of updates that the caller has written, at these times; the number of the first.

        Nothing is asked about any but the last of them.
        """
        first = self._forgotten + len(self.commits) + 1
        before = times[-2] if len(times) > 1 else self.commits[-1].time
        self._updates += len(times)
        self._forgotten, self._forgotten_time = first + len(times) - 2, before
        self.now = times[-1]
        self.commits = [Commit(first + len(times) - 1, self.now)]
        return first

    @property
    def is_settled(self) -> bool:
        """Whether all that has come is committed."""
        return not self._changes and not self._pending

    @property
    def updates(self) -> int:
        """How many updates have come."""
        return self._updates

    def let_go(self, slot: Slot, number: int) -> None:
        """The oldest versions of a slot are not asked for any more."""
        versions = slot.versions
        for version in versions[:number]:
            self.held_bytes -= version.size
            if not is_value(version.content):
                self.held_bytes -= brought_into(version.content)
        del versions[:number]

    # --- for `saved_history.py`

    def counters(self) -> tuple[Any, ...]:
        """All but the streams."""
        times = [commit.time for commit in self.commits]
        counted = self._updates, self.regions, self.held_bytes
        return times, self._forgotten, self._forgotten_time, self.now, self.first_time, self.kept_since, counted

    def take_counters(self, counters: tuple[Any, ...]) -> None:
        times, self._forgotten, self._forgotten_time, self.now, self.first_time, self.kept_since, counted = counters
        self.commits = [Commit(self._forgotten + place, time) for place, time in enumerate(times, 1)]
        self._updates, self.regions, self.held_bytes = counted

    # --- for `updates.py`

    def next_update(self) -> int:
        self._updates += 1
        return self._updates

    def show(self, items: list[Element | Leaf | Version]) -> None:
        """These are seen with the next commit."""
        self._pending += items

    def note(self, change: Change) -> None:
        self._changes.append(change)


__all__ = ["PENDING", "Change", "Commit", "History", "Listener", "Stream"]
