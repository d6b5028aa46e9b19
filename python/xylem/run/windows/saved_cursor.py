"""A window cursor as data: its state, without the functions it was created with.

A cursor holds two kinds of things: parts of the query, which generated code recreates in every process (conditions,
keys, aggregate functions), and state from the stream (positions, open windows, totals, items). Only the state is saved,
as the classes declare it (`values/saved_state.py`), and loaded into a new cursor. Items are saved separately, each only
once.

    saved = save(cursor, items)         bytes, and numbers of the items they refer to
    load(saved, fresh, items)           `fresh` becomes what that cursor would be after the same stream
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from xylem.errors import DynamicError, XylemError
from xylem.values.node import Node
from xylem.values.saved_state import give_state, state_of
from xylem.values.state_codec import CannotSave, DamagedState, Record, register
from xylem.values.state_values import decoded, encoded

from ..aggregates.state import Failed
from .index_keys import Key
from .kept_items import KeptItems
from .open_windows import Open

_OPEN = "open-window"
_ERROR = "error"
_ITEM = "item"


class SavedCursor(NamedTuple):
    """The saved state of a cursor."""

    data: bytes
    items: tuple[int, ...]
    """The numbers of its items; the state refers to them by their index here."""


def save(cursor: Any, items: KeptItems) -> SavedCursor:
    """The state of a cursor; new items are added to `items`. XYRT0028 if it cannot be saved."""
    nodes: dict[tuple[int, int], tuple[int, Node]] = {}

    def other(value: Any) -> Record | None:
        if type(value) is Node:
            place = id(value.tree), value.pre
            found = nodes.get(place)
            if found is None:
                found = nodes[place] = len(nodes), value
            return Record(_ITEM, (found[0],))
        if type(value) is Open:
            content = value.place, value.start, value.end, value.is_over, value.results
            return Record(_OPEN, (), content, is_object=True)
        if isinstance(value, XylemError):
            from ..packing import error_fields

            return Record(_ERROR, error_fields(value))
        from ..user_classes import user_record

        return user_record(value)

    try:
        data = encoded(state_of(cursor), other)
    except CannotSave as reason:
        raise DynamicError("XYRT0028", str(reason)) from reason
    if not nodes:
        return SavedCursor(data, ())
    numbers = items.numbers(node for _, node in nodes.values())
    return SavedCursor(data, tuple([numbers[place] for place in nodes]))


def load(saved: SavedCursor, fresh: Any, items: KeptItems) -> None:
    """Load a saved state into a new cursor."""
    from ..packing import error_of
    from ..user_classes import MAKERS

    makers: dict[str, Callable[..., Any]] = {**MAKERS, _OPEN: _new_window, _ERROR: error_of}
    if saved.items:
        numbers = saved.items
        nodes = items.nodes(sorted(numbers))
        makers[_ITEM] = lambda place: nodes[numbers[place]]
    try:
        give_state(fresh, decoded(saved.data, makers, _fill))
    except (DamagedState, KeyError, TypeError, ValueError) as reason:
        raise DynamicError("XYRT0033", f"an open window: {reason}") from reason


def _new_window() -> Open:
    return Open.__new__(Open)


def _fill(made: Any, content: Any) -> None:
    if type(made) is Open:
        made.place, made.start, made.end, made.is_over, made.results = content
        return
    from ..user_classes import fill

    fill(made, content)


register(Failed, "failed", lambda value: (value.error,), Failed.with_error)
register(Key, "window-key", tuple, Key)

__all__ = ["SavedCursor", "load", "save"]
