"""The columns that windows read from their items: paths from an item become variables that hold their values.

        $e/det_time - $s/det_time > 60     →     the same over variables,  of a row with the column det_time

Needs:  the query reads each path only for its values or their existence: as an operand, an argument, part of an
        attribute, or a condition. No expression uses an item as a node.
Safe:   nodes of a stream are untyped, so each has exactly one value, and reading it never fails.
"""

from __future__ import annotations

from dataclasses import replace
from enum import Enum
from typing import Any

from xylem.analysis.ast_replacement import replaced, with_values
from xylem.analysis.readable_names import with_readable_names
from xylem.functions.library import look_up
from xylem.functions.registry import FN, PREFIXES
from xylem.plan.native_windows import ColumnInput
from xylem.plan.result_template import ValueOf, Values
from xylem.rewrite.substitution import FocusInTheWay, Substitution
from xylem.syntax import ast, print_query

from .template_paths import NoTemplate, taken_by

ITEM = ast.Name("item of windows", None, "")
"""Any item, in the paths of columns."""


class Read(Enum):
    """The value that is read of the nodes an expression selects."""

    NODES = 0
    VALUES = 1
    TRUTH = 2
    """Whether there are any."""


_OPERATORS = (
    ast.Arithmetic, ast.Unary, ast.GeneralComparison, ast.ValueComparison, ast.StringConcat, ast.CastAs,
    ast.CastableAs, ast.DirectAttribute,
)  # fmt: skip
_TRUTHS = (ast.And, ast.Or, ast.WhereClause)
_SAME = (ast.EnclosedExpr,)
_OF_VALUES = ("count", "exists", "empty", "data", "string")
"""Functions of items that accept a node's value in place of the node."""


class WindowColumns:
    """Reads the expressions of one window clause."""

    def __init__(self) -> None:
        self.columns: list[Values] = []
        self.paths: list[ast.Expr] = []
        """The same paths, from `ITEM`."""
        self.items: dict[tuple[str, str], tuple[str, str]] = {}
        """The variables for items: at which side, in which role."""
        self.inputs: dict[str, ColumnInput] = {}
        """The variables for columns."""

    def read(self, node: Any, mode: Read) -> Any:
        """An expression, or a clause, that reads columns instead of items."""
        if isinstance(node, tuple):
            members = tuple(self.read(member, mode) for member in node)
            return node if all(a is b for a, b in zip(node, members, strict=True)) else members
        if not isinstance(node, ast.Node):
            return node
        if isinstance(node, (ast.Path, ast.SimpleMap)):
            node = self._by_item(node)
        strings = self._strings(node)
        if strings is not None:
            return strings
        if self._is_path(node):
            return self._column(node, mode)
        match node:
            case ast.If(test=test, then=then, otherwise=otherwise):
                branches = self.read(then, mode), self.read(otherwise, mode)
                return replace(node, test=self.read(test, Read.TRUTH), then=branches[0], otherwise=branches[1])
            case ast.SequenceExpr(items=items):
                inner = Read.NODES if mode is Read.TRUTH and len(items) != 1 else mode
                return replace(node, items=self.read(items, inner))
            case ast.FunctionCall(arguments=arguments):
                made = tuple(self.read(each, self._argument(node, place)) for place, each in enumerate(arguments))
                return node if made == arguments else replace(node, arguments=made)
        inner = Read.VALUES if isinstance(node, _OPERATORS) else Read.TRUTH if isinstance(node, _TRUTHS) else Read.NODES
        inner = mode if isinstance(node, _SAME) else inner
        return with_values(node, lambda value: self.read(value, inner))

    def _by_item(self, node: ast.Path | ast.SimpleMap) -> ast.Expr:
        """$item/xs:integer(a) as xs:integer($item/a), and $item[b > 1]/a as if ($item/b > 1) then $item/a else ()."""
        match node:
            case (
                ast.Path(left=ast.VarRef(name=name) as item, right=right)
                | ast.SimpleMap(left=ast.VarRef(name=name) as item, right=right)
            ) if name.expanded in self.items and not isinstance(right, ast.AxisStep):
                return _with_focus(right, item)
            case ast.Path(
                left=ast.Filter(base=ast.VarRef(name=name) as item, predicate=predicate), right=ast.AxisStep() as step
            ) if name.expanded in self.items:
                inner = ast.Path(item, step, span=node.span)
                return ast.If(_with_focus(predicate, item), inner, ast.SequenceExpr(()), span=node.span)
        return node

    def _strings(self, node: ast.Node) -> ast.Expr | None:
        """$item/@id/string() as for $value in $item/@id return string($value); None for anything else."""
        match node:
            case ast.Path(left=ast.Path() as left, right=ast.FunctionCall(name=name, arguments=())) if (
                name.expanded == (FN, "string") and self._is_path(left)
            ):
                value = ast.Name("value of a column", None, "")
                string = ast.FunctionCall(name, (ast.VarRef(value),), span=node.span)
                return ast.Flwor((ast.ForClause(value, None, self._column(left, Read.VALUES)),), string, span=node.span)
        return None

    def _is_path(self, node: ast.Node) -> bool:
        while isinstance(node, ast.Path):
            node = node.left
        return isinstance(node, ast.VarRef) and node.name.expanded in self.items

    def _column(self, path: ast.Expr, mode: Read) -> ast.Expr:
        if mode is Read.NODES:
            raise NoTemplate("an item of a window as a node", path)
        first = path
        while isinstance(first, ast.Path):
            first = first.left
        assert isinstance(first, ast.VarRef)
        _, (steps, of, attribute) = taken_by(path)
        values = Values(steps, ValueOf.STRING if of is None else of, attribute)
        if values not in self.columns:
            self.columns.append(values)
            self.paths.append(replaced(path, lambda node: ast.VarRef(ITEM) if node is first else None))
        column = self.columns.index(values)
        # No variable of a query has such a name, and its readers know its meaning.
        name = print_query(with_readable_names(path)).removeprefix("$")
        self.inputs[name] = ColumnInput(*self.items[first.name.expanded], column)
        variable = ast.VarRef(ast.Name(name, None, ""), span=path.span)
        if mode is Read.VALUES:
            return variable
        return ast.FunctionCall(ast.Name("exists", "fn", FN), (variable,), span=path.span)

    def _argument(self, call: ast.FunctionCall, place: int) -> Read:
        name = call.name
        if name.uri == PREFIXES["xs"]:
            return Read.VALUES
        if name.uri != FN:
            return Read.NODES
        if name.local in ("not", "boolean"):
            return Read.TRUTH
        if name.local in _OF_VALUES:
            return Read.VALUES
        known = look_up(*name.expanded, len(call.arguments))
        parameters = () if known is None else known.parameter_types(len(call.arguments))
        # The argument for a parameter of an atomic type is atomized.
        return Read.VALUES if place < len(parameters) and parameters[place].startswith("xs:") else Read.NODES


def _with_focus(expr: ast.Expr, item: ast.VarRef) -> ast.Expr:
    try:
        return Substitution({}, item).apply(expr)
    except FocusInTheWay as inside:
        raise NoTemplate("the focus of an expression", expr) from inside
