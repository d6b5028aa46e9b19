"""`xylem run --checkpoint FILE`: after an interruption the same command goes on, and the output is the same."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Any

import typer

from xylem.errors import InputError, StaticError
from xylem.run.program import current_time
from xylem.run.stream.run import Statistics
from xylem.run.tasks.checkpoint import Checkpoint, digest, input_identity, load_checkpoint
from xylem.run.tasks.program import DistributedProgram
from xylem.run.tasks.resumable import ResumableRun, refuse_others
from xylem.source.byte_ranges import ByteRange, CutPoint, ranges
from xylem.source.cut_points import find_cuts
from xylem.source.decompression import is_compressed
from xylem.values.datetime_lexical import parse_date_time

from .parts_run import encoder, parts_query
from .progress_line import ProgressLine, progress_line
from .query_source import QuerySource
from .run_query import RunOptions
from .stateful_checkpoint import run_with_state

EVERY_BYTES = 8 << 20
"""Approximate bytes of input between two checkpoints."""
OPTION = "--checkpoint"


def run_with_checkpoint(source: QuerySource, options: RunOptions, checkpoint: Path) -> None:
    """Run the query over its one input, or continue an interrupted run."""
    path, output = _checked(options)
    query = parts_query(source, options, several_documents=False)
    program = query.program()
    refused = _refused(program)
    if refused is not None or str(path) == "-":
        try:
            run_with_state(source, options, checkpoint, output, _digest(query, output))
        except StaticError as error:
            if error.code != "XYST0006" or refused is None:
                raise
            raise StaticError("XYST0006", f"{refused.why}, and {error.why}") from None
        return
    begun = _begun(checkpoint, _digest(query, output), path, output)
    is_resumed = begun.output_bytes > 0
    if is_resumed and not options.quiet:
        print(f"going on from byte {begun.cut.offset:,} of {path}", file=sys.stderr)
    now = parse_date_time(begun.now)
    cuts = [
        cut
        for cut in find_cuts(path, program.scopes, EVERY_BYTES, limits=options.limits, scanner=options.scanner)
        if cut.offset > begun.cut.offset
    ]
    parts = ranges(path, cuts)
    if is_resumed:
        parts[0] = ByteRange(str(path), begun.cut, parts[0].end)
    line = progress_line(options.quiet)
    measured = Statistics()
    shown = _Shown(path, begun, measured)

    def save(reached: Checkpoint) -> None:
        reached.save(checkpoint)
        shown.see(reached.cut.offset)
        if line is not None:
            line.show(shown)

    task_options = {**query.options(), "now": now, "scanner": options.scanner, "statistics": measured}
    run = ResumableRun(program, parts, task_options, save, begun)
    _write(run, output, begun.output_bytes, encoder(program), line)
    checkpoint.unlink(missing_ok=True)
    if options.statistics is not None:
        from .statistics import report

        report(shown.facts(options), options.statistics)


def _refused(program: DistributedProgram) -> StaticError | None:
    """Why the answer to a record depends on others; None where only the position in the input has to be saved."""
    try:
        refuse_others(program)
    except StaticError as error:
        return error
    return None


def _checked(options: RunOptions) -> tuple[Path, Path]:
    """The input file and the output file."""
    if len(options.inputs) != 1:
        raise typer.BadParameter("a run with a checkpoint reads one file: -i FILE", param_hint=OPTION)
    if options.output is None:
        raise typer.BadParameter("a run with a checkpoint writes to a file: -o FILE", param_hint=OPTION)
    given = (
        ("--schema", options.schema),
        ("--validate", options.validate),
        ("--plot-buffers", options.plot),
        ("--on-malformed", options.on_malformed != "stop"),
        ("--no-stream", options.stream is False),
        ("--format", options.format is not None),
        ("--dtd", options.entities),
    )
    for name, value in given:
        if value:
            raise typer.BadParameter(f"{name} cannot be used with --checkpoint", param_hint=OPTION)
    path = Path(options.inputs[0])
    if str(path) == "-":
        return path, options.output
    try:
        with path.open("rb") as file:
            head = file.read(16)
    except OSError as reason:
        raise InputError("XYIN0002", f"{path}: {reason.strerror or reason}") from reason
    if is_compressed(head):
        raise StaticError("XYST0006", f"{path} is compressed, so a run cannot continue in its middle")
    return path, options.output


def _digest(query: Any, output: Path) -> str:
    """A digest of everything that determines the answer, except the input and the time."""
    given = [
        query.text,
        query.base_uri,
        dict(query.compiled.environment.namespaces),
        query.modules,
        [(function.uri, function.local) for function in query.compiled.environment.external_functions],
        sorted((name, repr(value)) for name, value in query.variables.items()),
        query.allow,
        query.environment,
        query.limits,
        dict(query.output),
        str(output.absolute()),
    ]
    return digest(given)


def _begun(checkpoint: Path, query: str, path: Path, output: Path) -> Checkpoint:
    """The place to continue from: the beginning without a checkpoint; XYRT0020 or XYRT0030 if the checkpoint does not
    fit.
    """
    known = input_identity(path)
    found = load_checkpoint(checkpoint)
    if found is None:
        return Checkpoint(query, known, str(current_time()), CutPoint(0, 1, b"", b""), 0, 0, False)
    if found.query != query:
        raise StaticError("XYRT0020", f"{checkpoint}: the query, its variables or its output changed")
    if found.input != known:
        changed = ", ".join(name for name, value in known.items() if found.input.get(name) != value)
        raise StaticError("XYRT0030", f"{checkpoint}: {path} changed ({changed})")
    try:
        size = output.stat().st_size
    except OSError:
        size = 0
    if size < found.output_bytes:
        raise StaticError("XYRT0030", f"{checkpoint}: {output} is shorter than the {found.output_bytes:,} bytes it had")
    return found


def _write(run: ResumableRun, output: Path, size: int, encode: Any, line: ProgressLine | None) -> None:
    try:
        with output.open("r+b" if size else "wb") as file:
            file.truncate(size)
            file.seek(size)
            _written(run, file, encode)
    except OSError as reason:
        raise InputError("XYIN0002", f"{output}: {reason.strerror or reason}") from reason
    finally:
        if line is not None:
            line.close()


def _written(run: ResumableRun, file: IO[bytes], encode: Any) -> None:
    try:
        run.write(file, encode)
    except BaseException:
        # Complete results are written; the next run continues from the checkpoint in any case.
        file.flush()
        raise


class _Shown:
    """The progress of the run, for the line on the terminal and for figures."""

    def __init__(self, path: Path, begun: Checkpoint, measured: Statistics) -> None:
        self._path = path
        self._size = begun.input["bytes"]
        self._start = self._offset = begun.cut.offset
        self._began = time.monotonic()
        self._measured = measured

    def see(self, offset: int) -> None:
        self._offset = offset

    def words(self) -> Iterator[str]:
        yield f"{self._path} "
        yield f"{self._offset / 1e6:,.1f}/{self._size / 1e6:,.1f} MB "
        yield f"{self._offset / max(self._size, 1):.0%} "
        yield f"{self._speed():,.1f} MB/s"

    def _speed(self) -> float:
        return (self._offset - self._start) / 1e6 / max(time.monotonic() - self._began, 1e-6)

    def facts(self, options: RunOptions) -> dict[str, Any]:
        from xylem.source.cut_points import uses_kernel

        from .statistics import peak_rss_bytes

        return {
            "streamed": True,
            "passes": 1,
            "scanner": "kernel" if uses_kernel(options.scanner) else "python",
            "input_bytes": self._size - self._start,
            "resumed_at_byte": self._start,
            "seconds": round(time.monotonic() - self._began, 3),
            "records": self._measured.records,
            "results": None,
            "peak_buffered_bytes": self._measured.peak_buffered_bytes,
            "buffers": [],
            "peak_rss_bytes": peak_rss_bytes(),
        }
