"""What tasks on Spark must know about continuous queries that share a source: plain values, which can be sent."""

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
    """Read it in its new form, count it, and report it."""
    STOP = "stop"
    """It ends the query: XYIN0032."""


@dataclass(frozen=True)
class Subscription:
    """One query of those that share a source."""

    name: str
    """Name of its output: the name of its file, without the extension."""
    query: ShippedQuery
    mode: Mode


@dataclass(frozen=True)
class Work:
    """The whole work of tasks on their input."""

    subscriptions: tuple[Subscription, ...]
    malformed: Malformed = Malformed.STOP
    changed: Changed = Changed.TELL
    each_item: bool = False
    """Whether results are returned one by one, because they become messages."""
    limits: Limits = DEFAULT_LIMITS
    input_number: int = 0
    """The number of its input, if there are several; its queries are numbered from there on."""
    run_limits: RunLimits = UNLIMITED
    """Limits for evaluating one document, message or part of a document."""
    feed: tuple[tuple[str, Any], ...] | None = None
    """The description of a keyed feed whose records are evaluated separately."""
    is_joined: bool = False
    """Whether rows include the arrival times of items, so that items of another input can be joined."""

    @cached_property
    def key(self) -> str:
        """Identifies the work for processes that have it already."""
        return " ".join(subscription.query.key for subscription in self.subscriptions)

    @property
    def has_state_in_order(self) -> bool:
        """Whether a query must see the stream again from its beginning after a restart."""
        return any(subscription.mode is Mode.IN_ORDER for subscription in self.subscriptions)
