"""The requests that sites send each other over HTTP, and those of users to a network.

    POST   /join, /leave                     become a neighbour of another site; leave the network
    GET    /map                              the network, for people: peers, links, streams, traffic
    GET    /plans/NAME?format=xml            the plan of a subscription
    POST   /virtual/NAME                     {"stream": …}: a stream becomes part of a virtual one
    DELETE /virtual/NAME                     {"stream": …}: it is no part any more
    POST   /operators/NAME                   {"source": …, "language": "wasm", "code": …}: an operator makes a stream
    POST   /optimize                         choose cheaper origins for streams
    POST   /explain                          {"query": …, "source": …, "at": "P2"}: the streams it would use

    GET    /network                          what a planner needs to know of this site
    POST   /admissions                       which super-peer a newcomer is to join: the speaker chooses
    POST   /links, DELETE /links/NAME        add or remove a neighbour
    POST   /plans, DELETE /plans/NAME        a plan to carry out and forward; a subscription to end
    POST   /votes, /speaker                  a vote for a speaker; a request to stand for it
    POST   /registrations, /optimizations    requests that the speaker places for others
    POST   /hosted/NAME                      an operator that this site is to run
    POST   /exports                          a stream that another subnet reads, which the speaker places
    POST   /memberships, PUT /subnet         the speaker's changes of subnets; a peer's move to another
    GET    /subnet                           what other subnets may know of this one
    POST   /subnet/WHAT                      what another subnet forwards: a subscription, its end, a question
    POST   /pull                             records and answers from positions on, as soon as there are any
    GET    /streams/NAME/sample              some records of a stream, with its schema
    DELETE /streams/NAME/readers/READER      a stream is read no more
"""

from __future__ import annotations

import asyncio
import time
from base64 import b64encode
from functools import partial
from typing import TYPE_CHECKING, Any

from xylem.errors import InputError

from .grants import Caller, base_streams
from .http_answers import Access, Ask, Scope, answering, body_of, must_be, site_of
from .network_state import DEFAULT_BANDWIDTH
from .peer import Peer
from .pulling import WAIT_SECONDS, Pulling, found
from .stream_sites import admits, lists_of

if TYPE_CHECKING:
    from starlette.requests import Request
    from starlette.responses import Response
    from starlette.routing import Route

_PAUSE_SECONDS = 0.02


