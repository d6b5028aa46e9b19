"""A query over one document that can be interrupted between two records, and resumed.

Its state is a cut point of the document, the place in the output, the variables that statements set, and the counts and
aggregates of open scopes. A resumed run starts at the cut point with the start tags around it, drops the text before
the first record, and loads the state.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

from xylem.errors import EngineBug, StaticError
from xylem.plan.scan_plan import PositionTest, ScanStep
from xylem.sink.default_parameters import chosen_parameters
from xylem.sink.event_writer import can_write_events
from xylem.source.byte_ranges import CutPoint, Scope
from xylem.source.byte_source import ByteSource
from xylem.source.cut_points import CutFinder
from xylem.syntax import ast
from xylem.values.builder import TreeBuilder
from xylem.values.map import XMap
from xylem.values.node import Node
from xylem.values.state_codec import CannotSave

from .collector import Collector
from .document_runs import DocumentRuns
from .program import StreamProgram
from .roles import FeedRole, ItemRole, ScopeRole
from .saved_scopes import ScopeStates, give_scope_states, scope_states
from .text import StreamText

Name = tuple[str, str]
_NOT_SAVED = ("items", "last")
"""Aggregates that keep nodes of the document."""


@dataclass(frozen=True)
class Reached:
    """The position that a run has reached."""

    cut: CutPoint
    output_length: int
    """As reported by the output."""
    variables: dict[Name, Any]
    scopes: ScopeStates = field(default_factory=dict)
    place: tuple[bool, bool, bool] | None = None
    """Place in the output (`EventWriter.place`); None before it begins, and for separate items."""

    def state(self) -> dict[str, Any]:
        """The state as values that can be saved."""
        cut = self.cut
        return {
            "cut": (cut.offset, cut.line, cut.opening, cut.closing, cut.is_before_item),
            "output_length": self.output_length,
            "variables": self.variables,
            "scopes": self.scopes,
            "place": self.place,
        }

    @classmethod
    def from_state(cls, state: Mapping[str, Any]) -> Reached:
        """Restore the result of `state`; KeyError or TypeError for anything else."""
        names = ("output_length", "variables", "scopes", "place")
        return cls(CutPoint(*state["cut"]), *[state[name] for name in names])


class ProgramOutput(Protocol):
    """The output for a program's answer, such as a binary file."""

    def write(self, data: bytes, /) -> object: ...

    def flush(self) -> object: ...

    def tell(self) -> int: ...


def record_scope(program: StreamProgram) -> Scope:
    """The path to the records; XYST0006 if a program keeps state between them that cannot be saved."""
    records = [role for role in program.roles if isinstance(role, (ItemRole, FeedRole))]
    paths = {tuple(reversed(list(_steps(program, role.step)))) for role in records}
    if len(paths) != 1 or _has_other_state(program):
        raise StaticError("XYST0006", "it reads more than one kind of records")
    if any(role.leaf_steps for role in records):
        raise StaticError("XYST0006", "its records are text nodes")
    if _keeps_input(program):
        raise StaticError("XYST0006", "it keeps parts of its input")
    if _counts_records(program):
        raise StaticError("XYST0006", "its records are selected by their position, or read their siblings")
    (path,) = paths
    if len(path) == 1 and path[0][0] == "child":
        raise StaticError("XYST0006", "the whole document is its one record")
    return path


def is_saved_between_records(program: StreamProgram) -> bool:
    """Whether the state of a run can be saved after any child of the root element."""
    return not (
        _has_other_state(program)
        or _keeps_input(program)
        or _counts_records(program)
        or set_variables(program.handlers.module)
    )


def _has_other_state(program: StreamProgram) -> bool:
    return program.feeds_windows or not all(isinstance(role, (ItemRole, FeedRole, ScopeRole)) for role in program.roles)


def _keeps_input(program: StreamProgram) -> bool:
    scopes = [role for role in program.roles if isinstance(role, ScopeRole)]
    return any(scope.keeps_children for scope in scopes) or not all(map(_can_be_saved, scopes))


