"""The parts of its focus that an expression uses, and the variables it reads."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from xylem.functions.registry import FN
from xylem.syntax import ast
from xylem.syntax.ast.facts import kept_with_node

from .ast_replacement import replaced
from .bound_names import read_variables


@kept_with_node
def uses_position(node: ast.Node) -> bool:
    """Whether position() or last() of the surrounding focus may be used."""
    return any(_is_focus_call(n, ("position", "last")) for n in nodes_in_same_focus(node))


def uses_last(node: ast.Node) -> bool:
    return any(_is_focus_call(n, ("last",)) for n in nodes_in_same_focus(node))


def _is_focus_call(node: ast.Node, names: tuple[str, ...]) -> bool:
    if isinstance(node, (ast.FunctionCall, ast.NamedFunctionRef)) and node.name.uri == FN:
        # function-lookup can ask for either while the query runs.
        return node.name.local in names or node.name.local == "function-lookup"
    return False


def nodes_in_same_focus(node: ast.Node) -> Iterator[ast.Node]:
    """The nodes below that are evaluated with the focus of `node` itself."""
    stack = [node]
    while stack:
        current = stack.pop()
        yield current
        match current:
            case ast.Path(left=left) | ast.SimpleMap(left=left):
                stack.append(left)
            case ast.Filter(base=base):
                stack.append(base)
            case ast.AxisStep() | ast.InlineFunction():
                pass
            case ast.DataWindow():
                stack.extend(_outside_items(current))
            case _:
                stack.extend(current.children())


def _outside_items(window: ast.DataWindow) -> Iterator[ast.Node]:
    """The parts of a data window that use the outer focus: its reference is evaluated for each item."""
    return (part for part in window.children() if part is not window.reference)


def read_behind(clauses: Iterable[ast.Node], result: ast.Expr) -> frozenset[tuple[str, str]]:
    """Every variable that clauses or the result of a FLWOR expression mention; `group by $x` reads $x."""
    read = read_variables(result)
    for clause in clauses:
        read |= read_variables(clause)
        if isinstance(clause, ast.GroupByClause):
            read |= {spec.name.expanded for spec in clause.specs}
    return read


@kept_with_node
def reads_focus(node: ast.Node) -> bool:
    """Whether the value may depend on the outer focus."""
    stack: list[ast.Node] = [node]
    while stack:
        current = stack.pop()
        match current:
            case ast.ContextItem() | ast.Root() | ast.UnaryLookup() | ast.AxisStep():
                return True
            case ast.Path(left=left) | ast.SimpleMap(left=left):
                stack.append(left)
            case ast.Filter(base=base):
                stack.append(base)
            case ast.InlineFunction():
                pass
            case ast.DataWindow():
                stack.extend(_outside_items(current))
            case ast.FunctionCall(arguments=arguments) if len(arguments) < 2 and current.name.uri == FN:
                # Without their last argument these read the context item; listing them would only repeat the registry.
                from xylem.functions.library import look_up

                builtin = look_up(*current.name.expanded, len(arguments) + 1)
                if builtin is not None and builtin.focus and builtin.most == len(arguments) + 1:
                    return True
                if not arguments and current.name.local in ("position", "last"):
                    return True
                stack.extend(arguments)
            case ast.NamedFunctionRef():
                return True
            case _:
                stack.extend(current.children())
    return False


@kept_with_node
def reads_item(node: ast.Node) -> bool:
    """Whether the value may depend on the context item itself, and not only on the root of its tree."""
    return reads_focus(replaced(node, lambda part: _ROOT if isinstance(part, ast.Root) else None))


_ROOT = ast.VarRef(ast.Name("root", None, "urn:xylem:focus"))
