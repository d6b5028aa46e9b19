"""Direct constructors whose structure is known: in no namespace, with nothing computed but characters.

    <item id="{ $i/@id }">{ count($i/bid) }</item>     →     shape.node(base, [None, text($i), string_of(len(…))])

Gain:   no builder: all such elements share their rows (`values/shaped_tree.py`), and are written by filling gaps.
Needs:  elements and attributes without namespaces, also in scope; content that is known to be atomic values, text nodes
        or such elements.
Safe:   the same tree: empty text is no node, adjacent text is one node, atomic values of one expression have spaces
        between them (XQuery 3.1 §3.9.1.3).
"""

from __future__ import annotations

from xylem.analysis.facts.literals import LITERALS
from xylem.analysis.facts.value_expressions import gives_values
from xylem.functions.registry import FN
from xylem.plan.window_plan import AggregateRead
from xylem.run.runtime import constructors as rt
from xylem.run.runtime import lookups
from xylem.syntax import ast
from xylem.values import atomic_type as at
from xylem.values import node as nk
from xylem.values.casting import string_of
from xylem.values.sequence_type import NodeItem
from xylem.values.shaped_tree import ElementShape, ShapeRow

from .code import Code, Shape, one
from .compiler import Compiler
from .step_texts import joined_text

_MOST_ROWS = 200
"""Larger elements are built piece by piece: their code would be one long line."""


def shaped_element(c: Compiler, node: ast.DirectElement) -> Code | None:
    """The element as a call of its shape; None if the structure is not known."""
    if c.static.element_namespaces or not has_shape(c, node):
        return None
    rows: list[ShapeRow] = []
    values: list[str] = []
    _Rows(c, rows, values).element(node, -1)
    shape = c.writer.constant(ElementShape(rows), "shape", f"<{node.name.local}>")
    text = f"{shape}.node({c.context()}.static.base_uri, [{', '.join(values)}])"
    return one(text, NodeItem(nk.ELEMENT, node.name.expanded))


# --- recognising them


def has_shape(c: Compiler, node: ast.DirectElement) -> bool:
    """Whether the structure of an element is known."""
    elements = [node]
    rows = 0
    while elements:
        element = elements.pop()
        names = [attribute.name for attribute in element.attributes]
        rows += 1 + len(names) + len(element.content)
        if element.namespaces or not all(map(_is_plain, (element.name, *names))) or rows > _MOST_ROWS:
            return False
        if len({name.local for name in names}) < len(names):
            return False
        for part in element.content:
            body = part.body if isinstance(part, ast.EnclosedExpr) else part
            if isinstance(body, ast.DirectElement):
                elements.append(body)
            elif not isinstance(part, ast.DirectText) and not _gives_characters(c, body):
                return False
    return True


def _is_plain(name: ast.Name) -> bool:
    return not name.uri and not name.prefix and name.local != "xmlns"


def _gives_characters(c: Compiler, node: ast.Expr) -> bool:
    """Whether an expression is known to return only atomic values, or only text nodes."""
    match node:
        case ast.VarRef(name=name):
            variable = c.scope.variables.get(name.expanded)
            return variable is not None and variable.code.atomic is not None and not variable.code.endless
        case ast.FunctionCall(name=name, arguments=arguments):
            # Arrays and maps do not count, and user-declared functions may return anything.
            if name.uri != FN or c.functions.external(name, len(arguments)) is not None:
                return False
            return name.local not in ("position", "last") and gives_values(node)
        case AggregateRead(function=function):
            return function.uri == FN
        case ast.SequenceExpr(items=items):
            return all(not _is_text(item) and _gives_characters(c, item) for item in items)
    return isinstance(node, _ATOMIC) or _is_text(node)


_ATOMIC = (*LITERALS, ast.StringConcat, ast.Arithmetic, ast.Unary, ast.CastAs)


def _is_text(node: ast.Expr) -> bool:
    """…/text(): in document order, like the nodes of any path."""
    last = node.right if isinstance(node, ast.Path) else node
    if not isinstance(last, ast.AxisStep) or last.axis != "child":
        return False
    return isinstance(last.test, ast.TextTest)


# --- their rows


class _Rows:
    """The rows of an element, and the Python expressions for their values."""

    def __init__(self, c: Compiler, rows: list[ShapeRow], values: list[str]) -> None:
        self.c = c
        self.rows = rows
        self.values = values

    def element(self, node: ast.DirectElement, parent: int) -> None:
        from .constructors import attribute_value

        row = self._add(ShapeRow(nk.ELEMENT, node.name.local, parent), "None")
        with self.c.writer.at(node.span):
            for attribute in node.attributes:
                fixed = _fixed(attribute)
                with self.c.writer.at(attribute.span):
                    value = repr(fixed) if fixed is not None else self._named(attribute_value(self.c, attribute))
                self._add(ShapeRow(nk.ATTRIBUTE, attribute.name.local, row, fixed), value)
            texts: list[str] = []
            for part in node.content:
                body = part.body if isinstance(part, ast.EnclosedExpr) else part
                if isinstance(body, ast.DirectElement):
                    self._text(texts, row)
                    texts = []
                    self.element(body, row)
                else:
                    texts.append(self._characters(part, body))
            self._text(texts, row)

    def _text(self, texts: list[str], parent: int) -> None:
        """Adjacent text is one node."""
        texts = [text for text in texts if text != "''"]
        if not texts:
            return
        value = texts[0] if len(texts) == 1 else f"''.join(({', '.join(texts)}))"
        self._add(ShapeRow(nk.TEXT, "", parent), value)

    def _characters(self, part: ast.Expr, body: ast.Expr) -> str:
        c = self.c
        with c.writer.at(part.span):
            if isinstance(part, ast.DirectText):
                return repr(part.value)
            code = c.compile(body)
            if code.is_empty and code.simple:
                return "''"
            return self._named(self._text_of(code))

    def _text_of(self, code: Code) -> str:
        c = self.c
        if code.is_nodes:
            return joined_text(c, code, with_spaces=False) or f"{c.rt(rt.text_of_texts)}({c.as_iterable(code)})"
        if code.shape is Shape.ONE and code.atomic in (at.STRING, at.UNTYPED_ATOMIC):
            return code.text
        if code.shape is Shape.ONE and code.atomic is not None:
            return f"{c.rt(string_of)}({code.text})"
        return f"{c.rt(lookups.spaced)}({c.as_iterable(code)})"

    def _named(self, value: str) -> str:
        """A value computed on a separate line, so that errors have their place."""
        if value.isidentifier():
            return value
        name = self.c.writer.fresh("t")
        self.c.writer.line(f"{name} = {value}")
        return name

    def _add(self, row: ShapeRow, value: str) -> int:
        self.rows.append(row)
        self.values.append(value)
        return len(self.rows) - 1


def _fixed(attribute: ast.DirectAttribute) -> str | None:
    """The value of an attribute without expressions."""
    parts = [part for part in attribute.parts if isinstance(part, str)]
    return "".join(parts) if len(parts) == len(attribute.parts) else None
