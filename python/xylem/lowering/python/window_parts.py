"""The functions a window cursor calls: conditions and keys over the variables of a start and of an end."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from xylem.analysis.facts.standard_calls import is_call
from xylem.analysis.types import sequence_type
from xylem.plan.window_plan import Boundary, BoundaryVariable, WindowIndex, WindowPlan
from xylem.run.runtime import control as control_rt
from xylem.run.windows.open_windows import EachWindow, HashedWindows, SortedWindows
from xylem.syntax import ast

from .code import Code, Shape
from .compiler import Compiler
from .control import check_binding

Parts = list[tuple[tuple[str, str] | None, Code | None]]
"""The variables of a boundary by role, as names and code."""


class WindowFunctions:
    """Writes the functions of one window clause; each returns the expression for a cursor."""

    def __init__(self, c: Compiler, plan: WindowPlan, started: Parts, ended: Parts) -> None:
        self.c = c
        self.plan = plan
        self.started = started
        self.ended = ended

    def start(self) -> str:
        """The start condition; None if it always holds."""
        when = self.plan.start.when
        assert when is not None
        if is_call(when, "true") and not _typed(self.plan.start):
            return "None"
        return self._function("start", when, self.started, self._truth, self.plan.start)

    def whole_end(self) -> str:
        """The whole end condition; None if it always holds, or if the next start decides."""
        when = self.plan.end.when
        if when is None or (is_call(when, "true") and not _typed(self.plan.end)):
            return "None"
        return self._function("end", when, self._both, self._truth, self.plan.end)

    def own_end(self) -> str:
        """The condition tested for each window separately; None if nothing is left."""
        if not self.plan.is_split:
            return self.whole_end()
        own = self.plan.own
        return "None" if own is None else self._function("end", own, self._both, self._truth, self.plan.end)

    def of_start(self, stem: str, expr: ast.Expr) -> str:
        return self._function(stem, expr, self.started, self._truth)

    def of_end(self, stem: str, expr: ast.Expr) -> str:
        return self._function(stem, expr, self.ended, self._truth)

    def start_key(self, index: WindowIndex) -> str:
        return self._function("key", index.start_key, self.started, self._key(index))

    def end_key(self, index: WindowIndex) -> str:
        return self._function("key", index.end_key, self.ended, self._key(index))

    @property
    def _both(self) -> Parts:
        return [*self.started, *self.ended]

    def _truth(self, expr: ast.Expr) -> str:
        return f"bool({self.c.truth(expr)})"

    def _key(self, index: WindowIndex) -> Callable[[ast.Expr], str]:
        c = self.c
        if index.is_general:
            return lambda expr: c.as_sequence(c.atomized(c.compile(expr)))
        return lambda expr: c.atomic_operand(expr, "an operand of a comparison").text

    def _function(
        self,
        stem: str,
        expr: ast.Expr,
        parts: Parts,
        value: Callable[[ast.Expr], str],
        boundary: Boundary | None = None,
    ) -> str:
        """A function of the values of these parts. With a boundary, the declared types of its variables are checked."""
        c = self.c
        parameters = [code.text if code else f"_{i}" for i, (_, code) in enumerate(parts)]

        def write() -> None:
            for name, code in parts:
                if name is not None and code is not None:
                    c.declare(name, code)
            for variable in _typed(boundary):
                with c.writer.at(variable.span):
                    _check(c, variable)
            with c.writer.at(expr.span):
                c.writer.line(f"return {value(expr)}")

        frame = c.lifted(stem, parameters, c.describe(expr), write)
        captures = "".join(f", {name}={name}" for name in frame.captures)
        return f"{c.rt(partial)}({frame.name}{captures})" if captures else frame.name


def _typed(boundary: Boundary | None) -> list[BoundaryVariable]:
    return [] if boundary is None else [v for v in boundary.variables if v.type is not None]


def _check(c: Compiler, variable: BoundaryVariable) -> None:
    assert variable.type is not None
    code = c.use(c.scope.variables[variable.name.expanded])
    if code.shape is Shape.ONE:
        check_binding(c, code.text, code.item, variable.type, f"${variable.name}")
        return
    expected = c.type_constant(sequence_type(variable.type))
    c.writer.line(f"{c.rt(control_rt.check_type)}({c.as_iterable(code)}, {expected}, {f'${variable.name}'!r})")


class OpenWindowsWriter:
    """The set of open windows of a sliding or landmark window, with its index."""

    def __init__(self, c: Compiler, plan: WindowPlan, functions: WindowFunctions) -> None:
        self.c = c
        self.plan = plan
        self.functions = functions

    def text(self) -> str:
        c, index = self.c, self.plan.index
        if self.plan.is_newstart:
            return "None"
        if index is None:
            return f"{c.rt(EachWindow)}({self.functions.own_end()})"
        arguments = [
            self.functions.start_key(index),
            self.functions.end_key(index),
            self.functions.own_end(),
            self.functions.whole_end(),
            "run.implicit_timezone_minutes",
        ]
        if index.is_general:
            arguments.append("is_general=True")
        if index.offset is not None:
            offset = c.bind(c.atomic_operand(index.offset, "an operand of a comparison"))
            arguments.append(f"offset=({offset.text},)")
        if index.kind == "hash":
            return f"{c.rt(HashedWindows)}({', '.join(arguments)})"
        return f"{c.rt(SortedWindows)}({index.op!r}, {', '.join(arguments)})"
