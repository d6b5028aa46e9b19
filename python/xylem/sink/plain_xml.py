"""A subtree as XML without indentation and CDATA sections: the path of most results.

One loop over the rows of the tree, without recursion and without an object per node. Trees in the kernel are written
there (`kernel/src/tree/text.rs`) if only the usual escapes are needed; the output is the same, character by character.
Namespace declarations must agree with those of `markup_writer.py`, which writes everything else; both use
`namespace_scope.py`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from xylem.values.deferred_tree import DeferredTree
from xylem.values.name_pool import KIND_BITS, KIND_MASK
from xylem.values.node import ATTRIBUTE, COMMENT, ELEMENT, TEXT
from xylem.values.qname import QName
from xylem.values.shaped_tree import ShapedTree
from xylem.values.tree_interface import TreeInterface

from .character_expansion import Expand, escape_attribute, escape_text, unchanged
from .deferred_xml import noted_text
from .namespace_scope import Declarations, Scope
from .output_buffer import CHUNK_PIECES, OutputBuffer
from .shaped_xml import shaped_text

if TYPE_CHECKING:
    from xylem.values.native_rows import NativeRows

_NOTHING: Scope = {}


class PlainXml:
    """Writes subtrees; keeps the tags of the names seen."""

    __slots__ = ("_attribute", "_buffer", "_declarations", "_is_unchanged", "_name", "_names", "_qnames", "_text")

    def __init__(self, buffer: OutputBuffer, text: Expand, attribute: Expand, name: Expand) -> None:
        """`name` checks text that is written without references: names, comments, processing instructions."""
        self._buffer = buffer
        self._text = text
        self._attribute = attribute
        self._declarations = Declarations(attribute)
        self._name = name
        self._names: dict[int, str] = {}
        """Names as written, by code. Items come from one document after another: those of one document are enough."""
        self._qnames: object = None
        self._is_unchanged = text is escape_text and attribute is escape_attribute and name is unchanged
        """Whether characters are written as in the kernel: no character map, no other encoding."""

    def write(self, tree: TreeInterface, start: int, end: int, around: Scope | None = None) -> None:
        """Write the rows from `start` to before `end`: one subtree, or the children of a document.

        `around` has the declarations of the surrounding output elements; None outside all.
        """
        if tree.native is not None and self._is_unchanged:
            self._write_natively(tree.native, start, end, around)
            return
        if type(tree) is ShapedTree and self._is_unchanged and not start:
            self._buffer.parts.append(shaped_text(tree.shape, tree.values))
            return
        codes, ends, values = tree.codes, tree.ends, tree.values
        prefixed, declared, isolated, qnames = tree.prefixed, tree.declared, tree.isolated, tree.qnames
        text, attribute, name_text = self._text, self._attribute, self._name
        declarations = self._declarations
        parts, flush = self._buffer.parts, self._buffer.flush
        append = parts.append
        if qnames is not self._qnames:
            self._names, self._qnames = {}, qnames
        names = self._names
        scope: Scope = around or _NOTHING
        is_outside = around is None
        stack: list[tuple[int, str, Scope]] = []
        close_at, end_tag, outer = -1, "", scope
        row = start
        while True:
            while row == close_at:
                append(end_tag)
                scope = outer
                close_at, end_tag, outer = stack.pop()
            if row >= end:
                return
            code = codes[row]
            if code == TEXT:
                append(text(values[row]))  # type: ignore[arg-type]  # a text row has a value
                row += 1
                continue
            kind = code & KIND_MASK
            if kind == ELEMENT:
                name = names.get(code) if row not in prefixed else None
                if name is None:
                    name = self._known(names, code, row, prefixed, qnames)
                append("<" + name)
                inner = scope
                is_outermost = is_outside and not stack
                if is_outermost or row in declared or row in isolated:
                    inner = declarations.write(tree, row, scope, is_outermost, append)
                stop = ends[row]
                element, row = row, row + 1
                while row < stop:
                    code = codes[row]
                    if code & KIND_MASK != ATTRIBUTE:
                        break
                    key = names.get(code) if row not in prefixed else None
                    if key is None:
                        key = self._known(names, code, row, prefixed, qnames)
                    append(f' {key}="{attribute(values[row])}"')  # type: ignore[arg-type]
                    row += 1
                if row == stop:
                    append("/>")
                else:
                    append(">")
                    stack.append((close_at, end_tag, outer))
                    close_at, end_tag, outer = ends[element], f"</{name}>", scope
                    scope = inner
                if len(parts) > CHUNK_PIECES:
                    flush()
                continue
            if kind == COMMENT:
                append(f"<!--{name_text(values[row] or '')}-->")
            else:
                append(instruction(qnames[code >> KIND_BITS], name_text(values[row] or "")))
            row += 1

    def write_copy(self, tree: TreeInterface, row: int, scope: Scope) -> bool:
        """Write an element as its copy, given the declared `scope`; False if it must really be copied."""
        if tree.native is None or not self._is_unchanged or scope.get(""):
            return False
        self._write_natively(tree.native, row, tree.end(row), scope, is_copied=True)
        return True

    def write_deferred(self, tree: TreeInterface) -> bool:
        """Write a tree whose content is still to be copied, if it is one and copying is unnecessary."""
        if type(tree) is not DeferredTree or not self._is_unchanged:
            return False
        for piece in noted_text(tree):
            if isinstance(piece, str):
                self._buffer.parts.append(piece)
            elif not self.write_copy(piece.tree, piece.pre, _NOTHING):
                # Without declarations around it, a copy declares the same as an element outside all others.
                self.write(piece.tree, piece.pre, piece.tree.end(piece.pre))
        return True

    def _write_natively(
        self, native: NativeRows, start: int, end: int, around: Scope | None, *, is_copied: bool = False
    ) -> None:
        buffer = self._buffer
        for piece in native.text(start, end, None if around is None else list(around.items()), is_copied):
            buffer.parts.append(piece)
            if len(piece) > CHUNK_PIECES:
                buffer.flush()

    def _known(
        self,
        names: dict[int, str],
        code: int,
        row: int,
        prefixed: Mapping[int, QName],
        qnames: list[QName | None] | dict[int, QName | None],
    ) -> str:
        """A name as written; cached by code unless this row has its own prefix."""
        own = prefixed.get(row)
        if own is not None:
            return self._name(str(own))
        names[code] = name = self._name(str(qnames[code >> KIND_BITS]))
        return name


def instruction(target: QName | None, content: str) -> str:
    """A processing instruction of XML."""
    assert target is not None
    return f"<?{target.local} {content}?>" if content else f"<?{target.local}?>"
