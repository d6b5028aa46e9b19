"""Names: NCName, QName and EQName (XQuery 3.1, 2.4.1 and A.2.1)."""

from __future__ import annotations

import re

from ..ast import Name
from .characters import NCNAME, is_ncname
from .literals import LiteralGrammar

NAME = re.compile(rf"(?:Q\{{([^{{}}]*)\}}|({NCNAME}):)?(?!Q\{{)({NCNAME})").match
"""An EQName. White space is not allowed around the colon (A.2.4.2, ws: explicit)."""

RESERVED = frozenset(
    [
        "array",
        "attribute",
        "comment",
        "document-node",
        "element",
        "empty-sequence",
        "function",
        "if",
        "item",
        "map",
        "namespace-node",
        "node",
        "processing-instruction",
        "schema-attribute",
        "schema-element",
        "switch",
        "text",
        "typeswitch",
    ]
)
"""Names that cannot name a function unless they have a prefix (A.3)."""


class NameGrammar(LiteralGrammar):
    """The productions of names."""

    def name_from(self, found: re.Match[str]) -> Name:
        """The name that `NAME` matched; the cursor does not move."""
        uri, prefix, local = found.groups()
        start, end = found.span()
        if not found.group().isascii():
            self._check(found)
        if uri is not None:
            uri = self.braced_uri(start + 2, start + 2 + len(uri))
        self.end = end
        return Name(local, prefix, uri, span=self.span(start))

    def _check(self, found: re.Match[str]) -> None:
        for group in (2, 3):
            part = found.group(group)
            if part and not is_ncname(part):
                raise self.fault(f"`{part}` is not a name", found.start(group), found.end(group))

    def eqname(self, what: str = "a name") -> Name:
        """EQName [218]."""
        found = NAME(self.text, self.pos)
        if found is None:
            raise self.expected(what)
        name = self.name_from(found)
        self.jump(found.end())
        return name

    def ncname(self, what: str = "a name without a prefix") -> str:
        """NCName [235]."""
        word = self.word()
        if not word or not (word.isascii() or is_ncname(word)):
            raise self.expected(what)
        self.jump(self.pos + len(word))
        return word

    def variable_name(self) -> Name:
        """`$` and an EQName; white space may stand between them. The span covers both."""
        start = self.pos
        if not self.take("$"):
            raise self.expected("a variable such as `$x`")
        found = NAME(self.text, self.pos)
        if found is None:
            raise self.expected("the name of a variable")
        name = self.name_from(found)
        self.jump(found.end())
        return Name(name.local, name.prefix, name.uri, span=self.span(start))

    def at_reserved(self, name: Name) -> bool:
        """Whether the name cannot be that of a function."""
        return name.prefix is None and name.uri is None and name.local in RESERVED

    def function_name(self) -> Name:
        """An EQName that may name a function (A.3)."""
        start = self.pos
        name = self.eqname("the name of a function")
        if self.at_reserved(name):
            raise self.fault(f"`{name.local}` is reserved and cannot name a function", start, self.end)
        return name
