"""Write loops in one plain spelling for all other rules.

    let $b := /bib/book for $x in $b …                  →     for $x in /bib/book …
    let $is := A = B where $is …                        →     where A = B …
    for $b as element(book) in /bib/book …              →     for $b in /bib/book …
    for $b in /bib/book let $c as element() := $b …     →     for $b in /bib/book let $c := $b …
    /bib/book/(author/last)                             →     /bib/book/author/last
    /bib/book/<t>{ title }</t>                          →     /bib/book ! <t>{ title }</t>
    for $x at $i in E where $i <= 3 return R            →     for $x in subsequence(E, 1, 3) return R

Gain:   all spellings stream, fold or join alike.
Needs:  a `let` of a path from the input that is read in the same focus only, and whose variables are not rebound after
        it; a condition that one `where` reads; a type that the last step of the path proves, of the loop or of a loop
        around it; a constructor of an element after steps, which return nodes; a position that is compared with a
        number and read nowhere else.
Safe:   a path returns the same nodes wherever it is read in the same focus. A checked type changes no value. New nodes
        have separate trees, in the order of their construction.
"""

from __future__ import annotations

from dataclasses import replace

from xylem.analysis.ast_replacement import replaced
from xylem.analysis.bound_names import bound_in, read_variables
from xylem.analysis.facts.comparisons import sides
from xylem.analysis.facts.conjuncts import conjuncts
from xylem.analysis.facts.standard_calls import argument_of
from xylem.analysis.facts.truth_values import is_condition
from xylem.analysis.focus import nodes_in_same_focus
from xylem.analysis.free_variables import free_in
from xylem.analysis.streamable_paths import is_element_test
from xylem.functions.registry import FN
from xylem.syntax import ast

from ..argument_types import KnownTypes
from ..input_reads import reads_input
from ..let_values import is_read_behind_grouping, is_worth_inlining, times_read
from ..query_rule import QueryFacts, QueryRule
from ..substitution import Substitution

_ASKED = (ast.Flwor, ast.Path)


class SpellOutLoops(QueryRule):
    name = "spell_out_loops"
    told = "paths stand where their names are read"

    def apply(self, body: ast.Expr, facts: QueryFacts) -> ast.Expr:
        known = KnownTypes.of(body)
        return replaced(body, lambda node: _plain(node, known), _ASKED)


def _plain(node: ast.Node, known: KnownTypes) -> ast.Node | None:
    made: ast.Expr | None = None
    match node:
        case ast.Flwor():
            made = _with_path(node) or _without_type(node, known) or _of_the_first(node)
        case ast.Path(left=left, right=ast.Path(left=ast.AxisStep() as first, right=ast.AxisStep() as second)):
            made = ast.Path(ast.Path(left, first, span=node.span), second, span=node.span)
        case ast.Path(left=left, right=ast.DirectElement() | ast.ComputedElement() as right) if _gives_nodes(left):
            made = ast.SimpleMap(left, right, span=node.span)
    return None if made is None else replaced(made, lambda inner: _plain(inner, known), _ASKED)


def _with_path(loop: ast.Flwor) -> ast.Expr | None:
    """The expression with the path of a `let` in place of its variable."""
    for index, clause in enumerate(loop.clauses):
        if not isinstance(clause, ast.LetClause) or clause.type is not None:
            continue
        behind = ast.Flwor(loop.clauses[index + 1 :], loop.result, span=loop.span)
        if not _is_path_of_input(clause.value) and not _is_read_once(clause, behind):
            continue
        if _stands_for(clause.name, clause.value, behind):
            made = Substitution({clause.name.expanded: clause.value}).apply(behind)
            clauses = (*loop.clauses[:index], *made.clauses)
            return replace(loop, clauses=clauses, result=made.result) if clauses else made.result
    return None


def _is_path_of_input(value: ast.Expr) -> bool:
    """/a/b, without predicates: it selects a part of the input, or all of it."""
    while isinstance(value, ast.Path) and isinstance(value.right, ast.AxisStep) and not value.right.predicates:
        value = value.left
    return isinstance(value, ast.Root)