def _counts_records(program: StreamProgram) -> bool:
    inside = _inside(program, {role.step for role in program.roles if isinstance(role, (ItemRole, FeedRole))})
    return any(map(_looks_back, (step for number, step in enumerate(program.scan.steps) if number not in inside)))


def refuse_formats(program: StreamProgram, parameters: Mapping[str, Any]) -> None:
    """XYST0006 if the output format writes only complete items."""
    if not can_write_events(chosen_parameters({**program.handlers.output, **parameters}, {}, lambda: True)):
        raise StaticError("XYST0006", "its answer is not written as XML, item by item")


def _can_be_saved(scope: ScopeRole) -> bool:
    for role in scope.aggregates:
        functions = [role.function] if role.table is None else [part.function for part in role.table.parts]
        if role.first is not None or any(function in _NOT_SAVED for function in functions):
            return False
    return True


def _inside(program: StreamProgram, records: set[int]) -> set[int]:
    """The steps below those of records, whose state ends with the record."""
    found: set[int] = set()
    for number, step in enumerate(program.scan.steps):
        if step.parent in records or step.parent in found:
            found.add(number)
    return found


def _looks_back(step: ScanStep) -> bool:
    is_counted = any(isinstance(test, PositionTest) for test in step.tests)
    return is_counted or bool(step.remembers or step.awaits)


def _steps(program: StreamProgram, step: int) -> Iterator[tuple[str, str | None, str | None]]:
    while step:
        one = program.scan.steps[step]
        yield one.axis, one.uri, one.local
        step = one.parent


def set_variables(module: ast.Module) -> frozenset[Name]:
    """The variables that statements of a program set."""
    return frozenset(node.name.expanded for node in module.walk() if isinstance(node, ast.SetStatement))


class ResumableProgram:
    """One run, to its end or to an interruption."""

    def __init__(
        self,
        program: StreamProgram,
        resources: Any,
        options: Mapping[str, Any],
        parameters: Mapping[str, Any],
        every_bytes: int,
        save: Callable[[Reached], object],
        is_due: Callable[[], bool],
    ) -> None:
        """`options` as for `DocumentRuns`; `save` is called between two records when `is_due` is true, about once per
        given number of bytes.
        """
        self._program = program
        self._parameters = parameters
        self._save = save
        self._is_due = is_due
        self._names = set_variables(program.handlers.module)
        self._finder = CutFinder([record_scope(program)], every_bytes, scanner=options.get("scanner", "auto"))
        self._kept: dict[Name, Any] = {}
        self._runs: DocumentRuns = program.over_documents(resources, kept=self._kept, is_saved=True, **options)

    def write(self, chunks: Iterable[bytes], file: ProgramOutput, begun: Reached | None) -> None:
        """Write the answer over a document; with `begun`, the rest of the answer for the input after the cut point."""
        program = self._program
        parameters = {**program.handlers.output, **self._parameters}
        answer = _AnswerText(file, is_writing=begun is None)
        answer.text = text = StreamText(
            lambda first: chosen_parameters(parameters, {}, lambda: True),
            answer.write,
            Collector(program.static.base_uri, *program.copy_namespaces),
            program.copy_namespaces,
        )
        text.take(self._runs.write(ByteSource.of(self._pieces(chunks, answer, begun)), text.output))
        file.flush()

    def items(self, chunks: Iterable[bytes], length: Callable[[], int], begun: Reached | None) -> Iterator[Any]:
        """The items of the answer over a document, or the rest of them. `length` returns how much of them is written,
        whenever the next item is requested.
        """
        program = self._program
        collector = Collector(program.static.base_uri, *program.copy_namespaces)
        answer = _AnswerItems(collector, length, is_writing=begun is None)
        source = ByteSource.of(self._pieces(chunks, answer, begun))
        for item in collector.drawn(self._runs.write(source, collector)):
            if answer.is_writing:
                yield item

    def _pieces(self, chunks: Iterable[bytes], answer: _Answer, begun: Reached | None) -> Iterator[bytes]:
        """The input, divided at cut points. A caller that requests the next piece has finished the previous one."""
        offset = 0
        if begun is not None:
            offset = begun.cut.offset
            self._finder.resume(begun.cut)
            # Four bytes determine the encoding: with fewer, the scanner would ask for another piece first.
            yield begun.cut.opening.ljust(4, b"\n")
            self._go_on(answer, begun)
        for chunk in chunks:
            start = 0
            for cut in self._finder.feed(chunk):
                end = cut.offset - offset
                if end > start and self._is_due():
                    yield chunk[start:end]
                    start = end
                    self._reach(cut, answer)
            yield chunk[start:]
            offset += len(chunk)

    def _go_on(self, answer: _Answer, begun: Reached) -> None:
        run = self._runs.under_way
        if run is None:
            raise EngineBug("XYBUG0001", "a run that goes on has not begun")

        def restore() -> None:
            if not run.open:
                # The start tags around the records produced nothing.
                run.start(empty_document())
            for name, value in begun.variables.items():
                self._kept[name].set(value.as_table() if type(value) is XMap else value)
            give_scope_states(run, begun.scopes)

        self._program.guarded(restore)
        answer.go_on(begun)

    def _reach(self, cut: CutPoint, answer: _Answer) -> None:
        run = self._runs.under_way
        if run is None or not run.open or not answer.can_stop:
            return
        try:
            scopes = scope_states(run)
        except CannotSave:
            return
        variables = {name: self._kept[name]() for name in self._names if name in self._kept}
        self._save(Reached(cut, answer.length(), variables, scopes, answer.place))


