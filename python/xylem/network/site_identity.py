"""The identity of a site: its certificate, signed by the authority of its network.

With an authority, sites prove their identity to each other in both directions (mutual TLS). The name of a site is the
common name or DNS name in its certificate. Requests that only sites may send need such a certificate; users need only
their token.
"""

from __future__ import annotations

import ssl
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from xylem.errors import InputError

if TYPE_CHECKING:
    import asyncio

SITE_HEADER = "xylem-site"


@dataclass(frozen=True)
class Identity:
    """The credentials of a site for its requests to others."""

    name: str = ""
    certificate: Path | None = None
    key: Path | None = None

    def show(self, context: ssl.SSLContext) -> None:
        if self.certificate is not None:
            context.load_cert_chain(self.certificate, self.key)


def names_in(certificate: dict[str, Any]) -> set[str]:
    """The names in a certificate that was already checked."""
    subject = {value for part in certificate.get("subject", ()) for key, value in part if key == "commonName"}
    return subject | {value for kind, value in certificate.get("subjectAltName", ()) if kind == "DNS"}


def checked_name_in(certificate: Path, name: str) -> None:
    """XYRT0053 for a certificate that is not for a site of this name."""
    # Python has no public function to read a certificate from a file; this one is as old as its module.
    found = ssl._ssl._test_decode_cert(str(certificate))  # type: ignore[attr-defined]
    if name not in names_in(found):
        names = ", ".join(sorted(names_in(found))) or "nobody"
        raise InputError("XYRT0053", f"the certificate is for {names}, and the site is called '{name}'")


def certified_protocol() -> type[asyncio.Protocol]:
    """The server's protocol, which passes the other side's certificate on to requests."""
    from uvicorn.protocols.http.h11_impl import H11Protocol

    class Certified(H11Protocol):
        def connection_made(self, transport: Any) -> None:
            super().connection_made(transport)
            self.app_state = {**self.app_state, "certificate": transport.get_extra_info("peercert") or {}}

    return Certified
