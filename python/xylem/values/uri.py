"""URI references: taking them apart and resolving them (RFC 3986 §5).

`urllib.parse.urljoin` knows only the schemes in its table and keeps some dot segments, so the algorithm of the RFC
is written out here. Anything is accepted as a component: an IRI resolves as well as a URI.
"""

from __future__ import annotations

import re
from typing import NamedTuple

# RFC 3986 appendix B.
_PARTS = re.compile(r"(?:([^:/?#]+):)?(?://([^/?#]*))?([^?#]*)(?:\?([^#]*))?(?:#(.*))?", re.DOTALL)
_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.\-]*")


class UriParts(NamedTuple):
    """The five components; None where a component is absent, which is not the same as empty."""

    scheme: str | None
    authority: str | None
    path: str
    query: str | None
    fragment: str | None


def split(uri: str) -> UriParts:
    """The components of a URI reference."""
    match = _PARTS.fullmatch(uri)
    assert match is not None  # Every string matches.
    return UriParts(match[1], match[2], match[3] or "", match[4], match[5])


def unsplit(parts: UriParts) -> str:
    """The URI reference with these components (RFC 3986 §5.3)."""
    text = "" if parts.scheme is None else parts.scheme + ":"
    if parts.authority is not None:
        text += "//" + parts.authority
    text += parts.path
    if parts.query is not None:
        text += "?" + parts.query
    return text if parts.fragment is None else text + "#" + parts.fragment


def is_absolute(uri: str) -> bool:
    """Whether a URI reference has a scheme; a fragment is allowed."""
    scheme, colon, _ = uri.partition(":")
    return bool(colon) and _SCHEME.fullmatch(scheme) is not None


def resolve(reference: str, base: str) -> str:
    """A reference resolved against a base URI (RFC 3986 §5.2.2).

    >>> resolve("../g", "http://a/b/c/d;p?q")
    'http://a/b/g'
    """
    if is_absolute(reference):
        given = split(reference)
        return unsplit(given._replace(path=_without_dots(given.path) if given.path.startswith("/") else given.path))
    given, start = split(reference)._replace(scheme=None), split(base)
    if ":" in reference and split(reference).scheme is not None:
        # A colon in the first segment that follows no scheme: the whole is a path.
        _, authority, path, query, fragment = split("./" + reference)
        given = UriParts(None, authority, path, query, fragment)
    if given.authority is not None:
        return unsplit(given._replace(scheme=start.scheme, path=_without_dots(given.path)))
    if not given.path:
        query = start.query if given.query is None else given.query
        return unsplit(UriParts(start.scheme, start.authority, start.path, query, given.fragment))
    if given.path.startswith("/"):
        path = _without_dots(given.path)
    else:
        path = _without_dots(_merged(start, given.path))
    return unsplit(UriParts(start.scheme, start.authority, path, given.query, given.fragment))


def _merged(base: UriParts, path: str) -> str:
    if base.authority is not None and not base.path:
        return "/" + path
    return base.path[: base.path.rfind("/") + 1] + path


def _without_dots(path: str) -> str:
    """The path without its dot segments (RFC 3986 §5.2.4)."""
    if "." not in path:
        return path
    kept: list[str] = []
    segments = path.split("/")
    for segment in segments:
        if segment == "..":
            if len(kept) > 1 or (kept and kept[0] != ""):
                kept.pop()
        elif segment != ".":
            kept.append(segment)
    if segments[-1] in (".", ".."):
        kept.append("")
    joined = "/".join(kept)
    return "/" + joined if path.startswith("/") and not joined.startswith("/") else joined
