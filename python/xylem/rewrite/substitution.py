"""Replace variables and the focus of an expression by other expressions.

The substitution does not replace variables that an inner expression rebinds. It captures no variable, because callers
insert only variables whose names occur nowhere else in the query (`Names` in `fresh_names.py`).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, TypeVar, cast

from xylem.analysis.ast_replacement import with_fields, with_values
from xylem.analysis.bound_names import read_variables
from xylem.functions.library import look_up
from xylem.functions.registry import FN
from xylem.syntax import ast
from xylem.syntax.ast.facts import contains

ExpandedName = tuple[str, str]
N = TypeVar("N", bound=ast.Node)


class FocusInTheWay(Exception):
    """The expression uses its focus in a way that no other expression can replace."""


@dataclass(frozen=True)
class Substitution:
    """The replacements at one place of an expression."""

    variables: Mapping[ExpandedName, ast.Expr]
    focus: ast.Expr | None = None
    """Replaces the context item, which is then a single node; None leaves it."""
    root: ast.Expr | None = None
    """Replaces a leading `/`; None leaves it."""

    def without(self, *names: ast.Name | None) -> Substitution:
        """The replacements inside a construct that binds these names."""
        bound = {name.expanded for name in names if name is not None}
        if not bound & self.variables.keys():
            return self
        kept = {name: value for name, value in self.variables.items() if name not in bound}
        return replace(self, variables=kept)

    def in_new_focus(self, of: ast.Expr) -> Substitution:
        """The replacements where the focus is an item of `of`, an expression after substitution."""
        return Substitution(self.variables, None, self.root if _starts_in_stream(of, self) else None)

    def apply(self, node: N) -> N:
        """The node with everything replaced; the very same object if nothing was."""
        if not self.variables and self.focus is None and self.root is None:
            return node
        return cast(N, _visit(node, self))


def variable(name: str) -> ast.VarRef:
    """A reference to a variable of a program."""
    return ast.VarRef(ast.Name(name, None, ""))


def _starts_in_stream(expr: ast.Expr, here: Substitution) -> bool:
    while isinstance(expr, (ast.Path, ast.Filter)):
        expr = expr.left if isinstance(expr, ast.Path) else expr.base
    streams = [value for value in (*here.variables.values(), here.root) if isinstance(value, ast.VarRef)]
    # Without a new focus, a step stays a step from the outer focus.
    return expr in streams or (isinstance(expr, (ast.AxisStep, ast.ContextItem, ast.Root)) and here.root is not None)


def _visit(node: Any, here: Substitution) -> Any:
    if here.focus is None and not _reads_any(node, here):
        return node
    handler = _HANDLERS.get(type(node))
    return handler(node, here) if handler is not None else _rebuild(node, here)


def _reads_any(node: ast.Node, here: Substitution) -> bool:
    """Whether a node reads a variable or the root that is to be replaced."""
    if here.root is not None and contains(node, ast.Root):
        return True
    return not read_variables(node).isdisjoint(here.variables)


def _rebuild(node: ast.Node, here: Substitution) -> Any:
    return with_values(node, lambda value: _value(value, here))


def _value(value: Any, here: Substitution) -> Any:
    if isinstance(value, ast.Node):
        return _visit(value, here)
    if type(value) is tuple and value:
        made = tuple(_value(member, here) for member in value)
        return value if all(a is b for a, b in zip(value, made, strict=True)) else made
    return value


# --- replacements


def _variable(node: ast.VarRef, here: Substitution) -> ast.Expr:
    return here.variables.get(node.name.expanded, node)


def _context_item(node: ast.ContextItem, here: Substitution) -> ast.Expr:
    return here.focus or node


def _root(node: ast.Root, here: Substitution) -> ast.Expr:
    return here.root or node


def _axis_step(node: ast.AxisStep, here: Substitution) -> ast.Expr:
    inner = Substitution(here.variables, None, here.root)
    made = with_fields(node, predicates=_value(node.predicates, inner)) if node.predicates else node
    return ast.Path(here.focus, made, span=node.span) if here.focus is not None else made


def _unary_lookup(node: ast.UnaryLookup, here: Substitution) -> ast.Expr:
    if here.focus is None:
        return cast(ast.Expr, _rebuild(node, here))
    return ast.Lookup(here.focus, None if node.key is None else _visit(node.key, here), span=node.span)


def _call(node: ast.FunctionCall, here: Substitution) -> ast.Expr:
    made = cast(ast.FunctionCall, _rebuild(node, here))
    if here.focus is None or node.name.uri != FN:
        return made
    if not node.arguments and node.name.local in ("position", "last"):
        return ast.IntegerLiteral(1, span=node.span)
    builtin = look_up(*node.name.expanded, len(node.arguments) + 1)
    if builtin is None or not builtin.focus or builtin.most != len(node.arguments) + 1:
        return made
    given = here.focus
    if builtin.parameters[-1] == "xs:string?":
        given = ast.FunctionCall(ast.Name("string", "fn", FN), (given,), span=node.span)
    return with_fields(made, arguments=(*made.arguments, given))


def _function_ref(node: ast.NamedFunctionRef, here: Substitution) -> ast.Expr:
    if here.focus is not None and node.name.uri == FN:
        # It may read the current context item: name#0, position#0.
        raise FocusInTheWay
    return node


# --- changes of focus


def _path(node: ast.Path, here: Substitution) -> ast.Expr:
    left = _visit(node.left, here)
    right = _visit(node.right, here.in_new_focus(left))
    return node if left is node.left and right is node.right else with_fields(node, left=left, right=right)


def _simple_map(node: ast.SimpleMap, here: Substitution) -> ast.Expr:
    left = _visit(node.left, here)
    return with_fields(node, left=left, right=_visit(node.right, here.in_new_focus(left)))


def _filter(node: ast.Filter, here: Substitution) -> ast.Expr:
    base = _visit(node.base, here)
    return with_fields(node, base=base, predicate=_visit(node.predicate, here.in_new_focus(base)))


def _data_window(node: ast.DataWindow, here: Substitution) -> ast.Expr:
    base = _visit(node.base, here)
    reference = None if node.reference is None else _visit(node.reference, here.in_new_focus(base))
    step = None if node.step is None else _visit(node.step, here)
    return with_fields(node, base=base, reference=reference, size=_visit(node.size, here), step=step)


def _inline_function(node: ast.InlineFunction, here: Substitution) -> ast.Expr:
    inner = Substitution(here.without(*(p.name for p in node.parameters)).variables)
    return with_fields(node, body=_visit(node.body, inner))


# --- bindings of variables


def _flwor(node: ast.Flwor, here: Substitution) -> ast.Expr:
    clauses = []
    for clause in node.clauses:
        made, here = _clause(clause, here)
        clauses.append(made)
    return with_fields(node, clauses=tuple(clauses), result=_visit(node.result, here))


def _clause(clause: ast.Clause, here: Substitution) -> tuple[ast.Clause, Substitution]:
    match clause:
        case ast.ForClause(name=name, collection=collection, position=position):
            return with_fields(clause, collection=_visit(collection, here)), here.without(name, position)
        case ast.JoinClause(name=name, collection=collection, position=position):
            inner = here.without(name, position)
            made = with_fields(
                clause,
                collection=_visit(collection, here),
                tests=tuple(
                    with_fields(one, key=_visit(one.key, inner), probe=_visit(one.probe, here)) for one in clause.tests
                ),
            )
            return made, inner
        case ast.LetClause(name=name, value=value):
            return with_fields(clause, value=_visit(value, here)), here.without(name)
        case ast.CountClause(name=name):
            return clause, here.without(name)
        case ast.GroupByClause(specs=specs):
            return _rebuild(clause, here), here.without(*(spec.name for spec in specs))
        case ast.WindowClause():
            return _window(clause, here)
        case ast.ForseqClause():
            return _forseq(clause, here)
    return _rebuild(clause, here), here


def _window(clause: ast.WindowClause, here: Substitution) -> tuple[ast.Clause, Substitution]:
    collection = _visit(clause.collection, here)
    inner, conditions = here, []
    for condition in (clause.start, clause.end):
        if condition is not None:
            bound = condition.variables
            inner = inner.without(bound.current, bound.position, bound.previous, bound.next)
        conditions.append(condition and with_fields(condition, when=_visit(condition.when, inner)))
    start, end = conditions
    assert start is not None
    return with_fields(clause, collection=collection, start=start, end=end), inner.without(clause.name)


def _forseq(clause: ast.ForseqClause, here: Substitution) -> tuple[ast.Clause, Substitution]:
    collection = _visit(clause.collection, here)
    inner, window = here, clause.window
    if window is not None:
        conditions = []
        for condition in (window.start, window.end):
            inner = inner.without(*(v.name for v in condition.variables))
            when = None if condition.when is None else _visit(condition.when, inner)
            conditions.append(with_fields(condition, when=when))
        window = with_fields(window, start=conditions[0], end=conditions[1])
    return with_fields(clause, collection=collection, window=window), inner.without(clause.name)


def _quantified(node: ast.Quantified, here: Substitution) -> ast.Expr:
    bindings = []
    for binding in node.bindings:
        bindings.append(with_fields(binding, collection=_visit(binding.collection, here)))
        here = here.without(binding.name)
    return with_fields(node, bindings=tuple(bindings), satisfies=_visit(node.satisfies, here))


def _typeswitch(node: ast.Typeswitch, here: Substitution) -> ast.Expr:
    cases = tuple(with_fields(case, result=_visit(case.result, here.without(case.variable))) for case in node.cases)
    default = _visit(node.default, here.without(node.default_variable))
    return with_fields(node, operand=_visit(node.operand, here), cases=cases, default=default)


def _leave(node: ast.Node, here: Substitution) -> ast.Node:
    return node


_HANDLERS: dict[type, Any] = {
    ast.VarRef: _variable,
    ast.ContextItem: _context_item,
    ast.Root: _root,
    ast.AxisStep: _axis_step,
    ast.UnaryLookup: _unary_lookup,
    ast.FunctionCall: _call,
    ast.NamedFunctionRef: _function_ref,
    ast.Path: _path,
    ast.SimpleMap: _simple_map,
    ast.Filter: _filter,
    ast.DataWindow: _data_window,
    ast.InlineFunction: _inline_function,
    ast.Flwor: _flwor,
    ast.Quantified: _quantified,
    ast.Typeswitch: _typeswitch,
    ast.Name: _leave,
    ast.SequenceTypeNode: _leave,
}
