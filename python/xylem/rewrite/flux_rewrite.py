"""The function `rewrite` of the thesis (§3.5.2, figure 3.16, appendix B): from normal form to a safe FluX program.

The cases come in the thesis' order, which its safety depends on. Extensions: steps may select several symbols
(wildcards, descendants), and an expression that needs only the start tag of an element never waits for its end.
Difference: a loop that cannot follow the stream waits for everything it depends on, not only for X, as in the thesis'
printed programs. Content like (b* | a) requires it: Ord(b, a) holds, and a is past at the first b.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from xylem.plan.flux import (
    ROOT,
    Flux,
    For,
    Handler,
    On,
    OnEach,
    OnFirst,
    OnWindow,
    ProcessStream,
    Sequence,
    Step,
)
from xylem.plan.needs import needs, predicate_needs
from xylem.plan.symbols import (
    ANY,
    NONE,
    Symbols,
    first_symbols,
    is_element_step,
    is_ordered,
    reached_type,
    step_symbols,
)
from xylem.schema.constraints import ElementConstraints, Schema

from .eliminate_where import without_where
from .fresh_names import Names
from .simple_expressions import is_simple
from .take_outermost import take_outermost
from .window_specifications import is_simple_window


def rewrite_to_flux(body: Flux, schema: Schema | None = None, names: Names | None = None) -> Flux:
    """The FluX program of a query in normal form: rewrite($ROOT, ⊥, body). New variables get names from `names`."""
    document = None if schema is None else schema.document()
    return _Rewriter(schema, names).rewrite(_Element(ROOT, document), None, body)


@dataclass(frozen=True)
class _Element:
    """The element whose children are the stream: its variable and its constraints."""

    variable: str
    type: ElementConstraints | None

    def dep(self, body: Flux) -> Symbols:
        """dep($x; body)."""
        return first_symbols(needs(body, [self.variable])[self.variable], self.type)

    def tested(self, path: tuple[Step, ...]) -> Symbols:
        """The parts of the element itself that the predicates of a path read."""
        return first_symbols(predicate_needs(path, self.variable), self.type)

    def is_read_whole(self, body: Flux) -> bool:
        """{$x} ≼ body."""
        needed = needs(body, [self.variable])[self.variable]
        return needed.subtree or needed.string

    def are_ordered(self, firsts: Iterable[str], seconds: Symbols) -> bool:
        """Whether none of the first symbols can come after one of the second: X = ∅."""
        return all(is_ordered(first, seconds, self.type) for first in firsts)


class _Rewriter:
    def __init__(self, schema: Schema | None, names: Names | None) -> None:
        self.schema = schema
        self.names = names

    def rewrite(self, x: _Element, past: Symbols | None, body: Flux) -> Flux:
        """rewrite($x, H, β); H is None for ⊥."""
        if x.is_read_whole(body):
            return body if is_simple(body, x.variable) else _program(x, OnFirst(None, body))
        if past is None and is_simple(body, x.variable):
            return body
        return ProcessStream(x.variable, tuple(self._handlers(x, past or NONE, body)))

    def _handlers(self, x: _Element, past: Symbols, body: Flux) -> list[Handler]:
        if isinstance(body, Sequence):
            handlers: list[Handler] = []
            for part in body.parts:
                made = self._handlers(x, past, part)
                handlers += made
                past = past.union(*(handler_symbols(handler, x.type) for handler in made))
            return handlers
        if isinstance(body, For):
            # Handlers have no conditions of their own.
            body = without_where(body)
            return [self._window(x, past, body) if body.window is not None else self._loop(x, past, body)]
        return [on_first(x.dep(body) | past, body)]

    def _loop(self, x: _Element, past: Symbols, loop: For) -> Handler:
        symbols = step_symbols(loop.path[0], x.type)
        if loop.source != x.variable:
            return on_first(x.dep(loop) | past, loop)
        before = x.dep(loop.body) | x.tested(loop.path) | past
        if not x.are_ordered(before, symbols):
            return on_first(before | symbols, loop)
        if loop.outermost:
            *through, step = loop.path
            inner = self.rewrite(self._element(x, loop.path, loop.variable), None, loop.body)
            return On(step, loop.variable, inner, tuple(through), outermost=True)
        outermost = None
        if self.names is not None and not is_element_step(loop.path[-1]):
            # Text of an outer match may come after an inner one; elements start in their order.
            outermost = take_outermost(loop, self.names)
        if outermost is not None:
            *through, step = outermost.path
            inner = self.rewrite(self._element(x, outermost.path, outermost.variable), None, outermost.body)
            return On(step, outermost.variable, inner, tuple(through), outermost=True)
        *through, step = loop.path
        if not is_element_step(step):
            # Attributes and text are complete on arrival: no part of them is still to come.
            return On(step, loop.variable, loop.body, tuple(through), loop.position)
        inner = self.rewrite(self._element(x, loop.path, loop.variable), None, loop.body)
        return On(step, loop.variable, inner, tuple(through), loop.position)

    def _element(self, x: _Element, path: tuple[Step, ...], variable: str) -> _Element:
        kind = x.type
        for step in path:
            kind = reached_type(step, kind, self.schema)
        return _Element(variable, kind)

    def _window(self, x: _Element, past: Symbols, loop: For) -> Handler:
        assert loop.window is not None
        symbols = step_symbols(loop.path[0], x.type)
        if loop.source != x.variable:
            return on_first(x.dep(loop) | past, loop)
        before = x.dep(loop.body) | x.tested(loop.path) | past
        if not x.are_ordered(before, symbols):
            return on_first(before | symbols, loop)
        if is_simple(loop.body, loop.variable) and is_simple_window(loop.window):
            return OnWindow(loop.path, loop.window, loop.variable, loop.body)
        return OnEach(loop.path, loop.window, loop.variable, loop.body)


def _program(x: _Element, *handlers: Handler) -> ProcessStream:
    return ProcessStream(x.variable, handlers)


def on_first(symbols: Symbols, body: Flux) -> OnFirst:
    """on-first past(symbols); children of any name are `*`, everything."""
    return OnFirst(None if ANY in symbols else symbols, body)


def handler_symbols(handler: Handler, of: ElementConstraints | None) -> Symbols:
    """hsymb of one handler (Def. 3.5.2, 3.8.21)."""
    match handler:
        case On(step=step, through=through):
            return step_symbols(through[0] if through else step, of)
        case OnFirst(symbols=symbols):
            return frozenset({ANY}) if symbols is None else symbols
        case OnWindow(path=path) | OnEach(path=path):
            return step_symbols(path[0], of)
    return NONE
