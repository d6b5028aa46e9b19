"""The operators of FluX expressions: the output of handlers, over tuples from the stream or in memory."""

from __future__ import annotations

from collections.abc import Iterator

from xylem.errors import Span
from xylem.plan.flux import (
    CloseWindows,
    Copy,
    Fixed,
    Flux,
    For,
    GiveItem,
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
    Step,
)
from xylem.plan.operators import Bind, Construct, Extent, Operator, Select, Window
from xylem.syntax import ast

from ..stream.loop_expressions import loop_expression
from ..stream.steps import path_expression
from .brackets import CLOSED, Event, OpenedWindows, OpenTag
from .clauses import bound_by
from .of_expression import ExpressionPlanner
from .scope import Scope
from .texts import text_of

_Tuples = Operator | None


class FluxPlanner:
    """Plans what handlers write, with another planner for the expressions in it."""

    def __init__(self, planner: ExpressionPlanner) -> None:
        self.planner = planner

    def events(self, body: Flux, scope: Scope, over: _Tuples) -> Iterator[Event]:
        """The written events, piece by piece: once, or for each tuple."""
        match body:
            case Fixed():
                yield from self._fixed(body, over)
            case Opening(element=element):
                inside = tuple(self.planner.inner(element, scope))
                yield OpenTag(element, over, inside, self.planner.runs)
            case Sequence(parts=parts):
                for part in parts:
                    yield from self.events(part, scope, over)
            case For():
                whole = loop_expression(body) if self.planner.planned else None
                shared = None if whole is None else self.planner.planned.get(whole)
                if isinstance(shared, ast.Shared):
                    yield self.planner.plan(shared, scope, over)
                else:
                    yield from self._loop(body, scope, over)
            case Copy(variable=variable, path=path):
                yield self._copied(variable, path, scope, over)
            case If(condition=condition, body=inner):
                yield from self.events(inner, scope, self._selected(condition, scope, over))
            case Leaf(expression=expression):
                yield self.planner.plan(self.planner.planned.get(expression, expression), scope, over)
            case OpenWindows():
                yield OpenedWindows(body, over)
            case GiveItem(variable=variable, source=source):
                yield self._given(variable, source, scope, over)
            case CloseWindows():
                yield CLOSED
            case ProcessStream(variable=variable, handlers=handlers):
                for handler in handlers:
                    yield from self.events(in_memory(handler, variable), scope, over)

    def _fixed(self, fixed: Fixed, over: _Tuples) -> Iterator[Event]:
        if fixed.opens is not None and fixed.closes is not None:
            yield self._operator(Construct, fixed.opens.span, name=f"<{fixed.opens.name}>", over=over)
        elif fixed.opens is not None:
            yield OpenTag(fixed.opens, over, runs=self.planner.runs)
        elif fixed.closes is not None:
            yield CLOSED

    def _loop(self, loop: For, scope: Scope, over: _Tuples) -> Iterator[Event]:
        path = path_expression(loop.source, loop.path)
        of = scope.of(ast.Name(loop.source, None, ""))
        span = loop.path[-1].test.span if loop.path and loop.path[-1].test is not None else None
        inputs: tuple[Operator, ...] = ()
        if loop.window is not None:
            form = f"data by {loop.window.kind}"
            inputs = (self.planner.plan(path, scope),)
            tuples: Operator = self._operator(
                Window, loop.window.span, variable=loop.variable, form=form, inputs=inputs, over=over
            )
        else:
            source = text_of(path)
            if of is not Extent.ITEM or not self.planner.is_plain(path):
                source, inputs = "", (self.planner.plan(path, scope),)
            tuples = self._operator(Bind, span, variable=loop.variable, source=source, inputs=inputs, over=over)
        # One element may hold everything that is kept of the input.
        inside = scope.with_variable(ast.Name(loop.variable, None, ""), max(of, Extent.ITEM))
        if loop.where is not None:
            tuples = self._selected(loop.where, inside, tuples)
        yield from self.events(loop.body, inside, tuples)

    def _selected(self, condition: ast.Expr, scope: Scope, over: _Tuples) -> Operator:
        inputs = self.planner.of_test(self.planner.planned.get(condition, condition), scope)
        return self.planner.made(Select, condition, condition=text_of(condition), inputs=inputs, over=over)

    def _copied(self, variable: str, path: tuple[Step, ...], scope: Scope, over: _Tuples) -> Operator:
        if not path and over is not None and bound_by(over) == variable:
            return over
        return self.planner.plan(path_expression(variable, path), scope, over)

    def _given(self, variable: str, source: ast.Expr | None, scope: Scope, over: _Tuples) -> Operator:
        if source is None and over is not None and bound_by(over) == variable:
            return over
        return self.planner.plan(source or path_expression(variable, ()), scope, over)

    def _operator(self, kind: type[Operator], span: Span | None, **fields: object) -> Operator:
        return kind(runs=self.planner.runs, span=span, **fields)  # type: ignore[arg-type]


def in_memory(handler: Handler, variable: str) -> Flux:
    """The operators of a handler whose stream is in memory."""
    match handler:
        case On(through=through, step=step):
            return For(handler.variable, variable, (*through, step), handler.body, None, handler.position)
        case OnWindow(path=path, window=window, body=body) | OnEach(path=path, window=window, body=body):
            return For(handler.variable, variable, path, body, window=window)
        case OnFirst(body=body):
            return body
    return Sequence()
