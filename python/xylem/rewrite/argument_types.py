"""Arguments and results with declared types: which are known to have the type, and which must be converted.

    declare function local:f($id as xs:string?) …       local:f($o/@ref)   takes   $o/@ref cast as xs:string?
    declare function local:f($b as element(book)) …     for $b in //book return local:f($b)   takes   $b

A call converts its arguments (XQuery 3.1 §3.1.5.2): nodes are atomized, untyped values are cast to the expected type,
numbers are promoted. Nodes of an input have untyped values, so the conversion of a path to one type is a cast.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from xylem.analysis.bound_names import bound_names
from xylem.analysis.facts.value_class import XS, Known, Values, classify, declared_class
from xylem.analysis.focus import nodes_in_same_focus
from xylem.analysis.free_variables import free_in
from xylem.analysis.streamable_paths import is_element_test
from xylem.functions.registry import FN
from xylem.syntax import ast
from xylem.syntax.ast.facts import kept_with_node

ExpandedName = tuple[str, str]
_ANY_NUMBER = ("*", "**")
_AT_MOST_ONE = ("", "?")
_CAST = frozenset(
    {"string", "integer", "int", "long", "decimal", "double", "float", "boolean", "date", "dateTime", "time"}
)
"""Types that untyped values are cast to."""
_WHOLE = frozenset({"string", "integer", "decimal", "double", "boolean"})
"""Types that contain all values of a class."""


@dataclass(frozen=True)
class KnownTypes:
    """Known types of a query's variables and context items: elements that a step selects."""

    steps: Mapping[ExpandedName, ast.AxisStep]
    """For variables bound by `for`."""
    sequences: Mapping[ExpandedName, ast.AxisStep]
    """For variables bound by `let`."""
    items: Mapping[int, ast.AxisStep]
    """For context items, by their identity in the tree of the query."""
    grouped: frozenset[int] = frozenset()
    """Where variables are read behind a `group by`, which gives them the items of a whole group; by identity."""

    @staticmethod
    def of(body: ast.Expr, parameters: Iterable[ast.Parameter] = ()) -> KnownTypes:
        """The known types of a query, or of the body of a function with these parameters."""
        given = tuple(parameters)
        return KnownTypes._found(body, given) if given else _of_query(body)

    @staticmethod
    def _found(body: ast.Node, parameters: Sequence[ast.Parameter]) -> KnownTypes:
        steps: dict[ExpandedName, ast.AxisStep] = {}
        sequences: dict[ExpandedName, ast.AxisStep] = {}
        items: dict[int, ast.AxisStep] = {}
        for parameter in parameters:
            match parameter.type:
                case ast.SequenceTypeNode(item=ast.ElementTest(type=None) as test, occurrence=occurrence):
                    into = steps if occurrence == "" else sequences
                    into[parameter.name.expanded] = ast.AxisStep("child", test, span=parameter.span)
        # A name that is free in the body stands for another variable than one that the body binds.
        bound = {*steps, *sequences, *free_in(body)}
        for node in body.walk():
            for name in bound_names(node):
                if name.expanded in bound:
                    steps.pop(name.expanded, None)
                    sequences.pop(name.expanded, None)
                known, step = name.expanded in bound, None
                bound.add(name.expanded)
                match node:
                    case ast.ForClause(collection=collection, position=position, allowing_empty=False):
                        step = _last_step(collection) if name != position else None
                        into = steps
                    case ast.LetClause(value=value):
                        step, into = _last_step(value), sequences
                if step is not None and not known:
                    into[name.expanded] = step
            for item, step in _items(node):
                items[id(item)] = step
        grouped = (one for node in body.walk() if isinstance(node, ast.Flwor) for one in _read_behind_grouping(node))
        return KnownTypes(steps, sequences, items, frozenset(map(id, grouped)))

    def is_item(self, argument: ast.Expr) -> bool:
        """Whether an argument is a variable bound to one element of an input."""
        return isinstance(argument, ast.VarRef) and self._step(argument)[1]

    def has_type(self, argument: ast.Expr, kind: ast.SequenceTypeNode | None) -> bool:
        """Whether an argument is known to have a type, so that it need not be checked."""
        if kind is None or (isinstance(kind.item, ast.AnyItemType) and kind.occurrence in _ANY_NUMBER):
            return True
        if isinstance(argument, ast.Root):
            return isinstance(kind.item, (ast.AnyItemType, ast.AnyKindTest)) or kind.item == ast.DocumentTest()
        match argument:
            case ast.Filter(base=base, predicate=ast.IntegerLiteral()) if kind.occurrence == "?":
                return self.has_type(base, replace(kind, occurrence="*"))
        step, is_one = self._step(argument)
        if step is None or not is_element_test(step.test) or not _is_element(step.test, kind.item):
            return False
        return is_one or kind.occurrence in _ANY_NUMBER

    def _step(self, argument: ast.Expr) -> tuple[ast.AxisStep | None, bool]:
        """The step that selects an argument, and whether it is one element."""
        match argument:
            case ast.VarRef(name=name) if name.expanded in self.steps:
                return self.steps[name.expanded], id(argument) not in self.grouped
            case ast.VarRef(name=name):
                return self.sequences.get(name.expanded), False
            case ast.ContextItem():
                return self.items.get(id(argument)), True
            case ast.Filter(base=base):
                return self._step(base)[0], False
        return _last_step(argument), False

    def converted(
        self, argument: ast.Expr, kind: ast.SequenceTypeNode | None, scope: Mapping[ExpandedName, Known]
    ) -> Converted | None:
        """An argument converted to the parameter's type; None if that is unknown. `scope` holds known types."""
        if self.has_type(argument, kind):
            return Converted(argument)
        if kind is None or not isinstance(kind.item, ast.AtomicType) or kind.item.name.uri != XS:
            return None
        to, occurrence = kind.item.name, kind.occurrence
        found = classify(argument, scope)
        if to.local not in _CAST:
            return None
        if found.values is Values.UNTYPED and occurrence in _AT_MOST_ONE:
            # Too many values are an error of the cast, as they would be of the call; so is a missing value where one is
            # required.
            return Converted(ast.CastAs(argument, ast.SingleType(to, occurrence == "?"), span=argument.span))
        if found.values is Values.UNTYPED and occurrence == "*":
            values = ast.FunctionCall(ast.Name("data", "fn", FN), (argument,), span=argument.span)
            each = ast.FunctionCall(to, (ast.ContextItem(span=argument.span),), span=argument.span)
            return Converted(ast.SimpleMap(values, each, span=argument.span))
        if found.values is not declared_class(kind).values or found.values is Values.UNKNOWN:
            return None
        is_enough = found.some or occurrence in ("?", *_ANY_NUMBER)
        is_few_enough = found.single or occurrence not in _AT_MOST_ONE
        return Converted(argument, None if is_enough and is_few_enough and to.local in _WHOLE else kind)


