"""Find joins in whatever spelling: `where`, predicates, quantifiers, comparisons with a path, conditions of a result.

        for $x in E … where A($x) = B return R              for join $x in E by A($x) = B … return R
        for $x in E return if (A($x) = B) then R else ()                                  same
        E[A = B]/…                                    →     (for join $x in E by A($x) = B return $x)/…
        some $x in E satisfies A($x) = B                    exists(for join $x in E by A($x) = B return $x)
        every $x in E satisfies A($x) != B                  empty(for join $x in E by not(A($x) != B) return $x)
        B = E                                               exists(for join $x in E by $x = B return $x)

Gain:   E is read once instead of once for each turn of the loops around it: linear time instead of quadratic.
Needs:  a loop around E that neither E nor A depends on, and B does; B does not read $x. E gives the same items each
        time (no constructors); nothing in the query is infinite, and no variable can be set while it runs. Strings
        compare by code points.
Safe:   the index gives the same items in the same order (`run/runtime/joins.py`), and is built when it is first asked:
        what is never evaluated raises no error. Conditions may be tested in another order, as XQuery 3.1 §2.3.4
        allows.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import takewhile
from typing import Any, NamedTuple, cast

from xylem.analysis.facts.conjuncts import conjunction, conjuncts
from xylem.analysis.facts.standard_calls import is_call
from xylem.analysis.facts.truth_values import is_boolean
from xylem.analysis.focus import read_variables, reads_focus, reads_item
from xylem.analysis.free_variables import free_in
from xylem.analysis.keyed_input import numbered_keys
from xylem.functions.registry import FN
from xylem.syntax import ast

from ..fresh_names import bound_names
from ..substitution import FocusInTheWay, Substitution
from .anchors import UPWARDS, at_anchor
from .candidates import (
    Wanted,
    conditions,
    is_any,
    is_equality,
    is_narrowing,
    is_test,
    is_the_same_each_time,
    is_told,
    joins_in,
    opposite,
)
from .condition import Condition
from .difference_bounds import with_bounds
from .shared_values import SharedValues
from .siblings import compared_beside, counted_beside, is_behind, nearest_beside, tested_beside
from .surroundings import Surroundings
from .visitor import JOIN_NAMESPACE, JoinFacts

_LOOPS = (ast.ForClause, ast.Path, ast.AxisStep, ast.Filter, ast.SimpleMap, ast.Quantified, ast.InlineFunction)


def with_joins(expr: ast.Expr, facts: JoinFacts, around: Surroundings | None = None) -> ast.Expr:
    """The expression with its joins; the very same object where there are none."""
    if around is None and not any(isinstance(node, _LOOPS) for node in expr.walk()):
        return expr
    before = len(facts.found), facts.roots
    made = _Finder(facts).visit(expr, around or Surroundings())
    return expr if before == (len(facts.found), facts.roots) else made


FindBeside = Callable[[Any, Surroundings, ast.Name], ast.Flwor | None]


class _Clauses(NamedTuple):
    """Clauses of a FLWOR expression with what stands around its result."""

    clauses: list[ast.Clause]
    result: ast.Expr
    found: bool


class _Finder(SharedValues):
    def visit(self, node: Any, around: Surroundings) -> Any:
        match node:
            case ast.Flwor(clauses=clauses, result=result):
                made = self._flwor(clauses, result, around)
                return replace(node, clauses=tuple(made.clauses), result=made.result)
            case ast.Quantified():
                return self._quantified(node, around)
            case ast.Path(left=ast.VarRef() as start, right=ast.FunctionCall() as call) if is_call(call, "root"):
                root = self._root(replace(call, arguments=(start,)), around)
                return root if isinstance(root, ast.Root) else node
            case ast.Path(left=left, right=right):
                if isinstance(right, ast.AxisStep):
                    beside = self._tested_beside(node, around)
                    if beside is not None:
                        return beside
                start = self.visit(left, around)
                if isinstance(right, ast.AxisStep):
                    return self._step(start, right, node, around)
                return replace(node, left=start, right=self.visit(right, around.in_focus_of(start)))
            case ast.AxisStep():
                return self._tested_beside(node, around) or self._step(None, node, node, around)
            case ast.Filter(base=base, predicate=predicate) if self._is_kept(base, predicate, around):
                inner = self._predicate(predicate, base, around)
                return replace(node, base=self._shared(base, around), predicate=inner)
            case ast.FunctionCall(name=name, arguments=(base, start, *more)) if self._is_cut(name, base, start, around):
                rest = tuple(self.visit(one, around) for one in (start, *more))
                return replace(node, arguments=(self._shared(base, around), *rest))
            case ast.FunctionCall(name=name, arguments=(values, sought)) if self._is_sought_in(name, values, around):
                found = self._shared(ast.FunctionCall(ast.Name("data", "fn", FN), (values,), span=values.span), around)
                return replace(node, arguments=(found, self.visit(sought, around)))
            case ast.Filter(base=ast.Shared() as base, predicate=predicate):
                return replace(node, predicate=self._predicate(predicate, base, around))
            case ast.Filter(base=base, predicate=predicate):
                return self._filtered(self.visit(base, around), (predicate,), node, around)
            case ast.SimpleMap(left=left, right=right):
                start = self.visit(left, around)
                return replace(node, left=start, right=self.visit(right, around.in_focus_of(start)))
            case ast.GeneralComparison():
                return (
                    self._comparison(node, around)
                    or self._comparison_beside(node, around)
                    or self._rebuilt(node, around)
                )
            case ast.FunctionCall(name=name, arguments=(argument,)) if name.expanded == (FN, "count"):
                # A scan numbers siblings, and keeps none for that.
                beside = None if self.facts.is_leaf else self._beside(counted_beside, argument, around)
                if beside is not None:
                    return replace(node, arguments=(beside,))
                return self._call(node, around)
            case ast.FunctionCall(name=name) if name.expanded == (FN, "root"):
                return self._root(node, around)
            case ast.InlineFunction(parameters=parameters, body=body):
                return replace(node, body=self.visit(body, around.in_function(parameters)))
            case ast.FunctionCall():
                return self._call(node, around)
            case ast.Typeswitch():
                return self._typeswitch(node, around)
            case ast.DataWindow(base=base):
                return replace(node, base=self.visit(base, around))
        return self._rebuilt(node, around)

    def _typeswitch(self, node: ast.Typeswitch, around: Surroundings) -> ast.Expr:
        cases = tuple(
            replace(case, result=self.visit(case.result, around.with_sequences(case.variable))) for case in node.cases
        )
        default = self.visit(node.default, around.with_sequences(node.default_variable))
        return replace(node, operand=self.visit(node.operand, around), cases=cases, default=default)

    def _call(self, node: ast.FunctionCall, around: Surroundings) -> ast.Expr:
        if self.facts.shares_values and self._is_shared(node, around):
            return self._shared(node, around)
        rebuilt: ast.Expr = self._rebuilt(node, around)
        return rebuilt

    def _root(self, call: ast.FunctionCall, around: Surroundings) -> ast.Expr:
        """root($x) of a node in the input is what `/` is here: the same at each turn."""
        item = call.arguments[0] if call.arguments else ast.ContextItem(span=call.span)
        if not around.focus.is_in_input or len(call.arguments) > 1 or not around.is_in_input(item):
            return self._call(call, around)
        if not isinstance(item, (ast.VarRef, ast.ContextItem)):
            return self._call(call, around)
        self.facts.roots += 1
        return ast.Root(is_any_node=True, span=call.span)

    def _rooted(self, expr: ast.Expr, around: Surroundings) -> ast.Expr:
        """A path that starts with root($x), as one that starts with `/` where that is the same."""
        match expr:
            case ast.Path(left=left, right=ast.AxisStep()):
                start = self._rooted(left, around)
                return expr if start is left else replace(expr, left=start)
            case ast.Path(left=ast.VarRef(), right=right) if is_call(right, "root"):
                return cast("ast.Expr", self.visit(expr, around))
            case ast.FunctionCall(name=name) if name.expanded == (FN, "root"):
                return self._root(expr, around)
        return expr

    # --- loops

    def _flwor(self, clauses: Sequence[ast.Clause], result: ast.Expr, around: Surroundings) -> _Clauses:
        bounded = [
            replace(one, test=with_bounds(one.test)) if isinstance(one, ast.WhereClause) else one for one in clauses
        ]
        if bounded != list(clauses):
            before = len(self.facts.found), self.facts.number
            made = self._joined_clauses(bounded, result, around)
            if any(test.op in _BOUNDS for join in self.facts.found[before[0] :] for test in _tests(join)):
                return made
            del self.facts.found[before[0] :]
            self.facts.number = before[1]
        return self._joined_clauses(clauses, result, around)

    def _joined_clauses(self, clauses: Sequence[ast.Clause], result: ast.Expr, around: Surroundings) -> _Clauses:
        made: list[ast.Clause] = []
        found = False
        waiting = list(clauses)
        # What stands before a best-match join restricts its candidates, loop by loop: it has an index of its own.
        is_best_match = any(isinstance(clause, ast.BestMatchClause) for clause in clauses)
        while waiting:
            keyed = numbered_keys(waiting, 0)
            if keyed is not None:
                # All keys have their windows in one pass: nothing is looked up.
                made += waiting[: keyed.length]
                around = around.in_loop(*(name for one in waiting[: keyed.length] for name in _bound_in(one)))
                waiting = waiting[keyed.length :]
                continue
            clause = waiting.pop(0)
            if isinstance(clause, ast.ForClause):
                collection = self.visit(clause.collection, around)
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
                        made.append(anchor)
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
                value = self.visit(clause.value, around)
                may_repeat = clause.type is None and is_the_same_each_time(value)
                clause, around = replace(clause, value=value), around.with_let(clause.name, value, may_repeat)
            else:
                clause = self._rebuilt(clause, self._inside_clause(clause, around))
                around = self._inside_clause(clause, around)
                if isinstance(clause, ast.GroupByClause):
                    # Behind it, each variable of the tuples has the values of a group.
                    around = around.with_sequences(*(name for one in made for name in bound_names(one)))
            made.append(clause)
        return _Clauses(made, self.visit(result, around), found)

    def _inside_clause(self, clause: ast.Clause, around: Surroundings) -> Surroundings:
        names = _bound_in(clause)
        if isinstance(clause, (ast.WindowClause, ast.ForseqClause, ast.GroupByClause)):
            # Each window, or group, is a turn of a loop.
            return replace(around.in_loop(*names), in_input=around.in_input - {name.expanded for name in names})
        return around.with_sequences(*names) if names else around

    def _joined(
        self, clause: ast.ForClause, rest: Sequence[ast.Clause], result: ast.Expr, around: Surroundings
    ) -> tuple[ast.JoinClause, list[ast.Clause], ast.Expr] | None:
        """A loop as a join, the clauses that are left behind it, and the result.

        An equality is taken wherever it stands: another comparison before it leaves more items.
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
        """The same for a collection that starts at an anchor, which is bound before it."""
        found = self._at_anchor(clause.collection, around)
        if found is None:
            return None
        anchor, collection = found
        joined = self._joined(replace(clause, collection=collection), rest, result, around.with_anchor(anchor.name))
        return None if joined is None else (anchor, joined)

    def _at_anchor(self, collection: ast.Expr, around: Surroundings) -> tuple[ast.LetClause, ast.Expr] | None:
        if not self.facts.finds_anchors or not isinstance(collection, ast.Path):
            return None
        # Only the collection itself reads it: inside, another may have its name.
        return at_anchor(collection, around, ast.Name(f"from{self.facts.number + 1}", None, JOIN_NAMESPACE))

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
        values = Substitution({})
        for index, following in enumerate(rest):
            match following:
                case ast.WhereClause(test=written):
                    test = _told(written, values)
                    found = self._indexed(wanted, clause, test, own | later, values, around)
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
                    later.update(name.expanded for name in names)
                case _:
                    return None
        if isinstance(result, ast.If) and result.otherwise == ast.SequenceExpr():
            found = self._indexed(wanted, clause, result.test, own | later, values, around)
            if found is not None:
                join, left = found
                where = [] if left is None else [ast.WhereClause(left, span=result.test.span)]
                return *self._with_more(join, [*rest, *where], around), result.then
        return None

    def _joined_by_one_of(
        self, clause: ast.ForClause, rest: list[ast.Clause], around: Surroundings
    ) -> tuple[ast.ForClause, list[ast.Clause]]:
        """for $x in E where A = B or C = D: the union of two look-ups."""
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
        """The items of a loop over a path that pass one of several tests, each by a look-up."""
        if not isinstance(test, ast.Or) or not _is_path(loop.collection):
            return None
        before = len(self.facts.found)
        inside = around.in_loop(loop.name, over=loop.collection)
        item = ast.VarRef(loop.name, span=loop.span)
        union: ast.Expr | None = None
        for one in _disjuncts(test):
            joined = self._joined(loop, [ast.WhereClause(one, span=one.span)], item, around)
            if joined is None or not is_narrowing(joined[0].tests[0]):
                del self.facts.found[before:]
                return None
            join, wheres, _ = joined
            rest = [self._rebuilt(where, inside) for where in wheres]
            part = ast.Flwor((self._visited(join, inside, around), *rest), item, span=one.span)
            union = part if union is None else ast.SetOperation("union", union, part, span=test.span)
        return union

    def _filtered_by_one_of(
        self, base: ast.Expr, predicates: tuple[ast.Expr, ...], whole: ast.Expr, around: Surroundings
    ) -> ast.Expr | None:
        """E[A = B or C = D]"""
        if not all(map(is_test, predicates)):
            return None
        for index, predicate in enumerate(predicates):
            if not isinstance(predicate, ast.Or) or _reads_root(predicate):
                continue
            others = (*predicates[:index], *predicates[index + 1 :])
            visited = tuple(self._predicate(one, base, around) for one in others)
            items = around.settled(_with_predicates(base, visited, whole))
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
        """A join with the equalities and the orders that stand behind it, and the clauses that are left."""
        if not is_narrowing(join.tests[0]) or join.place is not None:
            return join, rest
        own = {name.expanded for name in (join.name, join.position) if name is not None}
        loop = ast.ForClause(join.name, join.type, join.collection, join.position, span=join.span)
        for index, following in enumerate(rest):
            if not isinstance(following, ast.WhereClause):
                break
            for test in conjuncts(following.test):
                found = self._indexed(is_told, loop, test, own, Substitution({}), around)
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
    ) -> tuple[ast.JoinClause, ast.Expr | None] | None:
        """The join that a condition makes of a loop, and what is left of the condition.

        `hidden` are variables bound by the loop and behind it; `values` stand for some of them.
        """
        collection = around.settled(clause.collection)
        inside = around.in_loop(clause.name, clause.position, over=collection)
        for written in filter(wanted, conditions(test)):
            condition = written._replace(own=values.apply(written.own), other=values.apply(written.other))
            key = condition.own
            reads = read_variables(key)
            if clause.name.expanded not in reads or reads & (hidden - {clause.name.expanded}):
                continue
            if read_variables(condition.other) & hidden or reads_focus(key):
                continue
            depth = max(around.depth_of(collection), _depth_without(inside, around.settled(key), clause.name))
            if not self._pays(depth, condition, collection, around):
                continue
            join = self._join(clause, collection, around.settled(key), condition, around)
            return join, conjunction(
                [one for one in conjuncts(test) if condition.is_implied or one is not condition.whole]
            )
        return None

    def _pays(self, depth: int, condition: Condition, collection: ast.Expr, around: Surroundings) -> bool:
        if depth >= around.depth or around.depth_of(around.settled(condition.other)) <= depth:
            # No loop repeats it, or each turn asks for the same.
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

    def _step(self, start: ast.Expr | None, step: ast.AxisStep, whole: ast.Expr, around: Surroundings) -> ast.Expr:
        plain = replace(step, predicates=())
        base = plain if start is None else ast.Path(start, plain, span=whole.span)
        if self._is_kept_by_parent(base, step, around):
            return self._kept_by_parent(base, step, whole, around)
        return self._filtered(base, step.predicates, whole, around)

    def _filtered(
        self, base: ast.Expr, predicates: tuple[ast.Expr, ...], whole: ast.Expr, around: Surroundings
    ) -> ast.Expr:
        """A step, or any other expression, with predicates: one of them may be a look-up."""
        bounded = tuple(with_bounds(one) if is_test(one) else one for one in predicates)
        if bounded != predicates:
            before = len(self.facts.found)
            made = self._with_look_up(base, bounded, whole, around)
            if any(test.op in _BOUNDS for join in self.facts.found[before:] for test in _tests(join)):
                return made
            del self.facts.found[before:]
        return self._with_look_up(base, predicates, whole, around)

    def _with_look_up(
        self, base: ast.Expr, predicates: tuple[ast.Expr, ...], whole: ast.Expr, around: Surroundings
    ) -> ast.Expr:
        inside = around.in_focus_of(base)
        visited: list[ast.Expr] = []
        for wanted in (is_equality, is_any):
            for index, predicate in enumerate(predicates):
                if not is_test(predicate):
                    continue
                behind = list(takewhile(is_test, predicates[index + 1 :]))
                place, rest = _place_behind(base, predicates[index + 1 + len(behind) :], whole)
                if not all(map(is_test, rest)):
                    continue
                visited += (self._predicate(one, base, around) for one in predicates[len(visited) : index])
                kept: list[ast.Expr] = []
                tests = [predicate]
                for number, one in enumerate(predicates[:index]):
                    # What asks for other items at each turn is a condition of the look-up.
                    is_test_of_it = self._changes(one, around) and all(map(is_test, predicates[number:index]))
                    (tests if is_test_of_it else kept).append(one if is_test_of_it else visited[number])
                for one in behind:
                    # A place counts what passes all tests, so those that are the same at each turn come first.
                    is_test_of_it = place is None or self._changes(one, around)
                    (tests if is_test_of_it else kept).append(one if is_test_of_it else self.visit(one, inside))
                items = _with_predicates(base, tuple(kept), whole)
                found = self._looked_up(wanted, items, tests, place, whole, around, inside)
                if found is not None:
                    for test in rest:
                        found = self._filtered(found, (test,), ast.Filter(found, test, span=test.span), around)
                    return found
        found = self._filtered_by_one_of(base, predicates, whole, around)
        if found is not None:
            return found
        visited += (self._predicate(one, base, around) for one in predicates[len(visited) :])
        return _with_predicates(base, tuple(visited), whole)

    def _looked_up(
        self,
        wanted: Wanted,
        items: ast.Expr,
        tests: Sequence[ast.Expr],
        place: int | None,
        whole: ast.Expr,
        around: Surroundings,
        inside: Surroundings,
    ) -> ast.Expr | None:
        """E[A = B and C][D] → for join $x in E by A($x) = B where C($x) where D($x) return $x"""
        collection = around.settled(items)
        asked = list(filter(wanted, conditions(tests[0])))
        if not asked:
            return None
        if around.depth_of(collection) >= around.depth:
            anchored = self._at_anchor(collection, around)
            if anchored is None:
                return None
            anchor, collection = anchored
            here = around.with_anchor(anchor.name)
            if here.depth_of(collection) >= here.depth:
                return None
            found = self._looked_up(wanted, collection, tests, place, whole, here, inside)
            return replace(found, clauses=(anchor, *found.clauses)) if isinstance(found, ast.Flwor) else None
        name = self.facts.fresh()
        item = ast.VarRef(name, span=whole.span)
        same_root = inside.focus.is_in_input == around.focus.is_in_input
        all_tests = [one for test in tests for one in conjuncts(test)]
        for condition in asked:
            own, other = around.settled(condition.own), condition.other
            if not reads_item(own) or reads_item(other) or (reads_focus(other) and not same_root):
                continue
            if _reads_root(own):
                continue
            depth = max(around.depth_of(collection), _depth_without(around, own))
            if not self._pays(depth, condition, collection, around):
                continue
            try:
                key = Substitution({}, item).apply(own)
                is_left = [one for one in all_tests if condition.is_implied or one is not condition.whole]
                left = [Substitution({}, item).apply(one) for one in is_left]
            except FocusInTheWay:
                return None
            if any(map(_reads_root, left)) and not same_root:
                return None
            loop = ast.ForClause(name, None, collection, None, span=whole.span)
            join = self._join(loop, collection, key, condition, around)
            inner = around.in_loop(name, over=collection)
            join, wheres = self._with_more(join, [ast.WhereClause(test, span=test.span) for test in left], around)
            if place is not None and wheres:
                # The place counts what passes all tests.
                return None
            rest = [self._rebuilt(where, inner) for where in wheres]
            made = replace(self._visited(join, inner, around), place=place)
            return ast.Flwor((made, *rest), item, span=whole.span)
        return None

    # --- conditions

    def _quantified(self, node: ast.Quantified, around: Surroundings) -> ast.Expr:
        loops = [ast.ForClause(b.name, b.type, b.collection, span=b.span) for b in node.bindings]
        tests = [node.satisfies] if node.kind == "some" else opposite(node.satisfies)
        wheres = [ast.WhereClause(test, span=test.span) for one in tests for test in conjuncts(one)]
        last = ast.VarRef(node.bindings[-1].name, span=node.span)
        before = len(self.facts.found)
        made = self._flwor([*loops, *wheres], last, around)
        if made.found:
            items = ast.Flwor(tuple(made.clauses), made.result, span=node.span)
            return _called("exists" if node.kind == "some" else "empty", items)
        del self.facts.found[before:]
        bindings = []
        for binding in node.bindings:
            bindings.append(replace(binding, collection=self.visit(binding.collection, around)))
            around = around.in_loop(binding.name, over=bindings[-1].collection)
        return replace(node, bindings=tuple(bindings), satisfies=self.visit(node.satisfies, around))

    def _comparison(self, node: ast.GeneralComparison, around: Surroundings) -> ast.Expr | None:
        """B = E, where E is the same for many turns of a loop and may be many items."""
        node = replace(node, left=self._rooted(node.left, around), right=self._rooted(node.right, around))
        for condition in conditions(node):
            values = around.settled(condition.own)
            if not self._may_be_many(values, condition.own, around):
                continue
            anchored = None if around.depth_of(values) < around.depth else self._at_anchor(values, around)
            if anchored is not None:
                anchor, values = anchored
                inner = self._compared_with(values, condition, node, around.with_anchor(anchor.name))
                if inner is not None:
                    return _called("exists", replace(inner, clauses=(anchor, *inner.clauses)))
                continue
            found = self._compared_with(values, condition, node, around)
            if found is not None:
                return _called("exists", found)
        return None

    def _compared_with(
        self, values: ast.Expr, condition: Condition, node: ast.Expr, around: Surroundings
    ) -> ast.Flwor | None:
        """The items of a sequence that a condition holds for, as a look-up."""
        if self._pays(around.depth_of(values), condition, values, around):
            name = self.facts.fresh()
            item = ast.VarRef(name, span=node.span)
            loop = ast.ForClause(name, None, self.visit(values, around), None, span=node.span)
            join = self._join(loop, loop.collection, item, condition, around)
            join = self._visited(join, around.in_loop(name), around)
            return ast.Flwor((join,), item, span=node.span)
        return None

    def _comparison_beside(self, node: ast.GeneralComparison, around: Surroundings) -> ast.Expr | None:
        beside = self._beside(compared_beside, node, around)
        return None if beside is None else _called("exists", beside)

    def _tested_beside(self, path: ast.Expr, around: Surroundings) -> ast.Expr | None:
        nearest = self._beside(nearest_beside, path, around)
        if nearest is None:
            return self._beside(tested_beside, path, around)
        place = ast.IntegerLiteral(1, span=path.span)
        last = ast.FunctionCall(ast.Name("last", "fn", FN), (), span=path.span)
        return ast.Filter(nearest, place if is_behind(path) else last, span=path.span)

    def _beside(self, find: FindBeside, node: Any, around: Surroundings) -> ast.Expr | None:
        """A loop over what stands beside an item as a look-up, over a tree or what a stream keeps of one."""
        if not self.facts.finds_anchors:
            return None
        number = self.facts.number
        found = find(node, around, self.facts.fresh())
        before = len(self.facts.found)
        if found is not None:
            anchor, *clauses = found.clauses
            assert isinstance(anchor, ast.LetClause)
            made = self._flwor(clauses, found.result, around.with_anchor(anchor.name))
            if made.found:
                return replace(found, clauses=(anchor, *made.clauses), result=made.result)
        self.facts.number = number
        del self.facts.found[before:]
        return None

    def _may_be_many(self, values: ast.Expr, written: ast.Expr, around: Surroundings) -> bool:
        match values:
            case ast.Path():
                # A step from one item of a loop is short; from the input, or a document, it need not be.
                return around.depth_of(values) == 0 or _goes_far(values)
            case ast.VarRef(name=name):
                return name.expanded in around.many or name.expanded in self.facts.sequences
            case ast.FunctionCall(name=name, arguments=(argument,)) if name.expanded in _OF_EACH:
                return self._may_be_many(argument, written, around)
            case ast.Flwor() | ast.Filter() | ast.SimpleMap():
                return around.depth_of(values) == 0
            case ast.SequenceExpr(items=parts):
                return any(self._may_be_many(part, part, around) for part in parts)
            case ast.SetOperation(left=left, right=right):
                return self._may_be_many(left, left, around) or self._may_be_many(right, right, around)
        return False


