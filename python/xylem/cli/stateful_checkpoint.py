"""`xylem run --checkpoint FILE` of queries with state: saves variables, counts and aggregates with the position in the
input.
"""

from __future__ import annotations

import fcntl
import os
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

from xylem.errors import DynamicError, InputError, StaticError
from xylem.run.background_save import BackgroundSave
from xylem.run.program import current_time
from xylem.run.sealed_file import damaged, read_sealed, write_sealed
from xylem.run.stream.program import StreamProgram
from xylem.run.stream.resumable_program import Reached, ResumableProgram, record_scope, refuse_formats
from xylem.run.tasks.checkpoint import input_identity
from xylem.source.resources import FileResources
from xylem.values.datetime_lexical import parse_date_time
from xylem.values.python_values import sequence_from_python
from xylem.values.state_codec import DamagedState
from xylem.values.state_values import decoded, encoded

from .query_source import QuerySource, output_parameters, variables
from .run_query import RunOptions, compiled

KIND = "variables"
EVERY_BYTES = 8 << 20
_READ_BYTES = 1 << 16


def run_with_state(source: QuerySource, options: RunOptions, checkpoint: Path, output: Path, digest: str) -> None:
    """Run the query over its one input, or continue an interrupted run."""
    from xylem.query.external_names import external_names

    query = compiled(source, options=options)
    passes = query.compiled.stream_passes(None)
    program = passes.last
    if passes.number > 1:
        raise StaticError("XYST0006", "its input is read more than once")
    record_scope(program)
    refuse_formats(program, output_parameters(options.output_parameters))
    values = {name: sequence_from_python(value) for name, value in variables(options.values, options.documents).items()}
    names = external_names(program.handlers, values)
    known = _identity(options.inputs[0])
    with _locked(output) as file:
        now, begun = _begun(checkpoint, digest, known, output)
        if begun is not None and not options.quiet:
            print(f"going on from byte {begun.cut.offset:,} of {options.inputs[0]}", file=sys.stderr)
        _run(file, program, options, values, names, checkpoint, _Identity(digest, known, now), begun)
    checkpoint.unlink(missing_ok=True)


@dataclass(frozen=True)
class _Identity:
    """The identity of a checkpoint."""

    query: str
    input: dict[str, Any]
    now: str


def _run(
    file: IO[bytes],
    program: StreamProgram,
    options: RunOptions,
    values: dict[str, Any],
    names: dict[str, tuple[str, str]],
    checkpoint: Path,
    identity: _Identity,
    begun: Reached | None,
) -> None:
    run_options = {
        "variables": {names[name]: value for name, value in values.items()},
        "environment": dict(os.environ) if options.allow_environment else None,
        "now": parse_date_time(identity.now),
        "limits": options.limits,
        "scanner": options.scanner,
    }
    saver = BackgroundSave(str(checkpoint))

    def save(reached: Reached) -> None:
        saver.start(lambda: _save(checkpoint, identity, reached, file.fileno()))

    def is_due() -> bool:
        if saver.is_impossible:
            raise DynamicError("XYRT0010", "the query keeps nodes or functions from one record to the next")
        return saver.is_due

    parameters = output_parameters(options.output_parameters)
    resources = FileResources(options.allowed)
    run = ResumableProgram(program, resources, run_options, parameters, EVERY_BYTES, save, is_due)
    file.truncate(0 if begun is None else begun.output_length)
    file.seek(0, os.SEEK_END)
    try:
        run.write(_input(options.inputs[0], 0 if begun is None else begun.cut.offset), file, begun)
        os.fsync(file.fileno())
    finally:
        saver.finish()


def _identity(name: str) -> dict[str, Any]:
    """The identity of the input; standard input must be given again from its beginning."""
    return {"standard input": True} if name == "-" else input_identity(Path(name))


def _locked(output: Path) -> IO[bytes]:
    """The output, for this run alone.

    A run that was killed may have left a child that writes the checkpoint: it holds the lock until it is done, so that
    no checkpoint describes an output that another run has started again.
    """
    try:
        file = os.fdopen(os.open(output, os.O_RDWR | os.O_CREAT, 0o666), "r+b")
        fcntl.flock(file.fileno(), fcntl.LOCK_EX)
    except OSError as reason:
        raise InputError("XYIN0002", f"{output}: {reason.strerror or reason}") from reason
    return file


def _input(name: str, offset: int) -> Iterator[bytes]:
    """The bytes from a position on."""
    with open(sys.stdin.fileno() if name == "-" else name, "rb", buffering=0, closefd=name != "-") as file:
        if name != "-":
            file.seek(offset)
            offset = 0
        while chunk := file.read(_READ_BYTES):
            if offset >= len(chunk):
                offset -= len(chunk)
                continue
            yield chunk[offset:]
            offset = 0


def _save(path: Path, identity: _Identity, reached: Reached, descriptor: int) -> None:
    """Flush the output to disk before the checkpoint refers to it."""
    os.fsync(descriptor)
    fields = {"query": identity.query, "input": identity.input, "now": identity.now, **reached.state()}
    write_sealed(path, KIND, encoded(fields))


def _begun(path: Path, query: str, known: dict[str, Any], output: Path) -> tuple[str, Reached | None]:
    """The start time of the run, and the position to continue from; XYRT0020, XYRT0030 or XYRT0033 if it cannot."""
    try:
        fields = decoded(read_sealed(path, KIND))
        reached = Reached.from_state(fields)
        now = fields["now"]
    except FileNotFoundError:
        return str(current_time()), None
    except (DamagedState, KeyError, TypeError) as error:
        raise damaged(path, f"{error}") from error
    if fields["query"] != query:
        raise StaticError("XYRT0020", f"{path}: the query, its variables or its output changed")
    if fields["input"] != known:
        raise DynamicError("XYRT0030", f"{path}: the input changed")
    if output.stat().st_size < reached.output_length:
        raise DynamicError("XYRT0030", f"{path}: {output} is shorter than the {reached.output_length:,} bytes it had")
    return now, reached
