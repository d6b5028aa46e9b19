"""The sites that a stream may go to: its publisher lists them, and derived streams inherit the list.

        xylem publish photons --input photons.xml --sites "SP*,P0"

A list has names and patterns. A merged stream has the lists of all its parts: a site must be on each. Plans use no
other site, and a site sends nothing to a neighbour that is not listed.
"""

from __future__ import annotations

from collections.abc import Sequence
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING

from xylem.errors import InputError

if TYPE_CHECKING:
    from .network_state import NetworkState

SiteLists = Sequence[Sequence[str]]
"""Lists that all must contain a site; empty if a stream may go anywhere."""


def admits(lists: SiteLists, site: str) -> bool:
    return all(any(fnmatchcase(site, pattern) for pattern in one) for one in lists)


def must_admit(lists: SiteLists, site: str, stream: str) -> None:
    """XYRT0062 for a site that a stream may not go to."""
    if not admits(lists, site):
        raise InputError("XYRT0062", f"'{stream}' may not go to '{site}'")


def lists_of(state: NetworkState, stream: str) -> list[list[str]]:
    """Where a stream of a site may go, by the lists of the streams it is derived from."""
    if stream in state.virtual:
        found = [one for part in state.virtual[stream] for one in lists_of(state, part)]
        # The records of a part that has ended are there still.
        found += [one for ended in state.ended_parts.get(stream, {}).values() for one in ended["sites"]]
        return [one for at, one in enumerate(found) if one not in found[:at]]
    kept = state.streams.get(stream)
    if kept is not None:
        return kept.sites
    return [state.sites[stream]] if stream in state.sites else []
