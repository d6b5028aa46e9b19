"""Whether a `let` can be replaced by its value ([Elim-Let], thesis figure 3.11, extended)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from types import MappingProxyType

from xylem.analysis.bound_names import bound_names, read_variables
from xylem.analysis.facts.literals import LITERALS
from xylem.analysis.free_variables import free_in
from xylem.functions.registry import PREFIXES
from xylem.functions.traits import AGGREGATES
from xylem.syntax import ast
from xylem.syntax.ast.facts import kept_with_node

from .source import NAMED_SOURCES


def is_worth_inlining(clause: ast.LetClause, rest: Sequence[ast.Clause], result: ast.Expr) -> bool:
    """Whether to inline: paths, literals and aggregates of paths always; other values if they are read at most once."""
    if is_read_behind_grouping(clause.name, rest, result):
        return False
    if is_cheap(clause.value):
        return True
    reads = sum(times_read(clause.name, part) for part in (*rest, result))
    if not reads:
        return True
    if reads > 1 or _is_repeated(clause.name, rest, result):
        # It is computed once and has one identity, which must not change.
        return False
    return not any(isinstance(node, ast.ExtensionNode) and not _is_window(node) for node in clause.value.walk())


def is_read_behind_grouping(name: ast.Name, rest: Sequence[ast.Clause], result: ast.Expr) -> bool:
    """Whether a variable is read after a `group by`: there it has the values of all tuples of a group."""
    grouped = next((index for index, clause in enumerate(rest) if isinstance(clause, ast.GroupByClause)), None)
    return grouped is not None and _reads(name, (*rest[grouped:], result))


def _is_window(node: ast.Node) -> bool:
    return isinstance(node, (ast.ForseqClause, ast.DataWindow))


def is_cheap(value: ast.Expr) -> bool:
    """Whether a value is free to recompute: a path, a literal, a document, an aggregate of a path."""
    match value:
        case ast.VarRef() | ast.ContextItem() | ast.Root():
            return True
        case ast.Path(left=left, right=right):
            return is_cheap(left) and isinstance(right, ast.AxisStep)
        case ast.AxisStep():
            return True
        case ast.FunctionCall(name=name, arguments=(argument,)):
            if name.expanded in NAMED_SOURCES:
                return isinstance(argument, ast.StringLiteral)
            return (name.expanded in AGGREGATES or name.uri == PREFIXES["udf"]) and is_cheap(argument)
    return isinstance(value, LITERALS)


def _reads(name: ast.Name, parts: Iterable[ast.Node]) -> bool:
    return any(name.expanded in read_variables(part) for part in parts)


def times_read(name: ast.Name, part: ast.Node) -> int:
    """How often a part of a query reads a variable of this name."""
    if name.expanded not in read_variables(part):
        return 0
    if isinstance(part, ast.VarRef):
        return 1
    return sum(times_read(name, child) for child in part.children())


def _is_repeated(name: ast.Name, rest: Sequence[ast.Clause], result: ast.Expr) -> bool:
    """Whether it is read where an expression may be evaluated several times for one tuple of the `let`."""
    repeats = False
    for clause in rest:
        if isinstance(clause, (ast.ForClause, ast.LetClause)):
            value = clause.collection if isinstance(clause, ast.ForClause) else clause.value
            if repeats and _reads(name, [clause]):
                return True
            if _is_repeated_in(name, value):
                return True
            repeats = repeats or isinstance(clause, ast.ForClause)
        elif isinstance(clause, ast.WhereClause):
            if (repeats and _reads(name, [clause])) or _is_repeated_in(name, clause.test):
                return True
        elif _reads(name, [clause]):
            return True
    return (repeats and _reads(name, [result])) or _is_repeated_in(name, result)


def _is_repeated_in(name: ast.Name, expr: ast.Node) -> bool:
    for node in expr.walk():
        match node:
            case ast.Flwor(clauses=clauses, result=inner):
                if _is_repeated(name, clauses, inner):
                    return True
            case ast.Path(right=part) | ast.SimpleMap(right=part) | ast.Filter(predicate=part):
                if _reads(name, [part]):
                    return True
            case ast.AxisStep(predicates=parts) if _reads(name, parts):
                return True
            case ast.Quantified() | ast.InlineFunction() if _reads(name, [node]):
                return True
    return False


@kept_with_node
def times_bound(body: ast.Node) -> Mapping[tuple[str, str], int]:
    """How many bindings each name of a body may stand for: those in it, and one around it where it reads that."""
    times = Counter(name.expanded for node in body.walk() for name in bound_names(node))
    times.update(free_in(body))
    return MappingProxyType(times)


@kept_with_node
def bound_once(body: ast.Node) -> Mapping[tuple[str, str], ast.Expr]:
    """The values of variables that exactly one `let` binds."""
    times = times_bound(body)
    lets = (node for node in body.walk() if isinstance(node, ast.LetClause))
    return MappingProxyType({let.name.expanded: let.value for let in lets if times[let.name.expanded] == 1})
