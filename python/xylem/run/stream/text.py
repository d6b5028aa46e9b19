"""The answer of a stream as text: written as soon as it is final, by parameters its first item may decide.

Plain XML is written event by event, and nothing of it is kept. Other methods need complete items: they are collected
one at a time, an element under construction until its end.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import chain
from typing import Any

from xylem.errors import XylemError
from xylem.sink.event_writer import EventWriter, can_write_events, takes_markup
from xylem.sink.output_buffer import OutputBuffer
from xylem.sink.output_encoding import byte_encoder
from xylem.sink.serialization_parameters import SerializationParameters

from .collector import Collector

NO_ITEM = object()
"""The answer begins with an element under construction, or is empty."""


class StreamText:
    """Writes one answer.

    Holds:  an open start tag; with methods that need complete items, the item under construction.
    """

    def __init__(
        self,
        choose: Callable[[Any], SerializationParameters],
        write: Callable[[bytes], object],
        collector: Collector,
        copy_namespaces: tuple[bool, bool],
    ) -> None:
        """`choose` returns the parameters for an answer that begins with an item, or with NO_ITEM."""
        self._choose = choose
        self._write = write
        self._collector = collector
        self._copy_namespaces = copy_namespaces
        self.output = FirstDecides(self._begin, self._expects_markup())
        """The output that the run writes to."""
        self._parameters: SerializationParameters | None = None
        self._writer: EventWriter | None = None

    def _expects_markup(self) -> bool:
        """Whether an answer that begins with XML can take results as text."""
        try:
            return takes_markup(self._choose(NO_ITEM), *self._copy_namespaces)
        except XylemError:
            # Errors in the parameters are raised when the answer begins.
            return False

    def _begin(self, first: Any) -> EventWriter | Collector:
        self._parameters = chosen = self._choose(first)
        if not can_write_events(chosen):
            return self._collector
        preserve, inherit = self._copy_namespaces
        self._writer = EventWriter(chosen, self._encoded(chosen), copy_preserve=preserve, copy_inherit=inherit)
        return self._writer

    def _encoded(self, parameters: SerializationParameters) -> Callable[[str], object]:
        encode, write = byte_encoder(parameters), self._write
        return lambda text: write(encode(text))

    @property
    def has_begun(self) -> bool:
        """Whether the answer has begun."""
        return self._parameters is not None

    def begin(self) -> None:
        """Begin the answer now, as XML that goes on from a place in the output."""
        self.output.begin()

    @property
    def writer(self) -> EventWriter | None:
        """The writer of XML events; None before the answer begins, and if items are collected."""
        return self._writer

    def take(self, batches: Iterator[Any]) -> None:
        """Read the batches of the run and write their results; an error follows the results before it."""
        try:
            for _ in batches:
                if self._writer is not None:
                    self._writer.flush()
                elif self._parameters is not None:
                    break
            else:
                return
        except (XylemError, KeyboardInterrupt) as error:
            if self._writer is not None:
                self._writer.flush()
            if self._writer is not None or self._parameters is None:
                raise
            batches = _failing(error)
        self._serialize(batches)

    def _serialize(self, batches: Iterator[Any]) -> None:
        from xylem.sink.serialize import serialize_into

        assert self._parameters is not None
        buffer = OutputBuffer(self._encoded(self._parameters))
        # Output of the batches so far is taken as if it belonged to the next batch.
        items = self._collector.drawn(chain((True,), batches), buffer.flush)
        serialize_into(buffer, items, self._parameters)


def _failing(error: BaseException) -> Iterator[Any]:
    """The rest of a failed run: its error, after the results before it have been taken."""
    yield from ()
    raise error


class FirstDecides:
    """An output that becomes another one when the answer begins; from then on calls go straight to that one."""

    def __init__(self, begin: Callable[[Any], Any], takes_markup: bool = False) -> None:
        """`takes_markup` says whether an answer that begins with XML can take results as text."""
        self._begin = begin
        self.takes_markup = takes_markup

    def _become(self, first: Any) -> Any:
        target = self._begin(first)
        for method in ("start_element", "attribute", "text", "item", "markup", "end_element", "finish"):
            setattr(self, method, getattr(target, method))
        self.takes_markup = target.takes_markup
        return target

    def begin(self) -> None:
        """Become the output of an answer that begins with XML."""
        self._become(NO_ITEM)

    def start_element(self, *arguments: Any) -> None:
        self._become(NO_ITEM).start_element(*arguments)

    def text(self, value: str) -> None:
        self._become(NO_ITEM).text(value)

    def item(self, item: Any) -> None:
        self._become(item).item(item)

    def markup(self, text: str, items: int, *atomic: bool) -> None:
        self._become(NO_ITEM).markup(text, items, *atomic)

    def finish(self) -> None:
        self._become(NO_ITEM).finish()
