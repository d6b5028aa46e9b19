"""Operators, from `or` down to unary minus (XQuery 3.1, A.4), by precedence climbing.

Each operator has a level; higher binds tighter. A chain such as `1 + 1 + 1 …` is read by a loop and not by
recursion, so its length is limited by memory only.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from ..ast import (
    And,
    Arithmetic,
    Arrow,
    CastableAs,
    CastAs,
    Expr,
    ExtensionExpr,
    GeneralComparison,
    InstanceOf,
    Name,
    NodeComparison,
    Or,
    Pragma,
    Range,
    SetOperation,
    SimpleMap,
    StringConcat,
    TreatAs,
    Unary,
    Validate,
    ValueComparison,
)
from .characters import NOT_IN_NAME
from .names import NAME
from .paths import PathGrammar

_operator = re.compile(
    r"\|\|?|!=|<<|<=?|>>|>=?|=>?|[-+*]|(?:or|and|eq|ne|lt|le|gt|ge|is|to|div|idiv|mod|union|intersect|except"
    rf"|instance|treat|castable|cast){NOT_IN_NAME}"
).match

OR, AND, COMPARISON, CONCAT, RANGE, ADDITIVE, MULTIPLICATIVE, UNION, INTERSECT = range(1, 10)
INSTANCE, TREAT, CASTABLE, CAST, ARROW = range(10, 15)

LEVELS: dict[str, int] = {
    "or": OR,
    "and": AND,
    **dict.fromkeys(
        ["=", "!=", "<", "<=", ">", ">=", "eq", "ne", "lt", "le", "gt", "ge", "is", "<<", ">>"], COMPARISON
    ),
    "||": CONCAT,
    "to": RANGE,
    **dict.fromkeys(["+", "-"], ADDITIVE),
    **dict.fromkeys(["*", "div", "idiv", "mod"], MULTIPLICATIVE),
    **dict.fromkeys(["union", "|"], UNION),
    **dict.fromkeys(["intersect", "except"], INTERSECT),
    "instance": INSTANCE,
    "treat": TREAT,
    "castable": CASTABLE,
    "cast": CAST,
    "=>": ARROW,
}
_ONCE = frozenset([COMPARISON, RANGE, INSTANCE, TREAT, CASTABLE, CAST])
"""Levels whose operators do not chain: `1 = 2 = 3` is no expression."""

_CHAINED = {
    COMPARISON: "comparisons do not chain; join two of them by `and`",
    RANGE: "put brackets around the first `to`",
    **dict.fromkeys([INSTANCE, TREAT, CASTABLE, CAST], "put brackets around what stands before"),
}
_VALIDATE = re.compile(rf"validate{NOT_IN_NAME}").match
_pragma_end = re.compile(r"#\)").search


class OperatorGrammar(PathGrammar):
    """The productions of operators."""

    def binary(self, floor: int = OR) -> Expr:
        """An expression whose outermost operator is of level `floor` or higher."""
        text, start = self.text, self.pos
        left = self.unary()
        ceiling = ARROW
        while True:
            found = _operator(text, self.pos)
            if found is None:
                return left
            op = found.group()
            level = LEVELS[op]
            if level < floor:
                return left
            if level > ceiling:
                raise self.fault(f"`{op}` cannot follow here", self.pos, found.end(), _CHAINED.get(ceiling + 1, ""))
            if text[self.pos : self.pos + 2] in ("==", "<>"):
                raise self.expected("an operator")
            ceiling = level - 1 if level in _ONCE else level
            self.jump(found.end())
            if level >= INSTANCE:
                left = _TYPE_OPERATORS[op](self, left, start)
            else:
                right = self.binary(level + 1)
                left = self._combine(op, left, right, start)

    def _combine(self, op: str, left: Expr, right: Expr, start: int) -> Expr:
        span = self.span(start)
        plain = _PLAIN.get(op)
        if plain is not None:
            return plain(left, right, span=span)
        return _WITH_OPERATOR[op]("union" if op == "|" else op, left, right, span=span)  # type: ignore[call-arg]

    # --- operators with a type, and the arrow

    def _instance_of(self, operand: Expr, start: int) -> Expr:
        self.expect_word("of")
        wanted = self.sequence_type(in_operator=True)
        return InstanceOf(operand, wanted, span=self.span(start))

    def _treat_as(self, operand: Expr, start: int) -> Expr:
        self.expect_word("as")
        wanted = self.sequence_type(in_operator=True)
        return TreatAs(operand, wanted, span=self.span(start))

    def _castable_as(self, operand: Expr, start: int) -> Expr:
        self.expect_word("as")
        wanted = self.single_type()
        return CastableAs(operand, wanted, span=self.span(start))

    def _cast_as(self, operand: Expr, start: int) -> Expr:
        self.expect_word("as")
        wanted = self.single_type()
        return CastAs(operand, wanted, span=self.span(start))

    def _arrow(self, operand: Expr, start: int) -> Expr:
        """ArrowFunctionSpecifier [107] and its arguments."""
        char = self.text[self.pos]
        function: Name | Expr
        if char == "$":
            function = self.variable_reference()
        elif char == "(":
            function = self.parenthesized()
        else:
            function = self.function_name()
        arguments = self.arguments()
        return Arrow(operand, function, arguments, span=self.span(start))

    # --- unary operators and the simple map

    def unary(self) -> Expr:
        """UnaryExpr [97]."""
        if self.text[self.pos] not in "+-":
            return self._value()
        signs = []
        while self.text[self.pos] in "+-":
            signs.append(self.pos)
            self.jump(self.pos + 1)
        node = self._value()
        for at in reversed(signs):
            node = Unary(self.text[at], node, span=self.span(at))
        return node

    def _value(self) -> Expr:
        """ValueExpr [98]: validate, an extension expression, or paths joined by `!`."""
        text, start = self.text, self.pos
        char = text[start]
        if char == "v" and _VALIDATE(text, start) and self._is_validate():
            return self._validate()
        if char == "(" and text[start + 1] == "#":
            return self._extension()
        left = self.path()
        while text[self.pos] == "!" and text[self.pos + 1] != "=":
            self.jump(self.pos + 1)
            right = self.path()
            left = SimpleMap(left, right, span=self.span(start))
        return left

    # --- validate (3.21)

    def _is_validate(self) -> bool:
        after = self.after(self.pos + len("validate"))
        if self.text[after] == "{":
            return True
        mode = self.word_at(after)
        behind = self.after(after + len(mode))
        if mode in ("lax", "strict"):
            return self.text[behind] == "{"
        return mode == "type" and NAME(self.text, behind) is not None

    def _validate(self) -> Expr:
        start = self.pos
        self.jump(start + len("validate"))
        mode, type_name = "strict", None
        if self.take_word("type"):
            mode, type_name = "type", self.eqname("the name of a type")
        elif self.text[self.pos] != "{":
            mode = self.take_one_of("lax", "strict")
        opener = self.pos
        self.expect("{")
        body = self.expr()
        self.close("}", opener)
        return Validate(mode, type_name, body, span=self.span(start))

    # --- extension expressions (3.22)

    def _extension(self) -> Expr:
        start = self.pos
        pragmas = []
        while self.text.startswith("(#", self.pos):
            pragmas.append(self._pragma())
        opener = self.pos
        self.expect("{")
        if self.take("}"):
            return ExtensionExpr(tuple(pragmas), None, span=self.span(start))
        body = self.expr()
        self.close("}", opener)
        return ExtensionExpr(tuple(pragmas), body, span=self.span(start))

    def _pragma(self) -> Pragma:
        start = self.pos
        # White space, but no comment, may stand before the name (ws: explicit).
        self.pos = start + 2 + len(self.text[start + 2 :]) - len(self.text[start + 2 :].lstrip(" \t\n\r"))
        found = NAME(self.text, self.pos)
        if found is None:
            raise self.expected("the name of a pragma")
        name = self.name_from(found)
        end = _pragma_end(self.text, found.end())
        if end is None:
            raise self.fault("this pragma is never closed by `#)`", start, start + 2)
        content = self.text[found.end() : end.start()]
        if content and content[0] not in " \t\n\r":
            self.pos = found.end()
            raise self.expected("white space or `#)` after the name of a pragma")
        self.jump(end.end())
        return Pragma(name, content.lstrip(" \t\n\r"), span=self.span(start))


_PLAIN: dict[str, type[Or] | type[And] | type[StringConcat] | type[Range]] = {
    "or": Or,
    "and": And,
    "||": StringConcat,
    "to": Range,
}
_WITH_OPERATOR: dict[str, Callable[[str, Expr, Expr], Expr]] = {
    **dict.fromkeys(["eq", "ne", "lt", "le", "gt", "ge"], ValueComparison),
    **dict.fromkeys(["=", "!=", "<", "<=", ">", ">="], GeneralComparison),
    **dict.fromkeys(["is", "<<", ">>"], NodeComparison),
    **dict.fromkeys(["+", "-", "*", "div", "idiv", "mod"], Arithmetic),
    **dict.fromkeys(["|", "union", "intersect", "except"], SetOperation),
}
_TYPE_OPERATORS: dict[str, Callable[[OperatorGrammar, Expr, int], Expr]] = {
    "instance": OperatorGrammar._instance_of,
    "treat": OperatorGrammar._treat_as,
    "castable": OperatorGrammar._castable_as,
    "cast": OperatorGrammar._cast_as,
    "=>": OperatorGrammar._arrow,
}
