"""Safe programs (thesis Def. 3.4.18, 3.8.19): no handler reads nodes that may still come, and none writes out of turn.

The first condition is the thesis' definition, over projections: when a handler fires, all nodes that it reads of an
open element have passed. The thesis leaves the second to its algorithm: handlers write in the order of the program.
Tests make both checks after every rewriting; a program that fails them shows a bug in a rule.
"""

from __future__ import annotations

from collections.abc import Iterator

from xylem.plan.flux import (
    ROOT,
    Flux,
    Handler,
    On,
    OnEach,
    OnFirst,
    OnWindow,
    ProcessStream,
    Step,
)
from xylem.plan.needs import needs, predicate_needs
from xylem.plan.symbols import (
    ANY,
    Symbols,
    first_symbols,
    is_element_step,
    is_ordered,
    reached_type,
    step_symbols,
    written,
)
from xylem.schema.constraints import ElementConstraints, Schema

from .flux_rewrite import handler_symbols
from .simple_expressions import is_simple
from .window_specifications import is_simple_window

Types = dict[str, ElementConstraints | None]


def unsafe_places(program: Flux, schema: Schema | None = None) -> list[str]:
    """The faults of a program, in words; empty for a safe program."""
    types: Types = {ROOT: None if schema is None else schema.document()}
    return list(_check(program, ROOT, types, schema))


def _check(body: Flux, element: str, types: Types, schema: Schema | None) -> Iterator[str]:
    """Check the body of a handler for an element, or a whole program."""
    if not isinstance(body, ProcessStream):
        if not is_simple(body, element):
            yield f"the body for ${element} is neither simple nor a process-stream"
        return
    if body.variable != element:
        yield f"process-stream ${body.variable} where ${element} passes"
    before: Symbols = frozenset()
    for handler in body.handlers:
        yield from _reads(handler, element, types)
        yield from _order(handler, before, types[element])
        before |= handler_symbols(handler, types[element])
        if isinstance(handler, On) and is_element_step(handler.step):
            kind = types[element]
            for step in (*handler.through, handler.step):
                kind = reached_type(step, kind, schema)
            yield from _check(handler.body, handler.variable, {**types, handler.variable: kind}, schema)


def _reads(handler: Handler, element: str, types: Types) -> Iterator[str]:
    """Conditions 1 to 3: everything that a handler needs of the element has passed when it fires."""
    of = types[element]
    match handler:
        case OnFirst(symbols=symbols, body=body):
            needed = needs(body, types)
            for symbol in first_symbols(needed[element], of):
                if not _is_past(symbol, symbols, of):
                    yield f"on-first past({written(symbols)}) needs {symbol} of ${element}"
            for other, projection in needed.items():
                if other != element and (projection.subtree or projection.string):
                    yield f"on-first past({written(symbols)}) needs all of ${other}, which is open"
        case On(step=step, variable=bound, body=body, through=through):
            yield from _reads_during((*through, step), bound, body, element, of, types)
        case OnWindow(path=path, variable=bound, body=body, window=window):
            if not is_simple_window(window) or not is_simple(body, bound):
                yield f"on-window as ${bound} is not simple"
            yield from _reads_during(path, bound, body, element, of, types)
        case OnEach(path=path, variable=bound, body=body):
            yield from _reads_during(path, bound, body, element, of, types)


def _reads_during(
    path: tuple[Step, ...], bound: str, body: Flux, element: str, of: ElementConstraints | None, types: Types
) -> Iterator[str]:
    during = step_symbols(path[0], of)
    needed = needs(body, types)
    read = first_symbols(needed[element], of) | first_symbols(predicate_needs(path, element), of)
    for symbol in read:
        if not is_ordered(symbol, during, of):
            yield f"the handler of ${bound} needs {symbol} of ${element}, which may come later"
    for other, projection in needed.items():
        if other != bound and (projection.subtree or projection.string):
            yield f"the handler of ${bound} needs all of ${other}, which is open"


def _order(handler: Handler, before: Symbols, of: ElementConstraints | None) -> Iterator[str]:
    """Check that no handler fires again after a later one has."""
    if isinstance(handler, OnFirst):
        late = [symbol for symbol in before if not _is_past(symbol, handler.symbols, of)]
    else:
        during = handler_symbols(handler, of)
        late = [symbol for symbol in before if not is_ordered(symbol, during, of)]
    if late:
        yield f"a handler may fire before {', '.join(sorted(late))} has passed, on which one before it depends"


def _is_past(symbol: str, symbols: Symbols | None, of: ElementConstraints | None) -> bool:
    if symbols is None or symbol in symbols:
        return True
    return of is not None and symbol != ANY and of.past_implies(symbols, symbol)

