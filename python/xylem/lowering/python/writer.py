"""Writing generated source: lines with the spans they came from, functions lifted to the top level, constants.

Every generated function is at the top level and receives the variables around it as parameters. So no captured
variable can change later, and the code never reaches Python's limits on nested blocks and indentation.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from xylem.errors import Span
from xylem.errors.source_text import NOWHERE
from xylem.plan.note import Note

if TYPE_CHECKING:
    from xylem.analysis.boundedness.check import Boundedness
    from xylem.rewrite.windows import WindowFacts
    from xylem.syntax import ast


@dataclass
class Line:
    depth: int
    text: str
    span: Span | None


@dataclass
class Mark:
    """A place between lines for later insertions, at its original depth."""

    depth: int
    lines: list[Line] = field(default_factory=list)


@dataclass(eq=False)
class Frame:
    """One generated function while it is being written."""

    name: str
    parameters: list[str]
    comment: str = ""
    body: list[Line | Mark] = field(default_factory=list)
    depth: int = 1
    blocks: int = 0
    """Loops and try blocks open around the current line; Python allows twenty."""
    outer: Frame | None = None
    captures: dict[str, str] = field(default_factory=dict)
    """Names of outer frames this function needs, each a parameter of the same name."""
    is_generator: bool = False
    loops_forever: bool = False
    """The body is a `while True`, for calls in tail position."""

    def lines(self) -> Iterator[Line]:
        for entry in self.body:
            if isinstance(entry, Mark):
                yield from entry.lines
            else:
                yield entry


class Writer:
    """Collects the functions and constants of one generated program."""

    def __init__(self) -> None:
        self.window_facts: WindowFacts | None = None
        """The facts used to plan window clauses; None: all rules apply."""
        self.without_rules: frozenset[str] = frozenset()
        self.is_streamed = False
        """Whether the code reads buffers of a stream: their tree grows between two handlers."""
        self.bounds: Boundedness | None = None
        """The facts about infinite values; None: there are none."""
        self.finished: list[Frame] = []
        self.top: list[str] = []
        """Module-level statements, run once per execution before the functions are called."""
        self.constants: dict[str, Any] = {}
        self.constant_notes: dict[str, str] = {}
        self.places: dict[str, Span] = {}
        """For constants that are used once: the query text they were made for."""
        self.notes: list[Note] = []
        """Decisions for `explain`."""
        self.indexes: dict[str, Span] = {}
        """Indexes of joins by their names, with the places of the joins."""
        self.planned: dict[ast.Expr, ast.Expr] = {}
        """Expressions whose windows and joins were planned, with the code generated for them."""
        self.answer: ast.Expr | None = None
        """The body of the query, while its code is being written."""
        self.can_write = False
        """Whether the program can give its answer as text."""
        self._constant_names: dict[Any, str] = {}
        self._counter = 0
        self.frame: Frame = Frame("(none)", [])
        self.span: Span | None = None

    # --- names and constants

    def fresh(self, stem: str) -> str:
        self._counter += 1
        return f"{stem}_{self._counter}"

    def constant(self, value: Any, stem: str, note: str = "", key: Any = None) -> str:
        """The name of a value for generated code; equal keys share a name."""
        if key is not None:
            known = self._constant_names.get((stem, key))
            if known is not None:
                return known
        name = self.fresh(stem)
        self.constants[name] = value
        if note:
            self.constant_notes[name] = note
        if key is None and self.span is not None:
            self.places[name] = self.span
        if key is not None:
            self._constant_names[(stem, key)] = name
        return name

    def runtime(self, value: Any) -> str:
        """The name by which generated code calls a runtime function."""
        name: str = value.__name__
        known = self.constants.get(name)
        if known is None:
            self.constants[name] = value
        elif known is not value:
            return self.constant(value, name, key=id(value))
        return name

    # --- lines

    def line(self, text: str) -> None:
        self.frame.body.append(Line(self.frame.depth, text, self.span))

    def mark(self) -> Mark:
        made = Mark(self.frame.depth)
        self.frame.body.append(made)
        return made

    @contextmanager
    def indented(self, block: bool = False) -> Iterator[None]:
        """Write lines one step further in; with `block`, those of a statement, which has at least one."""
        frame = self.frame
        depth, blocks, before = frame.depth, frame.blocks, len(frame.body)
        frame.depth += 1
        frame.blocks += block
        try:
            yield
            if block and not any(isinstance(entry, Line) for entry in frame.body[before:]):
                self.line("pass")
        finally:
            frame.depth, frame.blocks = depth, blocks

    @contextmanager
    def at(self, span: Span | None) -> Iterator[None]:
        before = self.span
        # A rewritten node has no place: it belongs to the node around it.
        self.span = before if span is None or span is NOWHERE else span
        try:
            yield
        finally:
            self.span = before

    # --- functions

    @contextmanager
    def function(self, stem: str, parameters: list[str], comment: str = "") -> Iterator[Frame]:
        """Write a function; its lines go to the new frame until the block ends."""
        outer = self.frame
        frame = Frame(self.fresh(stem), parameters, comment, outer=outer)
        self.frame = frame
        try:
            yield frame
        finally:
            self.frame = outer
            self.finished.append(frame)

    def call(self, frame: Frame, *arguments: str) -> str:
        """A call of a finished function: the given arguments, then its captured values."""
        return f"{frame.name}({', '.join([*arguments, *frame.captures])})"

    # --- the whole text

    def source(self) -> tuple[str, list[Span | None]]:
        """The program's text, and for each line (1-based, entry 0 unused) the span it came from."""
        lines: list[str] = []
        spans: list[Span | None] = [None]

        def put(text: str, span: Span | None = None) -> None:
            lines.append(text)
            spans.append(span)

        for name, note in self.constant_notes.items():
            put(f"# {name}: {' '.join(note.split())}")
        for text in self.top:
            put(text)
        for frame in self.finished:
            put("")
            put(f"def {frame.name}({', '.join([*frame.parameters, *frame.captures])}):")
            if frame.comment:
                put(f"    # {' '.join(frame.comment.split())[:110]}")
            if frame.loops_forever:
                put("    while True:")
            for line in frame.lines():
                put("    " * (line.depth + frame.loops_forever) + line.text, line.span)
            if frame.is_generator:
                # A generator, even if no yield is reached.
                put("    if False: yield")
        return "\n".join(lines) + "\n", spans