_BOUNDS = ("<=", ">=")
"""The operators of the bounds that a difference implies."""


def _tests(found: ast.JoinClause | ast.Shared) -> tuple[ast.JoinTest, ...]:
    return found.tests if isinstance(found, ast.JoinClause) else ()


def _anchor(collection: ast.Expr, around: Surroundings) -> ast.Name | None:
    """The variable in a collection that holds the same node at many turns."""
    names = (node.name for node in collection.walk() if isinstance(node, ast.VarRef))
    return next((name for name in names if name.expanded in around.anchors), None)


def _told(test: ast.Expr, values: Substitution) -> ast.Expr:
    """let $is := A = B where $is: the condition itself."""
    known = [values.apply(one) if isinstance(one, ast.VarRef) else one for one in conjuncts(test)]
    if not any(one is not written and is_boolean(one) for one, written in zip(known, conjuncts(test), strict=True)):
        return test
    return conjunction(known) or test


def _disjuncts(test: ast.Expr) -> list[ast.Expr]:
    return [*_disjuncts(test.left), *_disjuncts(test.right)] if isinstance(test, ast.Or) else [test]


def _is_path(expr: ast.Expr) -> bool:
    """Whether an expression gives nodes in document order, each once."""
    return isinstance(expr.right if isinstance(expr, ast.Path) else expr, ast.AxisStep)


