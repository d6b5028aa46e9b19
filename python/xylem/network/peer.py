"""A site as a peer of a network: its neighbours, its part of plans, and its messages to others.

A peer records a plan before it carries it out, and sends the inner plan to the next neighbour until that one confirms.
Every step may be repeated without harm, so a peer killed at any moment continues where it was.
"""

from __future__ import annotations

import threading
import time
from collections import defaultdict
from contextlib import suppress
from math import inf
from typing import Any
from urllib.parse import quote

from xylem.errors import InputError, XylemError

from . import signed_python
from .alerter import SECONDS, Alerter, Measurement
from .catalogue import State
from .election import LEASE_SECONDS, Election
from .mobile_code import CAPABILITY, can_run_code
from .neighbours import Neighbours
from .network_state import Feed, KeptStream, Message
from .peer_client import Busy, Unreachable
from .site import Site
from .subnet_limits import SubnetLimits

_PAUSE_SECONDS = 0.5


class Peer(Neighbours):
    """One site in its network. Thread-safe."""

    def __init__(self, site: Site, url: str, token: str, certificate: str = "") -> None:
        super().__init__(site, url, token, certificate)
        self._sending: dict[str, threading.Lock] = defaultdict(threading.Lock)
        """One message to a neighbour at a time."""
        self.election = Election(self)
        self.subnet_limits = SubnetLimits()
        self._looks_again = inf
        self.assigned: dict[str, tuple[str, float]] = {}
        """Newcomers that this site has sent to a super-peer, as the speaker, and until when they count there."""
        self.planning = threading.Lock()
        """A speaker places one thing after another."""
        self.alerter = Alerter(self._measured, lambda: self.state.capacity, self._bandwidths, self._alerted)
        self._is_called = threading.Event()
        self._is_closing = False
        self._thread: threading.Thread | None = None

    # --- what others may know

    def record(self) -> dict[str, Any]:
        """The facts about this site that a planner needs."""
        state = self.state
        with self.site.changed:
            streams = [
                {
                    "name": kept.name, "base": kept.base, "plan": kept.plan, "readers": sorted(kept.readers),
                    "end": self.site.streams[kept.name].log.end,
                    "origin": kept.origin(self.site.streams[kept.name].log.end),
                    "fed by": kept.feeds[-1][1].peer,
                }
                for kept in state.streams.values()
            ]  # fmt: skip
            neighbours = [
                {
                    "name": one.name, "url": one.url, "token": one.token, "kind": str(one.kind),
                    "bandwidth": one.bandwidth, "certificate": one.certificate, "subnet": one.subnet,
                }
                for one in state.neighbours.values()
            ]  # fmt: skip
            return {
                "name": self.name,
                "kind": str(state.kind),
                "subnet": state.subnet,
                "capacity": state.capacity,
                "url": self.url,
                "neighbours": neighbours,
                "sources": [
                    {"name": name, "position": self.site.streams[name].log.end} for name in self.site.catalogue.sources
                ],
                "streams": streams,
                "documents": [*self.site.documents.names(), *self._capabilities()],
                "plans": [plan["about"] for plan in state.plans.values() if plan["about"]["at"] == self.name],
                "subscriptions": sum(one.is_live for one in self.site.catalogue.subscriptions.values()),
                "traffic": self.traffic(),
                "speaker": self.election.told(),
                "alerts": self.alerter.alerts,
                "load": self.alerter.loads.get("processors", 0.0),
            }

    def _capabilities(self) -> list[str]:
        """The kinds of code that it can run."""
        python = [signed_python.CAPABILITY] if signed_python.can_run_python(self.site.directory) else []
        return [*([CAPABILITY] if can_run_code() else []), *python]

    def traffic(self) -> dict[str, int]:
        """Bytes of records and answers from each neighbour; repeated ones count once."""
        found = dict(self.state.past_traffic)
        for kept in self.state.streams.values():
            for peer, size in self._traffic_of(kept).items():
                found[peer] = found.get(peer, 0) + size
        for one in self.site.catalogue.subscriptions.values():
            if one.via and one.name in self.state.plans:
                found[one.via] = found.get(one.via, 0) + self.site.answer_size(one)
        return found

    def _traffic_of(self, kept: KeptStream) -> dict[str, int]:
        log = self.site.streams[kept.name].log
        found: dict[str, int] = {}
        for (start, feed), until in zip(kept.feeds, [at for at, _ in kept.feeds[1:]] + [log.end], strict=True):
            if feed.peer:
                size = log.bytes_before(until) - log.bytes_before(start)
                found[feed.peer] = found.get(feed.peer, 0) + size
        return found

    # --- load

    def _measured(self) -> Measurement:
        # Streams come and go in other threads.
        with self.site.changed:
            return Measurement(time.monotonic(), self.site.cpu_seconds, self.traffic())

    def _bandwidths(self) -> dict[str, float]:
        return {one.name: one.bandwidth for one in list(self.state.neighbours.values())}

    def _alerted(self) -> None:
        """Something is overloaded: have the network optimised again, in another thread."""
        from .registration import optimized

        def optimise() -> None:
            with suppress(XylemError):
                # If it is impossible now, it is tried again while the alert lasts.
                optimized(self)

        if self.state.neighbours:
            threading.Thread(target=optimise, name="xylem-alert", daemon=True).start()

    # --- plans

    def carry_out(self, plan: dict[str, Any]) -> None:
        """Carry out this site's part of a plan, and forward the rest; XYRT0061 for a plan of an earlier speaker."""
        if plan["atPeer"] != self.name:
            raise InputError("XYRT0053", f"a plan for '{plan['atPeer']}' came to '{self.name}'")
        # Only the author of a plan names its lease: a forwarded plan was accepted before.
        self.check_lease(plan.pop("token", None), plan.pop("subnet", self.state.subnet))
        name = plan["subscription"]
        known = self.state.plans.get(name)
        same = ("query", "at", "source")
        if known is not None and any(known["about"][key] != plan["about"][key] for key in same):
            raise InputError("XYRT0053", f"there is a subscription '{name}' already")
        # A part with streams only is complete once it is carried out: the streams know their readers.
        if known is None and any(part["do"] in ("query", "receive") for part in plan["add"]):
            self.site.catalogue.add("plan", name, plan)
        try:
            self._do(plan)
            if plan["plan"] is not None:
                self.tell(plan["plan"]["atPeer"], "POST", "/plans", plan["plan"])
        except XylemError as error:
            self._undo(plan, str(error))
            raise

    def check_lease(self, token: int | None, subnet: str) -> None:
        """XYRT0061 for requests of an earlier speaker, or that of another subnet."""
        if subnet != self.state.subnet:
            told = f"the plan is of subnet '{subnet}', and '{self.name}' is in '{self.state.subnet}' now"
            raise InputError("XYRT0061", told)
        if token is not None and token < self.state.token:
            raise InputError("XYRT0061", f"the plan is of lease {token}, and '{self.name}' knows of {self.state.token}")

    def _do(self, plan: dict[str, Any]) -> None:
        name, about = plan["subscription"], plan["about"]
        # A stream must exist before its reader.
        for part in reversed(plan["add"]):
            match part["do"]:
                case "stream":
                    self.have(part)
                case "export":
                    from .subnet_exports import export

                    export(self, plan, part)
                case "query":
                    start = about["from"]
                    self.site.subscribe(name, part["query"], part["stream"], start, is_planned=True)
                case "receive":
                    self.site.receive(name, about["query"], about["source"], about["from"], part["peer"])

    def have(self, part: dict[str, Any]) -> None:
        """Add a stream and one reader of it."""
        name, reader = part["name"], part["reader"]
        with self.site.changed:
            kept = self.state.streams.get(name)
            if "feed" not in part:
                if kept is None and name not in self.site.catalogue.sources:
                    raise InputError("XYRT0053", f"'{self.name}' publishes no stream '{name}'")
            elif kept is None:
                feed, sites = Feed.from_dict(part["feed"]), part.get("sites")
                self.site.keep(name, part["from"], feed, part.get("plan", {}), sites)
            elif part.get("switch"):
                self.site.switch(name, Feed.from_dict(part["feed"]), part["from"], part.get("plan"))
            elif kept.base > part["from"]:
                told = f"the stream '{name}' begins at {kept.base} at '{self.name}', and {part['from']} is asked for"
                raise InputError("XYRT0053", told)
            if reader not in self.state.readers(name):
                self.site.catalogue.add("reader", name, {"reader": reader})

    def _undo(self, plan: dict[str, Any], error: str) -> None:
        name = plan["subscription"]
        known = self.site.catalogue.subscriptions.get(name)
        if known is not None and known.is_live:
            self.site.unsubscribe(name, plan["about"]["from"])
            self.site.catalogue.fail(name, plan["about"]["from"], error)
        self._finished(name, plan)

    def cancel(self, name: str, end: int | None) -> None:
        """End a subscription, here and at the peer that its answer comes from."""
        plan = self.state.plans.get(name)
        if plan is None:
            return
        known = self.site.catalogue.subscriptions.get(name)
        if known is not None and known.state in (State.ACTIVE, State.SUSPENDED):
            self.site.unsubscribe(name, end)
        for part in plan["add"]:
            if part["do"] == "receive":
                self.tell(part["peer"], "DELETE", f"/plans/{quote(name)}", {"to": end}, now=False)

    def placed_anew(self, name: str, about: dict[str, Any]) -> None:
        """Record that a subscription of this site has a new place."""
        plan = self.state.plans.get(name)
        if plan is not None:
            kept = {**about, "from": plan["about"]["from"]}
            self.site.catalogue.add("plan", name, {**plan, "about": kept})

    def release(self, stream: str, reader: str) -> None:
        """Remove a reader of a stream. Without readers, drop the stream and release its origin."""
        with self.site.changed:
            if reader in self.state.readers(stream):
                self.site.catalogue.add("unreader", stream, {"reader": reader})
            kept = self.state.streams.get(stream)
            if kept is None or kept.readers:
                return
            feeds = [feed for _, feed in kept.feeds]
            self.site.drop(stream, self._traffic_of(kept))
        for feed in feeds:
            self._release_feed(stream, feed)

    def _release_feed(self, stream: str, feed: Feed) -> None:
        if feed.peer:
            reader = quote(f"peer:{self.name}/{stream}", safe="")
            self.tell(feed.peer, "DELETE", f"/streams/{quote(feed.stream)}/readers/{reader}", {}, now=False)
        else:
            self.release(feed.stream, f"stream:{stream}")

    def _finished(self, name: str, plan: dict[str, Any]) -> None:
        """Finish this site's part of a plan: the plan needs no more input."""
        traffic: dict[str, int] = {}
        known = self.site.catalogue.subscriptions.get(name)
        for part in plan["add"]:
            if part["do"] == "receive" and known is not None:
                traffic[part["peer"]] = self.site.answer_size(known)
        if name in self.state.plans:
            self.site.catalogue.add("unplan", name, {"traffic": traffic})
        for part in plan["add"]:
            if part["do"] == "stream" and part["reader"] == f"subscription:{name}":
                self.release(part["name"], part["reader"])

    # --- messages

    def tell(self, peer: str, method: str, path: str, body: dict[str, Any], *, now: bool = True) -> None:
        """Send a message to a neighbour now, or as soon as it is reachable; raises its refusal if it answers now."""
        number = self.site.catalogue.add("send", peer, {"method": method, "path": path, "body": body})
        if not now:
            self._is_called.set()
            return
        with self._sending[peer]:
            if any(one.peer == peer and one.number < number for one in self.state.outbox.values()):
                # Messages arrive in the order they were sent.
                return
            message = self.state.outbox.get(number)
            if message is not None:
                self._send(message)

    def _send(self, message: Message) -> bool:
        """Send; return whether the neighbour was reached."""
        try:
            asked = self.client(message.peer)
        except InputError:
            # It has left.
            self.site.catalogue.add("sent", message.peer, {"number": message.number})
            return True
        try:
            asked.ask(message.method, message.path, message.body)
        except Unreachable:
            return False
        except InputError:
            self.site.catalogue.add("sent", message.peer, {"number": message.number})
            raise
        finally:
            asked.close()
        self.site.catalogue.add("sent", message.peer, {"number": message.number})
        return True

    def deliver(self) -> None:
        """Deliver the messages that could not be sent before."""
        silent: set[str] = set()
        for message in list(self.state.outbox.values()):
            if message.peer in silent:
                continue
            try:
                with self._sending[message.peer]:
                    if message.number in self.state.outbox and not self._send(message):
                        silent.add(message.peer)
            except InputError as refused:
                if message.path == "/plans":
                    self._refused(message.body, str(refused))

    def _refused(self, inner: dict[str, Any], error: str) -> None:
        """A part of a plan that was forwarded later is refused: the subscription ends, wherever it was requested."""
        if self.state.plans.get(inner["subscription"]) is not None:
            self.failed(inner["subscription"], error)
        else:
            from .subnet_exports import tell_failure

            tell_failure(self, inner, error)

    def failed(self, name: str, error: str) -> None:
        """A subscription cannot be answered: it ends with an error, here and at the peer its answer comes from."""
        plan = self.state.plans.get(name)
        if plan is None:
            return
        for part in plan["add"]:
            if part["do"] == "receive":
                self.tell(part["peer"], "DELETE", f"/plans/{quote(name)}", {"to": plan["about"]["from"]}, now=False)
        self._undo(plan, error)

    def tidy(self) -> None:
        """Remove plans whose answers are complete, and feeds that have been replaced."""
        for name, plan in list(self.state.plans.items()):
            known = self.site.catalogue.subscriptions.get(name)
            if known is not None and not known.is_live and known.state is not State.SUSPENDED:
                self._finished(name, plan)
        for virtual, part in self.site.taken_parts():
            if f"stream:{virtual}" in self.state.readers(part):
                self.release(part, f"stream:{virtual}")
        for kept in list(self.state.streams.values()):
            stream = self.site.streams.get(kept.name)
            if len(kept.feeds) > 1 and stream is not None and stream.log.end >= kept.feeds[-1][0]:
                last = kept.feeds[-1][1]
                old = [feed for _, feed in kept.feeds[:-1] if (feed.peer, feed.stream) != (last.peer, last.stream)]
                with self.site.changed:
                    self.site.catalogue.add("unfeed", kept.name, {"traffic": self._traffic_before(kept)})
                for feed in old:
                    self._release_feed(kept.name, feed)

    def _traffic_before(self, kept: KeptStream) -> dict[str, int]:
        now = self._traffic_of(kept)
        log = self.site.streams[kept.name].log
        at, feed = kept.feeds[-1]
        if feed.peer:
            now[feed.peer] -= log.bytes_before(log.end) - log.bytes_before(at)
        return now

    def start(self) -> None:
        """Deliver and clean up in a separate thread."""
        self._thread = threading.Thread(target=self._run, name="xylem-peer", daemon=True)
        self._thread.start()

    def _run(self) -> None:
        looked = time.monotonic()
        while not self._is_closing:
            self._is_called.wait(_PAUSE_SECONDS)
            self._is_called.clear()
            self.deliver()
            self.tidy()
            self._look_at_members()
            # Measuring takes longer with more subscriptions.
            if time.monotonic() - looked >= SECONDS:
                looked = time.monotonic()
                self.alerter.look()

    def _look_at_members(self) -> None:
        """After a peer has joined or left: check the size of the subnet. Failed repairs are retried."""
        if not self.has_new_members and time.monotonic() < self._looks_again:
            return
        from .membership import is_settled

        self.has_new_members, self._looks_again = False, inf
        with suppress(XylemError, Busy):
            if is_settled(self):
                return
        self._looks_again = time.monotonic() + LEASE_SECONDS

    def close(self) -> None:
        self._is_closing = True
        self._is_called.set()
        if self._thread is not None:
            self._thread.join()
