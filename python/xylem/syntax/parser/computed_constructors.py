"""Computed constructors: `element name { … }` and others (XQuery 3.1, 3.9.3)."""

from __future__ import annotations

from collections.abc import Callable

from ..ast import (
    ComputedAttribute,
    ComputedComment,
    ComputedDocument,
    ComputedElement,
    ComputedNamespace,
    ComputedPI,
    ComputedText,
    Expr,
    Name,
)
from .direct_constructors import DirectConstructorGrammar
from .names import NAME


class ComputedConstructorGrammar(DirectConstructorGrammar):
    """The productions of computed constructors. Each is entered after its keyword."""

    def computed_constructor(self, word: str, after: int) -> Expr | None:
        """ComputedConstructor [155] if the keyword is followed by one; `after` is the place of that.

        The keywords are ordinary names elsewhere: `element` alone is a step, `element {` and `element name {`
        are not.
        """
        if self.text[after] != "{" and not self._is_named(word, after):
            return None
        start = self.pos
        self.jump(start + len(word))
        return _CONSTRUCTORS[word](self, start)

    def _is_named(self, word: str, after: int) -> bool:
        if word not in _NAMED:
            return False
        found = NAME(self.text, after)
        return found is not None and self.text[self.after(found.end())] == "{"

    def _name_expr(self) -> Expr:
        """The name as an expression: unlike other braces, these may not be empty."""
        opener = self.pos
        self.take("{")
        name = self.expr()
        self.close("}", opener)
        return name

    def _computed_document(self, start: int) -> Expr:
        body = self.enclosed_expr()
        return ComputedDocument(body, span=self.span(start))

    def _computed_element(self, start: int) -> Expr:
        name: Name | Expr = self._name_expr() if self.text[self.pos] == "{" else self.eqname()
        body = self.enclosed_expr()
        return ComputedElement(name, body, span=self.span(start))

    def _computed_attribute(self, start: int) -> Expr:
        name: Name | Expr = self._name_expr() if self.text[self.pos] == "{" else self.eqname()
        body = self.enclosed_expr()
        return ComputedAttribute(name, body, span=self.span(start))

    def _computed_namespace(self, start: int) -> Expr:
        prefix: str | Expr = self._name_expr() if self.text[self.pos] == "{" else self.ncname("a prefix")
        body = self.enclosed_expr()
        return ComputedNamespace(prefix, body, span=self.span(start))

    def _computed_text(self, start: int) -> Expr:
        body = self.enclosed_expr()
        return ComputedText(body, span=self.span(start))

    def _computed_comment(self, start: int) -> Expr:
        body = self.enclosed_expr()
        return ComputedComment(body, span=self.span(start))

    def _computed_pi(self, start: int) -> Expr:
        target: str | Expr = self._name_expr() if self.text[self.pos] == "{" else self.ncname("a target")
        body = self.enclosed_expr()
        return ComputedPI(target, body, span=self.span(start))


_NAMED = frozenset(["element", "attribute", "namespace", "processing-instruction"])

_CONSTRUCTORS: dict[str, Callable[[ComputedConstructorGrammar, int], Expr]] = {
    "document": ComputedConstructorGrammar._computed_document,
    "element": ComputedConstructorGrammar._computed_element,
    "attribute": ComputedConstructorGrammar._computed_attribute,
    "namespace": ComputedConstructorGrammar._computed_namespace,
    "text": ComputedConstructorGrammar._computed_text,
    "comment": ComputedConstructorGrammar._computed_comment,
    "processing-instruction": ComputedConstructorGrammar._computed_pi,
}
CONSTRUCTOR_WORDS = frozenset(_CONSTRUCTORS)
