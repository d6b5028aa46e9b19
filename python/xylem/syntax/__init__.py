"""Syntax: query text to syntax tree, and back.

What comes in is the text of a module; what goes out is an immutable tree with spans, or the first error with
its place. This stage never resolves names and never looks at anything but the text.
"""

from .parser import parse, parse_sequence_type

__all__ = ["parse", "parse_sequence_type"]
