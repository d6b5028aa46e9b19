"""The result of a query while its input streams: items or text, as soon as they are final."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

from xylem.errors import memory_may_run_out
from xylem.result import chosen_parameters, has_xml_text
from xylem.run.stream.collector import Collector
from xylem.values.arriving import Arriving
from xylem.values.python_values import python_from_item

if TYPE_CHECKING:
    from xylem.plan.operator_counts import OperatorCounts
    from xylem.plan.operators import OperatorPlan
    from xylem.plan.stream_account import StreamAccount
    from xylem.run.stream.program import StreamProgram
    from xylem.run.stream.progress import Progress
    from xylem.run.stream.run import Statistics
    from xylem.source.malformed import MalformedTally

Start = Callable[[Any], Iterator["Statistics"]]
"""Begins the run with an output to write to; yields after each batch."""


class StreamResult:
    """The answer over one input, which is read as far as the answer is. It can be read, or written, once.

    Iterating gives items as Python values (nodes as nodes). An error of the input comes after all items that were
    complete before it.
    """

    def __init__(
        self,
        program: StreamProgram,
        start: Start,
        progress: Progress,
        malformed: MalformedTally | None = None,
        operators: Callable[[], OperatorPlan] | None = None,
    ) -> None:
        self._program = program
        self._start: Start | None = start
        self._observers: list[Callable[[Progress], object]] = []
        self.progress = progress
        self.malformed = malformed
        """The skipped records of the input so far; None if the first error ends the run."""
        self._operators = operators

    def measure(self) -> None:
        """Count the items of each operator, for `operators`; call this before reading anything."""
        from xylem.run.counters import Counters

        self.statistics.counters = Counters()
        self.progress.is_counting = True

    def operators(self) -> OperatorCounts:
        """The counts of each operator of the plan, once the answer has been read (see `measure`)."""
        from xylem.plan.operator_counts import OperatorCounts

        measured = self.statistics
        if measured.counters is None or self._operators is None:
            raise ValueError("nothing was counted: call measure() before the answer is read")
        measured.counters.end_pass(measured.passes)
        written = self.progress.written
        results = None if written is None else written.results
        return OperatorCounts(self._operators(), measured.counters.figures, measured.peak_by_variable, results)

    @property
    def statistics(self) -> Statistics:
        """The figures so far: records, bytes read, bytes buffered by variable."""
        return self.progress.statistics

    @property
    def output(self) -> Mapping[str, str]:
        """The output declarations of the query."""
        return self._program.handlers.output

    def watch(self, observe: Callable[[Progress], object], *, counting: bool = False) -> None:
        """Call a function after each batch of input; with `counting`, count results and output events for it."""
        self._observers.append(observe)
        self.progress.is_counting |= counting

    def __iter__(self) -> Arriving:
        return self.xdm().changed(lambda items: [python_from_item(item) for item in items])

    def xdm(self) -> Arriving:
        """The items in XQuery's data model."""
        collector = self._collector()
        return collector.drawn(self._begun(collector))

    def rows(self) -> Iterator[Any]:
        """The items of a query for tables (`Query.for_tables`); rows that the scan has written come as `RowText`."""
        from xylem.run.stream.row_text import RowCollector

        rows = RowCollector(self._program.static.base_uri, *self._program.copy_namespaces)
        collector = rows if self._program.writes_rows else self._collector()
        return collector.drawn(self._begun(collector))

    def write_to(self, write: Callable[[bytes], object], **parameters: Any) -> None:
        """Write the answer as it becomes final; parameters are those of `Result.write_to`.

        With the xml method and no indentation, not even the element under construction is kept.
        """
        from xylem.run.stream.text import NO_ITEM, StreamText

        output = self.output
        text = StreamText(
            lambda first: chosen_parameters(output, parameters, lambda: first is NO_ITEM or has_xml_text(first)),
            write,
            self._collector(),
            self._program.copy_namespaces,
        )
        with memory_may_run_out():
            text.take(self._begun(text.output))

    @property
    def account(self) -> StreamAccount:
        """What streams, what is aggregated on the way, and what is buffered."""
        from xylem.lowering.stream.account import account_of

        return account_of(self._program)

    def _collector(self) -> Collector:
        return Collector(self._program.static.base_uri, *self._program.copy_namespaces)

    def _begun(self, output: Any) -> Iterator[Statistics]:
        if self._start is None:
            raise ValueError("the input was read once; stream it again to read the answer again")
        start, self._start = self._start, None
        return self._watched(start(self.progress.begin(output)))

    def _watched(self, batches: Iterator[Statistics]) -> Iterator[Statistics]:
        with memory_may_run_out():
            for measured in batches:
                yield measured
                # The consumer of the batch has returned: the output of the batch has been written.
                for observe in self._observers:
                    observe(self.progress)


class SmallResult(StreamResult):
    """The answer over a small input in memory: its items come from a tree, its text may come from a scan of the input.

    Everything else comes from a stream."""

    def __init__(
        self,
        items: Callable[[], list[Any] | None],
        text: Callable[[], str | None],
        streamed: Callable[[], StreamResult],
    ) -> None:
        """`items` and `text` return None if only the stream can answer."""
        self._items = items
        self._text = text
        self._make = streamed

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__") or name == "_streamed":
            raise AttributeError(name)
        return getattr(self._of_stream(), name)

    def _of_stream(self) -> StreamResult:
        """The result of the stream, begun on first use, and advanced as far as the items have been read."""
        if "_streamed" not in self.__dict__:
            self._streamed = self._make()
            if "_start" in self.__dict__:
                for _ in self._streamed.xdm():
                    pass
        return self._streamed

    def xdm(self) -> Arriving:
        if "_streamed" not in self.__dict__ and "_start" not in self.__dict__:
            found = self._items()
            if found is not None:
                self._start = None
                return Arriving([found])
        return super().xdm()

    def write_to(self, write: Callable[[bytes], object], **parameters: Any) -> None:
        if not parameters and "_streamed" not in self.__dict__ and "_start" not in self.__dict__:
            found = self._text()
            if found is not None:
                self._start = None
                if found:
                    write(found.encode())
                return
        super().write_to(write, **parameters)
