"""Subnets that divide and join (thesis 2.2.2): the speaker moves peers from one to another, in the name of its lease.

Each peer writes down where it belongs. A speaker that is stopped halfway leaves some peers moved and others not: both
are subnets, and what is too small is joined with another the next time somebody looks. Streams and answers go on over
the links they went over. In either subnet a speaker is elected when something is to be placed next.
"""

from __future__ import annotations

from contextlib import suppress
from typing import Any

from xylem.errors import InputError

from .bisection import divided
from .network_view import NetworkView, gathered
from .peer import Peer
from .speaker import by_speaker
from .subnets import Subnet, around
from .topology import Link, link


def is_settled(peer: Peer) -> bool:
    """Whether a site's subnet has a good size; else the speaker divides it, or joins it with another, if it can."""
    view = gathered(peer)
    limits, size = peer.subnet_limits, len(view.voters())
    if size <= limits.most and (size >= limits.least or not view.outside):
        return True
    return bool(by_speaker(peer, "/memberships", {}, lambda view, token: arranged(peer, view, token)))


def arranged(peer: Peer, view: NetworkView, token: int | None) -> dict[str, Any]:
    """The same as the speaker. Does nothing where no site speaks for the subnet."""
    limits, size = peer.subnet_limits, len(view.voters())
    if token is None or view.silent:
        # Who does not answer could not be told.
        return {}
    if size > limits.most:
        return _divide(peer, view, token)
    if size < limits.least:
        return _join(peer, view, token)
    return {}


def _divide(peer: Peer, view: NetworkView, token: int) -> dict[str, Any]:
    parts = divided(view.topology(), _traffic(view))
    if parts is None:
        return {}
    moved = next(part for part in parts if peer.name not in part)
    subnet = f"{min(moved)}.{token}"
    _move(peer, view, moved, subnet, token)
    return {"divided": {view.subnet: len(view.records) - len(moved), subnet: len(moved)}}


def _join(peer: Peer, view: NetworkView, token: int) -> dict[str, Any]:
    """With the smallest subnet next to it that has room, and no subscription of the same name."""
    own = len(view.voters())
    next_to_it = [one for one in around(view).found if one.first == frozenset(one.told["peers"])]
    for other in sorted(next_to_it, key=lambda one: (one.size, one.name)):
        if own + other.size <= peer.subnet_limits.most_joined and not _clash(view, other):
            _move(peer, view, set(view.records), other.name, token)
            return {"joined": other.name}
    return {}


def _clash(view: NetworkView, other: Subnet) -> bool:
    return bool(view.names() & set(other.told["names"])) or other.name == view.subnet


def _move(peer: Peer, view: NetworkView, names: set[str], subnet: str, token: int) -> None:
    """Tell peers where they belong now; the speaker itself comes last, so that it can."""
    body = {"subnet": subnet, "from": view.subnet, "token": token}
    for name in sorted(names - {peer.name}):
        with suppress(InputError):
            # One that stays away is in a subnet of its own, and looked at again.
            view.ask(name, "PUT", "/subnet", body)
    if peer.name in names:
        peer.move(subnet, token)


def moved(peer: Peer, body: dict[str, Any]) -> None:
    """The speaker says that this site belongs to another subnet; XYRT0061 for one that speaks no more."""
    if peer.state.subnet != body["subnet"]:
        peer.check_lease(body["token"], body["from"])
        peer.move(body["subnet"], body["token"])


def _traffic(view: NetworkView) -> dict[Link, float]:
    found: dict[Link, float] = {}
    for name, record in view.records.items():
        for other, size in record["traffic"].items():
            found[link(name, other)] = found.get(link(name, other), 0.0) + size
    return found
