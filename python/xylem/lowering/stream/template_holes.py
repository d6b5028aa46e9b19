"""Expressions that the kernel cannot compute, as holes of a template that code fills in (`plan/result_template.py`).

        <r>{ format-number($p/en, "0.00") }</r>   →   Construct("r", (Hole(0, (en,)),)),  0: format-number($0, "0.00")

Gain:   a record needs no tree; code sees the values of a whole batch, and nothing else of it.
        if (encode-for-uri($p/@src) = "s1") then <r/> else ()   →   WhenFilled(Hole(0, (@src,)), Construct("r"))
Needs:  an expression that returns atomic values, and atomizes the nodes it reads. It stands alone in its place inside
        an element, so no space separates it from other values. Under a condition there are nodes.
Safe:   code gets the untyped values of the nodes, and values computed by the kernel with their types. It raises its
        errors when it fills the hole.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, TypeVar

from xylem.analysis.ast_replacement import with_values
from xylem.analysis.facts.truth_values import is_boolean
from xylem.analysis.focus import reads_focus
from xylem.analysis.free_variables import free_in
from xylem.errors.error import ERR_NAMESPACE
from xylem.functions.registry import FN, Builtin
from xylem.plan.kernel_expression import Call, KernelExpression
from xylem.plan.result_template import Hole
from xylem.rewrite.substitution import Substitution
from xylem.syntax import ast

from .kernel_expressions.as_loops import is_atomic
from .kernel_expressions.compiler import ExpressionCompiler, is_outside
from .kernel_expressions.item_kinds import are_nodes
from .kernel_expressions.known_functions import XS
from .template_paths import NoTemplate, key_of

MOST = 40
"""Most holes in a template; each is a character in the scan's output."""
FIRST = ord("0")
Known = Callable[[ast.FunctionCall], Builtin | None]
"""The function of a call that is built in or registered, with its types."""

N = TypeVar("N", bound=ast.Node)
_LITERALS = (ast.StringLiteral, ast.IntegerLiteral, ast.DecimalLiteral, ast.DoubleLiteral)
_OPERATORS = (ast.Arithmetic, ast.Unary, ast.StringConcat, ast.StringConstructor, ast.CastAs, ast.ValueComparison)
_ATOMIZING = (*_OPERATORS, ast.GeneralComparison, ast.CastableAs, ast.Range)
_OF_ANY_ITEM = frozenset({(FN, "string"), (FN, "data"), (FN, "number")})
"""Functions that give the same result for a node as for its value."""
_OF_TRUTH = frozenset({(FN, "not"), (FN, "boolean")})
_SCOPES = (ast.WindowClause, ast.JoinClause, ast.GroupByClause, ast.ExtensionNode)


@dataclass(frozen=True)
class HoleCode:
    """The code for a hole: an expression, and the variables bound to the values of its arguments."""

    expression: ast.Expr
    parameters: tuple[tuple[str, bool], ...]
    """Their names, and whether the values have types: otherwise they are untyped."""
    in_attribute: bool
    namespaces: Mapping[str, str]
    """The declarations of the constructors around it, as part of its static context."""
    beyond: NoTemplate
    """The part that the kernel cannot compute."""


