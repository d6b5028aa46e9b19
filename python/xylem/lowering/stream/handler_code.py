"""The functions generated for a stream: handlers that write, tests, conditions on positions."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from xylem.analysis.free_variables import free_in
from xylem.plan.flux import ROOT, Flux, On, OnEach, OnWindow
from xylem.plan.flux_variables import free_variables
from xylem.run.stream.roles import HoleRole, ScopeRole
from xylem.syntax import ast
from xylem.values import atomic_type as at
from xylem.values import node as nk
from xylem.values.sequence_type import ANY_SEQUENCE, AtomicItem, NodeItem, Occurrence, SequenceType

from ..python.code import Code, Shape, atomic, one
from ..python.compiler import ColumnLoop
from ..python.scope import Focus, Scope
from ..python.step_texts import columns_of
from ..python.writer import Line
from .aggregates import AGGREGATE
from .body import write_body
from .hoisting import hoisted
from .template_holes import HoleCode

if TYPE_CHECKING:
    from .build import StreamBuilder


_UNTYPED = SequenceType(AtomicItem(at.UNTYPED_ATOMIC), Occurrence.MANY)
_ATOMIC = SequenceType(AtomicItem(at.ANY_ATOMIC), Occurrence.MANY)


class HandlerCode:
    """Writes functions next to those of the query."""

    def __init__(self, builder: StreamBuilder) -> None:
        self.b = builder

    def function(
        self,
        stem: str,
        body: Flux,
        role: ScopeRole,
        handler: On | OnWindow | OnEach | None = None,
        more: Iterable[str] = (),
    ) -> str:
        """def handler(out, env): the body, with the variables it can see taken from the environment."""
        c = self.b.c
        read = free_variables(body)
        with c.writer.function(stem, ["out", "env"], "") as frame, c.scoped(Scope({}, Focus(None))):
            for name in (*self._visible(role, handler), *more):
                if name.startswith(AGGREGATE) and name not in read:
                    continue
                variable = c.declare(("", name), self._bound(name))
                if name == ROOT:
                    c.scope = c.scope.with_focus(Focus(variable))
            write_body(c, hoisted(body))
        return frame.name

    def run(self, body: Flux, role: ScopeRole, handler: On) -> str:
        """def run(out, env, nodes): the body for each of these nodes."""
        c = self.b.c
        with c.writer.function("run", ["out", "env", "nodes"], "") as frame, c.scoped(Scope({}, Focus(None))):
            for name in self._visible(role, None):
                variable = c.declare(("", name), self._bound(name))
                if name == ROOT:
                    c.scope = c.scope.with_focus(Focus(variable))
            node = c.writer.fresh("node")
            head = Line(frame.depth, f"for {node} in nodes:", None)
            frame.body.append(head)
            c.column_loop = loop = ColumnLoop(frame, node, {})
            with c.writer.indented(block=True), c.scoped():
                kind = self.b.item_types.get(handler.variable, NodeItem())
                c.declare(("", handler.variable), one(node, kind, simple=True), loops=True)
                write_body(c, hoisted(body))
            c.column_loop = None
            if loop.names:
                head.text = f"for {node}, {', '.join(loop.names.values())} in zip(nodes, {columns_of(c, loop)}):"
        return frame.name

    def hole(self, code: HoleCode, role: ScopeRole) -> HoleRole:
        """def hole(env, given…): the values that fill a hole, computed from values of the scan."""
        c = self.b.c
        read = {local for uri, local in free_in(code.expression) if not uri}
        given = [c.writer.fresh("given") for _ in code.parameters]
        static = c.static.inside_element(code.namespaces) if code.namespaces else c.static
        with (
            c.writer.function("hole", ["env", *given], c.describe(code.expression)) as frame,
            c.scoped(Scope({}, Focus(None))),
            c.namespaces(static),
        ):
            for name in self._visible(role, None):
                if name in read:
                    c.declare(("", name), self._bound(name))
            for (name, is_typed), python in zip(code.parameters, given, strict=True):
                c.declare(("", name), Code(python, Shape.SEQUENCE, _ATOMIC if is_typed else _UNTYPED, simple=True))
            with c.writer.at(code.expression.span):
                c.writer.line(f"return {c.as_sequence(c.compile(code.expression))}")
        return HoleRole(frame.name, code.in_attribute)

    def test(self, condition: ast.Expr, names: Iterable[str]) -> str:
        """def test(env): whether a condition holds, with variables of the environment."""
        c = self.b.c
        with c.writer.function("test", ["env"], c.describe(condition)) as frame, c.scoped(Scope({}, Focus(None))):
            for name in names:
                c.declare(("", name), self._bound(name))
            c.writer.line(f"return bool({c.truth(condition)})")
        return frame.name

    def position_test(self, condition: ast.Expr, name: str) -> str:
        """def counts(position): whether a condition holds for a number."""
        c = self.b.c
        with c.writer.function("counts", ["position"], "") as frame, c.scoped(Scope({}, Focus(None))):
            c.declare(("", name), atomic("position", at.INTEGER, simple=True))
            c.writer.line(f"return bool({c.truth(condition)})")
        return frame.name

    def _visible(self, role: ScopeRole, handler: On | OnWindow | OnEach | None) -> list[str]:
        names = [] if handler is None else [handler.variable]
        if isinstance(handler, On) and handler.position is not None:
            names.append(handler.position)
        scope: ScopeRole | None = role
        while scope is not None:
            names.append(scope.variable)
            by_slot = {slot: name for name, slot in self.b.slots.items()}
            names += [by_slot[aggregate.slot] for aggregate in scope.aggregates]
            scope = scope.parent
        return names

    def _bound(self, name: str) -> Code:
        """A local name for a variable of the environment."""
        python = self.b.c.writer.fresh("v_" + "".join(ch if ch.isascii() and ch.isalnum() else "_" for ch in name))
        if name.startswith(AGGREGATE):
            self.b.c.writer.line(f"{python} = env[{self.b.slot(name)}].result()")
            return Code(python, Shape.SEQUENCE, ANY_SEQUENCE, simple=True)
        self.b.c.writer.line(f"{python} = env[{self.b.slot(name)}]")
        if name in self.b.windowed:
            return Code(python, Shape.SEQUENCE, SequenceType(NodeItem(nk.ELEMENT), Occurrence.MANY), simple=True)
        return one(python, self.b.item_types.get(name, NodeItem()), simple=True)
