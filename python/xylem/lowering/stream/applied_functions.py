"""Query functions that map nodes to nodes one at a time: transformations that recurse into children.

        declare function local:t($n as node()) as node()* {
          typeswitch ($n) case element(note) return ()
            case element() return element { node-name($n) } { $n/@*, $n/node() ! local:t(.) }
            default return $n };
    →   a body for the current node:  When(note, (), When(element, Alike(… Apply(local:t, below) …), Copies(())))

Needs:  one parameter, a node; the same for `$nodes as node()*` if the body is a loop over it. The result type says
        that the results are nodes; each way through the body gives as many of them as it allows.
Safe:   a node has no values but those of its texts; comments and deep recursion are left to the query.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from xylem.functions.registry import FN
from xylem.plan.kernel_expression import NodesOf
from xylem.plan.result_template import Alike, Apply, Construct, Copies, Let, Part, When
from xylem.syntax import ast

from .template_paths import NoTemplate

if TYPE_CHECKING:
    from .kernel_expressions.compiler import ExpressionCompiler

Declared = Callable[[ast.FunctionCall], ast.FunctionDecl | None]
"""Finds the query function for a call."""


@dataclass(frozen=True)
class NodeFunction:
    """A function in the form of a mapping of one node."""

    parameter: str
    body: ast.Expr
    takes_many: bool = False
    """Whether it is applied to each node of a sequence; else it has a single node."""
    returns: str = "*"
    """How many nodes its type allows for the parameter."""


class AppliedFunctions:
    """The functions that one template applies."""

    def __init__(self, declared: Declared, compiler: ExpressionCompiler) -> None:
        self._declared = declared
        self._compiler = compiler
        self._numbers: dict[tuple[str, str], int] = {}
        self.bodies: list[tuple[Part, ...]] = []
        self._open = 0
        """The number of functions that are being written."""
        self._is_inside = False
        """Whether the function that is written first is applied inside an element."""
        self._writes_text = False
        """Whether they write text nodes: they are applied only inside elements."""

    def is_of_query(self, call: ast.FunctionCall) -> bool:
        """Whether a call is one of a function of the query."""
        return self._declared(call) is not None

    def applied(
        self,
        call: ast.Expr,
        written: Callable[[ast.Expr], tuple[Part, ...]],
        loop: ast.ForClause | None = None,
        *,
        inside: bool,
    ) -> Apply | None:
        """A call, perhaps in a loop over its argument; None if it does not call such a function.

        `inside` says whether it is inside an element.
        """
        if not isinstance(call, ast.FunctionCall) or len(call.arguments) != 1:
            return None
        declaration = self._declared(call)
        if declaration is None:
            return None
        argument = call.arguments[0]
        if loop is not None:
            if not isinstance(argument, ast.VarRef) or argument.name != loop.name or loop.position or loop.type:
                return None
            argument = loop.collection
        if self._writes_text and not (inside or self._open):
            raise NoTemplate("a function that gives text nodes, outside of elements", call)
        nodes, below = self._argument(argument)
        function = node_function(declaration)
        if loop is None and not function.takes_many and (below or nodes.path):
            raise NoTemplate("a function of one node with several", call)
        if not self._open:
            self._is_inside = inside
        return Apply(self._number(declaration.name.expanded, function, written), nodes.path, nodes.up, below)

    def _argument(self, argument: ast.Expr) -> tuple[NodesOf, bool]:
        match argument:
            case ast.Path(left=left, right=ast.AxisStep(axis="child", test=ast.AnyKindTest(), predicates=())):
                nodes, below = self._compiler.nodes(left), True
            case _:
                nodes, below = self._compiler.nodes(argument), False
        if nodes.of is not None:
            raise NoTemplate("a function of attributes or text nodes", argument)
        return nodes, below

    def _number(
        self, name: tuple[str, str], function: NodeFunction, written: Callable[[ast.Expr], tuple[Part, ...]]
    ) -> int:
        if name in self._numbers:
            return self._numbers[name]
        number = self._numbers[name] = len(self.bodies)
        self.bodies.append(())
        self._open += 1
        try:
            with self._compiler.inside_function(function.parameter):
                self.bodies[number] = written(function.body)
            if not fits(self.bodies[number], function.returns):
                raise NoTemplate("a function that may give too many nodes, or none", function.body)
        except NoTemplate:
            # What was written for it alone goes with it.
            del self.bodies[number:]
            self._numbers = {other: known for other, known in self._numbers.items() if known < number}
            raise
        finally:
            self._open -= 1
        return number

    def may_write_text(self) -> bool:
        """Whether a function that is being written may give text nodes; notes that it does."""
        may = self._open > 0 and self._is_inside
        self._writes_text |= may
        return may


def node_function(declaration: ast.FunctionDecl) -> NodeFunction:
    """The body of a function, and the variable bound to the node in it."""
    body, (parameter, *more) = declaration.body, declaration.parameters
    returns = next((each for each in ("*", "", "?", "+") if _is_any(declaration.returns, each)), None)
    if body is None or more or returns is None:
        raise NoTemplate("a function that does not turn a node into nodes", body)
    name, takes_many = parameter.name, False
    if _is_any(parameter.type, "*"):
        match body:
            case ast.Flwor(
                clauses=(ast.ForClause(name=item, type=None, collection=ast.VarRef(name=over), position=None),),
                result=result,
            ) if over == name:
                name, body, takes_many = item, result, True
    if not takes_many and not _is_any(parameter.type, ""):
        raise NoTemplate("a function of nodes of a kind, or of several", body)
    if name.uri:
        raise NoTemplate("a variable in a namespace", body)
    if takes_many and returns != "*":
        raise NoTemplate("a function of several nodes that gives a number of them", body)
    return NodeFunction(name.local, body, takes_many, returns)


def fits(parts: tuple[Part, ...], occurrence: str) -> bool:
    """Whether parts certainly give as many nodes as a type allows."""
    fewest, most = _number_of(parts)
    return (occurrence in ("*", "?") or fewest > 0) and (occurrence in ("*", "+") or most < 2)


def _number_of(parts: tuple[Part, ...]) -> tuple[int, int]:
    """At least how many nodes are written, and at most: 2 stands for any number."""
    fewest = most = 0
    for part in parts:
        match part:
            case Construct() | Alike() | Copies(path=(), below=False):
                one = 1, 1
            case When(parts=then, otherwise=otherwise):
                branches = _number_of(then), _number_of(otherwise)
                one = min(branch[0] for branch in branches), max(branch[1] for branch in branches)
            case Let():
                one = 0, 0
            case _:
                one = 0, 2
        fewest, most = fewest + one[0], most + one[1]
    return fewest, most


def _is_any(kind: ast.SequenceTypeNode | None, occurrence: str) -> bool:
    """Whether a type admits all nodes, singly or as a sequence."""
    if kind is None:
        return True
    return kind.occurrence == occurrence and isinstance(kind.item, (ast.AnyKindTest, ast.AnyItemType))


def named_alike(name: ast.Name | ast.Expr) -> ast.Expr | None:
    """The node that gives an element its name: element { node-name($n) } { … }."""
    match name:
        case ast.FunctionCall(name=function, arguments=(node,)) if function.uri == FN:
            return node if function.local in ("node-name", "name", "local-name") else None
    return None
