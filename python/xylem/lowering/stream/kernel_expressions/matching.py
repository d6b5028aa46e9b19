"""fn:matches, fn:replace and fn:tokenize with literal patterns."""

from __future__ import annotations

from typing import TYPE_CHECKING

from xylem.errors import XylemError
from xylem.functions.regex_functions import replacement_pieces
from xylem.plan.kernel_expression import KernelExpression, Matching
from xylem.syntax import ast

from ..template_paths import NoTemplate
from .patterns import kernel_pattern

if TYPE_CHECKING:
    from .compiler import ExpressionCompiler


def matching(c: ExpressionCompiler, call: ast.FunctionCall) -> KernelExpression:
    """A function with a literal pattern."""
    value, *literals = call.arguments
    texts = [each.value for each in literals if isinstance(each, ast.StringLiteral)]
    if len(texts) < len(literals):
        raise NoTemplate("a pattern that is computed", call)
    if not texts:
        return Matching("words", "", False, c.value(value))
    function, is_replacing = call.name.local, call.name.local == "replace"
    pattern = kernel_pattern(texts[0], texts[1 + is_replacing] if len(texts) > 1 + is_replacing else "")
    if function != "matches" and pattern.expression.matches_empty:
        raise NoTemplate("a pattern that matches nothing at all", call)
    pieces: tuple[str | int, ...] = ()
    if is_replacing:
        try:
            pieces = replacement_pieces(texts[1], pattern.expression.group_count)
        except XylemError as faulty:
            raise NoTemplate("a faulty replacement", call) from faulty
        if pattern.repeats_groups and any(isinstance(piece, int) and piece for piece in pieces):
            raise NoTemplate("a group that matches several times", call)
    return Matching(function, pattern.text, pattern.ascii_only, c.value(value), pieces)
