"""The operators of an expression, as generated code evaluates it: loops, paths, calls, constructors."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TypeVar

from xylem.analysis.focus import uses_position
from xylem.analysis.last_items import last_items
from xylem.errors import Span
from xylem.functions.registry import FN
from xylem.functions.traits import FOLDS, PICKS, standard
from xylem.plan.keyed_groups import FOUND, FOUND_KEYS, GROUPS, VALUE
from xylem.plan.operators import (
    Aggregate,
    Bind,
    Construct,
    Extent,
    Fold,
    Join,
    KeysOf,
    Leaf,
    Number,
    Operator,
    Runs,
    Scan,
    Select,
    Sort,
    Step,
    Union,
    Window,
)
from xylem.plan.properties import gives
from xylem.syntax import ast

from ..python.keyed_groups import grouping_of
from .clauses import Clauses
from .scope import Scope, Variable
from .texts import path_text, text_of

_RECORD = ast.VarRef(ast.Name("record"))
_RESOURCES = standard("collection doc stream")
_SORTS = standard("reverse sort")
_STEPWISE = standard("fold-left fold-right")
_EACH = standard("data trace unordered")
"""Operations that take items one by one, or unchanged."""
_DISTINCT = (FN, "distinct-values")
_NUMBERED = (PICKS - standard("trace unordered")) | standard("insert-before")
_CONSTRUCTORS = (
    ast.DirectElement, ast.ComputedElement, ast.ComputedDocument, ast.ComputedAttribute, ast.ComputedText,
    ast.ComputedComment, ast.ComputedPI, ast.ComputedNamespace, ast.DirectComment, ast.DirectPI,
)  # fmt: skip
_OPERATORS = (
    *_CONSTRUCTORS, ast.Flwor, ast.Quantified, ast.SimpleMap, ast.SetOperation, ast.DataWindow, ast.Shared, ast.Root,
)  # fmt: skip
_CALLS = FOLDS | _RESOURCES | _SORTS | _STEPWISE | {_DISTINCT, GROUPS.expanded}
_TRANSPARENT = (ast.OrderingExpr, ast.Validate, ast.EnclosedExpr)
_MATCHES = {"exists": "semi", "empty": "anti"}

O = TypeVar("O", bound=Operator)
Functions = Mapping[tuple[str, str, int], ast.FunctionDecl]


class ExpressionPlanner:
    """Plans expressions that run in one place."""

    def __init__(
        self,
        runs: Runs = Runs.CODE,
        planned: Mapping[ast.Expr, ast.Expr] | None = None,
        functions: Functions | None = None,
    ) -> None:
        self.runs = runs
        self.forms_windows = runs
        """Where windows are formed."""
        self.number = 1
        """Number of the pass over the input that its scans belong to."""
        self.given: dict[Variable, Operator] = {}
        """Variables that stand for the results of other operators."""
        self.planned = planned or {}
        """Expressions that are evaluated in a rewritten form, with the plans of windows and best matches."""
        self.functions = functions or {}
        self.clauses = Clauses(self)
        self._calling: set[tuple[str, str, int]] = set()

    def plan(self, expr: ast.Expr, scope: Scope, over: Operator | None = None) -> Operator:
        """The operators of an expression that is evaluated once, or for each tuple of `over`."""
        match expr:
            case ast.Flwor():
                return self.clauses.plan(expr, scope, over)
            case ast.SequenceExpr(items=items) if not self.is_plain(expr):
                return self.made(Union, expr, inputs=tuple(self._parts(items, scope)), over=over)
            case ast.If():
                return self._conditional(expr, scope, over)
            case ast.Path() | ast.AxisStep() | ast.Filter() | ast.Root() | ast.ContextItem():
                return self._path(expr, scope, over)
            case ast.VarRef(name=name) if name.expanded in self.given:
                return self.over(_placed(self.given[name.expanded], expr.span), over)
            case ast.VarRef(name=name) if name.expanded in scope.roots and over is None:
                return self.made(Scan, expr, path=scope.roots[name.expanded] or "/", number=self.number)
            case ast.VarRef(name=name):
                return self._leaf(expr, scope, over, scope.of(name))
            case ast.SimpleMap(left=left, right=right):
                tuples = self.made(Bind, expr, variable=".", inputs=(self.plan(left, scope),), over=over)
                return self.plan(right, scope.with_focus(Extent.ITEM), tuples)
            case ast.FunctionCall():
                return self.call(expr, scope, over)
            case ast.Quantified():
                return self._quantified(expr, scope, over)
            case ast.SetOperation(left=left, right=right):
                inputs = self.plan(left, scope), self.plan(right, scope)
                return self.made(Union, expr, how=expr.op, is_set=True, inputs=inputs, over=over)
            case ast.Shared(value=value):
                input_ = self.plan(value, scope)
                return self.made(Bind, expr, variable="shared", how="let", is_kept=True, inputs=(input_,), over=over)
            case ast.DataWindow(base=base, kind=kind):
                input_ = self.plan(base, scope)
                return self.made(Window, expr, variable="w", form=f"data by {kind}", inputs=(input_,), over=over)
            case ast.TryCatch(body=body):
                return self.plan(body, scope, over)
        if isinstance(expr, _TRANSPARENT):
            return self.plan(expr.body, scope, over)
        if isinstance(expr, _CONSTRUCTORS):
            return self._construct(expr, scope, over)
        return self._leaf(expr, scope, over)

    def made(self, kind: type[O], node: ast.Node, **fields: object) -> O:
        """An operator that came from a node of the query."""
        return kind(runs=self.runs, span=node.span, **fields)  # type: ignore[arg-type]

    # --- expressions without an operator of their own

    def is_plain(self, expr: ast.Node) -> bool:
        """Whether nothing in an expression loops, gathers, constructs or reads a document from its root."""
        return not any(map(self.is_operator, expr.walk()))

    def is_operator(self, node: ast.Node) -> bool:
        match node:
            case ast.VarRef(name=name):
                return name.expanded in self.given
            case ast.FunctionCall(name=name, arguments=arguments) if arguments:
                return name.expanded in _CALLS or (*name.expanded, len(arguments)) in self.functions
            case ast.FunctionCall(name=name):
                return name.expanded in _RESOURCES or (*name.expanded, 0) in self.functions
        return isinstance(node, _OPERATORS)

    def inner(self, node: ast.Node, scope: Scope) -> Iterator[Operator]:
        """The operators of those parts of a node that have some, in the order of the text."""
        for child in node.children():
            if isinstance(child, ast.InlineFunction) or self.is_plain(child):
                continue
            if isinstance(child, ast.Expr) and not isinstance(child, (*_TRANSPARENT, ast.DirectElement)):
                yield self.plan(child, scope)
            else:
                yield from self.inner(child, scope)

    def _leaf(
        self, expr: ast.Expr, scope: Scope, over: Operator | None, extent: Extent = Extent.ONE
    ) -> Operator:
        inputs = () if self.is_plain(expr) else tuple(self.inner(expr, scope))
        return self.made(Leaf, expr, text=text_of(expr), inputs=inputs, over=over, gives=extent)

    def _parts(self, items: Sequence[ast.Expr], scope: Scope) -> Iterator[Operator]:
        """The members of a sequence; adjacent plain members form one leaf."""
        waiting: list[ast.Expr] = []
        for item in items:
            if self.is_plain(item):
                waiting.append(item)
                continue
            if waiting:
                yield self._leaf(_sequence(waiting), scope, None)
                waiting = []
            yield self.plan(item, scope)
        if waiting:
            yield self._leaf(_sequence(waiting), scope, None)

    def _conditional(self, expr: ast.If, scope: Scope, over: Operator | None) -> Operator:
        if self.is_plain(expr):
            return self._leaf(expr, scope, over)
        tests = self.of_test(expr.test, scope)
        told = text_of(expr.test)
        if isinstance(expr.otherwise, ast.SequenceExpr) and not expr.otherwise.items:
            return self.plan(expr.then, scope, self.made(Select, expr.test, condition=told, inputs=tests, over=over))
        passed = self.made(Select, expr.test, condition=told, inputs=tests)
        failed = self.made(Select, expr.test, condition=f"not({told})")
        branches = self.plan(expr.then, scope, passed), self.plan(expr.otherwise, scope, failed)
        return self.made(Union, expr, how="either", inputs=branches, over=over)

    def of_test(self, test: ast.Expr, scope: Scope) -> tuple[Operator, ...]:
        """The operators of a condition; the operator that tests it shows its text."""
        if self.is_plain(test):
            return ()
        found = self.plan(test, scope)
        return found.inputs if isinstance(found, Leaf) else (found,)

    # --- paths

    def _path(self, expr: ast.Expr, scope: Scope, over: Operator | None) -> Operator:
        if over is not None and self.is_plain(expr) and scope.focus is not None:
            return self._leaf(expr, scope, over, Extent.ITEM)
        base, steps = _taken_apart(expr)
        found: Operator | None = None
        start = ""
        extent = scope.focus
        match base:
            case None | ast.ContextItem():
                pass
            case ast.Root():
                extent = None
            case ast.VarRef(name=name) if name.expanded in self.given:
                found = self.given[name.expanded]
            case ast.VarRef(name=name) if name.expanded in scope.roots:
                start, extent = scope.roots[name.expanded], None
            case ast.VarRef(name=name):
                start, extent = f"${name.local}", scope.of(name)
            case _:
                found = self.plan(base, scope)
        inside = scope.with_focus(Extent.ITEM)
        waiting: list[ast.AxisStep] = []

        def settled() -> Operator:
            """The operator built so far, with the pending steps."""
            nonlocal found, waiting
            path = path_text(waiting)
            if found is None:
                if start.startswith("$"):
                    found = self.made(Step, expr, path=start + path, gives=extent)
                elif extent is None:
                    found = self.made(Scan, expr, path=start + path or "/", number=self.number)
                else:
                    found = self.made(Step, expr, path=path.removeprefix("/") or ".", gives=extent)
            elif waiting:
                found = self.made(Step, waiting[0], path=path.removeprefix("/"), inputs=(found,))
            waiting = []
            return found

        for step in steps:
            predicates: Sequence[ast.Expr] = ()
            if isinstance(step, ast.AxisStep):
                waiting.append(step)
                predicates = step.predicates
            elif isinstance(step, ast.Filter):
                predicates = (step.predicate,)
            else:
                tuples = self.made(Bind, step, variable=".", inputs=(settled(),))
                found = self.plan(step, inside, tuples)
            for predicate in predicates:
                found = self._selected(settled(), predicate, inside)
        return self.over(settled(), over)

    def _selected(self, found: Operator, predicate: ast.Expr, inside: Scope) -> Operator:
        if isinstance(predicate, ast.IntegerLiteral) or uses_position(predicate):
            last = last_items(predicate)
            return self.made(Number, predicate, test=text_of(predicate), last=last, inputs=(found,))
        inputs = (found, *self.of_test(predicate, inside))
        return self.made(Select, predicate, condition=text_of(predicate), inputs=inputs)

    def over(self, found: Operator, over: Operator | None) -> Operator:
        """The operator applied to each tuple; if it has tuples of its own, it is bound to them in turn."""
        if over is None:
            return found
        if found.over is None:
            return replace(found, over=over)
        return Leaf(text="for each", inputs=(found,), over=over, runs=self.runs, span=found.span)

    # --- calls

    def call(self, expr: ast.FunctionCall, scope: Scope, over: Operator | None) -> Operator:
        name, arguments = expr.name, expr.arguments
        if name.expanded in (FOUND.expanded, VALUE.expanded):
            return self.over(self.plan(arguments[0], scope), over)
        if name.expanded == GROUPS.expanded:
            return self._groups(expr, scope, over)
        if (*name.expanded, len(arguments)) in self.functions:
            return self._called(expr, scope, over)
        if name.expanded in _RESOURCES:
            gives_ = Extent.BESIDE
            return self.made(Scan, expr, path="", source=text_of(expr), gives=gives_, over=over)
        if name.expanded in _EACH and len(arguments) == 1 and not self.is_plain(expr):
            return self.made(Step, expr, path=f"{name.local}()", inputs=(self.plan(arguments[0], scope),), over=over)
        if not arguments or name.expanded not in _CALLS | _NUMBERED:
            return self._leaf(expr, scope, over)
        input_ = self.plan(arguments[0], scope)
        if name.expanded == _DISTINCT:
            return self.made(Aggregate, expr, keys=(".",), inputs=(input_,), over=over)
        if name.expanded in FOLDS:
            return self.folded(name.local, expr, input_, over)
        if name.expanded in _SORTS:
            keys = tuple(map(text_of, arguments[2:])) or (".",)
            keys = ("position() descending",) if name.local == "reverse" else keys
            return self.made(Sort, expr, keys=keys, inputs=(input_,), over=over)
        if name.expanded in _STEPWISE:
            return self.made(Fold, expr, function=text_of(arguments[-1]), inputs=(input_,), over=over)
        if self.is_plain(expr):
            return self._leaf(expr, scope, over, gives(input_))
        return self.made(Number, expr, test=f"{name.local}({', '.join(['…', *map(text_of, arguments[1:])])})",
                         inputs=(input_,), over=over)  # fmt: skip

    def folded(self, function: str, node: ast.Node, input_: Operator, over: Operator | None) -> Operator:
        """An aggregate of all items of an input; an aggregate of a join asks its index."""
        if isinstance(input_, Join) and input_.how == "inner":
            input_ = replace(input_, how=_MATCHES.get(function, "group"))
        return self.made(Aggregate, node, functions=(function,), inputs=(input_,), over=over)

    def _groups(self, call: ast.FunctionCall, scope: Scope, over: Operator | None) -> Operator:
        found = grouping_of(call, _RECORD)
        assert found is not None
        records, grouping = found
        return self.made(
            Aggregate,
            call,
            functions=tuple(dict.fromkeys(part.function for part in grouping.parts)),
            keys=tuple(text_of(key.value) for key in grouping.keys),
            keys_of=keys_of([k.kind for k in grouping.keys], all(k.items is not None for k in grouping.keys)),
            inputs=(self.plan(records, scope),),
            over=over,
        )

    def _called(self, call: ast.FunctionCall, scope: Scope, over: Operator | None) -> Operator:
        """A call of a query's function, with the operators of its body below it, except inside itself."""
        key = (*call.name.expanded, len(call.arguments))
        declaration = self.functions[key]
        told = f"{call.name.local}({', '.join(map(text_of, call.arguments))})"
        arguments = [self.plan(argument, scope) for argument in call.arguments]
        inputs = tuple(
            each for each, argument in zip(arguments, call.arguments, strict=True) if not self.is_plain(argument)
        )
        if key not in self._calling and declaration.body is not None and not self.is_plain(declaration.body):
            self._calling.add(key)
            inside = Scope({}, Extent.ONE)
            for parameter, argument in zip(declaration.parameters, arguments, strict=True):
                inside = inside.with_variable(parameter.name, gives(argument))
            inputs = (*inputs, self.plan(declaration.body, inside))
            self._calling.discard(key)
        return self.made(Leaf, call, text=told, inputs=inputs, over=over)

    # --- other expressions

    def _quantified(self, expr: ast.Quantified, scope: Scope, over: Operator | None) -> Operator:
        tuples: Operator | None = None
        for binding in expr.bindings:
            collection = self.plan(binding.collection, scope)
            tuples = self.made(Bind, binding, variable=binding.name.local, inputs=(collection,), over=tuples)
            scope = scope.with_variable(binding.name, Extent.ITEM)
        assert tuples is not None
        tests = self.of_test(expr.satisfies, scope)
        selected = self.made(Select, expr.satisfies, condition=text_of(expr.satisfies), inputs=tests, over=tuples)
        return self.made(Aggregate, expr, functions=(expr.kind,), inputs=(selected,), over=over)

    def _construct(self, expr: ast.Expr, scope: Scope, over: Operator | None) -> Operator:
        return self.made(Construct, expr, name=constructed(expr), inputs=tuple(self.inner(expr, scope)), over=over)


