"""The versions of a slot as of a commit, newest first: slots directly in a slot, no element between, flatten into it.

A change of an inner slot while the version around it is the newest is a new version of the outer slot. In a version
that was superseded it is no new version: it edits that one.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from math import inf

from .content import Content, Node, Slot, Version, is_shown, placed


@dataclass(frozen=True, slots=True)
class FlatVersion:
    """One version: shown first with commit `begin`, superseded by commit `end`, None for the newest."""

    begin: int
    end: int | None
    nodes: tuple[Node, ...]


def flat_history(slot: Slot, commit: int) -> list[FlatVersion]:
    """The history of an outermost slot as of a commit; none where it was not there yet."""
    seen = [version for version in slot.versions if is_shown(version.shown, commit)]
    moments: list[tuple[int, tuple[Node, ...]]] = []
    if not any(type(item) is Slot for version in seen for item in version.content):
        # As most are: its versions are its history.
        moments = [(version.shown, tuple(_nodes(version.content, commit, inf))) for version in seen]
        seen = []
    for place, version in enumerate(seen):
        following: float = seen[place + 1].number if place + 1 < len(seen) else inf
        # One update may bring several slots, each inside the other: it is one change.
        inner = sorted(set(_inner_changes(version.content, commit)))
        within = [change for change in inner if version.number < change[0] < following]
        steps = [(version.number, version.shown), *within]
        for number, shown in steps[:-1]:
            moments.append((shown, tuple(_nodes(version.content, commit, number))))
        # The last one has all that was edited since.
        moments.append((steps[-1][1], tuple(_nodes(version.content, commit, inf))))
    found: list[FlatVersion] = []
    end: int | None = None
    for begin, nodes in reversed(moments):
        found.append(FlatVersion(begin, end, nodes))
        end = begin
    return found


def newest_nodes(slot: Slot, commit: int) -> list[Node] | None:
    """The content of the newest version as of a commit; None where the slot was not there yet."""
    version = _newest(slot, commit, inf)
    return None if version is None else list(_nodes(version.content, commit, inf))


def _newest(slot: Slot, commit: int, number: float) -> Version | None:
    for version in reversed(slot.versions):
        if is_shown(version.shown, commit) and version.number <= number:
            return version
    return None


def _nodes(content: list[Content], commit: int, number: float) -> Iterator[Node]:
    """The nodes of a version, with those of the slots directly in it as they were after an update."""
    for item in placed(content):
        if type(item) is not Slot:
            assert not isinstance(item, Slot)
            if is_shown(item.shown, commit):
                yield item
            continue
        version = _newest(item, commit, number)
        if version is not None:
            yield from _nodes(version.content, commit, number)


def _inner_changes(content: list[Content], commit: int) -> Iterator[tuple[int, int]]:
    """The updates of slots directly in a version: their numbers, and the commits that showed them."""
    for item in placed(content):
        if isinstance(item, Slot):
            for version in item.versions:
                if is_shown(version.shown, commit):
                    yield version.number, version.shown
                    yield from _inner_changes(version.content, commit)
