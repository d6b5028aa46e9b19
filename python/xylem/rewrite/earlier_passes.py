"""Take out values that are known only at the end of the input, so that an earlier pass can compute them.

    let $b := count(/s/p[x > 0])                      earlier:   $value1 := count(/s/p[x > 0])
    for $i in /s/p return $i/x idiv $b        →       then:      for $i in /s/p return $i/x idiv $value1

Gain:   the loop streams; otherwise all its items would have to wait for the count (single-pass paper, §3.2).
Needs:  the value is small (an aggregate, true or false, a single value), it is the same for all items, and it is read
        while items pass: inside a loop or a predicate, or before content that is written item by item.
Safe:   expressions have no effects. A failing value is an error only where it is read: the runner of the passes keeps
        the error until then.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple, TypeGuard

from xylem.analysis.ast_replacement import replaced, with_values
from xylem.analysis.bound_names import bound_in, bound_names
from xylem.analysis.focus import reads_item
from xylem.analysis.free_variables import free_in
from xylem.analysis.reached_declarations import reached_declarations
from xylem.functions.library import look_up
from xylem.functions.registry import FN
from xylem.plan.pass_values import PASS_NAMESPACE
from xylem.syntax import ast

from .inline_prolog import inline_prolog
from .input_reads import read_from_document, reads_input
from .let_values import is_cheap, times_read
from .normalise import normalise
from .not_spread import NotSpread
from .single_pass import make_one_pass
from .source import stream_source
from .substitution import Substitution

ExpandedName = tuple[str, str]
_SINGLE = (
    ast.GeneralComparison,
    ast.ValueComparison,
    ast.Quantified,
    ast.And,
    ast.Or,
    ast.Arithmetic,
    ast.Unary,
    ast.StringConcat,
    ast.CastableAs,
    ast.CastAs,
    ast.InstanceOf,
)
"""Expressions with at most one atomic value."""
_OPERANDS = (ast.Arithmetic, ast.ValueComparison, ast.Unary, ast.StringConcat, ast.CastAs)
"""Expressions among these whose operands are single values too."""
_ELEMENTS = (ast.DirectElement, ast.ComputedElement, ast.SequenceExpr, ast.EnclosedExpr)


class EarlierValue(NamedTuple):
    """A variable of a pass, and the expression that an earlier pass computes for it."""

    name: ast.Name
    value: ast.Expr
    written: ast.Expr
    """The query's expression that it stands for."""


class Split(NamedTuple):
    """A query split in two: an expression computed first, and the rest, which reads its value."""

    earlier: tuple[EarlierValue, ...]
    rest: ast.Expr
    prolog: tuple[ast.Declaration, ...]
    """The declarations that go with the rest."""
    source: ast.Expr | None
    """The call for the streamed document, which a leading `/` stands for; None for the context item."""


def fused(body: ast.Expr, prolog: Sequence[ast.Declaration]) -> ast.Expr:
    """The body after the rules that fuse it into one pass, except tables by key, which come last."""
    return make_one_pass(normalise(body, prolog)[0], prolog, without=("fold_groups", "group_by_key"))[0]


def split_passes(body: ast.Expr, prolog: Iterable[ast.Declaration], first_number: int = 1) -> Split | None:
    """The query in two passes; None if no value can be taken out. Values are numbered from `first_number`."""
    declared = list(prolog)
    body = inline_prolog(body, declared)
    source = stream_source(body)
    body = fused(body, declared)
    try:
        body = read_from_document(body)
    except NotSpread:
        return None
    search = _Search(first_number)
    given = search.variables(body, declared)
    rest = _without_unread(search.visited(body, _Place()))
    read = free_in(rest).union(*(free_in(declaration) for declaration in given))
    kept = [found for found in search.found if found.name.expanded in read]
    if not kept:
        return None
    values = tuple(ast.VariableDecl(found.name, external=True) for found in kept)
    return Split(tuple(kept), rest, (*values, *given), source)


@dataclass(frozen=True)
class _Place:
    """The position of an expression in the query."""

    is_needed: bool = False
    """Whether it is evaluated while items pass, so its value must be known before."""
    is_inside: bool = False
    """Whether its focus is an item."""
    bound: frozenset[ExpandedName] = frozenset()
    """Variables that may be different for each item."""
    lets: tuple[ast.LetClause, ...] = ()
    """The outer variables whose values are the same for all items."""

    @property
    def small(self) -> frozenset[ExpandedName]:
        """Those of them with at most one atomic value."""
        return frozenset(let.name.expanded for let in self.lets if is_small(let.value))

    def binding(self, names: Iterable[ast.Name | None]) -> _Place:
        return replace(self, bound=self.bound | {name.expanded for name in names if name is not None})


