"""Window clauses: the conditions become functions, the operator is in `runtime/windows.py`."""

from __future__ import annotations

from functools import partial

from xylem.errors import StaticError
from xylem.syntax import ast
from xylem.values import atomic_type as at
from xylem.values.sequence_type import AtomicItem, ItemType, Occurrence, SequenceType

from ..runtime import data_windows
from ..runtime import windows as rt
from .code import Code, Shape, atomic, one, optional
from .compiler import Compiler

Bound = list[tuple[tuple[str, str], Code]]
Parts = list[tuple[tuple[str, str] | None, Code | None]]
_NONE_BOUND: Parts = [(None, None)] * 4
_PARTS = ("current", "position", "previous", "next")


def write_window(c: Compiler, clause: ast.WindowClause) -> Bound:
    """Write the loop over the windows; gives the variables each turn binds."""
    _refuse_duplicates(clause)
    collection = c.compile(clause.collection)
    source = c.as_iterable(collection)
    item = collection.item
    started = _variables(c, clause.start.variables, item)
    start = _condition(c, clause.start, started, item)
    end, ended, only = "None", _NONE_BOUND, False
    if clause.end is not None:
        ended = _variables(c, clause.end.variables, item)
        end = _condition(c, clause.end, started, item, ended)
        only = clause.end.only
    window = c.fresh_name(clause.name)
    targets = [window, *(code.text if code else "_" for _, code in (*started, *ended))]
    operator = c.rt(rt.tumbling_windows if clause.kind == "tumbling" else rt.sliding_windows)
    c.writer.line(f"for {', '.join(targets)} in {operator}({source}, {start}, {end}, {only}):")
    code = Code(window, Shape.SEQUENCE, SequenceType(item, Occurrence.SOME), simple=True)
    return [(clause.name.expanded, code), *((n, v) for n, v in (*started, *ended) if n is not None and v is not None)]


def _refuse_duplicates(clause: ast.WindowClause) -> None:
    names = [clause.name]
    for condition in (clause.start, clause.end):
        if condition is not None:
            names += [n for part in _PARTS if (n := getattr(condition.variables, part)) is not None]
    seen: set[tuple[str, str]] = set()
    for name in names:
        if name.expanded in seen:
            raise StaticError("XQST0103", f"${name}", span=name.span)
        seen.add(name.expanded)


def _variables(c: Compiler, variables: ast.WindowVariables, item: ItemType) -> Parts:
    """The four variables of a condition; those that are not declared are (None, None)."""
    parts: Parts = []
    for part in _PARTS:
        name = getattr(variables, part)
        if name is None:
            parts.append((None, None))
            continue
        python = c.fresh_name(name)
        if part == "current":
            code = one(python, item, simple=True)
        elif part == "position":
            code = atomic(python, at.INTEGER, simple=True)
        else:
            code = optional(python, item, simple=True)
        parts.append((name.expanded, code))
    return parts


def _condition(
    c: Compiler, condition: ast.WindowCondition, started: Parts, item: ItemType, ended: Parts | None = None
) -> str:
    """A condition as a function of the four start values and, for `end`, of the four end values."""
    parts = [*started, *(ended or [])]
    parameters = [code.text if code else f"_{i}" for i, (_, code) in enumerate(parts)]

    def write() -> None:
        for name, code in parts:
            if name is not None and code is not None:
                c.declare(name, code)
        c.writer.line(f"return bool({c.truth(condition.when)})")

    frame = c.lifted("when", parameters, c.describe(condition.when), write)
    captures = "".join(f", {name}={name}" for name in frame.captures)
    return f"{c.rt(partial)}({frame.name}{captures})" if captures else frame.name


# --- data windows on paths


def data_window_cursor(c: Compiler, window: ast.DataWindow, item: ItemType) -> str:
    """An expression that makes the cursor of a data window (thesis §3.8.2)."""
    number = SequenceType(AtomicItem(at.NUMERIC))
    whole = SequenceType(AtomicItem(at.INTEGER))
    kind = whole if window.kind == "count" else number
    size = c.bind(c.converted(c.compile(window.size), kind, "the size of a window"))
    step = size if window.step is None else c.converted(c.compile(window.step), kind, "the step of a window")
    if window.kind == "count":
        return f"{c.rt(data_windows.CountWindows)}({size.text}, {step.text})"
    return f"{c.rt(data_windows.ReferenceWindows)}({size.text}, {step.text}, {_reference(c, window, item)})"


def _reference(c: Compiler, window: ast.DataWindow, item: ItemType) -> str:
    """The reference value of an item, as a function."""

    def write() -> None:
        c.scope = c.scope.with_focus(c.focus_on(one("item", item, simple=True)))
        found = c.atomic_operand(window.reference or ast.ContextItem(), "the reference of a window")
        c.writer.line(f"return {found.text}")

    frame = c.lifted("reference", ["item"], c.describe(window), write)
    captures = "".join(f", {name}={name}" for name in frame.captures)
    return f"{c.rt(partial)}({frame.name}{captures})" if captures else frame.name
