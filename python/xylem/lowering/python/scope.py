"""Variables in scope while code is generated, and the focus."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from xylem.values.node_test import NodeTest

from .code import Code
from .writer import Frame, Line, Mark


@dataclass(eq=False)
class Variable:
    """A variable as generated code sees it.

    `mark` is the place right after the binding, for values that are computed once per binding; it is None for globals.
    `order` counts bindings, so that of two visible variables the later has the greater order.
    """

    code: Code
    frame: Frame | None
    mark: Mark | None
    order: int
    loops: bool
    """Bound anew by each turn of a loop."""


@dataclass(frozen=True)
class Focus:
    """The context item, position and size as variables; each is None if it is not computed."""

    item: Variable | None
    position: Variable | None = None
    size: Variable | None = None
    absent_reason: str = ""
    is_global: bool = False


@dataclass(frozen=True)
class Place:
    """A stretch of statements without branches: later statements can use the values of earlier ones."""

    frame: Frame
    body: list[Line | Mark]
    depth: int

    @staticmethod
    def of(frame: Frame) -> Place:
        return Place(frame, frame.body, frame.depth)

    def is_at(self, frame: Frame) -> bool:
        """Whether the next statement of a function is inside it."""
        return frame is self.frame and frame.body is self.body and frame.depth == self.depth


@dataclass(frozen=True)
class Scope:
    """An immutable chain of bindings; extending it gives a new one."""

    variables: dict[tuple[str, str], Variable]
    focus: Focus
    place: Place | None = None
    repeated: frozenset[tuple[str, NodeTest]] = frozenset()
    """Steps that are written more than once, by axis and test: worth naming."""
    texts: dict[str, Variable] = field(default_factory=dict)
    """Named reads of such steps, by their text."""

    def with_variable(self, name: tuple[str, str], variable: Variable) -> Scope:
        return replace(self, variables={**self.variables, name: variable})

    def without_variable(self, name: tuple[str, str]) -> Scope:
        return replace(self, variables={known: value for known, value in self.variables.items() if known != name})

    def with_focus(self, focus: Focus) -> Scope:
        return replace(self, focus=focus)

    def with_text(self, text: str, variable: Variable) -> Scope:
        return replace(self, texts={**self.texts, text: variable})
