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

    content     base content `node` arrived in `owner` (the document, or content shown before), with all its descendants
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
    """Set instead of changes if the commit only replaces the text of this region."""


Listener = Callable[[Commit], None]


@dataclass
class Stream:
    """One stream of a run: its document and the bindings of its ids."""

    name: str
    history: History
    document: Document = field(default_factory=Document)
    slots: dict[str, Slot] = field(default_factory=dict)
    """By id. Any id of any version names its slot; the last binding wins."""
    open_ids: dict[str, int] = field(default_factory=dict)
    """Regions that have begun and not ended, with counts."""


class History:
    """The streams of a run and their commits."""

    def __init__(self) -> None:
        self.streams: dict[str, Stream] = {}
        self.commits: list[Commit] = []
        self.now = ZERO
        self.first_time: Decimal | None = None
        """Time of the first commit."""
        self.regions = 0
        """Number of regions that can be updated."""
        self.held_bytes = 0
        """Approximate size of the updates that are still kept."""
        self.kept_since: Decimal | None = None
        """States are complete from this time on, if versions that a state may ask for were dropped."""
        self._forgotten = 0
        """Number of commits dropped from the front of the list."""
        self._forgotten_time = ZERO
        self.listeners: list[Listener] = []
        self._updates = 0
        self._pending: list[Element | Leaf | Version] = []
        self._changes: list[Change] = []
        self.writes_texts = False
        """Whether the only reader of the history follows texts of regions (`text_regions.py`)."""
        self.write_texts: Callable[[], None] | None = None
        """Writes the texts that the kernel has taken in the meantime (`text_documents.py`)."""
        self.unnamed: Callable[[Slot], None] | None = None
        """Called for regions that no id names any more, or that are frozen."""

    def stream(self, name: str) -> Stream:
        """The stream of a name, created on first use."""
        found = self.streams.get(name)
        if found is None:
            found = self.streams[name] = Stream(name, self)
        return found

    def time_of(self, commit: int) -> Decimal:
        """The time of a commit. Forgotten commits have the time of the last of them."""
        place = commit - self._forgotten - 1
        return self.commits[place].time if place >= 0 else self._forgotten_time

    @property
    def number(self) -> int:
        """Number of the last commit; 0 before the first."""
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
        """Commit an update that replaces the text of a region; None if there is more to commit."""
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
        """Commit a run of updates that the caller has written, at these times; return the number of the first.

        Only the last of them can be asked about.
        """
        first = self._forgotten + len(self.commits) + 1
        before = times[-2] if len(times) > 1 else self.commits[-1].time
        self._updates += len(times)
        self._forgotten, self._forgotten_time = first + len(times) - 2, before
        self.now = times[-1]
        self.commits = [Commit(first + len(times) - 1, self.now)]
        return first

    def settle(self) -> None:
        """Called before anything reads or changes the content of a stream."""
        if self.write_texts is not None:
            self.write_texts()

    @property
    def is_settled(self) -> bool:
        """Whether everything received is committed."""
        return not self._changes and not self._pending

    @property
    def updates(self) -> int:
        """Number of updates received."""
        return self._updates

    def let_go(self, slot: Slot, number: int) -> None:
        """Drop the oldest versions of a slot, which nothing asks for any more."""
        versions = slot.versions
        for version in versions[:number]:
            self.held_bytes -= version.size
            if not is_value(version.content):
                self.held_bytes -= brought_into(version.content)
        del versions[:number]

    # --- for `saved_history.py`

    def counters(self) -> tuple[Any, ...]:
        """All state except the streams."""
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
        """The next commit shows these."""
        self._pending += items

    def note(self, change: Change) -> None:
        self._changes.append(change)


__all__ = ["PENDING", "Change", "Commit", "History", "Listener", "Stream"]
