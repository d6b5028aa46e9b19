"""A site over HTTP: JSON for streams and subscriptions, server-sent events for answers.

    GET    /sources                          the streams
    POST   /sources/NAME                     a document, whose records are added to a stream
    PUT    /sources/NAME/schema              {"ending": ".dtd", "text": …}: the schema of its records
    GET    /subscriptions                    all of them;  GET /subscriptions/NAME  one
    POST   /subscriptions                    {"name": …, "query": …, "source": …, "from": "now", "at": …}
    DELETE /subscriptions/NAME               give one up
    GET    /subscriptions/NAME/results       its answer as events; an id is the number of bytes up to there

A reader that returns with `Last-Event-ID` continues after these bytes. Every request carries the token of the site.
`http_peers.py` has the requests that concern several sites.
"""

from __future__ import annotations

import asyncio
import ipaddress
import json
import os
import socket
import ssl
import sys
from collections.abc import AsyncIterator, Collection
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from xylem.errors import InputError
from xylem.errors.optional_package import optional_package
from xylem.run.sealed_file import private_file

from .discovery import Answering, Found
from .grants import Caller, base_streams
from .http_answers import Access, Scope, answering, body_of
from .http_peers import peer_routes, shown_to, stream_of
from .http_tokens import token_routes
from .peer import Peer
from .pulling import Pulling
from .site import Site
from .site_identity import Identity, certified_protocol, checked_name_in
from .site_limits import SiteLimits
from .site_names import NOW
from .subnet_limits import SubnetLimits
from .topology import PeerKind

if TYPE_CHECKING:
    from starlette.applications import Starlette
    from starlette.requests import Request

ADDRESS_FILE = "site.json"
_PAUSE_SECONDS = 0.02


@dataclass(frozen=True)
class Listening:
    """The address of a site, and its role in the network."""

    host: str = "127.0.0.1"
    port: int = 0
    """0 means the previous port, or a free one."""
    name: str = ""
    kind: PeerKind = PeerKind.SUPER
    capacity: float = 1.0
    certificate: Path | None = None
    key: Path | None = None
    authority: Path | None = None
    """The authority that signs the certificates of all sites: then they prove their identity to each other."""
    subnets: SubnetLimits = field(default_factory=SubnetLimits)

    def checked(self) -> Listening:
        """XYRT0053 for an address that other machines reach without encryption."""
        if (self.certificate is None) != (self.key is None):
            raise InputError("XYRT0053", "a certificate and its key come together: --tls-cert and --tls-key")
        if self.authority is not None and self.certificate is None:
            raise InputError("XYRT0053", "--tls-ca says who signed --tls-cert, which is not there")
        if self.host in ("0.0.0.0", "::"):
            raise InputError("XYRT0053", f"{self.host} is no address to tell others: give that of this machine")
        if self.certificate is None and not _is_loopback(self.host):
            told = f"{self.host} is reached from other machines: that takes --tls-cert and --tls-key"
            raise InputError("XYRT0053", told)
        return self


