"""`xylem bench network`: what subscriptions send, with and without sharing."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from .progress import save


def network_traffic(
    records: Annotated[int, typer.Option("--records", min=100, help="Number of photons.")] = 20_000,
    seed: Annotated[int, typer.Option("--seed", help="The same seed gives the same photons.")] = 0,
    alert: Annotated[bool, typer.Option("--alert", help="Add RXJ-alert to Vela and RXJ.")] = False,
    subscriptions: Annotated[
        int,
        typer.Option("--subscriptions", min=0, help="Number of subscriptions on a grid of 16 super-peers; 0 for none."),
    ] = 0,
    overlap: Annotated[
        str, typer.Option("--overlap", help="Percentage of boxes that lie inside others.")
    ] = "10,50,80,95",
    shared: Annotated[
        str, typer.Option("--shared", help="Numbers of subscriptions that share one scan, such as 1,10,100,1000,10000.")
    ] = "",
    json_file: Annotated[
        Path | None, typer.Option("--json", metavar="FILE", help="Write the figures to this file.")
    ] = None,
    svg_file: Annotated[
        Path | None, typer.Option("--svg", metavar="FILE", help="Write a bar chart to this file.")
    ] = None,
) -> None:
    """Count the bytes over the links of a network: data shipping, query shipping and sharing."""
    from dataclasses import asdict

    from .bar_chart import bar_chart
    from .network_run import grid_network, thesis_network
    from .option_lists import listed_numbers

    if shared:
        _shared_scans(records, seed, listed_numbers(shared, "--shared", int), json_file)
        return
    results = [thesis_network(records, seed, with_alert=alert)]
    if subscriptions:
        shares = listed_numbers(overlap, "--overlap", float)
        results += [grid_network(records, seed, subscriptions, share / 100) for share in shares]
    for one in results:
        typer.echo(f"{one.title}; {one.subscriptions} subscriptions, {one.shared} use the stream of another")
        typer.echo(f"  {'bytes':<44}{'measured':>14}{'predicted':>14}{'most on a link':>16}{'backbone':>14}")
        for each in one.strategies:
            figures = f"{each.measured:>14,}{each.predicted:>14,}{each.most_on_a_link:>16,}{each.backbone:>14,}"
            typer.echo(f"  {each.name:<44}{figures}" + (f"  {each.refused} refused" if each.refused else ""))
        times = sorted(one.registration_ms)
        if times:
            middle, late = times[len(times) // 2], times[int(len(times) * 0.99)]
            typer.echo(f"  registration: {middle:.1f} ms of CPU in the middle, {late:.1f} ms at the 99th percentile")
    series: dict[str, list[float | None]] = {
        each.name: [float(one.strategies[at].measured) if at < len(one.strategies) else None for one in results]
        for at, each in enumerate(results[0].strategies)
    }
    titles = [one.title.partition(":")[0] for one in results]
    save(
        json_file,
        lambda: [asdict(one) for one in results],
        svg_file,
        lambda: bar_chart("Bytes over all links", titles, series, "B"),
    )


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