def peer_routes(peer: Peer, pulling: Pulling, access: Access) -> list[Route]:
    """The routes of a site that is part of a network."""
    from starlette.concurrency import run_in_threadpool
    from starlette.responses import PlainTextResponse
    from starlette.responses import Response as PlainResponse
    from starlette.routing import Route

    site = peer.site

    def operating(ask: Ask) -> Ask:
        async def operated(request: Request) -> Any:
            request.state.caller.must_operate()
            return await ask(request)

        return operated

    async def join(request: Request) -> Any:
        body = await body_of(request)
        if body.get("assign"):
            from .admission import enter

            told = await run_in_threadpool(enter, peer, body)
            pulling.follow()
            return told
        bandwidth = float(body.get("bandwidth") or DEFAULT_BANDWIDTH)
        name = await run_in_threadpool(peer.join, body["url"], body["token"], bandwidth, body.get("certificate", ""))
        pulling.follow()
        return {"name": peer.name, "neighbour": name}

    async def admissions(request: Request) -> Any:
        from .admission import admission

        return await run_in_threadpool(admission, peer, await body_of(request))

    async def admission_chosen(request: Request) -> Any:
        from .admission import chosen
        from .speaker import as_speaker

        body = await body_of(request)
        return await run_in_threadpool(as_speaker, peer, lambda view, _: chosen(peer, view, body))

    async def leave(_: Request) -> Any:
        return {"name": peer.name, "left": await run_in_threadpool(peer.leave)}

    async def map_(_: Request) -> Any:
        from .network_view import gathered

        return (await run_in_threadpool(gathered, peer, everywhere=True)).to_dict()

    async def explain(request: Request) -> Any:
        from .registration import explained_in_network

        body = await body_of(request)
        at = body.get("at") or peer.name
        caller: Caller = request.state.caller
        source = await run_in_threadpool(stream_of, peer, caller, body["query"], body.get("source"))
        shown = shown_to(peer, caller)
        return {"told": await run_in_threadpool(explained_in_network, peer, body["query"], source, at, shown)}

    async def network(_: Request) -> Any:
        return await run_in_threadpool(peer.record)

    async def links(request: Request) -> Any:
        body = await body_of(request)
        must_be(request, body["name"])
        told = await run_in_threadpool(peer.linked, body["name"], body["card"])
        pulling.follow()
        return told

    async def unlink(request: Request) -> Any:
        await run_in_threadpool(peer.unlinked, request.path_params["name"])
        return {}

    async def plans(request: Request) -> Any:
        await run_in_threadpool(peer.carry_out, await body_of(request))
        return {}

    async def plan(request: Request) -> Any:
        name = request.path_params["name"]
        if request.method == "DELETE":
            await run_in_threadpool(peer.cancel, name, (await body_of(request)).get("to"))
            return {}
        known = peer.state.plans.get(name)
        if known is None:
            raise InputError("XYRT0053", f"'{peer.name}' has no plan of a subscription '{name}'")
        if request.query_params.get("format") == "xml":
            from .plan_document import plan_xml

            return PlainTextResponse(plan_xml(known), media_type="application/xml")
        return known

    async def about(request: Request) -> Any:
        await run_in_threadpool(peer.placed_anew, request.path_params["name"], await body_of(request))
        return {}

    async def optimize(_: Request) -> Any:
        from .registration import optimized

        return await run_in_threadpool(optimized, peer)

    async def votes(request: Request) -> Any:
        body = await body_of(request)
        asked = body["candidate"], int(body["token"]), body["subnet"]
        return await run_in_threadpool(peer.election.vote, *asked)

    async def speaker(_: Request) -> Any:
        from .speaker import stand

        return {"elected": await run_in_threadpool(stand, peer)}

    async def registrations(request: Request) -> Any:
        from .registration import registered
        from .speaker import as_speaker

        body = await body_of(request)
        return await run_in_threadpool(as_speaker, peer, lambda view, token: registered(peer, view, token, body))

    async def exports(request: Request) -> Any:
        from .speaker import as_speaker
        from .subnet_exports import WAIT_SECONDS as WAIT
        from .subnet_exports import exported

        body = await body_of(request)
        placed = partial(as_speaker, wait_seconds=WAIT)
        return await run_in_threadpool(placed, peer, lambda view, token: exported(peer, view, token, body))

    async def memberships(_: Request) -> Any:
        from .membership import arranged
        from .speaker import as_speaker

        return await run_in_threadpool(as_speaker, peer, lambda view, token: arranged(peer, view, token))

    async def subnet(request: Request) -> Any:
        if request.method == "PUT":
            from .membership import moved

            await run_in_threadpool(moved, peer, await body_of(request))
            return {}
        from .subnets import summary

        return await run_in_threadpool(summary, peer)

    async def forwarded(request: Request) -> Any:
        from .registration import forwarded as answer

        return await run_in_threadpool(answer, peer, request.path_params["what"], await body_of(request))

    async def failure(request: Request) -> Any:
        await run_in_threadpool(peer.failed, request.path_params["name"], (await body_of(request))["error"])
        return {}

    async def optimizations(_: Request) -> Any:
        from .registration import reconsidered
        from .speaker import as_speaker

        return await run_in_threadpool(as_speaker, peer, reconsidered)

    async def virtual(request: Request) -> Any:
        from .registration import made_part

        stream = (await body_of(request))["stream"]
        return {"at": await run_in_threadpool(made_part, peer, request.path_params["name"], stream)}

    async def withdrawn(request: Request) -> Any:
        from .registration import withdrawn_part

        stream = (await body_of(request))["stream"]
        return await run_in_threadpool(withdrawn_part, peer, request.path_params["name"], stream)

    async def operator(request: Request) -> Any:
        from .operator_placement import place_operator

        return await run_in_threadpool(place_operator, peer, request.path_params["name"], await body_of(request))

    async def hosted(request: Request) -> Any:
        from .operator_placement import host_operator

        return await run_in_threadpool(host_operator, peer, request.path_params["name"], await body_of(request))

    async def part(request: Request) -> Any:
        body = await body_of(request)
        await run_in_threadpool(peer.carry_out, body["plan"])
        await run_in_threadpool(site.add_part, request.path_params["name"], body["stream"])
        return {}

    async def part_ends(request: Request) -> Any:
        body = await body_of(request)
        await run_in_threadpool(site.end_part, request.path_params["name"], body["stream"], body["to"])
        return {}

    async def pull(request: Request) -> Response:
        asked = await body_of(request)
        by = site_of(request)
        until = time.monotonic() + WAIT_SECONDS
        while True:
            data = await run_in_threadpool(found, site, asked, by)
            if data is not None or time.monotonic() >= until:
                return PlainResponse(data or b"", media_type="application/octet-stream")
            await asyncio.sleep(_PAUSE_SECONDS)

    async def sample(request: Request) -> Any:
        from .registration import SAMPLE_BYTES

        name = request.path_params["name"]
        if name not in site.streams:
            raise InputError("XYRT0053", f"there is no stream '{name}'")
        data, seconds = await run_in_threadpool(site.sample, name, SAMPLE_BYTES)
        lists = lists_of(peer.state, name)
        # The planner may not be allowed to read the stream: then the plan is made without its records.
        data = data if admits(lists, site_of(request)) or site_of(request) == peer.name else b""
        log = site.streams[name].log
        told = {"position": log.end, "base": log.base, "seconds": seconds, "schema": peer.state.schemas.get(name)}
        return {**told, "sites": lists, "sample": b64encode(data).decode()}

    async def unread(request: Request) -> Any:
        await run_in_threadpool(peer.release, request.path_params["name"], request.path_params["reader"])
        return {}

    users = [
        ("/join", operating(join), "POST"), ("/leave", operating(leave), "POST"), ("/map", operating(map_), "GET"),
        ("/explain", explain, "POST"), ("/optimize", operating(optimize), "POST"),
        ("/virtual/{name}", operating(virtual), "POST"), ("/virtual/{name}", operating(withdrawn), "DELETE"),
        ("/operators/{name}", operating(operator), "POST"),
    ]  # fmt: skip
    peers = [
        ("/network", network, "GET"), ("/links", links, "POST"), ("/links/{name}", unlink, "DELETE"),
        ("/plans", plans, "POST"), ("/plans/{name}", plan, "GET"), ("/plans/{name}", plan, "DELETE"),
        ("/plans/{name}/about", about, "PUT"), ("/plans/{name}/failure", failure, "POST"),
        ("/admissions", admissions, "POST"), ("/admissions/chosen", admission_chosen, "POST"),
        ("/exports", exports, "POST"), ("/memberships", memberships, "POST"),
        ("/subnet", subnet, "GET"), ("/subnet", subnet, "PUT"), ("/subnet/{what}", forwarded, "POST"),
        ("/parts/{name}", part, "POST"), ("/parts/{name}", part_ends, "DELETE"),
        ("/hosted/{name}", hosted, "POST"), ("/pull", pull, "POST"),
        ("/votes", votes, "POST"), ("/speaker", speaker, "POST"), ("/registrations", registrations, "POST"),
        ("/optimizations", optimizations, "POST"), ("/streams/{name}/sample", sample, "GET"),
        ("/streams/{name}/readers/{reader:path}", unread, "DELETE"),
    ]  # fmt: skip
    routes = [Route(path, answering(access, Scope.USER, ask), methods=[method]) for path, ask, method in users]
    return routes + [Route(path, answering(access, Scope.PEER, ask), methods=[method]) for path, ask, method in peers]


def shown_to(peer: Peer, caller: Caller) -> set[str] | None:
    """The subscriptions that a caller may know of; None for all."""
    if caller.may_operate:
        return None
    return {name for name, by in peer.state.askers.items() if by == caller.name}


def stream_of(peer: Peer, caller: Caller, query: str, source: str | None) -> str | None:
    """The stream that a query reads; XYRT0059 if the caller may not read it or one of its base streams."""
    if caller.grant is None:
        return source
    from .member import SubscribedQuery

    found = source or SubscribedQuery(query, "query").source
    if found is not None:
        # Who may read all that a stream is made from may read the stream, as `GET /sources` says.
        caller.must_subscribe(found, base_streams(peer.state, found))
    return source
