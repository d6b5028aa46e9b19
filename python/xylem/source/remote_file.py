"""Inputs at a URL that the user wrote: http(s), s3 and everything else that fsspec reads.

Queries never get here: `doc()` and similar functions read local files below allowed directories.
"""

from __future__ import annotations

import re
from typing import Any

from xylem.errors import InputError
from xylem.errors.optional_package import optional_package

_PACKAGE = re.compile(r"[Ii]nstall (\w+) to ")
_URL = re.compile(r"[a-z][a-z0-9+.-]+://", re.IGNORECASE)


def is_url(name: str) -> bool:
    """Whether a name is a URL of a remote place."""
    return _URL.match(name) is not None and not name.lower().startswith("file:")


def local_path(name: str) -> str | None:
    """The path of a `file:` URL on this machine; None for any other name."""
    if not name.lower().startswith("file://"):
        return None
    from urllib.parse import urlsplit
    from urllib.request import url2pathname

    parts = urlsplit(name)
    if parts.netloc not in ("", "localhost"):
        raise InputError("XYIN0002", f"the host {parts.netloc} is not this machine", source=name)
    return url2pathname(parts.path)


def open_url(url: str) -> Any:
    """The file at a URL, open for reading."""
    if ".zip!" in url.lower():
        # The directory of an archive is at its end: reading begins there, which few places allow.
        hint = "save the archive first, then: -i 'FILE.zip!*.xml'"
        raise InputError("XYIN0002", "members of an archive are read from local files only", source=url, hint=hint)
    fsspec = optional_package("fsspec", "remote")
    try:
        return fsspec.open(url, "rb", compression=None).open()
    except ImportError as missing:
        # fsspec names the required package for this kind of place.
        named = _PACKAGE.match(str(missing))
        package = named[1] if named else "'xylem-xquery[remote]'"
        raise InputError("XYIN0011", str(missing), hint=f"pip install {package}") from missing
    except Exception as reason:  # Each kind of place has its own failures.
        raise InputError("XYIN0002", _why(reason), source=url) from reason


def _why(reason: Exception) -> str:
    """The root cause: fsspec says "not found" even if no server answers."""
    cause = reason.__cause__
    status = getattr(cause, "status", None)
    if isinstance(reason, FileNotFoundError) and (cause is None or status == 404):
        return "no such file"
    if status is not None:
        return f"the server answers {status} {getattr(cause, 'message', '')}".rstrip()
    return str(cause or reason) or type(reason).__name__
