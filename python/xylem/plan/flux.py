"""The FluX language (thesis §3.4, §3.8): normalised queries, and programs of event handlers over a stream.

XQuery⁻ expressions are sequences of fixed output, loops, conditionals and copies; anything else is kept unchanged in a
`Leaf`. A FluX expression is an XQuery⁻ expression that needs no buffer, or a `ProcessStream` with handlers that fire as
the children of an element arrive. All nodes are immutable and print as the thesis writes them.

Every variable of a program is bound once: names are unique, have no namespace, and clash with no global variable.
"""

from __future__ import annotations

from typing import ClassVar, NoReturn

from xylem.syntax import ast
from xylem.syntax.ast.node import ast_node

ROOT = "ROOT"
"""The variable of the document node."""


class Record:
    """The repetitive part of AST nodes: immutable, compared and printed by their fields."""

    _compared: ClassVar[tuple[str, ...]]

    def _values(self) -> tuple[object, ...]:
        return tuple(map(self.__dict__.__getitem__, self._compared))

    def __eq__(self, other: object) -> bool:
        return type(self) is type(other) and self.__dict__ == other.__dict__

    def __hash__(self) -> int:
        return hash((type(self), self._values()))

    def __repr__(self) -> str:
        inside = ", ".join(f"{name}={value!r}" for name, value in zip(self._compared, self._values(), strict=True))
        return f"{type(self).__name__}({inside})"

    def __setattr__(self, name: str, value: object) -> NoReturn:
        raise AttributeError(f"a {type(self).__name__} cannot be changed; use dataclasses.replace")


@ast_node
class Step(Record):
    """The nodes that a loop or handler ranges over: children of a name, text, attributes, or descendants."""

    name: str
    """The lexical name as printed: `book`, `*`, `text()`, `@id`."""
    axis: str = "child"
    """child, descendant or attribute."""
    test: ast.NodeTest | None = None
    """The resolved test; None only in programs written by hand, for an element of that name in no namespace."""
    predicates: tuple[ast.Expr, ...] = ()
    """Integer literals count the matches below one parent; others are tests, with the match as context item. They occur
    only where no separate loop can take them over: the position first, in a step of `through`."""


# --- XQuery⁻


@ast_node
class Flux(Record):
    """Any expression of XQuery⁻ or FluX."""


@ast_node
class Fixed(Flux):
    """A fixed string, written unchanged: in the thesis, tags are such strings.

    `opens` and `closes` keep the constructor of a tag (without its content), so running code writes nodes and not text.
    With both, it is a whole constructor without expressions, content and all. The empty string separates two enclosed
    expressions: no space joins their atomic values.
    """

    text: str
    opens: ast.DirectElement | None = None
    closes: ast.DirectElement | None = None
    literal: bool = False
    """Whether it is written directly in the content of another direct constructor, not in an expression there: then it
    inherits no namespaces from that one's name (XQuery 3.1 §3.9.4)."""


@ast_node
class Opening(Flux):
    """A start tag with expressions in its attributes: `<item name="{$i/name}">`. Its end tag is a `Fixed`."""

    element: ast.DirectElement
    inside: tuple[ast.DirectElement, ...] = ()
    """Like `Leaf`."""
    literal: bool = False
    """Like `Fixed`."""


@ast_node
class Sequence(Flux):
    """α β …: two or more; the empty sequence has no parts."""

    parts: tuple[Flux, ...] = ()


EMPTY = Sequence()
"""ε."""


@ast_node
class For(Flux):
    """{ for $variable at $position in $source/path return body }, with `where` until it is normalised away.

    In normal form the path has one step, unless its matches may nest, or are counted: then the nodes that the whole
    path selects are bound in document order, each once. With a window, `variable` is bound to its items in turn.
    """

    variable: str
    source: str
    path: tuple[Step, ...]
    body: Flux
    where: ast.Expr | None = None
    position: str | None = None
    window: ast.DataWindow | None = None
    """The window specification (§3.8.2); its base is the path."""
    outermost: bool = False
    """Whether only matches outside all other matches are bound."""


@ast_node
class Copy(Flux):
    """{ $variable/path }, or { $variable } with an empty path."""

    variable: str
    path: tuple[Step, ...] = ()


@ast_node
class If(Flux):
    """{ if (condition) then body }."""

    condition: ast.Expr
    body: Flux


@ast_node
class Leaf(Flux):
    """Any other XQuery expression, evaluated over its variables' buffers.

    It may read the outer variables, `$ROOT`, and global variables; the context item only if it is global.
    """

    expression: ast.Expr
    inside: tuple[ast.DirectElement, ...] = ()
    """The direct constructors around it that declare namespaces, outermost first: part of its static context."""
    is_global: bool = False
    """Whether it is the whole query, which needs the whole document as its context item: the last resort."""


# --- windows over a stream: brackets, like tags, around their items


ITEMS = ast.Name("items", None, "urn:xylem:streamed")
"""The items given to the innermost window clause, in the expression that has it."""


@ast_node
class OpenWindows(Flux):
    """{ open-windows: forseq $w in $items … return … }

    Output from here to its `CloseWindows` becomes the items of the window clause. The results replace the brackets, as
    soon as windows are complete (windows paper, 6.2).
    """

    expression: ast.Expr
    """Reads `ITEMS` once: the first clause of a FLWOR expression (after any `let`) ranges over them, or it is a
    function of the results of inner windows."""
    inside: tuple[ast.DirectElement, ...] = ()
    """Like `Leaf`."""
    takes_elements: bool = False
    """Whether all items are elements of the stream."""
    may_nest: bool = False
    """Whether items may be nested."""
    source: ast.Expr | None = None
    """The items as written in the query: a schema may know their order."""
    gives_all: bool = False
    """Whether its results are the only items of the outer windows: when it ends, they get nothing more."""


@ast_node
class GiveItem(Flux):
    """{ give $variable }: passes a node of the stream, with the parts they read, to the innermost open windows."""

    variable: str
    expression: ast.Flwor
    source: ast.Expr | None = None
    """The items, if they are below the node and not the node itself: `$variable/descendant-or-self::a`."""


@ast_node
class CloseWindows(Flux):
    """{ close-windows }: the items have ended."""


# --- FluX


@ast_node
class Handler(Record):
    """An entry of a process-stream."""


@ast_node
class On(Handler):
    """on step as $variable at $position return body

    `through` holds the steps before the last one if a path could not be split: the handler then fires for every node
    that the whole path selects below the process-stream's variable, in document order, each once.
    """

    step: Step
    variable: str
    body: Flux
    through: tuple[Step, ...] = ()
    position: str | None = None
    """Counts how often the handler fired, within one process-stream."""
    outermost: bool = False
    """Whether nested matches do not fire."""


@ast_node
class OnFirst(Handler):
    """on-first past(symbols) return body; symbols None is `*`, all symbols of the element."""

    symbols: frozenset[str] | None
    body: Flux


@ast_node
class OnWindow(Handler):
    """on-window path|window| as $variable return body (§3.8.2.2)."""

    path: tuple[Step, ...]
    window: ast.DataWindow
    variable: str
    body: Flux


@ast_node
class OnEach(Handler):
    """on-each past path|window| as $variable return body (§3.8.2.2)."""

    path: tuple[Step, ...]
    window: ast.DataWindow
    variable: str
    body: Flux


@ast_node
class ProcessStream(Flux):
    """{ process-stream $variable: handlers }."""

    variable: str
    handlers: tuple[Handler, ...]
