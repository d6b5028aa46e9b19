"""Finds the window clauses of a program that get items of the stream."""

from __future__ import annotations

from collections.abc import Iterator

from .flux import (
    ROOT,
    CloseWindows,
    Flux,
    For,
    Handler,
    If,
    On,
    OnEach,
    OnFirst,
    OnWindow,
    OpenWindows,
    ProcessStream,
    Sequence,
)
from .flux_variables import free_variables


def opened_windows(body: Flux) -> Iterator[OpenWindows]:
    """All opening brackets of a program, in their order."""
    match body:
        case OpenWindows():
            yield body
        case Sequence(parts=parts):
            for part in parts:
                yield from opened_windows(part)
        case If(body=inner) | For(body=inner):
            yield from opened_windows(inner)
        case ProcessStream(handlers=handlers):
            for handler in handlers:
                if isinstance(handler, (On, OnFirst, OnWindow, OnEach)):
                    yield from opened_windows(handler.body)


def opens_windows(body: Flux) -> bool:
    """Whether window clauses anywhere in a program get items of the stream."""
    return next(opened_windows(body), None) is not None


def ends_with_windows(program: Flux) -> bool:
    """Whether all reads of the stream go to the windows of one pair of brackets.

    When their results are complete (`head(forseq …)`), further input does not matter.
    """
    if not isinstance(program, ProcessStream):
        return False
    handlers = program.handlers
    reading = [index for index, handler in enumerate(handlers) if not isinstance(handler, OnFirst)]
    first = next((index for index, handler in enumerate(handlers) if _has(handler, OpenWindows)), None)
    if first is None:
        # One element of the document: look inside.
        if len(reading) != 1 or program.variable != ROOT or not _are_fixed(handlers[reading[0] + 1 :]):
            return False
        inner = handlers[reading[0]]
        if not isinstance(inner, On) or inner.step.axis != "child" or inner.through:
            return False
        return ends_with_windows(inner.body)
    last = max(index for index, handler in enumerate(handlers) if _has(handler, CloseWindows))
    opened = sum(_has(handler, OpenWindows) for handler in handlers)
    is_nested = all(_has(handler, OpenWindows) for handler in handlers[first : first + opened])
    return is_nested and all(first < index < last for index in reading) and _are_fixed(handlers[last + 1 :])


def _has(handler: Handler, kind: type[Flux]) -> bool:
    if not isinstance(handler, OnFirst):
        return False
    parts = handler.body.parts if isinstance(handler.body, Sequence) else (handler.body,)
    return any(isinstance(part, kind) for part in parts)


def _are_fixed(handlers: tuple[Handler, ...]) -> bool:
    """Whether the output of handlers is known without the stream."""
    return all(isinstance(handler, OnFirst) and not free_variables(handler.body) for handler in handlers)
