"""Joins of loops: the clauses of a FLWOR expression whose conditions an index answers.

        for $x in E … where A($x) = B return R       →      for join $x in E by A($x) = B … return R

See `find_joins.py` for Gain, Needs and Safe.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple, cast

from xylem.analysis.bound_names import bound_names, read_variables
from xylem.analysis.facts.conjuncts import conjunction, conjuncts
from xylem.analysis.facts.steadiness import is_the_same_each_time
from xylem.analysis.facts.truth_values import is_condition
from xylem.analysis.focus import reads_focus, reads_item
from xylem.analysis.free_variables import free_in
from xylem.analysis.keyed_input import numbered_keys
from xylem.syntax import ast
from xylem.syntax.ast.facts import contains

from ..substitution import FocusInTheWay, Substitution
from .candidates import (
    Wanted,
    conditions,
    is_any,
    is_equality,
    is_narrowing,
    is_test,
    is_told,
    joins_in,
)
from .condition import Condition
from .difference_bounds import BOUNDS, with_bounds
from .guards import guarded, may_fail, tests_before
from .later_ranges import over_ranges
from .shared_values import SharedValues
from .surroundings import Surroundings

_NO_RANGES: Mapping[tuple[str, str], ast.Expr] = {}


class _Clauses(NamedTuple):
    """The clauses of a FLWOR expression with the surroundings of its result."""

    clauses: list[ast.Clause]
    result: ast.Expr
    found: bool


class LoopJoins(SharedValues):
    """Finds joins of loops; expressions inside the clauses are visited in place."""

    def _flwor(self, clauses: Sequence[ast.Clause], result: ast.Expr, around: Surroundings) -> _Clauses:
        bounded = [
            replace(one, test=with_bounds(one.test)) if isinstance(one, ast.WhereClause) else one for one in clauses
        ]
        if bounded != list(clauses):
            before = len(self.facts.found), self.facts.number
            made = self._joined_clauses(bounded, result, around)
            if any(test.op in BOUNDS for join in self.facts.found[before[0] :] for test in tests_of(join)):
                return made
            del self.facts.found[before[0] :]
            self.facts.number = before[1]
        return self._joined_clauses(clauses, result, around)

    def _joined_clauses(self, clauses: Sequence[ast.Clause], result: ast.Expr, around: Surroundings) -> _Clauses:
        before = self.keeps_paths
        if any(isinstance(clause, ast.BestMatchClause) for clause in clauses):
            # Its comparisons and results are columns of its sides.
            self.keeps_paths = False
        try:
            return self._clause_by_clause(clauses, result, around)
        finally:
            self.keeps_paths = before

    def _clause_by_clause(self, clauses: Sequence[ast.Clause], result: ast.Expr, around: Surroundings) -> _Clauses:
        made: list[ast.Clause] = []
        found = False
        waiting = list(clauses)
        # Clauses before a best-match join restrict its candidates, loop by loop: it has its own index.
        is_best_match = any(isinstance(clause, ast.BestMatchClause) for clause in clauses)
        while waiting:
            keyed = numbered_keys(waiting, 0)
            if keyed is not None:
                # All keys have their windows in one pass: there is no lookup.
                made += waiting[: keyed.length]
                around = around.in_loop(*(name for one in waiting[: keyed.length] for name in _bound_in(one)))
                waiting = waiting[keyed.length :]
                continue
            clause = waiting.pop(0)
            if isinstance(clause, ast.ForClause):
                collection = self._items(clause.collection, around)
                clause = replace(clause, collection=collection)
                inside = around.in_loop(clause.name, clause.position, over=collection)
                inner = None if is_best_match else _spliced(clause)
                if inner is not None:
                    clause, waiting, found = inner[0], [*inner[1:], *waiting], True
                    clause, waiting = self._with_more(clause, waiting, around)
                    made.append(clause)
                    around = inside
                    continue
                joined = None if is_best_match else self._joined(clause, waiting, result, around)
                if joined is None and not is_best_match:
                    anchored = self._joined_at_anchor(clause, waiting, result, around)
                    if anchored is not None:
                        anchor, joined = anchored
                        made.append(self._searched(anchor, around))
                        around = around.with_anchor(anchor.name)
                        inside = around.in_loop(clause.name, clause.position, over=joined[0].collection)
                if joined is None and not is_best_match:
                    clause, waiting = self._joined_by_one_of(clause, waiting, around)
                    found = found or clause.collection is not collection
                if joined is not None:
                    join, waiting, result = joined
                    clause = self._visited(join, inside, around)
                    found = True
                around = inside
            elif isinstance(clause, ast.LetClause):
                value = self._items(clause.value, around)
                may_repeat = clause.type is None and is_the_same_each_time(value)
                clause = replace(clause, value=self._bound_once(value, around))
                around = around.with_let(clause.name, value, may_repeat)
            else:
                clause = self._other_clause(clause, around)
                around = self._inside_clause(clause, around)
                if isinstance(clause, ast.GroupByClause):
                    # After it, each variable of the tuples has the values of a group.
                    around = around.with_sequences(*(name for one in made for name in bound_names(one)))
            made.append(clause)
        return _Clauses(made, self.visit(result, around), found)

    def _other_clause(self, clause: ast.Clause, around: Surroundings) -> ast.Clause:
        inside = self._inside_clause(clause, around)
        if isinstance(clause, (ast.WindowClause, ast.ForseqClause, ast.JoinClause)):
            # Its items are found once, outside its turns.
            rest = self._rebuilt(replace(clause, collection=ast.SequenceExpr(())), inside)
            return cast("ast.Clause", replace(rest, collection=self._items(clause.collection, around)))
        return cast("ast.Clause", self._rebuilt(clause, inside))

    def _inside_clause(self, clause: ast.Clause, around: Surroundings) -> Surroundings:
        names = _bound_in(clause)
        if isinstance(clause, (ast.WindowClause, ast.ForseqClause, ast.GroupByClause)):
            # Each window, or group, is a turn of a loop.
            return replace(around.in_loop(*names), in_input=around.in_input - {name.expanded for name in names})
        return around.with_sequences(*names) if names else around

    def _joined(
        self, clause: ast.ForClause, rest: Sequence[ast.Clause], result: ast.Expr, around: Surroundings
    ) -> tuple[ast.JoinClause, list[ast.Clause], ast.Expr] | None:
        """A loop as a join, with the remaining clauses and the result.

        An equality is used wherever it stands, because other comparisons leave more items.
        """
        if clause.allowing_empty or isinstance(clause.collection, ast.DataWindow):
            return None
        for wanted in (is_equality, is_any):
            found = self._joined_by(wanted, clause, rest, result, around)
            if found is not None:
                return found
        return None

    def _joined_at_anchor(
        self, clause: ast.ForClause, rest: Sequence[ast.Clause], result: ast.Expr, around: Surroundings
    ) -> tuple[ast.LetClause, tuple[ast.JoinClause, list[ast.Clause], ast.Expr]] | None:
        """A join over a collection that starts at an anchor, which is bound before it."""
        found = self._at_anchor(clause.collection, around)
        if found is None:
            return None
        anchor, collection = found
        joined = self._joined(replace(clause, collection=collection), rest, result, around.with_anchor(anchor.name))
        return None if joined is None else (anchor, joined)

    def _joined_by(
        self,
        wanted: Wanted,
        clause: ast.ForClause,
        rest: Sequence[ast.Clause],
        result: ast.Expr,
        around: Surroundings,
    ) -> tuple[ast.JoinClause, list[ast.Clause], ast.Expr] | None:
        own = {clause.name.expanded} | ({clause.position.expanded} if clause.position else set())
        later: set[tuple[str, str]] = set()
        ranges: dict[tuple[str, str], ast.Expr] = {}
        values = Substitution({})
        for index, following in enumerate(rest):
            match following:
                case ast.WhereClause(test=written):
                    test = _told(written, values)
                    guards = _tests_in(rest[:index])
                    found = self._indexed(wanted, clause, test, own | later, values, around, guards, ranges)
                    if found is not None:
                        join, left = found
                        where = [] if left is None else [replace(following, test=left)]
                        return *self._with_more(join, [*rest[:index], *where, *rest[index + 1 :]], around), result
                case ast.LetClause(name=name, type=None, value=value) if is_the_same_each_time(value):
                    values = Substitution({**values.without(name).variables, name.expanded: values.apply(value)})
                    later.add(name.expanded)
                case ast.ForClause() | ast.LetClause():
                    names = bound_names(following)
                    values = values.without(*names)
                    if isinstance(following, ast.ForClause):
                        ranges[following.name.expanded] = following.collection
                    later.update(name.expanded for name in names)
                case _:
                    return None
        if isinstance(result, ast.If) and result.otherwise == ast.SequenceExpr():
            found = self._indexed(wanted, clause, result.test, own | later, values, around, _tests_in(rest))
            if found is not None:
                join, left = found
                where = [] if left is None else [ast.WhereClause(left, span=result.test.span)]
                return *self._with_more(join, [*rest, *where], around), result.then
        return None

    def _joined_by_one_of(
        self, clause: ast.ForClause, rest: list[ast.Clause], around: Surroundings
    ) -> tuple[ast.ForClause, list[ast.Clause]]:
        """for $x in E where A = B or C = D: the union of two lookups."""
        if clause.position is not None or clause.type is not None or clause.allowing_empty:
            return clause, rest
        values = Substitution({})
        for index, following in enumerate(rest):
            match following:
                case ast.LetClause(name=name, type=None, value=value) if is_the_same_each_time(value):
                    values = Substitution({**values.without(name).variables, name.expanded: values.apply(value)})
                case ast.WhereClause(test=written):
                    tests = conjuncts(_told(written, values))
                    for test in tests:
                        found = None
                        if not read_variables(test) & values.variables.keys():
                            found = self._one_of(clause, test, around)
                        if found is not None:
                            left = conjunction([one for one in tests if one is not test])
                            wheres = [] if left is None else [replace(following, test=left)]
                            return replace(clause, collection=found), [*rest[:index], *wheres, *rest[index + 1 :]]
                case _:
                    break
        return clause, rest

    def _one_of(self, loop: ast.ForClause, test: ast.Expr, around: Surroundings) -> ast.Expr | None:
        """The items of a loop over a path that pass one of several tests, each by a lookup."""
        if not isinstance(test, ast.Or) or not _is_path(loop.collection):
            return None
        before = len(self.facts.found)
        inside = around.in_loop(loop.name, over=loop.collection)
        item = ast.VarRef(loop.name, span=loop.span)
        union: ast.Expr | None = None
        for one in _disjuncts(test):
            wheres: list[ast.Clause] = [ast.WhereClause(one, span=one.span)]
            joined = self._joined(loop, wheres, item, around)
            part: ast.Expr | None = None
            if joined is None:
                # What passes a test that is the same at each turn is found once: of a stream, by the leaf.
                same = ast.Flwor((loop, *wheres), item, span=one.span)
                if self._repeated(same, around) is not None:
                    part = self._chosen(same, around) if self.facts.shares_values else same
            elif is_narrowing(joined[0].tests[0]):
                join, wheres, _ = joined
                rest = [self._rebuilt(where, inside) for where in wheres]
                part = ast.Flwor((self._visited(join, inside, around), *rest), item, span=one.span)
            if part is None:
                del self.facts.found[before:]
                return None
            union = part if union is None else ast.SetOperation("union", union, part, span=test.span)
        return union if any(isinstance(one, ast.JoinClause) for one in self.facts.found[before:]) else None

    def _filtered_by_one_of(
        self, base: ast.Expr, predicates: tuple[ast.Expr, ...], whole: ast.Expr, around: Surroundings
    ) -> ast.Expr | None:
        """E[A = B or C = D]."""
        if not all(map(is_test, predicates)):
            return None
        for index, predicate in enumerate(predicates):
            if not isinstance(predicate, ast.Or) or reads_root(predicate):
                continue
            others = (*predicates[:index], *predicates[index + 1 :])
            visited = tuple(self._predicate(one, base, around) for one in others)
            items = around.settled(with_predicates(base, visited, whole))
            name = self.facts.fresh()
            try:
                test = Substitution({}, ast.VarRef(name, span=whole.span)).apply(predicate)
            except FocusInTheWay:
                continue
            found = self._one_of(ast.ForClause(name, None, items, span=whole.span), test, around)
            if found is not None:
                return found
        return None

    def _with_more(
        self, join: ast.JoinClause, rest: list[ast.Clause], around: Surroundings
    ) -> tuple[ast.JoinClause, list[ast.Clause]]:
        """A join extended by the equalities and comparisons after it, and the remaining clauses."""
        if not is_narrowing(join.tests[0]) or join.place is not None:
            return join, rest
        own = {name.expanded for name in (join.name, join.position) if name is not None}
        loop = ast.ForClause(join.name, join.type, join.collection, join.position, span=join.span)
        for index, following in enumerate(rest):
            if not isinstance(following, ast.WhereClause):
                break
            for place, test in enumerate(conjuncts(following.test)):
                guards = [*_tests_in(rest[:index]), *conjuncts(following.test)[:place]]
                found = self._indexed(is_told, loop, test, own, Substitution({}), around, guards)
                if found is not None and joins_in(found[0].tests[0], join.tests):
                    join = replace(join, tests=(*join.tests, *found[0].tests))
                    left = conjunction([one for one in conjuncts(following.test) if one is not test])
                    where = [] if left is None else [replace(following, test=left)]
                    return self._with_more(join, [*rest[:index], *where, *rest[index + 1 :]], around)
        return join, rest

    def _visited(self, join: ast.JoinClause, inside: Surroundings, around: Surroundings) -> ast.JoinClause:
        tests = tuple(
            replace(test, key=self.visit(test.key, inside), probe=self.visit(test.probe, around)) for test in join.tests
        )
        return replace(join, tests=tests)

    def _indexed(
        self,
        wanted: Wanted,
        clause: ast.ForClause,
        test: ast.Expr,
        hidden: set[tuple[str, str]],
        values: Substitution,
        around: Surroundings,
        guards: Sequence[ast.Expr],
        ranges: Mapping[tuple[str, str], ast.Expr] = _NO_RANGES,
    ) -> tuple[ast.JoinClause, ast.Expr | None] | None:
        """The join that a loop and a condition form, and the rest of the condition.

        `hidden` are variables bound by the loop and after it; `values` replace some of them, and `ranges` are the
        sequences of others, in loops after it. `guards` are tested before the condition.
        """
        collection = around.settled(clause.collection)
        inside = around.in_loop(clause.name, clause.position, over=collection)
        own = {name.expanded for name in (clause.name, clause.position) if name is not None}
        for written in filter(wanted, conditions(test)):
            condition = written._replace(own=values.apply(written.own), other=values.apply(written.other))
            condition = over_ranges(condition, own, ranges, hidden)
            key = condition.own
            reads = read_variables(key)
            if not reads & own or reads & (hidden - own):
                continue
            if read_variables(condition.other) & hidden or reads_focus(key):
                continue
            depth = max(around.depth_of(collection), depth_without(inside, around.settled(key), *own))
            if not self._pays(depth, condition, collection, around):
                continue
            if may_fail(condition):
                earlier = [values.apply(one) for one in (*guards, *tests_before(condition, conjuncts(test)))]
                of_item, of_others = [], []
                for guard in earlier:
                    read = read_variables(guard) & hidden
                    if not read:
                        of_others.append(guard)
                    elif read == {clause.name.expanded} and not reads_focus(guard):
                        guard = around.settled(guard)
                        if depth_without(inside, guard, *own) <= depth:
                            of_item.append(guard)
                key = guarded(key, of_item)
                condition = condition._replace(other=guarded(condition.other, of_others))
            join = self._join(clause, collection, around.settled(key), condition, around)
            return join, conjunction(
                [one for one in conjuncts(test) if condition.is_implied or one is not condition.whole]
            )
        return None

    def _pays(self, depth: int, condition: Condition, collection: ast.Expr, around: Surroundings) -> bool:
        if depth >= around.depth or around.depth_of(around.settled(condition.other)) <= depth:
            # No loop repeats it, or each turn looks up the same.
            return False
        return is_the_same_each_time(collection)

    def _join(
        self,
        clause: ast.ForClause,
        collection: ast.Expr,
        key: ast.Expr,
        condition: Condition,
        around: Surroundings,
    ) -> ast.JoinClause:
        made = ast.JoinClause(
            clause.name,
            clause.type,
            collection,
            clause.position,
            (ast.JoinTest(key, condition.op, condition.other, condition.negated, span=condition.whole.span),),
            is_of_input=around.focus.is_in_input,
            anchor=_anchor(collection, around),
            span=clause.span,
        )
        self.facts.found.append(made)
        return made

    # --- predicates


def tests_of(found: ast.JoinClause | ast.Shared) -> tuple[ast.JoinTest, ...]:
    return found.tests if isinstance(found, ast.JoinClause) else ()


def _anchor(collection: ast.Expr, around: Surroundings) -> ast.Name | None:
    """The variable in a collection that holds the same node at many turns."""
    names = (node.name for node in collection.walk() if isinstance(node, ast.VarRef))
    return next((name for name in names if name.expanded in around.anchors), None)


def _told(test: ast.Expr, values: Substitution) -> ast.Expr:
    """let $is := A = B where $is: the condition itself."""
    known = [values.apply(one) if isinstance(one, ast.VarRef) else one for one in conjuncts(test)]
    if not any(one is not written and is_condition(one) for one, written in zip(known, conjuncts(test), strict=True)):
        return test
    return conjunction(known) or test


def _tests_in(clauses: Sequence[ast.Clause]) -> list[ast.Expr]:
    return [test for clause in clauses if isinstance(clause, ast.WhereClause) for test in conjuncts(clause.test)]


def _disjuncts(test: ast.Expr) -> list[ast.Expr]:
    return [*_disjuncts(test.left), *_disjuncts(test.right)] if isinstance(test, ast.Or) else [test]


def _is_path(expr: ast.Expr) -> bool:
    """Whether an expression returns nodes in document order, each once."""
    return isinstance(expr.right if isinstance(expr, ast.Path) else expr, ast.AxisStep)


def _bound_in(clause: ast.Clause) -> list[ast.Name]:
    return [name for node in clause.walk() for name in bound_names(node)]


def _spliced(clause: ast.ForClause) -> tuple[ast.JoinClause, *tuple[ast.Clause, ...]] | None:
    """for $o in (for join $x in E … return $x) as the clauses of the join for $o."""
    match clause:
        case ast.ForClause(
            type=None,
            position=None,
            allowing_empty=False,
            collection=ast.Flwor(clauses=(ast.JoinClause() as join, *rest), result=ast.VarRef(name=given)),
        ):
            pass
        case _:
            return None
    if given != join.name or join.position is not None or not all(isinstance(one, ast.WhereClause) for one in rest):
        return None
    own = Substitution({join.name.expanded: ast.VarRef(clause.name)})
    tests = tuple(replace(test, key=own.apply(test.key)) for test in join.tests)
    return replace(join, name=clause.name, tests=tests), *(own.apply(one) for one in rest)


def reads_root(expr: ast.Node) -> bool:
    """Whether it contains a leading `/` that refers to this focus."""
    return (reads_focus(expr) and not reads_item(expr)) or contains(expr, ast.Root)


def depth_without(inside: Surroundings, key: ast.Expr, *own: tuple[str, str]) -> int:
    """The number of loops that a key depends on, apart from the variables of its own loop."""
    return max((inside.depths.get(read, 0) for read in free_in(key) - set(own)), default=0)


def with_predicates(base: ast.Expr, predicates: tuple[ast.Expr, ...], whole: ast.Expr) -> ast.Expr:
    """The base with predicates: those of a step belong to it."""
    if isinstance(whole, ast.Filter):
        for predicate in predicates:
            base = ast.Filter(base, predicate, span=whole.span)
        return base
    if isinstance(base, ast.AxisStep):
        return replace(base, predicates=predicates)
    assert isinstance(base, ast.Path) and isinstance(base.right, ast.AxisStep)
    return replace(base, right=replace(base.right, predicates=predicates))
