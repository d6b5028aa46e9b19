"""Apply the operations of an update stream to the store, with a policy for those that fail.

The feed skips only the bad update itself: other updates in its batch or inside it have targets of their own. An
operation without effect makes no commit.
"""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal
from typing import Any, Literal, cast

from xylem.errors import InputError
from xylem.source.limits import DEFAULT_LIMITS, Limits
from xylem.source.malformed import EXCERPT_BYTES, MalformedRecord, MalformedTally
from xylem.source.update_stream import operations as op

from .commits import Commit, Stream
from .content import Leaf
from .updates import TIME_RUNS_BACK, Builder, Update, UpdateKind, Updates

Late = Literal["stop", "clamp", "drop", "dead-letter"]
LATE: tuple[Late, ...] = ("stop", "clamp", "drop", "dead-letter")


class Feed:
    """Applies the operations of one stream."""

    def __init__(
        self,
        stream: Stream,
        *,
        tally: MalformedTally | None = None,
        late: Late = "stop",
        source: str = "",
        receipt: Callable[[], Decimal] | None = None,
        limits: Limits = DEFAULT_LIMITS,
    ) -> None:
        """Bad updates are errors unless a `tally` takes them. `receipt` is the time of updates without their own."""
        self.stream = stream
        self.updates = Updates(stream, limits)
        self._history = stream.history
        self._tally = tally
        self._late = late
        self._source = source
        self._receipt = receipt
        self._open: list[Builder | None] = []
        """The builders of open updates; None for an update that is skipped."""
        self.takes_runs = receipt is None and limits.history_bytes == DEFAULT_LIMITS.history_bytes
        """Whether runs of text updates may bypass the feed, because only their order needs a check."""
        self.late = 0
        """Number of operations that came too late and were dropped or moved."""

    def apply(self, operation: op.Operation) -> Commit | None:
        """The commit of an operation; None if it commits nothing or was skipped."""
        if operation.error is not None:
            self._refused(operation, operation.error)
            return None
        self._history.settle()
        time = operation.time
        if time is not None and time >= self._history.now:
            self._history.now = time
        elif not self._advance(operation):
            return None
        update = operation.update
        if update is not None:
            return self._text(update) or self._written(operation, update)
        updates = left_out = 0
        builder: Builder | None = self._open[-1] if self._open else self.updates.base
        for event in operation.events:
            write = WRITERS.get(type(event))
            if write is not None:
                if builder is not None:
                    write(builder, event)
                continue
            if isinstance(event, op.BeginUpdate):
                updates += 1
                left_out += not self._begin(operation, event)
            elif isinstance(event, op.EndUpdate):
                self._end()
            elif isinstance(event, op.Freeze):
                self._freeze(operation, event)
            builder = self._open[-1] if self._open else self.updates.base
        if operation.kind == "base" or self.updates.base.made:
            self.updates.show_base()
        if not operation.commits or (operation.kind == "updates" and updates == left_out and updates > 0):
            return None
        return self._history.commit()

    def _written(self, operation: op.Operation, update: op.WrittenUpdate) -> Commit | None:
        try:
            self.updates.write(update)
        except InputError as error:
            self._refused(operation, error)
            return None
        if self.updates.base.made:
            self.updates.show_base()
        return self._history.commit()

    def _text(self, update: op.WrittenUpdate) -> Commit | None:
        """The commit of an update that replaces the text of a region; None if it does anything else."""
        kind, of, id, content, names = update
        slot = self.stream.slots.get(of)
        if slot is None or (region := slot.text_region) is None or kind != "replace" or id is not None:
            return None
        if slot.is_frozen or self.stream.open_ids or len(content) != 1 or isinstance(item := content[0], str):
            return None
        name, attributes, inner_id, inner = item
        if attributes or inner_id is not None or len(inner) != 1 or not isinstance(text := inner[0], str):
            return None
        if names.elements[name] is not region.name or names.declared or self.updates.base.made:
            return None
        return self._history.commit_text(region, text)

    # --- time

    def _advance(self, operation: op.Operation) -> bool:
        """Advance the time; False if the operation is too late and dropped."""
        time = operation.time
        if time is None:
            if self._receipt is None:
                return True
            time = self._receipt()
        try:
            self.updates.advance(time)
        except InputError as error:
            if operation.time is None:
                return True  # The machine's clock may be behind the times of the stream.
            return self._too_late(operation, error)
        return True

    def _too_late(self, operation: op.Operation, error: InputError) -> bool:
        assert error.code == TIME_RUNS_BACK
        if self._late == "stop":
            raise self._placed(error, operation) from None
        self.late += 1
        if self._late == "clamp":
            return True
        if self._late == "dead-letter" and self._tally is not None:
            self._tally.tell(self._record(operation, self._placed(error, operation)))
        return False

    # --- events

    def _end(self) -> None:
        builder = self._open.pop()
        if builder is not None:
            self.updates.end(cast(Update, builder))

    def _freeze(self, operation: op.Operation, event: op.Freeze) -> None:
        try:
            self.updates.freeze(event.of)
        except InputError as error:
            self._refused(operation, error.located(place=op.place_of(event.where)))

    def _begin(self, operation: op.Operation, event: op.BeginUpdate) -> bool:
        """False for an update that is skipped."""
        kind, of = event.kind, event.of
        if kind == op.PUT:
            kind, of = ("replace", event.id) if event.id in self.stream.slots else ("insert-before", of)
        elif kind == op.DISCARD:
            if not self.updates.has_content(of):
                self._open.append(None)
                return True
            kind = "remove"
        try:
            self._open.append(self.updates.begin(cast(UpdateKind, kind), of, event.id))
        except InputError as error:
            self._open.append(None)
            self._refused(operation, error.located(place=op.place_of(event.where)))
            return False
        return True

    def _refused(self, operation: op.Operation, error: InputError) -> None:
        placed = self._placed(error, operation)
        if self._tally is None:
            raise placed from None
        self._tally.tell(self._record(operation, placed))

    def _placed(self, error: InputError, operation: op.Operation) -> InputError:
        return error.located(self._source, error.place or operation.place)

    def _record(self, operation: op.Operation, error: InputError) -> MalformedRecord:
        place = operation.place
        offset, line = (0, None) if place is None else (place.byte_offset, place.line)
        return MalformedRecord(error, offset, line, len(operation.data), operation.data[:EXCERPT_BYTES], "update")


def _leaf(builder: Builder, event: op.Leaf) -> None:
    builder.leaf(Leaf(event.value, event.kind, event.name))


WRITERS: dict[type, Callable[[Builder, Any], None]] = {
    op.Start: lambda builder, event: builder.start(*event),
    op.End: lambda builder, event: builder.end(),
    op.Text: lambda builder, event: builder.text(event.value),
    op.Leaf: _leaf,
    op.BeginRegion: lambda builder, event: builder.begin_region(event.id),
    op.EndRegion: lambda builder, event: builder.end_region(),
}
"""Writers for the events of content."""
