"""The speaker-peer of a subnet: one super-peer that places subscriptions for all, elected by lease (thesis 2.2.2).

Two sites that plan at the same moment would not see each other's plans. So registrations go to the speaker, which makes
them one after another. Plans carry the number of its lease, and a peer refuses those of an earlier one: a speaker that
was cut off, or slow, cannot place anything alongside its successor.

The thesis elects with the Bully algorithm; here, too, the greatest name stands first. But a lease ends by itself
(`election.py`), and two parts of a network that cannot reach each other never have two speakers.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Any

from xylem.errors import InputError

from .network_view import NetworkView, gathered
from .peer import Peer
from .peer_client import Busy

Plan = Callable[[NetworkView, int | None], dict[str, Any]]
"""Places something, given a view of the network and the number of the lease; None if there is no speaker."""


def speaker(view: NetworkView) -> str | None:
    """The holder of the lease according to most super-peers; None if there is none, or if it does not answer."""
    asked = view.voters()
    said: list[str] = [view.records[name]["speaker"]["holder"] for name in asked if name in view.records]
    for holder in sorted(set(said) - {""}):
        if said.count(holder) > len(asked) // 2 and holder in view.records:
            return holder
    return None


def elected(peer: Peer, view: NetworkView) -> str | None:
    """The speaker. Without one, ask the super-peer with the greatest name to stand, then the next.

    None if most super-peers do not answer: each site then plans for itself.
    """
    there = speaker(view)
    if there is not None:
        return there
    for name in reversed(view.voters()):
        if name in view.records and _is_elected(peer, view, name):
            return name
    return None


def _is_elected(peer: Peer, view: NetworkView, name: str) -> bool:
    if name == peer.name:
        return peer.election.stand(view)
    with suppress(InputError):
        return bool(view.ask(name, "POST", "/speaker", {})["elected"])
    return False


def stand(peer: Peer) -> bool:
    """Stand for speaker, with this site's view of the network."""
    return peer.election.stand(gathered(peer))


def by_speaker(
    peer: Peer, path: str, body: dict[str, Any], plan: Plan, wait_seconds: float | None = None
) -> dict[str, Any]:
    """Have something placed by the speaker of the subnet; here, if this site is the speaker or there is none."""
    try:
        return _by_speaker(peer, path, body, plan, wait_seconds)
    except InputError as error:
        if error.code != "XYRT0061":
            raise
        # Its lease was over, or another speaker has been elected since.
        return _by_speaker(peer, path, body, plan, wait_seconds)


def _by_speaker(
    peer: Peer, path: str, body: dict[str, Any], plan: Plan, wait_seconds: float | None
) -> dict[str, Any]:
    view = gathered(peer)
    there = elected(peer, view)
    if there is not None and there != peer.name:
        found: dict[str, Any] = view.ask(there, "POST", path, body)
        return found
    return as_speaker(peer, plan, is_elected=there is not None, wait_seconds=wait_seconds)


@contextmanager
def _planning(peer: Peer, wait_seconds: float | None) -> Iterator[None]:
    if not peer.planning.acquire(timeout=-1 if wait_seconds is None else wait_seconds):
        raise Busy(f"'{peer.name}' places something else")
    try:
        yield
    finally:
        peer.planning.release()


def as_speaker(
    peer: Peer, plan: Plan, *, is_elected: bool = True, wait_seconds: float | None = None
) -> dict[str, Any]:
    """Place something as the speaker, one at a time; XYRT0061 if another site has the lease by now.

    Busy if the wait for another placement takes too long.
    """
    with _planning(peer, wait_seconds):
        view = gathered(peer)
        if not is_elected:
            return plan(view, None)
        election = peer.election
        if not election.holds() and not election.stand(view):
            raise InputError("XYRT0061", f"'{peer.name}' does not speak for the network any more")
        assert election.lease is not None
        return plan(view, election.lease.token)
