"""Expressions in the graph: their dependences, and the nodes they create."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, field, replace

from xylem.functions.registry import FN
from xylem.syntax import ast

from . import calls, flwor, paths
from .graph import Blocking
from .stream_path import INPUT, StreamPath
from .values import CONSTANT, NONE, Nodes, Refs, Value, label

ExpandedName = tuple[str, str]
FunctionKey = tuple[str, str, int]
_PATHS = (ast.Path, ast.AxisStep, ast.Root, ast.Filter, ast.SimpleMap)
_CONSTRUCTORS = (ast.DirectElement, ast.ComputedElement, ast.ComputedDocument)
_TESTS = (ast.GeneralComparison, ast.InstanceOf, ast.CastableAs, ast.Or, ast.And)
"""Operators that compute one value from a sequence, at its end."""
_OF_VALUES = (
    ast.ValueComparison,
    ast.NodeComparison,
    ast.Arithmetic,
    ast.Unary,
    ast.StringConcat,
    ast.Range,
    ast.CastAs,
)
"""Operators whose operands are single values: a sequence contributes its only one, known at its end."""


@dataclass(frozen=True)
class Around:
    """The bindings around an expression."""

    names: Mapping[ExpandedName, Value] = field(default_factory=dict)
    focus: Value = field(default_factory=lambda: Value(place=StreamPath(INPUT)))
    active: frozenset[FunctionKey] = frozenset()
    """Functions whose bodies are being walked."""

    def where(self, name: ast.Name | None, value: Value) -> Around:
        return self if name is None else replace(self, names={**self.names, name.expanded: value})


class Walk:
    """One walk over a query."""

    def __init__(
        self,
        declared: Iterable[ast.Declaration],
        is_fold: Callable[[ast.FunctionDecl], bool],
        limited: Collection[int] = (),
    ) -> None:
        self.nodes = Nodes()
        self.limited = limited
        """The ids of sorts of which only the first items are needed."""
        self.is_fold = is_fold
        self.functions: dict[FunctionKey, ast.FunctionDecl] = {}
        self._variables: dict[ExpandedName, ast.VariableDecl] = {}
        self._globals: dict[ExpandedName, Value] = {}
        for declaration in declared:
            if isinstance(declaration, ast.FunctionDecl):
                self.functions[*declaration.name.expanded, len(declaration.parameters)] = declaration
            elif isinstance(declaration, ast.VariableDecl):
                self._variables[declaration.name.expanded] = declaration

    def of(self, expr: ast.Expr, around: Around) -> Value:
        """The value of an expression."""
        match expr:
            case ast.VarRef(name=name):
                known = around.names.get(name.expanded)
                return self._global(name) if known is None else known
            case ast.ContextItem():
                return around.focus
            case ast.Path() | ast.AxisStep() | ast.Root() | ast.Filter() | ast.SimpleMap():
                return paths.path(self, expr, around)
            case ast.Flwor():
                return flwor.flwor(self, expr, around)
            case ast.Quantified():
                return flwor.quantified(self, expr, around)
            case ast.FunctionCall(name=name, arguments=arguments):
                return calls.call(self, expr, name, arguments, around)
            case ast.InlineFunction(parameters=parameters, body=body):
                for parameter in parameters:
                    around = around.where(parameter.name, CONSTANT)
                return self.of(body, replace(around, focus=CONSTANT))
            case ast.If(test=test, then=then, otherwise=otherwise):
                return self._choice(expr, [test], [then, otherwise], around)
            case ast.Switch() | ast.Typeswitch():
                return self._cases(expr, around)
            case ast.SequenceExpr(items=items):
                return self.one_after_another(items, around)
            case ast.SetOperation():
                return self._set_operation(expr, around)
            case ast.DataWindow(base=base):
                return self.of(base, around)
        if isinstance(expr, _CONSTRUCTORS):
            return self.one_after_another(_content(expr), around)
        if isinstance(expr, _TESTS):
            return self.single(expr, _below(expr), around)
        if isinstance(expr, _OF_VALUES):
            return self.together([self.single(side, [side], around) for side in _below(expr)], expr)
        return self.together([self.of(child, around) for child in _below(expr)], expr)

    # --- values of several expressions

    def single(self, expr: ast.Expr, operands: Iterable[ast.Expr], around: Around) -> Value:
        """One value from all operands; if one is as long as a stream, it is known at the end of that."""
        values = [self.settled(self.of(operand, around), operand) for operand in operands]
        folded = frozenset(ref for value in values if value.is_sequence for ref in value.refs)
        flows = frozenset(ref for value in values if not value.is_sequence for ref in value.refs)
        is_local = any(value.is_local for value in values)
        if not folded:
            return Value(flows, is_local=is_local)
        made = self.nodes.atom(label(expr), expr.span, flows, aggregates=folded, is_local=is_local)
        return replace(made, is_local=is_local)

    def together(self, values: Iterable[Value], expr: ast.Expr) -> Value:
        found = [self.settled(value, expr) for value in values]
        return Value(
            frozenset(ref for value in found for ref in value.refs),
            any(value.is_sequence for value in found),
            is_local=any(value.is_local for value in found),
        )

    def one_after_another(self, items: Iterable[ast.Expr], around: Around) -> Value:
        """Sequences and values in the order of the query: a later one waits for an earlier one.

        A value after a sequence is ready when its turn comes. A sequence after an aggregate cannot flow before that is
        known, and a sequence after another cannot flow before that has passed.
        """
        parts: list[Value] = []
        before: set[int] = set()
        is_behind = False
        for item in items:
            value = self.settled(self.of(item, around), item)
            if value.is_sequence and before:
                if is_behind:
                    for ref in value.refs:
                        self.nodes.wait(ref)
                else:
                    # Only values precede it.
                    value = self.nodes.sequence(label(item), item.span, value.refs | before, in_turn=True)
            parts.append(value)
            before |= value.refs
            is_behind = is_behind or value.is_sequence
        return Value(
            frozenset(ref for part in parts for ref in part.refs),
            any(part.is_sequence for part in parts),
            is_local=any(part.is_local for part in parts),
        )

    def settled(self, value: Value, expr: ast.Node) -> Value:
        """A place in a stream as its node."""
        if value.place is None:
            return value
        return self.nodes.sequence(str(value.place), expr.span, value.refs, path=value.place)

    def named(self, value: Value, name: ast.Name, clause: ast.Node, expr: ast.Expr) -> Value:
        """The value of a variable; a document or its element keeps no node of its own."""
        if value.place is not None and value.place.is_single:
            return value
        return self.nodes.name(self.settled(value, expr), f"${name}", clause.span)

    def truth(self, expr: ast.Expr, around: Around) -> Value:
        """A condition."""
        value = self.settled(self.of(expr, around), expr)
        if not value.is_sequence:
            return value
        return self.nodes.atom(f"exists({label(expr)})", expr.span, aggregates=value.refs, is_local=value.is_local)

    def _choice(self, expr: ast.Expr, tests: list[ast.Expr], results: Iterable[ast.Expr], around: Around) -> Value:
        decides: Refs = NONE
        is_local = False
        for test in tests:
            value = self.truth(test, around)
            decides, is_local = decides | value.refs, is_local or value.is_local
        found = self.together([self.of(result, around) for result in results], expr)
        if found.is_sequence and decides:
            in_turn = not self.nodes.traversals(decides)
            return self.nodes.sequence(label(expr), expr.span, found.refs | decides, in_turn=in_turn)
        return replace(found.and_also(decides), is_local=found.is_local or is_local)

    def _cases(self, expr: ast.Switch | ast.Typeswitch, around: Around) -> Value:
        operand = self.settled(self.of(expr.operand, around), expr.operand)
        results: list[Value] = [self.of(expr.default, _with(expr, around, operand))]
        for case in expr.cases:
            inner = around.where(case.variable, operand) if isinstance(case, ast.TypeswitchCase) else around
            if isinstance(case, ast.SwitchCase):
                results += [Value(self.together([self.of(o, around)], o).refs) for o in case.operands]
            results.append(self.of(case.result, inner))
        if operand.is_sequence:
            operand = self.nodes.atom(label(expr.operand), expr.operand.span, aggregates=operand.refs)
        found = self.together(results, expr)
        if found.is_sequence and operand.refs:
            return self.nodes.sequence(label(expr), expr.span, found.refs | operand.refs)
        return found.and_also(operand.refs)

    def _set_operation(self, expr: ast.SetOperation, around: Around) -> Value:
        found = self.together([self.of(side, around) for side in (expr.left, expr.right)], expr)
        if not found.is_sequence:
            return found
        blocking = None if expr.op == "union" else Blocking.JOINS
        made = self.nodes.sequence(label(expr), expr.span, found.refs, blocking=blocking or Blocking.WAITS)
        if blocking is None:
            # Both are in the order of the document, and so is their union.
            (number,) = made.refs
            self.nodes.nodes[number] = replace(self.nodes.nodes[number], blocking=None)
        return made

    # --- declarations of the prolog

    def _global(self, name: ast.Name) -> Value:
        if name.expanded == ("", "ROOT"):
            return Value(place=StreamPath(INPUT))
        if name.expanded not in self._globals:
            declared = self._variables.get(name.expanded)
            self._globals[name.expanded] = CONSTANT
            if declared is not None:
                self._globals[name.expanded] = self._declared(declared)
        return self._globals[name.expanded]

    def _declared(self, declared: ast.VariableDecl) -> Value:
        if declared.type is not None and declared.type.occurrence == "**":
            path = StreamPath(f"${declared.name}", starts_with_many=True)
            return self.nodes.sequence(str(path), declared.span, path=path)
        if declared.value is None:
            return CONSTANT
        return self.named(self.of(declared.value, Around()), declared.name, declared, declared.value)


def _with(expr: ast.Switch | ast.Typeswitch, around: Around, operand: Value) -> Around:
    return around.where(expr.default_variable, operand) if isinstance(expr, ast.Typeswitch) else around


def _below(node: ast.Node) -> list[ast.Expr]:
    """The expressions directly below, also through nodes that are not expressions."""
    found: list[ast.Expr] = []
    for child in node.children():
        found += [child] if isinstance(child, ast.Expr) else _below(child)
    return found


def _content(expr: ast.Expr) -> list[ast.Expr]:
    if isinstance(expr, ast.DirectElement):
        attributes = [part for a in expr.attributes for part in a.parts if isinstance(part, ast.Expr)]
        return [*attributes, *expr.content]
    return _below(expr)


def is_standard(name: ast.Name, *local: str) -> bool:
    return name.uri == FN and name.local in local
