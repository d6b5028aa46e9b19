"""Finds the borders of documents without the kernel; `document_stream.py` defines them. Regular expressions find
markup, one piece at a time, from the start of the incomplete piece.
"""

from __future__ import annotations

import re

MARK = b"]]>]]>"
_SPACE = b" \t\r\n"
_MARKUP = re.compile(
    rb"""(?s)<!--.*?-->|<!\[CDATA\[.*?\]\]>|<\?.*?\?>|</[^>]*>|<(?![!?/])[^"'>]*(?:"[^"]*"[^"'>]*|'[^']*'[^"'>]*)*>"""
)
_SUBSET = re.compile(rb"""(?s)(?:<!--.*?-->|<\?.*?\?>|<!(?!--)[^"'>]*(?:"[^"]*"[^"'>]*|'[^']*'[^"'>]*)*>|[^<\]])*\]""")
_HEAD = re.compile(rb"""(?s)<![^"'>\[]*(?:"[^"]*"[^"'>\[]*|'[^']*'[^"'>\[]*)*([>\[])""")
_TAIL = re.compile(rb"[^>]*>")
_LINE_END = re.compile(rb"\r\n?|\n")
_DECLARATION = re.compile(rb"<\?xml\s")
_WIDE = (b"\xff\xfe", b"\xfe\xff", b"\0", b"<\0")
_UTF8_MARK = b"\xef\xbb\xbf"

Found = tuple[int, int, bytes, bool]


class DocumentSplitter:
    """The state between two pieces: the incomplete document."""

    def __init__(self, by_mark: bool) -> None:
        self._by_mark = by_mark
        self._data = b""
        self._offset = 0
        self._line = 1
        self._place = 0
        self._has_begun = False
        self._depth = 0
        self._has_substance = False
        self._ended_in_return = False

    @property
    def held(self) -> int:
        """Number of bytes held of an incomplete document."""
        return len(self._data)

    def feed(self, data: bytes) -> list[Found] | None:
        self._data += data
        return self._marks() if self._by_mark else self._documents()

    def finish(self) -> Found | None:
        rest = self._data
        is_told = bool(rest.strip(_SPACE)) and (self._by_mark or self._has_substance or not _is_miscellaneous(rest))
        return (self._offset, self._line, rest, False) if is_told else None

    def _drop(self, size: int) -> bytes:
        dropped, self._data = self._data[:size], self._data[size:]
        self._offset += size
        self._line += len(_LINE_END.findall(dropped))
        if self._ended_in_return and dropped.startswith(b"\n"):
            self._line -= 1
        if dropped:
            self._ended_in_return = dropped.endswith(b"\r")
        self._place = max(self._place - size, 0)
        return dropped

    def _tell(self, end: int, is_complete: bool) -> Found:
        offset, line = self._offset, self._line
        self._has_begun = self._has_substance = False
        self._depth = 0
        self._place = 0
        return offset, line, self._drop(end), is_complete

    def _marks(self) -> list[Found]:
        found: list[Found] = []
        while True:
            self._drop(len(self._data) - len(self._data.lstrip(_SPACE)))
            end = self._data.find(MARK)
            if end < 0:
                return found
            if end:
                found.append(self._tell(end, True))
            self._drop(len(MARK))

    def _documents(self) -> list[Found] | None:
        found: list[Found] = []
        while self._has_begun or self._begins():
            if self._data.startswith(_WIDE):
                return None
            if len(self._data) < 4:
                break
            start = self._data.find(b"<", self._place)
            end = -1 if start < 0 else self._markup_end(start)
            if end < 0:
                self._place = len(self._data) if start < 0 else start
                break
            self._place = end
            self._take(start, end, found)
        return found

    def _begins(self) -> bool:
        """Skip the text between documents; return whether one begins."""
        while True:
            self._drop(len(self._data) - len(self._data.lstrip(_SPACE)))
            if self._data.startswith(MARK):
                self._drop(len(MARK))
                continue
            self._has_begun = bool(self._data) and not MARK.startswith(self._data)
            return self._has_begun

    def _markup_end(self, start: int) -> int:
        data = self._data
        if data.startswith(b"<!", start) and not data.startswith((b"<!--", b"<![CDATA["), start):
            rest = data[start:]
            if b"<!--".startswith(rest) or b"<![CDATA[".startswith(rest):
                return -1
            return doctype_end(data, start)
        match = _MARKUP.match(data, start)
        return -1 if match is None else match.end()

    def _take(self, start: int, end: int, found: list[Found]) -> None:
        data = self._data
        if _DECLARATION.match(data, start):
            before = data[:start]
            if before in (b"", _UTF8_MARK):
                return
            if self._has_substance or not _is_miscellaneous(before):
                found.append(self._tell(start, False))
            else:
                self._tell(start, False)
            self._has_begun = True
        elif data.startswith(b"</", start):
            is_complete = self._depth > 0
            self._depth = max(self._depth - 1, 0)
            if self._depth == 0:
                found.append(self._tell(end, is_complete))
        elif data.startswith((b"<!--", b"<![CDATA[", b"<?"), start):
            return
        else:
            self._has_substance = True
            is_tag = not data.startswith(b"<!", start)
            if is_tag and data[end - 2 : end - 1] != b"/":
                self._depth += 1
            elif is_tag and self._depth == 0:
                found.append(self._tell(end, True))


def doctype_end(data: bytes, start: int) -> int:
    """The end of the document type declaration at an index; -1 if it has not arrived yet."""
    head = _HEAD.match(data, start)
    if head is None:
        return -1
    if head[1] == b">":
        return head.end()
    subset = _SUBSET.match(data, head.end())
    tail = None if subset is None else _TAIL.match(data, subset.end())
    return -1 if tail is None else tail.end()


def _is_miscellaneous(data: bytes) -> bool:
    return data.startswith((b"<!--", b"<?"))
