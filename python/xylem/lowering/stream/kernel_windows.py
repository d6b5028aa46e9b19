"""Window clauses that the kernel can evaluate itself (`plan/native_windows.py`), in addition to their generated code.

Needs:  the items are elements of the stream that do not nest, and the query reads only their values; windows have no
        keys of their own; the aggregates are built-in functions; only `let`, `where` and `return` follow the clause.
Safe:   where the kernel cannot decide, it calls functions generated from the same expressions. If the output needs
        items instead of text, the loop over nodes runs as usual.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from xylem.analysis.ast_replacement import replaced
from xylem.analysis.facts.standard_calls import is_call
from xylem.functions.registry import FN
from xylem.plan.flux import ITEMS
from xylem.plan.kernel_expression import KernelExpression
from xylem.plan.native_windows import (
    AggregateInput,
    EndsAfter,
    EndsByKey,
    EndsEach,
    EndsInOrder,
    KernelWindows,
    PositionInput,
    WindowCode,
    WindowInput,
)
from xylem.plan.result_template import Cell, Template
from xylem.plan.window_plan import AggregateRead, Boundary, WindowPlan
from xylem.rewrite.windows.conditions import binds
from xylem.run.stream.kernel_windows import WindowsByKernel
from xylem.syntax import ast
from xylem.values import atomic_type as at
from xylem.values import node as nk
from xylem.values.sequence_type import AtomicItem, NodeItem, Occurrence, SequenceType

from ..python.code import Code, Shape, atomic, one
from ..python.compiler import YIELD, Compiler
from ..python.windows import distance_of, partial_of
from .kernel_expressions.as_loops import is_atomic
from .kernel_expressions.compiler import ExpressionCompiler
from .selection import Selection
from .template_expressions import TemplateExpressions
from .template_paths import NoTemplate
from .window_columns import ITEM, Read, WindowColumns

_UNTYPED = SequenceType(AtomicItem(at.UNTYPED_ATOMIC), Occurrence.MANY)
_VALUE = SequenceType(AtomicItem(at.ANY_ATOMIC), Occurrence.OPTIONAL)
_NO_ELEMENT = "no element"
"""Stands for the record in templates that read only values."""


@dataclass
class WindowRows:
    """The rows that the scan may write for windows, in the order in which a program opens them."""

    selection: Selection
    is_allowed: bool = False
    """Whether results may be written as text."""
    cells: tuple[Cell, ...] | None = field(default=None, init=False)
    """The row of an item of the open windows; None if nodes are passed."""
    kernel_writes: bool = field(default=False, init=False)
    """Whether the kernel writes the results of these windows, too."""
    beyond: list[NoTemplate] = field(default_factory=list, init=False)
    """What prevents the kernel from forming windows."""
    formed: dict[ast.Expr, bool] = field(default_factory=dict, init=False)
    """The expressions whose windows it forms, and whether it writes their results, too."""


def kernel_windows(
    c: Compiler, rows: WindowRows, flwor: ast.Flwor, make: Callable[..., WindowsWriter] | None = None
) -> str:
    """An expression that creates them; `None` if the kernel cannot form them."""
    make = WindowsWriter if make is None else make
    rows.cells = None
    if not rows.is_allowed:
        return "None"
    try:
        writer = make(c, rows, flwor)
        text = writer.text()
    except NoTemplate as beyond:
        rows.beyond.append(beyond)
        return "None"
    rows.cells = writer.windows.cells
    rows.kernel_writes = writer.windows.template is not None or writer.windows.values is not None
    return text


class WindowsWriter:
    """Plans and writes one clause."""

    def __init__(self, c: Compiler, rows: WindowRows, flwor: ast.Flwor) -> None:
        self.c = c
        self.selection = rows.selection
        self.beyond = rows.beyond
        self.plan, self.rest, self.result = _windows(flwor)
        self.columns = WindowColumns()
        self.others: dict[str, WindowInput] = {}
        """The variables that are not columns."""
        self._name_variables()
        self.functions: list[str] = []
        """The functions that the kernel may call, by number."""
        self.windows = self.planned()

    def _name_variables(self) -> None:
        for side, boundary in (("start", self.plan.start), ("end", self.plan.end)):
            for variable in boundary.variables:
                if variable.role == "position":
                    self.others[variable.name.local] = PositionInput(side)
                else:
                    self.columns.items[variable.name.expanded] = side, variable.role
        for number, aggregate in enumerate(self.plan.aggregates):
            self.others[aggregate.name.local] = AggregateInput(number)
            # The item of an aggregate is the current one.
            self.columns.items[aggregate.item.expanded] = "end", "current"

    def planned(self) -> KernelWindows:
        plan = self.plan
        start = self.condition("start", plan.start.when)
        end = None if plan.is_newstart else self.condition("end", plan.end.when)
        shared = None if plan.shared is None else self.condition("shared", plan.shared)
        if shared is None:
            self.functions += ["None"] * (3 - len(self.functions))
        ending = self._ending()
        aggregates = tuple((each.function.local, self.values(each.values)) for each in plan.aggregates)
        rest = self.columns.read(self.rest, Read.NODES)
        result = self.columns.read(self.result, Read.NODES)
        inputs, template, values = self.outcome(rest, result)
        return KernelWindows(
            tuple(self.columns.columns), plan.kind, plan.has_one_start, plan.is_newstart,
            "nothing" if plan.force else "all", plan.is_standard,
            start, end, shared, ending, aggregates, inputs, template, values,
        )  # fmt: skip

    # --- expressions

    def condition(self, stem: str, when: ast.Expr | None) -> WindowCode | None:
        if when is None or is_call(when, "true"):
            self.functions.append("None")
            return None
        expr = self.columns.read(when, Read.TRUTH)
        inputs = self.inputs(expr)
        c = self.c
        self.functions.append(self.function(stem, expr, inputs, lambda: f"return bool({c.truth(expr)})"))
        return WindowCode(tuple(inputs.values()), self.kernel(inputs, lambda k: k.condition(plain(expr))))

    def values(self, values: ast.Expr) -> WindowCode:
        expr = self.columns.read(values, Read.VALUES)
        inputs = self.inputs(expr)
        c = self.c

        def line() -> str:
            return f"return list({c.as_iterable(c.atomized(c.compile(expr)))})"

        self.functions.append(self.function("values", expr, inputs, line))
        return WindowCode(tuple(inputs.values()), self.kernel(inputs, lambda k: k.value(plain(expr))))

    def _ending(self) -> EndsEach | EndsAfter | EndsInOrder | EndsByKey:
        plan, index = self.plan, self.plan.index
        self.functions.append("None")
        if plan.kind == "tumbling" or plan.is_newstart:
            return EndsEach()
        distance = distance_of(plan)
        if distance is not None and plan.kind == "sliding":
            return EndsAfter(distance)
        if plan.longest is not None or plan.opening is not None:
            raise NoTemplate("windows that are dropped before they end", plan.end.when)
        if index is None:
            return EndsEach()
        if index.kind == "hash" and index.offset is None:
            return EndsByKey(self.key(index.start_key), self.key(index.end_key))
        is_in_order = index.kind == "queue" and index.op in ("gt", "ge") and plan.own is None and plan.shared is None
        if not is_in_order:
            raise NoTemplate("open windows by an index of its own", plan.end.when)
        if plan.kind == "landmark":
            # Windows that do not end at an item are younger than those that do: few are tested in vain.
            return EndsEach()
        return EndsInOrder(self.key(index.start_key), index.offset is not None)

    def key(self, key: ast.Expr) -> WindowCode:
        """The key by which windows are found or sorted; if the kernel does not know it, it tests each window."""
        expr = self.columns.read(key, Read.VALUES)
        inputs = self.inputs(expr)
        return WindowCode(tuple(inputs.values()), self.kernel(inputs, lambda k: k.value(plain(expr))))

    def outcome(
        self, rest: tuple[ast.Clause, ...], result: ast.Expr
    ) -> tuple[tuple[WindowInput, ...], Template | None, KernelExpression | None]:
        expr = ast.Flwor(rest, result, span=result.span) if rest else result
        inputs = self.inputs(expr)
        self._write_items(expr, inputs)
        template: Template | None = None
        values: KernelExpression | None = None
        bare = plain(expr)
        if is_atomic(bare) or (isinstance(bare, ast.VarRef) and bare.name.local in inputs):
            values = self.kernel(inputs, lambda k: k.value(bare))
        else:
            template = self._template(inputs, bare)
        return tuple(inputs.values()), template, values

    def _template(self, inputs: dict[str, WindowInput], expr: ast.Expr) -> Template | None:
        expressions = TemplateExpressions(self.selection)
        _give_slots(expressions.compiler, inputs)
        try:
            return expressions.frames.inner(lambda: expressions.write(expr))
        except NoTemplate as beyond:
            self.beyond.append(beyond)
            return None

    def kernel(
        self, inputs: dict[str, WindowInput], compile: Callable[[ExpressionCompiler], KernelExpression]
    ) -> KernelExpression | None:
        compiler = ExpressionCompiler(self.selection.by_code_points, lambda condition: None)
        compiler.formats = self.selection.decimal_formats
        _give_slots(compiler, inputs)
        try:
            return compile(compiler)
        except NoTemplate as beyond:
            self.beyond.append(beyond)
            return None

    def inputs(self, node: ast.Node) -> dict[str, WindowInput]:
        """The inputs of an expression, by variable."""
        known: dict[str, WindowInput] = {**self.others, **self.columns.inputs}
        found: dict[str, WindowInput] = {}
        for part in node.walk():
            if isinstance(part, ast.VarRef) and not part.name.uri and part.name.local in known:
                found[part.name.local] = known[part.name.local]
        return found

    # --- code

    def function(self, stem: str, expr: ast.Expr, inputs: dict[str, WindowInput], line: Callable[[], str]) -> str:
        c = self.c
        parameters = self.parameters(inputs)

        def write() -> None:
            self.declare(inputs, parameters)
            with c.writer.at(expr.span):
                c.writer.line(line())

        return partial_of(c, c.lifted(stem, list(parameters.values()), c.describe(expr), write))

    def _write_items(self, expr: ast.Expr, inputs: dict[str, WindowInput]) -> None:
        c = self.c
        parameters = self.parameters(inputs)

        def write() -> None:
            self.declare(inputs, parameters)
            c.push(expr, YIELD)

        frame = c.lifted("items", list(parameters.values()), c.describe(expr), write)
        frame.is_generator = True
        self.items = partial_of(c, frame)

    def parameters(self, inputs: dict[str, WindowInput]) -> dict[str, str]:
        """The parameters of a function that reads inputs."""
        return {name: self.c.fresh_name(ast.Name(name, None, "")) for name in inputs}

    def declare(self, inputs: dict[str, WindowInput], parameters: dict[str, str]) -> None:
        for name, given in inputs.items():
            python = parameters[name]
            if isinstance(given, PositionInput):
                code = atomic(python, at.INTEGER, simple=True)
            elif isinstance(given, AggregateInput):
                code = Code(python, Shape.OPTIONAL, _VALUE, simple=True)
            else:
                code = Code(python, Shape.SEQUENCE, _UNTYPED, simple=True)
            self.c.declare(("", name), code)

    def _row(self) -> str:
        """The row of a node that the scan has not written as a row."""
        c = self.c

        def write() -> None:
            c.declare(ITEM.expanded, one("item", NodeItem(nk.ELEMENT), simple=True))
            codes = [c.atomized(c.compile(path)) for path in self.columns.paths]
            texts = [f"[str(each) for each in {c.as_iterable(code)}]" for code in codes]
            c.writer.line(f"return [{', '.join(texts)}]")

        return partial_of(c, c.lifted("row", ["item"], "", write))

    def text(self) -> str:
        c = self.c
        spec = c.writer.constant(self.windows, "windows")
        functions = f"({', '.join(self.functions)},)"
        return f"{c.rt(WindowsByKernel)}({spec}, {functions}, {self.items}, {self._row()}, {c.context()})"


def _windows(flwor: ast.Flwor) -> tuple[WindowPlan, tuple[ast.Clause, ...], ast.Expr]:
    """The clause with the clauses after it; NoTemplate if the kernel does not support such windows."""
    match flwor:
        case ast.Flwor(clauses=(WindowPlan() as plan, *rest), result=result):
            pass
        case _:
            raise NoTemplate("windows that are not all of the expression", flwor)
    if not plan.kind or plan.partition is not None or plan.early:
        raise NoTemplate("windows of all sub-sequences, windows by key, or such that are given early", result)
    if plan.keeps_items or plan.type is not None or _has_types(plan.start) or _has_types(plan.end):
        raise NoTemplate("the items of a window", result)
    if plan.kind == "tumbling" and plan.longest is not None:
        raise NoTemplate("windows that are dropped before they end", result)
    if any(each.function.uri != FN for each in plan.aggregates):
        raise NoTemplate("an aggregate of the user", result)
    if not all(isinstance(clause, (ast.LetClause, ast.WhereClause)) for clause in rest):
        raise NoTemplate("clauses behind windows but let and where", result)
    if binds((*rest, result), plan.names) or any(uri for uri, _ in plan.names):
        raise NoTemplate("variables that hide each other", result)
    if not isinstance(plan.collection, ast.VarRef) or plan.collection.name.expanded != ITEMS.expanded:
        raise NoTemplate("windows over what is put in order first", result)
    return plan, tuple(rest), result


def _has_types(boundary: Boundary) -> bool:
    return any(variable.type is not None for variable in boundary.variables)


def plain(expr: ast.Expr) -> ast.Expr:
    """An expression that reads aggregates as variables."""
    return replaced(expr, lambda node: node.variable if isinstance(node, AggregateRead) else None)


def _give_slots(compiler: ExpressionCompiler, inputs: dict[str, WindowInput]) -> None:
    compiler.variables.append(_NO_ELEMENT)
    for name in inputs:
        compiler.new_slot(ast.Name(name, None, ""))
