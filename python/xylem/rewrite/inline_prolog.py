"""Inline the prolog's declarations, so that the planner sees which input they read.

    declare variable $d := doc("a.xml");  $d/x/y          →     let $d := doc("a.xml") return $d/x/y

    declare function local:f($b) { <t>{ $b/title }</t> };
    for $b in /bib/book return local:f($b)                →     for $b in /bib/book return <t>{ $b/title }</t>

Gain:   a global variable that reads the input, or a function that takes a node, would need all of it kept.
Needs:  for variables: not external; one that a function reads stays for it. For functions: no recursion; parameters and
        result without types, or with types that arguments are known to have, or are converted to (argument_types.py);
        the prolog variables that the body reads have no other meaning at the call. Variables of the function whose
        names arguments read get other names.
Safe:   functions have no focus and no state: a call is its body with the parameters bound to the arguments. Function
        items have no identity, so one that is an argument may stand wherever its parameter is read.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence, Set
from functools import cached_property

from xylem.analysis.ast_replacement import replaced
from xylem.analysis.bound_names import bound_in, names_in, read_variables
from xylem.analysis.facts.value_class import declared_class
from xylem.analysis.focus import reads_focus
from xylem.analysis.free_variables import free_in
from xylem.analysis.history.operands import PROJECTIONS
from xylem.analysis.reached_declarations import reached_declarations
from xylem.analysis.statements import Statements
from xylem.functions.registry import PREFIXES
from xylem.functions.traits import AGGREGATES
from xylem.syntax import ast
from xylem.syntax.ast.facts import size_of, united

from .argument_types import Converted, KnownTypes, gives_element
from .let_values import is_cheap
from .renaming import renamed
from .source import is_named_source
from .substitution import Substitution
from .unshadowed import global_names, unshadowed

ExpandedName = tuple[str, str]
FunctionKey = tuple[str, str, int]
Names = frozenset[ExpandedName]
_ANY_NUMBER = ("*", "**")
_TRUTH = (ast.And, ast.GeneralComparison, ast.Or, ast.Quantified)
RESULT_NAMESPACE = "urn:xylem:result"
"""Namespace of variables for results that are still unchecked: no query has names there."""
MOST_NODES = 4_000
"""Queries that become larger than this keep their calls."""


def inline_prolog(body: ast.Expr, prolog: Iterable[ast.Declaration]) -> ast.Expr:
    """The body with simple functions inlined, and with variables that read the input replaced by their values."""
    declared = list(prolog)
    body = inline_functions(body, declared)
    reached = [d for d in reached_declarations([body], declared) if isinstance(d, ast.VariableDecl)]
    lets: list[ast.Clause] = []
    placed: set[ExpandedName] = set()
    while True:
        # A variable that reads another comes after it.
        ready = [d for d in reached if d.name.expanded not in placed and _is_input(d, placed)]
        if not ready:
            break
        for declaration in ready:
            assert declaration.value is not None
            lets.append(ast.LetClause(declaration.name, declaration.type, declaration.value, span=declaration.span))
            placed.add(declaration.name.expanded)
    return ast.Flwor(tuple(lets), body, span=body.span) if lets else body


def inline_functions(body: ast.Expr, declared: Iterable[ast.Declaration]) -> ast.Expr:
    """The body with simple functions inlined, in which no variable hides another one."""
    declared = list(declared)
    outside = global_names(declared)
    body = unshadowed(body, outside)
    functions = {(*d.name.expanded, len(d.parameters)): d for d in declared if isinstance(d, ast.FunctionDecl)}
    if not functions:
        return body
    inliner = _Inliner(functions, body, Statements.of(body, declared))
    made = inliner.inlined(body, KnownTypes.of(body), bound_in(body))
    return body if made is body else unshadowed(made, outside)


def _is_input(declaration: ast.VariableDecl, inputs: set[ExpandedName]) -> bool:
    """Whether the value of a variable reads the input, by itself or by another such variable."""
    value = declaration.value
    if declaration.external or value is None:
        return False
    if declaration.type is not None and isinstance(value, ast.FunctionCall) and value.name.expanded in AGGREGATES:
        # A single value, whose type is checked where it is declared: an earlier pass computes it.
        return False
    if reads_focus(value) or read_variables(value) & inputs:
        return True
    return any(isinstance(node, ast.FunctionCall) and is_named_source(node) for node in value.walk())


class _Inliner:
    def __init__(
        self, functions: Mapping[FunctionKey, ast.FunctionDecl], body: ast.Expr, statements: Statements
    ) -> None:
        self.functions = functions
        self.statements = statements
        self.body = body
        self.size = 0
        self.results = 0
        self.recursive: dict[FunctionKey, bool] = {}
        self.calls: dict[FunctionKey, frozenset[FunctionKey]] = {}

    def inlined(self, expr: ast.Expr, known: KnownTypes, bound: Names) -> ast.Expr:
        """An expression of the query or of a function after inlining.

        It gets the known types of its variables, and the names that the query or the function binds.
        """
        if calls_in(expr).isdisjoint(self.functions):
            return expr
        return replaced(expr, lambda node: self._call(node, known, bound), (ast.FunctionCall,))

    @cached_property
    def taken(self) -> set[str]:
        """All names of variables in the query and its functions."""
        parts = (self.body, *self.functions.values())
        return {name for part in parts for name in names_in(part)}

    def _call(self, node: ast.Node, known: KnownTypes, bound: Names) -> ast.Node | None:
        if not isinstance(node, ast.FunctionCall):
            return None
        key = (*node.name.expanded, len(node.arguments))
        declared = self.functions.get(key)
        if declared is None or self._recurs(key) or not self._can_go(declared, node, known):
            return None
        taken: list[Converted] = []
        for parameter, argument in zip(declared.parameters, node.arguments, strict=True):
            converted = known.converted(argument, parameter.type, {})
            if converted is None:
                return None
            taken.append(converted._replace(value=self.inlined(converted.value, known, bound)))
        given = self._result(declared)
        placed = None if given is None else self._placed(declared.parameters, given, taken, bound)
        if placed is None:
            return None
        parameters, given = placed
        lets: list[ast.Clause] = []
        direct: dict[ExpandedName, ast.Expr] = {}
        for parameter_name, (argument, unchecked) in zip(parameters, taken, strict=True):
            # A function goes where it is called; later rules put in its body there.
            is_plain = _is_function(argument) or (is_cheap(argument) and not reads_focus(argument))
            if is_plain and self.statements.is_steady(argument) and unchecked is None:
                direct[parameter_name.expanded] = argument
            else:
                lets.append(ast.LetClause(parameter_name, unchecked, argument, span=argument.span))
        given = Substitution(direct).apply(given)
        return ast.Flwor(tuple(lets), given, span=node.span) if lets else given

    def _placed(
        self, parameters: Sequence[ast.Parameter], given: ast.Expr, arguments: Sequence[Converted], bound: Names
    ) -> tuple[list[ast.Name], ast.Expr] | None:
        """The parameters and the body of a function, with names that hide nothing that its arguments read.

        None where the body reads a variable of the prolog whose name means another one at the call.
        """
        names = [parameter.name for parameter in parameters]
        own = {name.expanded for name in names} | bound_in(given)
        outer = free_in(given) - {name.expanded for name in names}
        if outer & bound:
            return None
        clashing = own & {name for argument in arguments for name in free_in(argument.value)}
        if clashing & outer:
            # Renaming goes by name.
            return None
        renaming = {name: ast.Name(self._fresh(name[1]), None, "") for name in sorted(clashing)}
        return [renaming.get(name.expanded, name) for name in names], renamed(given, renaming) if renaming else given

    def _fresh(self, like: str) -> str:
        name, number = like, 1
        while name in self.taken:
            number += 1
            name = f"{like}{number}"
        self.taken.add(name)
        return name

    def _result(self, declared: ast.FunctionDecl) -> ast.Expr | None:
        """The body of a function with its result converted; None if the conversion is not known."""
        body, kind = declared.body, declared.returns
        assert body is not None
        known = KnownTypes.of(body, declared.parameters)
        bound = bound_in(body) | {parameter.name.expanded for parameter in declared.parameters}
        inlined = self.inlined(body, known, bound)
        if gives_type(body, kind, declared.parameters):
            return inlined
        scope = {one.name.expanded: declared_class(one.type) for one in declared.parameters}
        converted = known.converted(body, kind, scope)
        if converted is None:
            return None
        value = inlined if converted.value is body else self.inlined(converted.value, known, bound)
        if converted.unchecked is None:
            return value
        self.results += 1
        name = ast.Name(f"result{self.results}", None, RESULT_NAMESPACE)
        let = ast.LetClause(name, converted.unchecked, value, span=body.span)
        return ast.Flwor((let,), ast.VarRef(name, span=body.span), span=body.span)

    def _recurs(self, key: FunctionKey) -> bool:
        """Whether a call may lead to the same function."""
        if key in self.recursive:
            return self.recursive[key]
        seen: set[FunctionKey] = set()
        todo = [key]
        while todo:
            seen.update(new := self._called(todo.pop()) - seen)
            todo += new
        self.recursive[key] = key in seen
        return key in seen

    def _called(self, key: FunctionKey) -> frozenset[FunctionKey]:
        """The functions that the body of a function calls."""
        if key not in self.calls:
            self.calls[key] = called_in(self.functions[key], self.functions.keys())
        return self.calls[key]

    def _can_go(self, declared: ast.FunctionDecl, call: ast.FunctionCall, known: KnownTypes) -> bool:
        body = declared.body
        if body is None or reads_focus(body) or any(isinstance(a, ast.ArgumentPlaceholder) for a in call.arguments):
            return False
        self.size += size_of(body)
        if self.size > MOST_NODES:
            return False
        own = [parameter.name.expanded for parameter in declared.parameters]
        held = _held_through_time(body)
        for name, argument in zip(own, call.arguments, strict=True):
            # A parameter keeps its node through time; the value of a `let` variable is computed as of each moment.
            if name in held and not known.is_item(argument):
                return False
        return True


def called_in(part: ast.Node, functions: Set[FunctionKey]) -> frozenset[FunctionKey]:
    """Those of the functions that a part of the query calls."""
    return frozenset(functions & calls_in(part))


@united
def calls_in(node: ast.Node) -> frozenset[FunctionKey]:
    """The names of all functions that are called at a node or below it, with their numbers of arguments."""
    if not isinstance(node, ast.FunctionCall):
        return frozenset()
    return frozenset(((*node.name.expanded, len(node.arguments)),))


def gives_type(body: ast.Expr, kind: ast.SequenceTypeNode | None, parameters: Iterable[ast.Parameter]) -> bool:
    """Whether the result of a function is known to have its type."""
    if kind is None or (isinstance(kind.item, ast.AnyItemType) and kind.occurrence in _ANY_NUMBER):
        return True
    if isinstance(body, ast.Flwor):
        # Its clauses may bind the names of parameters again.
        return kind.occurrence in _ANY_NUMBER and gives_type(body.result, kind, ())
    if isinstance(body, ast.Filter):
        # Some of the items, or none.
        return kind.occurrence in ("?", *_ANY_NUMBER) and gives_type(body.base, kind, parameters)
    if isinstance(body, ast.VarRef):
        return any(one.name.expanded == body.name.expanded and one.type == kind for one in parameters)
    if isinstance(body, _TRUTH):
        # Exactly one truth value, whatever is compared.
        return isinstance(kind.item, ast.AtomicType) and kind.item.name.expanded == (PREFIXES["xs"], "boolean")
    if not isinstance(body, (ast.DirectElement, ast.ComputedElement)) or not isinstance(body.name, ast.Name):
        return False
    return gives_element(body.name, kind)


def _held_through_time(body: ast.Expr) -> set[ExpandedName]:
    """The variables read by projections of variables and of values (docs/history.md), not of steps."""
    found: set[ExpandedName] = set()
    for node in body.walk():
        if isinstance(node, (*PROJECTIONS, ast.Lookup)):
            last = node.base.right if isinstance(node.base, ast.Path) else node.base
            if not isinstance(last, ast.AxisStep):
                found |= read_variables(node.base)
    return found


def _is_function(argument: ast.Expr) -> bool:
    """Whether an argument is a function that the query writes or names: it reads no focus when it is called."""
    return isinstance(argument, ast.InlineFunction) or (
        isinstance(argument, ast.NamedFunctionRef) and not reads_focus(argument)
    )

