"""The generators that turn what is given between brackets into results: window clauses, and what is asked of those.

    { open-windows: max($items) } { open-windows: forseq $w in $items … } … { close-windows } { close-windows }

Each reads a feed and pauses where that does. A function of the results of windows folds them, picks some by their
number, or keeps them all: results, never the items of the input.
"""

from __future__ import annotations

from dataclasses import replace

from xylem.functions.registry import FN
from xylem.plan.flux import ITEMS, OpenWindows
from xylem.rewrite.counted_positions import base_and_predicate, counted, last_counted
from xylem.rewrite.value_expressions import value_type
from xylem.syntax import ast
from xylem.values import atomic_type as at
from xylem.values import node as nk
from xylem.values.atomize import atomize
from xylem.values.sequence_type import ANY_ITEM, ANY_SEQUENCE, ItemType, NodeItem, Occurrence, SequenceType

from ..evaluator.code import Code, Shape, atomic
from ..evaluator.compiler import YIELD, Compiler
from ..evaluator.fed_loops import reads_fed_items, write_fed_loop
from ..evaluator.windows import partial_of
from .accumulator import accumulator

_COUNTED = frozenset({"count", "exists", "empty"})
_FOLDED = frozenset({"sum", "avg", "min", "max"})


def write_windows(c: Compiler, opened: OpenWindows) -> None:
    """Write the generator and the statement that opens it."""
    expression = opened.expression
    clause = window_clause(expression)

    def write() -> None:
        if clause is not None:
            _write_clause(c, opened)
        elif (picked := base_and_predicate(expression)) is not None:
            _write_picked(c, picked[1])
        elif (function := _folding(expression)) is not None:
            _write_folded(c, function)
        else:
            _write_all(c, expression)

    frame = c.lifted("windows", ["feed"], c.describe(expression), write)
    frame.is_generator = True
    variable = "results" if clause is None else str(clause.name)
    c.writer.line(f"out.open_windows({partial_of(c, frame)}, {variable!r}, {keeps_results(expression)})")


def window_clause(expression: ast.Expr) -> ast.WindowClause | ast.ForseqClause | ast.ForClause | None:
    """The clause that reads what is fed; None where the expression is a function of it."""
    for clause in expression.clauses if isinstance(expression, ast.Flwor) else ():
        if isinstance(clause, (ast.WindowClause, ast.ForseqClause, ast.ForClause)):
            source = clause.collection
            return clause if reads_fed_items(source.base if isinstance(source, ast.DataWindow) else source) else None
    return None


def keeps_results(expression: ast.Expr) -> bool:
    """Whether what windows give waits for the last of them."""
    if isinstance(expression, ast.Flwor) and window_clause(expression) is not None:
        return any(isinstance(clause, (ast.OrderByClause, ast.GroupByClause)) for clause in expression.clauses)
    return base_and_predicate(expression) is None and _folding(expression) is None


def _folding(expression: ast.Expr) -> str | None:
    """The function that needs but one value of all results."""
    match expression:
        case ast.FunctionCall(name=ast.Name(local=local, uri=uri), arguments=(_,)) if uri == FN:
            return local if local in _COUNTED or local in _FOLDED else None
    return None


def _write_clause(c: Compiler, opened: OpenWindows) -> None:
    item: ItemType = NodeItem(nk.ELEMENT) if opened.takes_elements else ANY_ITEM
    if not opened.takes_elements and opened.source is not None:
        item = value_type(opened.source) or ANY_ITEM
    fed = Code("feed", Shape.ITERABLE, SequenceType(item, Occurrence.MANY), simple=True, pauses=True)
    # Where items do not nest, each is a tree of its own, as those of an infinite sequence are.
    c.declare(ITEMS.expanded, replace(fed, endless=not opened.may_nest))
    facts = c.writer.window_facts
    if facts is not None and facts.schema is not None:
        c.writer.window_facts = replace(facts, fed_from=opened.source)
    try:
        c.push(opened.expression, YIELD)
    finally:
        c.writer.window_facts = facts


def _write_picked(c: Compiler, predicate: ast.Expr) -> None:
    """Results by their number; nothing is asked for behind the last one."""
    number, item = c.writer.fresh("number"), c.writer.fresh("item")
    counter = ast.Name(number, None, "")
    condition = counted(predicate, ast.VarRef(counter, span=predicate.span))
    last = last_counted(condition, number)
    if last is not None and last < 1:
        c.writer.line("return")
    c.writer.line(f"{number} = 0")
    write_fed_loop(c, item, "feed")
    with c.writer.indented(block=True):
        c.writer.line(f"{number} += 1")
        c.declare(counter.expanded, atomic(number, at.INTEGER, simple=True), loops=True)
        c.writer.line(f"if {c.truth(condition)}: yield {item}")
        if last is not None:
            c.writer.line(f"if {number} >= {last}: return")


def _write_folded(c: Compiler, function: str) -> None:
    folded, item = c.writer.fresh("folded"), c.writer.fresh("item")
    c.writer.line(f"{folded} = {c.rt(accumulator)}({function!r}, {c.context()})")
    write_fed_loop(c, item, "feed")
    with c.writer.indented(block=True):
        value = f"({item},)" if function in _COUNTED else f"{c.rt(atomize)}(({item},))"
        c.writer.line(f"{folded}.add({value})")
        if function != "count" and function in _COUNTED:
            c.writer.line("break")
    c.writer.line(f"yield from {folded}.result()")


def _write_all(c: Compiler, expression: ast.Expr) -> None:
    results, item = c.writer.fresh("results"), c.writer.fresh("item")
    c.writer.line(f"{results} = []")
    write_fed_loop(c, item, "feed")
    with c.writer.indented(block=True):
        c.writer.line(f"{results}.append({item})")
    c.declare(ITEMS.expanded, Code(results, Shape.SEQUENCE, ANY_SEQUENCE, simple=True))
    c.push(expression, YIELD)
