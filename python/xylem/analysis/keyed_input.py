"""Windows for each value of a key (windows paper, 5.1), in the two forms used in queries.

    for $u in distinct-values($log/user)            for $e in $log
    forseq $w in $log[user eq $u] …                 group by $u := $e/user
                                                    for tumbling window $w in $e …

Over an infinite sequence both mean: windows for each user, all at the same time.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from xylem.analysis.bound_names import read_variables
from xylem.functions.registry import FN
from xylem.syntax import ast

from .event_order_call import NAME as EVENT_ORDER
from .focus import uses_last, uses_position
from .input_functions import COLLECTION, STREAMS


@dataclass(frozen=True)
class KeyedInput:
    """Some clauses as one window clause over a sequence, with a key of its items."""

    collection: ast.Expr
    """The sequence."""
    name: ast.Name
    """The variable that holds the key."""
    key: ast.Expr
    """The key of one item, as the context item or in terms of `item`."""
    item: ast.Name | None
    """The variable that holds one item in `key`; None if that is the context item."""
    keeps_empty: bool
    """Whether items without a key have windows, too: `group by` groups them, `distinct-values` drops them."""
    length: int
    """Number of these clauses, including the window clause."""
    number: ast.Name | None = None
    """The variable for the number of the key, in order of first appearance."""
    may_have_several: bool = False
    """Whether an item may have several keys, and is in the windows of each: with `=` as comparison."""


def keyed_at(clauses: Sequence[ast.Clause], index: int, result: ast.Expr) -> KeyedInput | None:
    """The clauses from here on as one over keyed items; None if they are not. `result` follows `return`."""
    if index + 1 >= len(clauses):
        return None
    outer, following = clauses[index], clauses[index + 1]
    if not isinstance(outer, ast.ForClause) or outer.allowing_empty:
        return None
    if outer.type is not None:
        return None
    return _by_values(outer, following) or _by_groups(outer, clauses[index + 1 :], result)


def numbered_keys(clauses: Sequence[ast.Clause], index: int) -> KeyedInput | None:
    """The same if the keys are numbered: these windows are formed in one pass, whatever follows."""
    keyed = keyed_at(clauses, index, ast.SequenceExpr())
    return keyed if keyed is not None and keyed.number is not None else None


def keyed_over(clauses: Sequence[ast.Clause], keyed: KeyedInput, items: ast.Expr) -> tuple[ast.Clause, ...]:
    """The clauses of windows by key over other items."""
    first, *others, last = clauses
    assert isinstance(first, ast.ForClause)
    if keyed.item is not None:
        return (replace(first, collection=items), *others, last)
    assert isinstance(last, (ast.WindowClause, ast.ForseqClause))
    assert isinstance(first.collection, ast.FunctionCall)
    filtered = _filtered(last.collection)
    assert filtered is not None
    values = items
    for step in _steps(keyed.key):
        values = ast.Path(values, step, span=first.span)
    distinct = replace(first, collection=replace(first.collection, arguments=(values,)))
    return distinct, replace(last, collection=ast.Filter(items, filtered[1], span=last.span))


# --- for $u in distinct-values(S/key) forseq $w in S[key eq $u]


def _by_values(outer: ast.ForClause, inner: ast.Clause) -> KeyedInput | None:
    if not isinstance(inner, (ast.WindowClause, ast.ForseqClause)):
        return None
    match outer.collection:
        case ast.FunctionCall(name=ast.Name(uri=uri, local="distinct-values"), arguments=(values,)) if uri == FN:
            filtered = _filtered(inner.collection)
            if filtered is None:
                return None
            base, predicate = filtered
            key = _compared(predicate, outer.name)
            if key is None or not _is_same_everywhere(base) or outer.name.expanded in read_variables(base):
                return None
            if _steps(values) == [*_steps(base), *_steps(key)]:
                several = isinstance(predicate, ast.GeneralComparison)
                return KeyedInput(base, outer.name, key, None, False, 2, outer.position, several)
    return None


def _filtered(collection: ast.Expr) -> tuple[ast.Expr, ast.Expr] | None:
    """S and test of S[test]."""
    match collection:
        case ast.Filter(base=base, predicate=predicate):
            return base, predicate
        case ast.Path(right=ast.AxisStep(predicates=(*others, predicate)) as step):
            return replace(collection, right=replace(step, predicates=tuple(others))), predicate
    return None


def _is_same_everywhere(base: ast.Expr) -> bool:
    """A variable, a stream, or a path from the input: the same sequence wherever it is used."""
    match base:
        case ast.FunctionCall(name=name, arguments=arguments):
            if name.expanded == EVENT_ORDER.expanded:
                return _is_same_everywhere(arguments[0])
            return (name.expanded in STREAMS and len(arguments) == 1) or (name.expanded == COLLECTION and not arguments)
        case ast.VarRef() | ast.Root():
            return True
        case ast.Path(left=left, right=ast.AxisStep(predicates=predicates)):
            is_test = not any(uses_position(test) or uses_last(test) or _is_number(test) for test in predicates)
            return is_test and _is_same_everywhere(left)
    return False


def _is_number(test: ast.Expr) -> bool:
    """Whether a predicate may count: anything but a comparison may be a number."""
    return not isinstance(test, (ast.ValueComparison, ast.GeneralComparison, ast.And, ast.Or, ast.AxisStep))


def _compared(predicate: ast.Expr, variable: ast.Name) -> ast.Expr | None:
    """E of `E eq $u`, `E = $u` or their mirror images."""
    if not isinstance(predicate, (ast.ValueComparison, ast.GeneralComparison)) or predicate.op not in ("eq", "="):
        return None
    for one, other in ((predicate.left, predicate.right), (predicate.right, predicate.left)):
        if isinstance(other, ast.VarRef) and other.name.expanded == variable.expanded:
            return one
    return None


def _steps(path: ast.Expr) -> list[ast.Expr]:
    steps: list[ast.Expr] = []
    while isinstance(path, ast.Path):
        steps.append(path.right)
        path = path.left
    return [path, *reversed(steps)]


# --- for $e in S group by $u := key($e) for tumbling window $w in $e


def _by_groups(outer: ast.ForClause, following: Sequence[ast.Clause], result: ast.Expr) -> KeyedInput | None:
    values: dict[tuple[str, str], ast.Expr] = {}
    if outer.position is not None:
        return None
    for place, clause in enumerate(following):
        if isinstance(clause, ast.LetClause) and clause.type is None:
            values[clause.name.expanded] = clause.value
            continue
        if not isinstance(clause, ast.GroupByClause) or place + 1 == len(following):
            return None
        key = _grouping_key(clause, values)
        counted = following[place + 1]
        number = counted.name if isinstance(counted, ast.CountClause) else None
        at = place + 1 + (number is not None)
        if key is None or at >= len(following) or not _takes_group(following[at], outer.name):
            return None
        gone = {outer.name.expanded, *values} - {clause.specs[0].name.expanded}
        later = (*_inside(following[at]), *following[at + 1 :], result)
        if any(gone & read_variables(node) for node in later):
            return None
        return KeyedInput(outer.collection, clause.specs[0].name, key, outer.name, True, at + 2, number)
    return None


def _grouping_key(group: ast.GroupByClause, values: dict[tuple[str, str], ast.Expr]) -> ast.Expr | None:
    """The only key of a group, in terms of the item."""
    if len(group.specs) != 1 or group.specs[0].type is not None or group.specs[0].collation is not None:
        return None
    spec = group.specs[0]
    key = values.get(spec.name.expanded) if spec.value is None else spec.value
    if key is None or read_variables(key) & values.keys():
        return None
    return key


def _takes_group(clause: ast.Clause, item: ast.Name) -> bool:
    if not isinstance(clause, (ast.WindowClause, ast.ForseqClause)):
        return False
    return isinstance(clause.collection, ast.VarRef) and clause.collection.name.expanded == item.expanded


def _inside(clause: ast.Clause) -> list[ast.Node]:
    """The conditions of a window clause, without its input."""
    assert isinstance(clause, (ast.WindowClause, ast.ForseqClause))
    return [child for child in clause.children() if child is not clause.collection]
