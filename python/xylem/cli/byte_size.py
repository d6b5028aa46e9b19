"""Sizes as options give them: `64MB`."""

from __future__ import annotations

import re
from decimal import Decimal

import typer

from xylem.source.limits import MOST_NUMBER

_SIZE = re.compile(r"(\d+(?:\.\d+)?)\s*(B|kB|MB|GB|TB)?", re.IGNORECASE)
_BYTES = {"b": 1, "kb": 10**3, "mb": 10**6, "gb": 10**9, "tb": 10**12}


def in_bytes(text: str, option: str) -> int:
    """A size such as `64MB`."""
    found = _SIZE.fullmatch(text.strip())
    if found is None:
        raise typer.BadParameter(f"{text!r} is not a size such as 64MB", param_hint=option)
    size = int(Decimal(found[1]) * _BYTES[(found[2] or "B").lower()])
    if size > MOST_NUMBER:
        raise typer.BadParameter(f"{text!r} is more than any machine has", param_hint=option)
    return size
