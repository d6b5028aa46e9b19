"""Make every projection a call of a function that knows versions, by what stands before it.

    S   a path or step       …/b[p]#1      →  …/(history:content(., "child", "#", 1, ())/self::b)[p]
    N   a variable or `.`    $x#1          →  history:versions($x, "#", 1, ())
    T   all else             count($x/b)#1 →  history:timeline(function($x) { count($x/b) }, [$x], "#", 1, ())

A `let` variable stands for its expression. In T the expression is computed as of each commit, with the same bindings:
its `let` variables are computed there, too. Expressions are never moved across a projection otherwise.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, TypeVar, cast

from xylem.errors import StaticError, SyntaxFault
from xylem.functions.registry import FN
from xylem.syntax import ast
from xylem.syntax.parser.names import RESERVED
from xylem.values.axis_rows import REVERSE_AXES

from ..ast_replacement import with_values
from ..focus import reads_focus
from ..free_variables import ExpandedName, free_in
from .operands import (
    AS_OF,
    HISTORY,
    PROJECTIONS,
    VERSIONS,
    Choice,
    choice_of,
    combined,
    history_call,
    is_container,
    is_stream_call,
    mentions_history,
)

N = TypeVar("N", bound=ast.Node)
M = TypeVar("M", bound=ast.Module)
DOT = ast.Name("dot", None, HISTORY)
_DURATIONS = ("dayTimeDuration", "duration", "yearMonthDuration")


@dataclass(eq=False)
class _Binding:
    """The binding of a variable: `value` for a `let`, with the scope there."""

    value: ast.Expr | None = None
    scope: Mapping[ExpandedName, _Binding] = field(default_factory=dict)
    focus: object = None


Scope = Mapping[ExpandedName, _Binding]


@dataclass(frozen=True)
class _Here:
    """A place in the query: its variables and its focus."""

    scope: Scope
    focus: object
    around: Scope | None = None
    """Inside a timeline, the outer variables: `let` variables among them are written out."""

    def binding(self, name: ast.Name, bound: _Binding | None = None) -> _Here:
        return replace(self, scope={**self.scope, name.expanded: bound or _Binding()})

    def binding_all(self, names: list[ast.Name | None]) -> _Here:
        here = self
        for name in names:
            here = here if name is None else here.binding(name)
        return here

    def inside(self) -> _Here:
        """The place inside a new focus."""
        return replace(self, focus=object())


def with_projections(module: M, *, over_updates: bool) -> M:
    """The module with calls for projections; the same where there are none.

    `over_updates`: its input is update streams, so that `stream("x")` is the document of one as of now.
    """
    if not over_updates and not mentions_history(module):
        return module
    return cast(M, _Projections(module, over_updates).module())


_ARGUMENTS = {
    AS_OF: "xylem:as-of(E, t) takes an expression and a time",
    VERSIONS: "xylem:versions(E, from, to) takes an expression and one or two times",
}


class _Projections:
    def __init__(self, module: ast.Module, over_updates: bool) -> None:
        self._module = module
        self._over_updates = over_updates
        self._focus = object()
        declared = [each for each in module.prolog if isinstance(each, ast.VariableDecl)]
        self._globals = {
            each.name.expanded: each.value for each in declared if each.value is not None and not each.external
        }

    def module(self) -> ast.Module:
        here = _Here({}, self._focus)
        changed: dict[str, Any] = {"prolog": tuple(self._declaration(each, here) for each in self._module.prolog)}
        if isinstance(self._module, ast.MainModule):
            changed["body"] = self._node(self._module.body, here)
        return replace(self._module, **changed)

    def _declaration(self, node: ast.Declaration, here: _Here) -> ast.Declaration:
        if isinstance(node, ast.FunctionDecl):
            here = here.inside().binding_all([parameter.name for parameter in node.parameters])
        return self._parts(node, here)

    # --- walking

    def _value(self, value: Any, here: _Here) -> Any:
        if isinstance(value, ast.Node):
            return self._node(value, here)
        if not isinstance(value, tuple):
            return value
        members = tuple(self._value(member, here) for member in value)
        return value if all(a is b for a, b in zip(value, members, strict=True)) else members

    def _parts(self, node: N, here: _Here) -> N:
        return with_values(node, lambda value: self._value(value, here))

    def _expr(self, node: ast.Expr, here: _Here) -> ast.Expr:
        return cast(ast.Expr, self._node(node, here))

    def _node(self, node: ast.Node, here: _Here) -> ast.Node:
        match node:
            case ast.VarRef():
                return self._variable(node, here)
            case ast.Path(left=left, right=right):
                return replace(node, left=self._expr(left, here), right=self._expr(right, here.inside()))
            case ast.SimpleMap(left=left, right=right):
                return replace(node, left=self._expr(left, here), right=self._expr(right, here.inside()))
            case ast.Filter(base=base, predicate=predicate):
                return replace(node, base=self._expr(base, here), predicate=self._expr(predicate, here.inside()))
            case ast.AxisStep():
                return self._parts(node, here.inside())
            case ast.Flwor():
                return self._flwor(node, here)
            case ast.Quantified():
                return self._quantified(node, here)
            case ast.InlineFunction(parameters=parameters):
                return self._parts(node, here.inside().binding_all([parameter.name for parameter in parameters]))
            case ast.TypeswitchCase(variable=variable):
                return self._parts(node, here.binding_all([variable]))
            case ast.Typeswitch(default_variable=variable):
                changed = self._parts(replace(node, default=ast.SequenceExpr()), here)
                return replace(changed, default=self._expr(node.default, here.binding_all([variable])))
            case ast.Lookup(key=ast.IntegerLiteral()):
                return self._lookup(node, here)
            case ast.UnaryLookup(key=ast.IntegerLiteral() as key) if self._over_updates:
                return self._lookup(ast.Lookup(ast.ContextItem(span=node.span), key, span=node.span), here)
            case ast.VersionProjection(base=ast.AxisStep(test=ast.NameTest(name=name)) as step) if (
                not self._over_updates and name.local in RESERVED and step.span.start == name.span.start
            ):
                why = f"`{name.local}` is reserved and cannot name a function"
                raise SyntaxFault(
                    "XPST0003", why, span=name.span, hint="a version of a child is for runs with --updates"
                )
            case ast.TimeProjection(seconds=ast.DecimalLiteral() as amount) if not self._over_updates:
                # The standard grammar has no such lookup, and `$array?1.0` must not silently return nothing.
                hint = "a fraction of a second is for runs and checks with --updates"
                raise SyntaxFault("XPST0003", "a lookup takes no decimal number", span=amount.span, hint=hint)
            case ast.FunctionCall() if node.name.expanded == AS_OF and len(node.arguments) == 2:
                function, bindings = self._as_function(node.arguments[0], here)
                return history_call("as-of", (function, bindings, self._expr(node.arguments[1], here)), node)
            case ast.FunctionCall() if node.name.expanded == VERSIONS and len(node.arguments) in (2, 3):
                since, *until = (self._expr(argument, here) for argument in node.arguments[1:])
                choice = Choice("between", since, until[0]) if until else Choice("between", since)
                return self._projected(node.arguments[0], choice, here, node)
            case ast.FunctionCall(name=name, arguments=arguments) if name.expanded in _ARGUMENTS:
                told = f"xylem:{name.local}#{len(arguments)}"
                raise StaticError("XPST0017", told, span=node.span, hint=_ARGUMENTS[name.expanded])
            case ast.FunctionCall() if self._over_updates and is_stream_call(node):
                return history_call("document", tuple(self._expr(each, here) for each in node.arguments), node)
        found = choice_of(node) if isinstance(node, PROJECTIONS) else None
        if found is not None:
            base, choice = found
            return self._projected(base, self._checked(choice, here), here, node)
        return self._parts(node, here)

    def _checked(self, choice: Choice, here: _Here) -> Choice:
        """XYST0030 for a value that is neither known before the run nor a duration."""
        amount = choice.amount
        match amount:
            case ast.VarRef(name=name) if name.expanded not in here.scope:
                return choice
            case ast.IntegerLiteral() | ast.DecimalLiteral() | ast.DoubleLiteral():
                return choice
            case ast.FunctionCall(name=name) if name.local in _DURATIONS and choice.sign in ("?", "?[]"):
                return choice
            case ast.Arithmetic():
                return choice  # Generated from two such projections.
        why = f"behind {choice.sign.strip('[]')} stands a value that is known only at run time"
        raise StaticError("XYST0030", why, span=amount.span)

    def _flwor(self, node: ast.Flwor, here: _Here) -> ast.Flwor:
        clauses: list[ast.Clause] = []
        own: list[ast.Name] = []
        for clause in node.clauses:
            clauses.append(self._clause(clause, here))
            match clause:
                case ast.LetClause(name=name, value=value):
                    here = here.binding(name, _Binding(value, here.scope, here.focus))
                    own.append(name)
                    continue
                case ast.GroupByClause(specs=specs):
                    # After it, each variable has the values of a whole group.
                    here = here.binding_all([*own, *(spec.name for spec in specs)])
                    continue
            bound = _bound_by(clause)
            own += bound
            here = here.binding_all([*bound])
        return replace(node, clauses=tuple(clauses), result=self._expr(node.result, here))

    def _clause(self, clause: ast.Clause, here: _Here) -> ast.Clause:
        if isinstance(clause, (ast.WindowClause, ast.ForseqClause)):
            return self._parts(clause, here.binding_all([*_bound_by(clause)]))
        return self._parts(clause, here)

    def _quantified(self, node: ast.Quantified, here: _Here) -> ast.Quantified:
        bindings = []
        for binding in node.bindings:
            bindings.append(self._parts(binding, here))
            here = here.binding(binding.name)
        return replace(node, bindings=tuple(bindings), satisfies=self._expr(node.satisfies, here))

    # --- variables

    def _variable(self, node: ast.VarRef, here: _Here) -> ast.Expr:
        """Inside a timeline, an outer `let` variable is recomputed."""
        if here.around is None or here.scope.get(node.name.expanded) is not here.around.get(node.name.expanded):
            return node
        value = self._stands_for(node, here)
        return node if value is None else self._expr(value, here)

    def _stands_for(self, node: ast.VarRef, here: _Here) -> ast.Expr | None:
        """The expression of a `let` variable, if it would have the same value here."""
        bound = here.scope.get(node.name.expanded)
        if bound is None or bound.value is None:
            return None
        value = bound.value
        if any(bound.scope.get(name) is not here.scope.get(name) for name in free_in(value)):
            return None
        return value if bound.focus is here.focus or not reads_focus(value) else None

    def _resolved(self, base: ast.Expr, here: _Here) -> ast.Expr:
        """The operand of a projection; a variable is replaced by its expression."""
        while isinstance(base, ast.VarRef):
            value = self._stands_for(base, here)
            if value is None and base.name.expanded not in here.scope:
                value = self._globals.get(base.name.expanded)
                if value is not None and here.focus is not self._focus and reads_focus(value):
                    value = None
            if value is None:
                return base
            base = value
        return base

    # --- projections

    def _projected(self, base: ast.Expr, choice: Choice, here: _Here, node: ast.Node) -> ast.Expr:
        base = self._resolved(base, here)
        inner = self._inner(base, here)
        if inner is not None and (both := combined(choice, self._checked(inner[1], here))) is not None:
            return self._projected(inner[0], both, here, node)
        match base:
            case ast.VarRef() if base.name.expanded in here.scope or base.name.expanded not in self._globals:
                return history_call("versions", (base, *choice.arguments()), node)
            case ast.ContextItem():
                return history_call("versions", (base, *choice.arguments()), node)
            case ast.AxisStep():
                return self._step(base, choice, here, node)
            case ast.Path(left=left, right=right) if isinstance(right, ast.AxisStep):
                return ast.Path(self._expr(left, here), self._step(right, choice, here, node), span=base.span)
            case ast.Path(left=left, right=right) if isinstance(right, PROJECTIONS):
                below = choice_of(right)
                if below is not None and (both := combined(choice, self._checked(below[1], here))) is not None:
                    last = self._projected(below[0], both, here.inside(), node)
                    return ast.Path(self._expr(left, here), last, span=base.span)
        function, bindings = self._as_function(base, here)
        return history_call("timeline", (function, bindings, *choice.arguments()), node)

    def _step(self, step: ast.AxisStep, choice: Choice, here: _Here, node: ast.Node) -> ast.Expr:
        """S: the chosen versions slot by slot, of them the nodes that pass, with positions in that list."""
        here = here.inside()
        found: ast.Expr
        if step.axis == "attribute":
            attributes = replace(step, predicates=())
            found = history_call("versions", (attributes, *choice.arguments()), node)
        else:
            arguments = (ast.ContextItem(span=node.span), ast.StringLiteral(step.axis), *choice.arguments())
            test = ast.AxisStep("self", step.test, span=step.span)
            found = ast.Path(history_call("content", arguments, node), test, span=step.span)
        is_reverse = step.axis in REVERSE_AXES and bool(step.predicates)
        if is_reverse:
            found = ast.FunctionCall(ast.Name("reverse", None, FN), (found,), span=step.span)
        for predicate in step.predicates:
            found = ast.Filter(found, self._expr(predicate, here), span=step.span)
        return ast.Path(ast.ContextItem(span=node.span), found, span=step.span) if is_reverse else found

    def _as_function(self, base: ast.Expr, here: _Here) -> tuple[ast.Expr, ast.Expr]:
        """An expression as a function of its inputs, and their bindings."""
        body = self._expr(base, replace(here, around=here.scope))
        names = [ast.Name(local, None, uri) for uri, local in sorted(free_in(body)) if (uri, local) in here.scope]
        values: list[ast.Expr] = [ast.VarRef(name, span=base.span) for name in names]
        if reads_focus(body):
            body = ast.SimpleMap(ast.VarRef(DOT), body, span=base.span)
            names.append(DOT)
            values.append(ast.ContextItem(span=base.span))
        parameters = tuple(ast.Parameter(name) for name in names)
        return (
            ast.InlineFunction((), parameters, None, body, span=base.span),
            ast.SquareArray(tuple(values), span=base.span),
        )

    def _lookup(self, node: ast.Lookup, here: _Here) -> ast.Expr:
        """`E?60`: a lookup in maps and arrays; over update streams, a time projection of all other values."""
        if not self._over_updates:
            return replace(node, base=self._expr(node.base, here))
        first, base, keys = self._lookups(node, here)
        looks_up = is_container(base)
        if looks_up is False:
            # (E?s)?t = E?(s+t)
            return self._projected(base, Choice("?", added(keys)), here, node)
        if looks_up:
            found = replace(first, base=self._expr(first.base, here))
            return self._moment(found, keys[1:], node) if len(keys) > 1 else found
        if isinstance(base, (ast.VarRef, ast.ContextItem)):
            return self._moment(self._expr(first.base, here), keys, node)
        function, bindings = self._as_function(base, here)
        arguments = (self._expr(base, here), function, bindings, ast.SequenceExpr(keys, span=node.span))
        return history_call("lookup", arguments, node)

    @staticmethod
    def _moment(base: ast.Expr, keys: tuple[ast.Expr, ...], node: ast.Node) -> ast.Expr:
        return history_call("moment", (base, ast.SequenceExpr(keys, span=node.span)), node)

    def _lookups(self, node: ast.Lookup, here: _Here) -> tuple[ast.Lookup, ast.Expr, tuple[ast.Expr, ...]]:
        """Lookups one after another, `E?1?2`: the first one, E, and the numbers."""
        assert node.key is not None
        keys: list[ast.Expr] = [node.key]
        base = self._resolved(node.base, here)
        while isinstance(base, ast.Lookup) and isinstance(base.key, ast.IntegerLiteral):
            node = base
            keys.insert(0, base.key)
            base = self._resolved(base.base, here)
        return node, base, tuple(keys)

    def _inner(self, base: ast.Expr, here: _Here) -> tuple[ast.Expr, Choice] | None:
        """The operand and the choice of a projection, also of one that is spelled as a lookup."""
        if not (self._over_updates and isinstance(base, ast.Lookup) and isinstance(base.key, ast.IntegerLiteral)):
            return choice_of(base)
        _, operand, keys = self._lookups(base, here)
        return (operand, Choice("?", added(keys))) if is_container(operand) is False else None


def added(numbers: Sequence[ast.Expr]) -> ast.Expr:
    """The sum of some numbers of seconds."""
    if len(numbers) == 1:
        return numbers[0]
    total = sum(number.value for number in numbers if isinstance(number, ast.IntegerLiteral))
    return ast.IntegerLiteral(total, span=numbers[-1].span)


def _bound_by(clause: ast.Clause) -> list[ast.Name]:
    """The variables that a clause binds."""
    match clause:
        case ast.ForClause(name=name, position=position):
            return [name] if position is None else [name, position]
        case ast.LetClause(name=name) | ast.CountClause(name=name):
            return [name]
        case ast.WindowClause(name=name):
            conditions = [each.variables for each in (clause.start, clause.end) if each is not None]
            found = [(v.current, v.position, v.previous, v.next) for v in conditions]
            return [name, *(each for group in found for each in group if each is not None)]
        case ast.ForseqClause(name=name, window=window):
            if window is None:
                return [name]
            return [name, *(variable.name for each in (window.start, window.end) for variable in each.variables)]
    return []
