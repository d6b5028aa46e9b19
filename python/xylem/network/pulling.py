"""Pull records and answers from a neighbour, by position.

    {"streams": {"vela-filter": 5000}, "answers": {"rxj": 120}}      everything after these positions and bytes, please

A site requests only missing data: the log knows its last position, and the file of an answer its size. So nothing is
lost or doubled if either site is killed.
"""

from __future__ import annotations

import json
import threading
from base64 import b64decode, b64encode
from typing import Any

from xylem.errors import InputError, XylemError

from .catalogue import State
from .network_state import NetworkState
from .peer import Peer
from .peer_client import PeerClient, Unreachable
from .record_log import Records
from .site import Site
from .stream_sites import SiteLists, admits, lists_of, must_admit

WAIT_SECONDS = 1.0
"""How long a neighbour waits for new data before it reports that there is none."""
_RETRY_SECONDS = 0.3
_MOST_BYTES = 4 << 20


def wanted(site: Site, peer: str) -> dict[str, Any]:
    """The positions from which a site requests streams and answers from a neighbour."""
    network = site.catalogue.network
    streams: dict[str, Any] = {}
    with site.changed:
        for kept in network.streams.values():
            log = site.streams[kept.name].log
            feed, _ = kept.feed_at(log.end)
            if feed.peer == peer:
                streams[kept.name] = {"name": feed.stream, "from": log.end}
        answers = {
            one.name: site.answer_size(one)
            for one in site.catalogue.subscriptions.values()
            if one.via == peer and one.is_live
        }
    return {"streams": streams, "answers": answers}


def found(site: Site, asked: dict[str, Any], by: str) -> bytes | None:
    """The requested records and bytes; None if there is nothing new. Streams that may not go there are only named."""
    state = site.catalogue.network
    kept_back = [name for name, place in asked["streams"].items() if not admits(lists_of(state, place["name"]), by)]
    kept_back += [name for name in asked["answers"] if not admits(_lists_of_answer(state, name), by)]
    streams: list[dict[str, Any]] = []
    answers: list[dict[str, Any]] = []
    pieces: list[bytes] = []
    left = _MOST_BYTES
    gone: dict[str, int] = {}
    for name, place in asked["streams"].items():
        if name in kept_back:
            continue
        stream = site.streams.get(place["name"])
        start = int(place["from"])
        if stream is not None and start < stream.log.base:
            gone[name] = stream.log.base
        if stream is None or left <= 0 or not stream.log.base <= start < stream.log.end:
            continue
        with site.changed:
            records = stream.log.records(start, stream.log.end, left)
            opening = stream.log.opening
        at = None if records.at == list(range(start, records.end)) else records.at
        told = {"name": name, "from": start, "opening": b64encode(opening).decode(), "at": at, "n": records.lengths}
        streams.append({**told, "end": records.end})
        pieces.append(records.data)
        left -= len(records.data)
    for name, size in asked["answers"].items():
        if name in kept_back:
            continue
        news = _answer(site, name, int(size))
        if news is not None and left > 0:
            answers.append(news[0])
            pieces.append(news[1])
            left -= len(news[1])
    if not streams and not answers and not gone and not kept_back:
        return None
    told = {"streams": streams, "answers": answers, "gone": gone, "kept back": kept_back}
    return json.dumps(told).encode() + b"\n" + b"".join(pieces)


def _lists_of_answer(state: NetworkState, name: str) -> SiteLists:
    plan = state.plans.get(name)
    lists: SiteLists = () if plan is None else plan["about"].get("sites", ())
    return lists


def _answer(site: Site, name: str, start: int) -> tuple[dict[str, Any], bytes] | None:
    known = site.catalogue.subscriptions.get(name)
    if known is None:
        return None
    data, is_over = site.answer(known, start)
    if known.state is State.SUSPENDED and not data:
        # The requesting site has read everything so far.
        site.subscribe(name, known.query, known.source)
    if not data and (not is_over or known.state is State.SUSPENDED):
        return None
    told: dict[str, Any] = {"name": name, "from": start, "size": len(data)}
    if is_over:
        now = site.catalogue.subscriptions[name]
        told |= {"state": str(now.state), "to": now.end, "error": now.error}
    return told, data


def take(site: Site, peer: str, data: bytes) -> None:
    """Store data from a neighbour; XYRT0060 if it has dropped the next records, XYRT0062 if it may not send them."""
    head, _, rest = data.partition(b"\n")
    told = json.loads(head)
    at = 0
    for one in told["streams"]:
        size = sum(one["n"])
        positions = one["at"] if one["at"] is not None else list(range(one["from"], one["end"]))
        records = Records(positions, one["n"], rest[at : at + size], one["end"])
        at += size
        site.take(one["name"], peer, one["from"], b64decode(one["opening"]), records)
    for one in told["answers"]:
        piece = rest[at : at + one["size"]]
        at += one["size"]
        ended = one.get("state", ""), one.get("to"), one.get("error", "")
        site.take_answer(one["name"], peer, one["from"], piece, *ended)
    for name, base in told["gone"].items():
        end = site.streams[name].log.end
        raise InputError("XYRT0060", f"'{name}' goes on with record {end:,}, and {peer} has those from {base:,} on")
    for name in told["kept back"]:
        must_admit([[]], site.catalogue.network.name, name)


class Puller(threading.Thread):
    """Pulls from one neighbour as long as it is one."""

    def __init__(self, peer: Peer, neighbour: str) -> None:
        super().__init__(name=f"xylem-from-{neighbour}", daemon=True)
        self._peer = peer
        self._neighbour = neighbour
        self._is_closing = threading.Event()
        self.fault = ""

    def run(self) -> None:
        client: PeerClient | None = None
        url = ""
        while not self._is_closing.is_set():
            link = self._peer.state.neighbours.get(self._neighbour)
            if link is None:
                break
            asked = wanted(self._peer.site, self._neighbour)
            if not asked["streams"] and not asked["answers"]:
                self._is_closing.wait(_RETRY_SECONDS)
                continue
            if client is None or url != link.url:
                client, url = self._peer.client(self._neighbour), link.url
            try:
                data = client.ask_bytes("POST", "/pull", asked)
                self.fault = ""
                if data:
                    take(self._peer.site, self._neighbour, data)
            except Unreachable as reason:
                self._rest(str(reason))
            except XylemError as reason:
                self._rest(str(reason))
        if client is not None:
            client.close()

    def _rest(self, fault: str) -> None:
        self.fault = fault
        self._is_closing.wait(_RETRY_SECONDS)

    def close(self) -> None:
        self._is_closing.set()


class Pulling:
    """A puller for each neighbour of a site."""

    def __init__(self, peer: Peer) -> None:
        self._peer = peer
        self._pullers: dict[str, Puller] = {}

    def follow(self) -> None:
        """Pull from the current neighbours."""
        for name in self._peer.state.neighbours:
            known = self._pullers.get(name)
            if known is None or not known.is_alive():
                self._pullers[name] = Puller(self._peer, name)
                self._pullers[name].start()

    @property
    def faults(self) -> dict[str, str]:
        return {name: one.fault for name, one in self._pullers.items() if one.fault}

    def close(self) -> None:
        for one in self._pullers.values():
            one.close()
        for one in self._pullers.values():
            one.join(WAIT_SECONDS + 1)


