"""Paths, steps and postfix expressions (XQuery 3.1, 3.2 and 3.3)."""

from __future__ import annotations

import re

from xylem.errors import Span

from ..ast import (
    AnyKindTest,
    AttributeTest,
    AxisStep,
    ContextItem,
    DynamicCall,
    Expr,
    Filter,
    ItemTypeNode,
    Lookup,
    NamespaceNodeTest,
    NameTest,
    NodeTest,
    Path,
    Root,
    SchemaAttributeTest,
    Wildcard,
)
from .characters import NCNAME
from .extensions import ExtensionGrammar
from .names import NAME
from .primaries import BRACED_WORDS
from .types import KIND_TESTS

_DIGITS = re.compile("[0-9]+")

AXES = frozenset(
    [
        "child",
        "descendant",
        "attribute",
        "self",
        "descendant-or-self",
        "following-sibling",
        "following",
        "parent",
        "ancestor",
        "preceding-sibling",
        "preceding",
        "ancestor-or-self",
    ]
)
_wildcard = re.compile(rf"\*:({NCNAME})|\*|({NCNAME}):\*|Q\{{([^{{}}]*)\}}\*").match
_STEP_STARTS = frozenset("$(@.*<[?%`\"'0123456789_ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz")


class PathGrammar(ExtensionGrammar):
    """The productions of paths."""

    def path(self) -> Expr:
        """PathExpr [108]."""
        text, start = self.text, self.pos
        if text[start] != "/":
            left = self.step()
        elif text[start + 1] == "/":
            left = self._descendants(Root(span=Span(start, start + 1, self.source)), start)
            left = Path(left, self.step(), span=self.span(start))
        else:
            self.take("/")
            left = Root(span=self.span(start))
            # A step that can follow does follow: `/ * 5` is not a product (A.1.2, leading-lone-slash).
            if text[self.pos] not in _STEP_STARTS and text[self.pos] < "\x80":
                return left
            left = Path(left, self.step(), span=self.span(start))
        while text[self.pos] == "/":
            if text[self.pos + 1] == "/":
                left = self._descendants(left, start)
            else:
                self.jump(self.pos + 1)
            right = self.step()
            left = Path(left, right, span=self.span(start))
        if text[self.pos] == "|" and self.at_data_window():
            return self.data_window(left, start)
        return left

    def _descendants(self, left: Expr, start: int) -> Expr:
        """`//` is short for `/descendant-or-self::node()/` (3.3.5)."""
        at = self.pos
        self.jump(at + 2)
        test = AnyKindTest(span=self.span(at))
        return Path(left, AxisStep("descendant-or-self", test, span=self.span(at)), span=self.span(start))

    # --- steps

    def step(self) -> Expr:
        """StepExpr [111]: an axis step, or a postfix expression."""
        text, start = self.text, self.pos
        char = text[start]
        if char == "$":
            return self.postfix(self.variable_reference(), start)
        if char in _NAME_STARTS or char >= "\x80":
            return self._named_step(start)
        if char in "\"'":
            return self.postfix(self.string_literal(), start)
        if char in "0123456789":
            return self.postfix(self.number(), start)
        if char == "(":
            return self.postfix(self.parenthesized(), start)
        if char == ".":
            return self._dot(start)
        if char == "@":
            self.take("@")
            return self._axis_step("attribute", self._node_test("attribute"), start)
        if char == "*":
            return self._axis_step("child", self._node_test("child"), start)
        if char == "<":
            return self.postfix(self.direct_constructor(), start)
        if char == "[":
            return self.postfix(self.square_array(), start)
        if char == "?":
            return self.postfix(self.unary_lookup(), start)
        if char == "%":
            return self.postfix(self.inline_function(), start)
        if text.startswith("``[", start):
            return self.postfix(self.string_constructor(), start)
        if char == "{" and self.is_sequential:
            return self.postfix(self.block(), start)
        raise self.expected("an expression")

    def _dot(self, start: int) -> Expr:
        after = self.text[start + 1]
        if after == ".":
            self.jump(start + 2)
            return self._axis_step("parent", AnyKindTest(span=self.span(start)), start)
        if after in "0123456789":
            return self.postfix(self.number(), start)
        self.jump(start + 1)
        return self.postfix(ContextItem(span=self.span(start)), start)

    def _named_step(self, start: int) -> Expr:
        """What begins with a name: a constructor, a function, an axis, a kind test, or just the name."""
        found = NAME(self.text, start)
        if found is None:  # `Q{uri}*`
            return self._axis_step("child", self._node_test("child"), start)
        text, end = self.text, found.end()
        after = self.after(end)
        char = text[after]
        word = found.group()
        if word in BRACED_WORDS and (primary := self.braced_primary(word, after)) is not None:
            return self.postfix(primary, start)
        if char == "(":
            return self._called(found, word, after, start)
        if char == ":" and text[after + 1] == ":":
            return self._explicit_axis(word, after, start)
        if char == "#" and _DIGITS.match(text, self.after(after + 1)):
            name = self.name_from(found)
            self.pos = after
            return self.postfix(self.named_function_ref(name, start), start)
        if text[end] == ":" and text[end + 1] == "*":
            return self._axis_step("child", self._node_test("child"), start)
        name = self.name_from(found)
        self.pos = after
        return self._axis_step("child", NameTest(name, span=name.span), start)

    def _called(self, found: re.Match[str], word: str, after: int, start: int) -> Expr:
        if word in KIND_TESTS:
            test = self.kind_test()
            return self._axis_step(self._default_axis(test, start), test, start)
        if word == "function":
            return self.postfix(self.inline_function(), start)
        name = self.name_from(found)
        if self.at_reserved(name):
            hint = "an `if` inside an operation needs brackets around it" if word in _CONTROL else ""
            raise self.fault(f"`{word}` is reserved and cannot name a function", start, found.end(), hint)
        self.pos = after
        return self.postfix(self.function_call(name, start), start)

    def _explicit_axis(self, axis: str, colons: int, start: int) -> Expr:
        if axis == "namespace":
            raise self.error("XQST0134", "", start, start + len(axis))
        if axis not in AXES:
            raise self.fault(f"`{axis}` is not an axis", start, start + len(axis))
        self.jump(colons + 2)
        return self._axis_step(axis, self._node_test(axis), start)

    def _default_axis(self, test: ItemTypeNode, start: int) -> str:
        """The axis of a step that names none (3.3.5)."""
        if isinstance(test, NamespaceNodeTest):
            raise self.error("XQST0134", "`namespace-node()` alone means that axis", start)
        return "attribute" if isinstance(test, AttributeTest | SchemaAttributeTest) else "child"

    def _node_test(self, axis: str) -> NodeTest:
        """NodeTest [118]."""
        start = self.pos
        wild = self.wildcard()
        if wild is not None:
            return wild
        found = NAME(self.text, start)
        if found is None:
            raise self.expected("a name, `*` or a test such as `node()`")
        if found.group() in KIND_TESTS and self.text[self.after(found.end())] == "(":
            return self.kind_test()
        return self.name_test()

    def name_test(self) -> NameTest | Wildcard:
        """NameTest [119]."""
        wild = self.wildcard()
        if wild is not None:
            return wild
        name = self.eqname("a name or `*`")
        return NameTest(name, span=name.span)

    def wildcard(self) -> Wildcard | None:
        """Wildcard [120]. No white space may stand inside."""
        start = self.pos
        found = _wildcard(self.text, start)
        if found is None:
            return None
        local, prefix, uri = found.groups()
        if uri is not None:
            uri = self.braced_uri(found.start(3), found.end(3))
        self.jump(found.end())
        return Wildcard(prefix, uri, local, span=self.span(start))

    def _axis_step(self, axis: str, test: NodeTest, start: int) -> Expr:
        predicates: list[Expr] = []
        while self.text[self.pos] == "[":
            predicates.append(self._predicate())
        step = AxisStep(axis, test, tuple(predicates), span=self.span(start))
        if self.text[self.pos] in "#?":
            return self.postfix(self.history(step, start), start)
        return step

    def _predicate(self) -> Expr:
        opener = self.pos
        self.take("[")
        test = self.expr()
        self.close("]", opener)
        return test

    # --- postfix expressions

    def postfix(self, base: Expr, start: int) -> Expr:
        """PostfixExpr [121]: what may follow a primary, as often as wanted."""
        while True:
            char = self.text[self.pos]
            if char == "[":
                predicate = self._predicate()
                base = Filter(base, predicate, span=self.span(start))
            elif char == "(":
                arguments = self.arguments()
                base = DynamicCall(base, arguments, span=self.span(start))
            elif char in "#?" and self.at_history():
                base = self.history(base, start)
            elif char == "?":
                self.take("?")
                key = self.key_specifier()
                base = Lookup(base, key, span=self.span(start))
            else:
                return base


_NAME_STARTS = frozenset("_ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz")
_CONTROL = frozenset(["if", "switch", "typeswitch"])
