"""The aggregates of a window clause: for each, a function for the values of one item, and a folding."""

from __future__ import annotations

from functools import partial
from typing import NamedTuple

from xylem.functions.registry import FN
from xylem.plan.window_plan import WindowAggregate, WindowPlan
from xylem.run.windows import foldings
from xylem.run.windows.aggregates import Aggregate, Aggregates
from xylem.syntax import ast
from xylem.values import atomic_type as at
from xylem.values.sequence_type import ANY_SEQUENCE, AtomicItem, ItemType, Occurrence, SequenceType

from .code import Code, Shape, one
from .compiler import Compiler

_VALUE = SequenceType(AtomicItem(at.ANY_ATOMIC), Occurrence.OPTIONAL)


class WrittenAggregates(NamedTuple):
    """An expression that creates them, '' if there are none; and the variables they are bound to."""

    text: str
    variables: list[tuple[tuple[str, str], Code]]


def write_aggregates(c: Compiler, plan: WindowPlan, item: ItemType, endless: bool) -> WrittenAggregates:
    """Write the aggregates of a clause. `endless`: items are nodes of their own, and never out of order."""
    texts = []
    variables: list[tuple[tuple[str, str], Code]] = []
    for aggregate in plan.aggregates:
        values = _values(c, aggregate, item)
        whole = "None" if endless or not aggregate.is_path else _whole(c, plan, aggregate, item)
        texts.append(f"{c.rt(Aggregate)}({values}, {_folding(c, plan, aggregate)}, {whole})")
        name = c.fresh_name(aggregate.name)
        kind = _VALUE if aggregate.function.uri == FN else ANY_SEQUENCE
        shape = Shape.OPTIONAL if aggregate.function.uri == FN else Shape.SEQUENCE
        variables.append((aggregate.name.expanded, Code(name, shape, kind, simple=True)))
    return WrittenAggregates(f"{c.rt(Aggregates)}({', '.join(texts)})" if texts else "", variables)


def _values(c: Compiler, aggregate: WindowAggregate, item: ItemType) -> str:
    is_itself = isinstance(aggregate.values, ast.VarRef)
    if is_itself and (isinstance(item, AtomicItem) or aggregate.function.expanded == (FN, "count")):
        return "None"

    def write() -> None:
        c.declare(aggregate.item.expanded, one("item", item, simple=True))
        code = c.compile(aggregate.values)
        if not (aggregate.function.uri == FN and aggregate.function.local == "count"):
            code = c.atomized(code)
        c.writer.line(f"return {c.as_sequence(code)}")

    return _lifted(c, "values", "item", aggregate, write)


def _whole(c: Compiler, plan: WindowPlan, aggregate: WindowAggregate, item: ItemType) -> str:
    """The call as written, as a function of the items of a window."""

    def write() -> None:
        window = Code("window", Shape.SEQUENCE, SequenceType(item, Occurrence.SOME), simple=True)
        c.declare(plan.name.expanded, window)
        code = c.compile(aggregate.source)
        text = c.as_optional(code, "") if aggregate.function.uri == FN else c.as_sequence(code)
        c.writer.line(f"return {text}")

    return _lifted(c, "whole", "window", aggregate, write)


def _lifted(c: Compiler, stem: str, parameter: str, aggregate: WindowAggregate, write: object) -> str:
    frame = c.lifted(stem, [parameter], c.describe(aggregate.source), write)  # type: ignore[arg-type]
    captures = "".join(f", {name}={name}" for name in frame.captures)
    return f"{c.rt(partial)}({frame.name}{captures})" if captures else frame.name


def _folding(c: Compiler, plan: WindowPlan, aggregate: WindowAggregate) -> str:
    """The folding of an aggregate; a running value suffices if at most one window is open at a time."""
    running = plan.kind == "tumbling" or plan.has_one_start
    if aggregate.function.uri == FN:
        return f"{c.rt(foldings.folding)}({aggregate.function.local!r}, {running}, {c.context()})"
    function = c.functions.external(aggregate.function, 1)
    protocol = c.writer.constant(function.protocol, "aggregate", key=id(function.protocol))
    return f"{c.rt(foldings.user_folding)}({protocol}, {running})"
