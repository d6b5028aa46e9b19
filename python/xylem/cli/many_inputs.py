"""Several inputs (files, directories, patterns), read one after another, with a policy for unreadable ones."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from xylem.errors import InputError
from xylem.plan.distribution import InputOf
from xylem.run.tasks.flat_items import items_or_by_one_task, or_by_one_task
from xylem.run.tasks.in_order import OrderedRun
from xylem.source.framed_file import framed
from xylem.source.malformed import MalformedRecord, MalformedTally
from xylem.source.message_inputs import MessageInputs
from xylem.source.sound_records import SoundRecords, plan_of_records
from xylem.source.supplied_entities import SuppliedEntities

from .answer_format import write_items
from .malformed_option import facts_of
from .parts_run import encoder
from .progress_line import progress_line
from .result_output import ResultOutput, result_output
from .run_query import RunOptions

if TYPE_CHECKING:
    from xylem.run.tasks.program import DistributedProgram
    from xylem.spark.shipped_query import ShippedQuery


def run_many(
    query: ShippedQuery, files: Sequence[str], options: RunOptions, tally: MalformedTally | None
) -> ResultOutput:
    """Run a query over several inputs; a leading `/` means each of them."""
    program = query.program()
    inputs = _Inputs(program, files, options, tally)

    def ordered(program: DistributedProgram) -> OrderedRun:
        given = {**query.options(), "scanner": options.scanner}
        is_left_out, messages = inputs.is_left_out, inputs.messages if inputs.are_plain else None
        return OrderedRun(program, inputs.open, len(inputs.messages), given, is_left_out=is_left_out, messages=messages)

    run = inputs.run = ordered(program)
    whole = query.with_input(InputOf.WHOLE)
    line = progress_line(options.quiet)
    encode = encoder(program)
    with result_output(options.output, line, options.routes) as output:
        try:
            if options.format is not None:
                items = items_or_by_one_task(run.items(), lambda: ordered(whole.program()).items())
                write_items(items, query.compiled, options.format, output)
            else:
                for piece in or_by_one_task(run.pieces(), lambda: ordered(whole.program()).pieces()):
                    output.write(encode(piece))
                    output.flush()
                    if line is not None:
                        line.show(inputs)
                output.write(encode(""))
        finally:
            if line is not None:
                line.close()
    if options.statistics is not None:
        from .statistics import report

        report(inputs.facts(), options.statistics)
    return output


class _Inputs:
    """The files of a run, and its progress."""

    def __init__(
        self, program: DistributedProgram, files: Sequence[str], options: RunOptions, tally: MalformedTally | None
    ) -> None:
        self._program = program
        self._files = files
        self._options = options
        self._tally = tally
        self._began = time.monotonic()
        self._number = 0
        self.run: OrderedRun | None = None
        self.messages = MessageInputs(files, options.limits)
        """All documents, by their numbers."""
        self._has_frames = len(self.messages) != len(files) or any(framed(file) for file in files)

    @property
    def are_plain(self) -> bool:
        """Whether documents need no preparation, so that many small ones are read at once."""
        is_usual = not self._options.entities and self._options.scanner != "python"
        return is_usual and (self._tally is None or self._has_frames)

    def open(self, number: int) -> Any:
        """One document, without its malformed records if the policy skips them."""
        self._number = number
        if self.are_plain:
            return self.messages.source(number)
        source = self.messages.bytes_of(number)
        if self._options.entities:
            source = SuppliedEntities(source, self._options.entities)
        if self._tally is None or self._has_frames:
            return source
        scopes, limits = self._program.scopes, self._options.limits
        plan = plan_of_records(scopes)
        return SoundRecords(source, scopes, plan, limits, self._tell, scanner=self._options.scanner)

    @property
    def _is_first_pass(self) -> bool:
        return self.run is None or self.run.passes <= 1

    def _tell(self, record: MalformedRecord) -> None:
        if self._tally is not None and self._is_first_pass:
            self._tally.tell(record)

    def is_left_out(self, number: int, error: Exception) -> bool:
        """Whether the policy skips an unreadable file."""
        if self._tally is None or not isinstance(error, InputError):
            return False
        placed = error if error.source else self.messages.located(number, error)
        offset = 0 if error.place is None else error.place.byte_offset
        line = None if error.place is None else error.place.line
        self._tell(MalformedRecord(placed, offset, line, 0, b"", "document" if self._has_frames else "file"))
        return True

    def words(self) -> Iterator[str]:
        yield f"{self.messages.name(self._number)} "
        yield f"{self._number + 1:,} of {len(self.messages):,} {'documents' if self._has_frames else 'files'}"

    def facts(self) -> dict[str, Any]:
        from xylem.source.cut_points import uses_kernel

        from .statistics import peak_rss_bytes

        run = self.run
        assert run is not None
        return {
            "streamed": True,
            "passes": run.passes,
            "scanner": "kernel" if uses_kernel(self._options.scanner) else "python",
            "inputs": len(self.messages),
            "input_bytes": sum(measured.input_bytes for measured in run.measured) or _sizes(self._files),
            "seconds": round(time.monotonic() - self._began, 3),
            "records": sum(measured.records for measured in run.measured),
            "results": None,
            "peak_buffered_bytes": max((measured.peak_buffered_bytes for measured in run.measured), default=0),
            "buffers": [],
            **facts_of(self._tally),
            "peak_rss_bytes": peak_rss_bytes(),
        }


def _sizes(files: Sequence[str]) -> int:
    """The size of all inputs, if they were not measured one by one."""
    from pathlib import Path

    return sum(Path(path).stat().st_size for path in files if Path(path).is_file())
