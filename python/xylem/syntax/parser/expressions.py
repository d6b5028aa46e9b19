"""Where every expression begins: `E, E`, a single expression, an expression in braces."""

from __future__ import annotations

import re
from collections.abc import Callable

from ..ast import Expr, SequenceExpr
from .characters import NOT_IN_NAME
from .flwor import FlworGrammar

_keyword = re.compile(rf"(?:for|forseq|let|some|every|if|switch|typeswitch|try){NOT_IN_NAME}").match


class ExpressionGrammar(FlworGrammar):
    """The productions that all others come back to."""

    def expr(self) -> Expr:
        """Expr [39]."""
        start = self.pos
        first = self.expr_single()
        if self.text[self.pos] != ",":
            return first
        items = [first]
        while self.take(","):
            items.append(self.expr_single())
        return SequenceExpr(tuple(items), span=self.span(start))

    def expr_single(self) -> Expr:
        """ExprSingle [40]. A keyword begins a production only with what must follow it; else it is a name."""
        self.descend(self.pos)
        found = _keyword(self.text, self.pos)
        if found is not None and self._follows(found.group(), self.after(found.end())):
            node = _PRODUCTIONS[found.group()](self)
        elif self.is_sequential and self.at_set():
            node = self.set_statement()
        else:
            node = self.binary()
        self.depth -= 1
        return node

    def _follows(self, keyword: str, after: int) -> bool:
        char = self.text[after]
        if char == _FOLLOWERS[keyword]:
            return True
        if keyword != "for":
            return False
        kind = self.word_at(after)
        return kind in ("tumbling", "sliding") and self.word_at(self.after(after + len(kind))) == "window"

    def enclosed_expr(self) -> Expr:
        """EnclosedExpr [5]; empty braces give the empty sequence."""
        opener = self.pos
        self.expect("{")
        if self.take("}"):
            return SequenceExpr(span=self.span(opener))
        body = self.expr()
        self.close("}", opener)
        return body


_FOLLOWERS = {
    "for": "$",
    "forseq": "$",
    "let": "$",
    "some": "$",
    "every": "$",
    "if": "(",
    "switch": "(",
    "typeswitch": "(",
    "try": "{",
}
_PRODUCTIONS: dict[str, Callable[[ExpressionGrammar], Expr]] = {
    "for": ExpressionGrammar.flwor,
    "forseq": ExpressionGrammar.flwor,
    "let": ExpressionGrammar.flwor,
    "some": ExpressionGrammar.quantified,
    "every": ExpressionGrammar.quantified,
    "if": ExpressionGrammar.if_expr,
    "switch": ExpressionGrammar.switch_expr,
    "typeswitch": ExpressionGrammar.typeswitch_expr,
    "try": ExpressionGrammar.try_expr,
}
