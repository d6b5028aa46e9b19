"""`xylem bench messages`: one query over many small messages, in every way there is, a process for each measurement."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from . import orders
from .messages_engines import (
    LXML,
    LXML_FILES,
    MANY,
    PARSE_RUN,
    RUN_FILES,
    RUN_FRAMES,
    RUN_STREAM,
    RUNS,
    STANDARD,
    STREAM,
)
from .messages_spark_worker import COLUMN, FROM_XML
from .messages_tasks import NAMED
from .worker_process import Figures, Limit, Stopped, best_of, figures_of

ENGINES = (PARSE_RUN, STREAM, MANY, RUN_STREAM, RUN_FRAMES, RUN_FILES, LXML, LXML_FILES, STANDARD, COLUMN, FROM_XML)
ON_SPARK = (COLUMN, FROM_XML)
CALLS, CALLS_REPETITIONS = "calls over 30 bytes", 3


@dataclass(frozen=True)
class Cost:
    """One query by one engine."""

    messages: int
    """The number of messages that were answered within the time."""
    microseconds: float
    """For one message: CPU time, but on Spark elapsed time."""
    first_call_seconds: float
    """Of the first message, or of a process over next to nothing, which is not counted in the other figure."""
    agree: bool
    """Whether the answers are those of the program by hand."""
    is_rough: bool = False
    """Whether there were too few messages to tell their cost from that of the start."""


@dataclass
class MessageTimes:
    """A whole run."""

    messages: int
    files: int
    mean_bytes: float
    others: float
    """How many processes of others wanted a core when the run began (the load average)."""
    costs: dict[str, dict[str, Cost]] = field(default_factory=dict)
    """By query, then by engine."""
    reasons: dict[str, dict[str, str]] = field(default_factory=dict)
    """Why there is no cost, likewise."""
    calls: dict[str, dict[str, float]] = field(default_factory=dict)
    """CPU seconds of the `first`, the `second` and `later` calls of Query.stream over 30 bytes, by query."""

    def ratio(self, query: str, engine: str, peer: str) -> float | None:
        """How many times as long an engine takes for a message as a peer does."""
        found = self.costs.get(query, {})
        if engine not in found or peer not in found:
            return None
        return found[engine].microseconds / max(found[peer].microseconds, 1e-3)


@dataclass(frozen=True)
class Plan:
    """What is to be measured."""

    messages: int
    size_bytes: int
    files: int
    engines: Sequence[str]
    queries: Sequence[str] = tuple(NAMED)
    sample_seconds: float = 5.0
    """A loop over messages ends after so many seconds."""
    limit_seconds: float = 120.0
    """Stop a process that takes longer."""
    repetitions: int = 2
    master: str = "local[2]"
    seed: int = 0


def run(folder: Path, plan: Plan, progress: Callable[[str], None] = lambda step: None) -> MessageTimes:
    """Every query in every way."""
    progress(f"{plan.messages:,} messages")
    size = orders.write(folder, plan.messages, plan.size_bytes, plan.files, plan.seed)
    files = min(plan.files, plan.messages)
    times = MessageTimes(plan.messages, files, size / plan.messages, os.getloadavg()[0])
    for query in plan.queries:
        times.costs[query], times.reasons[query] = {}, {}
        for engine in plan.engines:
            if engine not in ON_SPARK:
                progress(f"{query} by {engine}")
                _enter(times, query, engine, _measured(engine, query, folder, plan))
    if STREAM in plan.engines:
        progress(CALLS)
        told = best_of(CALLS_REPETITIONS, "messages_worker", ["calls", *plan.queries], Limit(plan.limit_seconds))
        if isinstance(told, dict):
            times.calls = told["calls"]
        else:
            times.reasons[CALLS] = {STREAM: str(told)}
    if any(engine in plan.engines for engine in ON_SPARK):
        progress("Spark")
        _on_spark(times, folder, plan)
    return times


def _measured(engine: str, query: str, folder: Path, plan: Plan) -> Figures | Stopped | str:
    repetitions = 1 if engine in RUNS else plan.repetitions
    given = [engine, query, str(folder), str(plan.sample_seconds), str(plan.repetitions)]
    return best_of(repetitions, "messages_worker", given, Limit(plan.limit_seconds), plan.sample_seconds)


def _on_spark(times: MessageTimes, folder: Path, plan: Plan) -> None:
    """Both engines and all queries in one session: to start it takes longer than they do."""
    given = [plan.master, str(folder), str(plan.repetitions), *plan.queries]
    told = figures_of("messages_spark_worker", given, Limit(len(plan.queries) * plan.limit_seconds))
    for engine in (engine for engine in ON_SPARK if engine in plan.engines):
        for query in plan.queries:
            _enter(times, query, engine, told[engine][query] if isinstance(told, dict) else told)


def _enter(times: MessageTimes, query: str, engine: str, found: Figures | Stopped | str) -> None:
    if not isinstance(found, dict):
        times.reasons[query][engine] = str(found)
        return
    seconds = found["cpu_seconds"] if engine not in ON_SPARK else found["seconds"]
    times.costs[query][engine] = Cost(
        found["messages"],
        1e6 * seconds / found["messages"],
        found["first_call_seconds"],
        found["agree"],
        found.get("is_rough", False),
    )
