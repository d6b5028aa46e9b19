"""Operations of an update stream applied to the store, by the policies for what cannot be applied.

A bad update is left out alone: those beside it in a batch, and those inside it, have targets of their own. Where
nothing of an operation is left, there is no commit.
"""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal
from typing import Literal, cast

from xylem.errors import InputError
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
    ) -> None:
        """Bad updates are errors unless a `tally` takes them. `receipt` is the time of what has none of its own."""
        self.updates = Updates(stream)
        self._history = stream.history
        self._tally = tally
        self._late = late
        self._source = source
        self._receipt = receipt
        self._open: list[Builder | None] = []
        """The builders of updates that are open; None for one that is left out."""
        self.late = 0
        """How many operations came too late and were dropped or moved."""

    def apply(self, operation: op.Operation) -> Commit | None:
        """What the operation committed; None where it is no commit, or was left out."""
        if operation.error is not None:
            self._refused(operation, operation.error)
            return None
        if not self._advance(operation):
            return None
        updates = left_out = 0
        for event in operation.events:
            kept = self._event(operation, event)
            if isinstance(event, op.BeginUpdate):
                updates += 1
                left_out += not kept
        if operation.kind == "base" or self.updates.base.made:
            self.updates.show_base()
        if not operation.commits or (operation.kind == "updates" and updates == left_out and updates > 0):
            return None
        return self._history.commit()

    # --- time

    def _advance(self, operation: op.Operation) -> bool:
        """Let time go on; False for an operation that is too late and dropped."""
        time = operation.time
        if time is None:
            if self._receipt is None:
                return True
            time = self._receipt()
        try:
            self.updates.advance(time)
        except InputError as error:
            if operation.time is None:
                return True  # the clock of the machine may stand behind the times of the stream
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

    def _event(self, operation: op.Operation, event: op.Event) -> bool:
        """Apply one event; False where it begins an update that is left out."""
        if isinstance(event, op.BeginUpdate):
            return self._begin(operation, event)
        if isinstance(event, op.EndUpdate):
            builder = self._open.pop()
            if builder is not None:
                self.updates.end(cast(Update, builder))
            return True
        if isinstance(event, op.Freeze):
            try:
                self.updates.freeze(event.of)
            except InputError as error:
                self._refused(operation, error.located(place=event.place))
            return True
        builder = self._open[-1] if self._open else self.updates.base
        if builder is not None:
            write(builder, event)
        return True

    def _begin(self, operation: op.Operation, event: op.BeginUpdate) -> bool:
        try:
            self._open.append(self.updates.begin(cast(UpdateKind, event.kind), event.of, event.id))
        except InputError as error:
            self._open.append(None)
            self._refused(operation, error.located(place=event.place))
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


def write(builder: Builder, event: op.Event) -> None:
    """Write an event of content."""
    match event:
        case op.Start(name, attributes, declared, id):
            builder.start(name, attributes, declared, id)
        case op.End():
            builder.end()
        case op.Text(value):
            builder.text(value)
        case op.Leaf(kind, name, value):
            builder.leaf(Leaf(value, kind, name))
        case op.BeginRegion(id):
            builder.begin_region(id)
        case op.EndRegion():
            builder.end_region()
