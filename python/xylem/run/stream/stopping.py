"""When a run may stop reading: its answer cannot change any more.

        head(//x)     (//x)[position() <= 10]     /feed/entry[3]     exists(//error)     some $x in //x satisfies …

Gain:   the rest of the input is neither read nor waited for; an endless stream ends here.
Needs:  records that matter only up to a number, or aggregates that one record decides; no buffer that may still grow;
        and scopes that occur once in a document.
Safe:   the remaining output does not read later input. Errors in the rest of the input go unnoticed, as XQuery allows
        ("Errors and Optimization").
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from .open_scope import OpenScope
from .roles import (
    CandidateFeedRole,
    CandidateRole,
    CountedParentRole,
    FeedRole,
    FiringRole,
    ItemRole,
    RegionRole,
    Role,
    ScopeRole,
    TrackRole,
    TriggerRole,
)

_INNER = (TriggerRole, TrackRole, FiringRole, CandidateRole, CandidateFeedRole, CountedParentRole)
"""Roles that only serve other roles."""


class Stopping:
    """Asked after each batch whether more input can matter."""

    def __init__(self, roles: Sequence[Role]) -> None:
        self._items = [role for role in roles if isinstance(role, (ItemRole, RegionRole))]
        self._feeds = [role for role in roles if isinstance(role, FeedRole)]
        self.is_possible = bool(self._items or self._feeds) and all(map(_may_be_enough, roles))

    def is_reached(self, open_scopes: Mapping[int, OpenScope]) -> bool:
        """Whether every record that matters has been seen."""
        if not self.is_possible:
            return False
        return all(self._has_enough(role, open_scopes.get(role.scope.step)) for role in self._items) and all(
            self._is_decided(role, open_scopes.get(role.scope.step)) for role in self._feeds
        )

    @staticmethod
    def _has_enough(role: ItemRole | RegionRole, scope: OpenScope | None) -> bool:
        if scope is None or role.limit is None:
            return False
        if scope.counts.get(role.step, 0) < role.limit:
            return False
        # Later handlers may be open: nothing is waited for there.
        return all(region.number > role.limit for region in scope.waiting)

    @staticmethod
    def _is_decided(role: FeedRole, scope: OpenScope | None) -> bool:
        return scope is not None and scope.aggregates[role.aggregate].is_decided


def _may_be_enough(role: Role) -> bool:
    match role:
        case ScopeRole():
            return role.is_single
        case ItemRole() | RegionRole():
            return role.limit is not None
        case FeedRole():
            return role.scope.aggregates[role.aggregate].function in ("exists", "empty")
    return isinstance(role, _INNER)
