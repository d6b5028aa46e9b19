"""JSON text to events (RFC 7159, with the options of F&O 3.1 §17.5): one pass, no recursion, any depth.

The parser calls a receiver for each value, key and bracket; the receiver builds maps and arrays, or an XML tree.
Python's own `json` is not used: it recurses, and it cannot keep escape sequences, report invalid characters or preserve
the spelling of numbers.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Protocol

from xylem.errors import DynamicError

Fallback = Callable[[str], str]


class JsonReceiver(Protocol):
    """Receives the events of one JSON text, in order."""

    def start_map(self) -> None: ...

    def key(self, name: str) -> None: ...

    def end_map(self) -> None: ...

    def start_array(self) -> None: ...

    def end_array(self) -> None: ...

    def string(self, value: str) -> None: ...

    def number(self, lexical: str) -> None: ...

    def boolean(self, value: bool) -> None: ...

    def null(self) -> None: ...


# Possessive quantifiers: a missing quote is found in one pass over the rest. Each pattern includes the white space
# after its token, so the next token begins where it ends.
_PLAIN = r'"([^"\\\x00-\x1f]*+)"'
_ESCAPED = r'"((?:[^"\\\x00-\x1f]++|\\(?:u[0-9a-fA-F]{4}|["\\/bfnrt]))*+)"'
_NUMBER = r"(-?(?:0|[1-9][0-9]*+)(?:\.[0-9]++)?+(?:[eE][+-]?[0-9]++)?+)"
_SPACE = re.compile(r"[ \t\n\r]*+")
_SIMPLE = re.compile(rf"(?:{_PLAIN}|{_ESCAPED}|{_NUMBER}|(true|false|null))[ \t\n\r]*+")
_KEY = re.compile(rf"(?:{_PLAIN}|{_ESCAPED})[ \t\n\r]*+:[ \t\n\r]*+")
_RAW_CONTROLS = re.compile(r"[\x00-\x1f]")
_ESCAPE = re.compile(r"\\(?:u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|.)")
_SPECIAL = re.compile(r"[\x00-\x1f\\\x7f-\x9f\ud800-\udfff\ufffe\uffff]")
_INVALID = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")
_SHORT = {'"': '"', "\\": "\\", "/": "/", "b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t"}
_SHORT_ESCAPES = {"\\": "\\\\", "\b": "\\b", "\f": "\\f", "\n": "\\n", "\r": "\\r", "\t": "\\t"}


def parse_json(
    text: str,
    receiver: JsonReceiver,
    *,
    escape: bool = False,
    liberal: bool = False,
    fallback: Fallback | None = None,
) -> None:
    """Read a JSON text into a receiver; FOJS0001 if it is not valid.

    `escape` keeps special characters as escape sequences; otherwise `fallback` replaces characters that XML does not
    allow (by default with U+FFFD). `liberal` allows a comma before a closing bracket and raw control characters in
    strings.
    """
    if liberal:
        text = _without_raw_controls(text)
    _Parser(text, receiver, escape, liberal, fallback).run()


class _Parser:
    """The parsing of one text for one receiver."""

    __slots__ = ("escape", "fallback", "liberal", "receiver", "text")

    def __init__(
        self, text: str, receiver: JsonReceiver, escape: bool, liberal: bool, fallback: Fallback | None
    ) -> None:
        self.text = text
        self.receiver = receiver
        self.escape = escape
        self.liberal = liberal
        self.fallback = fallback

    def run(self) -> None:
        """Value after value: brackets open and close around them, and are kept on a list while open."""
        text, receiver, skip_space = self.text, self.receiver, _SPACE.match
        opened: list[str] = []  # The expected closing brackets.
        position = self.skip(0)
        while True:
            character = text[position : position + 1]
            if character == "{" or character == "[":
                closing = "}" if character == "{" else "]"
                if character == "{":
                    receiver.start_map()
                else:
                    receiver.start_array()
                opened.append(closing)
                position = self.skip(position + 1)
                if text[position : position + 1] != closing:
                    if closing == "}":
                        position = self.key(position)
                    continue
            else:
                position = self.simple(position)
            while opened:
                closing = opened[-1]
                character = text[position : position + 1]
                if character == ",":
                    position = skip_space(text, position + 1).end()  # type: ignore[union-attr]  # always matches
                    if not self.liberal or text[position : position + 1] != closing:
                        if closing == "}":
                            position = self.key(position)
                        break
                elif character != closing:
                    raise self.fault(position, "a comma or a closing bracket")
                opened.pop()
                if closing == "}":
                    receiver.end_map()
                else:
                    receiver.end_array()
                position = skip_space(text, position + 1).end()  # type: ignore[union-attr]
            else:
                if position < len(text):
                    raise self.fault(position, "the end of the text")
                return

    def skip(self, position: int) -> int:
        found = _SPACE.match(self.text, position)
        assert found is not None
        return found.end()

    def simple(self, position: int) -> int:
        """Read a string, number, boolean or null; return the place after it."""
        token = _SIMPLE.match(self.text, position)
        if token is None:
            raise self.fault(position, "a value")
        kind = token.lastindex
        if kind == 3:
            self.receiver.number(token[3])
        elif kind != 4:
            self.receiver.string(self.string(token))
        elif token[4] == "null":
            self.receiver.null()
        else:
            self.receiver.boolean(token[4] == "true")
        return token.end()

    def key(self, position: int) -> int:
        token = _KEY.match(self.text, position)
        if token is None:
            raise self.fault(position, "a key in quotes and a colon")
        self.receiver.key(self.string(token))
        return token.end()

    def string(self, token: re.Match[str]) -> str:
        value = token[1] if token.lastindex == 1 else unescape(token[2])
        if token.lastindex == 1 and value.isascii() and not self.escape:
            return value
        return escape_special(value) if self.escape else replace_invalid(value, self.fallback)

    def fault(self, position: int, expected: str) -> DynamicError:
        line = self.text.count("\n", 0, position) + 1
        column = position - self.text.rfind("\n", 0, position)
        found = repr(self.text[position : position + 20]) if position < len(self.text) else "the end"
        return DynamicError("FOJS0001", f"line {line}, column {column}: expected {expected}, found {found}")


def unescape(raw: str) -> str:
    """The characters for escape sequences; an unpaired surrogate stays one."""
    return _ESCAPE.sub(_character, raw)


def _character(escape: re.Match[str]) -> str:
    text = escape[0]
    if len(text) == 2:
        return _SHORT[text[1]]
    if len(text) == 6:
        return chr(int(text[2:], 16))
    high, low = int(text[2:6], 16), int(text[8:], 16)
    return chr(0x10000 + ((high - 0xD800) << 10) + (low - 0xDC00))


def escape_special(value: str) -> str:
    """Special characters as escape sequences, the shortest for each (F&O 3.1 §17.5.1, `escape` is true)."""
    if value.isascii() and value.isprintable() and "\\" not in value:
        return value
    return _SPECIAL.sub(lambda found: _SHORT_ESCAPES.get(found[0]) or f"\\u{ord(found[0]):04X}", value)


def replace_invalid(value: str, fallback: Fallback | None) -> str:
    """Characters that XML does not allow, replaced by the fallback's result for their escape sequence."""
    if fallback is None:
        return _INVALID.sub("\ufffd", value)
    return _INVALID.sub(lambda found: fallback(f"\\u{ord(found[0]):04X}"), value)


def _without_raw_controls(text: str) -> str:
    """Control characters inside strings as escape sequences; outside they stay and are refused."""
    if not _RAW_CONTROLS.search(text):
        return text
    parts = re.split(r'("(?:[^"\\]++|\\.)*+")', text, flags=re.DOTALL)
    for i in range(1, len(parts), 2):
        parts[i] = _RAW_CONTROLS.sub(lambda found: f"\\u{ord(found[0]):04x}", parts[i])
    return "".join(parts)
