"""Direct constructors: the parts of a query that look like XML (XQuery 3.1, 3.9.1 and 3.9.2).

Inside them every character counts, so these productions move the cursor by hand and skip nothing, until an
enclosed expression hands over to the rest of the grammar. The boundary-space policy is applied here, because only
the text tells white space that was typed from white space that a reference or CDATA section put there.
"""

from __future__ import annotations

import re

from ..ast import (
    DirectAttribute,
    DirectComment,
    DirectElement,
    DirectPI,
    DirectText,
    EnclosedExpr,
    Expr,
    Name,
    NamespaceDeclaration,
    SequenceExpr,
)
from .characters import NCNAME, collapse, is_ncname
from .types import TypeGrammar

_space = re.compile(r"[ \t\n\r]*").match
_qname = re.compile(rf"(?:({NCNAME}):)?({NCNAME})").match
_content_text = re.compile(r"[^<{}&\0]+").match
_attribute_text = {'"': re.compile(r'[^"<{}&\0]+').match, "'": re.compile(r"[^'<{}&\0]+").match}
_plain_attribute = re.compile(r"\"([^\"<{}&\t\n\r\0]*)\"(?!\")|'([^'<{}&\t\n\r\0]*)'(?!')").match
_comment = re.compile(r"<!--([^-]*(?:-[^-]+)*)-->").match
_pi = re.compile(rf"<\?({NCNAME})(?:[ \t\n\r]+(.*?))?\?>", re.DOTALL).match

XML_NAMESPACE = "http://www.w3.org/XML/1998/namespace"
XMLNS_NAMESPACE = "http://www.w3.org/2000/xmlns/"


