"""The whole way from a query to its FluX program."""

from __future__ import annotations

from collections.abc import Collection, Iterable

from xylem.plan.buffers import buffers
from xylem.plan.flux_plan import Applied, FluxPlan
from xylem.schema.constraints import Schema
from xylem.syntax import ast

from .driver import Observer, apply_rules, silent
from .flux_rewrite import rewrite_to_flux
from .fresh_names import Names
from .leaf_limits import LeafLimits
from .rule import Facts
from .rules import ALGEBRA, NORMAL_FORM
from .source import read_from_root, stream_source
from .to_flux import to_flux


def to_program(
    body: ast.Expr,
    schema: Schema | None = None,
    observe: Observer = silent,
    *,
    prolog: Iterable[ast.Declaration] = (),
    externals: Collection[tuple[str, str]] = (),
    without: Collection[str] = (),
) -> FluxPlan:
    """The plan that streams the body of a main module, its names resolved.

    `prolog` holds the declarations the body may use, of imported modules too, and `externals` the names of functions
    written in Python; a function that is neither may look anywhere, so the whole document is kept for it. `without`
    names rules to be left out.
    """
    source = stream_source(body)
    if source is not None:
        body = read_from_root(body, source)
    names = Names(body)
    query = to_flux(body, LeafLimits.of(prolog, externals), names)
    facts = Facts.of(names, schema)
    applied: list[Applied] = []

    def note(change: Applied) -> None:
        applied.append(change)
        observe(change)

    query = apply_rules(query, NORMAL_FORM, facts, note, without)
    query = apply_rules(query, ALGEBRA, facts, note, without)
    program = rewrite_to_flux(query, schema)
    return FluxPlan(program, query, source, buffers(program, schema), tuple(applied))
