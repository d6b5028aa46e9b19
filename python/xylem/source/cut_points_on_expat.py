"""Cut points found with expat: the reference for the kernel's tests, and its replacement without a kernel.

Whatever its encoding, the document is parsed as UTF-8, in which expat reports where tags begin; the original bytes of
the current tag are kept, so openings equal the original, byte for byte.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Sequence

from .byte_ranges import CutPoint, Scope
from .encodings import LONGEST_DECLARATION, declared_encoding, encoding_mark, text_codec
from .limits import Limits

_TAG = re.compile(rb"""<[^<>"']*(?:"[^"]*"|'[^']*'|[^<>"'])*>""")
_NAME = re.compile(rb"<([^\s/>]+)")
_MISCELLANEOUS = re.compile(rb"(?:\s+|<!--.*?-->|<\?(?!xml\s).*?\?>)*", re.DOTALL)
_DECLARATION = re.compile(rb"<\?xml\s.*?\?>", re.DOTALL)
_LINE_END = re.compile(rb"\r\n?|\n")
_MARKS = {"utf-8-sig": ("utf-8", 3), "utf-16": ("", 2), "utf-32": ("", 4)}
_STARTS = ((b"\0\0\0<", "utf-32-be"), (b"<\0\0\0", "utf-32-le"), (b"\0<\0", "utf-16-be"), (b"<\0", "utf-16-le"))
_SWITCHING = ("iso2022", "hz", "utf_7", "utf-7", "utf-16", "utf-32")
_EBCDIC = b"Lo\xa7\x94"
_SEPARATOR = "\x01"

Place = tuple[int, int]
"""The number of a scope, and how many of its steps have been taken."""


class CutFinder:
    """The state of looking for cut points; `cut_points.py` says what `feed` and `resume` do."""

    def __init__(self, scopes: Sequence[Scope], target_bytes: int, limits: Limits) -> None:
        self._scopes = scopes
        self._target = target_bytes
        self._due: float = target_bytes
        self._limits = limits
        self._document: _Document | None = None
        self._head = b""
        self._shift = 0
        """Difference between fed offsets and those in the document, after `resume`."""
        self._lines = 0
        self._cuts: list[CutPoint] = []
        self._is_over = not all(scopes)

    def feed(self, data: bytes, is_whole: bool = False) -> list[CutPoint]:
        self._cuts = []
        if self._is_over:
            return []
        if self._document is None:
            self._head += data
            coding = _coding(self._head, is_whole)
            if coding is None:
                return []
            data, self._head = self._head, b""
            codec, mark = coding
            if codec == "":
                self._is_over = True
                return []
            self._document = _Document(self, codec, data[:mark])
            data = data[mark:]
        self._is_over = not self._document.feed(data)
        return self._cuts

    def resume(self, cut: CutPoint) -> None:
        self._due = float("inf")
        self.feed(cut.opening, True)
        document = self._document
        assert document is not None or self._is_over
        if document is not None:
            document.catch_up()
            self._shift = cut.offset - document.source_length
            self._lines = cut.line - document.line
        self._due = (cut.offset // self._target + 1) * self._target

    def place(self) -> tuple[str, CutPoint]:
        document = self._document
        if document is None:
            return "over" if self._is_over else "nothing", CutPoint(0, 1, b"", b"")
        inside, offset, line = document.place()
        cut = CutPoint(offset + self._shift, line + self._lines, document.opening(), document.closing())
        return "over" if self._is_over else inside, cut

    def meets(self, offset: int, line: int, document: _Document) -> None:
        """An item begins at an offset of what was fed."""
        place = offset + self._shift
        if place >= self._due:
            self._due = (place // self._target + 1) * self._target
            self._cuts.append(CutPoint(place, line + self._lines, document.opening(), document.closing()))

    @property
    def scopes(self) -> Sequence[Scope]:
        return self._scopes

    @property
    def allows_doctype(self) -> bool:
        return self._limits.allow_dtd


class _Over(Exception):
    """No further cut can come."""


class _Document:
    """A document being parsed, with the text and the bytes that may still be needed."""

    def __init__(self, finder: CutFinder, codec: str, mark: bytes) -> None:
        from pyexpat import ParserCreate

        self._finder = finder
        self._mark = mark
        self._codec = codec
        self._decoder = None if codec == "utf-8" else codecs.getincrementaldecoder(codec)()
        self._text = b""
        self._base = 0
        """Index of the first byte of the text in all text."""
        self._source = b""
        self._source_base = len(mark)
        self.line = 1
        self._keep = 0
        self._prolog: bytes | None = None
        """Declaration and document type as written, once the root element begins."""
        self._doctype_end: int | None = None
        self._open: list[tuple[bytes, bytes]] = []
        self._followed: list[frozenset[Place]] = [frozenset((number, 0) for number in range(len(finder.scopes)))]
        self._passed = 0
        self._item: tuple[int, int] | None = None
        """Offset and line of the item being skipped."""
        parser = self._parser = ParserCreate("utf-8", _SEPARATOR)
        parser.ordered_attributes = True
        parser.StartElementHandler = self._start
        parser.EndElementHandler = self._end
        parser.EndDoctypeDeclHandler = self._end_doctype
        # This keeps expat from expanding entities in content, which is not cut.
        parser.DefaultHandler = self._other

    def feed(self, data: bytes) -> bool:
        """Parse; return whether there can be further cuts."""
        from pyexpat import ExpatError

        try:
            text = data if self._decoder is None else self._decoder.decode(data).encode()
        except UnicodeDecodeError:
            return False
        self._text += text
        self._source += data
        try:
            self._parser.Parse(text, False)
        except (_Over, ExpatError):
            return False
        if self._prolog is not None:
            self._drop(self._keep - self._base)
        return True

    def place(self) -> tuple[str, int, int]:
        """What the place is inside of, and the offset and line of the item, or of the end of the last tag."""
        if self._passed and self._item is not None:
            return "item", *self._item
        size = 0 if self._prolog is None else self._keep - self._base
        line = self.line + len(_LINE_END.findall(self._text[:size]))
        return "other" if self._passed else "nothing", self._source_base + self._source_size(self._text[:size]), line

    # --- text and bytes

    @property
    def source_length(self) -> int:
        """Number of bytes examined."""
        return self._source_base + self._source_size(self._text)

    def catch_up(self) -> None:
        """Everything fed is complete markup."""
        self._drop(len(self._text))
        self._keep = self._base

    def _source_size(self, text: bytes) -> int:
        return len(text) if self._codec == "utf-8" else len(text.decode().encode(self._codec))

    def _drop(self, size: int) -> None:
        dropped, self._text = self._text[:size], self._text[size:]
        self.line += len(_LINE_END.findall(dropped))
        if dropped.endswith(b"\r") and self._text.startswith(b"\n"):
            self.line -= 1
        self._base += size
        source = self._source_size(dropped)
        self._source = self._source[source:]
        self._source_base += source

    def _source_of(self, start: int, end: int) -> bytes:
        first = self._source_size(self._text[:start])
        return self._source[first : first + self._source_size(self._text[start:end])]

    # --- events

    def _other(self, data: str) -> None:
        """Installed only so that expat does not expand entities."""

    def _end_doctype(self) -> None:
        if not self._finder.allows_doctype:
            raise _Over
        self._doctype_end = self._parser.CurrentByteIndex + 1

    def _start(self, name: str, attributes: list[str]) -> None:
        index = self._parser.CurrentByteIndex
        if self._passed:
            self._passed += 1
            self._keep = index
            return
        start = index - self._base
        if self._prolog is None:
            self._prolog = self._read_prolog()
        uri, _, local = name.rpartition(_SEPARATOR)
        is_item, followed = self._step(uri, local)
        if is_item and self._open:
            self._drop(start)
            start = 0
            self._item = self._source_base, self.line
            self._finder.meets(self._source_base, self.line, self)
        tag = _TAG.match(self._text, start)
        assert tag is not None, "expat tells of tags that are complete"
        self._keep = self._base + tag.end()
        if followed and not is_item:
            written = _NAME.match(self._text, start)
            assert written is not None
            closing = b"</" + written[1] + b">"
            if self._codec != "utf-8":
                closing = closing.decode().encode(self._codec)
            self._open.append((self._source_of(start, tag.end()), closing))
            self._followed.append(followed)
        elif not self._open:
            raise _Over
        else:
            self._passed = 1
            if not is_item:
                self._item = None

    def _end(self, name: str) -> None:
        # The end of an empty element is reported at its only tag.
        index = self._parser.CurrentByteIndex
        tag = _TAG.match(self._text, index - self._base) if index >= self._base else None
        self._keep = max(self._keep, self._base + tag.end() if tag is not None else index)
        if self._passed:
            self._passed -= 1
            return
        self._open.pop()
        self._followed.pop()
        if not self._open:
            raise _Over

    def _step(self, uri: str, local: str) -> tuple[bool, frozenset[Place]]:
        """Whether a scope leads to the element, and the steps that may be taken below it."""
        scopes = self._finder.scopes
        is_item = False
        followed: set[Place] = set()
        for scope, taken in self._followed[-1]:
            axis, wanted_uri, wanted_local = scopes[scope][taken]
            if axis == "descendant":
                followed.add((scope, taken))
            if wanted_uri in (None, uri) and wanted_local in (None, local):
                if taken + 1 == len(scopes[scope]):
                    is_item = True
                else:
                    followed.add((scope, taken + 1))
        return is_item, frozenset(followed)

    # --- what a cut is made of

    def _read_prolog(self) -> bytes:
        text = self._text
        found = b""
        declaration = _DECLARATION.match(text)
        place = 0
        if declaration is not None:
            found = self._source_of(0, declaration.end())
            place = declaration.end()
        if self._doctype_end is not None:
            miscellaneous = _MISCELLANEOUS.match(text, place)
            assert miscellaneous is not None
            found += self._source_of(miscellaneous.end(), self._doctype_end)
        return found

    def opening(self) -> bytes:
        return self._mark + (self._prolog or b"") + b"".join(tag for tag, _ in self._open)

    def closing(self) -> bytes:
        return b"".join(closing for _, closing in reversed(self._open))


def _coding(head: bytes, is_whole: bool) -> tuple[str, int] | None:
    """The codec (empty if the document is not cut), and the length of the byte order mark; None until known."""
    if len(head) < 4 and not is_whole:
        return None
    mark = encoding_mark(head)
    if mark is not None:
        codec, size = _MARKS[mark]
        return codec or f"{mark}-{'le' if head[0] == 0xFF else 'be'}", size
    for pattern, name in _STARTS:
        if head.startswith(pattern):
            return name, 0
    if head.startswith(_EBCDIC):
        return "", 0
    if not is_whole and b"<?xml".startswith(head[:5]) and b"?>" not in head and len(head) < LONGEST_DECLARATION:
        return None
    declared = declared_encoding(head)
    known = "utf-8" if declared is None else text_codec(declared)
    if known is None or known.startswith(_SWITCHING):
        return "", 0
    return known, 0
