"""Translate the body of a query to XQuery⁻: streamable expressions become its constructs, all others become leaves.

Direct constructors become fixed tags with their content between them; `for` over a streamable path becomes a loop, a
path a copy, a condition an `if`. The value of a `let` replaces its variable if it is a path, or if the query reads the
variable once. The translation changes nothing else: the rules of the normal form handle predicates and long paths.
"""

from __future__ import annotations

from collections.abc import Iterable
from collections.abc import Sequence as Seq
from dataclasses import dataclass, replace
from functools import partial

from xylem.analysis.facts.best_match_loops import join_of
from xylem.analysis.facts.value_expressions import gives_values
from xylem.analysis.focus import uses_position
from xylem.analysis.looking_around import looks_behind, looks_beside, looks_far
from xylem.analysis.readable_names import with_readable_names
from xylem.analysis.streamable_paths import StreamablePath, is_element_test, streamable_path
from xylem.functions.registry import FN
from xylem.plan.flux import (
    EMPTY,
    ROOT,
    CloseWindows,
    Copy,
    Fixed,
    Flux,
    For,
    GiveItem,
    If,
    Leaf,
    Opening,
    OpenWindows,
    Sequence,
    Step,
)
from xylem.syntax import ast, print_query

from .best_match import one_at_a_time
from .conditions_above import with_conditions_above
from .count_clause import count_by_position
from .counted_positions import counted, picked
from .forward_axes import forward
from .forward_loops import bind_parent
from .fresh_names import Names
from .leaf_limits import LeafLimits, TooFar, stream_variables
from .let_values import is_worth_inlining
from .nearest_siblings import any_sibling
from .negation import negated
from .path_prefixes import Rest, cut_paths, is_local, nesting_paths, path_from, split_start, stays_inside
from .paths_into_windows import gives_items_in_order, is_one_node, path_of_each_window
from .stream_windows import (
    ADD_TIMESTAMP,
    are_windows,
    binds_data_windows,
    by_arrival,
    collection_of,
    follows_stream,
    given,
    gives_elements,
    gives_windows,
    over_items,
    over_results,
    stand_alone,
    window_index,
)
from .substitution import FocusInTheWay, Substitution, variable
from .tests_of_loops import with_tests_above
from .window_results import about_each

_OF_ALL_TUPLES = (ast.OrderByClause, ast.GroupByClause, ast.CountClause)
MOST_CHOICES = 16
"""Longer chains of `else if` about an item are one expression over its values."""
_PICKING = ("head", "tail", "subsequence", "outermost")
"""Functions that pick items of a path."""


def to_flux(body: ast.Expr, limits: LeafLimits | None = None, names: Names | None = None) -> Flux:
    """The query as XQuery⁻. One leaf over the whole document evaluates whatever XQuery⁻ cannot express."""
    has_windows = any(isinstance(node, (ast.WindowClause, ast.ForseqClause, ast.DataWindow)) for node in body.walk())
    converter = _Converter(names or Names(body), limits or LeafLimits(), has_windows)
    start = _Place(Substitution({}, variable(ROOT), variable(ROOT)), frozenset({ROOT}))
    try:
        return converter.convert(body, start)
    except (TooFar, FocusInTheWay):
        return Leaf(body, is_global=True)


@dataclass(frozen=True)
class _Place:
    """The place of an expression: the values of names, and its surroundings."""

    names: Substitution
    streams: frozenset[str]
    """The variables bound to nodes of the stream."""
    inside: tuple[ast.DirectElement, ...] = ()
    """The enclosing constructors that declare namespaces."""

    def where(self, name: ast.Name, stands_for: ast.Expr) -> _Place:
        known = {**self.names.variables, name.expanded: stands_for}
        return replace(self, names=replace(self.names, variables=known))

    def with_stream(self, name: str) -> _Place:
        """Inside a loop that binds a program variable: below it, a leading `/` is that of the stream."""
        known = {**self.names.variables, ("", name): variable(name)}
        return replace(self, names=replace(self.names, variables=known), streams=self.streams | {name})

    @property
    def resolved(self) -> _Place:
        """The place for an expression whose names have been replaced, so that nothing is replaced twice."""
        known = {("", name): variable(name) for name in self.streams}
        return replace(self, names=replace(self.names, variables=known))


