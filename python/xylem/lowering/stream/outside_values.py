"""Whether the scan may write atomic values outside of elements.

        for $p in /photons/photon return $p/en * 2   →   2.5 0.7 …

Gain:   a value costs as much as its characters.
Needs:  no item that selects an output method other than XML, as the first item of the answer may
        (`run/stream/text.py`). No windows: they would get text instead of values.
Safe:   the scan reports whether its text begins and ends with an atomic value, so spaces separate adjacent ones.
"""

from __future__ import annotations

from xylem.analysis.facts.truth_values import is_boolean
from xylem.plan.flux import (
    Copy,
    Fixed,
    Flux,
    For,
    If,
    Leaf,
    On,
    OnFirst,
    Opening,
    ProcessStream,
    Sequence,
    Step,
)
from xylem.syntax import ast

from .template_holes import Known

_TEXT = (
    ast.StringLiteral, ast.IntegerLiteral, ast.DecimalLiteral, ast.DoubleLiteral, ast.Arithmetic, ast.Unary,
    ast.StringConcat, ast.CastAs, ast.ValueComparison, ast.Range, ast.DirectElement, ast.ComputedElement,
    ast.ComputedText,
)  # fmt: skip
"""Expressions whose items have a text in XML."""


def may_write_values(program: Flux, known: Known) -> bool:
    """Whether all items of a program's answer have a text in XML."""
    return _Items(known).are_text(program)


class _Items:
    def __init__(self, known: Known) -> None:
        self._known = known
        self._positions: set[str] = set()

    def are_text(self, program: Flux) -> bool:
        match program:
            case Fixed() | Opening():
                return True
            case Sequence(parts=parts):
                return all(map(self.are_text, parts))
            case If(body=body):
                return self.are_text(body)
            case For(path=path, body=body, window=None):
                self._positions |= {loop} if (loop := program.position) else set()
                return self.are_text(body) and (_is_leaf(body) or not _ends_in_attributes(path))
            case Copy(path=path):
                return not _ends_in_attributes(path)
            case Leaf(expression=expression):
                return self._is_text(expression)
            case ProcessStream(handlers=handlers):
                self._positions |= {each.position for each in handlers if isinstance(each, On) and each.position}
                return all(
                    isinstance(handler, OnFirst | On)
                    and self.are_text(handler.body)
                    and (_is_leaf(handler.body) or isinstance(handler, OnFirst) or handler.step.axis == "child")
                    for handler in handlers
                )
        return False

    def _is_text(self, expr: ast.Expr) -> bool:
        match expr:
            case ast.SequenceExpr(items=items):
                return all(map(self._is_text, items))
            case ast.If(then=then, otherwise=otherwise):
                return self._is_text(then) and self._is_text(otherwise)
            case ast.Switch(cases=cases, default=default):
                return self._is_text(default) and all(self._is_text(case.result) for case in cases)
            case ast.TryCatch(body=body, catches=catches):
                return self._is_text(body) and all(self._is_text(each.body) for each in catches)
            case ast.Flwor(result=result):
                return self._is_text(result)
            case ast.Path(right=ast.AxisStep(axis=axis)):
                return axis == "child"
            case ast.Path(right=right) | ast.SimpleMap(right=right):
                return self._is_text(right)
            case ast.VarRef(name=name):
                return not name.uri and name.local in self._positions
            case ast.FunctionCall():
                found = self._known(expr)
                return found is not None and found.returns.startswith("xs:")
        return isinstance(expr, _TEXT) or is_boolean(expr)


def _is_leaf(body: Flux) -> bool:
    """Whether only an expression is written, perhaps under conditions."""
    while isinstance(body, If):
        body = body.body
    return isinstance(body, Leaf)


def _ends_in_attributes(path: tuple[Step, ...]) -> bool:
    return bool(path) and path[-1].axis == "attribute"
