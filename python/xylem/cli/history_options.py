"""The options of runs over update streams: `--updates`, the report, and the kept versions."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from decimal import Decimal

    from xylem.run.history.feed import Late
    from xylem.run.history.retention import Keep
    from xylem.source.update_stream.formats import UpdateFormat

HISTORY = "Update streams and history"


class UpdatesFormat(StrEnum):
    """How inputs carry updates."""

    NATIVE = "native"
    KEYED = "keyed"
    OSMCHANGE = "osmchange"
    SNAPSHOT = "snapshot"
    PATCH = "patch"
    DEBEZIUM = "debezium"
    TOKENS = "tokens"


class Report(StrEnum):
    """The form of the report."""

    COMMITS = "commits"
    LOG = "log"
    FINAL = "final"
    LIVE = "live"


class Changes(StrEnum):
    """The envelope of a change."""

    APPEND = "append"
    UPSERT = "upsert"
    RETRACT = "retract"
    DEBEZIUM = "debezium"


class CommitWhen(StrEnum):
    """The places that end a commit, besides updates."""

    BASE = "base"
    ITEM = "item"


Updates = Annotated[
    UpdatesFormat | None,
    typer.Option(
        "--updates",
        help="Read the inputs as update streams, in the vocabulary urn:xylem:update (`native`) or in the format of a "
        'feed (docs/history.md). `-i NAME=FILE` binds `stream("NAME")`; Xylem merges several streams by their times.',
        rich_help_panel=HISTORY,
    ),
]
ReportOption = Annotated[
    Report,
    typer.Option(
        "--report",
        help="Write the whole answer after each commit that changed it, as a line of JSON (`commits`), the rows of the "
        "change log (`log`), only the last answer (`final`), or edit the answer in place on the terminal (`live`).",
        rich_help_panel=HISTORY,
    ),
]
ChangesOption = Annotated[
    Changes | None,
    typer.Option(
        "--changes",
        help="Write the change log as rows by key (`upsert`), as Flink reads them (`retract`), or as Debezium does. "
        "`append` only adds results, each when it can never change any more: with `u:freeze`, or when the input ends.",
        rich_help_panel=HISTORY,
    ),
]
AsOf = Annotated[
    str | None,
    typer.Option(
        "--as-of",
        metavar="TIME",
        help="Write only the answer as of a time: seconds or a dateTime.",
        rich_help_panel=HISTORY,
    ),
]
KeepVersions = Annotated[
    int | None,
    typer.Option(
        "--keep-versions",
        metavar="NUMBER",
        min=0,
        help="Number of earlier versions of each region to keep; by default as many as the query reads.",
        rich_help_panel=HISTORY,
    ),
]
KeepTime = Annotated[
    float | None,
    typer.Option(
        "--keep-time",
        metavar="SECONDS",
        min=0,
        help="Seconds for which to keep earlier versions; by default as long as the query reads them.",
        rich_help_panel=HISTORY,
    ),
]
Serve = Annotated[
    str | None,
    typer.Option(
        "--serve",
        metavar="HOST:PORT",
        help="With `--report live`: serve a page that shows the answer as it changes.",
        rich_help_panel=HISTORY,
    ),
]
RecordPath = Annotated[
    str | None,
    typer.Option(
        "--record",
        metavar="PATH",
        help="For feeds: path to the records, such as `/rss/channel/item`; by default `/*/*`.",
        rich_help_panel=HISTORY,
    ),
]
KeyPath = Annotated[
    str | None,
    typer.Option(
        "--key",
        metavar="PATH",
        help="For feeds: path to the key of a record, such as `guid`; by default `@id`.",
        rich_help_panel=HISTORY,
    ),
]
TimePath = Annotated[
    str | None,
    typer.Option("--time", metavar="PATH", help="For feeds: path to the time of a record.", rich_help_panel=HISTORY),
]
VersionPath = Annotated[
    str | None,
    typer.Option(
        "--version-path",
        metavar="PATH",
        help="For feeds: path to the version of a record; records that are not newer are dropped.",
        rich_help_panel=HISTORY,
    ),
]
DeletePath = Annotated[
    str | None,
    typer.Option(
        "--delete", metavar="PATH", help="For feeds: path that marks a record as deleted.", rich_help_panel=HISTORY
    ),
]
CommitOption = Annotated[
    CommitWhen,
    typer.Option(
        "--commit",
        help="`item` also commits after each child of the document element.",
        rich_help_panel=HISTORY,
    ),
]


@dataclass(frozen=True)
class HistoryOptions:
    """The options of a run over update streams."""

    format: UpdateFormat
    report: Report
    changes: Changes | None
    as_of: Decimal | None
    late: Late
    name: str
    """The name of the query in rows of the change log."""
    keep: Keep | None = None
    """None: as many as the query needs."""
    serve: tuple[str, int] | None = None
    """Host and port for browsers."""


def history_options(
    updates: UpdatesFormat | None,
    report: Report,
    changes: Changes | None,
    as_of: str | None,
    late: str | None,
    commit: CommitWhen,
    paths: dict[str, str | None],
    name: str,
    keep: tuple[int | None, float | None] = (None, None),
    serve: str | None = None,
) -> HistoryOptions | None:
    """None without update streams; the other options are then errors."""
    if updates is None:
        given = {"--report": report is not Report.COMMITS, "--changes": changes, "--as-of": as_of}
        given |= {"--commit": commit is not CommitWhen.BASE, **{f"--{key}": value for key, value in paths.items()}}
        given["--serve"] = serve
        given |= {"--keep-versions": keep[0] is not None, "--keep-time": keep[1] is not None}
        for option, value in given.items():
            if value:
                raise typer.BadParameter("this option needs --updates", param_hint=option)
        return None
    from xylem.run.history.feed import LATE
    from xylem.source.update_stream.times import seconds_of

    if late is not None and late not in LATE:
        raise typer.BadParameter(f"{late!r} is not one of {', '.join(LATE)}", param_hint="--late")
    if changes is not None and report is not Report.LOG:
        raise typer.BadParameter("this option needs --report log", param_hint="--changes")
    if serve is not None and report is not Report.LIVE:
        raise typer.BadParameter("this option needs --report live", param_hint="--serve")
    time = None if as_of is None else seconds_of(as_of)
    if as_of is not None and time is None:
        raise typer.BadParameter(f"{as_of!r} is neither a number of seconds nor a dateTime", param_hint="--as-of")
    how = update_format(updates, paths, commits_items=commit is CommitWhen.ITEM)
    return HistoryOptions(how, report, changes, time, _late(late), name, kept(*keep), _place(serve))


def update_format(updates: UpdatesFormat, paths: dict[str, str | None], *, commits_items: bool) -> UpdateFormat:
    """The format of a stream, from the options."""
    from xylem.source.update_stream.formats import UpdateFormat

    return UpdateFormat(
        updates.value,
        record=paths["record"],
        key=paths["key"],
        time=paths["time"],
        version=paths["version-path"],
        delete=paths["delete"],
        commits_items=commits_items,
        warn=lambda text: typer.echo(f"warning: {text}", err=True),
    )


def _place(serve: str | None) -> tuple[str, int] | None:
    if serve is None:
        return None
    host, _, port = serve.rpartition(":")
    if not port.isdecimal() or int(port) > 65535:
        raise typer.BadParameter(f"{serve!r} is not HOST:PORT", param_hint="--serve")
    return host or "127.0.0.1", int(port)


def kept(versions: float | None, seconds: float | None) -> Keep | None:
    """The versions to keep, from the options; None where that is left to the query."""
    from decimal import Decimal

    from xylem.run.history.retention import Keep

    if versions is None and seconds is None:
        return None
    return Keep(None if versions is None else int(versions), None if seconds is None else Decimal(str(seconds)))


def _late(given: str | None) -> Late:
    from xylem.run.history.feed import LATE

    return next((late for late in LATE if late == given), "stop")