def _is_loopback(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def application(peer: Peer, pulling: Pulling, access: Access) -> Starlette:
    """The site as an ASGI application."""
    from sse_starlette.sse import EventSourceResponse
    from starlette.applications import Starlette
    from starlette.concurrency import run_in_threadpool
    from starlette.routing import Route

    site = peer.site

    def asked_by(name: str) -> str:
        return peer.state.askers.get(name, "")

    async def sources(request: Request) -> Any:
        caller: Caller = request.state.caller
        found = await run_in_threadpool(site.sources)
        return [one for one in found if caller.may_publish(one["name"]) or _may_read(peer, caller, one["name"])]

    async def publish(request: Request) -> Any:
        request.state.caller.must_publish(request.path_params["name"])
        publication = site.publication(request.path_params["name"])
        position = 0
        async for chunk in request.stream():
            if chunk:
                position = await run_in_threadpool(publication.feed, chunk)
        await run_in_threadpool(publication.finish)
        return {"records": publication.records, "position": position}

    async def schema(request: Request) -> Any:
        body = await body_of(request)
        name = request.path_params["name"]
        request.state.caller.must_publish(name)
        site.publication(name)
        site.catalogue.add("schema", name, {"ending": str(body["ending"]), "text": str(body["text"])})
        return {}

    async def sites(request: Request) -> Any:
        name = request.path_params["name"]
        request.state.caller.must_publish(name)
        site.publication(name)
        site.catalogue.add("sites", name, {"sites": [str(one) for one in (await body_of(request))["sites"]]})
        return {}

    async def subscriptions(request: Request) -> Any:
        caller: Caller = request.state.caller
        if request.method == "GET":
            found = await run_in_threadpool(_listed, peer)
            return [one for one in found if caller.owns(one["name"], asked_by)]
        body = await body_of(request)
        return await run_in_threadpool(_subscribed, peer, caller, body)

    async def subscription(request: Request) -> Any:
        name = request.path_params["name"]
        request.state.caller.must_own(name, asked_by)
        if request.method == "DELETE":
            return await run_in_threadpool(_unsubscribed, peer, name)
        found = site.subscription(name)
        return next(one for one in _listed(peer) if one["name"] == found.name)

    async def results(request: Request) -> Any:
        request.state.caller.must_own(request.path_params["name"], asked_by)
        found = site.subscription(request.path_params["name"])
        start = int(request.headers.get("last-event-id") or request.query_params.get("after") or 0)

        async def events() -> AsyncIterator[dict[str, Any]]:
            at = start
            while True:
                data, is_over = await run_in_threadpool(site.answer, found, at)
                if data:
                    at += len(data)
                    yield {"id": str(at), "data": json.dumps(data.decode("utf-8"), ensure_ascii=False)}
                elif is_over:
                    state = site.subscription(found.name)
                    yield {"event": "end", "id": str(at), "data": json.dumps(state.to_dict(), ensure_ascii=False)}
                    return
                else:
                    await asyncio.sleep(_PAUSE_SECONDS)

        return EventSourceResponse(events())

    asked = [
        ("/sources", sources, ["GET"]), ("/sources/{name}", publish, ["POST"]),
        ("/sources/{name}/schema", schema, ["PUT"]), ("/sources/{name}/sites", sites, ["PUT"]),
        ("/subscriptions", subscriptions, ["GET", "POST"]),
        ("/subscriptions/{name}", subscription, ["GET", "DELETE"]), ("/subscriptions/{name}/results", results, ["GET"]),
    ]  # fmt: skip
    routes = [Route(path, answering(access, Scope.USER, ask), methods=methods) for path, ask, methods in asked]
    routes += token_routes(site.catalogue, access)
    return Starlette(routes=[*routes, *peer_routes(peer, pulling, access)])


def _listed(peer: Peer) -> list[dict[str, Any]]:
    """All subscriptions of a site; those of a plan as they were requested, wherever they are computed."""
    found = []
    for one in peer.site.subscriptions():
        plan = peer.state.plans.get(one["name"])
        about = {} if plan is None else {key: plan["about"][key] for key in ("at", "query", "source")}
        found.append({**one, **about})
    return found


def _may_read(peer: Peer, caller: Caller, stream: str) -> bool:
    return caller.may_subscribe(base_streams(peer.state, stream))


def _subscribed(peer: Peer, caller: Caller, body: dict[str, Any]) -> dict[str, Any]:
    name, query = body["name"], body["query"]
    source = stream_of(peer, caller, query, body.get("source"))
    known = peer.site.catalogue.subscriptions.get(name)
    is_live = (known is not None and known.is_live) or name in peer.state.plans
    if peer.state.askers.get(name, "") != caller.name:
        if is_live and not caller.may_operate:
            raise InputError("XYRT0053", f"a subscription '{name}' exists already")
        if not is_live:
            # Recorded first: the owner of an answer must be known before the answer exists.
            peer.site.catalogue.add("asker", name, {"by": caller.name})
    return _subscribed_to(peer, name, query, source, body, shown_to(peer, caller))


def _subscribed_to(
    peer: Peer, name: str, query: str, source: str | None, body: dict[str, Any], shown: Collection[str] | None
) -> dict[str, Any]:
    at = body.get("at") or peer.name
    plan = peer.state.plans.get(name)
    if plan is not None and (plan["about"]["query"], plan["about"]["at"]) == (query, at):
        about = plan["about"]
        return {"name": name, "source": about["source"], "from": about["from"], "at": at, "told": []}
    is_here = at == peer.name and peer.state.kind is PeerKind.SUPER
    if is_here and (peer.is_alone or _is_published(peer, query, name, source)):
        return peer.site.subscribe(name, query, source, body.get("from", NOW)).to_dict()
    from .registration import subscribe_in_network

    return subscribe_in_network(peer, name, query, source, body.get("from", NOW), at, shown)


def _is_published(peer: Peer, query: str, name: str, source: str | None) -> bool:
    """Whether the stream of a query is published at the site itself."""
    from .member import SubscribedQuery

    return (source or SubscribedQuery(query, name).source) in peer.site.catalogue.sources


def _unsubscribed(peer: Peer, name: str) -> dict[str, Any]:
    if name not in peer.state.plans and (peer.is_alone or name in peer.site.catalogue.subscriptions):
        return peer.site.unsubscribe(name).to_dict()
    from .registration import unsubscribe_in_network

    return unsubscribe_in_network(peer, name)


class ServedSite:
    """A site reachable by others: its address and token are in a file of its directory while it runs."""

    def __init__(self, directory: Path, limits: SiteLimits | None = None, listening: Listening | None = None) -> None:
        optional_package("sse_starlette", "network")
        uvicorn = optional_package("uvicorn", "network")
        place = (listening or Listening()).checked()
        self._directory = directory
        self._site = Site(directory, limits=limits)
        try:
            self._listener = _listener(directory, place)
        except OSError as reason:
            self._site.close()
            raise InputError("XYRT0054", f"port {place.port}: {reason.strerror}") from reason
        access = Access(directory, self._site.catalogue.network, is_mutual=place.authority is not None)
        scheme = "http" if place.certificate is None else "https"
        host = f"[{place.host}]" if ":" in place.host else place.host
        address = f"{scheme}://{host}:{self._listener.getsockname()[1]}"
        trusted = place.authority or place.certificate
        certificate = "" if trusted is None else trusted.read_text()
        self.peer = Peer(self._site, address, access.peer, certificate)
        self.peer.subnet_limits = place.subnets
        self._tokens = (access.owner, access.peer)
        self._answering: Answering | None = None
        self._pulling = Pulling(self.peer)
        try:
            name = place.name or self.peer.name or directory.resolve().name.strip(".")
            if place.authority is not None and place.certificate is not None:
                checked_name_in(place.certificate, name)
            self.peer.introduce(name, place.kind, place.capacity)
            is_proved = place.authority is not None
            self.peer.identity = Identity(name, place.certificate, place.key) if is_proved else Identity(name)
        except InputError:
            self._close()
            raise
        self._address = {"url": address, "token": access.owner, "process": os.getpid(), "certificate": certificate}
        config = uvicorn.Config(
            application(self.peer, self._pulling, access), log_level="warning", lifespan="off",
            timeout_graceful_shutdown=1, ssl_certfile=place.certificate, ssl_keyfile=place.key,
            **({} if place.authority is None else _mutual(place.authority)),
        )  # fmt: skip
        self._server = uvicorn.Server(config)

    def run(self) -> None:
        """Serve requests until `stop` is called."""
        try:
            _write(self._directory / ADDRESS_FILE, self._address)
            self._site.start()
            self.peer.announce()
            self.peer.start()
            self._pulling.follow()
            self._can_be_found()
            self._server.run([self._listener])
        finally:
            (self._directory / ADDRESS_FILE).unlink(missing_ok=True)
            self._close()

    def _can_be_found(self) -> None:
        """Answer broadcasts of newcomers; report if the machine does not allow it."""
        peer = self.peer
        try:
            self._answering = Answering(Found(peer.name, peer.url, peer.certificate), self._tokens)
        except OSError as reason:
            print(f"newcomers need the address of this site, and cannot find it: {reason}", file=sys.stderr)

    def stop(self) -> None:
        """Stop `run` from another thread."""
        self._server.should_exit = True

    def _close(self) -> None:
        if self._answering is not None:
            self._answering.close()
        self._pulling.close()
        self.peer.close()
        self._site.close()
        self._listener.close()


def _mutual(authority: Path) -> dict[str, Any]:
    """How the server requests certificates from others: users have none, and send a token."""
    return {"ssl_ca_certs": str(authority), "ssl_cert_reqs": ssl.CERT_OPTIONAL, "http": certified_protocol()}


def _listener(directory: Path, place: Listening) -> socket.socket:
    """Listen at the given address; otherwise at the port that neighbours know, if it is free."""
    kept = directory / "port"
    if not place.port and kept.exists():
        try:
            return socket.create_server((place.host, int(kept.read_text())), family=_family(place.host))
        except (OSError, ValueError, OverflowError):
            pass
    made = socket.create_server((place.host, place.port), family=_family(place.host))
    kept.write_text(str(made.getsockname()[1]))
    return made


def _family(host: str) -> socket.AddressFamily:
    return socket.AF_INET6 if ":" in host else socket.AF_INET


def _write(path: Path, content: dict[str, Any]) -> None:
    pending = path.with_name(f".{path.name}.pending")
    with os.fdopen(private_file(pending, os.O_WRONLY | os.O_TRUNC), "w") as file:
        json.dump(content, file)
    os.replace(pending, path)
