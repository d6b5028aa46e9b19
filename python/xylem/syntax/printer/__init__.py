"""The printer: a syntax tree in, query text out that parses to the same tree.

It sets as few brackets as precedence allows and breaks lines at the clauses of FLWOR expressions, for `explain`
prints rewritten queries with it. It never looks at the text a tree came from.
"""

from __future__ import annotations

from ..ast import Clause, Declaration, Expr, Module, Name, Node, SequenceTypeNode, SingleType
from ..parser.recursion_room import RecursionRoom
from . import constructors, control, extensions, flwor, modules, operators, paths, primaries
from .lexical import name_text
from .types import node_test_text, sequence_type_text, single_type_text
from .writer import ANY, Writer

__all__ = ["print_query"]

# The modules above are imported for the productions they register; this keeps that visible.
_PRODUCTIONS = (constructors, control, extensions, flwor, modules, operators, paths, primaries)


def print_query(node: Node) -> str:
    """The text of a module, or of any part of one.

    >>> from xylem.syntax import parse
    >>> print_query(parse("for $x in 1 to 3 return($x*2)"))
    'for $x in 1 to 3\\nreturn $x * 2'
    """
    with RecursionRoom():
        return _text(node)


def _text(node: Node) -> str:
    if isinstance(node, Name):
        return name_text(node)
    if isinstance(node, SequenceTypeNode):
        return sequence_type_text(node)
    if isinstance(node, SingleType):
        return single_type_text(node)
    writer = Writer()
    if isinstance(node, Module):
        modules.write_module(writer, node)
    elif isinstance(node, Expr):
        writer.expr(node, ANY)
    elif isinstance(node, Clause | Declaration) or writer.knows(node):
        writer.part(node)
    else:
        return node_test_text(node)
    return writer.text()
