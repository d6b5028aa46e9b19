"""The end of a broken record, found by its tags. A parser cannot continue after an error, but tags can still be
recognised: `<` begins one, wherever it stands outside of comments and CDATA sections, since no attribute value may have
it. The record ends with its own end tag, or where an ancestor ends; end tags that match an outer element of the record
close those inside it, and others are skipped.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from .document_stream_in_python import doctype_end

_NAME = re.compile(rb"[^\s<>/=\"'&]+")
WHOLE_TAG = re.compile(rb"""<[^<>"']*(?:"[^"<]*"[^<>"']*|'[^'<]*'[^<>"']*)*>""")
_SECTIONS = ((b"<!--", b"-->"), (b"<![CDATA[", b"]]>"), (b"<?", b"?>"))


def tag_names(opening: bytes) -> list[bytes]:
    """The names of the start tags that an opening ends with, outermost first."""
    tags = RecordEnd([], [], lambda name: False)
    tags.feed(opening)
    return tags.open


def name_at(tag: bytes) -> bytes:
    """The name of a start tag; empty if it is none."""
    match = _NAME.match(tag, 1)
    return match[0] if match is not None and tag[:1] == b"<" and tag[1:2] not in (b"!", b"?", b"/") else b""


class RecordEnd:
    """Searches for the end of a broken record in bytes that arrive in pieces."""

    def __init__(self, inner: Sequence[bytes], around: Sequence[bytes], begins: Callable[[bytes], bool]) -> None:
        """`inner` are the open elements of the record, `around` those outside of it; both may be empty.

        Between records, where `inner` is empty, `begins` tells whether a start tag of a name begins the next one.
        """
        self.open = list(inner)
        self._is_between = not inner
        self._around = frozenset(around)
        self._begins = begins
        self._rest = b""
        self._passed = 0
        """Bytes before the rest."""
        self.after = b""
        """Once the end is known: the bytes after it, some of which may have arrived earlier."""

    def feed(self, data: bytes) -> int | None:
        """Examine more bytes; return how many from the start belong to the record, once that is known."""
        self._rest += data
        place = 0
        end = None
        while end is None:
            start = self._rest.find(b"<", place)
            if start < 0:
                place = len(self._rest)
                break
            section = self._section(start)
            if section is not None:
                if section < 0:
                    place = start
                    break
                place = section
                continue
            limit = self._rest.find(b"<", start + 1)
            tag = WHOLE_TAG.match(self._rest, start)
            if tag is None and limit < 0:
                place = start
                break
            place = tag.end() if tag is not None else limit
            if tag is not None or self._rest.find(b">", start, limit) >= 0:
                end = self._tag(start, place)
        if end is not None:
            self.after = self._rest[end:]
            return self._passed + end
        self._rest = self._rest[place:]
        self._passed += place
        return None

    def _section(self, start: int) -> int | None:
        """The end of a comment or a similar construct; -1 if it has not arrived yet, None if there is none."""
        rest = self._rest
        for first, last in _SECTIONS:
            if rest.startswith(first, start):
                end = rest.find(last, start + len(first))
                return -1 if end < 0 else end + len(last)
            if len(rest) - start < len(first) and first.startswith(rest[start:]):
                return -1
        return doctype_end(rest, start) if rest.startswith(b"<!", start) else None

    def _tag(self, start: int, end: int) -> int | None:
        """Process a tag; return where the record ends, if it does."""
        is_end = self._rest.startswith(b"</", start)
        match = _NAME.match(self._rest, start + (2 if is_end else 1))
        if match is None:
            return None
        name = match[0]
        if not is_end:
            return self._start_tag(name, start, end)
        if name in self.open:
            while self.open.pop() != name:
                pass
            return end if not self.open and not self._is_between else None
        return start if name in self._around else None

    def _start_tag(self, name: bytes, start: int, end: int) -> int | None:
        if self._is_between and not self.open and self._begins(name):
            return start
        if self._rest[end - 2 : end] != b"/>":
            self.open.append(name)
        return None
