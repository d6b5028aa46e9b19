"""Sites that are joined: neighbours, the map of a network, and the plans that its sites carry out."""

from __future__ import annotations

import json
from base64 import b64encode
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import quote

import typer

from xylem.errors import InputError

from .site_commands import client


def join(
    other: str | None,
    site: Path,
    token_file: Path | None,
    bandwidth: float,
    certificate: Path | None,
    *,
    assign: bool = False,
) -> None:
    """Make two sites neighbours."""
    body: dict[str, Any] = {"bandwidth": bandwidth, "certificate": "", "assign": assign or other is None}
    if other is None:
        if token_file is None:
            told = "give a site of the network, or the token of one that is to be found"
            raise typer.BadParameter(told, param_hint="--token-file")
        body |= {"url": "", "token": _text(token_file).strip()}
    elif "://" in other:
        if token_file is None:
            raise typer.BadParameter("an address takes the token of its site", param_hint="--token-file")
        body |= {"url": other, "token": _text(token_file).strip()}
        if certificate is not None:
            body["certificate"] = _text(certificate)
    else:
        body |= client(Path(other)).address
    found = client(site).ask("POST", "/join", body)
    typer.echo(f"{found['name']} and {found['neighbour']} are neighbours", err=True)
    if "why" in found:
        typer.echo(f"  in subnet {found['subnet']}: {found['why']}", err=True)


def _text(file: Path) -> str:
    try:
        return file.read_text()
    except OSError as reason:
        raise InputError("XYIN0002", f"{reason.filename}: {reason.strerror}") from reason


def operator(name: str, code: Path, source: str, signature: Path | None, at: str | None, site: Path) -> None:
    """Have the network run an operator."""
    try:
        body = {
            "source": source, "at": at, "language": "python" if code.suffix == ".py" else "wasm",
            "code": b64encode(code.read_bytes()).decode(),
            "signature": "" if signature is None else b64encode(signature.read_bytes()).decode(),
        }  # fmt: skip
    except OSError as reason:
        raise InputError("XYIN0002", f"{reason.filename}: {reason.strerror}") from reason
    found = client(site).ask("POST", f"/operators/{quote(name)}", body)
    typer.echo(f"{found['at']} makes {name} from {found['source']}", err=True)


def map_lines(site: Path, format: str) -> Iterator[str]:
    """The network around a site."""
    told = client(site).ask("GET", "/map")
    if format == "json":
        yield json.dumps(told, indent=2, ensure_ascii=False)
        return
    from xylem.network import network_map

    yield from {"text": network_map.text, "dot": network_map.dot, "svg": network_map.svg}[format](told)


def plan_lines(site: Path, name: str, format: str) -> Iterator[str]:
    """The plan of a subscription."""
    asked = client(site)
    if format == "xml":
        yield asked.ask_text(f"/plans/{quote(name)}?format=xml")
        return
    plan: dict[str, Any] | None = asked.ask("GET", f"/plans/{quote(name)}")
    if format == "json":
        yield json.dumps(plan, indent=2, ensure_ascii=False)
        return
    while plan is not None:
        yield f"{plan['atPeer']}:"
        for part in plan["add"]:
            yield f"  {_part(plan['subscription'], part)}"
        plan = plan["plan"]


def _part(name: str, part: dict[str, Any]) -> str:
    """One operator in words."""
    match part["do"]:
        case "receive":
            return f"receives the answer of {name} from {part['peer']}"
        case "query":
            return f"computes {name} from {part['stream']}: {' '.join(part['query'].split())}"
    if part["do"] == "export":
        return f"has its subnet bring {part['name']}, for {part['reader'].partition(':')[2].partition('/')[0]}"
    feed = part.get("feed")
    reader = part["reader"].partition(":")[2].partition("/")[0]
    if feed is None:
        return f"publishes {part['name']}, sends it to {reader}"
    if "peer" in feed:
        return f"receives {part['name']} from {feed['peer']}, for {reader}"
    return f"filters {part['name']} out of {feed['stream']}, for {reader}: {' '.join(feed['query'].split())}"
