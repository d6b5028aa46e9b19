"""On-first handlers that fire with the very child they wait for, and read it as it passes.

        ps $i: on-first past(name) return <item name="{ $i/name/text() }">; …

Gain:   the child is not buffered: the handler fires at its end, not at the next child, and finds it there.
Needs:  the schema says that the child comes exactly once; earlier handlers wait for nothing else; no later expression
        reads it.
Safe:   a child that comes once has passed when it ends (thesis §3.3). If it comes again, the input breaks its schema,
        which is an error.
"""

from __future__ import annotations

from dataclasses import dataclass

from xylem.analysis.projection import Projection, Test
from xylem.plan.flux import OnFirst, ProcessStream
from xylem.plan.needs import needs
from xylem.schema.constraints import ElementConstraints
from xylem.schema.symbols import element_symbol


@dataclass(frozen=True)
class Immediate:
    """Handlers 0 … last fire at the end of the child; `needed` is the part of their element that they read."""

    child: Test
    last: int
    needed: Projection


def immediate(stream: ProcessStream, of: ElementConstraints | None) -> Immediate | None:
    """The leading handlers of a stream that fire with a child; None if there are none."""
    if of is None:
        return None
    symbol, last = _front(stream)
    if symbol is None or not of.exactly_once(symbol):
        return None
    needed = _needed(stream, 0, last + 1)
    if len(needed.children) != 1 or needed.leaves or needed.string or needed.subtree:
        return None
    child = next(iter(needed.children))
    if child[0] != "child" or child[2] is None or element_symbol(child[2], child[1]) != symbol:
        return None
    if any(_may_be(test, child) for test in _needed(stream, last + 1, len(stream.handlers)).children):
        return None
    return Immediate(child, last, needed)


def _front(stream: ProcessStream) -> tuple[str | None, int]:
    """The only symbol the first handlers wait for, and the last handler that waits for it."""
    symbol, last = None, -1
    for index, handler in enumerate(stream.handlers):
        if not isinstance(handler, OnFirst) or handler.symbols is None:
            break
        if handler.symbols:
            if len(handler.symbols) > 1 or symbol not in (None, *handler.symbols):
                break
            symbol, last = next(iter(handler.symbols)), index
    return symbol, last


def _needed(stream: ProcessStream, start: int, end: int) -> Projection:
    part = ProcessStream(stream.variable, stream.handlers[start:end])
    return needs(part, [stream.variable])[stream.variable]


def _may_be(test: Test, child: Test) -> bool:
    """Whether a path that begins with a test may lead to the child, or below it."""
    axis, uri, local = test
    return axis != "child" or (local in (None, child[2]) and (uri is None or child[1] is None or uri == child[1]))
