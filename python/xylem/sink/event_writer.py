"""Writes a result while it is computed: opens and closes elements, copies items, and keeps only the open tags.

    writer = EventWriter(parameters, sys.stdout.write)
    writer.start_element(QName("", "result"))
    writer.attribute(QName("", "n"), "1")
    writer.item(node)                                # copied; atomic values are separated by spaces
    writer.end_element()
    writer.finish()

The output is that of `serialize` for the tree a `TreeBuilder` would have built by the same calls, character by
character. A builder decides about names and namespaces: it holds only the open elements, and written rows are removed
from it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from xylem.errors import DynamicError, EngineBug
from xylem.values.atomic import TYPE_OF_CLASS
from xylem.values.builder import TreeBuilder
from xylem.values.description import describe_item
from xylem.values.node import ATTRIBUTE, COMMENT, DOCUMENT, ELEMENT, NAMESPACE, TEXT, Node
from xylem.values.qname import QName
from xylem.values.string_of import string_of
from xylem.values.tree_copy import append_subtree

from .character_expansion import CharacterExpansion
from .document_prolog import check_xml, needs_document, xml_declaration
from .markup_writer import MarkupWriter
from .namespace_scope import Declarations, Scope
from .output_buffer import CHUNK_PIECES, OutputBuffer
from .plain_xml import PlainXml, instruction
from .sequence_normalization import flattened
from .serialization_parameters import SerializationParameters
from .xml_output import is_plain

_NONE: Mapping[str, str] = {}


def can_write_events(parameters: SerializationParameters) -> bool:
    """Whether output may be written before the end is known: plain XML, with nothing to check first.

    Normalisation joins characters across pieces of output, so it is not for events either.
    """
    return (
        parameters.method == "xml"
        and is_plain(parameters)
        and not needs_document(parameters)
        and parameters.normalization_form == "none"
    )


def takes_markup(parameters: SerializationParameters, copy_preserve: bool = True, copy_inherit: bool = True) -> bool:
    """Whether results can be taken as text: characters are only escaped, and copies are unchanged."""
    if not (can_write_events(parameters) and copy_preserve and copy_inherit):
        return False
    return parameters.item_separator is None and not CharacterExpansion(parameters).is_needed


class EventWriter:
    """Writes one result. Errors leave the writer unusable; earlier output stays."""

    def __init__(
        self,
        parameters: SerializationParameters,
        write: Callable[[str], object],
        *,
        copy_preserve: bool = True,
        copy_inherit: bool = True,
    ) -> None:
        """`copy_preserve` and `copy_inherit` are the copy-namespaces modes of the query."""
        if not can_write_events(parameters):
            raise EngineBug("XYBUG0001", "these serialisation parameters need the whole result")
        check_xml(parameters)
        self._buffer = buffer = OutputBuffer(write)
        markup = MarkupWriter(parameters, buffer)
        self._append = buffer.parts.append
        self._expand_text = markup.text_expand
        self._expand_attribute = markup.attribute_expand
        self._verbatim = markup.verbatim
        self._plain = PlainXml(buffer, markup.text_expand, markup.attribute_expand, markup.verbatim)
        self._declarations = Declarations(markup.attribute_expand)
        self._separator = parameters.item_separator
        self._builder = TreeBuilder(copy_preserve=copy_preserve, copy_inherit=copy_inherit)
        self._end_tags: list[tuple[str, Scope]] = []
        """For elements whose start tag has been written: the end tag, and the declarations around it."""
        self._scope: Scope = {}
        """The namespaces declared at the current place of the output."""
        self._has_open_tag = False
        """Whether the start tag of the innermost element can still get attributes."""
        self._after_atomic = False
        self._is_first = True
        self.takes_markup = takes_markup(parameters, copy_preserve, copy_inherit)
        """Whether `markup` can be called."""
        self._append(xml_declaration(parameters))

    # --- elements

    def start_element(
        self,
        name: QName,
        declared: Mapping[str, str] = _NONE,
        around: Mapping[str, str] = _NONE,
        literal: bool = False,
    ) -> None:
        """Open an element; the arguments are those of `TreeBuilder.start_element`."""
        if self._is_inside:
            self._close_tag()
        else:
            self._next_item()
        self._after_atomic = False
        self._builder.start_element(name, declared, around, literal)
        self._has_open_tag = True

    def attribute(self, name: QName, value: str) -> None:
        """Add an attribute to the element just opened."""
        self._expect_open_tag("an attribute", name)
        self._builder.attribute(name, value)

    def namespace(self, prefix: str, uri: str) -> None:
        """Add a namespace node to the element just opened."""
        self._expect_open_tag("a namespace node", prefix)
        self._builder.namespace(prefix, uri)

    def end_element(self) -> None:
        builder = self._builder
        row = builder.current
        if self._has_open_tag:
            self._write_tag("/>")
            self._has_open_tag = False
        else:
            end_tag, self._scope = self._end_tags.pop()
            self._append(end_tag)
        builder.end_element()
        self._forget(row)
        self._after_atomic = False
        self._flush_if_full()

    # --- other content

    def text(self, value: str) -> None:
        """Add characters. They separate atomic values, even if they are empty."""
        self._after_atomic = False
        if value:
            self._begin_content()
            self._append(self._expand_text(value))
            self._flush_if_full()

    def items(self, sequence: Iterable[Any]) -> None:
        """Add the value of one enclosed expression."""
        self._after_atomic = self._after_atomic and not self._is_inside
        for item in sequence:
            self.item(item)
        self._after_atomic = self._after_atomic and not self._is_inside

    def item(self, item: Any) -> None:
        """Add an item; it belongs to the same enclosed expression as the one before, unless `text` came between."""
        if type(item) is Node:
            self._after_atomic = False
            if self._is_inside:
                self._copy(item)
            else:
                self._outermost(item)
        elif type(item) in TYPE_OF_CLASS:
            self._atomic(item)
        else:
            self._other(item)
        self._flush_if_full()

    def markup(
        self, text: str, items: int = 1, begins_with_atomic: bool = False, ends_with_atomic: bool = False
    ) -> None:
        """Add items that are XML already, like results of templates (`plan/result_template.py`).

        They declare everything not declared around them.
        """
        if not self.takes_markup:
            raise EngineBug("XYBUG0001", "text of a template where it does not fit")
        if begins_with_atomic and self._after_atomic:
            text = " " + text
        self._after_atomic = ends_with_atomic
        if text or not self._is_inside:
            self._begin_content()
            self._append(text)
        self._flush_if_full()

    def markup_at_once(self, text: str) -> None:
        """Like `markup`, and passed on."""
        if self._has_open_tag or self._is_first or self._buffer.parts:
            self.markup(text)
            self.flush()
            return
        if not self.takes_markup:
            raise EngineBug("XYBUG0001", "text of a template where it does not fit")
        self._after_atomic = False
        self._buffer.write(text)

    def finish(self) -> None:
        """The end of the result."""
        assert not self._is_inside, "an element is still open"
        self.flush()

    def flush(self) -> None:
        """Pass on the output so far; only an open start tag waits."""
        self._buffer.flush()

    # --- results partly written by others

    @property
    def declares_nothing(self) -> bool:
        """Whether no namespace is declared at the place of the next item."""
        return not self._scope and not self._builder.scope

    @property
    def declared(self) -> Mapping[str, str]:
        """The namespaces in scope at the place of the next item."""
        return self._builder.scope

    def begin_content(self) -> None:
        """Write the start tag of the innermost element, whose attributes are complete."""
        self._close_tag()

    @property
    def place(self) -> tuple[bool, bool, bool]:
        """The state for the next item, besides the open elements: whether the innermost start tag is still open, an
        atomic value precedes it, it is the first.
        """
        return self._has_open_tag, self._after_atomic, self._is_first

    def go_on(self, place: tuple[bool, bool, bool]) -> None:
        """Continue from a place of another writer, with the same elements open."""
        has_open_tag, self._after_atomic, self._is_first = place
        if not has_open_tag:
            self._close_tag()

    def set_apart(self) -> None:
        """Separate the next content from a preceding atomic value."""
        self._after_atomic = False

    @property
    def is_after_atomic(self) -> bool:
        """Whether the last output is an atomic value, to which another one would be adjacent."""
        return self._after_atomic

    # --- items

    def _atomic(self, value: Any) -> None:
        characters = string_of(value)
        if not self._is_inside:
            if self._after_atomic and self._separator is None:
                self._append(" ")
            self._next_item()
            if characters:
                self._append(self._expand_text(characters))
        else:
            if self._after_atomic:
                characters = " " + characters
            if characters:
                self._close_tag()
                self._append(self._expand_text(characters))
        self._after_atomic = True

    def _other(self, item: Any) -> None:
        for member in flattened((item,)):
            if member is not item:
                self.item(member)
            elif self._is_inside:
                raise DynamicError("XQTY0105", f"{item!r} cannot become content of a node")
            else:
                raise DynamicError("SENR0001", describe_item(item))

    def _outermost(self, node: Node) -> None:
        """An item outside all elements, after sequence normalization (Serialization 3.1 §2)."""
        kind = node.kind
        if kind in (ATTRIBUTE, NAMESPACE):
            raise DynamicError("SENR0001", f"{describe_item(node)} stands outside an element")
        self._next_item()
        tree, row = node.tree, node.pre
        if row or not self._plain.write_deferred(tree):
            self._plain.write(tree, row + 1 if kind == DOCUMENT else row, tree.ends[row])

    def _copy(self, node: Node) -> None:
        """A node inside an element (XQuery 3.1 §3.9.1.3)."""
        tree, row = node.tree, node.pre
        kind = node.kind
        value = tree.values[row] or ""
        if kind == ELEMENT:
            self._close_tag()
            self._copy_element(node)
        elif kind == TEXT:
            self.text(value)
        elif kind == DOCUMENT:
            for child in tree.children(row):
                self._copy(Node(tree, child))
        elif kind == ATTRIBUTE:
            assert node.name is not None
            self.attribute(node.name, value)
        elif kind == NAMESPACE:
            self.namespace(str(node.name), value)
        else:
            self._close_tag()
            content = self._verbatim(value)
            self._append(f"<!--{content}-->" if kind == COMMENT else instruction(node.name, content))

    def _copy_element(self, node: Node) -> None:
        builder, tree, row = self._builder, node.tree, node.pre
        if not builder.scope and not tree.has_declarations and builder.copy_inherit:
            # No namespaces anywhere: the copy would have the same rows.
            self._plain.write(tree, row, tree.ends[row], self._scope)
            return
        if builder.copy_preserve and builder.copy_inherit and self._plain.write_copy(tree, row, self._scope):
            return
        target = builder.tree
        first = len(target.codes)
        append_subtree(target, builder.current, builder.scope, node, builder.copy_preserve, builder.copy_inherit)
        self._plain.write(target, first, len(target.codes), self._scope)
        self._forget(first)

    # --- the open tag

    @property
    def _is_inside(self) -> bool:
        return self._builder.current >= 0

    def _begin_content(self) -> None:
        if self._is_inside:
            self._close_tag()
        else:
            self._next_item()

    def _next_item(self) -> None:
        """Outside all elements: write the item separator before all items but the first."""
        if self._separator is not None and not self._is_first:
            self._append(self._expand_text(self._separator))
        self._is_first = False

    def _close_tag(self) -> None:
        """Write the start tag of the innermost element if it is pending: there is content."""
        if self._has_open_tag:
            self._write_tag(">")
            self._has_open_tag = False

    def _write_tag(self, end: str) -> None:
        tree, row = self._builder.tree, self._builder.current
        append = self._append
        name = self._verbatim(str(tree.name(row)))
        append("<" + name)
        inner = self._declarations.write(tree, row, self._scope, not self._end_tags, append)
        for attribute in range(row + 1, len(tree.codes)):
            key = self._verbatim(str(tree.name(attribute)))
            append(f' {key}="{self._expand_attribute(tree.values[attribute] or "")}"')
        append(end)
        if end == ">":
            self._end_tags.append((f"</{name}>", self._scope))
            self._scope = inner
            self._forget(row + 1)

    def _expect_open_tag(self, what: str, name: object) -> None:
        builder = self._builder
        if not self._is_inside:
            raise DynamicError("SENR0001", f"{what} ({name}) stands outside an element")
        if not self._has_open_tag:
            element = builder.tree.name(builder.current)
            raise DynamicError("XQTY0024", f"{what} ({name}) after other content of <{element}>")

    def _forget(self, first: int) -> None:
        """Remove the rows from one on: they have been written."""
        tree = self._builder.tree
        for column in (tree.codes, tree.ends, tree.parents, tree.values):
            del column[first:]
        for named in (tree.declared, tree.prefixed):
            for row in [row for row in named if row >= first]:
                del named[row]
        for row in [row for row in tree.isolated if row >= first]:
            tree.isolated.discard(row)

    def _flush_if_full(self) -> None:
        if len(self._buffer.parts) > CHUNK_PIECES:
            self._buffer.flush()
