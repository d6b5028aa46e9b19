"""FLWOR expressions over infinite sequences."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from xylem.analysis.facts.best_match_loops import join_of, joins_each
from xylem.analysis.keyed_input import KeyedInput, keyed_at
from xylem.functions.registry import FN
from xylem.syntax import ast

from .infinite import Infinite, excerpt
from .readers import variable_readers

if TYPE_CHECKING:
    from .check import Boundedness

Bindings = Mapping[tuple[str, str], Infinite | None]
_BEST_OF_WINDOWS = (
    "ask for the partners of each item as it comes: for $r in stream(…) for $s in doc(…)/… where $r left outer"
    " bestmatch join $s …; or join within windows: forseq $w in … return for $r in $w/r for $s in $w/s where …"
)
_IN_WINDOWS = "order or group within windows: forseq $w in … return for $x in $w order by …"


def flwor(of: Boundedness, node: ast.Flwor, bound: Bindings) -> Infinite | None:
    """Why the result may be infinite: there are as many tuples as items of the loops; only waiting for all of them
    blocks.
    """
    names = dict(bound)
    tuples: Infinite | None = None
    # The loops that may never end, by the identity of their clauses.
    loops: dict[int, Infinite] = {}
    depth = of.depth
    keyed_until = 0
    try:
        for index, clause in enumerate(node.clauses):
            if index < keyed_until:
                continue
            following = (*node.clauses[index + 1 :], node.result)
            keyed = _keyed(of, node, index, names)
            if keyed is not None:
                names[keyed.name.expanded] = None
                if keyed.item is not None:
                    names[keyed.item.expanded] = of.of(keyed.collection, names)
                keyed_until = index + keyed.length - 1
                continue
            if isinstance(clause, ast.BestMatchClause):
                _best_match(of, node.clauses, index, names, loops)
                continue
            is_joined = _is_swept(node.clauses, index, loops)
            tuples = _clause(of, clause, names, tuples, following, loops, is_joined=is_joined)
        result = of.of(node.result, names)
    finally:
        of.depth = depth
    return tuples or result


def _keyed(of: Boundedness, node: ast.Flwor, index: int, names: Bindings) -> KeyedInput | None:
    """A loop over keys around the windows of each: a single loop over the items, which does not wait for their end."""
    found = keyed_at(node.clauses, index, node.result)
    if found is None or of.depth or of.of(found.collection, names) is None:
        return None
    windows = node.clauses[index + found.length - 1]
    of.note(windows, "windows of all keys at the same time, as they end: XYDY0010 for more keys than held-items")
    return found


def _clause(
    of: Boundedness,
    clause: ast.Clause,
    names: dict[tuple[str, str], Infinite | None],
    tuples: Infinite | None,
    following: tuple[ast.Node, ...],
    loops: dict[int, Infinite],
    *,
    is_joined: bool,
) -> Infinite | None:
    match clause:
        case ast.ForClause(name=name, collection=collection, position=position):
            found = _loop(of, clause, collection, names, is_joined=is_joined)
            if found is not None:
                loops[id(clause)] = found
            tuples = tuples or found
            names[name.expanded] = None
            if position is not None:
                names[position.expanded] = None
        case ast.LetClause(name=name, value=value):
            of.targets.append(str(name))
            found = of.of(value, names)
            of.targets.pop()
            _declared(of, clause, found)
            names[name.expanded] = found
            if found is None:
                return tuples
            of.let_readers[id(clause)] = count = variable_readers(name.expanded, following)
            if count is None or count > 1:
                often = "any number of times" if count is None else f"{count} times"
                of.note(clause, f"${name} is read {often}: items are kept until all readers have passed them")
        case ast.WindowClause() | ast.ForseqClause():
            tuples = _window(of, clause, names, tuples)
        case ast.OrderByClause() | ast.GroupByClause():
            what = "order by" if isinstance(clause, ast.OrderByClause) else "group by"
            if tuples is not None:
                of.refuse(clause, what, tuples, _IN_WINDOWS)
            for spec in clause.specs:
                for child in spec.children():
                    if isinstance(child, ast.Expr):
                        of.finite(child, names, what)
        case ast.WhereClause(test=test):
            of.of(test, names)
        case ast.CountClause(name=name):
            names[name.expanded] = None
        case _:
            planned: object = getattr(clause, "collection", None)
            if isinstance(planned, ast.Expr):
                # A planned window clause.
                found = _loop(of, clause, planned, names)
                return tuples or found
            for child in clause.children():
                if isinstance(child, ast.Expr):
                    of.finite(child, names, excerpt(clause))
    return tuples


def _is_swept(clauses: tuple[ast.Clause, ...], index: int, loops: Mapping[int, Infinite]) -> bool:
    """Whether a loop is joined by best matches with an endless outer one."""
    return any(id(clauses[place]) in loops and join_of(clauses, place) is not None for place in range(index))


def _best_match(
    of: Boundedness, clauses: tuple[ast.Clause, ...], index: int, names: Bindings, loops: Mapping[int, Infinite]
) -> None:
    """A join waits for all competing pairs: for the items of endless loops, unless each has its own best partners."""
    clause = clauses[index]
    assert isinstance(clause, ast.BestMatchClause)
    first = next((place for place in range(index) if join_of(clauses, place) is clause), index)
    inside = [place for place in range(first, index) if id(clauses[place]) in loops]
    if (inside and inside != [first]) or not joins_each(clauses, first):
        for place in inside:
            # Windows of both sides may bound the state; planning the join finds out.
            if clause.kind == "inner" or inside[0] != first:
                of.refuse(clause, "bestmatch join", loops[id(clauses[place])], _BEST_OF_WINDOWS)
    for order in clause.orders:
        for child in order.children():
            if isinstance(child, ast.Expr):
                of.finite(child, names, "bestmatch join")


def _declared(of: Boundedness, clause: ast.LetClause, found: Infinite | None) -> None:
    if found is not None and clause.type is not None and clause.type.occurrence != "**":
        hint = f"declare it as possibly infinite: ${clause.name} as item()**"
        of.refuse(clause, f"${clause.name}", found, hint)


def _loop(
    of: Boundedness,
    clause: ast.Clause,
    collection: ast.Expr,
    names: Bindings,
    *,
    is_joined: bool = False,
) -> Infinite | None:
    """Why a loop may never end; `is_joined` with an outer one, so both are read side by side."""
    inner = isinstance(collection, ast.DataWindow)
    found = of.of(collection.base if isinstance(collection, ast.DataWindow) else collection, names)
    if found is not None and of.depth and not inner and not is_joined:
        of.note(clause, "this loop never ends: the loops around it do not get beyond their first item")
    of.depth += 1
    return found


def _may_stay_open(clause: ast.WindowClause | ast.ForseqClause) -> bool:
    """Whether windows certainly pile up: every start of a landmark window remains one; or no end ever holds."""
    if isinstance(clause, ast.WindowClause):
        end = None if clause.end is None else clause.end.when
    else:
        assert clause.window is not None
        if clause.window.kind == "landmark" and not _starts_once(clause.window.start):
            return True
        end = clause.window.end.when
    return isinstance(end, ast.FunctionCall) and end.name.expanded == (FN, "false") and not end.arguments


def _starts_once(start: ast.ForseqCondition) -> bool:
    """For example `start position $p when $p eq 1`."""
    match start.when:
        case ast.ValueComparison(op="eq", left=ast.VarRef(), right=ast.IntegerLiteral()):
            return True
        case ast.GeneralComparison(op="=", left=ast.VarRef(), right=ast.IntegerLiteral()):
            return True
    return False


def _window(
    of: Boundedness,
    clause: ast.WindowClause | ast.ForseqClause,
    names: dict[tuple[str, str], Infinite | None],
    tuples: Infinite | None,
) -> Infinite | None:
    found = _loop(of, clause, clause.collection, names)
    tuples = tuples or found
    if isinstance(clause, ast.ForseqClause) and clause.window is None and tuples is not None:
        of.note(clause, "every sub-sequence of an infinite sequence: all items are kept, XYDY0010 beyond held-items")
    elif tuples is not None and _may_stay_open(clause):
        of.note(clause, "windows that do not end keep their items: XYDY0010 for more than held-items")
    for node in clause.walk():
        if isinstance(node, (ast.WindowVariables, ast.ForseqVariable)):
            for name in node.children():
                if isinstance(name, ast.Name):
                    names[name.expanded] = None
    conditions: list[ast.Expr | None] = []
    if isinstance(clause, ast.WindowClause):
        conditions = [clause.start.when, clause.end.when if clause.end else None]
    elif clause.window is not None:
        conditions = [clause.window.start.when, clause.window.end.when]
    for condition in conditions:
        if condition is not None:
            of.of(condition, names)
    names[clause.name.expanded] = None
    return tuples