@dataclass
class _Search:
    number: int
    found: list[EarlierValue] = field(default_factory=list)

    def variables(self, body: ast.Expr, declared: Sequence[ast.Declaration]) -> list[ast.Declaration]:
        """The declarations, with values of earlier passes for variables that read the input."""
        reached = {id(declaration) for declaration in reached_declarations([body], declared)}
        made: list[ast.Declaration] = []
        for declaration in declared:
            if isinstance(declaration, ast.VariableDecl) and id(declaration) in reached and declaration.value:
                value = _from_root(declaration.value)
                if value is not None and is_small(value) and reads_input(value):
                    made.append(replace(declaration, value=self._taken(value, _Place())))
                    continue
            made.append(declaration)
        return made

    def visited(self, expr: ast.Expr, place: _Place) -> ast.Expr:
        if place.is_needed and is_small(expr) and self._is_the_same(expr, place):
            return self._taken(expr, place)
        if place.is_needed and isinstance(expr, ast.VarRef) and expr.name.expanded in place.small:
            value = next(let.value for let in place.lets if let.name.expanded == expr.name.expanded)
            if self._is_the_same(expr, place):
                return self._taken(expr, place, value)
        match expr:
            case ast.Flwor():
                return self._flwor(expr, place)
            case ast.InlineFunction():
                return expr
            case ast.If(test=test, then=then, otherwise=otherwise):
                needed = place.is_needed or any(_is_long(branch, place.small) for branch in (then, otherwise))
                return replace(
                    expr,
                    test=self.visited(test, replace(place, is_needed=needed)),
                    then=self.visited(then, place),
                    otherwise=self.visited(otherwise, place),
                )
            case ast.Quantified():
                return self._quantified(expr, place)
            case ast.Path(left=left, right=right) | ast.SimpleMap(left=left, right=right):
                return replace(expr, left=self.visited(left, place), right=self.visited(right, _inside(place)))
            case ast.Filter(base=base, predicate=predicate):
                inner = self.visited(predicate, _inside(place))
                return replace(expr, base=self.visited(base, place), predicate=inner)
            case ast.AxisStep(predicates=predicates):
                inside = _inside(place)
                return replace(expr, predicates=tuple(self.visited(p, inside) for p in predicates))
        if isinstance(expr, _ELEMENTS):
            return self._in_order(expr, place)
        if isinstance(expr, _OPERANDS):
            return self._operands(expr, place)
        return self._below(expr, place)

    # --- taking out

    def _is_the_same(self, expr: ast.Expr, place: _Place) -> bool:
        """Whether an expression reads the input and is the same for all items."""
        closed = self._closed(expr, place)
        if not reads_input(closed) or free_in(closed) & place.bound:
            return False
        return not reads_item(closed)

    def _closed(self, expr: ast.Expr, place: _Place) -> ast.Expr:
        """The expression with the outer bindings that it reads, inserted where possible."""
        for let in reversed(place.lets):
            name = let.name.expanded
            if name not in free_in(expr):
                continue
            if (times_read(let.name, expr) == 1 or is_cheap(let.value)) and not free_in(let.value) & bound_in(expr):
                expr = Substitution({name: let.value}).apply(expr)
            else:
                expr = ast.Flwor((let,), expr, span=expr.span)
        return expr

    def _taken(self, expr: ast.Expr, place: _Place, written: ast.Expr | None = None) -> ast.Expr:
        value = self._closed(expr, place)
        for known in self.found:
            if known.value == value:
                return ast.VarRef(known.name, span=expr.span)
        name = ast.Name(f"value{self.number + len(self.found)}", None, PASS_NAMESPACE)
        self.found.append(EarlierValue(name, value, written or expr))
        return ast.VarRef(name, span=expr.span)

    # --- expressions

    def _flwor(self, flwor: ast.Flwor, place: _Place) -> ast.Expr:
        clauses: list[ast.Clause] = []
        for index, clause in enumerate(flwor.clauses):
            following: Sequence[ast.Node] = (*flwor.clauses[index + 1 :], flwor.result)
            made, place = self._clause(clause, place, following)
            if isinstance(clause, ast.GroupByClause):
                # After it, each variable of the tuples has the values of a group.
                place = self._hidden(place, [name for one in flwor.clauses[:index] for name in bound_names(one)])
            clauses.append(made)
        return replace(flwor, clauses=tuple(clauses), result=self.visited(flwor.result, place))

    def _clause(self, clause: ast.Clause, place: _Place, following: Sequence[ast.Node]) -> tuple[ast.Clause, _Place]:
        lets = [part for part in (clause, *following) if isinstance(part, ast.LetClause) and part.type is None]
        small = place.small | {let.name.expanded for let in lets if is_small(let.value)}
        needed = replace(place, is_needed=place.is_needed or any(_is_long_part(part, small) for part in following))
        match clause:
            case ast.LetClause(name=name, type=None, value=value) if self._is_fixed(value, place):
                made = replace(clause, value=self.visited(value, needed if is_small(value) else place))
                kept = tuple(let for let in place.lets if let.name.expanded != name.expanded)
                open_names = place.bound - {name.expanded}
                return made, replace(place, lets=(*kept, clause), bound=open_names)
            case ast.LetClause(name=name, value=value):
                made = replace(clause, value=self.visited(value, place))
                return made, self._hidden(place, [name])
            case ast.ForClause(name=name, position=position, collection=collection):
                made_for = replace(clause, collection=self.visited(collection, place))
                return made_for, replace(self._hidden(place, [name, position]), is_needed=True)
            case ast.WhereClause(test=test):
                return replace(clause, test=self.visited(test, needed)), place
        # Conditions of windows and grouping keys are below the clause, and bind names for later clauses.
        names = [name for part in clause.walk() for name in bound_names(part)]
        inner = replace(self._hidden(place, names), is_needed=True)
        return self._changed(clause, inner), inner

    def _is_fixed(self, value: ast.Expr, place: _Place) -> bool:
        closed = self._closed(value, place)
        return not free_in(closed) & place.bound and not (place.is_inside and reads_item(closed))

    def _hidden(self, place: _Place, names: Sequence[ast.Name | None]) -> _Place:
        """The position after a clause that binds names: earlier values of these names are hidden."""
        hidden = {name.expanded for name in names if name is not None}
        kept = tuple(let for let in place.lets if let.name.expanded not in hidden)
        return replace(place.binding(names), lets=kept)

    def _quantified(self, expr: ast.Quantified, place: _Place) -> ast.Expr:
        bindings = []
        for binding in expr.bindings:
            bindings.append(replace(binding, collection=self.visited(binding.collection, place)))
            place = replace(self._hidden(place, [binding.name]), is_needed=True)
        return replace(expr, bindings=tuple(bindings), satisfies=self.visited(expr.satisfies, place))

    def _in_order(self, expr: ast.Expr, place: _Place) -> ast.Expr:
        """Content in order: values before a long part must be known when that part begins."""
        needed = replace(place, is_needed=True)
        match expr:
            case ast.SequenceExpr(items=items):
                return replace(expr, items=self._parts(items, place))
            case ast.DirectElement(attributes=attributes, content=content):
                before = needed if any(_is_long(part, place.small) for part in content) else place
                made = tuple(self._changed(attribute, before) for attribute in attributes)
                return replace(expr, attributes=made, content=self._parts(content, place))
            case ast.ComputedElement(body=body) | ast.EnclosedExpr(body=body):
                return replace(expr, body=self.visited(body, place))
        raise AssertionError(type(expr))

    def _parts(self, parts: tuple[ast.Expr, ...], place: _Place) -> tuple[ast.Expr, ...]:
        last = max((index for index, part in enumerate(parts) if _is_long(part, place.small)), default=-1)
        needed = replace(place, is_needed=True)
        return tuple(self.visited(part, needed if index < last else place) for index, part in enumerate(parts))

    def _operands(self, expr: ast.Expr, place: _Place) -> ast.Expr:
        """Operands that must be single values: a path of the input gives its value, or an error if there are more."""
        if not place.is_needed:
            return self._below(expr, place)

        def operand(value: Any) -> Any:
            if isinstance(value, ast.Path) and self._is_the_same(value, place):
                return self._taken(_value_of(value), place, value)
            return self.visited(value, place) if isinstance(value, ast.Expr) else value

        return with_values(expr, operand)

    def _below(self, expr: ast.Expr, place: _Place) -> ast.Expr:
        made = self._changed(expr, place)
        assert isinstance(made, ast.Expr)
        return made

    def _changed(self, node: Any, place: _Place) -> Any:
        """The expressions below a node, visited at the same place."""

        def change(value: Any) -> Any:
            if isinstance(value, ast.Expr):
                return self.visited(value, place)
            if isinstance(value, ast.Node):
                return with_values(value, change)
            if isinstance(value, tuple):
                made = tuple(map(change, value))
                return value if all(a is b for a, b in zip(value, made, strict=True)) else made
            return value

        return with_values(node, change)


