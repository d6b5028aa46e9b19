"""A program with assigned variables over one document, which can be interrupted and resumed.

All state of such a program is in its variables. Between two records, a checkpoint consists of a cut point of the
document, the length of the output and the values of the variables. A resumed run starts at the cut point with the start
tags around it, drops the text before the first record, and restores the variables.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from xylem.errors import EngineBug, StaticError
from xylem.sink.default_parameters import chosen_parameters
from xylem.source.byte_ranges import CutPoint, Scope
from xylem.source.byte_source import ByteSource
from xylem.source.cut_points import CutFinder
from xylem.syntax import ast
from xylem.values.map import XMap

from .collector import Collector
from .program import StreamProgram
from .roles import ItemRole, ScopeRole
from .text import StreamText

Name = tuple[str, str]


@dataclass(frozen=True)
class Reached:
    """How far a run has come."""

    cut: CutPoint
    output_length: int
    """As the output tells it."""
    variables: dict[Name, Any]

    def state(self) -> dict[str, Any]:
        """Itself as values that can be saved."""
        cut = self.cut
        return {
            "cut": (cut.offset, cut.line, cut.opening, cut.closing, cut.is_before_item),
            "output_length": self.output_length,
            "variables": self.variables,
        }

    @classmethod
    def from_state(cls, state: Mapping[str, Any]) -> Reached:
        """What `state` gave; KeyError or TypeError where it did not."""
        return cls(CutPoint(*state["cut"]), state["output_length"], state["variables"])


class ProgramOutput(Protocol):
    """Where the answer of a program is written: a binary file is one."""

    def write(self, data: bytes, /) -> object: ...

    def flush(self) -> object: ...

    def tell(self) -> int: ...


def is_sequential(module: ast.Module) -> bool:
    """Whether a program says that its statements are carried out in order."""
    declared = (one for one in module.prolog if isinstance(one, ast.ExecutionDecl))
    return any(one.mode == "sequential" for one in declared)


def record_scope(program: StreamProgram) -> Scope:
    """The path to the records; XYST0006 where a program keeps more than its variables from one to the next."""
    items = [role for role in program.roles if isinstance(role, ItemRole)]
    scopes = [role for role in program.roles if isinstance(role, ScopeRole)]
    if len(items) != 1 or len(items) + len(scopes) < len(program.roles) or program.feeds_windows:
        raise StaticError("XYST0006", "it reads more than one kind of records")
    (item,) = items
    if item.nested or item.counter is not None or item.limit is not None or item.leaf_steps:
        raise StaticError("XYST0006", "its records are numbered or nested")
    if any(scope.aggregates or scope.keeps_children for scope in scopes):
        raise StaticError("XYST0006", "it keeps more of its input than the values of its variables")
    return tuple(reversed(list(_steps(program, item.step))))


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
        """`options` as for `DocumentRuns`; `save` is called between two records, where `is_due` says so.

        It is asked about every so many bytes.
        """
        self._program = program
        self._resources = resources
        self._options = options
        self._parameters = parameters
        self._save = save
        self._is_due = is_due
        self._names = set_variables(program.handlers.module)
        self._finder = CutFinder([record_scope(program)], every_bytes, scanner=options.get("scanner", "auto"))
        self._kept: dict[Name, Any] = {}
        self._is_writing = True

    def write(self, chunks: Iterable[bytes], file: ProgramOutput, begun: Reached | None) -> None:
        """Write the answer over a document; with `begun`, the rest of it over what follows the cut point."""
        self._is_writing = begun is None
        program = self._program
        parameters = {**program.handlers.output, **self._parameters}
        text = StreamText(
            lambda first: chosen_parameters(parameters, {}, lambda: True),
            lambda data: file.write(data) if self._is_writing else None,
            Collector(program.static.base_uri, *program.copy_namespaces),
            program.copy_namespaces,
        )
        source = ByteSource.of(self._pieces(chunks, file, text, begun))
        text.take(program.write(source, self._resources, text.output, kept=self._kept, **self._options))
        file.flush()

    def _pieces(
        self, chunks: Iterable[bytes], file: ProgramOutput, text: StreamText, begun: Reached | None
    ) -> Iterator[bytes]:
        """The input, divided at cut points. Whoever asks for the next piece has done with the one before."""
        offset = 0
        if begun is not None:
            offset = begun.cut.offset
            self._finder.resume(begun.cut)
            # By four bytes the encoding is told: with fewer, one more piece would be asked for first.
            yield begun.cut.opening.ljust(4, b"\n")
            self._go_on(text, begun)
        for chunk in chunks:
            start = 0
            for cut in self._finder.feed(chunk):
                end = cut.offset - offset
                if end > start and self._is_due():
                    yield chunk[start:end]
                    start = end
                    self._reach(cut, file, text)
            yield chunk[start:]
            offset += len(chunk)

    def _go_on(self, text: StreamText, begun: Reached) -> None:
        if text.writer is None:
            raise EngineBug("XYBUG0001", "an answer that has begun begins later when it goes on")
        text.writer.begin_content()
        text.writer.flush()
        for name, value in begun.variables.items():
            self._kept[name].set(value.as_table() if type(value) is XMap else value)
        self._is_writing = True

    def _reach(self, cut: CutPoint, file: ProgramOutput, text: StreamText) -> None:
        if text.writer is None or not text.writer.is_between_items:
            return
        file.flush()
        self._save(Reached(cut, file.tell(), {name: self._kept[name]() for name in self._names if name in self._kept}))