class _Converter:
    def __init__(self, names: Names, limits: LeafLimits, has_windows: bool) -> None:
        self.names = names
        self.limits = limits
        self.has_windows = has_windows

    def convert(self, expr: ast.Expr, place: _Place) -> Flux:
        asked = self._of_windows(expr, place) or self._of_each(expr, place) if self.has_windows else None
        if asked is not None:
            return asked
        if not self._is_taken_apart(expr):
            return self._leaf(expr, place)
        match expr:
            case ast.SequenceExpr(items=items):
                return sequence(self.convert(item, place) for item in items)
            case ast.DirectElement():
                return self._element(expr, place)
            case ast.ComputedElement(name=name, body=body) if isinstance(name, ast.Name):
                content = (ast.EnclosedExpr(body, span=body.span),)
                return self._element(ast.DirectElement(name, (), (), content, span=expr.span), place)
            case ast.EnclosedExpr(body=body) | ast.OrderingExpr(body=body):
                # Any order will do for `unordered`: document order is one.
                return self.convert(body, place)
            case ast.Flwor(clauses=clauses, result=result):
                return self._flwor(expr, clauses, result, place)
            case ast.If():
                return self._if(expr, place)
            case ast.VarRef(name=name) if gives_windows(place.names.variables.get(name.expanded, expr)):
                return self.convert(place.names.variables[name.expanded], place.resolved)
            case ast.VarRef() | ast.Path() | ast.AxisStep() | ast.Filter() | ast.ContextItem() | ast.Root():
                return self._path(expr, place)
            case ast.SimpleMap(left=left, right=right) if gives_windows(left) and not uses_position(right):
                each = ast.Name(self.names.invent("each"), None, "")
                loop = ast.ForClause(each, None, left, None, span=left.span)
                body = Substitution({}, ast.VarRef(each, span=left.span)).apply(right)
                return self.convert(ast.Flwor((loop,), body, span=expr.span), place)
            case ast.SimpleMap(left=left, right=right) if not uses_position(right):
                return self._each(left, lambda item: Substitution({}, item).apply(right), expr, place)
            case ast.FunctionCall(name=name, arguments=(argument,)) if name.expanded == ADD_TIMESTAMP:
                return self._each(argument, lambda item: replace(expr, arguments=(item,)), expr, place)
            case ast.FunctionCall(name=ast.Name(local="data", uri=uri), arguments=(argument,)) if uri == FN:
                return self._each(argument, lambda item: replace(expr, arguments=(item,)), expr, place)
            case ast.FunctionCall(name=ast.Name(local=local, uri=uri)) if uri == FN and local in _PICKING:
                return self._path(expr, place)
        return self._leaf(expr, place)

    def _is_taken_apart(self, expr: ast.Expr) -> bool:
        """Whether the parts of an expression may be evaluated separately: no statement changes what they read."""
        steady = self.limits.statements.is_steady
        if not self.limits.statements or steady(expr):
            return True
        match expr:
            case ast.SequenceExpr() | ast.DirectElement() | ast.ComputedElement() | ast.EnclosedExpr():
                return True
            case ast.Flwor(clauses=(ast.ForClause(collection=collection), *_)):
                return steady(collection)
            case ast.Flwor(clauses=(ast.WhereClause(test=test), *_)) | ast.If(test=test):
                return steady(test)
            case ast.Flwor(clauses=(ast.LetClause(value=value), *_)):
                return steady(value)
            case ast.SimpleMap(left=left):
                return steady(left)
            case ast.Flwor(clauses=()):
                return True
        return False

    # --- constructors

    def _element(self, element: ast.DirectElement, place: _Place, literal: bool = False) -> Flux:
        if is_constant(element):
            return Fixed(print_query(with_readable_names(element)), element, element, literal)
        inner = replace(place, inside=(*place.inside, bare(element))) if element.namespaces else place
        opening, closing = self._tags(element, inner, literal)
        return sequence([opening, *self._content(element.content, inner), closing])

    def _tags(self, element: ast.DirectElement, place: _Place, literal: bool) -> tuple[Flux, Fixed]:
        tag = bare(element)
        written = print_query(with_readable_names(replace(tag, attributes=(), namespaces=())))
        closing = Fixed(f"</{written.removeprefix('<').removesuffix('/>').rstrip()}>", closes=tag)
        if all(isinstance(part, str) for attribute in element.attributes for part in attribute.parts):
            text = f"{print_query(with_readable_names(tag)).removesuffix('/>').rstrip()}>"
            return Fixed(text, opens=tag, literal=literal), closing
        tag = place.names.apply(tag)
        for attribute in tag.attributes:
            for part in attribute.parts:
                if not isinstance(part, str):
                    self.limits.check(part.body, place.streams)
        return Opening(tag, place.inside, literal), closing

    def _content(self, content: Seq[ast.Expr], place: _Place) -> list[Flux]:
        parts: list[Flux] = []
        after_value = False
        for item in content:
            made = self._content_item(item, place)
            is_value = isinstance(item, ast.EnclosedExpr) and _ends_in_value(made)
            if after_value and is_value:
                parts.append(Fixed(""))
            parts.append(made)
            # An enclosed expression without items leaves its neighbours adjacent.
            after_value = is_value or (after_value and isinstance(item, ast.EnclosedExpr))
        return parts

    def _content_item(self, item: ast.Expr, place: _Place) -> Flux:
        match item:
            case ast.DirectText(value=value):
                return Fixed(value)
            case ast.DirectElement():
                return self._element(item, place, literal=True)
        return self.convert(item, place)

    # --- loops and conditions

    def _flwor(self, whole: ast.Flwor, clauses: Seq[ast.Clause], result: ast.Expr, place: _Place) -> Flux:
        """The clauses one after the other; if one cannot be taken apart, the rest is one leaf."""
        if not clauses:
            return self.convert(result, place)
        clause, rest = clauses[0], clauses[1:]
        left = replace(whole, clauses=tuple(clauses), result=result)
        if not self._is_taken_apart(left):
            return self._leaf(left, place)
        match clause:
            case ast.ForClause(type=None, allowing_empty=False):
                split = by_arrival(clause, rest, result, self.names) or bind_parent(clause, rest, result, self.names)
                if split is not None:
                    return self._flwor(whole, *split, place)
                above = self._tested_above(clause, rest, place)
                if above is not None:
                    return self._flwor(whole, *above, result, place)
                numbered = count_by_position(clause, rest, result)
                if numbered is not None:
                    return self._flwor(whole, *numbered, place)
                made = self._for(clause, rest, result, place) or self._join_of_each(clauses, result, place)
                if made is not None:
                    return made
            case ast.LetClause(type=None, name=name, value=value):
                if is_worth_inlining(clause, rest, result):
                    return self._flwor(whole, rest, result, place.where(name, self._inlined(value, place)))
            case ast.WhereClause(test=test):
                return if_then(self._condition(test, place), self._flwor(whole, rest, result, place))
        windows = self._windows(whole, clauses, result, place)
        if windows is not None:
            return windows
        return self._leaf(left, place)

    def _join_of_each(self, clauses: Seq[ast.Clause], result: ast.Expr, place: _Place) -> Flux | None:
        """A best-match join that finds the partners of each item as it passes."""
        made = one_at_a_time(clauses)
        if made is None:
            return None
        first, rest = made
        others = [self._resolved(loop.collection, place) for loop in rest[1:] if isinstance(loop, ast.ForClause)]
        if any(stream_variables(other, place.streams) for other in others):
            # The other side streams, too, and must be complete first: then all pairs are found at once.
            return None
        return self._for(first, rest, result, place)

    def _for(self, clause: ast.ForClause, rest: Seq[ast.Clause], result: ast.Expr, place: _Place) -> Flux | None:
        if any(isinstance(c, _OF_ALL_TUPLES) for c in rest) or join_of((clause, *rest), 0) is not None:
            # They need all tuples at once.
            return None
        collection = self._resolved(clause.collection, place)
        window = collection if isinstance(collection, ast.DataWindow) else None
        found = streamable_path(collection if window is None else window.base, place.streams)
        number = picked(collection, place.streams) if found is None and clause.position is None else None
        if number is not None:
            found = number.path
        if found is None:
            return self._for_below(clause, collection, rest, result, place)
        if not found.steps or (window is not None and clause.position is not None):
            return None
        if window is not None and any(step.predicates or step.axis == "descendant" for step in found.steps):
            # Items that pass the tests are given to its windows.
            return None
        is_counted = clause.position is not None or number is not None
        if _is_told_wrongly(found, ast.Flwor(tuple(rest), result), clause.name.expanded, is_counted):
            return None
        bound = self.names.keep(clause.name)
        inner = place.where(clause.name, variable(bound))
        if window is None:
            inner = replace(inner, streams=inner.streams | {bound})
        position = None
        if clause.position is not None:
            position = self.names.keep(clause.position)
            inner = inner.where(clause.position, variable(position))
        conditions: tuple[ast.Expr, ...] = ()
        if not self._can_follow(found, place):
            split = with_conditions_above(found, variable(bound), partial(self._is_local_test, place=place))
            if number is not None or window is not None:
                # They count the items that pass all tests.
                return None
            if split is None or position is not None:
                return self._for_below(clause, collection, rest, result, place)
            found, conditions = split
        path = tuple(map(flux_step, found.steps))
        try:
            body = self._flwor(ast.Flwor((), result), rest, result, inner)
            for condition in reversed(conditions):
                body = if_then(self._condition(condition, inner.resolved), body)
        except TooFar:
            # The body looks further than its variable: one step up, these nodes may be in reach.
            return None
        where = None
        if number is not None:
            position = self.names.invent("position")
            where = counted(number.predicate, variable(position))
        return For(bound, found.variable, path, body, where, position, window)

    def _windows(self, whole: ast.Flwor, clauses: Seq[ast.Clause], result: ast.Expr, place: _Place) -> Flux | None:
        """Windows over streamed items, which are given to them as they pass."""
        index = window_index(clauses)
        collection = None if index is None else collection_of(clauses, index)
        if index is None or collection is None:
            return None
        try:
            expression = self._resolved(over_items(whole, clauses, index, result), place)
            assert isinstance(expression, ast.Flwor)
            self.limits.check(expression, place.streams)
            if not stand_alone(expression):
                return None
            nested = self._nested_items(self._resolved(collection, place), expression, place)
            items = nested or given(self.convert(collection, place), expression, self.names)
        except (TooFar, FocusInTheWay):
            return None
        if items is None or not follows_stream(items):
            return None
        source = self._resolved(collection, place)
        opening = OpenWindows(expression, place.inside, gives_elements(items), nested is not None, source)
        return sequence([opening, items, CloseWindows()])

    def _of_windows(self, expr: ast.Expr, place: _Place) -> Flux | None:
        """A function of all window results, or some of them by number: it gets them as they come."""
        try:
            split = over_results(self._resolved(expr, place))
            if split is None:
                return None
            windows, outer = split
            if isinstance(outer, ast.DirectElement) and stream_variables(outer, place.streams):
                # Its content follows the stream, and cannot be written before its attributes are known.
                return None
            made = self._bracketed(windows, place.resolved)
            if made is None:
                return None
            self.limits.check(outer, place.streams)
        except (TooFar, FocusInTheWay):
            return None
        if isinstance(made, Sequence) and isinstance(made.parts[0], OpenWindows):
            made = replace(made, parts=(replace(made.parts[0], gives_all=True), *made.parts[1:]))
        return sequence([OpenWindows(outer, place.inside), made, CloseWindows()])

    def _bracketed(self, windows: ast.Expr, place: _Place) -> Flux | None:
        """Windows whose results are taken between brackets; None if the source returns them in another way."""
        if isinstance(windows, ast.Flwor) and any(map(binds_data_windows, windows.clauses)):
            return self._windows(windows, windows.clauses, windows.result, place)
        made = self.convert(windows, place)
        return made if are_windows(made) else None

    def _of_each(self, expr: ast.Expr, place: _Place) -> Flux | None:
        """A path or a test on window results: each is evaluated when it comes."""
        match expr:
            case ast.Path() | ast.Filter():
                pass
            case ast.FunctionCall(name=ast.Name(local="data", uri=uri), arguments=(_,)) if uri == FN:
                pass
            case _:
                return None
        try:
            resolved = self._resolved(expr, place)
        except FocusInTheWay:
            return None
        if not gives_windows(resolved):
            return None
        pushed = path_of_each_window(resolved, place.streams) if isinstance(resolved, ast.Path) else None
        if pushed is not None:
            return self.convert(pushed, place.resolved)
        mapped = about_each(resolved, lambda start: is_one_node(start) or gives_items_in_order(start, place.streams))
        return None if mapped is None else self.convert(mapped, place.resolved)

    def _nested_items(self, resolved: ast.Expr, expression: ast.Flwor, place: _Place) -> Flux | None:
        """Items that may be nested: those inside one outermost item arrive together, in one tree."""
        for first, rest in nesting_paths(resolved, place.streams, whole=True):
            *before, last = first.steps
            self._check_path(first, place)
            bound = self.names.invent(flux_step(last).name)
            below = rest(ast.Path(variable(bound), replace(last, axis="descendant-or-self"), span=last.span))
            if stream_variables(below, place.streams):
                # A test cannot read content of open elements before they end.
                return None
            steps = (*before, replace(last, predicates=()))
            give = GiveItem(bound, expression, below)
            return For(bound, first.variable, tuple(map(flux_step, steps)), give, outermost=True)
        return None

    def _for_below(
        self, clause: ast.ForClause, collection: ast.Expr, rest: Seq[ast.Clause], result: ast.Expr, place: _Place
    ) -> Flux | None:
        """for $y in π/ρ return … → for $x in π return for $y in $x/ρ return …."""
        if clause.position is not None:
            return None
        for first, below in cut_paths(collection, place.streams):

            def inner(item: ast.Expr, below: Rest = below) -> ast.Expr:
                return ast.Flwor((replace(clause, collection=below(item)), *rest), result)

            try:
                return self._loop(first, inner, place)
            except TooFar:
                continue
        return None

    def _if(self, expr: ast.If, place: _Place) -> Flux:
        if len(place.streams) > 1 and _number_of_choices(expr) > MOST_CHOICES:
            # Each choice would repeat the conditions of all before it.
            try:
                return self._leaf(expr, place)
            except TooFar:
                pass
        then, otherwise = self.convert(expr.then, place), self.convert(expr.otherwise, place)
        if isinstance(then, Leaf) and isinstance(otherwise, Leaf):
            return self._leaf(expr, place)
        test = self._condition(expr.test, place)
        return sequence([if_then(test, then), if_then(negated(test), otherwise)])

    def _path(self, expr: ast.Expr, place: _Place) -> Flux:
        resolved = self._resolved(expr, place)
        found = streamable_path(resolved, place.streams)
        if found is not None:
            if self._can_follow(found, place):
                return Copy(found.variable, tuple(map(flux_step, found.steps)))
            # A test looks further than its node: at its open ancestors, or at nodes kept where the path starts.
            return self._by_conditions(found, place) or self._cut(resolved, found, place) or self._leaf(expr, place)
        numbered = self._picked(resolved, place) or self._mapped(resolved, expr, place)
        if numbered is not None:
            return numbered
        outermost = self._outermost(resolved, place)
        if outermost is not None:
            return outermost
        return self._cut(resolved, found, place) or self._by_outermost(resolved, place) or self._leaf(expr, place)

    def _cut(self, resolved: ast.Expr, found: StreamablePath | None, place: _Place) -> Flux | None:
        """π/ρ → for $x in π return $x/ρ."""
        for first, rest in cut_paths(resolved, place.streams):
            try:
                return self._loop(first, rest, place)
            except TooFar:
                # The rest looks above the first part: cut earlier.
                continue
        if found is None or len(found.steps) < 2 or found.steps[-1].axis != "attribute":
            return None
        # Attributes come in the order of their elements, even where these nest.
        try:
            return self._loop(found._replace(steps=found.steps[:-1]), path_from(found.steps[-1:]), place)
        except TooFar:
            return None

    def _outermost(self, resolved: ast.Expr, place: _Place) -> Flux | None:
        """outermost(π//a)/ρ → for each outermost $x in π//a return $x/ρ."""
        start, rest = split_start(resolved)
        match start:
            case ast.FunctionCall(name=name, arguments=(argument,)) if name.expanded == (FN, "outermost"):
                path = streamable_path(argument, place.streams)
            case _:
                return None
        if path is None or not any(step.axis == "descendant" for step in path.steps):
            return None
        if not all(is_element_test(step.test) and not step.predicates for step in path.steps):
            # Tests would have to be decided before it is known which matches are nested.
            return None
        if not stays_inside(rest) or not all(is_local(part, place.streams) for part in rest):
            return None
        try:
            return replace(self._loop(path, path_from(rest), place, is_counted=True), outermost=True)
        except TooFar:
            return None

    def _by_outermost(self, resolved: ast.Expr, place: _Place) -> Flux | None:
        """π//a/ρ → for each outermost $x in π//a return $x/descendant-or-self::a/ρ, in document order."""
        for first, rest in nesting_paths(resolved, place.streams):
            last = first.steps[-1]

            def inside(item: ast.Expr, last: ast.AxisStep = last, rest: Rest = rest) -> ast.Expr:
                return rest(ast.Path(item, replace(last, axis="descendant-or-self"), span=last.span))

            plain = first._replace(steps=(*first.steps[:-1], replace(last, predicates=())))
            bound = self.names.invent(flux_step(last).name)
            inner = place.with_stream(bound)
            try:
                self._check_path(first, place)
                body = self._leaf(inside(variable(bound)), inner)
            except TooFar:
                continue
            return For(bound, first.variable, tuple(map(flux_step, plain.steps)), body, outermost=True)
        return None

    def _picked(self, resolved: ast.Expr, place: _Place) -> Flux | None:
        """(π)[n]/ρ → for $x at $p in π where $p = n return $x/ρ."""
        start, rest = split_start(resolved)
        found = picked(start, place.streams)
        if found is None or not all(is_local(part, place.streams) for part in rest):
            return None
        if not self._can_follow(found.path, place):
            # Counted items have passed all tests, including those that the loop would make.
            return None
        if rest and not found.is_single and not stays_inside(rest):
            return None
        if _needs_order(rest) and not found.is_single and any(step.axis != "child" for step in found.path.steps):
            # Items may nest: their descendants would come twice, or out of order.
            return None
        number = self.names.invent("position")
        test = counted(found.predicate, variable(number))
        try:
            loop = self._loop(found.path, path_from(rest), place, is_counted=True)
        except TooFar:
            return None
        return replace(loop, position=number, where=test)

    def _mapped(self, resolved: ast.Expr, whole: ast.Expr, place: _Place) -> Flux | None:
        """π/f(.) → for $x in π return f($x), if f returns values and no nodes: each match separately."""
        if not isinstance(resolved, ast.Path) or isinstance(resolved.right, ast.AxisStep):
            return None
        result = resolved.right
        if uses_position(result) or not gives_values(result):
            return None
        made = self._each(resolved.left, lambda item: Substitution({}, item).apply(result), whole, place)
        return None if isinstance(made, Leaf) else made

    def _each(self, items: ast.Expr, result: Rest, whole: ast.Expr, place: _Place) -> Flux:
        """for $x in items return result($x)."""
        found = streamable_path(self._resolved(items, place), place.streams)
        if found is None or not found.steps:
            return self._leaf(whole, place)
        try:
            return self._loop(found, result, place)
        except (TooFar, FocusInTheWay):
            return self._leaf(whole, place)

    def _loop(self, path: StreamablePath, result: Rest, place: _Place, *, is_counted: bool = False) -> For:
        bound = self.names.invent(flux_step(path.steps[-1]).name)
        inner = place.with_stream(bound)
        conditions: tuple[ast.Expr, ...] = ()
        if not self._can_follow(path, place):
            split = with_conditions_above(path, variable(bound), partial(self._is_local_test, place=place))
            if split is None:
                raise TooFar
            path, conditions = split
        made = result(variable(bound))
        if _is_told_wrongly(path, made, ("", bound), is_counted):
            raise TooFar
        body = self.convert(made, inner)
        for condition in reversed(conditions):
            body = if_then(self._condition(condition, inner.resolved), body)
        return For(bound, path.variable, tuple(map(flux_step, path.steps)), body)

    def _tested_above(
        self, clause: ast.ForClause, rest: Seq[ast.Clause], place: _Place
    ) -> tuple[tuple[ast.Clause, ...]] | None:
        """The clauses with a `where` about ancestors turned into a predicate, if the path can then be streamed."""
        tested = with_tests_above(clause, rest)
        if tested is None:
            return None
        loop, left = tested
        found = streamable_path(self._resolved(loop.collection, place), place.streams)
        return ((loop, *left),) if found is not None and self._can_follow(found, place) else None

    def _by_conditions(self, path: StreamablePath, place: _Place) -> Flux | None:
        """π/a[χ] → for $x in π/a where χ($x) return $x, if χ looks at the open ancestors of an a."""
        bound = self.names.invent(flux_step(path.steps[-1]).name)
        split = with_conditions_above(path, variable(bound), partial(self._is_local_test, place=place))
        if split is None:
            return None
        inner = replace(place, streams=place.streams | {bound}).resolved
        body: Flux = Copy(bound)
        try:
            for condition in reversed(split.conditions):
                body = if_then(self._condition(condition, inner), body)
        except (TooFar, FocusInTheWay):
            return None
        return For(bound, path.variable, tuple(map(flux_step, split.path.steps)), body)

    def _is_local_test(self, test: ast.Expr, place: _Place) -> bool:
        try:
            self.limits.check_predicate(test, place.streams)
        except TooFar:
            return False
        return True

    def _can_follow(self, path: StreamablePath, place: _Place) -> bool:
        """Whether the tests of a path look no further than the nodes they test."""
        try:
            self._check_path(path, place)
        except TooFar:
            return False
        return True

    def _check_path(self, path: StreamablePath, place: _Place) -> None:
        for step in path.steps:
            for predicate in step.predicates:
                self.limits.check_predicate(predicate, place.streams)

    # --- everything else

    def _leaf(self, expr: ast.Expr, place: _Place) -> Flux:
        if isinstance(expr, ast.SequenceExpr) and not expr.items:
            return EMPTY
        resolved = self._resolved(expr, place)
        self.limits.check(resolved, place.streams)
        return Leaf(resolved, place.inside)

    def _condition(self, test: ast.Expr, place: _Place) -> ast.Expr:
        resolved = self._resolved(any_sibling(test), place)
        self.limits.check(resolved, place.streams)
        return resolved

    def _inlined(self, value: ast.Expr, place: _Place) -> ast.Expr:
        return self._resolved(value, place)

    def _resolved(self, expr: ast.Expr, place: _Place) -> ast.Expr:
        return forward(place.names.apply(expr))


