"""Functions of the query that call themselves or each other, and give values: others stand where they are called.

        declare function local:depth($n) { if ($n/*) then 1 + max($n/* ! local:depth(.)) else 1 };
        local:depth($o)   →   Calling((if (exists(…)) then 1 + max(… Invoke(0, …)) else 1,), Invoke(0, (0,), ($o,)))

Needs:  parameters without types or with those of values; arguments of the same kinds in each call.
Safe:   an argument that is not of its type as it is, and a deep recursion, are left to the query.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from xylem.plan.kernel_expression import Call, Calling, Invoke, KernelExpression
from xylem.syntax import ast

from ..template_paths import NoTemplate
from .item_kinds import VALUES, Kinds
from .type_tests import type_word

if TYPE_CHECKING:
    from .compiler import ExpressionCompiler


class FunctionsOfQuery:
    """The functions that the expressions of one template call."""

    def __init__(self) -> None:
        self._known: dict[tuple[str, str, int], tuple[int, tuple[int, ...], tuple[Kinds, ...]]] = {}
        """The number of each, the slots of its parameters, and the kinds of its arguments."""
        self._bodies: list[KernelExpression] = []
        self._open = 0
        """The number of functions that are being compiled."""

    def called(self, c: ExpressionCompiler, call: ast.FunctionCall, declared: ast.FunctionDecl) -> KernelExpression:
        """A call of a function."""
        if declared.body is None or declared.annotations:
            raise NoTemplate("an external function, or one with annotations", call)
        arguments = tuple(
            _typed(c.kept(argument), parameter.type)
            for argument, parameter in zip(call.arguments, declared.parameters, strict=True)
        )
        kinds = tuple(c.kept_kinds(value, argument) for value, argument in zip(arguments, call.arguments, strict=True))
        key = *declared.name.expanded, len(arguments)
        if key not in self._known:
            self._compile(c, key, declared, kinds)
        number, slots, expected = self._known[key]
        if kinds != expected:
            raise NoTemplate("a function of nodes in one place, and of values in another", call)
        invoked = Invoke(number, slots, arguments)
        return invoked if self._open else Calling(tuple(self._bodies), invoked)

    def _compile(
        self, c: ExpressionCompiler, key: tuple[str, str, int], declared: ast.FunctionDecl, kinds: tuple[Kinds, ...]
    ) -> None:
        number = len(self._bodies)
        assert declared.body is not None
        try:
            with c.inside_values_function():
                slots = tuple(c.new_slot(one.name, kind) for one, kind in zip(declared.parameters, kinds, strict=True))
                self._known[key] = number, slots, kinds
                self._bodies.append(Call(",", ()))
                self._open += 1
                try:
                    body = c.value(declared.body)
                finally:
                    self._open -= 1
                if c.kinds_of(body) - VALUES:
                    raise NoTemplate("a function that calls itself and gives nodes", declared.body)
                self._bodies[number] = _typed(body, declared.returns)
        except NoTemplate:
            # What was compiled for it alone goes with it.
            del self._bodies[number:]
            self._known = {name: known for name, known in self._known.items() if known[0] < number}
            raise


def _typed(value: KernelExpression, kind: ast.SequenceTypeNode | None) -> KernelExpression:
    if kind is None or (isinstance(kind.item, ast.AnyItemType) and kind.occurrence == "*"):
        return value
    return Call(type_word(kind), (value,))
