"""Names of timezones by place, from the system's timezone database if there is one."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, tzinfo
from functools import lru_cache

from xylem.values.datetimes import DateTime

_COUNTRIES = {
    "us": (
        "America/New_York",
        "America/Chicago",
        "America/Denver",
        "America/Los_Angeles",
        "America/Anchorage",
        "Pacific/Honolulu",
    ),
    "ca": ("America/Halifax", "America/Toronto", "America/Winnipeg", "America/Edmonton", "America/Vancouver"),
    "gb": ("Europe/London",),
    "ie": ("Europe/Dublin",),
    "de": ("Europe/Berlin",),
    "fr": ("Europe/Paris",),
    "it": ("Europe/Rome",),
    "es": ("Europe/Madrid",),
    "in": ("Asia/Kolkata",),
    "jp": ("Asia/Tokyo",),
    "au": ("Australia/Sydney", "Australia/Adelaide", "Australia/Perth"),
    "nz": ("Pacific/Auckland",),
}
_EVERYWHERE = {0: "GMT", 330: "IST"}
"""Names with the same offset at any place and time of the year."""
_REFERENCE = datetime(2000, 1, 1)


@lru_cache(maxsize=64)
def zone(name: str) -> tzinfo | None:
    """A zone of the timezone database by its name, such as America/New_York."""
    if "/" not in name:
        return None
    from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

    try:
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        return None


def offset_at(place: str | None, value: DateTime, has_date: bool) -> int | None:
    """The offset in minutes that a place uses at a moment; None if the place is not a timezone of the database.

    A time without date is given in the place's standard time.
    """
    found = zone(place) if place else None
    if found is None or value.timezone_minutes is None:
        return None
    local = _local_time(found, value, has_date)
    offset = local.utcoffset() or timedelta(0)
    if not has_date:
        offset -= local.dst() or timedelta(0)
    return int(offset.total_seconds()) // 60


def timezone_name(value: DateTime, place: str | None, has_date: bool) -> str | None:
    """The name of a value's timezone at a place (a country or a zone), None if unknown."""
    minutes = value.timezone_minutes
    if minutes is None:
        return None
    names = (place,) if place and "/" in place else _COUNTRIES.get((place or "").lower(), ())
    for name in names:
        found = zone(name)
        if found is not None and offset_at(name, value, has_date) == minutes:
            known = _local_time(found, value, has_date).tzname()
            if known is not None and known.isalpha():
                return known
    return _EVERYWHERE.get(minutes)


def _local_time(found: tzinfo, value: DateTime, has_date: bool) -> datetime:
    """The moment at a zone. A time without date is looked up when no daylight saving is in force."""
    if has_date and 1 < value.year < 9999:
        moment = datetime(value.year, value.month, value.day, value.hour, value.minute)
        moment = moment.replace(tzinfo=UTC) - timedelta(minutes=value.timezone_minutes or 0)
        return moment.astimezone(found)
    for month in (1, 7):
        local = _REFERENCE.replace(month=month, tzinfo=found)
        if not local.dst():
            break
    return local
