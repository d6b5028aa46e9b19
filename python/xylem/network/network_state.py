"""A site's part of a network: neighbours, streams from other sites, plans, messages.

The state follows from the changes in the catalogue, like all state of a site. A message to a neighbour is a change too:
the site records it first, and sends it until the neighbour confirms it.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from .topology import PeerKind

DEFAULT_BANDWIDTH = 125e6
MAIN = "main"
"""The subnet of a site that was never assigned to another."""


@dataclass(frozen=True)
class Neighbour:
    """A site linked with this one."""

    name: str
    url: str
    token: str
    """The token for requests to the neighbour."""
    kind: PeerKind = PeerKind.SUPER
    bandwidth: float = DEFAULT_BANDWIDTH
    """Of the link, in bytes per second."""
    certificate: str = ""
    """Certificate of the neighbour or its signer, if the link is encrypted."""
    subnet: str = MAIN
    """As last reported by the neighbour."""


@dataclass(frozen=True)
class Feed:
    """The origin of a stream: a neighbour that has it, or a filter over another stream of the site."""

    peer: str = ""
    """The neighbour that sends it; empty for a filter."""
    stream: str = ""
    """Its name there; for a filter, the filtered stream of this site."""
    query: str = ""
    safe_query: str = ""
    """The same filter, for records with values that cannot be tested."""
    opening: str = ""

    def to_dict(self) -> dict[str, Any]:
        told = {"peer": self.peer, "stream": self.stream, "query": self.query, "safe": self.safe_query}
        return {key: value for key, value in {**told, "opening": self.opening}.items() if value}

    @classmethod
    def from_dict(cls, told: dict[str, Any]) -> Feed:
        keys = ("peer", "stream", "query", "safe", "opening")
        return cls(*(str(told.get(key, "")) for key in keys))


@dataclass
class KeptStream:
    """A stream for which the site keeps its own log."""

    name: str
    base: int
    feeds: list[tuple[int, Feed]]
    """The origin of the records, from each position on."""
    readers: set[str] = field(default_factory=set)
    """Its readers: `peer:SP2`, `stream:rxj-filter`, `subscription:rxj`."""
    plan: dict[str, Any] = field(default_factory=dict)
    """The subscription whose filter it is; empty for a copy of a source."""
    sites: list[list[str]] = field(default_factory=list)
    """The sites where it may go, as its source says (`stream_sites.py`)."""
    version: int = 0
    """Catalogue version at its creation: distinguishes it from others of its name."""

    def feed_at(self, position: int) -> tuple[Feed, int | None]:
        """The origin of the record at a position, and the position up to which it applies."""
        found, until = self.feeds[0][1], None
        for at, feed in self.feeds:
            if at <= position:
                found, until = feed, None
            elif until is None:
                until = at
        return found, until

    def origin(self, position: int) -> str:
        """The origin in words."""
        feed, _ = self.feed_at(position)
        return f"from {feed.peer}" if feed.peer else f"filtered from {feed.stream}"


@dataclass(frozen=True)
class Message:
    """A message to a neighbour."""

    number: int
    peer: str
    method: str
    path: str
    body: dict[str, Any]


@dataclass
class NetworkState:
    """The whole network state of a site."""

    neighbours: dict[str, Neighbour] = field(default_factory=dict)
    streams: dict[str, KeptStream] = field(default_factory=dict)
    source_readers: dict[str, set[str]] = field(default_factory=dict)
    """Readers of copies of the streams published here."""
    virtual: dict[str, list[str]] = field(default_factory=dict)
    """Streams of this site that merge others, which are here too."""
    ended_parts: dict[str, dict[str, dict[str, Any]]] = field(default_factory=dict)
    """By virtual stream: the parts that have ended, each with its last position, and the sites where it may go."""
    operators: dict[str, dict[str, Any]] = field(default_factory=dict)
    """For virtual streams made by an operator: its code, and the position where it began."""
    schemas: dict[str, tuple[str, str]] = field(default_factory=dict)
    """Schemas of sources: the file name extension, and the text."""
    sites: dict[str, list[str]] = field(default_factory=dict)
    """For sources that may not go everywhere: the permitted sites."""
    plans: dict[str, dict[str, Any]] = field(default_factory=dict)
    """By subscription: this site's part of the plan, with the parts of the sites behind it inside."""
    outbox: dict[int, Message] = field(default_factory=dict)
    name: str = ""
    """Name of the site itself, as others know it."""
    kind: PeerKind = PeerKind.SUPER
    capacity: float = 1.0
    subnet: str = MAIN
    grants: dict[str, dict[str, Any]] = field(default_factory=dict)
    """Tokens of users other than the owner, by name, with their rights (`grants.py`)."""
    askers: dict[str, str] = field(default_factory=dict)
    """By subscription: the name of the token used to request it."""
    promise: dict[str, Any] | None = None
    """This site's vote: the candidate, the number, and the expiry."""
    token: int = 0
    """The greatest number it has voted for: plans of earlier speakers are refused."""
    past_traffic: dict[str, int] = field(default_factory=dict)
    """Bytes received from neighbours in streams and answers that are gone."""

    def apply(self, version: int, kind: str, name: str, body: dict[str, Any]) -> None:
        """Apply one change to the state."""
        match kind:
            case "peer":
                self.name, self.kind, self.capacity = name, PeerKind(body["kind"]), body["capacity"]
            case "link":
                made = {**body, "kind": PeerKind(body["kind"])}
                self.neighbours[name] = Neighbour(name, **made)
            case "unlink":
                self.neighbours.pop(name, None)
            case "subnet":
                # The speaker of the old subnet has no authority in the new one; numbers continue from the greatest.
                self.subnet, self.promise, self.token = name, None, max(self.token, body["token"])
            case "stream":
                feed = Feed.from_dict(body["feed"])
                base = body["base"]
                sites = body.get("sites", [])
                self.streams[name] = KeptStream(name, base, [(base, feed)], set(), body["plan"], sites, version)
            case "feed":
                self.streams[name].feeds.append((body["at"], Feed.from_dict(body["feed"])))
                self.streams[name].plan = body.get("plan") or self.streams[name].plan
            case "unfeed":
                kept = self.streams[name]
                kept.feeds = kept.feeds[-1:]
                self._count(body)
            case "drop":
                self.streams.pop(name, None)
                self._count(body)
            case "reader":
                self.readers(name).add(body["reader"])
            case "unreader":
                self.readers(name).discard(body["reader"])
            case "virtual":
                parts = self.virtual.setdefault(name, [])
                if body["part"] not in parts:
                    parts.append(body["part"])
                self.ended_parts.get(name, {}).pop(body["part"], None)
            case "part ends":
                self.ended_parts.setdefault(name, {})[body["part"]] = {"to": body["to"], "sites": body["sites"]}
            case "operator":
                self.virtual[name] = [body["source"]]
                self.operators[name] = body
            case "sites":
                self.sites[name] = body["sites"]
            case "schema":
                self.schemas[name] = (body["ending"], body["text"])
            case "plan":
                self.plans[name] = body
            case "unplan":
                self.plans.pop(name, None)
                self._count(body)
            case "grant":
                self.grants[name] = body
            case "revoke":
                self.grants.pop(name, None)
            case "asker":
                self.askers[name] = body["by"]
            case "promise":
                self.promise, self.token = {"holder": name, **body}, body["token"]
            case "send":
                self.outbox[version] = Message(version, name, body["method"], body["path"], body["body"])
            case "sent":
                self.outbox.pop(body["number"], None)
            case _:
                raise ValueError(f"unknown change: {kind}")

    def readers(self, stream: str) -> set[str]:
        kept = self.streams.get(stream)
        return self.source_readers.setdefault(stream, set()) if kept is None else kept.readers

    def _count(self, body: dict[str, Any]) -> None:
        for peer, size in body.get("traffic", {}).items():
            self.past_traffic[peer] = self.past_traffic.get(peer, 0) + size