def _is_read_once(clause: ast.LetClause, behind: ast.Flwor) -> bool:
    """Whether it is a path, a loop over the input or a condition, read in one place, once for each of its tuples."""
    value = clause.value
    is_loop = isinstance(value, ast.Flwor) and reads_input(value)
    is_asked = is_condition(value) and any(_asks(clause.name, one) for one in behind.clauses)
    if not (isinstance(value, ast.Path) or is_loop or is_asked) or times_read(clause.name, behind) > 1:
        return False
    return is_worth_inlining(clause, behind.clauses, behind.result)


def _asks(name: ast.Name, clause: ast.Clause) -> bool:
    """Whether the variable is a condition of a `where`."""
    tests = conjuncts(clause.test) if isinstance(clause, ast.WhereClause) else []
    return any(_is_read(name, asked) for test in tests for asked in (test, argument_of(test, "not")) if asked)


def _stands_for(name: ast.Name, value: ast.Expr, behind: ast.Flwor) -> bool:
    """Whether a value may replace its variable everywhere."""
    bound = bound_in(behind)
    if name.expanded in bound or free_in(value) & bound:
        return False
    if is_read_behind_grouping(name, behind.clauses, behind.result):
        return False
    here = sum(_is_read(name, node) for node in nodes_in_same_focus(behind))
    return here == times_read(name, behind)


def _is_read(name: ast.Name, node: ast.Node) -> bool:
    return isinstance(node, ast.VarRef) and node.name.expanded == name.expanded


def _without_type(loop: ast.Flwor, known: KnownTypes) -> ast.Expr | None:
    clauses = tuple(
        replace(clause, type=None)
        if isinstance(clause, (ast.ForClause, ast.LetClause)) and _is_proved(clause, known)
        else clause
        for clause in loop.clauses
    )
    return None if all(a is b for a, b in zip(clauses, loop.clauses, strict=True)) else replace(loop, clauses=clauses)


def _is_proved(clause: ast.ForClause | ast.LetClause, known: KnownTypes) -> bool:
    """Whether each item is known to have the type that the clause declares."""
    if isinstance(clause, ast.LetClause):
        return (
            clause.type is not None
            and isinstance(clause.value, ast.VarRef)
            and known.has_type(clause.value, clause.type)
        )
    kind, collection = clause.type, clause.collection
    if kind is None or clause.allowing_empty:
        return False
    step = collection.right if isinstance(collection, ast.Path) else collection
    if not isinstance(step, ast.AxisStep) or step.axis not in ("child", "descendant") or not is_element_test(step.test):
        return False
    match kind.item:
        case ast.AnyItemType() | ast.AnyKindTest() | ast.ElementTest(name=None, type=None):
            return True
        case ast.ElementTest(name=ast.Name() as name, type=None):
            return isinstance(step.test, ast.NameTest) and step.test.name.expanded == name.expanded
    return False


def _gives_nodes(expr: ast.Expr) -> bool:
    while isinstance(expr, ast.Filter):
        expr = expr.base
    return isinstance(expr, (ast.Root, ast.AxisStep)) or (
        isinstance(expr, ast.Path) and isinstance(expr.right, ast.AxisStep)
    )


def _of_the_first(loop: ast.Flwor) -> ast.Expr | None:
    """A loop over the first items of a sorted sequence, limited to the number needed."""
    match loop.clauses:
        case (ast.ForClause(position=ast.Name() as position, collection=ast.Flwor() as items) as first, *rest):
            pass
        case _:
            return None
    if first.allowing_empty or not rest or not isinstance(rest[0], ast.WhereClause):
        return None
    most = _most(rest[0].test, position)
    behind = ast.Flwor(tuple(rest[1:]), loop.result)
    if most is None or position.expanded in read_variables(behind):
        return None
    arguments = (items, ast.IntegerLiteral(1), ast.IntegerLiteral(most))
    limited = ast.FunctionCall(ast.Name("subsequence", "fn", FN), arguments, span=items.span)
    made = replace(first, position=None, collection=limited)
    return replace(loop, clauses=(made, *rest[1:]))


def _most(test: ast.Expr, position: ast.Name) -> int | None:
    """The number of first items that a test of their position admits."""
    if not isinstance(test, (ast.GeneralComparison, ast.ValueComparison)):
        return None
    for side in sides(test):
        if side.own == ast.VarRef(position) and isinstance(side.other, ast.IntegerLiteral):
            match side.op:
                case "<=" | "le":
                    return side.other.value
                case "<" | "lt":
                    return side.other.value - 1
                case "=" | "eq" if side.other.value == 1:
                    return 1
    return None
