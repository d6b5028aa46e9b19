"""Subtrees as markup, with all parameters: indentation, CDATA sections, undeclared prefixes.

This writer writes XML; XHTML and HTML override names, attributes, empty elements and text. A list has a frame for each
open element, so depth needs no recursion.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import groupby

from xylem.values.name_pool import KIND_MASK
from xylem.values.node import COMMENT, ELEMENT, TEXT
from xylem.values.qname import QName
from xylem.values.tree_interface import XML_NAMESPACE, TreeInterface

from .character_expansion import CharacterExpansion, Expand, escape_attribute, escape_text
from .namespace_scope import Scope, changes
from .output_buffer import CHUNK_PIECES, OutputBuffer
from .plain_xml import instruction
from .serialization_parameters import SerializationParameters


@dataclass(slots=True)
class Frame:
    """An open element, or the place outside all elements (depth 0)."""

    stop: int
    name: QName
    end_tag: str
    scope: Scope
    text: Expand
    depth: int
    is_kept: bool
    """Whether no white space may be added here or below: xml:space, suppress-indentation, mixed content of HTML."""
    indents: bool
    """Whether children are on separate lines."""


_NOWHERE = QName("", "")


class MarkupWriter:
    """Writes nodes and text of a normalized sequence as XML."""

    def __init__(self, parameters: SerializationParameters, buffer: OutputBuffer) -> None:
        self.parameters = parameters
        self.buffer = buffer
        self.append = buffer.parts.append
        self.expansion = CharacterExpansion(parameters)
        self.text_expand = self.expansion.through(self.text_escape())
        self.attribute_expand = self.expansion.through(self.attribute_escape())
        self.verbatim = self.expansion.verbatim_without_map("a name, comment or processing instruction")
        self.undeclares = parameters.undeclare_prefixes
        self._has_written = False
        self._after_text = False

    def text_escape(self) -> Expand:
        """The function that escapes text; the plain one can be recognised and left to the kernel."""
        return escape_text

    def attribute_escape(self) -> Expand:
        return escape_attribute

    # --- the outside of elements

    def text(self, value: str) -> None:
        """Text outside elements."""
        if value:
            self.append(self.text_expand(value))
            self._has_written = self._after_text = True

    def rows(self, tree: TreeInterface, start: int, end: int) -> None:
        """Write the rows from `start` to before `end`: one subtree, or the children of a document."""
        codes, ends, values = tree.codes, tree.ends, tree.values
        parts, flush = self.buffer.parts, self.buffer.flush
        frame = Frame(end, _NOWHERE, "", {}, self.text_expand, 0, False, self.parameters.indent)
        stack: list[Frame] = []
        row = start
        while True:
            while row == frame.stop:
                if not stack:
                    return
                self.end_element(frame)
                frame = stack.pop()
            kind = codes[row] & KIND_MASK
            if kind == ELEMENT:
                if self.is_left_out(tree, row, frame):
                    row = ends[row]
                    continue
                inner, first = self.start_element(tree, row, frame)
                if inner is not None:
                    stack.append(frame)
                    frame = inner
                row = first
                if len(parts) > CHUNK_PIECES:
                    flush()
                continue
            if kind == TEXT:
                self.append(frame.text(values[row] or ""))
                self._has_written = self._after_text = True
            else:
                self.break_line(frame)
                content = self.verbatim(values[row] or "")
                self.append(f"<!--{content}-->" if kind == COMMENT else self.instruction(tree.name(row), content))
            row += 1

    # --- elements

    def start_element(self, tree: TreeInterface, row: int, outer: Frame) -> tuple[Frame | None, int]:
        """Write a start tag; return the frame of the content (None if there is none) and its first row."""
        name = self.element_name(tree, row)
        stop = tree.ends[row]
        attributes = tree.attributes(row)
        first = attributes.stop
        if outer.depth == 0:
            self.before_outermost(name)
        self.break_line(outer)
        written = self.verbatim(str(name))
        self.append("<" + written)
        scope = self.declare(tree, row, name, attributes, outer)
        for attribute in attributes:
            key = tree.name(attribute)
            assert key is not None
            self.append(self.attribute(name, key, tree.values[attribute] or "", outer))
        inserted = self.inserted_content(name)
        if first == stop and not inserted:
            self.append(self.empty_end(name, written))
            self._has_written = True
            return None, first
        self.append(">")
        is_kept = self.keeps_space(tree, name, attributes, outer)
        indents = not is_kept and self.parameters.indent and self.has_only_elements(tree, first, stop)
        text, end_tag = self.text_of(name, outer), self.end_tag(name, written)
        frame = Frame(stop, name, end_tag, scope, text, outer.depth + 1, is_kept, indents)
        if inserted:
            self.break_line(frame)
            self.append(inserted)
        self._has_written, self._after_text = True, False
        if first == stop:
            self.end_element(frame)
            return None, first
        return frame, first

    def end_element(self, frame: Frame) -> None:
        if frame.indents:
            self.append("\n" + "  " * (frame.depth - 1))
        self.append(frame.end_tag)
        self._after_text = False

    def declare(self, tree: TreeInterface, row: int, name: QName, attributes: range, outer: Frame) -> Scope:
        """Write the namespace declarations of an element; return the scope of its content."""
        added = self.declarations(tree, row, name, attributes, outer)
        for prefix, uri in added.items():
            self.append(f' xmlns{":" if prefix else ""}{self.verbatim(prefix)}="{self.attribute_expand(uri)}"')
        return {**outer.scope, **added} if added else outer.scope

    def break_line(self, frame: Frame) -> None:
        """Begin a line for a child, if the frame wants that."""
        if frame.depth == 0:
            # Outside elements, line breaks only separate two pieces of markup.
            if frame.indents and self._has_written and not self._after_text:
                self.append("\n")
            self._has_written, self._after_text = True, False
        elif frame.indents:
            self.append("\n" + "  " * frame.depth)

    # --- differences between the methods

    def before_outermost(self, name: QName) -> None:
        """Called before each outermost element."""

    def element_name(self, tree: TreeInterface, row: int) -> QName:
        name = tree.name(row)
        assert name is not None
        return name

    def declarations(self, tree: TreeInterface, row: int, name: QName, attributes: range, outer: Frame) -> Scope:
        return changes(tree, row, outer.scope, outer.depth == 0, self.undeclares)

    def attribute(self, element: QName, name: QName, value: str, outer: Frame) -> str:
        return f' {self.verbatim(str(name))}="{self.attribute_expand(value)}"'

    def empty_end(self, name: QName, written: str) -> str:
        return "/>"

    def end_tag(self, name: QName, written: str) -> str:
        return f"</{written}>"

    def text_of(self, name: QName, outer: Frame) -> Expand:
        """The form of text directly inside an element."""
        return self.cdata if self.is_cdata(name) else self.text_expand

    def is_cdata(self, name: QName) -> bool:
        return (name.uri, name.local) in self.parameters.cdata_section_elements

    def instruction(self, target: QName | None, content: str) -> str:
        return instruction(target, content)

    def inserted_content(self, name: QName) -> str:
        """Markup to write at the beginning of an element's content."""
        return ""

    def is_left_out(self, tree: TreeInterface, row: int, parent: Frame) -> bool:
        """Whether an element is omitted."""
        return False

    # --- white space

    def keeps_space(self, tree: TreeInterface, name: QName, attributes: range, outer: Frame) -> bool:
        """Whether nothing may be added in an element's content (§5.1.3)."""
        if not self.parameters.indent:
            return True
        for attribute in attributes:
            key = tree.name(attribute)
            if key is not None and key.local == "space" and key.uri == XML_NAMESPACE:
                value = tree.values[attribute]
                if value == "preserve":
                    return True
                if value == "default" and not self.is_suppressed(name):
                    return False
        return outer.is_kept or self.is_suppressed(name)

    def is_suppressed(self, name: QName) -> bool:
        return (name.uri, name.local) in self.parameters.suppress_indentation

    def has_only_elements(self, tree: TreeInterface, first: int, stop: int) -> bool:
        """True for content with elements and no text at all: existing white space is left unchanged."""
        codes, ends = tree.codes, tree.ends
        has_element = False
        row = first
        while row < stop:
            kind = codes[row] & KIND_MASK
            if kind == TEXT:
                return False
            has_element = has_element or kind == ELEMENT
            row = ends[row]
        return has_element

    # --- CDATA sections

    def cdata(self, text: str) -> str:
        """Text as CDATA sections, interrupted for characters that cannot be in one (§5.1.4)."""
        if self.expansion.normalize is not None:
            text = self.expansion.normalize(text)
        encoding = self.expansion.encoding
        if "\r" not in text and encoding.holds(text):
            return _section(text)
        # A carriage return in a CDATA section would be read back as a line feed.
        pieces = groupby(text, lambda character: character == "\r" or not encoding.holds(character))
        return "".join(_references(run) if is_special else _section("".join(run)) for is_special, run in pieces)


def _section(text: str) -> str:
    return "<![CDATA[" + text.replace("]]>", "]]]]><![CDATA[>") + "]]>" if text else ""


def _references(characters: Iterable[str]) -> str:
    return "".join(f"&#x{ord(character):X};" for character in characters)
