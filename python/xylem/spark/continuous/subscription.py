"""What tasks on Spark must know of continuous queries that share a source: plain values, which travel."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property
from typing import Any

from xylem.run.limited_run import UNLIMITED, RunLimits
from xylem.source.limits import DEFAULT_LIMITS, Limits

from ..shipped_query import ShippedQuery


class Mode(StrEnum):
    """How a query is evaluated over a stream."""

    EACH = "an answer for each document"
    SPREAD = "one answer, its parts computed by tasks"
    IN_ORDER = "one answer, computed in the order of the stream by the driver"


class Malformed(StrEnum):
    """How to handle a document or item that cannot be evaluated."""

    STOP = "stop"
    SKIP = "skip"
    DEAD_LETTER = "dead-letter"


class Changed(StrEnum):
    """How to handle a file that was written again after it was found and before it was read."""

    TELL = "tell"
    """It is read as it is, counted, and told."""
    STOP = "stop"
    """It ends the query: XYIN0032."""


@dataclass(frozen=True)
class Subscription:
    """One query of those that share a source."""

    name: str
    """What its output is called: the name of its file, without the ending."""
    query: ShippedQuery
    mode: Mode


@dataclass(frozen=True)
class Work:
    """All that tasks do with what they read."""

    subscriptions: tuple[Subscription, ...]
    malformed: Malformed = Malformed.STOP
    changed: Changed = Changed.TELL
    each_item: bool = False
    """Whether results are handed over one by one, as messages are made of them."""
    limits: Limits = DEFAULT_LIMITS
    input_number: int = 0
    """Which input it reads, where there are several; then its queries are numbered from there on."""
    run_limits: RunLimits = UNLIMITED
    """What evaluating one document, message or part of a document may take."""
    feed: tuple[tuple[str, Any], ...] | None = None
    """How a feed of records was told of, whose records are evaluated each by itself."""
    is_joined: bool = False
    """Whether rows say when their items arrived, so that items of another input can be joined with them."""

    @cached_property
    def key(self) -> str:
        """Tells processes that they know this work already."""
        return " ".join(subscription.query.key for subscription in self.subscriptions)

    @property
    def has_state_in_order(self) -> bool:
        """Whether a query must see the stream again from its beginning after a restart."""
        return any(subscription.mode is Mode.IN_ORDER for subscription in self.subscriptions)
