"""What an error says is for people: nothing is decided by it. A code, a class or an attribute is asked instead."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2] / "python" / "xylem"
FILES = sorted(ROOT.rglob("*.py"))
MESSAGES = {"why", "message", "detail", "strerror"}
"""What our errors and those of the system call their texts."""
NAMED = re.compile(r"except\b.* as ")  # a file without one need not be parsed
ASKING = {"startswith", "endswith", "removeprefix", "removesuffix", "find", "index", "count"}


def decisions(tree: ast.AST) -> Iterator[int]:
    """The lines where the text of an exception is compared, or searched."""
    for handler in ast.walk(tree):
        if not isinstance(handler, ast.ExceptHandler) or handler.name is None:
            continue
        for node in ast.walk(handler):
            if _is_asked(node, handler.name):
                yield node.lineno  # type: ignore[attr-defined]


def _is_asked(node: ast.AST, caught: str) -> bool:
    match node:
        case ast.Compare(left=left, comparators=others):
            return any(_is_text(side, caught) for side in (left, *others))
        case ast.Call(func=ast.Attribute(attr=attr, value=value)) if attr in ASKING:
            return _is_text(value, caught)
    return False


def _is_text(node: ast.expr, caught: str) -> bool:
    match node:
        case ast.Call(func=ast.Name(id="str" | "repr"), args=[ast.Name(id=name)]):
            return name == caught
        case ast.Call(func=ast.Attribute(attr="lower" | "strip", value=value)):
            return _is_text(value, caught)
        case ast.Attribute(value=ast.Name(id=name), attr=attr):
            return name == caught and attr in MESSAGES
    return False


def test_nothing_is_decided_by_a_message() -> None:
    texts = {str(path.relative_to(ROOT)): path.read_text(encoding="utf-8") for path in FILES}
    found = {path: [*decisions(ast.parse(text))] for path, text in texts.items() if NAMED.search(text)}
    assert {path: lines for path, lines in found.items() if lines} == {}


def test_the_test_sees_them() -> None:
    text = "try: pass\nexcept E as e:\n    if 'x' in str(e): pass\n    if e.why.startswith('a'): pass\n"
    assert list(decisions(ast.parse(text))) == [3, 4]