class _Answer(Protocol):
    """The output of a run, as far as it is written."""

    @property
    def can_stop(self) -> bool:
        """Whether another run can continue writing here."""

    @property
    def place(self) -> tuple[bool, bool, bool] | None: ...

    def length(self) -> int: ...

    def go_on(self, begun: Reached) -> None:
        """Start writing; the output continues from the place of another run."""


class _AnswerText:
    """An answer as text, which writes nothing until it is resumed."""

    text: StreamText

    def __init__(self, file: ProgramOutput, *, is_writing: bool) -> None:
        self._file = file
        self._is_writing = is_writing

    def write(self, data: bytes) -> None:
        if self._is_writing:
            self._file.write(data)

    @property
    def can_stop(self) -> bool:
        return self.text.writer is not None or not self.text.has_begun

    @property
    def place(self) -> tuple[bool, bool, bool] | None:
        return None if self.text.writer is None else self.text.writer.place

    def length(self) -> int:
        self._file.flush()
        return self._file.tell()

    def go_on(self, begun: Reached) -> None:
        if begun.place is not None:
            if not self.text.has_begun:
                self.text.begin()
            if self.text.writer is None:
                raise EngineBug("XYBUG0001", "an answer that goes on is written another way")
            self.text.writer.go_on(begun.place)
            self.text.writer.flush()
        self._is_writing = True


class _AnswerItems:
    """An answer as items, all taken before the next piece is read."""

    place = None

    def __init__(self, collector: Collector, length: Callable[[], int], *, is_writing: bool) -> None:
        self._collector = collector
        self.length = length
        self.is_writing = is_writing

    @property
    def can_stop(self) -> bool:
        return self._collector.is_between_items

    def go_on(self, begun: Reached) -> None:
        if not self._collector.is_between_items:
            raise EngineBug("XYBUG0001", "items of an answer that goes on are in an element")
        # The output of the start tags was returned earlier.
        self._collector.ready.clear()
        self.is_writing = True


def empty_document() -> Node:
    """A document node for a run whose start tags produced nothing."""
    builder = TreeBuilder()
    builder.start_document()
    builder.end_document()
    return builder.finish()
