"""Data windows on paths that the kernel forms: `PATH|count 20 step 5|`, `PATH|det_time diff 60 step 15|`.

        on-each past /photons/photon|count 20 step 5| as $w return <w n="{ count($w) }" m="{ avg($w/en) }"/>
    →   a row with the column en for each photon; windows that open at every fifth row and end 19 rows later

Needs:  sizes and steps are literals; the body reads a window only by aggregates, and no outer variable.
Safe:   as for other windows (`kernel_windows.py`): if the output needs items, or the kernel cannot form them, the
        records are collected as usual.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from xylem.analysis.bound_names import read_variables
from xylem.plan.flux import ITEMS, GiveItem, OnEach, OnWindow
from xylem.plan.flux_expression import as_expression
from xylem.plan.native_windows import (
    EndsAfter,
    EndsEach,
    GridWindows,
    KernelWindows,
    PositionInput,
    WindowCode,
    WindowInput,
)
from xylem.plan.result_template import Template
from xylem.plan.window_plan import WindowPlan
from xylem.rewrite.windows.fold_aggregates import FoldAggregates
from xylem.rewrite.windows.rule import WindowFacts, WindowPlace
from xylem.run.runtime.data_windows import reference_value
from xylem.syntax import ast
from xylem.values import node as nk
from xylem.values.sequence_type import NodeItem, Occurrence, SequenceType

from ..python.code import Code, Shape
from ..python.compiler import Compiler
from ..python.scope import Focus, Scope
from ..python.windows import partial_of
from .kernel_windows import WindowRows, WindowsWriter, kernel_windows, plain
from .template_paths import NoTemplate
from .window_columns import Read

if TYPE_CHECKING:
    from .build import StreamBuilder

_PLACE = ast.Name("place of a window", None, "")
_ITEM = ast.Name("item of a data window", None, "")


def windows_by_kernel(b: StreamBuilder, handler: OnWindow | OnEach) -> tuple[str, Template, bool] | None:
    """The function that makes the windows of a scope, the rows that the scan writes for them, and whether the kernel
    writes their results."""
    body = as_expression(handler.body)
    if body is None or b.c.static.is_sequential or read_variables(body) - {("", handler.variable)}:
        return None
    flwor = _clause(handler.variable, body)
    c, rows = b.c, b.window_rows
    fed = Code("feed", Shape.ITERABLE, SequenceType(NodeItem(nk.ELEMENT), Occurrence.MANY), simple=True, pauses=True)
    with c.writer.function("windows", [], c.describe(handler.window)) as frame, c.scoped(Scope({}, Focus(None))):
        c.declare(ITEMS.expanded, fed)
        made = kernel_windows(c, rows, flwor, lambda c, rows, flwor: _DataWindows(c, rows, flwor, handler.window))
        c.writer.line(f"return {made}")
    try:
        if rows.cells is None:
            return None
        row = b.template(GiveItem(handler.variable, flwor), handler.variable, b.selection)
        return None if row is None else (frame.name, row, rows.kernel_writes)
    finally:
        rows.cells = None


def _clause(variable: str, body: ast.Expr) -> ast.Flwor:
    """The body as the rest of a window clause that keeps the values it reads of a window."""
    name = ast.Name(variable, None, "")
    window = WindowPlan("sliding", True, name, None, ast.VarRef(ITEMS))
    place = FoldAggregates().apply(WindowPlace(window, (), body), WindowFacts())
    keeps_items = name.expanded in read_variables(place.result)
    return ast.Flwor((replace(place.window, keeps_items=keeps_items),), place.result, span=body.span)


class _DataWindows(WindowsWriter):
    """Plans and writes the windows of one specification."""

    def __init__(self, c: Compiler, rows: WindowRows, flwor: ast.Flwor, window: ast.DataWindow) -> None:
        self.window = window
        super().__init__(c, rows, flwor)

    def planned(self) -> KernelWindows:
        start, kind, ending = self._by_count() if self.window.kind == "count" else self._by_reference()
        aggregates = tuple((each.function.local, self.values(each.values)) for each in self.plan.aggregates)
        inputs, template, values = self.outcome((), self.columns.read(self.result, Read.NODES))
        return KernelWindows(
            tuple(self.columns.columns), kind, False, False, "first", True,
            start, None, None, ending, aggregates, inputs, template, values,
        )  # fmt: skip

    def _by_count(self) -> tuple[WindowCode | None, str, EndsAfter]:
        size, step = self._positive(self.window.size), self._positive(self.window.step or self.window.size)
        if not (isinstance(size, int) and isinstance(step, int)):
            raise NoTemplate("a number of items that is no integer", self.window)
        start: WindowCode | None = None
        if step == 1:
            self.functions.append("None")
        else:
            self.others[_PLACE.local] = PositionInput("start")
            before = ast.Arithmetic("-", ast.VarRef(_PLACE), ast.IntegerLiteral(1), span=self.window.span)
            turn = ast.Arithmetic("mod", before, ast.IntegerLiteral(step), span=self.window.span)
            is_start = ast.ValueComparison("eq", turn, ast.IntegerLiteral(0), span=self.window.span)
            start = self.condition("start", is_start)
        self.functions += ["None"] * 3
        return start, "sliding", EndsAfter(size - 1)

    def _by_reference(self) -> tuple[None, GridWindows, EndsEach]:
        size, step = self._positive(self.window.size), self._positive(self.window.step or self.window.size)
        self.columns.items[_ITEM.expanded] = "end", "current"
        item: ast.Expr = ast.VarRef(_ITEM, span=self.window.span)
        reference = item if self.window.reference is None else ast.Path(item, self.window.reference, span=item.span)
        expr = self.columns.read(reference, Read.VALUES)
        inputs = self.inputs(expr)
        self.functions += ["None"] * 3
        self.functions.append(self._value_behind(expr, inputs, float(size), float(step)))
        code = WindowCode(tuple(inputs.values()), self.kernel(inputs, lambda k: k.value(plain(expr))))
        return None, GridWindows(float(size), float(step), code), EndsEach()

    def _value_behind(self, expr: ast.Expr, inputs: dict[str, WindowInput], size: float, step: float) -> str:
        """The reference value of an item, given the previous one; an error if there is none."""
        c, window = self.c, self.window
        parameters = self.parameters(inputs)

        def write() -> None:
            self.declare(inputs, parameters)
            with c.writer.at(window.span):
                found = c.atomic_operand(expr, "the reference of a window").text
                c.writer.line(f"return {c.rt(reference_value)}({found}, last, {size!r}, {step!r})")

        return partial_of(c, c.lifted("reference", [*parameters.values(), "last"], c.describe(window), write))

    def _positive(self, number: ast.Expr) -> float:
        match number:
            case ast.IntegerLiteral(value=value) | ast.DecimalLiteral(value=value) | ast.DoubleLiteral(value=value):
                if value > 0 and (isinstance(value, int) or float(value) < float("inf")):
                    return value if isinstance(value, int) else float(value)
        raise NoTemplate("a size of windows that only a run knows", number)
