"""Take aggregates out of the expressions of a program."""

from __future__ import annotations

from dataclasses import replace

from xylem.plan.flux import (
    Flux,
    For,
    Handler,
    If,
    Leaf,
    On,
    OnEach,
    OnFirst,
    OnWindow,
    Opening,
    OpenWindows,
    ProcessStream,
    Sequence,
)

from .aggregates import Extraction


def map_leaves(body: Flux, extraction: Extraction) -> Flux:
    """The body with aggregates taken out of its expressions."""
    match body:
        case Leaf(expression=expression) | OpenWindows(expression=expression):
            return replace(body, expression=extraction.apply(expression))
        case Sequence(parts=parts):
            return Sequence(tuple(map_leaves(part, extraction) for part in parts))
        case If(condition=condition, body=inner):
            return If(extraction.condition(condition), map_leaves(inner, extraction))
        case For(body=inner, where=where):
            tested = None if where is None else extraction.condition(where)
            return replace(body, body=map_leaves(inner, extraction), where=tested)
        case ProcessStream(handlers=handlers):
            return replace(body, handlers=tuple(map_handler(handler, extraction) for handler in handlers))
        case Opening(element=element):
            return replace(body, element=extraction.apply(element))
    return body


def map_handler(handler: Handler, extraction: Extraction) -> Handler:
    """The handler with aggregates taken out of its body."""
    if isinstance(handler, (On, OnFirst, OnWindow, OnEach)):
        return replace(handler, body=map_leaves(handler.body, extraction))
    return handler