def _called(function: str, argument: ast.Expr) -> ast.Expr:
    return ast.FunctionCall(ast.Name(function, "fn", FN), (argument,), span=argument.span)


def _bound_in(clause: ast.Clause) -> list[ast.Name]:
    return [name for node in clause.walk() for name in bound_names(node)]


def _place_behind(
    base: ast.Expr, predicates: tuple[ast.Expr, ...], whole: ast.Expr
) -> tuple[int | None, tuple[ast.Expr, ...]]:
    """The place that a number behind a predicate asks for among children of one parent, and the other predicates."""
    step = base.right if isinstance(base, ast.Path) else base
    if not predicates or isinstance(whole, ast.Filter) or not isinstance(step, ast.AxisStep):
        return None, predicates
    first, *rest = predicates
    if step.axis in ("child", "attribute"):
        match first:
            case ast.IntegerLiteral(value=value):
                return value, tuple(rest)
            case ast.FunctionCall(name=name, arguments=()) if name.expanded == (FN, "last"):
                return -1, tuple(rest)
    return None, predicates


def _spliced(clause: ast.ForClause) -> tuple[ast.JoinClause, *tuple[ast.Clause, ...]] | None:
    """for $o in (for join $x in E … return $x) as the clauses of the join, of $o."""
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


_OF_EACH = ((FN, "data"), (FN, "distinct-values"))