class DirectConstructorGrammar(TypeGrammar):
    """The productions of direct constructors. Methods named `raw_…` end on the character after what they read."""

    strips_boundary_space = True

    def direct_constructor(self) -> Expr:
        """DirectConstructor [141]; what follows it is ordinary text again."""
        node = self._raw_constructor()
        self.jump(self.pos)
        return node

    def _raw_constructor(self) -> Expr:
        if self.text.startswith("<!--", self.pos):
            return self._raw_comment()
        if self.text.startswith("<?", self.pos):
            return self._raw_pi()
        return self._raw_element()

    # --- elements

    def _raw_element(self) -> Expr:
        start = self.pos
        self.descend(start)
        self.pos += 1
        if self.text[self.pos] in "\"'!/ \t\n=>":
            raise self.expected("an expression or the name of an element after `<`")
        name = self._raw_qname("the name of an element")
        namespaces, attributes = self._raw_attributes(start)
        content: tuple[Expr, ...] = ()
        if self.text.startswith("/>", self.pos):
            self.pos += 2
        elif self.text[self.pos] == ">":
            self.pos += 1
            content = self._raw_content(start, name)
        else:
            raise self.expected("`>`, `/>` or an attribute")
        self.end = self.pos
        self.depth -= 1
        return DirectElement(name, namespaces, attributes, content, span=self.span(start))

    def _raw_qname(self, what: str) -> Name:
        found = _qname(self.text, self.pos)
        if found is None:
            raise self.expected(what)
        prefix, local = found.groups()
        for part in (prefix, local):
            if part and not part.isascii() and not is_ncname(part):
                raise self.fault(f"`{part}` is not a name", self.pos, found.end())
        start = self.pos
        self.end = self.pos = found.end()
        return Name(local, prefix, span=self.span(start))

    def _raw_attributes(self, opener: int) -> tuple[tuple[NamespaceDeclaration, ...], tuple[DirectAttribute, ...]]:
        namespaces: list[NamespaceDeclaration] = []
        attributes: list[DirectAttribute] = []
        text = self.text
        while True:
            before = self.pos
            self.pos = _space(text, before).end()  # type: ignore[union-attr]
            char = text[self.pos]
            if char in "/>":
                return tuple(namespaces), tuple(attributes)
            if char == "\0":
                raise self.fault("this start tag is never closed by `>`", opener, self.end)
            if before == self.pos:
                raise self.expected("white space, `>` or `/>`")
            self._raw_attribute(namespaces, attributes)

    def _raw_attribute(self, namespaces: list[NamespaceDeclaration], attributes: list[DirectAttribute]) -> None:
        start = self.pos
        name = self._raw_qname("an attribute, `>` or `/>`")
        self.pos = _space(self.text, self.pos).end()  # type: ignore[union-attr]
        if self.text[self.pos] != "=":
            raise self.expected(f"`=` and a value for the attribute `{name}`")
        self.pos = _space(self.text, self.pos + 1).end()  # type: ignore[union-attr]
        parts = self._raw_value()
        self.end = self.pos
        if name.prefix == "xmlns" or (name.prefix is None and name.local == "xmlns"):
            prefix = name.local if name.prefix else ""
            self._declare(NamespaceDeclaration(prefix, self._uri_of(parts), span=self.span(start)), namespaces)
        else:
            attributes.append(DirectAttribute(name, parts, span=self.span(start)))

    def _raw_value(self) -> tuple[str | EnclosedExpr, ...]:
        """DirAttributeValue [144], white space normalised (3.9.1.1): what references give is left as it is."""
        text, start = self.text, self.pos
        plain = _plain_attribute(text, start)
        if plain is not None:
            self.pos = plain.end()
            value = plain.group(1) or plain.group(2)
            return (value,) if value else ()
        quote = text[start]
        if quote not in "\"'":
            raise self.expected("an attribute value in quotes")
        self.pos += 1
        parts: list[str | EnclosedExpr] = []
        literal: list[str] = []
        while True:
            found = _attribute_text[quote](text, self.pos)
            if found is not None:
                literal.append(found.group().replace("\n", " ").replace("\t", " "))
                self.pos = found.end()
            char = text[self.pos]
            if char == quote:
                if text[self.pos + 1] != quote:
                    break
                literal.append(quote)
                self.pos += 2
            elif char == "&":
                resolved, self.pos = self.reference(self.pos)
                literal.append(resolved)
            elif text[self.pos : self.pos + 2] in ("{{", "}}"):
                literal.append(char)
                self.pos += 2
            elif char == "{":
                if literal:
                    parts.append("".join(literal))
                    literal = []
                parts.append(self._raw_enclosed())
            elif char == "\0":
                raise self.fault("this attribute value is never closed", start, start + 1, f"close it with {quote}")
            else:
                raise self._lone(char)
        self.pos += 1
        if literal:
            parts.append("".join(literal))
        return tuple(parts)

    def _lone(self, char: str) -> Exception:
        instead = {"<": "`&lt;`", "}": "`}}`"}[char]
        return self.fault(f"`{char}` cannot stand here by itself", self.pos, self.pos + 1, f"write {instead}")

    def _raw_enclosed(self) -> EnclosedExpr:
        """`{ E? }`; the character after the brace is the next one of the content."""
        start = self.pos
        self.jump(start + 1)
        if self.text[self.pos] == "}":
            body: Expr = SequenceExpr(span=self.span(start))
        else:
            body = self.expr()
        if self.text[self.pos] != "}":
            raise self.unclosed("}", start)
        self.end = self.pos = self.pos + 1
        return EnclosedExpr(body, span=self.span(start))

    # --- namespace declarations (3.9.1.2)

    def _uri_of(self, parts: tuple[str | EnclosedExpr, ...]) -> str:
        for part in parts:
            if isinstance(part, EnclosedExpr):
                raise self.error("XQST0022", "", part.span.start, part.span.end)
        return collapse("".join(part for part in parts if isinstance(part, str)))

    def _declare(self, new: NamespaceDeclaration, namespaces: list[NamespaceDeclaration]) -> None:
        start, end = new.span.start, new.span.end
        if new.prefix and not new.uri:
            raise self.error("XQST0085", f"`xmlns:{new.prefix}` has no URI", start, end)
        if any(new.prefix == known.prefix for known in namespaces):
            raise self.error("XQST0071", f"`{new.prefix}`" if new.prefix else "the default namespace", start, end)
        self.check_binding(new.prefix, new.uri, start, end)
        namespaces.append(new)

    def check_binding(self, prefix: str, uri: str, start: int, end: int) -> None:
        """Refuse what may not be done to the prefixes `xml` and `xmlns` and their namespaces (XQST0070)."""
        if prefix == "xmlns" or uri == XMLNS_NAMESPACE or (prefix == "xml") != (uri == XML_NAMESPACE):
            raise self.error("XQST0070", f"`{prefix}` cannot stand for `{uri}`", start, end)

    # --- content

    def _raw_content(self, opener: int, name: Name) -> tuple[Expr, ...]:
        content: list[Expr] = []
        text = self.text
        while True:
            run = self._raw_text()
            if run is not None:
                content.append(run)
            char = text[self.pos]
            if char == "<":
                if text[self.pos + 1] == "/":
                    self._raw_end_tag(name)
                    return tuple(content)
                content.append(self._raw_constructor())
            elif char == "{":
                content.append(self._raw_enclosed())
            elif char == "}":
                raise self._lone(char)
            else:
                raise self.fault(f"`<{name}>` is never closed by `</{name}>`", opener, name.span.end)

    def _raw_text(self) -> DirectText | None:
        """A run of characters up to the next constructor, enclosed expression or tag, if anything of it stays."""
        start = self.pos
        parts: list[str] = []
        is_boundary = True
        while True:
            found = _content_text(self.text, self.pos)
            if found is not None:
                part = found.group()
                is_boundary = is_boundary and part.isspace() and not part.strip(" \t\n\r")
                self.pos = found.end()
            elif self.text[self.pos] == "&":
                part, self.pos = self.reference(self.pos)
                is_boundary = False
            elif self.text[self.pos : self.pos + 2] in ("{{", "}}"):
                part = self.text[self.pos]
                self.pos += 2
                is_boundary = False
            elif self.text.startswith("<![CDATA[", self.pos):
                part = self._raw_cdata()
                is_boundary = False
            else:
                break
            parts.append(part)
        value = "".join(parts)
        self.end = self.pos
        if not value or (is_boundary and self.strips_boundary_space):
            return None
        return DirectText(value, span=self.span(start))

    def _raw_cdata(self) -> str:
        start = self.pos
        end = self.text.find("]]>", start + 9)
        if end < 0:
            raise self.fault("this CDATA section is never closed by `]]>`", start, start + 9)
        self.pos = end + 3
        return self.text[start + 9 : end]

    def _raw_end_tag(self, name: Name) -> None:
        start = self.pos
        self.pos += 2
        found = self._raw_qname("the name of an end tag")
        if found != name:
            line, column = self.source.position(name.span.start)
            raise self.error("XQST0118", f"`</{found}>` does not close `<{name}>` of {line}:{column}", start)
        self.pos = _space(self.text, self.pos).end()  # type: ignore[union-attr]
        if self.text[self.pos] != ">":
            raise self.expected("`>`")
        self.pos += 1

    # --- comments and processing instructions

    def _raw_comment(self) -> Expr:
        start = self.pos
        found = _comment(self.text, start)
        if found is None:
            raise self.fault("this comment is not closed by `-->`, or holds `--`", start, start + 4)
        self.end = self.pos = found.end()
        return DirectComment(found.group(1), span=self.span(start))

    def _raw_pi(self) -> Expr:
        start = self.pos
        found = _pi(self.text, start)
        if found is None:
            raise self.fault("this is not `<?target text?>`", start, start + 2)
        target = found.group(1)
        if target.lower() == "xml" or not (target.isascii() or is_ncname(target)):
            raise self.fault(f"`{target}` cannot be the target of a processing instruction", start + 2, found.end(1))
        self.end = self.pos = found.end()
        return DirectPI(target, found.group(2) or "", span=self.span(start))
