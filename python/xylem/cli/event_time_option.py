"""`--event-time PATH --watermark 10s --late drop|stop|dead-letter=FILE`: windows by the times that items carry."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
    from xylem.analysis.event_time import EventTime
    from xylem.functions.late_items import LateItems

WINDOWS = "Windows by event time"
DEFAULT_BOUND = "10s"

EventTimePath = Annotated[
    str | None,
    typer.Option(
        "--event-time",
        metavar="PATH",
        help="Path to the time of each item, such as `@time`. Windows then see items in the order of these times.",
        rich_help_panel=WINDOWS,
    ),
]
Watermark = Annotated[
    str | None,
    typer.Option(
        "--watermark",
        metavar="TIME",
        help=f"Maximum delay of items that arrive out of order; by default {DEFAULT_BOUND}.",
        rich_help_panel=WINDOWS,
    ),
]
LatePolicy = Annotated[
    str | None,
    typer.Option(
        "--late",
        metavar="drop|stop|dead-letter=PLACE",
        help="How to handle items that come even later: drop and count them, stop with an error, or write them to a "
        "file.",
        rich_help_panel=WINDOWS,
    ),
]


def event_time_of(path: str | None, watermark: str | None, late: str | None) -> tuple[EventTime | None, Path | None]:
    """The event time that the options describe, and the file for late items."""
    if path is None:
        for name, value in (("--watermark", watermark), ("--late", late)):
            if value is not None:
                raise typer.BadParameter("this option needs --event-time", param_hint=name)
        return None, None
    from xylem.analysis.event_time import EventTime
    from xylem.functions.event_order import Late

    word, equals, place = (late or Late.DROP.value).partition("=")
    if word not in tuple(Late) or (word == Late.DEAD_LETTER) != bool(equals and place):
        raise typer.BadParameter(f"{late!r} is not drop, stop or dead-letter=PLACE", param_hint="--late")
    return EventTime(path, watermark or DEFAULT_BOUND, word), Path(place) if place else None


@contextmanager
def late_items_of(event_time: EventTime | None, place: Path | None) -> Iterator[LateItems | None]:
    """Counts late items, writes them to a file if one is given, and reports them at the end."""
    from xylem.functions.late_items import LateItems

    letters = _Letters(place) if place is not None else None
    late = LateItems(None if letters is None else letters.take)
    try:
        yield late
    finally:
        if letters is not None:
            letters.close()
        if late.count:
            kept = f"; see {place}" if place is not None else " and dropped"
            bound = f" (--watermark {event_time.watermark})" if event_time is not None else ""
            sides = ", ".join(f"{side}: {count:,}" for side, count in sorted(late.by_side.items()))
            bound += f" ({sides})" if sides else ""
            many = f"{late.count:,} {'item' if late.count == 1 else 'items'}"
            print(f"{many} came too late{bound}{kept}", file=sys.stderr)


class _Letters:
    """A file of JSON lines, created for the first late item."""

    def __init__(self, place: Path) -> None:
        self._place = place
        self._file: Any = None

    def take(self, item: Any, why: str) -> None:
        from xylem.sink.serialization_parameters import SerializationParameters
        from xylem.sink.serialize import serialize

        if self._file is None:
            self._file = self._place.open("w", encoding="utf-8")
        text = serialize((item,), SerializationParameters(method="adaptive"))
        letter = {"code": "XYDY0012", "message": f"an item came too late: {why}", "record": text}
        print(json.dumps(letter), file=self._file)

    def close(self) -> None:
        if self._file is not None:
            self._file.close()
