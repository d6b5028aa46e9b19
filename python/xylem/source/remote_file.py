"""Inputs at a URL that the user wrote: http(s), s3 and whatever else fsspec reads.

Queries never get here: `doc()` and its like read local files below allowed directories.
"""

from __future__ import annotations

import re
from typing import Any

from xylem.errors import InputError
from xylem.errors.optional_package import optional_package

_URL = re.compile(r"[a-z][a-z0-9+.-]+://", re.IGNORECASE)


def is_url(name: str) -> bool:
    """Whether a name is that of a remote place."""
    return _URL.match(name) is not None and not name.lower().startswith("file:")


def open_url(url: str) -> Any:
    """The file at a URL, open for reading."""
    fsspec = optional_package("fsspec", "remote")
    try:
        return fsspec.open(url, "rb", compression=None).open()
    except ImportError as missing:
        # What fsspec says names the package for this kind of place.
        raise InputError("XYIN0011", str(missing), hint="pip install 'xylem-xquery[remote]'") from missing
    except Exception as reason:  # each kind of place has failures of its own
        why = "no such file" if isinstance(reason, FileNotFoundError) else str(reason) or type(reason).__name__
        raise InputError("XYIN0002", why, source=url) from reason
