"""How messages carry updates of earlier ones, and the task's version of a message if it evaluates records."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import Any

from xylem.query.history_query import HistoryQuery
from xylem.run.history.evaluation import Surroundings
from xylem.run.history.feed import Late
from xylem.run.history.logged_run import ONE_STREAM
from xylem.run.history.record_messages import evaluated_message
from xylem.run.history.record_rows import RecordRows, why_not_apart
from xylem.run.history.retention import Keep
from xylem.sink.changelog import Envelope
from xylem.source.update_stream.formats import UpdateFormat

from ..shipped_query import ShippedQuery
from .subscription import Malformed


@dataclass(frozen=True)
class UpdateStream:
    """How messages carry updates, and how the change log is written."""

    how: UpdateFormat
    envelope: Envelope | None = None
    late: Late = "stop"
    names: tuple[str, ...] = ONE_STREAM
    """The query's names for its inputs, if there are several."""
    keep: Keep | None = None
    """The retention of the past beyond the query's needs."""
    by_tasks: bool = False
    """Whether tasks evaluate the records separately."""

    @property
    def told(self) -> dict[str, Any]:
        """The settings that must stay the same while a checkpoint is used."""
        how = self.how
        told: dict[str, Any] = {name: getattr(how, name) for name in _OF_FORMAT}
        told |= {"envelope": self.envelope, "late": self.late, "names": list(self.names)}
        if self.by_tasks:
            told["by_tasks"] = True
        keep = self.keep
        return told if keep is None else told | {"keep": [keep.versions, keep.seconds and str(keep.seconds)]}

    @property
    def record(self) -> tuple[str, ...] | None:
        """The path to the records of a feed."""
        feed = self.how.feed()
        return None if feed is None else feed.record

    @classmethod
    def of(cls, told: Mapping[str, Any]) -> UpdateStream:
        """The stream with these settings."""
        how = UpdateFormat(**{name: told[name] for name in _OF_FORMAT})
        versions, seconds = told.get("keep", (None, None))
        keep = Keep(versions, seconds and Decimal(seconds)) if "keep" in told else None
        return cls(how, told["envelope"], told["late"], tuple(told["names"]), keep, told.get("by_tasks", False))

    def spread(self, query: ShippedQuery, malformed: Malformed) -> UpdateStream:
        """The same with records evaluated by tasks, if the query allows that."""
        return self if self.why_not_by_tasks(query, malformed) else replace(self, by_tasks=True)

    def why_not_by_tasks(self, query: ShippedQuery, malformed: Malformed) -> str:
        """Why the driver evaluates everything; '' if tasks evaluate each record separately."""
        feed = self.how.feed()
        if self.how.name != "keyed" or feed is None:
            return "updates of a record may come apart from it"
        if len(self.names) > 1:
            return "there are several inputs"
        if self.keep is not None or self.envelope == "append":
            return "the past, or what is final, is asked for"
        if malformed is not Malformed.STOP or self.late == "dead-letter":
            return "what cannot be applied is kept"
        return why_not_apart(HistoryQuery(query.text, query.compiled.environment).operators.plan, feed.record)


class RecordTask:
    """The task's work on messages if it evaluates records."""

    def __init__(self, query: ShippedQuery) -> None:
        compiled = HistoryQuery(query.text, query.compiled.environment)
        seen = query.seen()
        around = Surroundings(seen["resources"], seen["variables"], seen["environment"], query.output or None)
        self._rows = RecordRows(compiled.operators, around)
        self._limits = query.limits

    def evaluated(self, message: bytes, told: Mapping[str, Any]) -> bytes:
        """The message with the rows of its records. `told`: the settings of the stream."""
        feed = UpdateStream.of(told).how.feed()
        assert feed is not None
        return evaluated_message(message, feed, self._rows, self._limits)


_OF_FORMAT = ("name", "record", "key", "time", "version", "delete")
