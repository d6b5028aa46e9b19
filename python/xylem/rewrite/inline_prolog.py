"""Put the prolog's declarations where they are used, so that what they read of the input is seen.

    declare variable $d := doc("a.xml");  $d/x/y          →     let $d := doc("a.xml") return $d/x/y

    declare function local:f($b) { <t>{ $b/title }</t> };
    for $b in /bib/book return local:f($b)                →     for $b in /bib/book return <t>{ $b/title }</t>

Gain:   a global variable that reads the input, or a function that takes a node, would need all of it kept.
Needs:  for variables: not external; one that a function reads stays for it. For functions: no recursion;
        parameters and result without types, or with types the arguments are known to have, or values of nodes, which
        are cast; the variables that the body reads of the prolog are bound nowhere in the query.
Safe:   functions have no focus and no state: a call is its body with the parameters bound to the arguments. What a
        node holds is untyped, and an untyped argument is cast to the type of its parameter (XQuery 3.1 §3.1.5.2).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from xylem.analysis.ast_replacement import replaced
from xylem.analysis.focus import reads_focus
from xylem.analysis.free_variables import free_in
from xylem.analysis.history.operands import PROJECTIONS
from xylem.analysis.reached_declarations import reached_declarations
from xylem.analysis.statements import Statements
from xylem.analysis.streamable_paths import is_element_test
from xylem.functions.registry import PREFIXES
from xylem.functions.traits import AGGREGATES
from xylem.syntax import ast

from .fresh_names import bound_names
from .let_values import is_cheap
from .source import is_named_source
from .substitution import Substitution

ExpandedName = tuple[str, str]
_ANY_NUMBER = ("*", "**")
_TRUTH = (ast.And, ast.GeneralComparison, ast.Or, ast.Quantified)
MOST_NODES = 4_000
"""Queries that become larger than this keep their calls."""


def inline_prolog(body: ast.Expr, prolog: Iterable[ast.Declaration]) -> ast.Expr:
    """The body with calls of simple functions, and variables that read the input, replaced by what they stand for."""
    declared = list(prolog)
    body = inline_functions(body, declared)
    reached = [d for d in reached_declarations([body], declared) if isinstance(d, ast.VariableDecl)]
    lets: list[ast.Clause] = []
    placed: set[ExpandedName] = set()
    while True:
        # One that reads another comes behind it.
        ready = [d for d in reached if d.name.expanded not in placed and _is_input(d, placed)]
        if not ready:
            break
        for declaration in ready:
            assert declaration.value is not None
            lets.append(ast.LetClause(declaration.name, declaration.type, declaration.value, span=declaration.span))
            placed.add(declaration.name.expanded)
    return ast.Flwor(tuple(lets), body, span=body.span) if lets else body


def inline_functions(body: ast.Expr, declared: Iterable[ast.Declaration]) -> ast.Expr:
    """The body with calls of simple functions replaced by what they stand for."""
    declared = list(declared)
    functions = {(*d.name.expanded, len(d.parameters)): d for d in declared if isinstance(d, ast.FunctionDecl)}
    return _Inliner(functions, body, Statements.of(body, declared)).inlined(body) if functions else body


def _is_input(declaration: ast.VariableDecl, inputs: set[ExpandedName]) -> bool:
    """Whether the value of a variable reads the input, by itself or by another such variable."""
    value = declaration.value
    if declaration.external or value is None:
        return False
    if declaration.type is not None and isinstance(value, ast.FunctionCall) and value.name.expanded in AGGREGATES:
        # One value, whose type is checked where it is declared: an earlier pass gives it.
        return False
    if reads_focus(value) or _variables(value) & inputs:
        return True
    return any(isinstance(node, ast.FunctionCall) and is_named_source(node) for node in value.walk())


@dataclass(frozen=True)
class _Known:
    """What is known of the variables of the query: bound by `for` to elements that a step selects."""

    steps: Mapping[ExpandedName, ast.AxisStep]

    @staticmethod
    def of(body: ast.Expr) -> _Known:
        steps: dict[ExpandedName, ast.AxisStep] = {}
        bound: set[ExpandedName] = set()
        for node in body.walk():
            for name in bound_names(node):
                if name.expanded in bound:
                    steps.pop(name.expanded, None)
                bound.add(name.expanded)
            if isinstance(node, ast.ForClause) and node.name.expanded not in steps and not node.allowing_empty:
                last = node.collection.right if isinstance(node.collection, ast.Path) else node.collection
                if isinstance(last, ast.AxisStep) and last.axis in ("child", "descendant"):
                    steps[node.name.expanded] = last
        return _Known(steps)

    def has_type(self, argument: ast.Expr, kind: ast.SequenceTypeNode | None) -> bool:
        """Whether an argument is known to be of a type, so that it need not be checked."""
        if kind is None or (isinstance(kind.item, ast.AnyItemType) and kind.occurrence in _ANY_NUMBER):
            return True
        if _converted(argument, kind) is not argument:
            return True
        last = argument.right if isinstance(argument, ast.Path) else argument
        if isinstance(last, ast.AxisStep) and last.axis in ("child", "descendant"):
            known = is_element_test(last.test) and _is_element(last.test, kind.item)
            return known and kind.occurrence in _ANY_NUMBER
        if not isinstance(argument, ast.VarRef) or argument.name.expanded not in self.steps:
            return False
        test = self.steps[argument.name.expanded].test
        return is_element_test(test) and _is_element(test, kind.item)


_CONVERTED = ("boolean", "date", "dateTime", "decimal", "double", "integer", "string")


def _converted(argument: ast.Expr, kind: ast.SequenceTypeNode | None) -> ast.Expr:
    """An argument as a function gets it: of nodes, the value in the type of the parameter."""
    if kind is None or not isinstance(kind.item, ast.AtomicType) or kind.occurrence not in ("", "?"):
        return argument
    name = kind.item.name
    if name.uri != PREFIXES["xs"] or name.local not in _CONVERTED:
        return argument
    last = argument.right if isinstance(argument, ast.Path) else None
    if not isinstance(last, ast.AxisStep) or not isinstance(last.test, (ast.NameTest, ast.Wildcard)):
        return argument
    return ast.CastAs(argument, ast.SingleType(name, kind.occurrence == "?"), span=argument.span)


def _is_element(test: ast.NodeTest, kind: ast.ItemTypeNode | None) -> bool:
    match kind:
        case ast.AnyItemType() | ast.AnyKindTest() | ast.ElementTest(name=None, type=None):
            return True
        case ast.ElementTest(name=ast.Name() as name, type=None):
            return isinstance(test, ast.NameTest) and test.name.expanded == name.expanded
    return False


class _Inliner:
    def __init__(
        self, functions: Mapping[tuple[str, str, int], ast.FunctionDecl], body: ast.Expr, statements: Statements
    ) -> None:
        self.functions = functions
        self.statements = statements
        self.known = _Known.of(body)
        self.bound = {name.expanded for node in body.walk() for name in bound_names(node)}
        self.size = 0

    def inlined(self, expr: ast.Expr) -> ast.Expr:
        return replaced(expr, self._call)

    def _call(self, node: ast.Node) -> ast.Node | None:
        if not isinstance(node, ast.FunctionCall):
            return None
        key = (*node.name.expanded, len(node.arguments))
        declared = self.functions.get(key)
        if declared is None or self._recurs(key) or not self._can_go(declared, node):
            return None
        assert declared.body is not None
        arguments = [
            _converted(self.inlined(argument), parameter.type)
            for argument, parameter in zip(node.arguments, declared.parameters, strict=True)
        ]
        body = self.inlined(declared.body)
        inside = {name.expanded for part in body.walk() for name in bound_names(part)}
        lets: list[ast.Clause] = []
        direct: dict[ExpandedName, ast.Expr] = {}
        for parameter, argument in zip(declared.parameters, arguments, strict=True):
            is_plain = is_cheap(argument) and not reads_focus(argument) and self.statements.is_steady(argument)
            if is_plain and not _variables(argument) & inside:
                direct[parameter.name.expanded] = argument
            else:
                lets.append(ast.LetClause(parameter.name, None, argument, span=argument.span))
        body = Substitution(direct).apply(body)
        return ast.Flwor(tuple(lets), body, span=node.span) if lets else body

    def _recurs(self, key: tuple[str, str, int]) -> bool:
        """Whether a call may lead to the same function."""
        seen: set[tuple[str, str, int]] = set()
        todo = [key]
        while todo:
            declared = self.functions.get(todo.pop())
            if declared is None or declared.body is None:
                continue
            for node in declared.body.walk():
                if isinstance(node, ast.FunctionCall):
                    called = (*node.name.expanded, len(node.arguments))
                    if called == key:
                        return True
                    if called not in seen:
                        seen.add(called)
                        todo.append(called)
        return False

    def _can_go(self, declared: ast.FunctionDecl, call: ast.FunctionCall) -> bool:
        body = declared.body
        if body is None or reads_focus(body) or any(isinstance(a, ast.ArgumentPlaceholder) for a in call.arguments):
            return False
        self.size += sum(1 for _ in body.walk())
        if self.size > MOST_NODES or not _gives(body, declared.returns, declared.parameters):
            return False
        if not all(map(self.known.has_type, call.arguments, (p.type for p in declared.parameters))):
            return False
        own = [parameter.name.expanded for parameter in declared.parameters]
        held = _held_through_time(body)
        for name, argument in zip(own, call.arguments, strict=True):
            # A parameter keeps its node through time; what a `let` variable stands for is computed as of each moment.
            if name in held and not (isinstance(argument, ast.VarRef) and argument.name.expanded in self.known.steps):
                return False
        if (free_in(body) - set(own)) & self.bound:
            return False
        # One `let` after the other: no argument may read what a parameter before it is called.
        return not any(set(own[:index]) & _variables(argument) for index, argument in enumerate(call.arguments))


def _gives(body: ast.Expr, kind: ast.SequenceTypeNode | None, parameters: Iterable[ast.Parameter]) -> bool:
    """Whether the result of a function is known to have its type."""
    if kind is None or (isinstance(kind.item, ast.AnyItemType) and kind.occurrence in _ANY_NUMBER):
        return True
    if isinstance(body, ast.Flwor):
        return kind.occurrence in _ANY_NUMBER and _gives(body.result, kind, parameters)
    if isinstance(body, ast.Filter):
        # Some of the items, or none.
        return kind.occurrence in ("?", *_ANY_NUMBER) and _gives(body.base, kind, parameters)
    if isinstance(body, ast.VarRef):
        return any(one.name.expanded == body.name.expanded and one.type == kind for one in parameters)
    if isinstance(body, _TRUTH):
        # Exactly one truth value, whatever is compared.
        return isinstance(kind.item, ast.AtomicType) and kind.item.name.expanded == (PREFIXES["xs"], "boolean")
    if not isinstance(body, (ast.DirectElement, ast.ComputedElement)) or not isinstance(body.name, ast.Name):
        return False
    return _is_element(ast.NameTest(body.name), kind.item)


def _held_through_time(body: ast.Expr) -> set[ExpandedName]:
    """The variables that are read by projections of variables and of values (docs/history.md), not of steps."""
    found: set[ExpandedName] = set()
    for node in body.walk():
        if isinstance(node, (*PROJECTIONS, ast.Lookup)):
            last = node.base.right if isinstance(node.base, ast.Path) else node.base
            if not isinstance(last, ast.AxisStep):
                found |= _variables(node.base)
    return found


def _variables(node: ast.Node) -> set[ExpandedName]:
    return {n.name.expanded for n in node.walk() if isinstance(n, ast.VarRef)}
