"""The times of updates: exact decimal seconds, or a dateTime, which is seconds since 1970 in UTC."""

from __future__ import annotations

import re
from decimal import Decimal

from xylem.errors import XylemError

_SECONDS = re.compile(r"\s*[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)\s*").fullmatch


def seconds_of(text: str) -> Decimal | None:
    """None for what is neither."""
    if _SECONDS(text):
        return Decimal(text.strip())
    from xylem.values.atomic_type import ATOMIC_TYPES
    from xylem.values.casting import cast
    from xylem.values.datetimes import DateTime
    from xylem.values.strings import UntypedAtomic

    try:
        value = cast(UntypedAtomic(text.strip()), ATOMIC_TYPES["dateTime"])
    except XylemError:
        return None
    return value.epoch_seconds() if isinstance(value, DateTime) else None
