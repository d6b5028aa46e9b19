"""`--replay-speed 10x|max --replay-time PATH`: replay a recorded input at any speed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from xylem.source.replay import Replay

REPLAY = "Replaying what was recorded"

ReplaySpeed = Annotated[
    str | None,
    typer.Option(
        "--replay-speed",
        metavar="10x|max",
        help="Replay the records of the input at the pace of their own times, this many times as fast. `max` does "
        "not wait; only the clock of `xylem:add-timestamp` follows the records.",
        rich_help_panel=REPLAY,
    ),
]
ReplayTime = Annotated[
    str | None,
    typer.Option(
        "--replay-time",
        metavar="PATH",
        help="Path to the time of each record: `/log/entry/@time`, `//reading/time`. An xs:dateTime, or seconds.",
        rich_help_panel=REPLAY,
    ),
]


def replay_of(speed: str | None, path: str | None) -> Replay | None:
    """The options together; each needs the other."""
    if speed is None and path is None:
        return None
    if speed is None or path is None:
        told = "--replay-speed needs --replay-time, the path to the time of each record"
        if path is not None:
            told = "--replay-time needs --replay-speed: 10x, or max"
        raise typer.BadParameter(told)
    from xylem.source.replay import Replay, speed_of

    try:
        return Replay(path, speed_of(speed))
    except ValueError:
        raise typer.BadParameter(
            f"{speed!r} is not a speed such as 10x, 0.5x or max", param_hint="--replay-speed"
        ) from None
