"""Element and attribute declarations of a DTD (XML 1.0 §3.2, §3.3), and the DOCTYPE of a document that holds some."""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace

from xylem.errors import InputError, SourceText, Span

from .content_model import Any, Choice, Content, Empty, Mixed, Name, Optional, PCData, Plus, Sequence, Star
from .declarations import AttributeDeclaration, ElementDeclaration
from .dtd_namespaces import XMLNS
from .dtd_source import NAME, Declaration, DtdSource, ReadEntity

MOST_NESTED_GROUPS = 200
MOST_NAMES = 4_000
"""Most names in one content model: derived data grows with the square of its names."""

_TOKEN = re.compile(rf"\s*({NAME}|#PCDATA|[(),|?*+]|\Z)")
_ELEMENT = re.compile(rf"\s*({NAME})\s+(?=\S)")
_ATTLIST = re.compile(rf"\s*({NAME})(?=\s|\Z)")
_ATTRIBUTE = re.compile(
    rf"""\s*({NAME})\s+(NOTATION\s*)?(\([^)]*\)|[A-Z]+)\s*(\#REQUIRED|\#IMPLIED|(?:(\#FIXED)\s+)?("[^"]*"|'[^']*'))"""
)
_DOCTYPE = re.compile(
    rf"""<!DOCTYPE\s+({NAME})(?:\s+(?:SYSTEM|PUBLIC\s+(?:"[^"]*"|'[^']*'))\s+("[^"]*"|'[^']*'))?\s*(\[)?"""
)
_BEFORE_DOCTYPE = re.compile(r"(?:\ufeff)?(?:\s+|<\?.*?\?>|<!--.*?-->)*", re.DOTALL)
# The end of an internal subset: literals, comments and instructions may hold a bracket.
_SUBSET = re.compile(r"""(?:[^\]"'<]+|"[^"]*"|'[^']*'|<!--.*?-->|<\?.*?\?>|<)*""", re.DOTALL)
_TYPES = frozenset({"CDATA", "ID", "IDREF", "IDREFS", "ENTITY", "ENTITIES", "NMTOKEN", "NMTOKENS"})
_ATTRIBUTE_NAMESPACES = {"": "", "xml": "http://www.w3.org/XML/1998/namespace"}
"""Namespaces that a DTD determines: attributes without a prefix have none."""
_REPETITIONS = {"?": Optional, "*": Star, "+": Plus}


@dataclass
class Dtd:
    """The declarations of a DTD, by names as written, in the order of the text."""

    elements: dict[str, ElementDeclaration] = field(default_factory=dict)
    namespaces: dict[str, dict[str, AttributeDeclaration]] = field(default_factory=dict)
    """The declared attributes `xmlns` and `xmlns:p`, by element."""
    root: str | None = None
    """The element a DOCTYPE names."""
    is_complete: bool = True
    """False if an external part was not read: undeclared elements may be declared there."""


def read_dtd(source: SourceText, read_entity: ReadEntity | None = None) -> Dtd:
    """The declarations of an external subset: the content of a `.dtd` file.

    >>> print(read_dtd(SourceText("<!ELEMENT book (title, author*)>")).elements["book"].content)
    (title, author*)
    """
    reader = _DtdReader(read_entity)
    reader.read(source)
    return reader.finished()


def read_doctype(source: SourceText, read_entity: ReadEntity | None = None) -> Dtd | None:
    """The declarations of a document's DOCTYPE, with external ones only if they can be read; None without one."""
    before = _BEFORE_DOCTYPE.match(source.text)
    start = before.end() if before else 0
    doctype = _DOCTYPE.match(source.text, start)
    if doctype is None:
        return None
    reader = _DtdReader(read_entity)
    if doctype[3]:
        subset = _SUBSET.match(source.text, doctype.end())
        if subset is None or not source.text.startswith("]", subset.end()):
            raise InputError(
                "XYIN0020", "the document type declaration has no end", span=Span(start, start + 9, source)
            )
        reader.read(source, doctype.end(), subset.end())
    if doctype[2] is not None:
        outside = read_entity(doctype[2][1:-1]) if read_entity else None
        if outside is None:
            reader.source.is_complete = False
        else:
            reader.read(SourceText(*outside))
    return replace(reader.finished(), root=doctype[1])


