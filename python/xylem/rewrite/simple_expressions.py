"""Simple expressions (thesis Def. 3.8.1, 3.8.2): evaluated while the element passes, without a buffer.

Beyond the thesis: an expression that reads no more of the element than its attributes, or nothing of it at all, is as
good as a fixed string, since all of it is known when the element starts.
"""

from __future__ import annotations

from xylem.analysis.projection import Projection
from xylem.analysis.streamable_paths import streamable_path
from xylem.functions.registry import FN
from xylem.plan.flux import Copy, Fixed, Flux, For, If, Leaf, Opening, ProcessStream, Sequence
from xylem.plan.needs import needs
from xylem.syntax import ast

STREAMING_FUNCTIONS = {"count", "sum", "avg", "min", "max", "exists", "empty"}
_LITERALS = (ast.StringLiteral, ast.IntegerLiteral, ast.DecimalLiteral, ast.DoubleLiteral)


def is_simple(body: Flux, variable: str) -> bool:
    """Whether a body can be evaluated on the current element, bound to `variable`, as it passes."""
    parts = body.parts if isinstance(body, Sequence) else (body,)
    copies = [index for index, part in enumerate(parts) if _unconditional(part) == Copy(variable)]
    if len(copies) > 1:
        return False
    # What comes before the copy, and its condition, must be known before the element has passed.
    before = parts[: copies[0]] if copies else ()
    after = parts[copies[0] + 1 :] if copies else parts
    if copies and not _is_decided(parts[copies[0]], variable):
        return False
    return all(_known_at_start(part, variable) for part in before) and all(_is_tail(p, variable) for p in after)


def _unconditional(part: Flux) -> Flux:
    return part.body if isinstance(part, If) else part


def _is_decided(part: Flux, variable: str) -> bool:
    return not isinstance(part, If) or _known_at_start(If(part.condition, Fixed("")), variable)


def _is_tail(part: Flux, variable: str) -> bool:
    """Whether a part can be written once the element has passed, without a buffer."""
    if isinstance(part, If) and not is_simple_condition(part.condition) and not _is_decided(part, variable):
        return False
    return _is_output(_unconditional(part), variable)


def _is_output(part: Flux, variable: str) -> bool:
    match part:
        case Fixed():
            return True
        case Opening():
            return _known_at_start(part, variable)
        case Leaf(expression=expression):
            return is_streaming_function(expression) or _known_at_start(part, variable)
    return False


def _known_at_start(part: Flux, variable: str) -> bool:
    return not isinstance(part, (For, ProcessStream)) and is_known_at_start(needs(part, [variable])[variable])


def is_known_at_start(needed: Projection) -> bool:
    """Whether no more than the start tag of an element is needed."""
    return not (needed.children or needed.text or needed.string or needed.subtree)


def is_streaming_function(expr: ast.Expr) -> bool:
    """f($x/π) with an aggregate that is computed as the values pass (Def. 3.8.9)."""
    match expr:
        case ast.FunctionCall(name=ast.Name(local=local, uri=uri), arguments=(argument,)):
            return uri == FN and local in STREAMING_FUNCTIONS and is_variable_path(argument)
    return False


def is_variable_path(expr: ast.Expr) -> bool:
    """$x/π, where π goes down by name."""
    found = streamable_path(expr, _Every())
    return found is not None and not any(step.predicates for step in found.steps)


class _Every:
    def __contains__(self, name: object) -> bool:
        return True


def is_simple_condition(condition: ast.Expr) -> bool:
    """No join: every comparison has a constant, or aggregates, on at least one side."""
    match condition:
        case ast.And(left=left, right=right) | ast.Or(left=left, right=right):
            return is_simple_condition(left) and is_simple_condition(right)
        case ast.FunctionCall(name=ast.Name(local=local, uri=uri), arguments=arguments) if uri == FN:
            if local in ("true", "false"):
                return not arguments
            if local in ("not", "boolean") and len(arguments) == 1:
                return is_simple_condition(arguments[0])
            return is_streaming_function(condition)
        case ast.GeneralComparison(left=left, right=right) | ast.ValueComparison(left=left, right=right):
            if is_streaming_function(left):
                return is_streaming_function(right) or isinstance(right, _LITERALS)
            if isinstance(left, _LITERALS):
                return isinstance(right, _LITERALS) or _is_operand(right)
            return isinstance(right, _LITERALS) and _is_operand(left)
    return is_variable_path(condition)


def _is_operand(expr: ast.Expr) -> bool:
    return is_variable_path(expr) or is_streaming_function(expr)

