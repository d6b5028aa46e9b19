"""Generated code that offers tuples to `FirstTuples`: first the keys, then the result if the tuple may be kept."""

from __future__ import annotations

from xylem.errors import XylemError
from xylem.plan.effects import Effect
from xylem.plan.note import Note
from xylem.rewrite.limited_sorts import LimitedSort
from xylem.run.stream.first_tuples import FirstSpec
from xylem.syntax import ast

from ..python.code import one
from ..python.compiler import Compiler
from ..python.flwor import order_by_keys, order_columns, write_tuples
from ..python.keyed_groups import written_value


def first_spec(c: Compiler, limited: LimitedSort) -> FirstSpec:
    """The number of tuples kept and their order; also recorded for `explain`."""
    which = "last" if limited.is_last else "first"
    c.writer.notes.append(Note(limited.order.span, Effect.HOLDS.value, f"{limited.told}, the {which} in this order"))
    limit = limited.limit
    return FirstSpec(
        limit if isinstance(limit, int) else written_value(c, "limit", limit, atomize=True),
        limited.told,
        order_columns(c, limited.order),
        limited.is_last,
    )


def write_offers(c: Compiler, taken: ast.Expr, limited: LimitedSort) -> None:
    """For each item taken from a record and each of its tuples: keep the item if the tuple may be one of the first."""
    items, item = c.compile(taken), c.writer.fresh("one")
    c.writer.line(f"for {item} in {c.as_iterable(items)}:")
    with c.writer.indented(block=True), c.scoped():
        loop = limited.loop.clauses[0]
        assert isinstance(loop, ast.ForClause)
        c.writer.line(f"into.start({item})")
        c.declare(loop.name.expanded, one(item, items.item, simple=True), loops=True)
        write_tuples(c, limited.loop, limited.before, lambda: _write_offer(c, limited))


def _write_offer(c: Compiler, limited: LimitedSort) -> None:
    keys = c.writer.fresh("keys")
    with c.writer.at(limited.order.span):
        c.writer.line(f"{keys} = {order_by_keys(c, limited.order)}")
    c.writer.line(f"if into.takes({keys}):")
    with c.writer.indented():
        results = "1"
        if limited.counted is not None:
            results = c.writer.fresh("results")
            c.writer.line("try:")
            with c.writer.indented(block=True), c.scoped():
                c.writer.line(f"{results} = sum(1 for _ in {c.as_iterable(c.compile(limited.counted))})")
            c.writer.line(f"except {c.rt(XylemError)}:")
            with c.writer.indented(block=True):
                # An error is a result too, and the last one: if the tuple stays, reading it raises the error again.
                c.writer.line(f"{results} = into.limit")
        c.writer.line(f"into.keep({keys}, {results})")
