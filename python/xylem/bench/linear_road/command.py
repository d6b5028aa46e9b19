"""`xylem bench linear-road`: how many expressways the queries of examples/linear-road serve."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated

import typer

from ..progress import on_the_terminal, save, tell

_QUERY = Path(__file__).parents[4] / "examples" / "linear-road" / "tolls.xq"


def linear_road(
    expressways: Annotated[
        float, typer.Option("--expressways", help="Number of expressways (L), in steps of a half.")
    ] = 1.0,
    minutes: Annotated[int, typer.Option("--minutes", min=1, max=180, help="Last minute.")] = 10,
    from_minute: Annotated[int, typer.Option("--from-minute", min=1, help="First minute.")] = 1,
    warm_up: Annotated[
        int,
        typer.Option(
            "--warm-up",
            min=0,
            help="Send this many minutes before --from-minute first, without the clock, so that a run that begins in "
            "the middle knows the vehicles on the road. Only in one process.",
        ),
    ] = 0,
    speed: Annotated[
        str, typer.Option("--speed", help="Speed, in multiples of real time; `max` ignores the clock.")
    ] = "1",
    on: Annotated[str, typer.Option("--on", metavar="local|spark", help="Run in one process, or on Spark.")] = "local",
    kills: Annotated[
        int,
        typer.Option(
            "--kills", min=0, help="Number of times to kill and restart the system. In one process: with --speed max."
        ),
    ] = 0,
    query: Annotated[
        Path | None, typer.Option("--query", metavar="FILE", help="Another query than examples/linear-road/tolls.xq.")
    ] = None,
    pooled: Annotated[bool, typer.Option("--pooled", help="Give all reports of five minutes the same weight.")] = False,
    seed: Annotated[int, typer.Option("--seed", help="The same seed gives the same traffic.")] = 0,
    folder: Annotated[
        Path | None, typer.Option("--folder", metavar="DIR", help="Directory that keeps the data sets for later runs.")
    ] = None,
    prepare: Annotated[
        bool, typer.Option("--prepare", help="Only write the data set to --folder, for a later run.")
    ] = False,
    json_file: Annotated[
        Path | None, typer.Option("--json", metavar="FILE", help="Write the figures to this file.")
    ] = None,
    svg_file: Annotated[
        Path | None,
        typer.Option(
            "--svg", metavar="FILE", help="Plot the response times in this file; without a clock, memory over time."
        ),
    ] = None,
) -> None:
    """Run Linear Road: a driver releases tuples by the clock, the query answers, and every answer is checked."""
    from .dataset import Wanted
    from .rating import DataSet, rate
    from .report import RatingReport

    pace = _pace(speed)
    if expressways <= 0 or expressways * 2 != int(expressways * 2):
        raise typer.BadParameter("a multiple of 0.5", param_hint="--expressways")
    if from_minute > minutes:
        raise typer.BadParameter(f"not after minute {minutes}", param_hint="--from-minute")
    if on not in ("local", "spark"):
        raise typer.BadParameter("local or spark", param_hint="--on")
    if kills and on == "local" and pace:
        raise typer.BadParameter("one process starts again from a file: say --speed max", param_hint="--kills")
    if warm_up and (on == "spark" or kills or not pace):
        raise typer.BadParameter("needs one process and a clock", param_hint="--warm-up")
    if warm_up >= from_minute:
        raise typer.BadParameter(f"fewer than {from_minute} minutes are before", param_hint="--warm-up")
    program = query or _QUERY
    if not program.is_file():
        raise typer.BadParameter(f"{program} is not there", param_hint="--query")
    wanted = Wanted(expressways, minutes, from_minute - warm_up, seed)
    if prepare:
        if folder is None:
            raise typer.BadParameter("needs --folder, which keeps the data set", param_hint="--prepare")
        folder.mkdir(parents=True, exist_ok=True)
        figures = DataSet(wanted, folder.absolute()).figures()
        tell([f"{figures.tuples:,} tuples of {figures.vehicles:,} vehicles in {folder}"], [])
        return
    with TemporaryDirectory(prefix="xylem-linear-road-") as temporary:
        place = (folder or Path(temporary)).absolute()
        place.mkdir(parents=True, exist_ok=True)
        show = on_the_terminal()
        rating = rate(
            wanted,
            pace,
            program.absolute(),
            place,
            show,
            pooled=pooled,
            on_spark=on == "spark",
            kills=kills,
            warm_up=warm_up,
        )
        report = RatingReport(rating)
    tell(report.lines(), report.verdicts())
    save(json_file, report.as_json, svg_file, report.figure)
    if not report.rating.verdict.is_valid:
        raise typer.Exit(1)


def _pace(text: str) -> float:
    if text == "max":
        return 0.0
    try:
        speed = float(text.removesuffix("x"))
    except ValueError:
        speed = 0.0
    if not 0 < speed < 1e6:
        raise typer.BadParameter("a positive number, or max", param_hint="--speed")
    return speed
