"""JSON text to events (RFC 7159, with the options of F&O 3.1 §17.5): one pass, no recursion, any depth.

The parser calls a receiver for each value, key and bracket; what is made of them, maps and arrays or an XML
tree, is the receiver's matter. Python's own `json` is not used: it recurses, and it cannot keep escape
sequences, report invalid characters or give numbers as they were written.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Protocol

from xylem.errors import DynamicError

Fallback = Callable[[str], str]


class JsonReceiver(Protocol):
    """Takes the events of one JSON text, in its order."""

    def start_map(self) -> None: ...

    def key(self, name: str) -> None: ...

    def end_map(self) -> None: ...

    def start_array(self) -> None: ...

    def end_array(self) -> None: ...

    def string(self, value: str) -> None: ...

    def number(self, lexical: str) -> None: ...

    def boolean(self, value: bool) -> None: ...

    def null(self) -> None: ...


# Possessive quantifiers: a missing quote is found in one pass over the rest.
_TOKEN = re.compile(
    r"""[ \t\n\r]*+(?:
        "(?P<plain>[^"\\\x00-\x1f]*+)"
      | "(?P<escaped>(?:[^"\\\x00-\x1f]++|\\(?:u[0-9a-fA-F]{4}|["\\/bfnrt]))*+)"
      | (?P<number>-?(?:0|[1-9][0-9]*+)(?:\.[0-9]++)?+(?:[eE][+-]?[0-9]++)?+)
      | (?P<mark>[\[\]{},:])
      | (?P<word>true|false|null)
      | (?P<end>\Z)
    )""",
    re.VERBOSE,
)
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
    """Read a JSON text into a receiver; FOJS0001 where it is not one.

    `escape` keeps special characters as escape sequences; otherwise `fallback` is asked for what to write
    for a character that XML does not allow (U+FFFD without one). `liberal` allows a comma before a closing
    bracket and raw control characters in strings.
    """
    if liberal:
        text = _without_raw_controls(text)
    parser = _Parser(text, receiver, escape, liberal, fallback)
    parser.run()


class _Parser:
    """The place reached in a text, and the brackets still open there."""

    __slots__ = ("escape", "fallback", "liberal", "open", "position", "receiver", "text")

    def __init__(
        self, text: str, receiver: JsonReceiver, escape: bool, liberal: bool, fallback: Fallback | None
    ) -> None:
        self.text = text
        self.receiver = receiver
        self.escape = escape
        self.liberal = liberal
        self.fallback = fallback
        self.position = 0
        self.open: list[bool] = []  # True for a map, False for an array

    def run(self) -> None:
        while True:
            self.value()
            if not self.separator():
                break
        if self.next().lastgroup != "end":
            raise self.fault("the end of the text")

    def value(self) -> None:
        """Read one value, or the beginning of one up to its first member that is no bracket."""
        receiver = self.receiver
        while True:
            token = self.next()
            kind = token.lastgroup
            if kind == "plain" or kind == "escaped":
                receiver.string(self.string(token))
            elif kind == "number":
                receiver.number(token["number"])
            elif kind == "word":
                word = token["word"]
                if word == "null":
                    receiver.null()
                else:
                    receiver.boolean(word == "true")
            elif kind == "mark" and token["mark"] in "[{":
                is_map = token["mark"] == "{"
                if is_map:
                    receiver.start_map()
                else:
                    receiver.start_array()
                if not self.closes("}" if is_map else "]"):
                    self.open.append(is_map)
                    if is_map:
                        self.key()
                    continue
                if is_map:
                    receiver.end_map()
                else:
                    receiver.end_array()
            else:
                raise self.fault("a value", token)
            return

    def separator(self) -> bool:
        """After a value: close what ends here; True where another value follows, False at the outermost."""
        opened = self.open
        while opened:
            is_map = opened[-1]
            token = self.next()
            mark = token["mark"]
            if mark == ",":
                if not (self.liberal and self.closes("}" if is_map else "]")):
                    if is_map:
                        self.key()
                    return True
            elif mark != ("}" if is_map else "]"):
                raise self.fault("a comma or a closing bracket", token)
            opened.pop()
            if is_map:
                self.receiver.end_map()
            else:
                self.receiver.end_array()
        return False

    def key(self) -> None:
        token = self.next()
        if token.lastgroup not in ("plain", "escaped"):
            raise self.fault("a key in quotes", token)
        self.receiver.key(self.string(token))
        token = self.next()
        if token["mark"] != ":":
            raise self.fault("a colon", token)

    def closes(self, bracket: str) -> bool:
        """Step over a bracket if it is the next token."""
        token = _TOKEN.match(self.text, self.position)
        if token is None or token["mark"] != bracket:
            return False
        self.position = token.end()
        return True

    def next(self) -> re.Match[str]:
        token = _TOKEN.match(self.text, self.position)
        if token is None:
            raise self.fault("a JSON token")
        self.position = token.end()
        return token

    def string(self, token: re.Match[str]) -> str:
        raw: str = token[token.lastgroup or 0]
        if self.escape:
            return escape_special(unescape(raw)) if token.lastgroup == "escaped" else escape_special(raw)
        if token.lastgroup == "plain":
            return raw
        return replace_invalid(unescape(raw), self.fallback)

    def fault(self, expected: str, token: re.Match[str] | None = None) -> DynamicError:
        start = token.start(token.lastgroup or 0) if token else self.position
        while start < len(self.text) and self.text[start] in " \t\n\r":
            start += 1
        line = self.text.count("\n", 0, start) + 1
        column = start - (self.text.rfind("\n", 0, start) + 1) + 1
        found = repr(self.text[start : start + 20]) if start < len(self.text) else "the end"
        return DynamicError("FOJS0001", f"line {line}, column {column}: expected {expected}, found {found}")


def unescape(raw: str) -> str:
    """The characters that escape sequences stand for; an unpaired surrogate stays one."""
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
    """What XML does not allow, replaced by what the fallback gives for its escape sequence."""
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
