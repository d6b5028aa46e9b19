"""Syntax: query text to syntax tree, and back.

The text of a module comes in; an immutable tree with spans goes out, or the first error with its place. This stage
never resolves names and never looks at anything but the text.
"""

from .ast import Node
from .parser import parse, parse_sequence_type

__all__ = ["parse", "parse_sequence_type", "print_query"]


def print_query(node: Node) -> str:
    """The text of a module, or of any part of one; parsing it returns the same tree."""
    # Loaded on first use: only `explain` and messages need it, and start-up time counts.
    from .printer import print_query

    return print_query(node)
