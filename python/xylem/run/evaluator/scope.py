"""Variables in scope while code is generated, and the focus."""

from __future__ import annotations

from dataclasses import dataclass

from .code import Code
from .writer import Frame, Mark


@dataclass(eq=False)
class Variable:
    """A variable as generated code sees it.

    `mark` is the place right after the binding, where things computed once per binding can be put; it is None
    for globals. `order` counts bindings, so that of two visible variables the later has the greater order.
    """

    code: Code
    frame: Frame | None
    mark: Mark | None
    order: int
    loops: bool
    """Bound anew by each turn of a loop."""


@dataclass(frozen=True)
class Focus:
    """The context item, position and size as variables. A part that is None is computed nowhere."""

    item: Variable | None
    position: Variable | None = None
    size: Variable | None = None
    absent_reason: str = ""
    is_global: bool = False


@dataclass(frozen=True)
class Scope:
    """An immutable chain of bindings; extending it gives a new one."""

    variables: dict[tuple[str, str], Variable]
    focus: Focus

    def with_variable(self, name: tuple[str, str], variable: Variable) -> Scope:
        return Scope({**self.variables, name: variable}, self.focus)

    def with_focus(self, focus: Focus) -> Scope:
        return Scope(self.variables, focus)
