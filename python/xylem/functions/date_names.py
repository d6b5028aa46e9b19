"""Names in formatted dates, in English: months, days of the week, halves of the day, eras (F&O 3.1 §9.8.4)."""

from __future__ import annotations

from .date_picture import Marker

MONTHS = (
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
)
DAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
_SHORTEST_ABBREVIATION = 3


def formatted_name(name: str, marker: Marker) -> str:
    """A name in the marker's case and width: abbreviated if it is too long, padded if too short."""
    if marker.most is not None and len(name) > marker.most:
        name = name[: min(marker.most, _SHORTEST_ABBREVIATION)]
    if marker.presentation == "n":
        name = name.lower()
    elif marker.presentation == "N":
        name = name.upper()
    else:
        name = name[:1].upper() + name[1:].lower()
    return name.ljust(marker.least or 0)
