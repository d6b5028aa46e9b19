"""What messages cost, as a table, as bars in SVG, as JSON; and which of the project's own bars the figures clear."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict
from typing import Any

from rich.table import Table

from .bar_chart import bar_chart
from .machine_load import busy_machine
from .messages_engines import LXML, LXML_FILES, MANY, PARSE_RUN, RUN_FILES, RUN_FRAMES, RUN_STREAM, STREAM
from .messages_run import ENGINES, ON_SPARK, MessageTimes
from .messages_spark_worker import COLUMN, FROM_XML

PEERS = {
    PARSE_RUN: LXML,
    STREAM: LXML,
    MANY: LXML,
    RUN_STREAM: LXML,
    RUN_FRAMES: LXML,
    RUN_FILES: LXML_FILES,
    COLUMN: FROM_XML,
}
"""Whom each of our ways must not be slower than."""
MOST_SECOND_CALL_SECONDS = 0.0003


def table(times: MessageTimes) -> Table:
    """Microseconds for a message by way and query, and how many times as long that is as its peer takes."""
    made = Table(title=f"{times.messages:,} messages of {times.mean_bytes:.0f} bytes: microseconds for a message")
    made.add_column("way")
    for query in times.costs:
        made.add_column(query, justify="right")
    for engine in ENGINES:
        if any(engine in times.costs[query] or engine in times.reasons[query] for query in times.costs):
            made.add_row(engine, *(_cell(times, query, engine) for query in times.costs))
    return made


def _cell(times: MessageTimes, query: str, engine: str) -> str:
    cost = times.costs[query].get(engine)
    if cost is None:
        return "–"
    if cost.is_rough:
        return f"~ {cost.microseconds:,.1f}"
    ratio = times.ratio(query, engine, PEERS[engine]) if engine in PEERS else None
    return f"{cost.microseconds:,.1f}{'' if ratio is None else f' ({ratio:.1f}×)'}"


def remarks(times: MessageTimes) -> Iterator[str]:
    """What else a reader must know."""
    yield "CPU time, on Spark elapsed time. × is against lxml, lxml over the same files, and from_xml on Spark."
    yield f"over files: {times.files:,} of the messages, each in a file of its own"
    costs = [cost for found in times.costs.values() for cost in found.values()]
    if any(cost.is_rough for cost in costs):
        yield "~: too few messages to tell what they cost from what the start of the process costs"
    for engine in ENGINES:
        fewest = min((found[engine].messages for found in times.costs.values() if engine in found), default=None)
        asked = times.files if engine in (RUN_FILES, LXML_FILES) else times.messages
        # The first message is counted apart.
        if fewest is not None and fewest < asked - 1:
            yield f"{engine}: there was time for a sample, of {fewest:,} messages at least"
    for query, found in times.reasons.items():
        for engine, reason in found.items():
            yield f"{query} by {engine} is left out: {reason}"
    for query, calls in times.calls.items():
        told = ", ".join(f"{name} {1000 * seconds:.2f} ms" for name, seconds in calls.items())
        yield f"calls of Query.stream over 30 bytes, {query}: {told}"
    busy = busy_machine(times.others)
    if busy is not None:
        yield busy


def verdicts(times: MessageTimes) -> Iterator[tuple[bool, str]]:
    """Each bar: whether it is cleared, and by how much."""
    for engine, peer in PEERS.items():
        for query, found in times.costs.items():
            ratio = times.ratio(query, engine, peer)
            if ratio is not None and not found[engine].is_rough:
                yield ratio <= 1, f"{query} by {engine}: {ratio:.2f}× the time of {peer}; the bar is 1×"
    for query, calls in times.calls.items():
        told = f"{query}: the second call of Query.stream over 30 bytes takes {1000 * calls['second']:.2f} ms"
        bar = f"the bar is {1000 * MOST_SECOND_CALL_SECONDS:g} ms"
        yield calls["second"] <= MOST_SECOND_CALL_SECONDS, f"{told}; {bar}"
    for query, found in times.costs.items():
        for engine in (engine for engine, cost in found.items() if not cost.agree):
            yield False, f"{query} by {engine}: the answers are not those of the program by hand"


def figure(times: MessageTimes) -> str:
    """Microseconds by query and way, as SVG."""
    series = {
        engine: [cost.microseconds if (cost := found.get(engine)) else None for found in times.costs.values()]
        for engine in ENGINES
        if any(engine in found for found in times.costs.values())
    }
    title = f"{times.messages:,} messages of {times.mean_bytes:.0f} bytes: time for a message"
    return bar_chart(title, list(times.costs), series, "µs")


def as_json(times: MessageTimes) -> dict[str, Any]:
    """The figures for programs."""
    ratios = {
        query: {engine: times.ratio(query, engine, peer) for engine, peer in PEERS.items() if engine in found}
        for query, found in times.costs.items()
    }
    bars = [{"cleared": cleared, "what": what} for cleared, what in verdicts(times)]
    return {**asdict(times), "elapsed_time": list(ON_SPARK), "times_peer": ratios, "bars": bars}
