"""Tags and windows that one handler opens and another closes: the output in between goes inside them."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace

from xylem.plan.flux import OpenWindows
from xylem.plan.operators import Bind, Construct, Leaf, Operator, Runs, Select, Step, Union
from xylem.syntax import ast


@dataclass(frozen=True)
class OpenTag:
    """A start tag, written once or for each tuple."""

    element: ast.DirectElement
    over: Operator | None
    inside: tuple[Operator, ...] = ()
    """The operators of its attributes."""
    runs: Runs = Runs.CODE


@dataclass(frozen=True)
class OpenedWindows:
    """A mark that the items of windows follow."""

    opened: OpenWindows
    over: Operator | None


@dataclass(frozen=True)
class Closed:
    """The end of the innermost open bracket."""


Event = Operator | OpenTag | OpenedWindows | Closed
CLOSED = Closed()


def united(operators: list[Operator]) -> Operator:
    """Several operators one after the other, or the only one."""
    if len(operators) == 1:
        return operators[0]
    return Union(inputs=tuple(operators), runs=operators[0].runs if operators else Runs.CODE)


def folded(events: Iterable[Event], windows: Callable[[OpenedWindows, Operator], Operator]) -> list[Operator]:
    """The operators of some events, including those between brackets."""
    stack: list[tuple[OpenTag | OpenedWindows | None, list[Operator]]] = [(None, [])]
    for event in events:
        match event:
            case OpenTag() | OpenedWindows():
                stack.append((event, []))
            case Closed() if len(stack) == 1:
                # Opened where an earlier pass gives its part of the answer.
                continue
            case Closed():
                opened, inside = stack.pop()
                if isinstance(opened, OpenTag):
                    stack[-1][1].append(_element(opened, inside))
                elif opened is not None:
                    stack[-1][1].append(windows(opened, united(inside)))
            case _:
                stack[-1][1].append(event)
    # A bracket that is never closed here is closed by another part of the answer.
    while len(stack) > 1:
        opened, inside = stack.pop()
        stack[-1][1].append(_element(opened, inside) if isinstance(opened, OpenTag) else united(inside))
    return stack[0][1]


def _element(tag: OpenTag, inside: list[Operator]) -> Operator:
    cut = [without_tuples(operator, tag.over) for operator in inside]
    inputs = (*tag.inside, *(each for each in cut if not is_plain_leaf(each)))
    return Construct(name=f"<{tag.element.name}>", inputs=inputs, over=tag.over, runs=tag.runs, span=tag.element.span)


def is_plain_leaf(operator: Operator) -> bool:
    """Whether it only computes a value from the current tuple."""
    return isinstance(operator, (Leaf, Step)) and not operator.children


def without_tuples(operator: Operator, tuples: Operator | None) -> Operator:
    """The operators if they run only once: an operator around them has the tuples."""
    if tuples is None:
        return operator
    if operator is tuples:
        return Leaf(text=_tuple_text(operator), runs=operator.runs, span=operator.span)
    made = _cut(operator, tuples)
    return operator if made is None else made


def _cut(operator: Operator, tuples: Operator) -> Operator | None:
    """The operator without the tuples somewhere below it; None if they are not there."""
    if operator.over is tuples:
        return replace(operator, over=None)
    if operator.over is not None and (over := _cut(operator.over, tuples)) is not None:
        return replace(operator, over=over)
    for number, each in enumerate(operator.inputs):
        if each is tuples:
            inputs = (*operator.inputs[:number], *operator.inputs[number + 1 :])
            return replace(operator, inputs=inputs)
        if (made := _cut(each, tuples)) is not None:
            return replace(operator, inputs=(*operator.inputs[:number], made, *operator.inputs[number + 1 :]))
    return None


def _tuple_text(operator: Operator) -> str:
    while isinstance(operator, Select) and operator.over is not None:
        operator = operator.over
    return f"${operator.variable}" if isinstance(operator, Bind) else "."
