"""The FluX language (thesis §3.4, §3.8): normalised queries, and programs of event handlers over a stream.

XQuery⁻ expressions are sequences of fixed output, loops, conditionals and copies; anything else stands in a `Leaf`
as it is. A FluX expression is an XQuery⁻ expression that needs no buffer, or a `ProcessStream` with handlers that
fire as the children of an element arrive. All nodes are immutable and print as the thesis writes them.
"""

from __future__ import annotations

from dataclasses import dataclass

from xylem.syntax import ast

ROOT = "ROOT"
"""The variable of the document node."""


@dataclass(frozen=True)
class Step:
    """What a loop or handler ranges over: children of a name, text, attributes, or descendants."""

    name: str
    """The lexical name as printed: `book`, `*`, `text()`, `@id`."""
    axis: str = "child"
    """child, descendant or attribute"""
    test: ast.NodeTest | None = None
    """The resolved test, where it is not just the name."""


# --- XQuery⁻


@dataclass(frozen=True)
class Flux:
    """Any expression of XQuery⁻ or FluX."""


@dataclass(frozen=True)
class Fixed(Flux):
    """A fixed string, written as it is: in the thesis, tags are such strings.

    `opens` and `closes` keep the constructor a tag stands for, so that running code writes nodes and not text.
    """

    text: str
    opens: ast.DirectElement | None = None
    closes: ast.DirectElement | None = None


@dataclass(frozen=True)
class Sequence(Flux):
    """α β …: two or more; the empty sequence has no parts."""

    parts: tuple[Flux, ...] = ()


@dataclass(frozen=True)
class For(Flux):
    """{ for $variable in $source/path return body }, with `where` until it is normalised away."""

    variable: str
    source: str
    path: tuple[Step, ...]
    body: Flux
    where: ast.Expr | None = None


@dataclass(frozen=True)
class Copy(Flux):
    """{ $variable/path }, or { $variable } with an empty path."""

    variable: str
    path: tuple[Step, ...] = ()


@dataclass(frozen=True)
class If(Flux):
    """{ if (condition) then body }"""

    condition: ast.Expr
    body: Flux


@dataclass(frozen=True)
class Leaf(Flux):
    """Any other XQuery expression, evaluated over what its variables hold."""

    expression: ast.Expr


# --- FluX


@dataclass(frozen=True)
class Handler:
    """An entry of a process-stream."""


@dataclass(frozen=True)
class On(Handler):
    """on step as $variable return body"""

    step: Step
    variable: str
    body: Flux


@dataclass(frozen=True)
class OnFirst(Handler):
    """on-first past(symbols) return body; symbols None is `*`, all symbols of the element."""

    symbols: frozenset[str] | None
    body: Flux


@dataclass(frozen=True)
class OnWindow(Handler):
    """on-window path|window| as $variable return body (§3.8.2.2)"""

    path: tuple[Step, ...]
    window: ast.Expr
    variable: str
    body: Flux


@dataclass(frozen=True)
class OnEach(Handler):
    """on-each past path|window| as $variable return body (§3.8.2.2)"""

    path: tuple[Step, ...]
    window: ast.Expr
    variable: str
    body: Flux


@dataclass(frozen=True)
class ProcessStream(Flux):
    """{ process-stream $variable: handlers }"""

    variable: str
    handlers: tuple[Handler, ...]