class TemplateHoles:
    """The holes of one template."""

    def __init__(self, compiler: ExpressionCompiler, known: Known, codes: list[HoleCode]) -> None:
        self._compiler = compiler
        self._known = known
        self._codes = codes

    def standing_for(self, clause: ast.LetClause) -> ast.Expr | None:
        """What may replace a variable in holes."""
        value = self._settled(clause.value)
        hides = key_of(clause.name) in self._compiler.variables
        return None if hides or clause.type is not None or not self._gives_atomic(value) else value

    def condition(self, expression: ast.Expr, beyond: NoTemplate, namespaces: Mapping[str, str]) -> Hole:
        """The hole that decides a condition beyond the kernel."""
        truth = ast.FunctionCall(ast.Name("boolean", None, FN), (expression,), span=expression.span)
        return self.hole(truth, beyond, namespaces)

    def hole(
        self, expression: ast.Expr, beyond: NoTemplate, namespaces: Mapping[str, str], *, in_attribute: bool = False
    ) -> Hole:
        """A hole for an expression that the kernel cannot compute; refuses if no hole is possible."""
        rest = self._settled(expression)
        given = _Arguments(self._compiler, self._known, self._of_record)
        try:
            if not self._can_fill(rest):
                raise beyond
            rest = given.taken_from(rest, is_atomized=True)
        except NoTemplate:
            raise beyond from None
        if reads_focus(rest) or set(map(_key, free_in(rest))) & self._of_record:
            raise beyond
        parameters = tuple((name, is_typed) for name, (_, is_typed) in given.values.items())
        self._codes.append(HoleCode(rest, parameters, in_attribute, namespaces, beyond))
        return Hole(FIRST + len(self._codes) - 1, tuple(value for value, _ in given.values.values()))

    def _can_fill(self, expression: ast.Expr) -> bool:
        bound = {key_of(name) for node in expression.walk() for name in bound_by(node)}
        return self._gives_atomic(expression) and len(self._codes) < MOST and not bound & self._of_record

    @property
    def _of_record(self) -> set[str]:
        compiler = self._compiler
        return {*compiler.variables, *compiler.paths, *compiler.slots, *compiler.records}

    def _settled(self, expression: ast.Expr) -> ast.Expr:
        lets = {("", name): value for name, value in self._compiler.lets.items()}
        return Substitution(lets).apply(expression)

    def _gives_atomic(self, expr: ast.Expr) -> bool:
        match expr:
            case ast.SequenceExpr(items=items):
                return all(map(self._gives_atomic, items))
            case ast.If(then=then, otherwise=otherwise):
                return self._gives_atomic(then) and self._gives_atomic(otherwise)
            case ast.Switch(cases=cases, default=default):
                return self._gives_atomic(default) and all(self._gives_atomic(case.result) for case in cases)
            case ast.TryCatch(body=body, catches=catches):
                return self._gives_atomic(body) and all(self._gives_atomic(each.body) for each in catches)
            case ast.FunctionCall():
                found = self._known(expr)
                return _is_cast(expr) or (found is not None and found.returns.startswith("xs:"))
            case ast.VarRef(name=name):
                return name.uri == ERR_NAMESPACE and name.local != "value"
        return isinstance(expr, (*_LITERALS, *_OPERATORS, ast.Range)) or is_boolean(expr)