def _without_unread(rest: ast.Expr) -> ast.Expr:
    """The rest without bindings that were only used to compute taken-out values."""

    def shorter(node: ast.Node) -> ast.Node | None:
        if not isinstance(node, ast.Flwor):
            return None
        node = with_values(node, lambda value: _each(value, shorter))
        assert isinstance(node, ast.Flwor)
        clauses: list[ast.Clause] = []
        for index, clause in enumerate(node.clauses):
            following = ast.Flwor(node.clauses[index + 1 :], node.result)
            if not _is_pass_value(clause) or clause.name.expanded in free_in(following):
                clauses.append(clause)
        if len(clauses) == len(node.clauses):
            return node
        return replace(node, clauses=tuple(clauses)) if clauses else node.result

    return replaced(rest, shorter)


def _each(value: Any, by: Any) -> Any:
    if isinstance(value, ast.Node):
        return replaced(value, by)
    return tuple(_each(member, by) for member in value) if isinstance(value, tuple) else value


def _is_pass_value(clause: ast.Clause) -> TypeGuard[ast.LetClause]:
    if not isinstance(clause, ast.LetClause) or not isinstance(clause.value, ast.VarRef):
        return False
    return clause.value.name.uri == PASS_NAMESPACE


def _from_root(value: ast.Expr) -> ast.Expr | None:
    try:
        return read_from_document(value)
    except NotSpread:
        return None


