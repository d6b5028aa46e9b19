"""Primary expressions (XQuery 3.1, 3.1 and 3.11): expressions without operands."""

from __future__ import annotations

from ..ast import (
    Annotation,
    ArgumentPlaceholder,
    AxisStep,
    CurlyArray,
    Expr,
    FunctionCall,
    InlineFunction,
    IntegerLiteral,
    MapConstructor,
    MapEntry,
    Name,
    NamedFunctionRef,
    NameTest,
    OrderingExpr,
    Parameter,
    SequenceExpr,
    SquareArray,
    StringConstructor,
    StringLiteral,
    UnaryLookup,
    VarRef,
    VersionProjection,
)
from .computed_constructors import CONSTRUCTOR_WORDS, ComputedConstructorGrammar

BRACED_WORDS = CONSTRUCTOR_WORDS | {"ordered", "unordered", "map", "array"}
"""Words that begin a primary expression when a brace follows."""


class PrimaryGrammar(ComputedConstructorGrammar):
    """The productions of primary expressions."""

    def variable_reference(self) -> VarRef:
        """VarRef [131]."""
        start = self.pos
        name = self.variable_name()
        return VarRef(name, span=self.span(start))

    def parenthesized(self) -> Expr:
        """ParenthesizedExpr [133]. Brackets leave no node behind, so `((1))` is `1`."""
        start = self.pos
        self.take("(")
        if self.take(")"):
            return SequenceExpr(span=self.span(start))
        inner = self.expr()
        self.close(")", start)
        return inner

    # --- functions

    def arguments(self) -> tuple[Expr, ...]:
        """ArgumentList [122]."""
        opener = self.pos
        self.expect("(")
        if self.take(")"):
            return ()
        found = [self._argument()]
        while self.take(","):
            found.append(self._argument())
        self.close(")", opener)
        return tuple(found)

    def _argument(self) -> Expr:
        start = self.pos
        if self.text[start] == "?" and self.text[self.after(start + 1)] in ",)":
            self.take("?")
            return ArgumentPlaceholder(span=self.span(start))
        return self.expr_single()

    def function_call(self, name: Name, start: int) -> Expr:
        """FunctionCall [137], the cursor standing on its bracket."""
        arguments = self.arguments()
        return FunctionCall(name, arguments, span=self.span(start))

    def named_function_ref(self, name: Name, start: int) -> Expr:
        """NamedFunctionRef [168], the cursor standing on `#`.

        A reserved name is that of no function: `node#1` is a version of a child, or refused where there are none
        (`analysis/history/projections.py`).
        """
        self.take("#")
        number_at = self.pos
        arity = self.integer()
        if self.at_reserved(name):
            step = AxisStep("child", NameTest(name, span=name.span), span=name.span)
            return VersionProjection(step, IntegerLiteral(arity, span=self.span(number_at)), span=self.span(start))
        return NamedFunctionRef(name, arity, span=self.span(start))

    def inline_function(self) -> Expr:
        """InlineFunctionExpr [169]."""
        start = self.pos
        annotations: tuple[Annotation, ...] = self.annotations()
        self.expect_word("function")
        parameters = self.parameters()
        returns = self.type_declaration()
        body = self.enclosed_expr()
        return InlineFunction(annotations, parameters, returns, body, span=self.span(start))

    def parameters(self) -> tuple[Parameter, ...]:
        """ParamList [33] in its brackets."""
        opener = self.pos
        self.expect("(")
        if self.take(")"):
            return ()
        found = [self._parameter()]
        while self.take(","):
            found.append(self._parameter())
        self.close(")", opener)
        return tuple(found)

    def _parameter(self) -> Parameter:
        start = self.pos
        name = self.variable_name()
        declared = self.type_declaration()
        return Parameter(name, declared, span=self.span(start))

    # --- maps, arrays, lookup

    def braced_primary(self, word: str, after: int) -> Expr | None:
        """A primary that begins with a word of `BRACED_WORDS`, if what stands at `after` makes it one."""
        if word in CONSTRUCTOR_WORDS:
            return self.computed_constructor(word, after)
        if self.text[after] != "{":
            return None
        start = self.pos
        self.jump(start + len(word))
        if word == "map":
            return self._map_constructor(start)
        body = self.enclosed_expr()
        if word == "array":
            return CurlyArray(body, span=self.span(start))
        return OrderingExpr(word, body, span=self.span(start))

    def _map_constructor(self, start: int) -> Expr:
        opener = self.pos
        self.take("{")
        entries: list[MapEntry] = []
        if not self.take("}"):
            entries.append(self._map_entry())
            while self.take(","):
                entries.append(self._map_entry())
            self.close("}", opener)
        return MapConstructor(tuple(entries), span=self.span(start))

    def _map_entry(self) -> MapEntry:
        start = self.pos
        key = self.expr_single()
        self.expect(":", "a map pairs `key : value`; keep names and the colon apart by spaces")
        value = self.expr_single()
        return MapEntry(key, value, span=self.span(start))

    def square_array(self) -> Expr:
        """SquareArrayConstructor [175]."""
        start = self.pos
        self.take("[")
        members: list[Expr] = []
        if not self.take("]"):
            members.append(self.expr_single())
            while self.take(","):
                members.append(self.expr_single())
            self.close("]", start)
        return SquareArray(tuple(members), span=self.span(start))

    def unary_lookup(self) -> Expr:
        """UnaryLookup [181]."""
        start = self.pos
        self.take("?")
        key = self.key_specifier()
        return UnaryLookup(key, span=self.span(start))

    def key_specifier(self) -> Expr | None:
        """KeySpecifier [126]; None for `*`."""
        start = self.pos
        char = self.text[start]
        if char == "*":
            self.take("*")
            return None
        if char == "(":
            return self.parenthesized()
        if char.isdigit() and char.isascii():
            value = self.integer()
            if self.text[self.end] == ".":
                raise self.fault("a key is no fraction", start, self.end + 1, "put brackets around it")
            return IntegerLiteral(value, span=self.span(start))
        key = self.ncname("a key (a name, an integer, `(…)` or `*`)")
        return StringLiteral(key, span=self.span(start))

    # --- string constructors

    def string_constructor(self) -> Expr:
        """StringConstructor [177]: characters stand for themselves, references included."""
        start = self.pos
        self.pos += 3
        parts: list[str | Expr] = []
        while True:
            closing, opening = self.text.find("]``", self.pos), self.text.find("`{", self.pos)
            if closing < 0:
                raise self.fault("this string constructor is never closed by ]``", start, start + 3)
            stop = opening if 0 <= opening < closing else closing
            if stop > self.pos:
                parts.append(self.text[self.pos : stop])
            if stop == closing:
                self.jump(closing + 3)
                return StringConstructor(tuple(parts), span=self.span(start))
            parts.append(self._interpolation(stop))

    def _interpolation(self, opener: int) -> Expr:
        self.jump(opener + 2)
        body: Expr
        if self.text.startswith("}`", self.pos):
            body = SequenceExpr(span=self.span(opener))
        else:
            body = self.expr()
        if not self.text.startswith("}`", self.pos):
            raise self.unclosed("}`", opener)
        self.end = self.pos = self.pos + 2
        return body