def keys_of(kinds: Iterable[str], are_known: bool = True) -> KeysOf:
    """The keys of a table's states, by the kinds of its keys."""
    if any(kind in FOUND_KEYS for kind in kinds):
        return KeysOf.GROUPS
    return KeysOf.TURNS if are_known else KeysOf.RECORDS


def constructed(expr: ast.Expr) -> str:
    """The kind of the constructed node, in a word."""
    match expr:
        case ast.DirectElement(name=name):
            return f"<{name}>"
        case ast.ComputedElement(name=ast.Name() as name):
            return f"<{name}>"
        case ast.ComputedAttribute(name=ast.Name() as name):
            return f"@{name}"
    return type(expr).__name__.removeprefix("Computed").removeprefix("Direct").lower()


def _placed(operator: Operator, span: Span) -> Operator:
    """The operator with a place in the query, if it has none."""
    if operator.span is not None or span.end == 0:
        return operator
    return replace(operator, span=span, inputs=tuple(_placed(each, span) for each in operator.inputs))


def _sequence(items: Sequence[ast.Expr]) -> ast.Expr:
    return items[0] if len(items) == 1 else ast.SequenceExpr(tuple(items), span=items[0].span.to(items[-1].span))


def _taken_apart(expr: ast.Expr) -> tuple[ast.Expr | None, list[ast.Expr]]:
    """The start of a path (None for the context item) and its parts; a `Filter` represents its predicate."""
    steps: list[ast.Expr] = []
    while True:
        if isinstance(expr, ast.Path):
            steps.append(expr.right)
            expr = expr.left
        elif isinstance(expr, ast.Filter):
            steps.append(expr)
            expr = expr.base
        elif isinstance(expr, ast.AxisStep):
            steps.append(expr)
            return None, steps[::-1]
        else:
            return expr, steps[::-1]
