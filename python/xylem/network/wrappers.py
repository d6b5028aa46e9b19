"""Turn lines of CSV and values of JSON into records, one by one as they arrive.

    time,place          <rows><row><time>8</time><place>Ulm</place></row>…
    8,Ulm

    {"time": 8}         <rows><row><time>8</time></row>…          one value for each line, or the items of one array

A field becomes an element with its name; characters not allowed in names become `_`. Nested objects become nested
elements, an array an element for each of its items, null an empty element.
"""

from __future__ import annotations

import csv
import json
import re
from collections.abc import Iterable, Iterator
from typing import Any
from xml.sax.saxutils import escape

from xylem.errors import InputError

_NOT_IN_A_NAME = re.compile(r"[^\w.\-]", re.ASCII)
_NOT_IN_XML = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]")
_SPACE, _BETWEEN = re.compile(r"\s*"), re.compile(r"[\s,]*")
_CLOSING = "]}\"\n"
ROOT, RECORD = "rows", "row"


def wrapped(chunks: Iterable[bytes], kind: str, record: str = RECORD) -> Iterator[bytes]:
    """The records in some bytes as a document that grows with them. XYIN0001 for bytes of another format."""
    yield f"<{ROOT}>".encode()
    made = _csv_records(chunks, record) if kind == "csv" else _json_records(chunks, record)
    for text in made:
        yield text.encode()
    yield f"</{ROOT}>".encode()


def _csv_records(chunks: Iterable[bytes], record: str) -> Iterator[str]:
    rows = csv.reader(_lines(chunks), strict=True)
    number = 0
    try:
        names = [element_name(name) for name in next(rows, [])]
        for row in rows:
            number = rows.line_num
            if not row:
                continue
            if len(row) != len(names):
                raise InputError("XYIN0001", f"line {number} has {len(row)} fields, the first line {len(names)}")
            fields = "".join(f"<{name}>{_text(value)}</{name}>" for name, value in zip(names, row, strict=True))
            yield f"<{record}>{fields}</{record}>"
    except csv.Error as reason:
        raise InputError("XYIN0001", f"line {rows.line_num}: {reason}") from reason


def _lines(chunks: Iterable[bytes]) -> Iterator[str]:
    """Complete lines; a field in quotes may span several."""
    held = b""
    is_first = True
    for chunk in chunks:
        *whole, held = (held + chunk).split(b"\n")
        for line in whole:
            yield _decoded(line, is_first) + "\n"
            is_first = False
    if held:
        yield _decoded(held, is_first)


def _decoded(line: bytes, is_first: bool) -> str:
    try:
        return line.decode("utf-8-sig" if is_first else "utf-8")
    except UnicodeDecodeError as reason:
        raise InputError("XYIN0001", f"the bytes are not UTF-8: {reason}") from reason


def _json_records(chunks: Iterable[bytes], record: str) -> Iterator[str]:
    decoder = json.JSONDecoder()
    lines = _lines(chunks)
    held, at = "", 0
    is_array: bool | None = None
    while True:
        at = _behind(_BETWEEN if is_array else _SPACE, held, at)
        if at < len(held):
            if is_array is None:
                is_array = held[at] == "["
                at += is_array
                continue
            if is_array and held[at] == "]":
                return
        problem = "the array has no end"
        value, end = None, -1
        if at < len(held):
            try:
                value, end = decoder.raw_decode(held, at)
            except json.JSONDecodeError as reason:
                problem = str(reason)
        more = next(lines, None) if end < 0 or (end == len(held) and held[-1] not in _CLOSING) else ""
        if more:
            # Incomplete text may become a value, and a value may continue.
            held, at = held[at:] + more, 0
        elif end >= 0:
            at = end
            yield from _items(record, value)
        elif at < len(held) or is_array:
            raise InputError("XYIN0001", f"not JSON: {problem}")
        else:
            return


def _behind(pattern: re.Pattern[str], text: str, at: int) -> int:
    found = pattern.match(text, at)
    return at if found is None else found.end()


def _items(name: str, value: Any) -> Iterator[str]:
    for one in value if isinstance(value, list) else [value]:
        yield f"<{name}>{_content(one)}</{name}>"


def _content(value: Any) -> str:
    if isinstance(value, dict):
        return "".join(text for key, inner in value.items() for text in _items(element_name(key), inner))
    if isinstance(value, list):
        return "".join(_items("item", value))
    if value is None:
        return ""
    return _text(value if isinstance(value, str) else json.dumps(value))


def _text(value: str) -> str:
    return escape(_NOT_IN_XML.sub("\ufffd", value), {"\r": "&#13;"})


def element_name(name: str) -> str:
    """An element name for the name of a field."""
    made = _NOT_IN_A_NAME.sub("_", name.strip()) or "_"
    return made if made[0].isalpha() or made[0] == "_" else f"_{made}"
