"""Take aggregates, and conditions (§3.7.2), out of expressions, to compute them while the stream passes (§3.8.1).

        count($y/a/b[c > 3]) + 1            →     $aggregate_1 + 1,  with a counter fed by each $y/a/b
        if ($y/a = "x") then …              →     if ($aggregate_2) then …,  which is exists($y/a[. = "x"])
        some $x in $y/a satisfies p($x)     →     $aggregate_3,  which is exists(for $x in $y/a where p($x) return 1)
        fold-left($y/a, 0, f)               →     $aggregate_4,  updated by f for each $y/a
        $y/a[last()], string-join($y/a)     →     $aggregate_5, $aggregate_6
        $y/a[position() > last() - 3]       →     $aggregate_7[position() > last() - 3],  which is the last three
        head(for $x in $y/a order by …)     →     head(for $x in $aggregate_8 order by …),  which is the first one

Gain:   the run keeps no a/b, only a number, a value, the last item, or the text joined so far.
Needs:  the argument is a path of elements from the variable, or a `for` over one without `order by`, `group by` or
        positions; it reads no other variable of the program, none bound around it inside the expression, and no other
        focus. A comparison has a constant, or a global variable, on its other side.
Safe:   the functions depend only on the values in their order, which the stream keeps. An error waits until the
        query reads the value.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, fields, replace
from typing import Any

from xylem.analysis.bound_names import bound_in, read_variables
from xylem.analysis.facts.literals import LITERALS
from xylem.analysis.focus import reads_focus
from xylem.analysis.free_variables import free_in
from xylem.analysis.last_items import is_last, last_items, looks_at_copies, sees_more_than_items
from xylem.analysis.looking_around import looks_beside
from xylem.analysis.projection import NotProjectable, Projection, project
from xylem.functions.library import look_up
from xylem.functions.registry import FN
from xylem.functions.traits import BY_ORDER, COUNTS, IN_ANY_ORDER, MERGES
from xylem.plan.flux import ROOT
from xylem.plan.keyed_groups import FOUND_KEYS, GROUPS
from xylem.rewrite.let_values import is_read_behind_grouping
from xylem.rewrite.limited_sorts import LimitedSort, limited_sort, with_loop
from xylem.rewrite.single_pass.group_by_key import as_existence
from xylem.rewrite.substitution import FocusInTheWay, Substitution
from xylem.syntax import ast

from ..python.folds import ONE, Fold, fold_of
from ..python.keyed_groups import Grouping, grouping_of
from .fed_records import AROUND, ITEM, each_leaf, is_source, leaves_order, split_records

IN_ORDER = frozenset(local for _, local in BY_ORDER) | {"last", "first", "items", "groups"}
"""Functions whose value depends on the order of the records."""
OF_NODES = ("fold-left", "last", "first", "items", "groups")
"""Functions that take nodes, not their values."""
AGGREGATE = "aggregate "
"""Prefix for the variables of aggregates, which no query can use."""


@dataclass(frozen=True)
class Aggregate:
    """An aggregate over a stream: the records that feed it, and the value that it takes from each."""

    name: str
    """The variable for its value."""
    function: str
    prefix: tuple[ast.AxisStep, ...]
    """The path of the records, from the variable of the stream."""
    taken: ast.Expr
    """The value added for each record, in terms of ITEM."""
    parameter: str = ""
    """The separator of string-join."""
    fold: Fold | None = None
    """The fold of fold-left."""
    grouping: Grouping | None = None
    """The keys and aggregates of a table."""
    first: LimitedSort | None = None
    """The sort whose first tuples these items provide."""

    @property
    def counts(self) -> bool:
        """Whether only the number of items matters."""
        return (FN, self.function) in COUNTS

    @property
    def depends_on_order(self) -> bool:
        """Whether nested records must arrive in the order of their start tags."""
        if self.grouping is not None:
            if any(key.kind in FOUND_KEYS for key in self.grouping.keys):
                return True
            return any((FN, part.function) not in IN_ANY_ORDER for part in self.grouping.parts)
        return self.function in IN_ORDER

    @property
    def keys(self) -> tuple[ast.Expr, ...]:
        """The keys by which records are grouped or sorted; for a fold, its step."""
        if self.fold is not None:
            return (self.fold.step,)
        if self.grouping is not None:
            return tuple(key.value for key in self.grouping.keys)
        return () if self.first is None else tuple(spec.key for spec in self.first.order.specs)

    @property
    def takes_nodes(self) -> bool:
        return self.function in OF_NODES

    @property
    def in_one_step(self) -> ast.Expr:
        """The step of fold-left for a record: its needs are those of the record."""
        assert self.fold is not None
        clause = ast.ForClause(ONE.name, None, self.taken)
        return ast.Flwor((clause,), self.fold.step)

    @property
    def of_item(self) -> Aggregate:
        """The aggregate, fed with the nodes of the variable itself."""
        start: ast.Expr = ITEM
        for step in self.prefix:
            start = ast.Path(start, step, span=step.span)
        return replace(self, prefix=(), taken=Substitution({ITEM.name.expanded: start}).apply(self.taken))


_CONSTRUCTORS = (
    ast.ComputedComment, ast.ComputedDocument, ast.ComputedElement, ast.ComputedPI, ast.ComputedText, ast.DirectComment,
    ast.DirectElement, ast.DirectPI, ast.ComputedAttribute, ast.DynamicCall, ast.InlineFunction,
)  # fmt: skip
_OF_ONE = (ast.LetClause, ast.WhereClause, ast.OrderByClause, ast.CountClause)
"""Clauses that keep at most one item per tuple."""


class Extraction:
    """Takes the aggregates over one stream variable out of an expression."""

    def __init__(
        self,
        variable: str,
        first_number: int,
        others: Collection[str] = (),
        *,
        takes_items: bool = False,
        takes_leaves: bool = False,
    ) -> None:
        """`others` are the other variables of the program, whose values are unknown when a record arrives.

        With `takes_items`, the nodes of other paths are collected too, unchanged. With `takes_leaves`, aggregates may
        be fed with single text nodes.
        """
        self.takes_leaves = takes_leaves
        self.takes_items = takes_items
        self.variable = variable
        self.number = first_number
        self.others = frozenset(("", name) for name in others if name != variable)
        self.found: list[Aggregate] = []
        self._whole: Any = None
        """The expression being searched."""

    def condition(self, node: ast.Expr) -> ast.Expr:
        """A condition with its aggregates taken out; a path in it becomes a test for existence."""
        match node:
            case ast.And(left=left, right=right) | ast.Or(left=left, right=right):
                return replace(node, left=self.condition(left), right=self.condition(right))
            case ast.FunctionCall(name=name, arguments=(argument,)) if name.expanded in ((FN, "not"), (FN, "boolean")):
                return replace(node, arguments=(self.condition(argument),))
            case ast.Path():
                made = self._extracted("exists", node, frozenset(), True, node)
                if made is not None:
                    return made
        made = self.apply(node)
        assert isinstance(made, ast.Expr)
        return made

    def apply(self, node: Any, bound: frozenset[tuple[str, str]] = frozenset(), own_focus: bool = True) -> Any:
        """The expression with variables for its aggregates; the very same object if there are none."""
        if self._whole is not None:
            return self._applied(node, bound, own_focus)
        self._whole = node
        try:
            return self._applied(node, bound, own_focus)
        finally:
            self._whole = None

    def _applied(self, node: Any, bound: frozenset[tuple[str, str]], own_focus: bool) -> Any:
        taken = None
        if isinstance(node, (ast.FunctionCall, ast.Filter, ast.Flwor)):
            taken = self._first_tuples(node, bound, own_focus)
        match node:
            case _ if taken is not None:
                pass
            case ast.FunctionCall():
                taken = self._aggregate(node, bound, own_focus)
            case ast.GeneralComparison():
                taken = self._comparison(node, bound, own_focus)
            case ast.Quantified():
                taken = self._quantified(node, bound, own_focus)
            case ast.Filter() | ast.Path():
                taken = self._last(node, bound, own_focus)
            case ast.Flwor(clauses=(ast.LetClause(type=None, value=value), *_)) if self._is_fed(value):
                taken = self._with_value(node, bound, own_focus)
            case ast.Flwor():
                taken = self._ordered(node, bound, own_focus)
        if taken is None and self.takes_items and isinstance(node, ast.Path):
            taken = self._extracted("items", node, bound, own_focus, node)
        if taken is not None:
            return taken
        if not isinstance(node, ast.Node):
            return node
        changed: dict[str, Any] = {}
        for entry in fields(node):
            value = getattr(node, entry.name)
            within, focus = bound, own_focus
            if isinstance(value, (ast.Node, tuple)):
                if isinstance(node, (ast.Flwor, ast.Quantified, ast.InlineFunction, ast.Typeswitch, ast.TryCatch)):
                    within = bound | bound_in(node)
                if _changes_focus(node, entry.name):
                    focus = False
            made = self._below(value, within, focus)
            if made is not value:
                changed[entry.name] = made
        return replace(node, **changed) if changed else node

    def _below(self, value: Any, bound: frozenset[tuple[str, str]], own_focus: bool) -> Any:
        if isinstance(value, tuple):
            made = tuple(self._below(member, bound, own_focus) for member in value)
            return value if all(a is b for a, b in zip(value, made, strict=True)) else made
        return self.apply(value, bound, own_focus) if isinstance(value, ast.Node) else value

    def _aggregate(self, call: ast.FunctionCall, bound: frozenset[tuple[str, str]], own_focus: bool) -> ast.Expr | None:
        if call.name.expanded == GROUPS.expanded:
            return self._grouped(call, bound, own_focus)
        if call.name.uri != FN or not call.arguments:
            return None
        function, (argument, *more) = call.name.local, call.arguments
        if function == "fold-left" and len(more) == 2:
            return self._folded(argument, more[0], more[1], bound, own_focus, call)
        if call.name.expanded not in MERGES:
            return None
        parameter = ""
        if more:
            separator = more[0]
            if function != "string-join" or len(more) > 1 or not isinstance(separator, ast.StringLiteral):
                return None
            parameter = separator.value
        return self._extracted(function, argument, bound, own_focus, call, parameter=parameter)

    def _comparison(
        self, node: ast.GeneralComparison, bound: frozenset[tuple[str, str]], own_focus: bool
    ) -> ast.Expr | None:
        """$y/a = "x" as exists($y/a[. = "x"])."""
        for path, constant in ((node.left, node.right), (node.right, node.left)):
            if isinstance(path, ast.Path) and self._is_constant(constant, bound):
                sides = (ast.ContextItem(), constant) if path is node.left else (constant, ast.ContextItem())
                test = ast.GeneralComparison(node.op, *sides, span=node.span)
                return self._extracted("exists", path, bound, own_focus, node, test)
        return None

    def _is_constant(self, node: ast.Expr, bound: frozenset[tuple[str, str]]) -> bool:
        """Literals, and variables of the prolog."""
        if isinstance(node, ast.VarRef):
            return node.name.expanded not in bound | self.others | {("", self.variable)}
        return _is_literal(node)

    def _quantified(
        self, node: ast.Quantified, bound: frozenset[tuple[str, str]], own_focus: bool
    ) -> ast.Expr | None:
        """some $x in E satisfies p  as  exists(for $x in E where p return 1); every, as empty(… where not(p) …)"""
        if any(binding.type is not None for binding in node.bindings):
            return None
        call = as_existence(node)
        return self._extracted(call.name.local, call.arguments[0], bound, own_focus, node)

    def _last(self, node: ast.Filter | ast.Path, bound: frozenset[tuple[str, str]], own_focus: bool) -> ast.Expr | None:
        """(E)[last()], (E)[position() > last() - 3]; $y/a[last()], where $y is one node."""
        match node:
            case ast.Filter(base=base, predicate=predicate):
                return self._last_of(base, predicate, bound, own_focus, node)
            case ast.Path(left=left, right=ast.AxisStep(axis="child", predicates=predicates) as step):
                counting = next((n for n, test in enumerate(predicates) if last_items(test) is not None), None)
                if counting is None or not self._is_one_node(left):
                    return None
                path = replace(node, right=replace(step, predicates=predicates[:counting]))
                made = self._last_of(path, predicates[counting], bound, own_focus, node)
                for test in predicates[counting + 1 :]:
                    made = None if made is None else ast.Filter(made, test, span=test.span)
                return made
        return None

    def _is_one_node(self, expr: ast.Expr) -> bool:
        """Whether it is the element of the stream or, for a document, its only child."""
        if self._is_source(expr):
            return True
        match expr:
            case ast.Path(left=left, right=ast.AxisStep(axis="child", predicates=())):
                return self.variable == ROOT and self._is_source(left)
        return False

    def _last_of(
        self,
        items: ast.Expr,
        predicate: ast.Expr,
        bound: frozenset[tuple[str, str]],
        own_focus: bool,
        whole: ast.Expr,
    ) -> ast.Expr | None:
        """The number of last items that the predicate can select from, and the selection."""
        number = last_items(predicate)
        if number is None or sees_more_than_items(self._whole, number):
            return None
        made = self._extracted("last", items, bound, own_focus, whole, parameter=str(number))
        return made if made is None or is_last(predicate) else ast.Filter(made, predicate, span=whole.span)

    def _is_fed(self, value: ast.Expr) -> bool:
        """Whether a value can be substituted for its variable: a path, or a loop over one, that constructs no nodes."""
        path = value
        while isinstance(path, ast.Path) and isinstance(path.right, ast.AxisStep):
            path = path.left
        if path is not value and self._is_source(path):
            return True
        if any(map(_may_construct, value.walk())):
            return False
        return isinstance(value, (ast.Flwor, ast.SimpleMap)) and split_records(value, self.variable) is not None

    def _with_value(self, node: ast.Flwor, bound: frozenset[tuple[str, str]], own_focus: bool) -> ast.Expr | None:
        """let $s := $y/a return …, with the value in place of the variable, if aggregates over it can be taken out."""
        let, *rest = node.clauses
        assert isinstance(let, ast.LetClause)
        if is_read_behind_grouping(let.name, rest, node.result):
            return None
        inner = replace(node, clauses=tuple(rest)) if rest else node.result
        try:
            put_in = Substitution({let.name.expanded: let.value}).apply(inner)
        except FocusInTheWay:
            return None
        made = self._applied(put_in, bound, own_focus)
        return None if made is put_in else made

    def _ordered(self, node: ast.Flwor, bound: frozenset[tuple[str, str]], own_focus: bool) -> ast.Expr | None:
        """for $x in E where p order by …: items that pass the test are collected separately

        Sorting needs all tuples that pass, but nothing of the document around them.
        """
        rest = node.clauses[1:]
        # A group is a sequence of items: paths over it would reach shared nodes twice.
        if not any(isinstance(c, ast.OrderByClause) for c in rest) or not all(isinstance(c, _OF_ONE) for c in rest):
            return None
        return self._collected(node, node, bound, own_focus)

    def _first_tuples(self, node: ast.Expr, bound: frozenset[tuple[str, str]], own_focus: bool) -> ast.Expr | None:
        """(for $x in E where p order by …)[position() le 10]: the first of the items that pass the test."""
        limited = limited_sort(node)
        if limited is None:
            return None
        more = [part for part in (limited.counted, limited.limit) if isinstance(part, ast.Expr)]
        at_once = (*limited.before, limited.order, *more)
        own = {c.name.expanded for c in limited.loop.clauses if isinstance(c, (ast.ForClause, ast.LetClause))}
        if any((free_in(part) - own) & (bound | self.others) for part in at_once):
            return None
        loop = self._collected(node, limited.loop, bound, own_focus, limited)
        return None if loop is None else with_loop(node, limited, loop)

    def _collected(
        self,
        written: ast.Expr,
        node: ast.Flwor,
        bound: frozenset[tuple[str, str]],
        own_focus: bool,
        limited: LimitedSort | None = None,
    ) -> ast.Flwor | None:
        """A loop over the collected values of its items instead of the items; `written` is the expression."""
        first, *rest = node.clauses
        tests: list[ast.Clause] = []
        while rest and isinstance(rest[0], ast.WhereClause):
            tests.append(rest.pop(0))
        if not isinstance(first, ast.ForClause) or first.position or first.allowing_empty or first.type is not None:
            return None
        if any(self._reads_stream(part) or reads_focus(part) for part in (*tests, *rest, node.result)):
            return None
        if _looks_around(replace(node, clauses=(replace(first, collection=ITEM), *node.clauses[1:]))):
            # Collected items are copies: nothing is around them.
            return None
        if looks_at_copies(self._whole, written):
            return None
        passing = first.collection
        if tests:
            passing = ast.Flwor((first, *tests), ast.VarRef(first.name, span=first.span), span=node.span)
        function = "items" if limited is None else "first"
        if limited is not None:
            limited = replace(limited, loop=replace(node, clauses=(first, *rest)))
        items = self._extracted(function, passing, bound, own_focus, first.collection, first=limited)
        return None if items is None else replace(node, clauses=(replace(first, collection=items), *rest))

    def _folded(
        self,
        items: ast.Expr,
        zero: ast.Expr,
        function: ast.Expr,
        bound: frozenset[tuple[str, str]],
        own_focus: bool,
        whole: ast.Expr,
    ) -> ast.Expr | None:
        for part in (zero, function):
            if free_in(part) & (bound | self.others) or reads_focus(zero) or self._reads_stream(part):
                return None
        fold = fold_of(zero, function)
        return None if fold is None else self._extracted("fold-left", items, bound, own_focus, whole, fold=fold)

    def _grouped(self, call: ast.FunctionCall, bound: frozenset[tuple[str, str]], own_focus: bool) -> ast.Expr | None:
        """The variable for a table of accumulators."""
        found = grouping_of(call, ITEM)
        if found is None:
            return None
        records, grouping = found
        values = [key.value for key in grouping.keys] + [part.taken for part in grouping.parts]
        values += [part.fold.step for part in grouping.parts if part.fold is not None]
        if not all(_stays_below(Substitution({ONE.name.expanded: ITEM}).apply(value)) for value in values):
            return None
        return self._extracted("groups", records, bound, own_focus, call, grouping=grouping)

    def _extracted(
        self,
        function: str,
        argument: ast.Expr,
        bound: frozenset[tuple[str, str]],
        own_focus: bool,
        whole: ast.Expr,
        test: ast.Expr | None = None,
        parameter: str = "",
        fold: Fold | None = None,
        grouping: Grouping | None = None,
        first: LimitedSort | None = None,
    ) -> ast.Expr | None:
        """The variable for an aggregate over the items that pass the test, if there is one; None if it cannot be taken
        out.
        """
        if free_in(argument) & (bound | self.others) or (not own_focus and reads_focus(argument)):
            return None
        split = split_records(argument, self.variable)
        if split is None or not _stays_below(split[1]):
            return None
        by_leaf = self.takes_leaves and is_fed_with_leaves(function, split[1])
        is_around = split[0][-1].axis in AROUND or (function in IN_ORDER and leaves_order(*split))
        if is_around and not by_leaf:
            return None
        if fold is not None and not _stays_below(Substitution({ONE.name.expanded: ITEM}).apply(fold.step)):
            return None
        prefix, taken = split
        if test is not None:
            taken = ast.Filter(taken, test, span=test.span)
        made = Aggregate(f"{AGGREGATE}{self.number}", function, prefix, taken, parameter, fold, grouping, first)
        same = next((a for a in self.found if replace(a, name=made.name) == made), None)
        if same is None:
            self.number += 1
            self.found.append(made)
        return ast.VarRef(ast.Name((same or made).name, None, ""), span=whole.span)

    def _is_source(self, base: ast.Expr) -> bool:
        return is_source(base, self.variable)

    def _reads_stream(self, node: ast.Node) -> bool:
        return ("", self.variable) in read_variables(node)


def is_fed_with_leaves(function: str, taken: ast.Expr) -> bool:
    """Whether an aggregate can be fed with the leaves of its records (such as text nodes) one by one."""
    if function in ("last", "first", "items", "groups"):
        return False
    leaves = each_leaf(taken)
    return leaves is not None and not looks_beside(leaves.taken, ITEM.name.expanded)


def _may_construct(node: ast.Node) -> bool:
    if isinstance(node, ast.FunctionCall):
        return look_up(*node.name.expanded, len(node.arguments)) is None
    return isinstance(node, _CONSTRUCTORS)


def _is_literal(node: ast.Expr) -> bool:
    if isinstance(node, ast.Unary):
        return _is_literal(node.operand)
    return isinstance(node, LITERALS)


def _stays_below(taken: ast.Expr) -> bool:
    """Whether the value taken from a record depends only on its content and on its ancestors.

    Values beside it would be looked for among all records of a batch, once for each of them.
    """
    found = Projection()
    try:
        project(taken, {ITEM.name.expanded: found})
    except NotProjectable:
        return False
    return not (found.looks_above or found.looks_at_values or found.looks_far)


def _looks_around(expression: ast.Expr) -> bool:
    """Whether an expression reads nodes outside ITEM."""
    found = Projection()
    try:
        project(expression, {ITEM.name.expanded: found})
    except NotProjectable:
        return True
    return found.above is not None


def _changes_focus(node: ast.Node, field_name: str) -> bool:
    if isinstance(node, (ast.Path, ast.SimpleMap)):
        return field_name == "right"
    if isinstance(node, ast.InlineFunction):
        # The body of a function has no focus at all.
        return field_name == "body"
    return isinstance(node, (ast.Filter, ast.AxisStep)) and field_name in ("predicate", "predicates")
