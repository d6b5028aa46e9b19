"""The figures of streamed XMark queries as a table, as bars in SVG, as JSON; and which of our own bars they clear."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from rich.table import Table

from .bar_chart import bar_chart
from .machine_load import busy_machine
from .single_pass_report import MOST_MORE_BYTES
from .xmark_stream_run import QueryAtSize, StreamTimes
from .xmark_stream_worker import BY_HAND, ON_SPARK, SAXON, STREAMED, TREE

MOST_PER_DECADE = 12.0
"""Ten times the input may take so many times as long: more is worse than linear."""
MOST_OF_TREE = 1.5
MOST_OF_SAXON = 1.0
MOST_OF_HAND = 2.0
JOINS = range(8, 13)
KEEPING = frozenset({*JOINS, 19})
"""Joins, and an order: these must keep something of their input, all others need not."""


def tables(times: StreamTimes) -> Iterator[Table]:
    """Seconds with growth and ratios, then memory: a row for each query and size."""
    yield _table(times, "CPU seconds (parse), times the peer's time", _time_cell, "10× the input")
    yield _table(times, "peak memory in MB", _memory_cell)


def _table(times: StreamTimes, what: str, cell: Callable[[QueryAtSize, str], str], *growth: str) -> Table:
    names = _engines(times)
    made = Table(title=f"XMark, from file to answer: {what}")
    for title in ("query", "MB", *names, *growth):
        made.add_column(title, justify="right")
    for row, smaller in times.with_smaller():
        grown = [_grown(None if smaller is None else row.per_decade(smaller)) for _ in growth]
        made.add_row(f"Q{row.number}", f"{row.megabytes:.0f}", *(cell(row, name) for name in names), *grown)
    return made


def _engines(times: StreamTimes) -> list[str]:
    return list(
        dict.fromkeys(name for row in times.rows for name in (*row.taken, *row.stopped, *row.skipped, *row.reasons))
    )


def _time_cell(row: QueryAtSize, name: str) -> str:
    taken = row.taken.get(name)
    if taken is None:
        return _untaken(row, name)
    # Several processes work on Spark: only elapsed time says what it takes.
    if name == ON_SPARK:
        return f"{taken.wall_seconds:.2f}"
    parse = "" if taken.parse_cpu_seconds is None else f" ({taken.parse_cpu_seconds:.2f})"
    ratio = None if name == STREAMED else row.ratio(name)
    return f"{taken.cpu_seconds:.2f}{parse}{'' if ratio is None else f' {_times(ratio)}'}"


def _memory_cell(row: QueryAtSize, name: str) -> str:
    taken = row.taken.get(name)
    return _untaken(row, name) if taken is None else f"{taken.peak_rss_bytes / 1e6:.0f}"


def _untaken(row: QueryAtSize, name: str) -> str:
    if name in row.stopped:
        return f"> {row.stopped[name]:g} s"
    return "skipped" if name in row.skipped else "error" if name in row.reasons else ""


def _times(ratio: tuple[float, float]) -> str:
    least, most = ratio
    return f"{least:.2f}×" if least == most else f"> {least:.1f}×" if most > least > 0 else f"< {most:.2f}×"


def _grown(growth: tuple[float, bool] | None) -> str:
    if growth is None:
        return ""
    return f"{'> ' if growth[1] else ''}{growth[0]:.1f}×"


def remarks(times: StreamTimes) -> Iterator[str]:
    """What else a reader must know."""
    yield "streamed, tree: Xylem. × is the time of the stream against that of the column."
    if ON_SPARK in _engines(times):
        yield "on Spark: elapsed seconds of an answer, and the memory of the largest worker; starting is not counted."
    busy = busy_machine(times.others)
    if busy is not None:
        yield busy
    for (name, reason), queries in _reasons(times).items():
        yield f"{name} is left out for {queries}: {reason}"
    skipped = [(row, name) for row in times.rows for name in row.skipped]
    for row, name in skipped:
        yield f"{_where(row)} by {name}: skipped, since a smaller document took more than {times.limit_seconds:g} s"


def _reasons(times: StreamTimes) -> dict[tuple[str, str], str]:
    found: dict[tuple[str, str], list[str]] = {}
    for row in times.rows:
        for told in row.reasons.items():
            found.setdefault(told, []).append(_where(row))
    return {told: "; ".join(places) for told, places in found.items()}


def _where(row: QueryAtSize) -> str:
    return f"Q{row.number}, {row.megabytes:.0f} MB"


@dataclass(frozen=True)
class Judged:
    """One figure against a bar."""

    row: QueryAtSize
    told: str
    holds: bool
    size: float
    """By which the worst of those that hold is found."""


def verdicts(times: StreamTimes) -> Iterator[tuple[bool, str]]:
    """Each bar: where it is missed, and for how many it holds."""
    yield from _bar(f"ten times the input takes {MOST_PER_DECADE:g}× the time at most", _growth(times))
    yield from _bar(f"{MOST_OF_TREE:g}× its own tree at most", _ratios(times.rows, TREE, MOST_OF_TREE))
    yield from _bar("not slower than Saxon", _ratios(times.rows, SAXON, MOST_OF_SAXON))
    joins = [row for row in times.rows if row.number in JOINS]
    yield from _bar(f"joins, {MOST_OF_HAND:g}× the join by hand at most", _ratios(joins, BY_HAND, MOST_OF_HAND))
    flat = f"{MOST_MORE_BYTES / 1e6:g} MB more memory for the largest document at most"
    yield from _bar(f"{flat}, where nothing must be kept", _memory(times))
    for row in times.rows:
        if not row.agree:
            yield False, f"{_where(row)}: the answers differ: {_parties(row)}"
        if STREAMED in row.reasons:
            yield False, f"{_where(row)}: {row.reasons[STREAMED]}"


def _parties(row: QueryAtSize) -> str:
    by_answer: dict[str, list[str]] = {}
    for name, taken in row.taken.items():
        by_answer.setdefault(taken.answer, []).append(name)
    return " / ".join(", ".join(names) for names in by_answer.values())


def _bar(name: str, figures: Iterable[Judged]) -> Iterator[tuple[bool, str]]:
    judged = list(figures)
    missed = [figure for figure in judged if not figure.holds]
    if missed:
        yield False, f"{name}; but {'; '.join(_by_query(missed))}"
    held = [figure for figure in judged if figure.holds]
    if held:
        worst = max(held, key=lambda figure: figure.size)
        yield True, f"{name}: {len(held)} of {len(judged)}, the worst of them {_where(worst.row)} ({worst.told})"


def _by_query(figures: Sequence[Judged]) -> Iterator[str]:
    for number in sorted({figure.row.number for figure in figures}):
        told = [f"{f.told} at {f.row.megabytes:.0f} MB" for f in figures if f.row.number == number]
        yield f"Q{number} {', '.join(told)}"


def _growth(times: StreamTimes) -> Iterator[Judged]:
    for row, smaller in times.with_smaller():
        growth = None if smaller is None else row.per_decade(smaller)
        if growth is not None:
            # Who was stopped has taken too long, by however much.
            holds = growth[0] <= MOST_PER_DECADE and not growth[1]
            yield Judged(row, _grown(growth), holds, growth[0])


def _ratios(rows: Iterable[QueryAtSize], peer: str, bar: float) -> Iterator[Judged]:
    for row in rows:
        ratio = row.ratio(peer)
        if ratio is not None:
            yield Judged(row, _times(ratio), ratio[1] <= bar, ratio[1])


def _memory(times: StreamTimes) -> Iterator[Judged]:
    for number in dict.fromkeys(row.number for row in times.rows if row.number not in KEEPING):
        rows = [row for row in times.of_query(number) if STREAMED in row.taken]
        if len(rows) > 1:
            more = rows[-1].taken[STREAMED].peak_rss_bytes - rows[0].taken[STREAMED].peak_rss_bytes
            told = f"{more / 1e6:+.1f} MB from {rows[0].megabytes:.0f} MB of input"
            yield Judged(rows[-1], told, more < MOST_MORE_BYTES, more)


def figure(times: StreamTimes) -> str:
    """Seconds by query and size, as SVG; of who was stopped, the seconds until then."""
    rows = [row for row, _ in times.with_smaller()]
    groups = [f"Q{row.number} {row.megabytes:.0f}" for row in rows]
    series = {name: [_drawn(row, name) for row in rows] for name in _engines(times)}
    return bar_chart("XMark, from file to answer: CPU time (MB of input)", groups, series, "s")


def _drawn(row: QueryAtSize, name: str) -> float | None:
    taken = row.taken.get(name)
    if taken is None:
        return row.stopped.get(name)
    return taken.wall_seconds if name == ON_SPARK else taken.cpu_seconds


def as_json(times: StreamTimes) -> dict[str, Any]:
    """The figures for programs."""
    queries = [_row_as_json(row, smaller) for row, smaller in times.with_smaller()]
    bars = [{"cleared": cleared, "what": what} for cleared, what in verdicts(times)]
    return {"limit_seconds": times.limit_seconds, "load": times.others, "queries": queries, "bars": bars}


def _row_as_json(row: QueryAtSize, smaller: QueryAtSize | None) -> dict[str, Any]:
    growth = None if smaller is None else row.per_decade(smaller)
    ratios = {name: row.ratio(name) for name in (TREE, SAXON, BY_HAND)}
    return {
        **asdict(row),
        "answers_agree": row.agree,
        "per_decade": None if growth is None else {"times": growth[0], "or_more": growth[1]},
        "times_peer": {name: list(_finite(ratio)) for name, ratio in ratios.items() if ratio is not None},
    }


def _finite(ratio: tuple[float, float]) -> Iterator[float | None]:
    """JSON has no infinity."""
    for bound in ratio:
        yield None if bound == float("inf") else round(bound, 3)
