"""Streams that one subnet gets from another: the peer at the border asks its own speaker to place them.

A plan that needs a stream of another subnet ends at the border, with an `export` for the peer behind it. That peer has
its speaker place the filter of the query in its own subnet, on the streams that are there, as near to the source as
possible. The stream then continues over the border like any other, and ends with its last reader.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from xylem.errors import InputError

from .site_names import SOURCE

if TYPE_CHECKING:
    from .network_view import NetworkView
    from .peer import Peer
    from .registration import Registration

WAIT_SECONDS = 1.0
"""How long an export waits for a busy speaker, which may itself wait for an export of this subnet."""


def export(peer: Peer, plan: dict[str, Any], part: dict[str, Any]) -> None:
    """Prepare a stream for a peer of another subnet, here at the border; Busy if the request must be repeated."""
    from .speaker import by_speaker

    if _is_there(peer, part):
        peer.have({**part, "do": "stream"})
        return
    body = {**part, "subscription": plan["subscription"], "source": plan["about"]["source"], "at": peer.name}
    by_speaker(
        peer, "/exports", body, lambda view, token: exported(peer, view, token, body), wait_seconds=WAIT_SECONDS
    )


def _is_there(peer: Peer, part: dict[str, Any]) -> bool:
    stream = peer.site.streams.get(part["name"])
    return stream is not None and stream.log.base <= part["from"]


def exported(peer: Peer, view: NetworkView, token: int | None, body: dict[str, Any]) -> dict[str, Any]:
    """Place a stream for another subnet, as the speaker or without one."""
    from .plan_document import Naming, stream_plan
    from .registration import Registration, source_info
    from .subnets import around

    key, at, start = body["stream"], body["at"], body["from"]
    others = around(view)
    registration = Registration(view, source_info(view, body["source"], others), token, others)
    switched: list[str] = []
    name = body["subscription"] if key == SOURCE else key
    known = registration.planner.placed.get(name)
    if known is None or known.asked.query != body["query"]:
        if known is not None or name in view.names():
            raise InputError("XYRT0053", f"there is a subscription '{name}' in subnet '{view.subnet}' already")
        switched = _placed(registration, name, at, body["query"], is_whole=key == SOURCE)
    naming = registration.naming(start)
    own = Naming(naming.source).of(key)
    naming = Naming(naming.source, {**naming.others, own: body["name"]})
    plan = stream_plan(registration.planner, name, key, at, body["reader"], naming, start)
    registration.carry_out(peer, at, plan)
    registration.switch(switched)
    return {}


def _placed(registration: Registration, name: str, at: str, query: str, *, is_whole: bool) -> list[str]:
    """Place the filter of a query so that its stream ends at the border; return the readers with new input."""
    asked = registration.whole_source(name, at) if is_whole else registration.asked(name, at, query)
    asked = replace(asked, statistics=asked.statistics.without_result())
    registration.planner.forced[name] = at
    return registration.register(asked)


def tell_failure(peer: Peer, inner: dict[str, Any], error: str) -> None:
    """A forwarded request was refused later: tell the peer that sent it."""
    from .network_view import gathered

    at, name = inner["about"]["at"], inner["subscription"]
    with suppress(InputError):
        gathered(peer).ask(at, "POST", f"/plans/{quote(name)}/failure", {"error": error})
