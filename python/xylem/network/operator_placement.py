"""Place a user-defined operator in a network: at the peer nearest to its source that can run it."""

from __future__ import annotations

from typing import Any
from urllib.parse import quote

from xylem.errors import InputError

from . import mobile_code, signed_python
from .network_view import NetworkView, gathered
from .peer import Peer
from .registration import source_info
from .site_names import SOURCE, checked_name
from .speaker import by_speaker
from .stream_sites import admits
from .subnet_exports import exported

_CAPABILITIES = {"wasm": mobile_code.CAPABILITY, "python": signed_python.CAPABILITY}


def place_operator(peer: Peer, name: str, body: dict[str, Any]) -> dict[str, Any]:
    """Have a peer of the network run an operator; return where."""
    checked_name(name)
    language = str(body["language"])
    if language not in _CAPABILITIES:
        raise InputError("XYST0040", f"operators are in {' or '.join(_CAPABILITIES)}, not in '{language}'")
    if peer.is_alone:
        return host_operator(peer, name, body)
    view = gathered(peer)
    there = body.get("at") or _nearest(view, body["source"], _CAPABILITIES[language])
    view.check(there)
    if there == peer.name:
        return host_operator(peer, name, body)
    found: dict[str, Any] = view.ask(there, "POST", f"/hosted/{quote(name)}", {**body, "at": there})
    return found


def _nearest(view: NetworkView, source: str, capability: str) -> str:
    info = source_info(view, source)
    topology = view.topology(with_borders=True)
    able = [
        name
        for name, record in view.records.items()
        if capability in record["documents"] and topology.can_execute(name)
        if admits(info.sites, name) or name == info.peer
    ]
    if not able:
        raise InputError("XYRT0057", f"no peer that computes for others, and may have '{source}', can run the code")
    return min(able, key=lambda name: (len(topology.route(info.peer, name)), name))


def host_operator(peer: Peer, name: str, body: dict[str, Any]) -> dict[str, Any]:
    """Run an operator here, over a stream that is sent here for it. Repeating the same request changes nothing."""
    source, site = str(body["source"]), peer.site
    view = gathered(peer)
    if any(there != peer.name for there in view.publishers(name)):
        raise InputError("XYRT0053", f"the stream '{name}' is published at {', '.join(view.publishers(name))} already")
    is_here = source in site.catalogue.sources
    if not is_here and peer.is_alone:
        raise InputError("XYRT0053", f"the stream '{source}' is not published")
    kept = site.streams.get(source)
    start = kept.log.base if kept is not None else source_info(view, source).base
    site.add_operator(name, source, start, body)
    if not is_here:
        asked = {
            "stream": SOURCE, "name": source, "source": source, "subscription": name, "query": "", "from": start,
            "reader": f"stream:{name}", "at": peer.name,
        }  # fmt: skip
        by_speaker(peer, "/exports", asked, lambda view, token: exported(peer, view, token, asked))
    return {"name": name, "at": peer.name, "source": source}
