"""The state of windows between batches, on disk: whole, or the changes of a batch.

    FORMAT, layout of the cursors, keys with their cursors, keys that have gone, items by number, event time, counts

A state of a few kilobytes is written as a whole each time; for a large one, a batch writes the changed keys and the new
items (`state_files.py` has the chains). A process that has the state of a batch in memory need not read it again.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from xylem.errors import DynamicError
from xylem.run.windows.late_arrivals import WaitingItems
from xylem.run.windows.resumed import KeyState, WindowState
from xylem.run.windows.saved_cursor import SavedCursor
from xylem.values.state_codec import CannotSave, DamagedState
from xylem.values.state_values import decoded, encoded

from .state_files import StateFiles

FORMAT = 3
KEPT_STATES = 64
"""Per process, in memory."""
KEY_BYTES = 64
"""Approximate size of a key besides its cursor."""


def saved(state: WindowState, *, is_whole: bool) -> bytes:
    """The whole state, or the changes since the last call."""
    groups = list(state.keys) if is_whole else sorted(state.touched, key=repr)
    gone = [] if is_whole else [group for group in groups if group not in state.keys]
    groups = [group for group in groups if group in state.keys]
    known = [state.keys[group] for group in groups]
    # By columns, which take less space and time.
    keys = (
        groups,
        [one.key for one in known],
        [one.first for one in known],
        [one.cursor.data for one in known],
        [len(one.cursor.items) for one in known],
        [number for one in known for number in one.cursor.items],
    )
    packed = state.items.packed if is_whole else state.items.since(state.saved_until)
    items = list(packed), list(packed.values())
    state.touched.clear()
    state.saved_until = state.items.following
    waiting = None if state.event_time is None else (state.event_time.waiting, state.event_time.size)
    content = (FORMAT, state.layout, keys, gone, items, state.items.following, waiting, state.counts)
    try:
        return encoded(content)
    except CannotSave as reason:
        raise DynamicError("XYRT0028", str(reason)) from reason


def restored(changes: Sequence[bytes]) -> WindowState:
    """The state from a whole one and the changes after it."""
    state = WindowState()
    for data in changes:
        try:
            written, *content = decoded(data)
            if written != FORMAT:
                why = f"its open windows were saved by another version of Xylem, in format {written}"
                raise DynamicError("XYRT0020", f"{why}; this version reads {FORMAT}")
            layout, keys, gone, items, following, waiting, counts = content
        except (DamagedState, TypeError, ValueError) as reason:
            raise DynamicError("XYRT0033", f"open windows: {reason}") from reason
        state.layout, state.counts = layout, counts
        state.event_time = None if waiting is None else WaitingItems(*waiting)
        state.items.add(dict(zip(*items, strict=True)), following)
        for group in gone:
            state.keys.pop(group, None)
        *columns, counts_of_items, numbers = keys
        rest = iter(numbers)
        for group, key, first, cursor, size in zip(*columns, counts_of_items, strict=True):
            state.keys[group] = KeyState(key, first, SavedCursor(cursor, tuple(islice(rest, size))))
    wanted = {number for one in state.keys.values() for number in one.cursor.items}
    state.items.forget([number for number in state.items.packed if number not in wanted])
    state.saved_until = state.items.following
    return state


def held_items(state: WindowState) -> int:
    """Items of open windows, and those waiting for their turn."""
    return len(state.items.packed) + (0 if state.event_time is None else len(state.event_time))


def size_of(state: WindowState) -> int:
    """Approximate size in bytes."""
    cursors = sum(len(one.cursor.data) + KEY_BYTES for one in state.keys.values())
    return cursors + state.items.size + (0 if state.event_time is None else state.event_time.size)


@dataclass(frozen=True)
class StatePlace:
    """The place of one state: plain values, sent to tasks."""

    folder: str
    name: str
    run: str = ""
    """The run for which it is kept in memory: others read the files, which may have been restored since."""

    def load(self, chain: Sequence[str]) -> WindowState:
        """The state as of a commit; it belongs to the caller until it is saved."""
        known = _STATES.pop((self.folder, self.name, self.run), None)
        if known is not None and known[0] == tuple(chain) and chain:
            return known[1]
        return restored(StateFiles(Path(self.folder)).load(chain))

    def save(self, batch: int, chain: Sequence[str], state: WindowState) -> list[str]:
        """Write the state as of a batch; return the chain that makes it up."""
        files = StateFiles(Path(self.folder))
        made = files.save(batch, self.name, chain, lambda is_whole: saved(state, is_whole=is_whole))
        _STATES[self.folder, self.name, self.run] = tuple(made), state
        while len(_STATES) > KEPT_STATES:
            _STATES.popitem(last=False)
        return made


_STATES: OrderedDict[tuple[str, str, str], tuple[tuple[str, ...], WindowState]] = OrderedDict()
"""States of the last batch that this process has computed, with their saved chains."""
