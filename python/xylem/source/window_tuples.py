"""Windows that the kernel forms, as plain tuples for it (`kernel/src/bindings/windows.rs` reads them)."""

from __future__ import annotations

from xylem.plan.native_windows import (
    AggregateInput,
    ColumnInput,
    EndsAfter,
    EndsByKey,
    EndsEach,
    EndsInOrder,
    GridWindows,
    KernelWindows,
    PositionInput,
    WindowCode,
    WindowInput,
)

from .template_tuples import expression_tuple, part_tuples


def window_tuple(windows: KernelWindows) -> tuple[object, ...]:
    """A window clause."""
    flags = len(windows.columns), windows.newstart, windows.by_start, windows.has_one_start
    aggregates = [(function, _code(values)) for function, values in windows.aggregates]
    inputs = [_input(each) for each in windows.inputs]
    conditions = [None if code is None else _code(code) for code in (windows.start, windows.end, windows.shared)]
    kind = _kind(windows.kind), windows.at_end
    return flags, *conditions, _ending(windows.ending), aggregates, inputs, _outcome(windows), kind


def _kind(kind: str | GridWindows) -> tuple[object, ...]:
    return (kind,) if isinstance(kind, str) else ("grid", kind.size, kind.step, _code(kind.reference))


def _outcome(windows: KernelWindows) -> tuple[object, ...]:
    if windows.template is not None:
        return "template", part_tuples(windows.template)
    return ("asked",) if windows.values is None else ("values", expression_tuple(windows.values))


def _ending(ending: EndsEach | EndsAfter | EndsInOrder | EndsByKey) -> tuple[object, ...]:
    match ending:
        case EndsByKey(start_key=start_key, end_key=end_key):
            return "hashed", _code(start_key), _code(end_key)
        case EndsAfter(distance=distance):
            return "distance", distance
        case EndsInOrder(key=key, is_number=is_number):
            return "ordered", _code(key), is_number
    return ("each",)


def _code(code: WindowCode) -> tuple[object, ...]:
    how = None if code.expression is None else expression_tuple(code.expression)
    return [_input(each) for each in code.inputs], how


def _input(given: WindowInput) -> tuple[object, ...]:
    match given:
        case ColumnInput(side=side, role=role, column=column):
            return "column", side, role, column
        case PositionInput(side=side):
            return "position", side
        case AggregateInput(aggregate=aggregate):
            return "aggregate", aggregate
