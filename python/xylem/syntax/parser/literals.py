"""Literals: numbers, strings with their references, URIs (XQuery 3.1, 3.1.1 and A.2.1)."""

from __future__ import annotations

import re
from decimal import Decimal

from ..ast import DecimalLiteral, DoubleLiteral, Expr, IntegerLiteral, StringLiteral
from .characters import START, collapse, is_xml_char
from .cursor import Cursor

_number = re.compile(r"(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][+-]?[0-9]+)?").match
_name_start = re.compile(START).match
_plain_string = re.compile(r"\"[^\"&]*\"(?!\")|'[^'&]*'(?!')").match
_any_string = re.compile(r"\"[^\"]*(?:\"\"[^\"]*)*\"|'[^']*(?:''[^']*)*'").match
_reference = re.compile(r"&(?:(lt|gt|amp|quot|apos)|#([0-9]+)|#x([0-9a-fA-F]+));")
_digits = re.compile(r"[0-9]+").match

_PREDEFINED = {"lt": "<", "gt": ">", "amp": "&", "quot": '"', "apos": "'"}
_MOST_DIGITS = 4000


class LiteralGrammar(Cursor):
    """The productions of literals."""

    def number(self) -> Expr:
        """NumericLiteral [130]."""
        start = self.pos
        found = _number(self.text, start)
        if found is None:
            raise self.expected("a number")
        digits = found.group()
        self._end_number(found.end(), start)
        if "e" in digits or "E" in digits:
            return DoubleLiteral(float(digits), span=self.span(start))
        if "." in digits:
            self._check_digits(digits, start)
            return DecimalLiteral(Decimal(digits), span=self.span(start))
        return IntegerLiteral(self._integer_value(digits, start), span=self.span(start))

    def _end_number(self, end: int, start: int) -> None:
        # A number and a name must be separated (A.2.2): `10div 3` is not `10 div 3`.
        if _name_start(self.text, end):
            name = self.word_at(end)
            raise self.fault(
                f"a number runs into the name `{name}`", start, end + len(name), "put a space between them"
            )
        self.jump(end)

    def _integer_value(self, digits: str, start: int) -> int:
        self._check_digits(digits, start)
        return int(digits)

    def _check_digits(self, digits: str, start: int) -> None:
        if len(digits) > _MOST_DIGITS:
            raise self.error("FOAR0002", f"a number of {len(digits)} digits where {_MOST_DIGITS} are allowed", start)

    def integer(self) -> int:
        """IntegerLiteral [219], as a value."""
        start = self.pos
        found = _digits(self.text, start)
        if found is None:
            raise self.expected("an integer")
        self._end_number(found.end(), start)
        return self._integer_value(found.group(), start)

    def at_string(self) -> bool:
        """Whether a string literal begins here."""
        return self.text[self.pos] in "\"'"

    def string(self) -> str:
        """StringLiteral [222], as a value."""
        text, start = self.text, self.pos
        found = _plain_string(text, start)
        if found is not None:
            self.jump(found.end())
            return text[start + 1 : self.end - 1]
        if not self.at_string():
            raise self.expected("a string")
        found = _any_string(text, start)
        if found is None:
            raise self.fault("this string is never closed", start, start + 1, f"close it with {text[start]}")
        quote = text[start]
        inner = found.group()[1:-1].replace(quote * 2, quote) if "&" not in found.group() else None
        if inner is None:
            inner = self._resolve(start + 1, found.end() - 1, quote)
        self.jump(found.end())
        return inner

    def _resolve(self, start: int, end: int, quote: str) -> str:
        """The literal text between two places, references and doubled quotes resolved."""
        parts, at = [], start
        while True:
            amp = self.text.find("&", at, end)
            if amp < 0:
                parts.append(self.text[at:end].replace(quote * 2, quote) if quote else self.text[at:end])
                return "".join(parts)
            parts.append(self.text[at:amp].replace(quote * 2, quote) if quote else self.text[at:amp])
            char, at = self.reference(amp)
            parts.append(char)

    def reference(self, pos: int) -> tuple[str, int]:
        """The character of an entity or character reference at a place, and where it ends."""
        found = _reference.match(self.text, pos)
        if found is None:
            raise self._no_reference(pos)
        name, decimal, hexadecimal = found.groups()
        if name:
            return _PREDEFINED[name], found.end()
        digits = (decimal or hexadecimal).lstrip("0")
        code = int(digits or "0", 10 if decimal else 16) if len(digits) < 9 else -1
        if not is_xml_char(code):
            raise self.error("XQST0090", f"`{found.group()}`", pos, found.end())
        return chr(code), found.end()

    def _no_reference(self, pos: int) -> Exception:
        name = self.word_at(pos + 1)
        end = pos + 1 + len(name)
        if name and self.text[end] == ";":
            hint = "XQuery knows lt, gt, amp, quot and apos; write the character itself"
            return self.fault(f"`&{name};` is not an entity of XQuery", pos, end + 1, hint)
        return self.fault("`&` does not begin a reference here", pos, pos + 1, "write `&amp;` for the character")

    def string_literal(self) -> StringLiteral:
        """StringLiteral [222], as an expression."""
        start = self.pos
        value = self.string()
        return StringLiteral(value, span=self.span(start))

    def uri(self) -> str:
        """URILiteral [127]: white space is normalised (2.4.5)."""
        return collapse(self.string())

    def braced_uri(self, start: int, end: int) -> str:
        """The URI between the braces of `Q{…}`."""
        uri = collapse(self._resolve(start, end, ""))
        if uri == "http://www.w3.org/2000/xmlns/":
            raise self.error("XQST0070", f"the namespace {uri} cannot be used", start, end)
        return uri

    def literal_value(self) -> object:
        """Literal [129] as a Python value, for annotations."""
        if self.at_string():
            return self.string()
        node = self.number()
        assert isinstance(node, IntegerLiteral | DecimalLiteral | DoubleLiteral)
        return node.value
