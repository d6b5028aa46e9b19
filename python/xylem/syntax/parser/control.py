"""Control: if, quantifiers, switch, typeswitch, try (XQuery 3.1, 3.13 to 3.18)."""

from __future__ import annotations

from ..ast import (
    CatchClause,
    Expr,
    If,
    Name,
    NameTest,
    Quantified,
    QuantifiedBinding,
    SequenceTypeNode,
    Switch,
    SwitchCase,
    TryCatch,
    Typeswitch,
    TypeswitchCase,
    Wildcard,
)
from .operators import OperatorGrammar

_NO_ELSE = "XQuery 3.1 has no `if` without `else`; write `else ()`"


class ControlGrammar(OperatorGrammar):
    """The productions of control. Each is entered on its keyword."""

    def if_expr(self) -> Expr:
        """IfExpr [77]. A chain of `else if` is read by a loop, so it may be long."""
        heads: list[tuple[int, Expr, Expr]] = []
        while True:
            start = self.pos
            self.take_word("if")
            test = self._bracketed()
            self.expect_word("then")
            then = self.expr_single()
            self.expect_word("else", _NO_ELSE)
            heads.append((start, test, then))
            if not (self.at_word("if") and self.text[self.after(self.pos + 2)] == "("):
                break
        node = self.expr_single()
        for start, test, then in reversed(heads):
            node = If(test, then, node, span=self.span(start))
        return node

    def _bracketed(self) -> Expr:
        opener = self.pos
        self.expect("(")
        inner = self.expr()
        self.close(")", opener)
        return inner

    def quantified(self) -> Expr:
        """QuantifiedExpr [70]."""
        start = self.pos
        kind = self.take_one_of("some", "every")
        bindings = [self._binding()]
        while self.take(","):
            bindings.append(self._binding())
        self.expect_word("satisfies")
        test = self.expr_single()
        return Quantified(kind, tuple(bindings), test, span=self.span(start))

    def _binding(self) -> QuantifiedBinding:
        start = self.pos
        name = self.variable_name()
        declared = self.type_declaration()
        self.expect_word("in")
        collection = self.expr_single()
        return QuantifiedBinding(name, declared, collection, span=self.span(start))

    def switch_expr(self) -> Expr:
        """SwitchExpr [71]."""
        start = self.pos
        self.take_word("switch")
        operand = self._bracketed()
        cases: list[SwitchCase] = []
        while self.at_word("case"):
            cases.append(self._switch_case())
        if not cases:
            raise self.expected("`case`")
        self.expect_word("default")
        self.expect_word("return")
        default = self.expr_single()
        return Switch(operand, tuple(cases), default, span=self.span(start))

    def _switch_case(self) -> SwitchCase:
        start = self.pos
        operands: list[Expr] = []
        while self.take_word("case"):
            operands.append(self.expr_single())
        self.expect_word("return")
        result = self.expr_single()
        return SwitchCase(tuple(operands), result, span=self.span(start))

    def typeswitch_expr(self) -> Expr:
        """TypeswitchExpr [74]."""
        start = self.pos
        self.take_word("typeswitch")
        operand = self._bracketed()
        cases: list[TypeswitchCase] = []
        while self.at_word("case"):
            cases.append(self._typeswitch_case())
        if not cases:
            raise self.expected("`case`")
        self.expect_word("default")
        variable = self.variable_name() if self.text[self.pos] == "$" else None
        self.expect_word("return")
        default = self.expr_single()
        return Typeswitch(operand, tuple(cases), variable, default, span=self.span(start))

    def _typeswitch_case(self) -> TypeswitchCase:
        start = self.pos
        self.take_word("case")
        variable: Name | None = None
        if self.text[self.pos] == "$":
            variable = self.variable_name()
            self.expect_word("as")
        types: list[SequenceTypeNode] = [self.sequence_type()]
        while self.take("|"):
            types.append(self.sequence_type())
        self.expect_word("return")
        result = self.expr_single()
        return TypeswitchCase(tuple(types), variable, result, span=self.span(start))

    def try_expr(self) -> Expr:
        """TryCatchExpr [78]."""
        start = self.pos
        self.take_word("try")
        body = self.enclosed_expr()
        catches: list[CatchClause] = []
        while self.at_word("catch"):
            catches.append(self._catch())
        if not catches:
            raise self.expected("`catch`", "`try { … }` needs at least one `catch * { … }`")
        return TryCatch(body, tuple(catches), span=self.span(start))

    def _catch(self) -> CatchClause:
        start = self.pos
        self.take_word("catch")
        tests: list[NameTest | Wildcard] = [self.name_test()]
        while self.take("|"):
            tests.append(self.name_test())
        body = self.enclosed_expr()
        return CatchClause(tuple(tests), body, span=self.span(start))
