"""The versions of a slot as of a commit, newest first: slots directly in a slot, no element between, flatten into it.

A change of an inner slot makes a new version of the outer slot while the version around it is the newest. In a
superseded version, the change edits that version instead.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from math import inf

from .content import PENDING, Content, Node, Slot, Version, is_shown, placed


@dataclass(frozen=True, slots=True)
class FlatVersion:
    """One version: shown first with commit `begin`, superseded by commit `end`, None for the newest."""

    begin: int
    end: int | None
    nodes: tuple[Node, ...]


def flat_history(slot: Slot, commit: int) -> list[FlatVersion]:
    """The history of an outermost slot as of a commit; empty if the slot did not exist yet."""
    moments: list[tuple[int, tuple[Node, ...]]] = []
    plain = plain_versions(slot, commit)
    if plain is not None:
        moments = [(version.shown, tuple(shown_nodes(version, commit))) for version in plain]
    seen = [version for version in slot.versions if is_shown(version.shown, commit)] if plain is None else []
    for place, version in enumerate(seen):
        following: float = seen[place + 1].number if place + 1 < len(seen) else inf
        # One update may bring several nested slots: this counts as one change.
        inner = sorted(set(_inner_changes(version.content, commit, following)))
        steps = [(version.number, version.shown), *(change for change in inner if version.number < change[0])]
        for (number, shown), (until, _) in pairwise((*steps, (inf, 0))):
            # The last one includes all later edits.
            moments.append((shown, tuple(_nodes(version.content, commit, inf if until == inf else number, until))))
    found: list[FlatVersion] = []
    end: int | None = None
    for begin, nodes in reversed(moments):
        found.append(FlatVersion(begin, end, nodes))
        end = begin
    return found


def plain_versions(slot: Slot, commit: int) -> list[Version] | None:
    """The versions of a slot without inner slots, oldest first: they are its history. None for other slots."""
    found = []
    for version in slot.versions:
        if PENDING < version.shown <= commit:
            for item in version.content:
                if type(item) is Slot:
                    return None
            found.append(version)
    return found


def shown_nodes(version: Version, commit: int) -> list[Node]:
    """The nodes of a version without slots."""
    return [item for item in version.content if not isinstance(item, Slot) and is_shown(item.shown, commit)]


def newest_nodes(slot: Slot, commit: int) -> list[Node] | None:
    """The content of the newest version as of a commit; None if the slot did not exist yet."""
    version, _ = _newest(slot, commit, inf)
    return None if version is None else list(_nodes(version.content, commit, inf, inf))


def _newest(slot: Slot, commit: int, number: float) -> tuple[Version | None, float]:
    """The version of a slot after an update, and the number of the update that superseded it."""
    end = inf
    for version in reversed(slot.versions):
        if is_shown(version.shown, commit):
            if version.number <= number:
                return version, end
            end = version.number
    return None, end


def _nodes(content: list[Content], commit: int, number: float, until: float) -> Iterator[Node]:
    """The nodes of a version, with those of the slots directly in it as they were after an update.

    `until` is the next update that the history counts. A version superseded by then includes all later edits.
    """
    for item in placed(content):
        if type(item) is not Slot:
            assert not isinstance(item, Slot)
            if is_shown(item.shown, commit):
                yield item
            continue
        version, end = _newest(item, commit, number)
        if version is not None:
            is_over = end <= until
            yield from _nodes(version.content, commit, inf if is_over else number, inf if is_over else until)


def _inner_changes(content: list[Content], commit: int, following: float) -> Iterator[tuple[int, int]]:
    """The updates of slots directly in a version: their numbers, and the commits that showed them.

    Those from `following` on find the version superseded: they edit it.
    """
    for item in placed(content):
        if isinstance(item, Slot):
            seen = [version for version in item.versions if is_shown(version.shown, commit)]
            for place, version in enumerate(seen):
                if version.number < following:
                    yield version.number, version.shown
                    end: float = seen[place + 1].number if place + 1 < len(seen) else inf
                    yield from _inner_changes(version.content, commit, min(following, end))
