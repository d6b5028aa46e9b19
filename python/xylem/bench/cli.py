"""`xylem bench`: generate data, and measure Xylem side by side with its peers."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated

import typer

from .best_match_command import best_match
from .everyday_command import everyday_cost
from .history_command import history_cost
from .linear_road.command import linear_road
from .messages_command import messages_cost
from .network_command import network_traffic
from .single_pass_command import single_pass
from .soak_command import soak_test
from .spark_command import spark_speed
from .stream_commands import flux_buffers, scan_speed, xqpull_caches
from .windows_command import windows
from .xmark_command import xmark_times

app = typer.Typer(
    name="bench",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode="markdown",
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
    help="Generate data and run benchmarks.",
)
data = typer.Typer(no_args_is_help=True, rich_markup_mode="markdown", help="Generate documents of any size.")
app.add_typer(data, name="data")

Seed = Annotated[int, typer.Option("--seed", help="The same seed gives the same document.")]
Output = Annotated[Path, typer.Option("-o", "--output", metavar="FILE", help="Output file; `-` is standard output.")]


@data.command("xmark", epilog="Example: `xylem bench data xmark --scale 0.1 -o auction.xml`")
def xmark_data(
    output: Output,
    scale: Annotated[float, typer.Option("--scale", help="1 is about 116 MB.")] = 0.1,
    seed: Seed = 0,
) -> None:
    """Generate an auction document like those of the XMark benchmark."""
    from . import xmark

    if not scale > 0:
        raise typer.BadParameter("a scale is a positive number", param_hint="--scale")
    _write(output, xmark.generate(scale, seed))


@data.command("photons", epilog="Example: `xylem bench data photons --records 100000 -o photons.xml`")
def photons_data(
    output: Output,
    records: Annotated[int, typer.Option("--records", min=0, help="Number of photons.")] = 10_000,
    seed: Seed = 0,
) -> None:
    """Generate a stream of photon events in the order of their detection."""
    from . import photons

    _write(output, photons.generate(records, seed))


@data.command("dblp", epilog="Example: `xylem bench data dblp --records 100000 -o dblp.xml`")
def dblp_data(
    output: Output,
    records: Annotated[int, typer.Option("--records", min=0, help="Number of publications.")] = 10_000,
    seed: Seed = 0,
) -> None:
    """Generate a bibliography like DBLP: many small records in no particular order."""
    from . import dblp

    _write(output, dblp.generate(records, seed))


@data.command("linear-road", epilog="Example: `xylem bench data linear-road --minutes 10 -o tuples.xml`")
def linear_road_data(
    output: Output,
    expressways: Annotated[
        float, typer.Option("--expressways", help="Number of expressways (L), in steps of a half.")
    ] = 1.0,
    minutes: Annotated[int, typer.Option("--minutes", min=1, max=180, help="Last minute.")] = 180,
    from_minute: Annotated[
        int, typer.Option("--from-minute", min=1, help="First minute to write; the traffic is the same.")
    ] = 1,
    form: Annotated[str, typer.Option("--format", help="`xml`, or `csv` as in the benchmark.")] = "xml",
    history: Annotated[
        Path | None,
        typer.Option("--history", metavar="FILE", help="Write the toll history of all vehicles to this file."),
    ] = None,
    noise: Annotated[bool, typer.Option("--noise", help="Include reports that must be ignored.")] = False,
    seed: Seed = 0,
) -> None:
    """Generate position reports and requests of Linear Road, in the order of time."""
    from .linear_road.dataset import Wanted, write_dataset

    if expressways <= 0 or expressways * 2 != int(expressways * 2):
        raise typer.BadParameter("a multiple of 0.5", param_hint="--expressways")
    if form not in ("xml", "csv"):
        raise typer.BadParameter("xml or csv", param_hint="--format")
    if from_minute > minutes:
        raise typer.BadParameter(f"not after minute {minutes}", param_hint="--from-minute")
    start = time.perf_counter()
    try:
        made = write_dataset(Wanted(expressways, minutes, from_minute, seed, form, noise), output, history)
    except OSError as reason:
        raise typer.BadParameter(f"{reason.filename}: {reason.strerror}", param_hint="-o") from reason
    typer.echo(
        f"{output}: {made.tuples:,} tuples of {made.vehicles:,} vehicles, at most {made.peak_tuples_per_second:,} in a"
        f" second, {made.accidents_planted} accidents; {made.byte_count:,} bytes"
        f" in {time.perf_counter() - start:.1f} s",
        err=True,
    )


def _write(output: Path, pieces: Iterator[str]) -> None:
    if str(output) == "-":
        sys.stdout.writelines(pieces)
        return
    start, size = time.perf_counter(), 0
    try:
        with open(output, "w", encoding="ascii", newline="\n", buffering=1 << 20) as file:
            for piece in pieces:
                size += file.write(piece)
    except OSError as reason:
        raise typer.BadParameter(f"{output}: {reason.strerror}", param_hint="-o") from reason
    seconds = time.perf_counter() - start
    typer.echo(f"{output}: {size:,} bytes in {seconds:.1f} s", err=True)


matches = app.command("best-match", epilog="Example: `xylem bench best-match --records 100000 --json matches.json`")(
    best_match
)
everyday = app.command("everyday", epilog="Example: `xylem bench everyday --size 20 --json day.json`")(everyday_cost)
flux = app.command("flux", epilog="Example: `xylem bench flux --size 10 --json buffers.json`")(flux_buffers)
scan = app.command("scan", epilog="Example: `xylem bench scan --sizes 100,1000 --svg scan.svg`")(scan_speed)
road = app.command("linear-road", epilog="Example: `xylem bench linear-road --minutes 5 --speed 10 --svg times.svg`")(
    linear_road
)
history = app.command("history", epilog="Example: `xylem bench history --regions 1000,10000 --peers saxon`")(
    history_cost
)
messages = app.command("messages", epilog="Example: `xylem bench messages --messages 10000 --no-spark`")(messages_cost)
passes = app.command("single-pass", epilog="Example: `xylem bench single-pass --sizes 1,10 --limit 60`")(single_pass)
spark = app.command("spark", epilog="Example: `xylem bench spark --size 100 --json spark.json`")(spark_speed)
costs = app.command("windows", epilog="Example: `xylem bench windows --sizes 10,1000 --svg windows.svg`")(windows)
traffic = app.command("network", epilog="Example: `xylem bench network --records 100000 --alert`")(network_traffic)
soak = app.command("soak", epilog="Example: `xylem bench soak --minutes 10 --svg soak.svg`")(soak_test)
xmark = app.command("xmark", epilog="Example: `xylem bench xmark --stream --sizes 11,116 --json xmark.json`")(
    xmark_times
)
xqpull = app.command("xqpull", epilog="Example: `xylem bench xqpull --size 20`")(xqpull_caches)
