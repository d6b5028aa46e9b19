"""What a program buffers (thesis §3.7.3): the projected paths of each variable, how long, and how much that may be.

A buffer belongs to the variable of a process-stream. It holds the parts of that element that handlers read after they
have passed, except for conditions and aggregates computed on the way. The paths are those of the buffer tree: a path
with `//` at its end is kept with everything below.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from xylem.analysis.projection import Projection
from xylem.schema.constraints import ElementConstraints, Schema
from xylem.schema.symbols import element_symbol

from .bounds import A_WINDOW, AN_ITEM, THE_STREAM
from .flux import (
    ROOT,
    Flux,
    For,
    Handler,
    If,
    Leaf,
    On,
    OnEach,
    OnFirst,
    OnWindow,
    ProcessStream,
    Sequence,
    Step,
)
from .flux_plan import Buffered
from .needs import add_needs, needs
from .streaming_atoms import without_streaming_atoms
from .symbols import reached_type, step_symbol, written


def buffers(program: Flux, schema: Schema | None = None) -> tuple[Buffered, ...]:
    """The buffers of a program, outermost first."""
    document = None if schema is None else schema.document()
    return tuple(_Finder(schema).of(program, ROOT, document, True, frozenset({ROOT})))


class _Finder:
    def __init__(self, schema: Schema | None) -> None:
        self.schema = schema

    def of(
        self, body: Flux, variable: str, kind: ElementConstraints | None, is_single: bool, streamed: frozenset[str]
    ) -> Iterator[Buffered]:
        """The buffers of one element and below; `is_single` while there is one such element in the document."""
        if not isinstance(body, ProcessStream):
            return
        kept, until = Projection(), ""
        for handler in body.handlers:
            before = _measure(kept)
            for part in _bodies(handler):
                add_needs(_decided(part, streamed), {variable: kept})
            if _measure(kept) != before or (isinstance(handler, OnFirst) and _reads(handler, variable, streamed)):
                until = _end_of(handler, variable)
        if not kept.is_bare and _keeps_content(kept):
            bound = THE_STREAM if is_single and not is_small(kept, kind) else AN_ITEM
            yield Buffered(variable, tuple(kept.paths()), until, bound)
        for handler in body.handlers:
            yield from self._below(handler, variable, kind, is_single, streamed)

    def _below(
        self, handler: Handler, parent: str, kind: ElementConstraints | None, is_single: bool, streamed: frozenset[str]
    ) -> Iterator[Buffered]:
        match handler:
            case On(step=step, variable=variable, body=body, through=through):
                single = is_single and not through and _is_at_most_once(step, parent, kind)
                for passed in (*through, step):
                    kind = reached_type(passed, kind, self.schema)
                tests = [str(passed.name) for passed in through if passed.predicates]
                if tests:
                    yield Buffered(variable, ("everything",), f"the predicate of {tests[0]} is decided", AN_ITEM)
                yield from self.of(body, variable, kind, single, streamed | {variable})
            case OnEach(variable=variable, body=body):
                kept = needs(body, [variable])[variable]
                yield Buffered(variable, tuple(kept.paths()) or ("item",), "the window has moved on", A_WINDOW)


def _bodies(handler: Handler) -> list[Flux]:
    """The expressions of XQuery⁻ that a handler evaluates, at any depth."""
    match handler:
        case OnFirst(body=body) | OnEach(body=body) | OnWindow(body=body):
            return [body]
        case On(body=ProcessStream(handlers=handlers)):
            return [part for inner in handlers for part in _bodies(inner)]
        case On(body=body):
            return [body]
    return []


def _reads(handler: OnFirst, variable: str, streamed: frozenset[str]) -> bool:
    return not needs(_decided(handler.body, streamed), [variable])[variable].is_bare


def _decided(body: Flux, streamed: frozenset[str]) -> Flux:
    """The body without conditions and aggregates computed on the way."""
    match body:
        case Sequence(parts=parts):
            return Sequence(tuple(_decided(part, streamed) for part in parts))
        case If(condition=condition, body=inner):
            return If(without_streaming_atoms(condition, streamed), _decided(inner, streamed))
        case Leaf(expression=expression, is_global=is_global):
            return Leaf(without_streaming_atoms(expression, streamed), is_global=is_global)
        case For(body=inner):
            return replace(body, body=_decided(inner, streamed), position=None)
    return body


def _end_of(handler: Handler, variable: str) -> str:
    if not isinstance(handler, OnFirst) or handler.symbols is None:
        return f"the end of ${variable}"
    return f"past({written(handler.symbols)}) of ${variable}"


def _measure(projection: Projection) -> tuple[str, ...]:
    return tuple(projection.paths())


def _keeps_content(kept: Projection) -> bool:
    """Whether content is kept: attributes of an open element are part of it, not of a buffer."""
    return bool(kept.children or kept.leaves or kept.string or kept.subtree)


def _is_at_most_once(step: Step, parent: str, kind: ElementConstraints | None) -> bool:
    if parent == ROOT:
        return step.axis == "child"
    name = step_symbol(step)
    return step.axis == "child" and name is not None and kind is not None and kind.at_most_once(name)


def is_small(kept: Projection, kind: ElementConstraints | None) -> bool:
    """Whether the schema allows each kept path one match, and nothing long below it."""
    if kind is None or kept.subtree or kept.string:
        return kind is not None and not (kept.subtree and kind.symbols - {"text()"}) and not kept.children
    for (axis, uri, local), below in kept.children.items():
        if axis != "child" or local is None:
            return False
        name = element_symbol(local, uri)
        if not kind.at_most_once(name) or not is_small(below, kind.child(name)):
            return False
    return True
