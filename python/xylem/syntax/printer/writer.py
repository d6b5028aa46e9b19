"""The writer: text with indentation, and brackets where precedence asks for them.

Productions write from left to right; a line break is made by the writer only, so the characters of literals and of
direct constructors are never moved.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, TypeVar

from ..ast import Expr, Flwor, Node, SequenceExpr, Switch, Typeswitch
from ..parser.operators import ARROW

ANY, SINGLE = -1, 0
"""What the grammar allows at a place: Expr, ExprSingle; then the levels of parser/operators.py; then these."""
UNARY, VALUE, MAP, WINDOW, PATH, STEP, POSTFIX, PRIMARY = range(ARROW + 1, ARROW + 9)

Production = Callable[["Writer", Any], None]
P = TypeVar("P", bound=Production)

_LEVELS: dict[type[Node], int] = {}
_PRODUCTIONS: dict[type[Node], Production] = {}


def prints(level: int, *kinds: type[Node]) -> Callable[[P], P]:
    """Register the production of some kinds of nodes, and how tightly they bind."""

    def register(production: P) -> P:
        for kind in kinds:
            _LEVELS[kind] = level
            _PRODUCTIONS[kind] = production
        return production

    return register


def level_of(node: Node) -> int:
    """How tightly a node binds."""
    return _LEVELS[type(node)]


def is_block(node: Node) -> bool:
    """Whether a node is printed over several lines, and so begins one of its own where it is nested."""
    return isinstance(node, Flwor | Switch | Typeswitch)


class Writer:
    """Text under construction."""

    def __init__(self) -> None:
        self._parts: list[str] = []
        self._indent = 0

    def text(self) -> str:
        return "".join(self._parts)

    def put(self, text: str) -> None:
        self._parts.append(text)

    def line(self) -> None:
        """Begin a new line."""
        self._parts.append("\n" + "  " * self._indent)

    def indent(self, steps: int = 1) -> None:
        self._indent += steps

    def dedent(self, steps: int = 1) -> None:
        self._indent -= steps

    # --- nodes

    @staticmethod
    def knows(node: Node) -> bool:
        return type(node) in _PRODUCTIONS

    def part(self, node: Node) -> None:
        """Write a node as it is."""
        _PRODUCTIONS[type(node)](self, node)

    def expr(self, node: Expr, level: int) -> None:
        """Write an expression where the grammar allows what binds at least as tightly as `level`."""
        if _LEVELS[type(node)] >= level:
            _PRODUCTIONS[type(node)](self, node)
        else:
            self.bracketed(node)

    def single(self, node: Expr) -> None:
        """Write an ExprSingle where more text follows on the same line: blocks get brackets."""
        self.expr(node, SINGLE + 1 if is_block(node) else SINGLE)

    def bracketed(self, node: Expr) -> None:
        """Write `(E)`, or `()` for the empty sequence."""
        self.enclose("(", node, ")")

    def braced(self, node: Expr) -> None:
        """Write `{ E }`, or `{}` for the empty sequence."""
        self.enclose("{ ", node, " }")

    def enclose(self, before: str, node: Expr, after: str) -> None:
        """Write an expression between two signs, on lines of its own if it is a block."""
        if isinstance(node, SequenceExpr) and not node.items:
            self.put(before.strip() + after.strip())
        elif is_block(node):
            self.put(before.strip())
            self.indent()
            self.line()
            self.part(node)
            self.dedent()
            self.line()
            self.put(after.strip())
        else:
            self.put(before)
            self.expr(node, ANY)
            self.put(after)

    def below(self, node: Expr) -> None:
        """Write an ExprSingle behind a keyword that ends its line: on the same line if it is short."""
        if is_block(node):
            self.indent()
            self.line()
            self.part(node)
            self.dedent()
        else:
            self.put(" ")
            self.expr(node, SINGLE)

    def listed(self, nodes: Iterable[Node], separator: str = ", ") -> None:
        """Write nodes one after the other."""
        for index, node in enumerate(nodes):
            if index:
                self.put(separator)
            if isinstance(node, Expr):
                self.single(node)
            else:
                self.part(node)
