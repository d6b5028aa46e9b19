"""Facts about the values in a record: how often a path matches, from its form and from a schema."""

from __future__ import annotations

from dataclasses import dataclass

from xylem.analysis.ast_replacement import replaced
from xylem.functions.registry import FN
from xylem.schema.constraints import ElementConstraints, Schema
from xylem.schema.symbols import element_symbol
from xylem.syntax import ast

RECORD = ast.Name("record", None, "urn:xylem:network")
"""The variable for a record in conditions, whatever the query calls it."""

Names = tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class RecordFacts:
    """The constraints of the record element; None without a schema."""

    constraints: ElementConstraints | None = None

    def is_at_most_one(self, path: ast.Expr) -> bool:
        """Whether a path from the record selects at most one node."""
        return self._occurrence(path) is not None

    def is_always_one(self, path: ast.Expr) -> bool:
        """Whether a path from the record selects exactly one node."""
        found = self._occurrence(path)
        return found is not None and found[1]

    def inside(self, path: ast.Expr) -> RecordFacts:
        """The facts about values below the items that a path selects."""
        return RecordFacts(self.below(path))

    def below(self, path: ast.Expr) -> ElementConstraints | None:
        """What is known of the content of the elements at the end of a path."""
        match path:
            case ast.VarRef(name=name) if name == RECORD:
                return self.constraints
            case ast.Path(left=left, right=ast.AxisStep(axis="child", test=ast.NameTest(name=name))):
                above = self.below(left)
                return None if above is None else above.child(element_symbol(name.local, name.uri))
        return None

    def _occurrence(self, path: ast.Expr) -> tuple[ElementConstraints | None, bool] | None:
        """The facts about the only node of a path, and whether it always exists; None for paths of several nodes."""
        match path:
            case ast.VarRef(name=name) if name == RECORD:
                return self.constraints, True
            case ast.Path(left=left, right=ast.AxisStep() as step):
                before = self._occurrence(left)
                return None if before is None else _step(before, step)
            case ast.Filter(base=base, predicate=predicate) if is_place(predicate):
                # (E)[1] is at most one item, whatever E is.
                return (None, False) if is_path(base) else None
        return None


def _step(
    before: tuple[ElementConstraints | None, bool], step: ast.AxisStep
) -> tuple[ElementConstraints | None, bool] | None:
    here, always = before
    if not isinstance(step.test, ast.NameTest):
        return None
    name = step.test.name
    if step.axis == "attribute":
        symbol = f"@{element_symbol(name.local, name.uri or '')}"
        is_there = here is not None and not step.predicates and here.exactly_once(symbol)
        return None, always and is_there
    if step.axis != "child":
        return None
    symbol = element_symbol(name.local, name.uri)
    if step.predicates:
        # en[1]: the first among the children of one element.
        is_one = is_place(step.predicates[-1])
        return (None if here is None else here.child(symbol), False) if is_one else None
    if here is None or not here.at_most_once(symbol):
        return None
    return here.child(symbol), always and here.exactly_once(symbol)


def is_place(predicate: ast.Expr) -> bool:
    """Whether a predicate selects one item by its place: [2], [last()]."""
    return isinstance(predicate, ast.IntegerLiteral) or _is_last(predicate)


def is_ending(predicate: ast.Expr) -> bool:
    """Whether a predicate selects the first item, or the last: of a single one, that one."""
    return (isinstance(predicate, ast.IntegerLiteral) and predicate.value == 1) or _is_last(predicate)


def _is_last(predicate: ast.Expr) -> bool:
    match predicate:
        case ast.FunctionCall(name=name, arguments=()):
            return name.expanded == (FN, "last")
    return False


def as_of_focus(expr: ast.Expr) -> ast.Expr:
    """An expression over `$record`, rewritten for the context item: `$record/en` becomes `en`."""

    def relative(node: ast.Node) -> ast.Node | None:
        match node:
            case ast.Path(left=ast.VarRef(name=name), right=ast.AxisStep() as step) if name == RECORD:
                return step
            case ast.VarRef(name=name) if name == RECORD:
                return ast.ContextItem()
        return None

    return replaced(expr, relative)


def is_path(expr: ast.Expr) -> bool:
    """Whether an expression is a path of child and attribute steps from the record, with any predicates."""
    while isinstance(expr, ast.Path):
        match expr.right:
            case ast.AxisStep(axis="child" | "attribute", test=ast.NameTest() | ast.Wildcard() | ast.TextTest()):
                expr = expr.left
            case _:
                return False
    return isinstance(expr, ast.VarRef) and expr.name == RECORD


def bare(path: ast.Expr) -> ast.Expr:
    """A path without predicates."""
    match path:
        case ast.Path(left=left, right=ast.AxisStep(axis=axis, test=test)):
            return ast.Path(bare(left), ast.AxisStep(axis, test))
        case ast.Filter(base=base):
            return bare(base)
    return path


def record_constraints(schema: Schema | None, record: Names) -> ElementConstraints | None:
    """The constraints of the elements that a path of names leads to."""
    here = None if schema is None else schema.document()
    for uri, local in record:
        if here is None:
            return None
        here = here.child(element_symbol(local, uri))
    return here
