"""All stages from a query to its FluX program: `stream_form`, once, and `program_of` for the answer or a part of it."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass

from xylem.analysis.bound_names import read_variables
from xylem.analysis.focus import reads_focus
from xylem.analysis.statements import Statements
from xylem.plan.buffers import buffers
from xylem.plan.flux import ROOT, Flux, Leaf
from xylem.plan.flux_plan import Applied, FluxPlan
from xylem.schema.constraints import Schema
from xylem.syntax import ast

from .answer_parts import answer_parts, some_parts, told_parts
from .driver import Observer, apply_rules, silent
from .flux_rewrite import rewrite_to_flux
from .fresh_names import Names
from .inline_prolog import inline_functions, inline_prolog
from .joins.module_joins import ModuleJoins
from .leaf_limits import LeafLimits
from .normalise import normalise
from .position_ranges import with_position_bounds
from .rule import Facts
from .rules import ALGEBRA, NORMAL_FORM
from .single_pass import make_one_pass
from .source import read_from_root, stream_source
from .statement_order import keeps_order
from .to_flux import to_flux
from .union_of_paths import unite_paths


@dataclass(frozen=True)
class StreamForm:
    """The body of a query in the normal form of streams, which the programs for all parts of its answer share."""

    query: Flux
    body: ast.Expr
    source: ast.Expr | None
    names: Names
    schema: Schema | None
    without: frozenset[str]
    applied: tuple[Applied, ...]
    told: tuple[str, ...]


def stream_form(
    body: ast.Expr,
    schema: Schema | None = None,
    observe: Observer = silent,
    *,
    prolog: Iterable[ast.Declaration] = (),
    imported: Iterable[ast.Declaration] = (),
    externals: Collection[tuple[str, str]] = (),
    without: Collection[str] = (),
    joins: ModuleJoins | None = None,
) -> StreamForm:
    """The body of a main module with resolved names, in the normal form of streams.

    `prolog` holds the declarations of the module, `imported` those of the modules it imports, and `externals` the names
    of functions written in Python; a function that is none of these may look anywhere, so the whole document is kept
    for it. `without` names rules to be left out.
    """
    declared = list(prolog)
    statements = Statements.of(body, [*declared, *imported])
    body = with_position_bounds(unite_paths(inline_prolog(body, declared)))
    source = stream_source(body)
    if source is not None:
        body = read_from_root(body, source)
    # Rules over a whole query ignore statements: the order of execution is the meaning of such a program.
    body, spelled = (body, ()) if statements else normalise(body, declared, without)
    body, fusions = (body, ()) if statements else make_one_pass(body, declared, without)
    if fusions:
        # Rewritten recursions may call functions that can be inlined now.
        body = inline_functions(body, declared)
    if joins is not None:
        # Last: a fold, or a table by key, needs no join.
        body = joins.of_stream(body)
    names = Names(body, declared)
    query = to_flux(body, LeafLimits.of([*declared, *imported], externals, statements), names)
    if not keeps_order(query, statements):
        query = Leaf(body, is_global=True)
    applied: list[Applied] = []
    query = apply_rules(query, NORMAL_FORM, Facts.of(names, schema), _noting(applied, observe), without)
    told = tuple(change.told for change in (*spelled, *fusions))
    return StreamForm(query, body, source, names, schema, frozenset(without), tuple(applied), told)


def program_of(form: StreamForm, observe: Observer = silent, part: tuple[int, int] | None = None) -> FluxPlan:
    """The program of a normal form. With `part`, it writes only these parts of the answer: from the first up to, but
    not including, the last.
    """
    query, names, schema = form.query, form.names.copy(), form.schema
    facts = Facts.of(names, schema)
    applied = list(form.applied)
    note = _noting(applied, observe)
    parts = told_parts(answer_parts(query))
    if part is not None:
        query = apply_rules(some_parts(query, *part), NORMAL_FORM, facts, note, form.without)
    query = apply_rules(query, ALGEBRA, facts, note, form.without)
    program = rewrite_to_flux(query, schema, names)
    reads_input = reads_focus(form.body) or ("", ROOT) in read_variables(form.body)
    whole = None if part is None else form.query
    return FluxPlan(
        program, query, form.source, reads_input, buffers(program, schema), tuple(applied), form.told, parts, whole
    )


def _noting(applied: list[Applied], observe: Observer) -> Observer:
    def note(change: Applied) -> None:
        applied.append(change)
        observe(change)

    return note
