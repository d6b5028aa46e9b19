"""How deep generated code may nest before Python's own compiler refuses it.

The compiler's error says so only in its message text, and we do not decide by messages; so we measure the code.
"""

from __future__ import annotations

import re

from xylem.errors import Span, StaticError

MOST_BRACKETS = 200
"""Nesting depth of brackets (MAXLEVEL of the tokenizer)."""
MOST_BLOCKS = 20
"""Nesting depth of loops, `try` and `with` (CO_MAXBLOCKS), without the function around them."""
_INDENT = 4
_TOKEN = re.compile(r"'(?:[^'\\\n]|\\.)*'|\"(?:[^\"\\\n]|\\.)*\"|[()\[\]{}]")


def nests_too_deep(code: str) -> bool:
    """Whether generated code nests deeper than Python's compiler allows."""
    return _blocks(code) > MOST_BLOCKS or _brackets(code) >= MOST_BRACKETS


def _blocks(code: str) -> int:
    deepest = max((len(line) - len(line.lstrip(" ")) for line in code.splitlines()), default=0)
    return deepest // _INDENT


def _brackets(code: str) -> int:
    depth = deepest = 0
    for found in _TOKEN.finditer(code):
        match found.group():
            case "(" | "[" | "{":
                depth += 1
                deepest = max(deepest, depth)
            case ")" | "]" | "}":
                depth -= 1
    return deepest


def too_deep(span: Span | None = None) -> StaticError:
    """The error for a query whose code nests too deep."""
    return StaticError("XYST0003", span=span)