def _needs_order(rest: Seq[ast.Expr]) -> bool:
    """Whether the results of a path's parts may overlap for nested nodes: all except attributes may."""
    return any(not isinstance(part, ast.AxisStep) or part.axis != "attribute" for part in rest)


# --- small constructors, which keep sequences flat and without empty parts


def sequence(parts: Iterable[Flux]) -> Flux:
    """The parts as a sequence; a single part is returned as it is."""
    flat: list[Flux] = []
    for part in parts:
        flat.extend(part.parts if isinstance(part, Sequence) else [part])
    return flat[0] if len(flat) == 1 else Sequence(tuple(flat))


def if_then(condition: ast.Expr, body: Flux) -> Flux:
    return EMPTY if body == EMPTY else If(condition, body)


def bare(element: ast.DirectElement) -> ast.DirectElement:
    """The constructor without its content."""
    return replace(element, content=())


def is_constant(element: ast.DirectElement) -> bool:
    """Whether there is no expression inside: a fixed string."""
    return not any(isinstance(node, ast.EnclosedExpr) for node in element.walk())


def flux_step(step: ast.AxisStep) -> Step:
    """A step of a path in the form of FluX."""
    plain = replace(step, axis="child" if step.axis == "descendant" else step.axis, predicates=())
    name = print_query(with_readable_names(plain))
    return Step(name, step.axis, step.test, step.predicates)


def _ends_in_value(part: Flux) -> bool:
    """Whether it may begin or end with atomic values."""
    match part:
        case Leaf() | CloseWindows():
            return True
        case Sequence(parts=parts):
            return any(map(_ends_in_value, parts))
        case For(body=body) | If(body=body):
            return _ends_in_value(body)
    return False


def _is_told_wrongly(path: StreamablePath, body: ast.Expr, name: tuple[str, str], is_counted: bool) -> bool:
    """Whether the scan would report an item too early or too late for what its body reads around it.

    Items that wait for what comes after them are neither counted as they pass, nor known to be outermost.

    It reports a text or comment as soon as it is complete, before its siblings. It reports an item whose body reads
    children of an ancestor at the end of that one, which may come after elements that loops around it go through.
    """
    if not is_element_test(path.steps[-1].test):
        return looks_beside(body, name)
    if is_counted and looks_behind(body, name):
        return True
    goes_through = path.variable != ROOT or (len(path.steps) > 1 and path.steps[0].axis == "child")
    return goes_through and looks_far(body, name)


def _number_of_choices(chain: ast.Expr) -> int:
    number = 0
    while isinstance(chain, ast.If):
        number, chain = number + 1, chain.otherwise
    return number
