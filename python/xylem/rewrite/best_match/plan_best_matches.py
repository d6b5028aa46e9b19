"""Plan the best-match joins of a FLWOR expression.

        for $r in R  for $s in S  where C($r, $s)               join of
        let $d := D($r) where W($s)                      →        for $r in R let $d := D($r)
        where $r … bestmatch join $s on …                         for $s in S where W($s)
                                                                  with C($r, $s), on …

Gain:   each side is evaluated once, and the values that orders compare become columns, so that the join finds pairs
        without trying all of them.
Needs:  the second loop does not depend on the first one, there is no other loop between them, and no name is bound
        twice.
Safe:   a tuple of the join has the same variables, in the order of the loops. Conditions may be tested in another
        order, as XQuery 3.1 §2.3.4 allows; S is evaluated once for a join, and not once for each $r.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from xylem.analysis.bound_names import bound_names
from xylem.analysis.facts.conjuncts import conjuncts
from xylem.analysis.free_variables import free_in
from xylem.plan.best_match_plan import (
    BestMatchCriterion,
    BestMatchPlan,
    BestMatchSide,
    BestMatchTest,
    BestMatchTuples,
)
from xylem.syntax import ast

from ..substitution import Substitution
from .join_clauses import BUILT_IN, JoinClauses, join_clauses
from .terms import DISTANCE, Terms

_COMPARED = {"=": "eq", "<": "lt", "<=": "le", ">": "gt", ">=": "ge"}


def plan_best_matches(node: ast.Flwor) -> ast.Flwor:
    """The expression with its joins planned; the very same object if there are none."""
    if not any(isinstance(clause, ast.BestMatchClause) for clause in node.clauses):
        return node
    return replace(node, clauses=tuple(planned_clauses(node.clauses)))


def planned_clauses(clauses: Sequence[ast.Clause]) -> list[ast.Clause]:
    """Clauses with a plan in place of those that belong to a join."""
    joins = [index for index, clause in enumerate(clauses) if isinstance(clause, ast.BestMatchClause)]
    if not joins:
        return list(clauses)
    # The last join first: the loops it shares with earlier joins become part of its tuples.
    index = joins[-1]
    found = join_clauses(clauses, index)
    before = {place: join_clauses(clauses, place).start for place in joins[:-1]}
    start = found.start
    while reaching := [begin for place, begin in before.items() if begin < start < place]:
        start = min(reaching)
    if any(place > start for place in before):
        made: list[ast.Clause] = [_tuples(found, clauses[start : found.start])]
    else:
        made = _planned(found)
    return [*planned_clauses(clauses[:start]), *made, *clauses[index + 1 :]]


def _planned(join: JoinClauses) -> list[ast.Clause]:
    loops = [clause for clause in join.clauses if isinstance(clause, ast.ForClause)]
    names = [name.expanded for clause in join.clauses for name in bound_names(clause)]
    of_first = join.of_left if join.first is join.left else join.of_right
    depends = free_in(join.second.collection) & of_first
    if len(loops) > 2 or depends or len(set(names)) < len(names):
        return [_tuples(join)]
    return _split(join)


def _tuples(join: JoinClauses, around: Sequence[ast.Clause] = ()) -> BestMatchTuples:
    """A join over collected tuples; `around` are clauses before its loops that an earlier join shares with it."""
    padding = next((loop for loop in (join.left, join.right) if loop.allowing_empty), None)
    if padding is not None:
        from xylem.errors import StaticError

        raise StaticError(
            "XYST0015",
            "`allowing empty` needs loops that do not depend on each other",
            span=padding.span,
            hint="write both loops over independent sequences, with no other loop between them",
        )
    criteria = tuple(_criterion(order, join, {}, None) for order in join.clause.orders)
    loops = sum(isinstance(clause, ast.ForClause) for clause in around)
    inside = tuple(planned_clauses((*around, *join.clauses)))
    return BestMatchTuples(join.clause, inside, criteria, loops, span=join.clause.span)


def _split(join: JoinClauses) -> list[ast.Clause]:
    before: list[ast.Clause] = []
    own: dict[int, list[ast.Clause]] = {id(join.left): [], id(join.right): []}
    lets: list[ast.LetClause] = []
    tests: list[ast.Expr] = []
    for clause in join.clauses:
        match clause:
            case ast.LetClause(value=value):
                _place_let(clause, value, join, before, own, lets)
            case ast.WhereClause(test=test):
                for condition in conjuncts(test):
                    _place_test(condition, join, own, tests)
    put_in = _inlined([clause for clause in join.clauses if isinstance(clause, ast.LetClause)], join)
    terms = Terms(join)
    criteria = tuple(_criterion(order, join, put_in, terms) for order in join.clause.orders)
    planned = tuple(_test(test, Substitution(put_in).apply(test), terms) for test in tests)
    kind = join.clause.kind
    plan = BestMatchPlan(
        join.clause,
        BestMatchSide(join.left, tuple(own[id(join.left)]), tuple(terms.left), span=join.left.span),
        BestMatchSide(join.right, tuple(own[id(join.right)]), tuple(terms.right), span=join.right.span),
        join.first is join.left,
        criteria,
        planned,
        tuple(terms.constants),
        tuple(lets),
        join.right.allowing_empty and kind in ("left", "full"),
        join.left.allowing_empty and kind in ("right", "full"),
        span=join.clause.span,
    )
    return [*before, plan]


def _place_let(
    clause: ast.LetClause,
    value: ast.Expr,
    join: JoinClauses,
    before: list[ast.Clause],
    own: dict[int, list[ast.Clause]],
    lets: list[ast.LetClause],
) -> None:
    match join.reads_left(value), join.reads_right(value):
        case False, False:
            before.append(clause)
        case True, False:
            own[id(join.left)].append(clause)
        case False, True:
            own[id(join.right)].append(clause)
        case _:
            lets.append(clause)


def _place_test(
    condition: ast.Expr, join: JoinClauses, own: dict[int, list[ast.Clause]], tests: list[ast.Expr]
) -> None:
    reads_left, reads_right = join.reads_left(condition), join.reads_right(condition)
    if reads_left and reads_right:
        tests.append(condition)
        return
    side = join.left if reads_left else join.right if reads_right else join.first
    own[id(side)].append(ast.WhereClause(condition, span=condition.span))


def _inlined(lets: Sequence[ast.LetClause], join: JoinClauses) -> dict[tuple[str, str], ast.Expr]:
    """The values that may replace variables in a term; a value with a declared type must be checked first."""
    put_in: dict[tuple[str, str], ast.Expr] = {}
    for let in lets:
        if let.type is None and (join.reads_left(let.value) or join.reads_right(let.value)):
            put_in[let.name.expanded] = Substitution(put_in).apply(let.value)
    return put_in


def _criterion(
    order: ast.BestMatchOrder, join: JoinClauses, put_in: dict[tuple[str, str], ast.Expr], terms: Terms | None
) -> BestMatchCriterion:
    if order.function is not None and order.function.local == "minAttrDist" and order.function.expanded in BUILT_IN:
        distance = ast.FunctionCall(ast.Name("distance", "xylem", DISTANCE[0]), order.operands, span=order.span)
        order = ast.BestMatchOrder((distance,), "min", None, order.limit, span=order.span)
    if order.function is None:
        value = order.operands[0]
        term = None if terms is None else terms.of(Substitution(put_in).apply(value))
        return BestMatchCriterion(order, value, term, span=order.span)
    left = right = None
    for place, operand in enumerate(order.operands):
        if join.reads_left(operand) or (place == 0 and not join.reads_right(operand)):
            left = operand
        else:
            right = operand
    return BestMatchCriterion(order, None, None, left, right, span=order.span)


def _test(test: ast.Expr, spelled: ast.Expr, terms: Terms) -> BestMatchTest:
    """A condition on pairs, with the compared terms if it is a comparison."""
    match spelled:
        case ast.GeneralComparison(op=op, left=left, right=right) if op in _COMPARED:
            op = _COMPARED[op]
        case ast.ValueComparison(op=op, left=left, right=right) if op in _COMPARED.values():
            pass
        case _:
            return BestMatchTest(test, span=test.span)
    one, other = terms.of(left), terms.of(right)
    if one is None or other is None:
        return BestMatchTest(test, span=test.span)
    return BestMatchTest(test, op, one, other, isinstance(spelled, ast.GeneralComparison), span=test.span)
