"""Detect the encoding of bytes, by byte order mark or declaration, and convert them for expat."""

from __future__ import annotations

import codecs
import re

from xylem.errors import InputError

_BYTE_ORDER_MARKS = (
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_START_PATTERNS = (
    (b"\x00\x00\x00<", "utf-32-be"),
    (b"<\x00\x00\x00", "utf-32-le"),
    (b"\x00<\x00?", "utf-16-be"),
    (b"<\x00?\x00", "utf-16-le"),
    (b"Lo\xa7\x94", "cp037"),  # "<?xm" in EBCDIC: enough to read the declaration
)
_DECLARATION = re.compile(
    rb"""^\s*<\?xml\s+version\s*=\s*(?:"[^"]*"|'[^']*')\s+encoding\s*=\s*(?:"([A-Za-z][\w.\-]*)"|'([A-Za-z][\w.\-]*)')"""
)

_READ_BY_EXPAT = frozenset({"utf-8", "utf-8-sig", "utf-16", "us-ascii", "ascii", "iso-8859-1"})

_READ_BY_KERNEL = frozenset(
    {"utf-8", "utf-8-sig", "ascii", "utf-16", "utf-16-le", "utf-16-be", "utf-32", "utf-32-le", "utf-32-be"}
    | {f"iso8859-{part}" for part in range(1, 17)}
    | {f"cp{page}" for page in (866, 874, 932, 949, *range(1250, 1259))}
    | {"koi8-r", "koi8-u", "mac-roman", "mac-cyrillic", "tis-620", "gb2312", "gbk", "gb18030", "big5", "big5hkscs"}
    | {"euc_jp", "iso2022_jp", "shift_jis", "euc_kr"}
)

_OTHER_NAMES = {"x-sjis": "shift_jis", "windows-31j": "cp932", "ucs-4": "utf-32", "iso-10646-ucs-4": "utf-32"}
"""Registered or common names that Python does not have."""

LONGEST_DECLARATION = 4096
"""Number of bytes examined for an encoding. A longer declaration is refused (XYIN0007)."""
_LONGEST_SHOWN = 80

_NO_ENCODINGS = frozenset({"idna", "punycode", "unicode-escape", "raw-unicode-escape", "utf-7", "undefined", "mbcs"})


def encoding_mark(data: bytes) -> str | None:
    """The codec for a byte order mark; it removes the mark too."""
    for mark, name in _BYTE_ORDER_MARKS:
        if data.startswith(mark):
            return name
    return None


def declared_encoding(data: bytes) -> str | None:
    """The encoding that an XML declaration names, if it can be read as ASCII."""
    match = _DECLARATION.match(data[:LONGEST_DECLARATION])
    if match is None:
        return None
    return (match[1] or match[2]).decode("ascii")


def xml_encoding(start: bytes) -> str | None:
    """The codec to decode an XML entity with, or None where expat reads its encoding by itself.

    >>> xml_encoding(b'<?xml version="1.0" encoding="Shift_JIS"?><a/>')
    'shift_jis'
    """
    _check_length(start)
    mark = encoding_mark(start)
    if mark is not None:
        return None if mark in _READ_BY_EXPAT else mark
    for pattern, name in _START_PATTERNS:
        if start.startswith(pattern):
            if name.startswith("utf-16"):
                return None
            if name != "cp037":
                return name
            declared = declared_encoding(start[:LONGEST_DECLARATION].decode("cp037").encode("latin-1", "replace"))
            return known_codec(declared or "cp037")
    declared = declared_encoding(start)
    if declared is None or declared.lower() in _READ_BY_EXPAT:
        return None
    codec = known_codec(declared)
    # UTF-16 without a mark that is declared in ASCII bytes is no UTF-16: expat says so.
    return None if codec in _READ_BY_EXPAT or codec.startswith("utf-16") else codec


def _check_length(start: bytes) -> None:
    head = start[:LONGEST_DECLARATION]
    if len(head) == LONGEST_DECLARATION and re.match(rb"<\?xml\s", head) and b">" not in head:
        raise InputError("XYIN0007", f"an XML declaration of more than {LONGEST_DECLARATION} bytes")


def may_hide_declaration(head: bytes) -> bool:
    """Whether the first bytes begin an XML declaration in single bytes whose end is still to come."""
    return any(
        (head.startswith(start) or start.startswith(head)) and end not in head
        for start, end in ((b"<?xml", b">"), (b"Lo\xa7\x94", b"n"))
    )


def codec_beyond_kernel(start: bytes) -> str | None:
    """The codec for a document that Python can decode and the kernel cannot; None for all others, good and bad.

    >>> codec_beyond_kernel(b'<?xml version="1.0" encoding="cp437"?><a/>')
    'cp437'
    """
    if start.startswith(b"Lo\xa7\x94"):
        return xml_encoding(start)
    declared = declared_encoding(start)
    codec = None if declared is None else text_codec(declared)
    return None if codec in _READ_BY_KERNEL else codec


def known_codec(name: str) -> str:
    """The codec of an encoding name, or an error for a name nobody knows."""
    codec = text_codec(name)
    if codec is None:
        raise InputError("XYIN0007", f"the encoding '{shown(name)}' is not known")
    return codec


def shown(text: str) -> str:
    """A text of the input in the form shown in messages."""
    return text if len(text) <= _LONGEST_SHOWN else text[: _LONGEST_SHOWN - 3] + "..."


def text_codec(name: str) -> str | None:
    """The codec of an encoding name; None for unknown names and for codecs that are no encodings of text."""
    try:
        found = codecs.lookup(_OTHER_NAMES.get(name.lower(), name))
    except (LookupError, ValueError):
        return None
    if not getattr(found, "_is_text_encoding", True) or found.name in _NO_ENCODINGS:
        return None
    return found.name
