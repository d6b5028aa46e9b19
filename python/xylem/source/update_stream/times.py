"""The times of updates: exact decimal seconds, or a dateTime, or a date as mails and RSS have them.

Dates are seconds since 1970 in UTC; without a time zone they are taken to be there.
"""

from __future__ import annotations

import re
from decimal import Decimal

from xylem.errors import InputError, XylemError

BAD_UPDATE = "XYIN0044"
_SECONDS = re.compile(r"\s*[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)\s*").fullmatch


def seconds_of(text: str) -> Decimal | None:
    """The seconds of a time; None if it is none of these."""
    if (text.isascii() and text.isdigit()) or _SECONDS(text):
        return Decimal(text.strip())
    from xylem.values.atomic_type import ATOMIC_TYPES
    from xylem.values.casting import cast
    from xylem.values.datetimes import DateTime
    from xylem.values.strings import UntypedAtomic

    try:
        value = cast(UntypedAtomic(text.strip()), ATOMIC_TYPES["dateTime"])
    except XylemError:
        return _mail_date(text)
    return value.epoch_seconds() if isinstance(value, DateTime) else None


def time_of(text: str) -> Decimal:
    """XYIN0044 for anything but a time."""
    found = seconds_of(text)
    if found is None:
        raise InputError(BAD_UPDATE, why_bad_time(text))
    return found


def why_bad_time(written: str) -> str:
    return f"t={written!r} is neither a number of seconds nor a dateTime"


def _mail_date(text: str) -> Decimal | None:
    """`Wed, 01 May 2024 10:00:00 GMT`."""
    from datetime import UTC
    from email.utils import parsedate_to_datetime

    try:
        moment = parsedate_to_datetime(text.strip())
    except ValueError:
        return None
    return Decimal(int((moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp()))