def _inside(place: _Place) -> _Place:
    return replace(place, is_needed=True, is_inside=True)


def is_small(expr: ast.Expr) -> bool:
    """Whether an expression gives at most one atomic value, whatever it reads."""
    match expr:
        case ast.FunctionCall(name=name, arguments=arguments):
            built_in = look_up(*name.expanded, len(arguments))
            return built_in is not None and built_in.returns.startswith("xs:") and built_in.returns[-1] not in "*+"
        case ast.If(then=then, otherwise=otherwise):
            return is_small(then) and is_small(otherwise)
        case ast.Flwor(clauses=clauses, result=result) if all(isinstance(c, ast.LetClause) for c in clauses):
            return is_small(result)
    return isinstance(expr, _SINGLE)


def _is_long(expr: ast.Expr, small: AbstractSet[ExpandedName]) -> bool:
    """Whether an expression may write output proportional to the input; `small` variables have one value."""
    match expr:
        case ast.DirectElement(content=content):
            return any(_is_long(part, small) for part in content)
        case ast.EnclosedExpr(body=body) | ast.ComputedElement(body=body):
            return _is_long(body, small)
        case ast.SequenceExpr(items=items):
            return any(_is_long(item, small) for item in items)
        case ast.VarRef(name=name) if name.expanded in small:
            return False
    return not is_small(expr) and (reads_input(expr) or bool(free_in(expr)))


def _is_long_part(node: ast.Node, small: AbstractSet[ExpandedName]) -> bool:
    if isinstance(node, ast.Expr):
        return _is_long(node, small)
    return any(_is_long_part(child, small) for child in node.children())


def _value_of(path: ast.Expr) -> ast.Expr:
    """At most two values of a path: more than one is an error wherever it is read, and remains an error.

    It is a fold, because a fold's state is as small as its value.
    """
    so_far, item = (ast.Name(local, None, PASS_NAMESPACE) for local in ("so-far", "item"))
    both = ast.SequenceExpr((ast.VarRef(so_far), _call("data", ast.VarRef(item))))
    kept = _call("subsequence", both, ast.IntegerLiteral(1), ast.IntegerLiteral(2))
    step = ast.InlineFunction((), (ast.Parameter(so_far), ast.Parameter(item)), None, kept, span=path.span)
    return _call("fold-left", path, ast.SequenceExpr(), step)


def _call(local: str, *arguments: ast.Expr) -> ast.FunctionCall:
    return ast.FunctionCall(ast.Name(local, "fn", FN), arguments, span=arguments[0].span)
