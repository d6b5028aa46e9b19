"""Subnets that divide and join (thesis 2.2.2): the speaker moves peers from one to another, in the name of its lease.

Each peer records its subnet. A speaker that stops halfway leaves some peers moved and others not: both parts are
subnets, and one that is too small is merged at the next check. Streams and answers keep their links. Each subnet elects
a speaker when it next has to place something.
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
    """Whether a site's subnet has a good size; otherwise the speaker divides or merges it, if possible."""
    view = gathered(peer)
    limits, size = peer.subnet_limits, len(view.voters())
    if size <= limits.most and (size >= limits.least or not view.outside):
        return True
    return bool(by_speaker(peer, "/memberships", {}, lambda view, token: arranged(peer, view, token)))


def arranged(peer: Peer, view: NetworkView, token: int | None) -> dict[str, Any]:
    """The same, as the speaker. Does nothing if no site speaks for the subnet."""
    limits, size = peer.subnet_limits, len(view.voters())
    if token is None or view.silent:
        # A peer that does not answer could not be informed.
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
    """Merge with the smallest adjacent subnet that has room, and no subscription of the same name."""
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
    """Tell peers their new subnet; the speaker itself comes last, because it must still speak."""
    body = {"subnet": subnet, "from": view.subnet, "token": token}
    for name in sorted(names - {peer.name}):
        with suppress(InputError):
            # A peer that stays behind is in a subnet of its own, and checked again.
            view.ask(name, "PUT", "/subnet", body)
    if peer.name in names:
        peer.move(subnet, token)


def moved(peer: Peer, body: dict[str, Any]) -> None:
    """The speaker assigns this site to another subnet; XYRT0061 for a former speaker."""
    if peer.state.subnet != body["subnet"]:
        peer.check_lease(body["token"], body["from"])
        peer.move(body["subnet"], body["token"])


def _traffic(view: NetworkView) -> dict[Link, float]:
    found: dict[Link, float] = {}
    for name, record in view.records.items():
        for other, size in record["traffic"].items():
            found[link(name, other)] = found.get(link(name, other), 0.0) + size
    return found
