"""Find joins in every spelling: `where`, predicates, quantifiers, comparisons with a path, conditions of a result.

        for $x in E … where A($x) = B return R              for join $x in E by A($x) = B … return R
        for $x in E return if (A($x) = B) then R else ()                                  same
        E[A = B]/…                                    →     (for join $x in E by A($x) = B return $x)/…
        some $x in E satisfies A($x) = B                    exists(for join $x in E by A($x) = B return $x)
        every $x in E satisfies A($x) != B                  empty(for join $x in E by not(A($x) != B) return $x)
        B = E                                               exists(for join $x in E by $x = B return $x)

Gain:   E is read once instead of once for each turn of the loops around it: linear time instead of quadratic.
Needs:  a loop around E on which B depends, but neither E nor A; B does not read $x. E returns the same items each time
        (no constructors); nothing in the query is infinite, and no variable can be set while it runs. Strings compare
        by code points.
Safe:   the index returns the same items in the same order (`run/runtime/joins.py`), and is built on first use:
        expressions that are never evaluated raise no error. Conditions may be tested in another order, as XQuery 3.1
        §2.3.4 allows.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import takewhile
from typing import Any, cast

from xylem.analysis.facts.conjuncts import conjuncts
from xylem.analysis.facts.standard_calls import is_call
from xylem.analysis.focus import reads_focus, reads_item, uses_position
from xylem.functions.registry import FN
from xylem.syntax import ast

from ..normalise.conditional_results import with_one_zero
from ..substitution import FocusInTheWay, Substitution
from .candidates import (
    Wanted,
    conditions,
    is_any,
    is_equality,
    is_test,
    opposite,
)
from .condition import Condition
from .difference_bounds import BOUNDS, with_bounds
from .guards import guarded, may_fail, tests_before
from .loop_joins import depth_without, reads_root, tests_of, with_predicates
from .running_folds import RunningFolds
from .siblings import compared_beside, counted_beside, is_behind, nearest_beside, tested_beside
from .surroundings import Surroundings, may_be_many
from .visitor import JoinFacts

_LOOPS = (ast.ForClause, ast.Path, ast.AxisStep, ast.Filter, ast.SimpleMap, ast.Quantified, ast.InlineFunction)


def with_joins(expr: ast.Expr, facts: JoinFacts, around: Surroundings | None = None) -> ast.Expr:
    """The expression with its joins; the very same object if there are none."""
    if around is None and not any(isinstance(node, _LOOPS) for node in expr.walk()):
        return expr
    before = len(facts.found), facts.roots
    made = _Finder(facts).visit(expr, around or Surroundings())
    return expr if before == (len(facts.found), facts.roots) else made


FindBeside = Callable[[Any, Surroundings, ast.Name], ast.Flwor | None]


class _Finder(RunningFolds):
    def visit(self, node: Any, around: Surroundings) -> Any:
        match node:
            case ast.Flwor(clauses=clauses, result=result):
                shared = self._chosen(node, around) if _chooses(node) else None
                if shared is not None:
                    return shared
                made = self._flwor(clauses, result, around)
                return replace(node, clauses=tuple(made.clauses), result=made.result)
            case ast.Quantified():
                return self._chosen(node, around) or self._quantified(node, around)
            case ast.Path() | ast.AxisStep():
                return self._path(node, around, is_kept=self.keeps_paths and _goes_down(node))
            case ast.Filter(base=ast.Shared() as base, predicate=predicate):
                return replace(node, predicate=self._predicate(predicate, base, around))
            case ast.Filter(base=base, predicate=predicate):
                picked = self._picked(node, around)
                return picked or self._filtered(self._items(base, around), (predicate,), node, around)
            case ast.SimpleMap(left=left, right=right):
                start = self._items(left, around)
                return replace(node, left=start, right=self.visit(right, around.in_focus_of(start)))
            case ast.GeneralComparison():
                return (
                    self._comparison(node, around)
                    or self._comparison_beside(node, around)
                    or self._rebuilt(node, around)
                )
            case ast.FunctionCall(name=name, arguments=(argument,)) if name.expanded == (FN, "count"):
                # A scan numbers siblings without keeping any.
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

    def _items(self, expr: ast.Expr, around: Surroundings) -> ast.Expr:
        """The items of a loop, or those that a predicate selects from: a join may index them."""
        is_path = isinstance(expr, (ast.Path, ast.AxisStep))
        return self._path(expr, around, is_kept=False) if is_path else cast("ast.Expr", self.visit(expr, around))

    def _path(self, path: ast.Expr, around: Surroundings, *, is_kept: bool) -> ast.Expr:
        """A path as a whole: its result, or the context nodes of its last step, may be the same at many turns.

        With `is_kept`, its result is cached although it selects nothing: a step reads all children of its node.
        """
        shared = self._chosen(path, around) if is_kept or _chooses(path) else None
        if shared is not None:
            return shared
        before = len(self.facts.found)
        made = self._steps(path, around)
        if len(self.facts.found) == before and isinstance(path, ast.Path) and _chooses(path.left):
            start = self._chosen(path.left, around)
            return made if start is None else self._last_step(path, start, around)
        return made

    def _steps(self, path: ast.Expr, around: Surroundings) -> ast.Expr:
        match path:
            case ast.Path(left=ast.VarRef() as start, right=ast.FunctionCall() as call) if is_call(call, "root"):
                root = self._root(replace(call, arguments=(start,)), around)
                return root if isinstance(root, ast.Root) else path
            case ast.Path(left=left, right=ast.Filter(base=base, predicate=test)) if is_test(test):
                # //(a|b)[test]: a test counts no items, so that it may see those of all steps together.
                return self._items(ast.Filter(ast.Path(left, base, span=path.span), test, span=path.span), around)
            case ast.Path(left=left, right=right):
                beside = self._tested_beside(path, around) if isinstance(right, ast.AxisStep) else None
                return beside or self._last_step(path, self._steps(left, around), around)
            case ast.AxisStep():
                return self._tested_beside(path, around) or self._step(None, path, path, around)
        return cast("ast.Expr", self.visit(path, around))

    def _last_step(self, path: ast.Path, start: ast.Expr, around: Surroundings) -> ast.Expr:
        if isinstance(path.right, ast.AxisStep):
            return self._step(start, path.right, path, around)
        return replace(path, left=start, right=self.visit(path.right, around.in_focus_of(start)))

    def _call(self, node: ast.FunctionCall, around: Surroundings) -> ast.Expr:
        shared = self._summed(node, around) or self._cut(node, around) or self._sought(node, around)
        if shared is None and self.facts.shares_values:
            shared = self._folded(node, around)
        if shared is None:
            shared = self._running(node, around)
        if shared is not None:
            return shared
        made = cast("ast.FunctionCall", self._rebuilt(node, around))
        return self._folded_by_key(made, around) or made

    def _summed(self, call: ast.FunctionCall, around: Surroundings) -> ast.Expr | None:
        """sum(for … return if (C) then N else 0), if C is a join: the zeros are not added one by one."""
        made = with_one_zero(call) if around.depth else None
        if made is None:
            return None
        before, number = len(self.facts.found), self.facts.number
        visited = self._rebuilt(made, around)
        if any(isinstance(one, ast.JoinClause) for one in self.facts.found[before:]):
            return cast("ast.Expr", visited)
        del self.facts.found[before:]
        self.facts.number = number
        return None

    def _root(self, call: ast.FunctionCall, around: Surroundings) -> ast.Expr:
        """root($x) for a node of the input is the same as `/`: equal at each turn."""
        item = call.arguments[0] if call.arguments else ast.ContextItem(span=call.span)
        if not around.focus.is_in_input or len(call.arguments) > 1 or not around.is_in_input(item):
            return self._call(call, around)
        if not isinstance(item, (ast.VarRef, ast.ContextItem)):
            return self._call(call, around)
        self.facts.roots += 1
        return ast.Root(is_any_node=True, span=call.span)

    def _rooted(self, expr: ast.Expr, around: Surroundings) -> ast.Expr:
        """A path that starts with root($x), starting with `/` instead if that is the same."""
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

    def _step(self, start: ast.Expr | None, step: ast.AxisStep, whole: ast.Expr, around: Surroundings) -> ast.Expr:
        plain = replace(step, predicates=())
        base = plain if start is None else ast.Path(start, plain, span=whole.span)
        return (
            self._picked_of_parents(base, step, whole, around)
            or self._filtered(base, step.predicates, whole, around)
        )

    def _filtered(
        self, base: ast.Expr, predicates: tuple[ast.Expr, ...], whole: ast.Expr, around: Surroundings
    ) -> ast.Expr:
        """A step, or any other expression, with predicates: one of them may be a lookup."""
        predicates = tuple(part for one in predicates for part in (conjuncts(one) if is_test(one) else [one]))
        bounded = tuple(with_bounds(one) if is_test(one) else one for one in predicates)
        if bounded != predicates:
            before = len(self.facts.found)
            made = self._with_look_up(base, bounded, whole, around)
            if any(test.op in BOUNDS for join in self.facts.found[before:] for test in tests_of(join)):
                return made
            del self.facts.found[before:]
        return self._with_look_up(base, predicates, whole, around)

    def _with_look_up(
        self, base: ast.Expr, predicates: tuple[ast.Expr, ...], whole: ast.Expr, around: Surroundings
    ) -> ast.Expr:
        inside = around.in_focus_of(base)
        visited: list[ast.Expr] = []
        are_tests = [is_test(one) for one in predicates]
        changes = [self._changes(one, around) for one in predicates]
        for wanted in (is_equality, is_any):
            # Between the last predicate that is not a test and this one there are tests only.
            tests_from = 0
            for index, predicate in enumerate(predicates):
                if not are_tests[index]:
                    tests_from = index + 1
                    continue
                behind = list(takewhile(are_tests.__getitem__, range(index + 1, len(predicates))))
                place, rest = _place_behind(base, predicates[index + 1 + len(behind) :], whole)
                if not all(map(is_test, rest)):
                    continue
                visited += (self._predicate(one, base, around) for one in predicates[len(visited) : index])
                kept: list[ast.Expr] = []
                tests = [predicate]
                for number, one in enumerate(predicates[:index]):
                    # A condition that selects other items at each turn belongs to the lookup.
                    is_test_of_it = changes[number] and number >= tests_from
                    (tests if is_test_of_it else kept).append(one if is_test_of_it else visited[number])
                for number in behind:
                    # A position counts the nodes that pass all tests, so tests that are the same at each turn come
                    # first.
                    # All that another comparison leaves may be counted, so that the same holds.
                    one = predicates[number]
                    is_test_of_it = (place is None and wanted is is_equality) or changes[number]
                    (tests if is_test_of_it else kept).append(one if is_test_of_it else self.visit(one, inside))
                items = with_predicates(base, tuple(kept), whole)
                taken = set(map(id, tests))
                guards = [test for one in predicates[:index] if id(one) in taken for test in conjuncts(one)]
                found = self._looked_up(wanted, items, tests, guards, place, whole, around, inside)
                if found is not None:
                    for test in rest:
                        found = self._filtered(found, (test,), ast.Filter(found, test, span=test.span), around)
                    return found
        found = self._filtered_by_one_of(base, predicates, whole, around)
        if found is not None:
            return found
        visited += (self._predicate(one, base, around) for one in predicates[len(visited) :])
        return with_predicates(base, tuple(visited), whole)

    def _looked_up(
        self,
        wanted: Wanted,
        items: ast.Expr,
        tests: Sequence[ast.Expr],
        guards: Sequence[ast.Expr],
        place: int | None,
        whole: ast.Expr,
        around: Surroundings,
        inside: Surroundings,
    ) -> ast.Expr | None:
        """E[A = B and C][D] → for join $x in E by A($x) = B where C($x) where D($x) return $x.

        `guards` are tested before the first test.
        """
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
            found = self._looked_up(wanted, collection, tests, guards, place, whole, here, inside)
            if not isinstance(found, ast.Flwor):
                return None
            return replace(found, clauses=(self._searched(anchor, around), *found.clauses))
        name = self.facts.fresh()
        item = ast.VarRef(name, span=whole.span)
        same_root = inside.focus.is_in_input == around.focus.is_in_input
        all_tests = [one for test in tests for one in conjuncts(test)]
        for condition in asked:
            own, other = around.settled(condition.own), condition.other
            if not reads_item(own) or reads_item(other) or (reads_focus(other) and not same_root):
                continue
            if reads_root(own):
                continue
            depth = max(around.depth_of(collection), depth_without(around, own))
            if not self._pays(depth, condition, collection, around):
                continue
            if may_fail(condition):
                tested = [*guards, *tests_before(condition, all_tests)]
                earlier = [one for one in tested if not uses_position(one) and not reads_root(one)]
                of_item = [one for one in earlier if reads_item(one) and depth_without(around, one) <= depth]
                of_others = [one for one in earlier if not reads_item(one) and (same_root or not reads_focus(one))]
                own = guarded(own, [around.settled(one) for one in of_item])
                other = guarded(other, of_others)
            try:
                key = Substitution({}, item).apply(own)
                is_left = [one for one in all_tests if condition.is_implied or one is not condition.whole]
                left = [Substitution({}, item).apply(one) for one in is_left]
            except FocusInTheWay:
                return None
            if any(map(reads_root, left)) and not same_root:
                return None
            loop = ast.ForClause(name, None, collection, None, span=whole.span)
            join = self._join(loop, collection, key, condition._replace(other=other), around)
            inner = around.in_loop(name, over=collection)
            join, wheres = self._with_more(join, [ast.WhereClause(test, span=test.span) for test in left], around)
            if place is not None and wheres:
                # A position counts the nodes that pass all tests.
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
            bindings.append(replace(binding, collection=self._items(binding.collection, around)))
            around = around.in_loop(binding.name, over=bindings[-1].collection)
        return replace(node, bindings=tuple(bindings), satisfies=self.visit(node.satisfies, around))

    def _comparison(self, node: ast.GeneralComparison, around: Surroundings) -> ast.Expr | None:
        """B = E, if E is the same for many turns of a loop and may have many items."""
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
                    inner = replace(inner, clauses=(self._searched(anchor, around), *inner.clauses))
                    return _called("exists", inner)
                continue
            found = self._compared_with(values, condition, node, around)
            if found is not None:
                return _called("exists", found)
        return None

    def _compared_with(
        self, values: ast.Expr, condition: Condition, node: ast.Expr, around: Surroundings
    ) -> ast.Flwor | None:
        """The items of a sequence that fulfil a condition, as a lookup."""
        if self._pays(around.depth_of(values), condition, values, around):
            name = self.facts.fresh()
            item = ast.VarRef(name, span=node.span)
            loop = ast.ForClause(name, None, self._items(values, around), None, span=node.span)
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
        """A loop over the siblings of an item as a lookup, in a tree or in the nodes that a stream keeps."""
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
                # A step from one item of a loop is short; one from the input, or a document, may be long.
                return around.depth_of(values) == 0 or _goes_far(values)
            case ast.VarRef(name=name):
                return name.expanded in around.many or name.expanded in self.facts.sequences
            case ast.FunctionCall(name=name, arguments=(argument,)) if name.expanded in _OF_EACH:
                return self._may_be_many(argument, written, around)
            case ast.Flwor() | ast.Filter() | ast.SimpleMap():
                return around.depth_of(values) == 0
            case ast.FunctionCall():
                return around.depth_of(values) == 0 and may_be_many(values)
            case ast.SequenceExpr(items=parts):
                return any(self._may_be_many(part, part, around) for part in parts)
            case ast.SetOperation(left=left, right=right):
                return self._may_be_many(left, left, around) or self._may_be_many(right, right, around)
        return False


def _called(function: str, argument: ast.Expr) -> ast.Expr:
    return ast.FunctionCall(ast.Name(function, "fn", FN), (argument,), span=argument.span)


def _place_behind(
    base: ast.Expr, predicates: tuple[ast.Expr, ...], whole: ast.Expr
) -> tuple[int | None, tuple[ast.Expr, ...]]:
    """The position that a number after a predicate requests among children of one parent, and the other predicates."""
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


def _chooses(path: ast.Expr) -> bool:
    """Whether a step of a path has predicates, or a loop has conditions or ranges over the result of a path."""
    if isinstance(path, ast.Flwor):
        loops = [clause.collection for clause in path.clauses if isinstance(clause, ast.ForClause)]
        if any(isinstance(clause, ast.WhereClause) for clause in path.clauses) or any(map(_chooses, loops)):
            return True
        return len(loops) == 1 and isinstance(loops[0], ast.Path) and _goes_down(loops[0])
    while isinstance(path, ast.Path):
        if isinstance(path.right, ast.AxisStep) and path.right.predicates:
            return True
        path = path.left
    return isinstance(path, ast.AxisStep) and bool(path.predicates)


def _goes_down(path: ast.Expr) -> bool:
    """Whether a path reads more than attributes of the current node or its ancestors."""
    axes = {node.axis for node in path.walk() if isinstance(node, ast.AxisStep)}
    return bool(axes - {"attribute", "self", *ast.UPWARDS})


_OF_EACH = ((FN, "data"), (FN, "distinct-values"))


def _goes_far(path: ast.Expr) -> bool:
    """Whether a path goes to descendants, or up before it goes down."""
    axes = [node.axis for node in path.walk() if isinstance(node, ast.AxisStep)]
    return any(axis.startswith("descendant") or axis in ast.UPWARDS for axis in axes)