@kept_with_node
def _of_query(body: ast.Node) -> KnownTypes:
    return KnownTypes._found(body, ())


class Converted(NamedTuple):
    """An argument or a result in converted form."""

    value: ast.Expr
    unchecked: ast.SequenceTypeNode | None = None
    """A type that it must have but is not known to have."""


def _read_behind_grouping(loop: ast.Flwor) -> Iterator[ast.VarRef]:
    """Where variables bound before a `group by` are read behind it."""
    bound: set[ExpandedName] = set()
    for index, clause in enumerate(loop.clauses):
        if isinstance(clause, ast.GroupByClause):
            for part in (*loop.clauses[index + 1 :], loop.result):
                reads = (node for node in part.walk() if isinstance(node, ast.VarRef))
                yield from (node for node in reads if node.name.expanded in bound)
        bound |= {name.expanded for name in bound_names(clause)}


def _last_step(expr: ast.Expr) -> ast.AxisStep | None:
    last = expr.right if isinstance(expr, ast.Path) else expr
    return last if isinstance(last, ast.AxisStep) and last.axis in ("child", "descendant") else None


def _items(node: ast.Node) -> Iterator[tuple[ast.ContextItem, ast.AxisStep]]:
    """Replace context items by the items of a path in the expression evaluated for each of them."""
    match node:
        case ast.SimpleMap(left=items, right=right):
            inner: tuple[ast.Expr, ...] = (right,)
        case ast.Filter(base=items, predicate=predicate):
            inner = (predicate,)
        case ast.Path(left=items, right=right) if not isinstance(right, ast.AxisStep):
            inner = (right,)
        case ast.AxisStep(predicates=predicates):
            items, inner = node, predicates
        case _:
            return
    step = _last_step(items)
    if step is not None:
        for part in inner:
            yield from ((one, step) for one in nodes_in_same_focus(part) if isinstance(one, ast.ContextItem))


def _is_element(test: ast.NodeTest, kind: ast.ItemTypeNode | None) -> bool:
    match kind:
        case ast.AnyItemType() | ast.AnyKindTest() | ast.ElementTest(name=None, type=None):
            return True
        case ast.ElementTest(name=ast.Name() as name, type=None):
            tested = test.name if isinstance(test, (ast.NameTest, ast.ElementTest)) else None
            return tested is not None and tested.expanded == name.expanded
    return False


def is_checked_alike(kind: ast.SequenceTypeNode | None) -> bool:
    """Whether a call only checks this type, as a `let` or `for` clause with it does: it converts nothing to it."""
    return kind is None or isinstance(kind.item, _CHECKED)


_CHECKED = (
    *(ast.AnyItemType, ast.AnyKindTest, ast.ElementTest, ast.AttributeTest, ast.DocumentTest),
    *(ast.TextTest, ast.CommentTest, ast.PITest),
)


def gives_element(name: ast.Name, kind: ast.SequenceTypeNode) -> bool:
    """Whether an element of this name has a type."""
    return _is_element(ast.NameTest(name), kind.item)
