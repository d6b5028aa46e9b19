"""The networks of a project: its running sites, the networks that they have joined, and the plans of networks.

A site is a directory in which `xylem network start` runs, and is asked only on this machine. Sites that have joined
each other are one network, and any of them knows the whole network. A plan is made of a file that describes peers,
links, a source and subscriptions; it and all files it names must lie in the project.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from xylem.errors import InputError

from .project import Project

MOST_SAMPLE_BYTES = 20_000_000


def network_map(project: Project) -> dict[str, Any]:
    """The sites that answer now, their networks, and the names of network files."""
    networks: list[dict[str, Any]] = []
    return {"sites": list(_sites(project, networks)), "networks": networks, "files": _network_files(project)}


def _sites(project: Project, networks: list[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    from xylem.network.http_site import ADDRESS_FILE
    from xylem.network.site_client import SiteClient

    for address in sorted(project.root.glob(f"*/{ADDRESS_FILE}")):
        if not address.resolve().is_relative_to(project.root):
            continue
        name = address.parent.name
        try:
            client = SiteClient(address.parent)
            if not client.is_local:
                continue
            yield {"site": name, "sources": client.sources(), "subscriptions": client.subscriptions()}
            known = {peer.get("url") for network in networks for peer in network["peers"]}
            if client.url not in known and len((found := client.ask("GET", "/map"))["peers"]) > 1:
                networks.append(found)
        except InputError as error:
            yield {"site": name, "sources": [], "subscriptions": [], "error": str(error)}


def _network_files(project: Project) -> list[str]:
    return [name for name in project.named(".json") if _described(project.file(name))]


def _described(path: Path) -> dict[str, Any]:
    """The network that a file describes; empty if it describes none."""
    try:
        told = json.loads(path.read_text(encoding="utf-8")) if path.stat().st_size < 1_000_000 else None
    except (OSError, ValueError):
        return {}
    return told if isinstance(told, dict) and {"peers", "links", "source", "subscriptions"} <= told.keys() else {}


def network_plan(project: Project, name: str) -> dict[str, Any]:
    """Peers and links of a network with their traffic, and the plan of each subscription."""
    from xylem.network.network_file import read_network
    from xylem.network.plan_document import network_dict

    path = project.file(name)
    told = _described(path)
    for file in _files_of(told):
        found = project.file(str(path.parent / file))
        if found.stat().st_size > MOST_SAMPLE_BYTES:
            raise InputError("XYIN0004", f"{file}: the console plans with samples of up to {MOST_SAMPLE_BYTES:,} bytes")
    made = network_dict(read_network(path).planner())
    return {**made, "kinds": told["peers"], "all_links": told["links"], "source": told["source"]["at"]}


def _files_of(told: dict[str, Any]) -> Iterator[str]:
    source = told.get("source")
    if isinstance(source, dict):
        yield from (str(source[key]) for key in ("sample", "schema") if key in source)
    for one in told.get("subscriptions", ()):
        if isinstance(one, dict) and "query" in one:
            yield str(one["query"])
