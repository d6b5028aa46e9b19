"""Functions on URIs (F&O 3.1 §6)."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING

from xylem.errors import DynamicError
from xylem.values.strings import AnyURI
from xylem.values.uri import is_absolute, resolve, split

from .registry import function

if TYPE_CHECKING:
    from .context import Context

_NOT_UNRESERVED = re.compile(r"[^A-Za-z0-9\-_.~]")
_NOT_URI = re.compile(r"[^!#-;=?-\[\]_a-z~]")
_NOT_PRINTABLE_ASCII = re.compile(r"[^ -~]")
# Characters that no IRI contains. Spaces are tolerated, since xs:anyURI tolerates them.
_BROKEN = re.compile(r'%(?![0-9A-Fa-f]{2})|[\\^`{}|<>"\x00-\x1f]|#.*#', re.DOTALL)


def _escaped(match: re.Match[str]) -> str:
    return _escape_of(match[0])


@lru_cache(maxsize=1024)
def _escape_of(character: str) -> str:
    return "".join([f"%{byte:02X}" for byte in character.encode()])


@function("fn:encode-for-uri", "xs:string?", "xs:string")
def encode_for_uri(value: str | None) -> str:
    return _NOT_UNRESERVED.sub(_escaped, value) if value else ""


@function("fn:iri-to-uri", "xs:string?", "xs:string")
def iri_to_uri(value: str | None) -> str:
    return _NOT_URI.sub(_escaped, value) if value else ""


@function("fn:escape-html-uri", "xs:string?", "xs:string")
def escape_html_uri(value: str | None) -> str:
    return _NOT_PRINTABLE_ASCII.sub(_escaped, value) if value else ""


@function("fn:resolve-uri", "xs:string?, xs:string", "xs:anyURI?", context=True)
def resolve_uri(ctx: Context, reference: str | None, base: str | None = None) -> AnyURI | None:
    """The reference resolved against the base, by default the static base URI (F&O 3.1 §6.1)."""
    if reference is None:
        return None
    _check(reference)
    if is_absolute(reference):
        return AnyURI(reference)
    if base is None:
        base = ctx.static.base_uri
        if base is None:
            raise DynamicError("FONS0005", hint="give the base URI as second argument, or declare base-uri")
    _check(base)
    if not is_absolute(base):
        raise DynamicError("FORG0002", f"the base URI {base!r} is not absolute")
    if "#" in base:
        raise DynamicError("FORG0002", f"the base URI {base!r} has a fragment")
    parts = split(base)
    if parts.authority is None and not parts.path.startswith("/"):
        raise DynamicError("FORG0002", f"no URI can be relative to {base!r}, which has no hierarchy")
    return AnyURI(resolve(reference, base))


def _check(uri: str) -> None:
    scheme = split(uri).scheme
    if _BROKEN.search(uri) or uri.startswith(":") or (scheme is not None and not is_absolute(uri)):
        raise DynamicError("FORG0002", f"{uri!r} is not a URI reference")
