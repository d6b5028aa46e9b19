"""Programs with tags around their streams, which is easier to read (thesis §3.1, footnote 3).

    { ps $x: on-first past() return <a>; ζ; on-first past(S) return </a>; }     →     <a> { ps $x: ζ } </a>

Not FluX by its definition, but the same program: what opens a stream comes first, what closes it comes last.
"""

from __future__ import annotations

from dataclasses import replace

from .flux import Fixed, Flux, Handler, On, OnFirst, ProcessStream, Sequence


def with_outer_tags(program: Flux) -> Flux:
    """The program with the first start tag and the last end tag of each stream moved outside it."""
    if not isinstance(program, ProcessStream):
        return program
    handlers = [replace(h, body=with_outer_tags(h.body)) if isinstance(h, On) else h for h in program.handlers]
    before: list[Flux] = []
    after: list[Flux] = []
    while len(handlers) > 2 and _opens(handlers[0]) and _closes(handlers[-1]):
        first, *handlers, last = handlers
        before.append(_body(first))
        after.insert(0, _body(last))
    inner = ProcessStream(program.variable, tuple(handlers))
    return Sequence((*before, inner, *after)) if before else inner


def _opens(handler: Handler) -> bool:
    if not isinstance(handler, OnFirst) or handler.symbols != frozenset():
        return False
    return isinstance(handler.body, Fixed) and handler.body.opens is not None and handler.body.closes is None


def _closes(handler: Handler) -> bool:
    if not isinstance(handler, OnFirst) or not isinstance(handler.body, Fixed):
        return False
    return handler.body.closes is not None and handler.body.opens is None


def _body(handler: Handler) -> Flux:
    assert isinstance(handler, OnFirst)
    return handler.body
