"""The encoding of the output: the characters it can represent, and references for the others (Serialization 3.1 §3,
§4).

Serialisers work on strings, so an encoding matters twice: characters it lacks become references where markup
allows them, and the finished text is turned into bytes at the very end.
"""

from __future__ import annotations

import codecs
from collections.abc import Callable
from typing import TYPE_CHECKING

from xylem.errors import DynamicError

if TYPE_CHECKING:
    from .serialization_parameters import SerializationParameters

_UNICODE = frozenset({"utf-8", "utf-16", "utf-16-le", "utf-16-be", "utf-32", "utf-32-le", "utf-32-be"})
_MARKS = {
    "utf-8": codecs.BOM_UTF8,
    "utf-16-le": codecs.BOM_UTF16_LE,
    "utf-16-be": codecs.BOM_UTF16_BE,
    "utf-32-le": codecs.BOM_UTF32_LE,
    "utf-32-be": codecs.BOM_UTF32_BE,
}


class OutputEncoding:
    """One encoding by its name; SESU0007 if Python does not know it."""

    __slots__ = ("codec", "is_unicode", "name")

    def __init__(self, name: str) -> None:
        try:
            found = codecs.lookup(name)
            found.encode("")
        except (LookupError, TypeError, ValueError):
            raise DynamicError("SESU0007", f"the encoding {name!r} is not known") from None
        self.name = name
        self.codec = found.name
        self.is_unicode = found.name in _UNICODE

    def with_references(self, text: str) -> str:
        """Characters the encoding lacks as character references."""
        if self.is_unicode or text.isascii():
            return text
        return text.encode(self.codec, "xmlcharrefreplace").decode(self.codec)

    def require(self, text: str, where: str) -> str:
        """The text, or SERE0008 for unencodable characters that no reference can replace."""
        if self.is_unicode or text.isascii():
            return text
        try:
            text.encode(self.codec)
        except UnicodeEncodeError as error:
            lacking = text[error.start]
            raise DynamicError("SERE0008", f"{where} holds {lacking!r}, which {self.name} lacks") from None
        return text

    def holds(self, text: str) -> bool:
        """Whether every character can be encoded."""
        if self.is_unicode or text.isascii():
            return True
        try:
            text.encode(self.codec)
        except UnicodeEncodeError:
            return False
        return True


def byte_encoder(parameters: SerializationParameters) -> Callable[[str], bytes]:
    """A function that turns successive pieces of output into bytes, beginning with a byte order mark if requested."""
    encoding = OutputEncoding(parameters.encoding)
    encode = codecs.getincrementalencoder(encoding.codec)().encode
    # Python's plain utf-16 and utf-32 write their own mark.
    mark = _MARKS.get(encoding.codec, b"") if parameters.byte_order_mark else b""
    pending = [mark]

    def to_bytes(piece: str) -> bytes:
        return (pending.pop() if pending else b"") + encode(piece)

    return to_bytes
