"""Admission of a site to a network: the speaker chooses the super-peer that it becomes a neighbour of (thesis 2.2.2).

The best suited super-peer is one that is not overloaded and has the fewest neighbours for its capacity; among equals
the least busy. If no super-peer of the subnet has room, the speaker forwards the newcomer to adjacent subnets, then to
those beyond. If no subnet has room for a super-peer, it is admitted where it asked, and the subnet divides.
"""

from __future__ import annotations

import time
from contextlib import suppress
from typing import Any

from xylem.errors import InputError

from .discovery import find
from .election import LEASE_SECONDS
from .network_state import DEFAULT_BANDWIDTH
from .network_view import NetworkView
from .peer import Peer
from .peer_client import Unreachable
from .speaker import by_speaker
from .subnets import around
from .topology import PeerKind


def enter(peer: Peer, body: dict[str, Any]) -> dict[str, Any]:
    """Join a network through a known or discovered site; XYRT0050 if none answers."""
    place = {key: str(body.get(key) or "") for key in ("url", "token", "certificate")}
    bandwidth = float(body.get("bandwidth") or DEFAULT_BANDWIDTH)
    if not place["url"]:
        try:
            found = find(peer.url, place["token"])
        except OSError as reason:
            raise InputError("XYRT0050", f"can be found from {peer.url}: {reason}") from reason
        if found is None:
            raise InputError("XYRT0050", f"that knows the token and can be found from {peer.url}")
        place |= {"url": found.url, "certificate": found.certificate}
    asked = {"name": peer.name, "kind": str(peer.state.kind), "url": peer.url, "neighbours": [*peer.state.neighbours]}
    contact = peer.asking(place["url"], place["token"], certificate=place["certificate"])
    try:
        told: dict[str, Any] = contact.ask("POST", "/admissions", asked)
    except Unreachable as reason:
        raise InputError("XYRT0050", str(reason)) from reason
    finally:
        contact.close()
    name = peer.join(told["url"], told["token"], bandwidth, told["certificate"])
    return {"name": peer.name, "neighbour": name, "subnet": told["subnet"], "why": told["why"]}


def admission(peer: Peer, body: dict[str, Any]) -> dict[str, Any]:
    """Make the requesting site a neighbour of the super-peer that is returned, with its address and token."""
    found = _by_speaker(peer, {**body, "forwards": True})
    if "at" not in found:
        raise InputError("XYRT0053", f"no super-peer of the network has room for '{body['name']}': {found['why']}")
    return found


def forwarded_admission(peer: Peer, body: dict[str, Any]) -> dict[str, Any]:
    """The same for a newcomer from another subnet, which asks further subnets itself."""
    return _by_speaker(peer, {**body, "forwards": False})


def _by_speaker(peer: Peer, body: dict[str, Any]) -> dict[str, Any]:
    return by_speaker(peer, "/admissions/chosen", body, lambda view, _: chosen(peer, view, body))


def chosen(peer: Peer, view: NetworkView, body: dict[str, Any]) -> dict[str, Any]:
    """The super-peer for a newcomer, as the speaker or in a network without one; only `why` if there is none."""
    name, kind = body["name"], PeerKind(body["kind"])
    known = view.records.get(name)
    if name in view.kinds and (known is None or known["url"] != body["url"]):
        raise InputError("XYRT0053", f"the network has a peer '{name}': start the site with another --name")
    supers = [one for one in view.voters() if one in view.records and one not in (name, *body["neighbours"])]
    if not supers:
        return {"why": "no other super-peer answers"}
    _forget_arrived(peer, view)
    best = min(supers, key=lambda one: _rank(peer, view, one, name))
    is_full, why = _is_full(peer, view, best, name, kind)
    if not is_full:
        return _assigned(peer, view, best, name, why)
    if body["forwards"]:
        for other in around(view).found:
            with suppress(InputError):
                # A subnet that does not answer has no room now.
                told: dict[str, Any] = other.ask("POST", "/subnet/admissions", body)
                if "at" in told:
                    return {**told, "why": f"forwarded, because {why}; {told['why']}"}
        if kind is PeerKind.SUPER:
            return _assigned(peer, view, best, name, f"{why}, and so has every other subnet: it will divide")
    return {"why": why}


def _rank(peer: Peer, view: NetworkView, one: str, newcomer: str) -> tuple[bool, float, float, str]:
    record = view.records[one]
    return bool(record["alerts"]), _neighbours(peer, view, one, newcomer) / _capacity(record), record["load"], one


def _capacity(record: dict[str, Any]) -> float:
    return max(1e-9, float(record["capacity"]))


def _neighbours(peer: Peer, view: NetworkView, one: str, newcomer: str) -> int:
    """The neighbours of a super-peer, including those that the speaker has sent there but that have not arrived."""
    coming = sum(at == one and name != newcomer for name, (at, _) in peer.assigned.items())
    return len(view.records[one]["neighbours"]) + coming


def _forget_arrived(peer: Peer, view: NetworkView) -> None:
    """Drop assigned newcomers that have become neighbours, and those that did not arrive in time."""
    now = time.monotonic()
    there = {(each["name"], one) for one, record in view.records.items() for each in record["neighbours"]}
    peer.assigned = {
        name: (at, until) for name, (at, until) in peer.assigned.items() if until > now and (name, at) not in there
    }


def _is_full(peer: Peer, view: NetworkView, best: str, newcomer: str, kind: PeerKind) -> tuple[bool, str]:
    limits = peer.subnet_limits
    if view.records[best]["alerts"]:
        return True, f"every super-peer of subnet {view.subnet} is overloaded"
    number = _neighbours(peer, view, best, newcomer)
    if number >= limits.neighbours:
        return True, f"every super-peer of subnet {view.subnet} has {limits.neighbours} neighbours or more"
    size = len(view.voters())
    if kind is PeerKind.SUPER and size >= limits.most:
        return True, f"subnet {view.subnet} has {size} super-peers"
    busy = f", {view.records[best]['load']:.0%} busy" if view.records[best]["load"] else ""
    return False, f"{best} has {number} neighbour{'' if number == 1 else 's'}{busy}"


def _assigned(peer: Peer, view: NetworkView, at: str, newcomer: str, why: str) -> dict[str, Any]:
    peer.assigned[newcomer] = at, time.monotonic() + LEASE_SECONDS
    return {"at": at, "subnet": view.subnet, "why": why, **view.card(at, peer)}
