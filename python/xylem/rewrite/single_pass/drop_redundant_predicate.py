"""Drop a condition that always holds, so that no item waits for the compared value (§4.4).

    for $i in S where K($i) <= max(S ! K(.)) return R      →     for $i in S where exists(K($i)) return R
    for $i in S where exists(S) return R                   →     for $i in S return R

Gain:   the largest value is known only after all of them have passed, and then the items are gone.
Needs:  the same sequence in both places. The values are integers, decimals or strings: an xs:double may be NaN, and
        untyped values are compared as doubles; then no item would pass.
Safe:   a value is never larger than the largest, and the item of a loop belongs to its sequence. Items without a value
        do not pass the condition, hence exists(); a value that cannot be computed is an error as before.
"""

from __future__ import annotations

from dataclasses import replace

from xylem.analysis.ast_replacement import replaced
from xylem.analysis.facts.comparisons import compared_with_number, sides
from xylem.analysis.facts.conjuncts import conjunction, conjuncts
from xylem.analysis.facts.value_class import Known, Values, classify
from xylem.functions.registry import FN
from xylem.syntax import ast

from ..query_rule import QueryFacts, QueryRule
from ..substitution import FocusInTheWay, Substitution
from .head_and_tail import presence_test

_ORDERED = (Values.INTEGER, Values.DECIMAL, Values.STRING)
_AT_MOST = {("<=", "max"), ("le", "max"), (">=", "min"), ("ge", "min")}


class DropRedundantPredicate(QueryRule):
    name = "drop_redundant_predicate"
    paper = "§4.4"
    told = "a condition that always holds is left out"

    def apply(self, body: ast.Expr, facts: QueryFacts) -> ast.Expr:
        return replaced(body, lambda node: _without(node, facts) if isinstance(node, ast.Flwor) else None, (ast.Flwor,))


def _without(flwor: ast.Flwor, facts: QueryFacts) -> ast.Expr | None:
    known: dict[tuple[str, str], Known] = dict(facts.variables)
    loops: list[ast.ForClause] = []
    clauses: list[ast.Clause] = []
    for clause in flwor.clauses:
        match clause:
            case ast.LetClause(name=name, value=value):
                known[name.expanded] = classify(value, known)
                loops = [loop for loop in loops if loop.name.expanded != name.expanded]
            case ast.ForClause(name=name, collection=collection):
                known[name.expanded] = Known(classify(collection, known).values, True, True)
                loops = [loop for loop in loops if loop.name.expanded != name.expanded]
                if not clause.allowing_empty:
                    loops.append(clause)
            case ast.WhereClause(test=test):
                parts = conjuncts(test)
                left = [made for part in parts if (made := _settled(part, loops, known)) is not None]
                if left != parts:
                    rest = conjunction(left)
                    clauses += [] if rest is None else [replace(clause, test=rest)]
                    continue
            case _:
                # Grouping rebinds variables.
                loops = []
        clauses.append(clause)
    if len(clauses) == len(flwor.clauses) and all(a is b for a, b in zip(clauses, flwor.clauses, strict=True)):
        return None
    return replace(flwor, clauses=tuple(clauses))


def _settled(test: ast.Expr, loops: list[ast.ForClause], known: dict[tuple[str, str], Known]) -> ast.Expr | None:
    """The rest of a condition; None if it always holds."""
    for loop in loops:
        if _asks_for_any(test, loop.collection):
            return None
        for value, sign, (function, values) in _extremes(test):
            if (sign, function) not in _AT_MOST or not _is_of_item(value, values, loop):
                continue
            found = classify(value, known)
            if found.values not in _ORDERED:
                continue
            if isinstance(value, ast.VarRef) and found.is_one:
                return None
            return ast.FunctionCall(ast.Name("exists", "fn", FN), (value,), span=test.span)
    return test


def _asks_for_any(test: ast.Expr, collection: ast.Expr) -> bool:
    """exists(S), not(empty(S)), count(S) > 0."""
    stand_in = ast.VarRef(ast.Name("the sequence of the loop", None, ""))
    if not isinstance(collection, (ast.VarRef, ast.Path, ast.AxisStep)) or compared_with_number(collection):
        return False
    asked = replaced(test, lambda node: stand_in if node == collection else None)
    return presence_test(asked, stand_in.name.expanded, of_nodes=False) is True


def _extremes(test: ast.Expr) -> list[tuple[ast.Expr, str, tuple[str, ast.Expr]]]:
    """K <= max(E), either way round."""
    if not isinstance(test, (ast.GeneralComparison, ast.ValueComparison)):
        return []
    found: list[tuple[ast.Expr, str, tuple[str, ast.Expr]]] = []
    for value, sign, other in sides(test):
        match other:
            case ast.FunctionCall(name=ast.Name(local="max" | "min" as local, uri=uri), arguments=(values,)):
                if uri == FN:
                    found.append((value, sign, (local, values)))
    return found


def _is_of_item(value: ast.Expr, values: ast.Expr, loop: ast.ForClause) -> bool:
    """Whether a value of a loop's item is among some values: those of all items of its sequence."""
    item = ast.VarRef(loop.name)
    if not isinstance(loop.collection, (ast.VarRef, ast.Path, ast.AxisStep, ast.SimpleMap)):
        return False
    match values:
        case ast.SimpleMap(left=left, right=right) | ast.Path(left=left, right=right) if left == loop.collection:
            try:
                own = Substitution({}, item).apply(right)
            except FocusInTheWay:
                return False
            return value == own or (isinstance(values, ast.Path) and value == ast.Path(item, right))
        case ast.Flwor(clauses=(ast.ForClause(name=name, collection=collection),), result=result):
            return collection == loop.collection and value == Substitution({name.expanded: item}).apply(result)
    return values == loop.collection and value == item
