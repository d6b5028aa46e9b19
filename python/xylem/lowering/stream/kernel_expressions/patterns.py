"""Translate XPath patterns to the kernel's regular expressions, if both mean the same.

Generated code handles Unicode blocks and categories, back-references, class subtraction, and everything that might
match other characters. Classes such as `\\d` cover ASCII only: the kernel leaves records with other text to the code.
"""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass

from xylem.errors import XylemError
from xylem.values.regular_expression import RegularExpression, regular_expression

from ..template_paths import NoTemplate

_ESCAPED = frozenset("\\|.?*+(){}-[]^$")
_CONTROLS = {"n": "\n", "r": "\r", "t": "\t"}
_WORD = "".join(chr(code) for code in range(128) if unicodedata.category(chr(code))[0] not in "PZC")
_MOST_REPEATED = 200


@dataclass(frozen=True)
class KernelPattern:
    """A pattern for the kernel."""

    text: str
    ascii_only: bool
    repeats_groups: bool
    """Whether a group may match several times: the two engines may then report different matches."""
    expression: RegularExpression
    """The same pattern for code."""


def kernel_pattern(pattern: str, flags: str) -> KernelPattern:
    """The pattern; NoTemplate if only code interprets it safely."""
    if flags not in ("", "i"):
        raise NoTemplate(f"the flags {flags!r} of a pattern")
    try:
        expression = regular_expression(pattern, flags)
    except XylemError as faulty:
        raise NoTemplate("a faulty pattern") from faulty
    reader = _Reader(pattern, bool(flags))
    text = reader.read()
    if flags and not pattern.isascii():
        raise NoTemplate("a pattern without case beyond ASCII")
    prefix = "(?i)" if flags else ""
    return KernelPattern(prefix + text, reader.ascii_only or bool(flags), reader.repeats_groups, expression)


class _Reader:
    """Reads a pattern once, from left to right."""

    def __init__(self, pattern: str, ignores_case: bool) -> None:
        self.pattern = pattern
        self.ignores_case = ignores_case
        self.place = 0
        self.ascii_only = False
        self.repeats_groups = False

    def read(self) -> str:
        found: list[str] = []
        groups: list[tuple[bool, bool]] = []
        """For each open group: whether it captures, or one inside it does."""
        is_quantifiable = closed_group = False
        while self.place < len(self.pattern):
            letter = self._next()
            captured, closed_group = closed_group, False
            match letter:
                case "^":
                    found.append("^")
                    is_quantifiable = False
                    continue
                case "$":
                    found.append(r"\z")
                    is_quantifiable = False
                    continue
                case "|":
                    found.append("|")
                    is_quantifiable = False
                    continue
                case "(":
                    captures = not self.pattern.startswith("?", self.place)
                    if not captures:
                        if not self.pattern.startswith("?:", self.place):
                            raise NoTemplate("a group of a kind it does not know")
                        self.place += 2
                    found.append("(" if captures else "(?:")
                    groups.append((captures, captures))
                    is_quantifiable = False
                    continue
                case ")":
                    if not groups:
                        raise NoTemplate("a faulty pattern")
                    _, closed_group = groups.pop()
                    if groups and closed_group:
                        groups[-1] = groups[-1][0], True
                    found.append(")")
                case "*" | "+" | "?" | "{":
                    if not is_quantifiable:
                        raise NoTemplate("a quantifier of nothing")
                    self.repeats_groups |= captured and letter != "?"
                    found.append(letter if letter != "{" else self._count())
                    if self.pattern.startswith("?", self.place):
                        self.place += 1
                        found.append("?")
                    is_quantifiable = False
                    continue
                case ".":
                    found.append(r"[^\n\r]")
                case "[":
                    found.append(self._class())
                case "\\":
                    found.append(self._escape())
                case "]" | "}":
                    raise NoTemplate("a bracket that closes nothing")
                case _:
                    found.append(_literal(letter))
            is_quantifiable = True
        if groups:
            raise NoTemplate("a faulty pattern")
        return "".join(found)

    def _next(self) -> str:
        if self.place >= len(self.pattern):
            raise NoTemplate("a faulty pattern")
        self.place += 1
        return self.pattern[self.place - 1]

    def _count(self) -> str:
        end = self.pattern.find("}", self.place)
        inside = self.pattern[self.place : end]
        numbers = inside.split(",")
        is_plain = end > 0 and len(numbers) <= 2 and numbers[0].isdecimal() and inside.isascii()
        if not is_plain or any(each and (not each.isdecimal() or int(each) > _MOST_REPEATED) for each in numbers):
            raise NoTemplate("a number of repetitions")
        self.place = end + 1
        return f"{{{inside}}}"

    def _escape(self) -> str:
        letter = self._next()
        if letter in _ESCAPED:
            return _literal(letter)
        if letter in _CONTROLS:
            return _literal(_CONTROLS[letter])
        known = self._known_class(letter.lower())
        if known is None:
            raise NoTemplate(f"\\{letter} in a pattern")
        return f"[{'^' if letter.isupper() else ''}{known}]"

    def _known_class(self, letter: str) -> str | None:
        if letter == "s":
            return r" \t\n\r"
        if letter not in ("d", "w"):
            return None
        self.ascii_only = True
        return "0-9" if letter == "d" else "".join(map(_literal, _WORD))

    def _class(self) -> str:
        negated = self.pattern.startswith("^", self.place)
        if negated:
            if self.ignores_case:
                raise NoTemplate("all characters but some, without case")
            self.place += 1
        members: list[str] = []
        is_first = True
        while True:
            letter = self._next()
            if letter == "]" and not is_first:
                break
            if letter in "[]":
                raise NoTemplate("a bracket in a class of characters")
            is_last = self.pattern.startswith("]", self.place)
            if letter == "-" and not is_first and not is_last:
                raise NoTemplate("a hyphen in a class of characters")
            is_first = False
            if letter == "\\":
                letter = self._next()
                known = self._known_class(letter)
                if known is not None:
                    members.append(known)
                    continue
                if letter not in _ESCAPED and letter not in _CONTROLS:
                    raise NoTemplate(f"\\{letter} in a class of characters")
                letter = _CONTROLS.get(letter, letter)
            members.append(self._range(letter))
        return f"[{'^' if negated else ''}{''.join(members)}]"

    def _range(self, first: str) -> str:
        rest = self.pattern[self.place : self.place + 2]
        if not rest.startswith("-") or rest == "-]":
            return _literal(first)
        self.place += 1
        last = self._next()
        if last == "\\":
            last = self._next()
            if last not in _ESCAPED:
                raise NoTemplate("a range of characters")
        elif last in "[]":
            raise NoTemplate("a range of characters")
        if first > last:
            raise NoTemplate("a range of characters")
        return f"{_literal(first)}-{_literal(last)}"


def _literal(letter: str) -> str:
    return letter if letter.isascii() and letter.isalnum() else f"\\x{{{ord(letter):X}}}"
