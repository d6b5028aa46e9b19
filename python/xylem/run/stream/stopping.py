"""When a run may stop reading: its answer cannot change any more.

        head(//x)     (//x)[position() <= 10]     /feed/entry[3]     exists(//error)     some $x in //x satisfies …

Gain:   the rest of the input is neither read nor waited for; an endless stream ends here.
Needs:  records that matter up to a number only, or aggregates that one record decides; no buffer that may still grow;
        and scopes of which there is one in a document, so that none of them comes again.
Safe:   what is left to write reads nothing that could still come. Errors in the rest of the input are not met, as
        XQuery allows ("Errors and Optimization").
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
"""What only serves the other roles."""


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
        # Those behind the last one that matters may be open: nothing is waited for there.
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
