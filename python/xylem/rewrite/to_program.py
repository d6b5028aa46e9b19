"""All stages from a query to its FluX program."""

from __future__ import annotations

from collections.abc import Collection, Iterable

from xylem.analysis.focus import read_variables, reads_focus
from xylem.analysis.statements import Statements
from xylem.plan.buffers import buffers
from xylem.plan.flux import ROOT, Leaf
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


def to_program(
    body: ast.Expr,
    schema: Schema | None = None,
    observe: Observer = silent,
    *,
    prolog: Iterable[ast.Declaration] = (),
    imported: Iterable[ast.Declaration] = (),
    externals: Collection[tuple[str, str]] = (),
    without: Collection[str] = (),
    part: tuple[int, int] | None = None,
    joins: ModuleJoins | None = None,
) -> FluxPlan:
    """The plan that streams the body of a main module with resolved names.

    `prolog` holds the declarations of the module, `imported` those of the modules it imports, and `externals` the names
    of functions written in Python; a function that is none of these may look anywhere, so the whole document is kept
    for it. `without` names rules to be left out. With `part`, the plan writes only these parts of the answer: from the
    first up to, but not including, the last.
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
    reads_input = reads_focus(body) or ("", ROOT) in read_variables(body)
    names = Names(body, declared)
    query = to_flux(body, LeafLimits.of([*declared, *imported], externals, statements), names)
    if not keeps_order(query, statements):
        query = Leaf(body, is_global=True)
    facts = Facts.of(names, schema)
    applied: list[Applied] = []

    def note(change: Applied) -> None:
        applied.append(change)
        observe(change)

    query = apply_rules(query, NORMAL_FORM, facts, note, without)
    parts = told_parts(answer_parts(query))
    whole = None if part is None else query
    if part is not None:
        query = apply_rules(some_parts(query, *part), NORMAL_FORM, facts, note, without)
    query = apply_rules(query, ALGEBRA, facts, note, without)
    told = tuple(change.told for change in (*spelled, *fusions))
    program = rewrite_to_flux(query, schema, names)
    kept = buffers(program, schema)
    return FluxPlan(program, query, source, reads_input, kept, tuple(applied), told, parts, whole)
