"""Names that users choose, of streams, subscriptions, peers and positions; and names used in plans."""

from __future__ import annotations

import re

from xylem.errors import InputError

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}")
NOW, EARLIEST = "now", "earliest"
"""Positions of a stream by name."""
SOURCE, ELSEWHERE = "source", "elsewhere"
"""The origin of a stream: the publisher's stream itself, or one that comes from another subnet."""


def checked_name(name: str) -> str:
    """The name; XYRT0053 if it cannot be part of a path."""
    if _NAME.fullmatch(name) is None:
        raise InputError("XYRT0053", f"'{name}' is no name: letters, digits, '.', '_' and '-', a letter or digit first")
    return name
