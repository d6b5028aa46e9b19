"""`xylem bench network`: what subscriptions send, with and without sharing."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from .progress import save

if TYPE_CHECKING:
    from .network_grid import GridResult
    from .network_run import NetworkResult


def network_traffic(
    records: Annotated[int, typer.Option("--records", min=100, help="Number of photons.")] = 20_000,
    seed: Annotated[int, typer.Option("--seed", help="The same seed gives the same photons.")] = 0,
    alert: Annotated[bool, typer.Option("--alert", help="Add RXJ-alert to Vela and RXJ.")] = False,
    subscriptions: Annotated[
        int,
        typer.Option("--subscriptions", min=0, help="Number of subscriptions on a grid of super-peers; 0 for none."),
    ] = 0,
    overlap: Annotated[
        str, typer.Option("--overlap", help="Percentage of each box that lies in the box of another.")
    ] = "10,50,80,95",
    regions: Annotated[
        int, typer.Option("--regions", min=1, help="Number of boxes of each stream that lie anywhere.")
    ] = 1,
    side: Annotated[int, typer.Option("--side", min=2, help="Number of rows and columns of the grid.")] = 4,
    bandwidth: Annotated[
        float, typer.Option("--bandwidth", min=1, help="Bandwidth of the links of the grid, in bytes per second.")
    ] = 100_000.0,
    optimum: Annotated[
        int, typer.Option("--optimum", min=0, help="Number of small networks to compare with the best plans.")
    ] = 0,
    isolation: Annotated[
        int,
        typer.Option("--isolation", min=0, help="Number of subscriptions next to one that stalls and one that fails."),
    ] = 0,
    shared: Annotated[
        str, typer.Option("--shared", help="Numbers of subscriptions that share one scan, such as 1,10,100,1000,10000.")
    ] = "",
    whole: Annotated[
        Path | None,
        typer.Option("--whole", metavar="DIR", help="Measure all of these, and write figures to this directory."),
    ] = None,
    small: Annotated[
        bool, typer.Option("--small", help="With `--whole`: small networks, which take minutes instead of an hour.")
    ] = False,
    json_file: Annotated[
        Path | None, typer.Option("--json", metavar="FILE", help="Write the figures to this file.")
    ] = None,
    svg_file: Annotated[
        Path | None, typer.Option("--svg", metavar="FILE", help="Write a bar chart to this file.")
    ] = None,
) -> None:
    """Count the bytes over the links of a network: data shipping, query shipping and sharing."""
    from .option_lists import listed_numbers

    if whole is not None:
        _whole(whole, seed, is_small=small)
    elif shared:
        _shared_scans(records, seed, listed_numbers(shared, "--shared", int), json_file)
    elif optimum:
        _optimum(optimum, seed, json_file)
    elif isolation:
        _isolation(records, seed, isolation, json_file)
    elif subscriptions:
        shares = listed_numbers(overlap, "--overlap", float)
        _grid(records, seed, subscriptions, shares, side, bandwidth, regions, json_file, svg_file)
    else:
        _thesis(records, seed, alert, json_file, svg_file)


def _whole(directory: Path, seed: int, *, is_small: bool) -> None:
    from .network_whole import SMALL, Sizes, whole_run
    from .progress import tell

    verdicts: list[tuple[bool, str]] = []
    for found in whole_run(directory, seed, SMALL if is_small else Sizes()):
        if isinstance(found, tuple):
            verdicts.append(found)
        else:
            _tell(found)
    tell((), verdicts)


def _thesis(records: int, seed: int, alert: bool, json_file: Path | None, svg_file: Path | None) -> None:
    from dataclasses import asdict

    from .bar_chart import bar_chart
    from .network_run import thesis_network

    result = thesis_network(records, seed, with_alert=alert)
    _tell(result)
    series: dict[str, list[float | None]] = {each.name: [float(each.measured)] for each in result.strategies}
    save(
        json_file, lambda: [asdict(result)], svg_file, lambda: bar_chart("Bytes over all links", ["E1"], series, "B")
    )


def _grid(
    records: int,
    seed: int,
    number: int,
    shares: list[float],
    side: int,
    bandwidth: float,
    regions: int,
    json_file: Path | None,
    svg_file: Path | None,
) -> None:
    from dataclasses import asdict

    from .bar_chart import bar_chart
    from .network_grid import grid_run

    results = []
    for share in shares:
        # Wider streams are measured one by one, which takes too long for very many.
        widens = number <= 200
        found = grid_run(
            side, records, seed, number, share / 100, widens=widens, bandwidth=bandwidth, regions=regions
        )
        _tell(found)
        results.append(found)
    titles = [f"{share:g} % overlap" for share in shares]
    series: dict[str, list[float | None]] = {
        each.name: [float(one.strategies[at].backbone) for one in results]
        for at, each in enumerate(results[0].strategies)
        if each.backbone
    }
    save(
        json_file,
        lambda: [asdict(one) for one in results],
        svg_file,
        lambda: bar_chart("Bytes over the backbone", titles, series, "B"),
    )


def _tell(one: NetworkResult | GridResult) -> None:
    typer.echo(f"{one.title}; {one.subscriptions:,} subscriptions, {one.shared:,} use the stream of another")
    columns = f"{'measured':>14}{'predicted':>14}{'most on a link':>16}{'backbone':>14}{'CPU':>9}{'busiest':>9}"
    typer.echo(f"  {'bytes':<44}{columns}")
    for each in one.strategies:
        figures = f"{each.measured:>14,}{each.predicted:>14,}{each.most_on_a_link:>16,}{each.backbone:>14,}"
        figures += f"{each.cpu_seconds:>7.2f} s{each.most_cpu_seconds:>7.2f} s" if each.cpu_seconds else ""
        typer.echo(f"  {each.name:<44}{figures}" + (f"  {each.refused} refused" if each.refused else ""))
    if (common := getattr(one, "common", 0.0)) > 0:
        typer.echo(f"  another subscription asks for {common:.0%} of the photons of one, on average")
    least = getattr(one, "least_backbone", 0)
    if least:
        typer.echo(f"  no plan can send less over the backbone than {least:,} bytes")
    times = sorted(one.registration_ms)
    if times:
        middle, late = times[len(times) // 2], times[int(len(times) * 0.99)]
        typer.echo(f"  registration: {middle:.1f} ms of CPU in the middle, {late:.1f} ms at the 99th percentile")


def _optimum(cases: int, seed: int, json_file: Path | None) -> None:
    from dataclasses import asdict

    from .network_optimum import optimum_runs

    if find_spec("ortools") is None:
        typer.echo("the best plans are found by OR-Tools: pip install 'xylem-xquery[bench]'", err=True)
        raise typer.Exit(1)
    results = optimum_runs(cases, seed)
    typer.echo(f"{cases} networks of up to 8 peers and 12 subscriptions; cost beside that of the best plans")
    for name in ("incremental", "together"):
        every = sorted(getattr(one, name) / one.best for one in results)
        shares = [share for share in every if share != float("inf")]
        if len(shares) < len(every):
            typer.echo(f"  {name}: {len(every) - len(shares)} have room for all, and something was refused")
        mean, late = sum(shares) / len(shares), shares[int(len(shares) * 0.95)]
        typer.echo(f"  {name:<14}{mean:>8.3f} on average{late:>8.3f} at the 95th percentile{shares[-1]:>8.3f} at most")
    save(json_file, lambda: [asdict(one) for one in results], None, lambda: "")


def _isolation(records: int, seed: int, number: int, json_file: Path | None) -> None:
    from dataclasses import asdict

    from .network_isolation import isolation

    one = isolation(records, seed, number)
    states = ", ".join(f"{name} is {state}" for name, state in one.states.items())
    typer.echo(f"{number} subscriptions over {records:,} photons; {states}; answers are the same: {one.is_same}")
    typer.echo(f"  CPU alone {one.alone_ms:,.0f} ms, beside them {one.beside_ms:,.0f} ms")
    cost = one.beside_later_ms / one.alone_later_ms - 1
    typer.echo(f"  once they are left: {one.alone_later_ms:,.0f} ms and {one.beside_later_ms:,.0f} ms ({cost:+.1%})")
    save(json_file, lambda: [asdict(one)], None, lambda: "")


def _shared_scans(records: int, seed: int, numbers: list[int], json_file: Path | None) -> None:
    from dataclasses import asdict

    from .shared_scan_run import shared_scans

    results = shared_scans(records, seed, numbers)
    typer.echo(f"subscriptions of one stream, {records:,} photons; times are CPU")
    typer.echo(f"{'':>14}{'scan':>12}{'Vela alone':>12}{'registration':>18}{'memory each':>14}")
    for one in results:
        registered = f"{one.registration_p50_ms:.1f}, p99 {one.registration_p99_ms:.1f} ms"
        typer.echo(
            f"{one.subscriptions:>14,}{one.scan_ms:>9,.0f} ms{one.ratio:>11.2f}x{registered:>18}"
            f"{one.kilobytes_each:>11,.0f} kB"
        )
    save(json_file, lambda: [asdict(one) for one in results], None, lambda: "")
