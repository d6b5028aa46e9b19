"""Sequence types, item types, kind tests and annotations (XQuery 3.1, 2.5.4 and 2.5.5)."""

from __future__ import annotations

from collections.abc import Callable

from ..ast import (
    Annotation,
    AnyItemType,
    AnyKindTest,
    ArrayType,
    AtomicType,
    AttributeTest,
    CommentTest,
    DocumentTest,
    ElementTest,
    FunctionType,
    ItemTypeNode,
    MapType,
    Name,
    NamespaceNodeTest,
    PITest,
    SchemaAttributeTest,
    SchemaElementTest,
    SequenceTypeNode,
    SingleType,
    TextTest,
)
from .characters import collapse
from .names import NAME, NameGrammar

_AFTER_INFINITE = frozenset(")]},;\0")


class TypeGrammar(NameGrammar):
    """The productions of types."""

    def type_declaration(self) -> SequenceTypeNode | None:
        """TypeDeclaration? [183]: `as T`."""
        return self.sequence_type() if self.take_word("as") else None

    def sequence_type(self, in_operator: bool = False) -> SequenceTypeNode:
        """SequenceType [184], with the occurrence `**` of possibly infinite sequences.

        After `instance of` and `treat as` an operand may follow, and `T**5` means `(… as T*) * 5` there as the
        standard wants; `**` is then ours only where no operand can follow.
        """
        start = self.pos
        self.descend(start)
        if self.word() == "empty-sequence" and self._opens_after("empty-sequence"):
            self.jump(self.pos + len("empty-sequence"))
            self.expect("(")
            self.expect(")")
            self.depth -= 1
            return SequenceTypeNode(None, span=self.span(start))
        item = self.item_type()
        occurrence = ""
        if self.text[self.pos] in "?*+":
            # An indicator binds to the type before it, not to what follows (A.1.2, occurrence-indicators).
            occurrence = self.text[self.pos]
            if self.text.startswith("**", self.pos) and self._is_infinite(in_operator):
                occurrence = "**"
            self.take(occurrence)
        self.depth -= 1
        return SequenceTypeNode(item, occurrence, span=self.span(start))

    def _is_infinite(self, in_operator: bool) -> bool:
        return not in_operator or self.text[self.after(self.pos + 2)] in _AFTER_INFINITE

    def _opens_after(self, word: str) -> bool:
        return self.text[self.after(self.pos + len(word))] == "("

    def single_type(self) -> SingleType:
        """SingleType [182]."""
        start = self.pos
        name = self.eqname("the name of an atomic type")
        return SingleType(name, self.take("?"), span=self.span(start))

    def item_type(self) -> ItemTypeNode:
        """ItemType [186]."""
        start = self.pos
        char = self.text[start]
        if char == "(":
            self.take("(")
            self.descend(start)
            item = self.item_type()
            self.depth -= 1
            self.close(")", start)
            return item
        if char == "%":
            annotations = self.annotations()
            self.expect_word("function")
            return self._function_type(annotations, start)
        found = NAME(self.text, start)
        if found is None:
            raise self.expected("a type")
        if found.group() in _ITEM_TYPES and self.text[self.after(found.end())] == "(":
            self.jump(found.end())
            return _ITEM_TYPES[found.group()](self, start)
        return AtomicType(self.eqname(), span=self.span(start))

    def kind_test(self) -> ItemTypeNode:
        """KindTest [188], where the caller has seen its keyword and the bracket."""
        start = self.pos
        word = self.word()
        self.jump(start + len(word))
        return KIND_TESTS[word](self, start)

    # --- annotations

    def annotations(self) -> tuple[Annotation, ...]:
        """Annotation* [27]."""
        found = []
        while self.text[self.pos] == "%":
            start = self.pos
            self.take("%")
            name = self.eqname("the name of an annotation")
            values: list[object] = []
            if self.text[self.pos] == "(":
                opener = self.pos
                self.take("(")
                values.append(self.literal_value())
                while self.take(","):
                    values.append(self.literal_value())
                self.close(")", opener)
            found.append(Annotation(name, tuple(values), span=self.span(start)))
        return tuple(found)

    # --- one per keyword; the cursor stands behind it

    def _item(self, start: int) -> ItemTypeNode:
        self._nothing_inside()
        return AnyItemType(span=self.span(start))

    def _nothing_inside(self) -> None:
        opener = self.pos
        self.expect("(")
        self.close(")", opener)

    def _node(self, start: int) -> ItemTypeNode:
        self._nothing_inside()
        return AnyKindTest(span=self.span(start))

    def _text(self, start: int) -> ItemTypeNode:
        self._nothing_inside()
        return TextTest(span=self.span(start))

    def _comment(self, start: int) -> ItemTypeNode:
        self._nothing_inside()
        return CommentTest(span=self.span(start))

    def _namespace_node(self, start: int) -> ItemTypeNode:
        self._nothing_inside()
        return NamespaceNodeTest(span=self.span(start))

    def _pi(self, start: int) -> ItemTypeNode:
        opener = self.pos
        self.expect("(")
        target = None
        if self.at_string():
            target = collapse(self.string())
        elif self.text[self.pos] != ")":
            target = self.ncname("a target (a name or a string)")
        self.close(")", opener)
        return PITest(target, span=self.span(start))

    def _name_or_star(self) -> Name | None:
        return None if self.take("*") else self.eqname("a name or `*`")

    def _element(self, start: int) -> ElementTest:
        opener = self.pos
        self.expect("(")
        name = type_name = None
        nillable = False
        if self.text[self.pos] != ")":
            name = self._name_or_star()
            if self.take(","):
                type_name = self.eqname("the name of a type")
                nillable = self.take("?")
        self.close(")", opener)
        return ElementTest(name, type_name, nillable, span=self.span(start))

    def _attribute(self, start: int) -> ItemTypeNode:
        opener = self.pos
        self.expect("(")
        name = type_name = None
        if self.text[self.pos] != ")":
            name = self._name_or_star()
            if self.take(","):
                type_name = self.eqname("the name of a type")
        self.close(")", opener)
        return AttributeTest(name, type_name, span=self.span(start))

    def _schema_element(self, start: int) -> SchemaElementTest:
        return SchemaElementTest(self._schema_name(), span=self.span(start))

    def _schema_attribute(self, start: int) -> ItemTypeNode:
        return SchemaAttributeTest(self._schema_name(), span=self.span(start))

    def _schema_name(self) -> Name:
        opener = self.pos
        self.expect("(")
        name = self.eqname()
        self.close(")", opener)
        return name

    def _document(self, start: int) -> ItemTypeNode:
        opener = self.pos
        self.expect("(")
        inner: ElementTest | SchemaElementTest | None = None
        at = self.pos
        if self.take_word("element"):
            inner = self._element(at)
        elif self.take_word("schema-element"):
            inner = self._schema_element(at)
        self.close(")", opener)
        return DocumentTest(inner, span=self.span(start))

    def _function(self, start: int) -> ItemTypeNode:
        return self._function_type((), start)

    def _function_type(self, annotations: tuple[Annotation, ...], start: int) -> ItemTypeNode:
        opener = self.pos
        self.expect("(")
        if self.take("*"):
            self.close(")", opener)
            return FunctionType(annotations, span=self.span(start))
        parameters = []
        if self.text[self.pos] != ")":
            parameters.append(self.sequence_type())
            while self.take(","):
                parameters.append(self.sequence_type())
        self.close(")", opener)
        self.expect_word("as")
        returns = self.sequence_type()
        return FunctionType(annotations, tuple(parameters), returns, span=self.span(start))

    def _map(self, start: int) -> ItemTypeNode:
        opener = self.pos
        self.expect("(")
        if self.take("*"):
            self.close(")", opener)
            return MapType(span=self.span(start))
        at = self.pos
        key = AtomicType(self.eqname("an atomic type or `*`"), span=self.span(at))
        self.expect(",")
        value = self.sequence_type()
        self.close(")", opener)
        return MapType(key, value, span=self.span(start))

    def _array(self, start: int) -> ItemTypeNode:
        opener = self.pos
        self.expect("(")
        member = None if self.take("*") else self.sequence_type()
        self.close(")", opener)
        return ArrayType(member, span=self.span(start))


_Production = Callable[[TypeGrammar, int], ItemTypeNode]

KIND_TESTS: dict[str, _Production] = {
    "node": TypeGrammar._node,
    "text": TypeGrammar._text,
    "comment": TypeGrammar._comment,
    "namespace-node": TypeGrammar._namespace_node,
    "processing-instruction": TypeGrammar._pi,
    "element": TypeGrammar._element,
    "attribute": TypeGrammar._attribute,
    "schema-element": TypeGrammar._schema_element,
    "schema-attribute": TypeGrammar._schema_attribute,
    "document-node": TypeGrammar._document,
}
_ITEM_TYPES: dict[str, _Production] = {
    **KIND_TESTS,
    "item": TypeGrammar._item,
    "function": TypeGrammar._function,
    "map": TypeGrammar._map,
    "array": TypeGrammar._array,
}