class _DtdReader:
    def __init__(self, read_entity: ReadEntity | None) -> None:
        self.source = DtdSource(read_entity)
        self.contents: dict[str, Content] = {}
        self.attributes: dict[str, dict[str, AttributeDeclaration]] = {}
        self.namespaces: dict[str, dict[str, AttributeDeclaration]] = {}

    def read(self, source: SourceText, start: int = 0, end: int | None = None) -> None:
        for declaration in self.source.declarations(source, start, end):
            match declaration.keyword:
                case "ELEMENT":
                    self._element(declaration)
                case "ATTLIST":
                    self._attributes(declaration)
                case "NOTATION":
                    pass
                case keyword:
                    raise InputError("XYIN0020", f"<!{keyword}> is not a declaration", span=declaration.span)

    def finished(self) -> Dtd:
        elements = {
            name: ElementDeclaration(name, content, tuple(self.attributes.get(name, {}).values()))
            for name, content in self.contents.items()
        }
        return Dtd(elements, self.namespaces, None, self.source.is_complete)

    def _element(self, declaration: Declaration) -> None:
        match = _ELEMENT.match(declaration.body)
        if match is None:
            raise _malformed(declaration, 0, "an element declaration has a name and a content")
        name = match[1]
        if name in self.contents:
            raise _malformed(declaration, match.start(1), f"the element '{name}' is declared twice")
        self.contents[name] = _ContentReader(declaration, match.end()).content()

    def _attributes(self, declaration: Declaration) -> None:
        body = declaration.body
        element = _ATTLIST.match(body)
        if element is None:
            raise _malformed(declaration, 0, "an attribute list starts with the name of an element")
        declared = self.attributes.setdefault(element[1], {})
        position = element.end()
        while body[position:].strip():
            match = _ATTRIBUTE.match(body, position)
            if match is None or not (match[3].startswith("(") or match[3] in _TYPES):
                raise _malformed(declaration, position, "an attribute has a name, a type and a default")
            position = match.end()
            name = match[1]
            if name == XMLNS or name.startswith(f"{XMLNS}:"):
                # Namespace declarations are no attributes to a query.
                self.namespaces.setdefault(element[1], {}).setdefault(name, _attribute(match))
            elif name not in declared:
                # The first declaration binds (§3.3).
                declared[name] = _attribute(match)


def _attribute(match: re.Match[str]) -> AttributeDeclaration:
    name, notation, kind, use, fixed, default = match.groups()
    is_list = kind.startswith("(")
    prefix, _, local = name.rpartition(":")
    return AttributeDeclaration(
        local,
        _ATTRIBUTE_NAMESPACES.get(prefix),
        type=("NOTATION" if notation else "enumeration") if is_list else kind,
        required=use == "#REQUIRED",
        default=default[1:-1] if default else None,
        fixed=bool(fixed),
        values=tuple(kind[1:-1].replace("|", " ").split()) if is_list else (),
    )


class _ContentReader:
    """Reads one content specification (productions 46 to 51), without recursion."""

    def __init__(self, declaration: Declaration, position: int) -> None:
        self.declaration = declaration
        self.body = declaration.body
        self.position = position
        self.start = position

    def content(self) -> Content:
        if self.body[self.position :].strip() in ("EMPTY", "ANY"):
            return Empty() if "EMPTY" in self.body[self.position :] else Any()
        if self._next() != "(":
            raise self._malformed("a content is EMPTY, ANY or a group in parentheses")
        if self._peek() == "#PCDATA":
            return self._mixed()
        content = self._groups()
        if self._next():
            raise self._malformed("the content ends here")
        return content

    def _groups(self) -> Content:
        """From after the first parenthesis to the one that closes it and its `?`, `*` or `+`."""
        stack: list[tuple[list[Content], str]] = [([], "")]
        names = 0
        while True:
            token = self._next()
            if token == "(":
                if len(stack) >= MOST_NESTED_GROUPS:
                    raise self._too_large(f"groups nested deeper than {MOST_NESTED_GROUPS}")
                stack.append(([], ""))
                continue
            if not token or token in "),|?*+" or token == "#PCDATA":
                raise self._malformed("a name or a group is expected")
            names += 1
            if names > MOST_NAMES:
                raise self._too_large(f"more than {MOST_NAMES} names in one content")
            done: Content = self._repetition(Name(token.rpartition(":")[2], None, token))
            while True:
                parts, separator = stack[-1]
                parts.append(done)
                token = self._next()
                if token in (",", "|") and separator in ("", token):
                    stack[-1] = (parts, token)
                    break
                if token != ")":
                    raise self._malformed(f"'{separator or ','}' or ')' is expected")
                stack.pop()
                group = Choice(tuple(parts)) if separator == "|" else Sequence(tuple(parts))
                done = self._repetition(group if len(parts) > 1 else parts[0])
                if not stack:
                    return done

    def _repetition(self, part: Content) -> Content:
        mark = self.body[self.position : self.position + 1]
        if mark not in _REPETITIONS:
            return part
        self.position += 1
        return _REPETITIONS[mark](part)

    def _mixed(self) -> Content:
        self._next()
        names: list[Content] = []
        while (token := self._next()) == "|":
            name = self._next()
            if not name or name in "(),|?*+" or name == "#PCDATA":
                raise self._malformed("mixed content lists names only: (#PCDATA | a | b)*")
            names.append(Name(name.rpartition(":")[2], None, name))
            if len(names) > MOST_NAMES:
                raise self._too_large(f"more than {MOST_NAMES} names in one content")
        if token != ")":
            raise self._malformed("'|' or ')' is expected")
        repeats = self._next() == "*"
        if self._peek() or (names and not repeats):
            raise self._malformed("mixed content with elements ends with )*")
        return Mixed(Star(Choice(tuple(names)))) if names else PCData()

    # --- tokens

    def _next(self) -> str:
        match = _TOKEN.match(self.body, self.position)
        if match is None:
            self.start = self.position
            raise self._malformed("a character that no content has")
        self.start, self.position = match.start(1), match.end()
        return match[1]

    def _peek(self) -> str:
        before = self.start, self.position
        token = self._next()
        self.start, self.position = before
        return token

    def _too_large(self, why: str) -> InputError:
        return InputError("XYIN0004", why, span=self.declaration.span)

    def _malformed(self, why: str) -> InputError:
        return _malformed(self.declaration, self.start, why)


def _malformed(declaration: Declaration, offset: int, why: str) -> InputError:
    return InputError("XYIN0020", why, span=declaration.place(offset))