class _Arguments:
    """Replaces the nodes read from the record by variables."""

    def __init__(self, compiler: ExpressionCompiler, known: Known, of_record: set[str]) -> None:
        self._compiler = compiler
        self._known = known
        self._of_record = of_record
        self.values: dict[str, tuple[KernelExpression, bool]] = {}
        """The values read from the record, and whether they have types."""

    def taken_from(self, expr: ast.Expr, *, is_atomized: bool) -> ast.Expr:
        """The expression with variables; paths must be in places where they are atomized."""
        if not any(isinstance(node, ast.VarRef) and key_of(node.name) in self._of_record for node in expr.walk()):
            return expr
        if is_atomic(expr) or self._is_computed(expr):
            with suppress(NoTemplate):
                return self._given(self._compiler.value(expr), expr, is_typed=True)
        if self._begins_in_record(expr):
            if not is_atomized:
                raise NoTemplate("nodes of the record", expr)
            return self._given(self._compiler.value(expr), expr, is_typed=False)
        match expr:
            case ast.FunctionCall(name=name, arguments=(argument,)) if name.expanded in _OF_TRUTH:
                return ast.FunctionCall(name, (self._truth_of(argument),), span=expr.span)
            case ast.And(left=left, right=right):
                return ast.And(self._truth_of(left), self._truth_of(right), span=expr.span)
            case ast.Or(left=left, right=right):
                return ast.Or(self._truth_of(left), self._truth_of(right), span=expr.span)
            case ast.FunctionCall(arguments=arguments) if (found := self._known(expr)) is not None:
                any_item = expr.name.expanded in _OF_ANY_ITEM
                types = found.parameter_types(len(arguments))
                made = tuple(
                    self.taken_from(argument, is_atomized=any_item or kind.startswith("xs:"))
                    for argument, kind in zip(arguments, types, strict=True)
                )
                return ast.FunctionCall(expr.name, made, span=expr.span)
            case ast.FunctionCall() if _is_cast(expr):
                return self._rebuilt(expr, is_atomized=True)
            case ast.SequenceExpr() | ast.TryCatch():
                return self._rebuilt(expr, is_atomized=is_atomized)
            case ast.If(test=test, then=then, otherwise=otherwise):
                return ast.If(
                    self._truth_of(test),
                    self.taken_from(then, is_atomized=is_atomized),
                    self.taken_from(otherwise, is_atomized=is_atomized),
                    span=expr.span,
                )
        return self._rebuilt(expr, is_atomized=isinstance(expr, _ATOMIZING))

    def _truth_of(self, expr: ast.Expr) -> ast.Expr:
        """The expression for an effective boolean value."""
        try:
            value = Call("boolean", (self._compiler.condition(expr),))
        except NoTemplate:
            return self.taken_from(expr, is_atomized=False)
        return self._given(value, expr, is_typed=True)

    def _given(self, value: KernelExpression, expr: ast.Expr, *, is_typed: bool) -> ast.Expr:
        if is_outside(value):
            raise NoTemplate("what is outside of the loop, at each of its turns", expr)
        name = f"given {len(self.values)}"
        self.values[name] = value, is_typed
        return ast.VarRef(ast.Name(name, None, ""), span=expr.span)

    def _is_computed(self, expr: ast.Expr) -> bool:
        """Whether an expression is a variable whose values have types."""
        c = self._compiler
        if not isinstance(expr, ast.VarRef) or key_of(expr.name) not in c.slots:
            return False
        return key_of(expr.name) in c.leaves or not are_nodes(c.kinds_of(c.value(expr)))

    def _rebuilt(self, node: N, *, is_atomized: bool) -> N:
        if isinstance(node, _SCOPES):
            raise NoTemplate("a clause of a FLWOR expression")

        def value(old: Any) -> Any:
            if isinstance(old, ast.Expr):
                return self.taken_from(old, is_atomized=is_atomized)
            if isinstance(old, ast.Node):
                return self._rebuilt(old, is_atomized=is_atomized and isinstance(old, ast.CatchClause))
            made = tuple(value(member) if isinstance(member, (ast.Node, tuple)) else member for member in old)
            return old if all(a is b for a, b in zip(old, made, strict=True)) else made

        return with_values(node, value)

    def _begins_in_record(self, expr: ast.Expr) -> bool:
        match expr:
            case ast.VarRef(name=name):
                return key_of(name) in self._of_record
            case ast.Path(left=left, right=ast.AxisStep()):
                return self._begins_in_record(left)
        return False


def _is_cast(call: ast.FunctionCall) -> bool:
    """xs:integer(…)."""
    return call.name.uri == XS and len(call.arguments) == 1


def _key(name: tuple[str, str]) -> str:
    return key_of(ast.Name(name[1], None, name[0]))


def bound_by(node: ast.Node) -> Iterable[ast.Name]:
    """The variables that a part of an expression binds."""
    match node:
        case ast.ForClause(name=name, position=position):
            return (name,) if position is None else (name, position)
        case ast.LetClause(name=name) | ast.QuantifiedBinding(name=name) | ast.Parameter(name=name):
            return (name,)
        case ast.CountClause(name=name):
            return (name,)
        case ast.TypeswitchCase(variable=ast.Name() as name) | ast.Typeswitch(default_variable=ast.Name() as name):
            return (name,)
    return ()
