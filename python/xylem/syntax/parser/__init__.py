"""The parser: query text in, syntax tree or one precise error out.

One file per family of productions, each a class that adds to the one before: cursor, literals, names, types,
constructors, primaries, paths, operators, control, flwor, expressions, setters, modules. It never resolves a name
or looks outside the text.
"""

from __future__ import annotations

from xylem.errors import StaticError

from ..ast import LibraryModule, MainModule, SequenceTypeNode
from ..compilations import COMPILATIONS
from .cursor import SENTINEL
from .modules import ModuleGrammar
from .recursion_room import RecursionRoom

__all__ = ["parse", "parse_sequence_type"]


def parse(text: str, name: str = "query") -> MainModule | LibraryModule:
    """The syntax tree of a main or library module; `name` is what errors call the text.

    >>> parse("1 + 1").body
    Arithmetic(op='+', left=IntegerLiteral(value=1), right=IntegerLiteral(value=1))
    """
    COMPILATIONS.parsed += 1
    parser = ModuleGrammar(text, name)
    with RecursionRoom():
        try:
            return parser.module()
        except RecursionError:
            raise StaticError("XYST0003", span=parser.span(parser.pos)) from None


def parse_sequence_type(text: str) -> SequenceTypeNode:
    """The syntax tree of a sequence type such as ``map(xs:string, item()*)?``."""
    parser = ModuleGrammar(text, "type")
    node = parser.sequence_type()
    if parser.text[parser.pos] != SENTINEL:
        raise parser.expected("the end of the type")
    return node
