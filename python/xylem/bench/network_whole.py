"""All measurements of `xylem bench network` in turn: E1, E2, E3 and the bars, with their figures as JSON and SVG.

E3 has two halves: many subscriptions at one site, which are run, and plans for 1,600 super-peers, which are counted.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from .bar_chart import bar_chart
from .network_grid import GridResult, grid_run
from .network_isolation import isolation
from .network_optimum import Optimum, optimum_runs
from .network_registration import registration_cost
from .network_run import NetworkResult, thesis_network
from .progress import on_the_terminal, save
from .shared_scan_run import SharedScan, shared_scans

Verdict = tuple[bool, str]
LEAST_RATIOS = {10: 0.8, 100: 0.6, 1000: 0.4, 10_000: 0.2}
"""Throughput of a shared scan beside Vela alone, by the number of subscriptions."""
LINKS = 100_000.0
"""Bytes per second of a link of the grid."""


@dataclass(frozen=True)
class Sizes:
    """How much is measured."""

    records: int = 100_000
    grid_records: int = 20_000
    subscriptions: int = 100
    overlaps: tuple[float, ...] = (0.1, 0.5, 0.8, 0.95)
    scans: tuple[int, ...] = (1, 10, 100, 1000, 10_000)
    side: int = 40
    on_large_grid: int = 2000
    large_grid_records: int = 1000
    registered: int = 10_000
    registrations: int = 100
    beside: int = 100
    optimum: int = 200


SMALL = Sizes(4000, 1500, 24, (0.5, 0.8), (1, 10, 100), 6, 60, 400, 200, 30, 20, 10)


def whole_run(directory: Path, seed: int, sizes: Sizes) -> Iterator[NetworkResult | GridResult | Verdict]:
    """Measure everything; results and verdicts come as soon as they are known."""
    directory.mkdir(parents=True, exist_ok=True)
    step = on_the_terminal()
    for name, part in (
        ("thesis", _thesis), ("grid", _grids), ("large-grid", _large_grid), ("shared-scan", _scans),
        ("registration", _registrations), ("isolation", _isolated), ("optimum", _optimum),
    ):  # fmt: skip
        step(name)
        yield from part(directory / name, seed, sizes)


def _thesis(path: Path, seed: int, sizes: Sizes) -> Iterator[NetworkResult | Verdict]:
    result = thesis_network(sizes.records, seed, with_alert=False)
    yield result
    _save(path, result, "Bytes over all links", ["E1"], {one.name: [one.measured] for one in result.strategies}, "B")
    sharing = next(one for one in result.strategies if one.name == "sharing, one after another")
    most = 27.5e6 * sizes.records / 100_000
    yield sharing.measured <= most, f"E1: {sharing.measured:,} bytes (at most {most:,.0f})"
    off = max(abs(one.predicted / one.measured - 1) for one in result.strategies)
    yield off <= 0.05, f"E1: predicted within {off:.1%} of measured (at most 5 %)"


def _grids(path: Path, seed: int, sizes: Sizes) -> Iterator[GridResult | Verdict]:
    results = []
    for overlap in sizes.overlaps:
        found = grid_run(4, sizes.grid_records, seed, sizes.subscriptions, overlap, bandwidth=LINKS)
        yield found
        results.append(found)
        if overlap == 0.8:
            of = {one.name: one.backbone for one in found.strategies}
            share = of["sharing, streams become wider"] / of["query shipping"]
            yield share <= 0.5, f"E2: {share:.3f} of the backbone bytes of query shipping at 80 % overlap (at most 0.5)"
    _save_grids(path, "E2: bytes over the backbone", results)


def _large_grid(path: Path, seed: int, sizes: Sizes) -> Iterator[GridResult]:
    number = sizes.on_large_grid
    found = grid_run(sizes.side, sizes.large_grid_records, seed, number, 0.8, widens=False, bandwidth=LINKS)
    yield found
    _save_grids(path, "E3: bytes over the backbone", [found])


def _scans(path: Path, seed: int, sizes: Sizes) -> Iterator[Verdict]:
    found = shared_scans(sizes.records, seed, list(sizes.scans))
    titles = [f"{one.subscriptions:,}" for one in found]
    series = {"scan": [one.scan_ms for one in found], "Vela alone": [one.scan_ms * one.ratio for one in found]}
    _save(path, found, "CPU of one scan for all subscriptions", titles, series, "ms")
    yield from map(_scan_verdict, found)
    for one in found:
        if one.subscriptions >= 1000:
            told = f"{one.kilobytes_each:.1f} kB for each of {one.subscriptions:,} idle subscriptions (at most 20)"
            yield one.kilobytes_each <= 20, told
    last = found[-1]
    told = f"a registration at a site with {last.subscriptions:,}, 99th percentile: {last.registration_p99_ms:.1f} ms"
    yield last.registration_p99_ms <= 100, f"{told} (at most 100)"


def _scan_verdict(one: SharedScan) -> Verdict:
    least = LEAST_RATIOS.get(one.subscriptions, 0.0)
    told = f"{one.subscriptions:,} subscriptions: {one.scan_ms:,.0f} ms, {one.ratio:.2f} of the speed of Vela alone"
    return one.ratio >= least, f"{told} (at least {least:g})"


def _registrations(path: Path, seed: int, sizes: Sizes) -> Iterator[Verdict]:
    one = registration_cost(sizes.registered, seed, sizes.registrations)
    parts = {"matching": one.matching, "placing": one.placing, "measuring": one.measuring, "all told": one.all_told}
    series: dict[str, list[float]] = {name: [_at(times, 0.5), _at(times, 0.99)] for name, times in parts.items()}
    _save(path, one, f"A registration beside {one.registered:,} others", ["middle", "99th percentile"], series, "ms")
    beside = f"in a network with {one.registered:,} subscriptions, 99th percentile"
    for name, most in (("matching", 5), ("all told", 100)):
        late = series[name][1]
        yield late <= most, f"{name} of a registration {beside}: {late:.1f} ms of CPU (at most {most})"


def _isolated(path: Path, seed: int, sizes: Sizes) -> Iterator[Verdict]:
    one = isolation(sizes.records, seed, sizes.beside)
    _save(path, one, "CPU for the others", ["in all"], {"alone": [one.alone_ms], "beside": [one.beside_ms]}, "ms")
    yield one.is_same, "others have the same answers beside a subscriber that stalls and one that fails"
    if not one.alone_ms:
        # Too short a stream to be measured.
        return
    cost = one.beside_ms / one.alone_ms - 1
    yield cost < 0.05, f"a subscriber that stalls and one that fails cost the others {cost:+.1%} (below 5 %)"


def _optimum(path: Path, seed: int, sizes: Sizes) -> Iterator[Verdict]:
    if find_spec("ortools") is None:
        yield False, "the best plans were not looked for: pip install 'xylem-xquery[bench]'"
        return
    found = optimum_runs(sizes.optimum, seed)
    series = {
        name: [_at(_shares(found, name), share) for share in (0.5, 0.95, 1.0)] for name in ("incremental", "together")
    }
    titles = ["middle", "95th percentile", "most"]
    _save(path, found, "Cost beside that of the best plans", titles, series, "x")
    for name, most in (("incremental", 1.25), ("together", 1.05)):
        worst = series[name][-1]
        yield worst <= most, f"{name}: at most {worst:.3f} times the best of {len(found)} networks (at most {most})"


def _shares(found: Sequence[Optimum], name: str) -> list[float]:
    return [getattr(one, name) / one.best for one in found]


def _at(values: Sequence[float], share: float) -> float:
    """The value that this share of all do not exceed."""
    return sorted(values)[min(len(values) - 1, int(len(values) * share))]


def _save_grids(path: Path, title: str, results: list[GridResult]) -> None:
    names = [one.name for one in results[0].strategies if one.backbone]
    of = [{one.name: float(one.backbone) for one in result.strategies} for result in results]
    titles = [f"{result.overlap:.0%} overlap" for result in results]
    _save(path, results, title, titles, {name: [one[name] for one in of] for name in names}, "B")


def _save(
    path: Path, result: Any, title: str, groups: Sequence[str], series: dict[str, Any], unit: str
) -> None:
    figures = [asdict(one) for one in result] if isinstance(result, list) else [asdict(result)]
    drawn: dict[str, list[float | None]] = {name: [float(value) for value in row] for name, row in series.items()}
    files = path.with_suffix(".json"), path.with_suffix(".svg")
    save(files[0], lambda: figures, files[1], lambda: bar_chart(title, groups, drawn, unit))