def _goes_far(path: ast.Expr) -> bool:
    """Whether a path goes to descendants, or up before it goes down."""
    axes = [node.axis for node in path.walk() if isinstance(node, ast.AxisStep)]
    return any(axis.startswith("descendant") or axis in UPWARDS for axis in axes)


def _reads_root(expr: ast.Node) -> bool:
    """Whether a leading `/` of this very focus stands in it."""
    return (reads_focus(expr) and not reads_item(expr)) or any(isinstance(node, ast.Root) for node in expr.walk())


def _depth_without(inside: Surroundings, key: ast.Expr, name: ast.Name | None = None) -> int:
    """How deep a key is, beside the item that it is the key of."""
    own = set() if name is None else {name.expanded}
    return max((inside.depths.get(read, 0) for read in free_in(key) - own), default=0)


def _with_predicates(base: ast.Expr, predicates: tuple[ast.Expr, ...], whole: ast.Expr) -> ast.Expr:
    """The base with predicates: those of a step belong to it."""
    if isinstance(whole, ast.Filter):
        for predicate in predicates:
            base = ast.Filter(base, predicate, span=whole.span)
        return base
    if isinstance(base, ast.AxisStep):
        return replace(base, predicates=predicates)
    assert isinstance(base, ast.Path) and isinstance(base.right, ast.AxisStep)
    return replace(base, right=replace(base.right, predicates=predicates))
