"""`xylem console`: checks who may reach it, prints its address, and serves until interrupted."""

from __future__ import annotations

import ipaddress
from pathlib import Path

import typer

from xylem.errors.optional_package import optional_package


def is_loopback(host: str) -> bool:
    """Whether only this machine reaches an address."""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def checked_access(host: str, token: str | None, certificate: Path | None, key: Path | None) -> None:
    """BadParameter if other machines could reach the console without a token or without TLS."""
    if (certificate is None) != (key is None):
        raise typer.BadParameter("give both --tls-cert and --tls-key", param_hint="--tls-cert")
    if is_loopback(host):
        return
    if token is None or len(token) < 16:
        why = "to listen beyond this machine, give a token of at least 16 characters: --token"
        raise typer.BadParameter(why, param_hint="--token")
    if certificate is None:
        raise typer.BadParameter("to listen beyond this machine, give --tls-cert and --tls-key", param_hint="--host")


def run_console(
    host: str, port: int, token: str | None, certificate: Path | None, key: Path | None, project: Path
) -> None:
    """Serve the console."""
    checked_access(host, token, certificate, key)
    if not project.is_dir():
        raise typer.BadParameter(f"{project} is not a directory", param_hint="--project")
    for module in ("starlette", "uvicorn", "jinja2"):
        optional_package(module, "console")
    from xylem.console.app import serve
    from xylem.console.safety import Access

    access = Access(token=token) if is_loopback(host) else Access(hosts=(host,), token=token)
    scheme = "http" if certificate is None else "https"
    typer.echo(f"{scheme}://{host}:{port}/" + (f"?token={token}" if token else ""), err=True)
    serve(host, port, access, str(certificate) if certificate else None, str(key) if key else None, project)
