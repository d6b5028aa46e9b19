"""Merge neighbouring handlers that fire together (thesis §3.5.3, after example 3.5.4).

    on-first past(S) return α; on-first past(S) return β     →     on-first past(S) return α β

Gain:   one event, and loops over the same buffer become neighbours.
Needs:  neighbours: a handler between them could fire earlier, and write earlier.
Safe:   both fire at the same event, α first.
This changes programs, not queries, so the driver of the rules does not apply it; programs are shown without it.
"""

from __future__ import annotations

from dataclasses import replace

from xylem.plan.flux import Flux, Handler, On, OnFirst, ProcessStream, Sequence


def merge_handlers(program: Flux) -> Flux:
    """The program with neighbouring `on-first` handlers of equal past sets merged."""
    if not isinstance(program, ProcessStream):
        return program
    merged: list[Handler] = []
    for handler in program.handlers:
        last = merged[-1] if merged else None
        if isinstance(handler, On):
            merged.append(replace(handler, body=merge_handlers(handler.body)))
        elif isinstance(handler, OnFirst) and isinstance(last, OnFirst) and last.symbols == handler.symbols:
            merged[-1] = OnFirst(last.symbols, Sequence((*_parts(last.body), *_parts(handler.body))))
        else:
            merged.append(handler)
    return ProcessStream(program.variable, tuple(merged))


def _parts(body: Flux) -> tuple[Flux, ...]:
    return body.parts if isinstance(body, Sequence) else (body,)
