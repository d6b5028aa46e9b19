"""Generators that turn the items between brackets into results: window clauses, and functions of their results.

    { open-windows: max($items) } { open-windows: forseq $w in $items … } … { close-windows } { close-windows }

Each reads a feed and pauses when the feed pauses. A function of the results folds them, picks some by number, reads
them until it has decided, or keeps them all: the results, never the items of the input.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace

from xylem.analysis.facts.literals import LITERALS
from xylem.analysis.facts.value_expressions import value_type
from xylem.analysis.keyed_input import numbered_keys
from xylem.functions.distinct_values import key_function
from xylem.functions.registry import FN
from xylem.functions.traits import COUNTS, FOLDS, TRUTHS
from xylem.plan.flux import ITEMS, OpenWindows
from xylem.rewrite.counted_positions import base_and_predicate, counted, last_counted
from xylem.run.stream.accumulator import accumulator
from xylem.syntax import ast
from xylem.values import atomic_type as at
from xylem.values import node as nk
from xylem.values.atomize import atomize
from xylem.values.node import Node
from xylem.values.sequence_type import ANY_ITEM, ANY_SEQUENCE, ItemType, NodeItem, Occurrence, SequenceType

from ..python.code import Code, Shape, atomic
from ..python.compiler import YIELD, Compiler
from ..python.fed_loops import reads_fed_items, write_fed_loop
from ..python.flwor import with_plans
from ..python.windows import partial_of
from .kernel_windows import WindowRows, kernel_windows


def write_windows(c: Compiler, opened: OpenWindows) -> None:
    """Write the generator and the statement that opens it."""
    expression = opened.expression
    clause = window_clause(expression)

    def write() -> None:
        if clause is not None:
            _write_clause(c, opened)
        elif (picked := base_and_predicate(expression)) is not None:
            _write_picked(c, picked[1])
        elif (folding := _folding(expression)) is not None:
            _write_folded(c, *folding)
        elif is_distinct(expression):
            _write_distinct(c)
        elif (asked := _asked(expression)) is not None:
            _write_asked(c, *asked)
        else:
            _write_all(c, expression)

    frame = c.lifted("windows", ["feed"], c.describe(expression), write)
    frame.is_generator = True
    variable = "results" if clause is None else str(clause.name)
    told = f"{variable!r}, {keeps_results(expression)}, {opened.gives_all}"
    if clause is not None and isinstance(expression, ast.Flwor) and c.window_rows is not None:
        told += f", {_by_kernel(c, c.window_rows, opened, expression)}"
    c.writer.line(f"out.open_windows({partial_of(c, frame)}, {told})")


def window_clause(expression: ast.Expr) -> ast.WindowClause | ast.ForseqClause | ast.ForClause | None:
    """The clause that reads the fed items; None if the expression is a function of them."""
    clauses = expression.clauses if isinstance(expression, ast.Flwor) else ()
    for index, clause in enumerate(clauses):
        keyed = numbered_keys(clauses, index)
        if keyed is not None and reads_fed_items(keyed.collection):
            last = clauses[index + keyed.length - 1]
            assert isinstance(last, (ast.WindowClause, ast.ForseqClause))
            return last
        if isinstance(clause, (ast.WindowClause, ast.ForseqClause, ast.ForClause)):
            source = clause.collection
            return clause if reads_fed_items(source.base if isinstance(source, ast.DataWindow) else source) else None
    return None


def keeps_results(expression: ast.Expr) -> bool:
    """Whether window results wait for the last of them."""
    if isinstance(expression, ast.Flwor) and window_clause(expression) is not None:
        behind = _behind_keys(expression.clauses)
        return any(isinstance(clause, (ast.OrderByClause, ast.GroupByClause)) for clause in behind)
    if is_distinct(expression) or _is_condition(expression):
        return False
    return base_and_predicate(expression) is None and _folding(expression) is None and _asked(expression) is None


def _behind_keys(clauses: Sequence[ast.Clause]) -> Sequence[ast.Clause]:
    """The clauses without those that form windows by key."""
    for index in range(len(clauses)):
        keyed = numbered_keys(clauses, index)
        if keyed is not None:
            return clauses[index + keyed.length :]
    return clauses


def _is_results(expression: ast.Expr) -> bool:
    return isinstance(expression, ast.VarRef) and expression.name.expanded == ITEMS.expanded


def _folding(expression: ast.Expr) -> tuple[str, str] | None:
    """The function that needs a single value of all results, with its parameter."""
    match expression:
        case ast.FunctionCall(name=name, arguments=(_,)):
            return (name.local, "") if name.expanded in FOLDS else None
        case ast.FunctionCall(
            name=ast.Name(local="string-join", uri=uri), arguments=(items, ast.StringLiteral(value=separator))
        ) if uri == FN and _is_results(items):
            return "string-join", separator
        case ast.Filter(predicate=ast.FunctionCall(name=ast.Name(local="last", uri=uri), arguments=())) if uri == FN:
            return "last", ""
    return None


def is_distinct(expression: ast.Expr) -> bool:
    """Whether only distinct values are wanted: each is passed on when it is new."""
    match expression:
        case ast.FunctionCall(name=ast.Name(local="distinct-values", uri=uri), arguments=(_,)):
            return uri == FN
    return False


def _is_condition(expression: ast.Expr) -> bool:
    """Whether only the effective boolean value of the results is wanted: a first node or second value decides it."""
    match expression:
        case ast.FunctionCall(name=ast.Name(local="boolean" | "not", uri=uri), arguments=(_,)):
            return uri == FN
        case ast.If(test=test):
            return _is_results(test)
    return False


def _asked(expression: ast.Expr) -> tuple[ast.Name, ast.Expr, bool] | None:
    """The test of each result, its name, and the answer once it holds."""
    match expression:
        case ast.Quantified(kind=kind, bindings=(first, *rest), satisfies=satisfies) if first.type is None:
            test = satisfies
            if rest:
                test = replace(expression, bindings=tuple(rest))
            return first.name, test, kind == "some"
        case ast.GeneralComparison(left=left, right=right):
            each = ast.VarRef(ast.Name("result", None, ITEMS.uri), span=expression.span)
            if _is_results(left) and isinstance(right, LITERALS):
                return each.name, replace(expression, left=each), True
            if _is_results(right) and isinstance(left, LITERALS):
                return each.name, replace(expression, right=each), True
    return None


def _by_kernel(c: Compiler, rows: WindowRows, opened: OpenWindows, expression: ast.Flwor) -> str:
    """The windows as the kernel forms them; `None` if it cannot."""
    rows.cells = None
    if not opened.takes_elements or opened.may_nest or opened.gives_all:
        return "None"
    with _fed(c, opened):
        made = kernel_windows(c, rows, with_plans(c, expression))
    if made != "None":
        rows.formed[expression] = rows.kernel_writes
    return made


def _write_clause(c: Compiler, opened: OpenWindows) -> None:
    with _fed(c, opened):
        c.push(opened.expression, YIELD)


@contextmanager
def _fed(c: Compiler, opened: OpenWindows) -> Iterator[None]:
    """The scope in which the fed items are known."""
    item: ItemType = NodeItem(nk.ELEMENT) if opened.takes_elements else ANY_ITEM
    if not opened.takes_elements and opened.source is not None:
        item = value_type(opened.source) or ANY_ITEM
    fed = Code("feed", Shape.ITERABLE, SequenceType(item, Occurrence.MANY), simple=True, pauses=True)
    # If items do not nest, each is a tree of its own, like those of an infinite sequence.
    facts = c.writer.window_facts
    with c.scoped():
        c.declare(ITEMS.expanded, replace(fed, endless=not opened.may_nest))
        if facts is not None and facts.schema is not None:
            c.writer.window_facts = replace(facts, fed_from=opened.source)
        try:
            yield
        finally:
            c.writer.window_facts = facts


def _write_picked(c: Compiler, predicate: ast.Expr) -> None:
    """Results by their number; nothing is read after the last one."""
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


def _write_folded(c: Compiler, function: str, parameter: str) -> None:
    folded, item = c.writer.fresh("folded"), c.writer.fresh("item")
    c.writer.line(f"{folded} = {c.rt(accumulator)}({function!r}, {c.context()}, {parameter!r})")
    write_fed_loop(c, item, "feed")
    with c.writer.indented(block=True):
        value = f"({item},)" if (FN, function) in COUNTS or function == "last" else f"{c.rt(atomize)}(({item},))"
        c.writer.line(f"{folded}.add({value})")
        if (FN, function) in COUNTS & TRUTHS:
            c.writer.line("break")
    c.writer.line(f"yield from {folded}.result()")


def _write_distinct(c: Compiler) -> None:
    seen, key_of = c.writer.fresh("seen"), c.writer.fresh("key_of")
    item, value, key = c.writer.fresh("item"), c.writer.fresh("value"), c.writer.fresh("key")
    c.writer.line(f"{key_of}, {seen} = {c.rt(key_function)}({c.context()}, None), set()")
    write_fed_loop(c, item, "feed")
    with c.writer.indented(block=True):
        c.writer.line(f"for {value} in {c.rt(atomize)}(({item},)):")
        with c.writer.indented(block=True):
            c.writer.line(f"{key} = {key_of}({value})")
            c.writer.line(f"if {key} in {seen}: continue")
            c.writer.line(f"{seen}.add({key})")
            c.writer.line(f"yield {value}")


def _write_asked(c: Compiler, name: ast.Name, test: ast.Expr, is_some: bool) -> None:
    """some … satisfies, every … satisfies, a comparison: nothing is read after the deciding result."""
    item = c.writer.fresh("item")
    write_fed_loop(c, item, "feed")
    with c.writer.indented(block=True):
        code = Code(item, Shape.ONE, SequenceType(ANY_ITEM, Occurrence.ONE), simple=True)
        with c.scoped():
            c.declare(name.expanded, code, loops=True)
            c.writer.line(f"if {'' if is_some else 'not '}({c.truth(test)}):")
        with c.writer.indented():
            c.writer.line(f"yield {is_some}")
            c.writer.line("return")
    c.writer.line(f"yield {not is_some}")


def _write_all(c: Compiler, expression: ast.Expr) -> None:
    results, item = c.writer.fresh("results"), c.writer.fresh("item")
    c.writer.line(f"{results} = []")
    write_fed_loop(c, item, "feed")
    with c.writer.indented(block=True):
        c.writer.line(f"{results}.append({item})")
        if _is_condition(expression):
            c.writer.line(f"if type({results}[0]) is {c.rt(Node)} or len({results}) > 1: break")
    c.declare(ITEMS.expanded, Code(results, Shape.SEQUENCE, ANY_SEQUENCE, simple=True))
    c.push(expression, YIELD)
