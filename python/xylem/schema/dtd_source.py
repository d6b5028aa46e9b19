"""The text of a DTD as a list of declarations, with parameter entities expanded and conditional sections resolved.

Follows XML 1.0 §2.8, §3.4 and §4.4.8. External parameter entities are read through a function the caller gives,
or not at all: then `is_complete` says that declarations may be missing.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from xylem.errors import InputError, SourceText, Span

ReadEntity = Callable[[str], "tuple[str, str] | None"]
"""By system identifier as written: the text and the name of the place, None where it may not be read."""

MOST_CHARACTERS = 20_000_000
"""What a DTD may grow to by its parameter entities."""
MOST_NESTED = 50
"""Entities inside entities, conditional sections inside sections."""

NAME = r"[^\s<>&%#;,|?*+()\[\]\"'/=!@$^`{}~]+"
_SPACE = re.compile(r"\s+")
_PARAMETER = re.compile(rf"%({NAME});")
_CHARACTER = re.compile(r"&#(?:x([0-9A-Fa-f]+)|([0-9]+));")
_TEXT_DECLARATION = re.compile(r"<\?xml\s[^>]*\?>")
_KEYWORD = re.compile(r"<!([A-Z]+)(?=[\s%>])")
# Up to the end of a declaration: literals may hold any character, `>` among them.
_DECLARATION_BODY = re.compile(r"""(?:[^>"'<]+|"[^"]*"|'[^']*')*""")
_SECTION = re.compile(rf"<!\[\s*(?:(INCLUDE|IGNORE)|%({NAME});)\s*\[")
_SECTION_BRACKET = re.compile(r"<!\[|\]\]>")
_ENTITY = re.compile(
    rf"""\s*(%\s+)?({NAME})\s+(?:("[^"]*"|'[^']*')|(?:SYSTEM|PUBLIC\s+(?:"[^"]*"|'[^']*'))\s+("[^"]*"|'[^']*')(\s+NDATA\s.*)?)\s*""",
    re.DOTALL,
)
_LITERAL = re.compile(r""""[^"]*"|'[^']*'""")


@dataclass(frozen=True, slots=True)
class Declaration:
    """A declaration after expansion: `ELEMENT` and `book (title, author*)`."""

    keyword: str
    body: str
    span: Span
    is_verbatim: bool
    """Whether the body stands in the source as it is, so that offsets into it are places in the source."""

    def place(self, offset: int) -> Span:
        """Where an offset of the body is, as exactly as that can be told."""
        if not self.is_verbatim:
            return self.span
        start = self.span.end - 1 - len(self.body) + offset
        return Span(start, start + 1, self.span.source)


class DtdSource:
    """The declarations of a DTD, of one internal or external subset at a time."""

    def __init__(self, read_entity: ReadEntity | None = None) -> None:
        self._read_entity = read_entity
        self._entities: dict[str, tuple[str, str] | None] = {}
        """Text and name of the place it comes from; None for an entity that may not be read."""
        self._produced = 0
        self.is_complete = True

    def declarations(self, source: SourceText, start: int = 0, end: int | None = None) -> Iterator[Declaration]:
        """The declarations in a range of a source, ENTITY declarations excepted: they take effect here."""
        yield from self._range(source, start, len(source.text) if end is None else end, 0)

    def _range(self, source: SourceText, start: int, end: int, depth: int) -> Iterator[Declaration]:
        if depth > MOST_NESTED:
            raise InputError(
                "XYIN0004", f"parameter entities nested deeper than {MOST_NESTED}", span=Span(start, start + 1, source)
            )
        text = source.text
        declared = _TEXT_DECLARATION.match(text, start, end)
        position, sections = declared.end() if declared else start, 0
        while position < end:
            if space := _SPACE.match(text, position, end):
                position = space.end()
            elif text.startswith("<!--", position):
                position = _after(source, "-->", position, position + 4, end)
            elif text.startswith("<?", position):
                position = _after(source, "?>", position, position + 2, end)
            elif text.startswith("<![", position):
                is_included, position = self._section(source, position, end)
                sections += is_included
            elif sections and text.startswith("]]>", position):
                sections -= 1
                position += 3
            elif reference := _PARAMETER.match(text, position, end):
                position = reference.end()
                yield from self._included(reference, source, depth)
            else:
                declaration = self._declaration(source, position, end)
                position = declaration.span.end
                if declaration.keyword == "ENTITY":
                    self._entity(declaration)
                else:
                    yield declaration
        if sections:
            raise _fault(source, end, "the conditional section has no end: ]]>")

    # --- one declaration

    def _declaration(self, source: SourceText, start: int, end: int) -> Declaration:
        keyword = _KEYWORD.match(source.text, start, end)
        if keyword is None:
            raise _fault(source, start, "a declaration is expected: <!ELEMENT …>, <!ATTLIST …>, <!ENTITY …>")
        body = _DECLARATION_BODY.match(source.text, keyword.end(), end)
        if body is None or not source.text.startswith(">", body.end(), end):
            raise _fault(source, start, f"the {keyword[1]} declaration has no end")
        span = Span(start, body.end() + 1, source)
        text = body[0]
        if "%" not in text:
            return Declaration(keyword[1], text, span, True)
        return Declaration(keyword[1], self._expanded(text, span), span, False)

    def _expanded(self, text: str, span: Span, depth: int = 0) -> str:
        """With parameter entities replaced, each between spaces (XML 1.0 §4.4.8), but none inside literals."""
        if depth > MOST_NESTED:
            raise InputError("XYIN0004", f"parameter entities nested deeper than {MOST_NESTED}", span=span)
        parts: list[str] = []
        position = 0
        for literal in [*_LITERAL.finditer(text), None]:
            until = len(text) if literal is None else literal.start()
            outside = text[position:until]
            parts.append(
                _PARAMETER.sub(lambda m: f" {self._expanded(self._text_of(m[1], span), span, depth + 1)} ", outside)
            )
            if literal is not None:
                parts.append(literal[0])
                position = literal.end()
        return "".join(parts)

    # --- entities

    def _entity(self, declaration: Declaration) -> None:
        match = _ENTITY.fullmatch(declaration.body)
        if match is None:
            raise InputError("XYIN0020", "the ENTITY declaration is malformed", span=declaration.span)
        is_parameter, name, value, system_id, _ = match.groups()
        if not is_parameter or name in self._entities:  # the first declaration binds
            return
        if value is not None:
            self._entities[name] = (self._entity_value(value[1:-1], declaration.span), f"%{name};")
        else:
            self._entities[name] = self._read_entity(system_id[1:-1]) if self._read_entity else None

    def _entity_value(self, value: str, span: Span) -> str:
        """The replacement text: parameter entities and character references replaced (XML 1.0 §4.5)."""
        value = _CHARACTER.sub(_character, _PARAMETER.sub(lambda m: self._text_of(m[1], span), value))
        self._count(len(value), span)
        return value

    def _text_of(self, name: str, span: Span) -> str:
        if name not in self._entities:
            raise InputError("XYIN0020", f"the parameter entity '%{name};' is not declared", span=span)
        entity = self._entities[name]
        if entity is None:
            raise InputError("XYIN0008", f"'%{name};' in a declaration", span=span)
        self._count(len(entity[0]), span)
        return _TEXT_DECLARATION.sub("", entity[0], 1) if entity[0].startswith("<?xml") else entity[0]

    def _count(self, length: int, span: Span) -> None:
        self._produced += length
        if self._produced > MOST_CHARACTERS:
            raise InputError("XYIN0004", f"parameter entities make more than {MOST_CHARACTERS} characters", span=span)

    def _included(self, reference: re.Match[str], source: SourceText, depth: int) -> Iterator[Declaration]:
        name, span = reference[1], Span(reference.start(), reference.end(), source)
        if self._entities.get(name, "") is None or (name not in self._entities and not self.is_complete):
            self.is_complete = False
            return
        text = self._text_of(name, span)
        entity = self._entities[name]
        assert entity is not None
        place = entity[1] if entity[1] != f"%{name};" else f"{source.name} (%{name};)"
        yield from self._range(SourceText(text, place), 0, len(text), depth + 1)

    # --- conditional sections

    def _section(self, source: SourceText, start: int, end: int) -> tuple[bool, int]:
        """Whether a section is included, and the offset to continue from: inside it, or after it."""
        match = _SECTION.match(source.text, start, end)
        if match is None:
            raise _fault(source, start, "a conditional section starts with <![INCLUDE[ or <![IGNORE[")
        keyword = match[1] or self._text_of(match[2], Span(start, match.end(), source)).strip()
        if keyword not in ("INCLUDE", "IGNORE"):
            raise _fault(source, start, f"'{keyword}' where INCLUDE or IGNORE is expected")
        if keyword == "INCLUDE":
            return True, match.end()
        depth = 1
        for bracket in _SECTION_BRACKET.finditer(source.text, match.end(), end):
            depth += 1 if bracket[0] == "<![" else -1
            if depth == 0:
                return False, bracket.end()
        raise _fault(source, start, "the conditional section has no end: ]]>")


def _after(source: SourceText, mark: str, start: int, position: int, end: int) -> int:
    found = source.text.find(mark, position, end)
    if found < 0:
        raise _fault(source, start, f"'{mark}' is missing")
    return found + len(mark)


def _character(match: re.Match[str]) -> str:
    number = int(match[1], 16) if match[1] else int(match[2])
    return chr(number) if number <= 0x10FFFF else match[0]


def _fault(source: SourceText, position: int, why: str) -> InputError:
    return InputError("XYIN0020", why, span=Span(position, position + 1, source))
