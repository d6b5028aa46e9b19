"""Expat's events appended as rows of a tree, with namespaces resolved and limits kept.

Documents repeat themselves: the same tag with the same attribute names in the same namespaces comes again.
Such a *shape* is resolved once, and from then on a start tag costs one look-up and a few list operations.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, NoReturn, cast

from xylem.errors import InputError, InputPlace
from xylem.values.copied_rows import Copies
from xylem.values.name_pool import KIND_BITS, current_pool
from xylem.values.node import ATTRIBUTE, COMMENT, DOCUMENT, ELEMENT, PROCESSING_INSTRUCTION, TEXT
from xylem.values.qname import QName
from xylem.values.tree import XML_NAMESPACE, Tree
from xylem.values.white_space import collapse
from xylem.values.xml_names import is_ncname

from .limits import Limits

if TYPE_CHECKING:
    from pyexpat import XMLParserType

XMLNS_NAMESPACE = "http://www.w3.org/2000/xmlns/"
_MOST_SHAPES = 20_000
_MOST_SCOPES = 2_000
_LONGEST_PATH = 12

StartHandler = Callable[[str, list[str]], None]
"""Expat's start handler with ordered attributes; the stubs of pyexpat know only the other form."""

Shape = tuple[int, list[int], tuple[tuple[int, QName], ...]]
"""The element's code, its attributes' codes, and the rows (counted from the element's) with unusual prefixes."""


class Scope:
    """The declarations of some elements inside the outer scope, the shapes resolved there, and the inner scopes."""

    __slots__ = ("declared", "inner", "shapes")

    def __init__(self, declared: dict[str, str]) -> None:
        self.declared = declared
        self.inner: dict[frozenset[tuple[str, str]], Scope] = {}
        self.shapes: dict[object, Shape] = {}


class TreeLoader:
    """The handlers of one parse. `attach` installs them; `finish` completes the tree."""

    def __init__(self, parser: XMLParserType, limits: Limits, *, is_fragment: bool = False) -> None:
        self.parser = parser
        self.limits = limits
        self.is_fragment = is_fragment
        self.tree = Tree(current_pool())
        self.tree.copies = Copies(limits.copied_nodes)
        self.tree.qnames = {0: None}
        self.id_attributes: set[tuple[str, str]] = set()
        self.idref_attributes: set[tuple[str, str]] = set()
        self.open_row = 0
        self._id_rules: set[tuple[int, int]] = set()
        self._idref_rules: set[tuple[int, int]] = set()
        self.scope = Scope({})
        self._bound: dict[str, list[str]] = {"xml": [XML_NAMESPACE]}
        """The namespaces each prefix is bound to by the open elements, innermost last."""
        self._long_texts: dict[int, list[str]] = {}
        self._long_length = 0

    def attach(self) -> None:
        """Install the handlers. They are closures: their variables are read faster than attributes."""
        parser, tree, limits = self.parser, self.tree, self.limits
        codes, ends, parents, values = tree.codes, tree.ends, tree.parents, tree.values
        codes.append(DOCUMENT)
        ends.append(0)
        parents.append(-1)
        values.append(None)
        add_code, add_end, add_parent, add_value = codes.append, ends.append, parents.append, values.append
        depth_limit, attributes_limit, value_limit = limits.depth, 2 * limits.attributes, limits.attribute_characters
        text_limit = limits.text_characters
        share_space: dict[str, str] = {}
        parent = 0
        count = 1
        depth = 0
        shapes = self.scope.shapes
        scope_row = -1
        outer_scopes: list[tuple[int, Scope]] = []

        def start(tag: str, attributes: list[str]) -> None:
            nonlocal parent, count, depth, shapes, scope_row
            row = count
            depth += 1
            if attributes:
                if len(attributes) > attributes_limit:
                    self.exceeds("attributes", len(attributes) // 2)
                shape = shapes.get((tag, *attributes[::2]))
                if shape is None:
                    declared = self.declarations(attributes)
                    if declared:
                        outer_scopes.append((scope_row, self.scope))
                        scope_row = row
                        shapes = self._enter(row, declared).shapes
                        attributes = self.without_declarations(attributes)
                    shape = self.shape(tag, attributes)
            else:
                shape = shapes.get(tag) or self.shape(tag, attributes)
            add_code(shape[0])
            add_end(0)
            add_parent(parent)
            add_value(None)
            self.open_row = parent = row
            count += 1
            if attributes:
                codes.extend(shape[1])
                given = attributes[1::2]
                values.extend(given)
                size = len(given)
                parents.extend([row] * size)
                count += size
                ends.extend(range(row + 2, count + 1))
                if len(max(given, key=len)) > value_limit:
                    self.exceeds("attribute_characters", len(max(given, key=len)))
            if shape[2]:
                for place, name in shape[2]:
                    tree.rename(row + place, name)
            if depth > depth_limit:
                self.exceeds("depth", depth)

        def end(tag: str) -> None:
            nonlocal parent, depth, shapes, scope_row
            ends[parent] = count
            if parent == scope_row:
                scope_row, outer = outer_scopes.pop()
                self.leave(outer)
                shapes = outer.shapes
            self.open_row = parent = parents[parent]
            depth -= 1

        def text(data: str) -> None:
            nonlocal count
            if codes[-1] == TEXT and parents[-1] == parent:
                self._lengthen(count - 1, data)
                return
            if data[0] == "\n" and data.isspace():
                data = share_space.setdefault(data, data)
            if len(data) > text_limit:
                self.exceeds("text_characters", len(data))
            add_code(TEXT)
            add_parent(parent)
            add_value(data)
            count += 1
            add_end(count)

        def leaf(code: int, data: str) -> None:
            nonlocal count
            if len(data) > text_limit:
                self.exceeds("text_characters", len(data))
            add_code(code)
            add_parent(parent)
            add_value(data)
            count += 1
            add_end(count)

        def comment(data: str) -> None:
            leaf(COMMENT, data)

        def instruction(target: str, data: str) -> None:
            leaf(self.instruction_code(target), data)

        parser.StartElementHandler = start
        parser.EndElementHandler = end
        parser.CharacterDataHandler = text
        parser.CommentHandler = comment
        parser.ProcessingInstructionHandler = instruction
        if self.is_fragment:
            self._ignore_outermost(start, end)

    def _ignore_outermost(self, start: StartHandler, end: Callable[[str], None]) -> None:
        """A fragment is wrapped in one element, which stands for the document node."""
        parser = self.parser
        level = 0

        def begin(tag: str, attributes: list[str]) -> None:
            nonlocal level
            level += 1
            if level > 1:
                start(tag, attributes)

        def finish(tag: str) -> None:
            nonlocal level
            level -= 1
            if level > 0:
                end(tag)

        parser.StartElementHandler = begin
        parser.EndElementHandler = finish

    def finish(self) -> Tree:
        """Close the document node and complete deferred work."""
        tree = self.tree
        tree.ends[0] = len(tree.codes)
        for row, parts in self._long_texts.items():
            tree.values[row] = "".join(parts)
        tree.id_rules = frozenset(self._id_rules)
        tree.idref_rules = frozenset(self._idref_rules)
        xml_id = tree.names.code(ATTRIBUTE, XML_NAMESPACE, "id", "xml")
        if xml_id >> KIND_BITS in tree.qnames:
            for row in tree.elements_named(xml_id):
                tree.values[row] = collapse(tree.values[row] or "")
        return tree

    # --- text longer than expat's buffer

    def _lengthen(self, row: int, data: str) -> None:
        parts = self._long_texts.get(row)
        if parts is None:
            parts = self._long_texts[row] = [self.tree.values[row] or ""]
            self._long_length = len(parts[0])
        parts.append(data)
        self._long_length += len(data)
        if self._long_length > self.limits.text_characters:
            self.exceeds("text_characters", self._long_length)

    # --- names

    def shape(self, tag: str, attributes: list[str]) -> Shape:
        """A start tag resolved in the present scope; `attributes` are without declarations."""
        names = attributes[::2]
        scope = self.scope
        code, name = self._resolve(tag, ELEMENT)
        resolved = [self._resolve(other, ATTRIBUTE) for other in names]
        odd = [(place, q) for place, (c, q) in enumerate([(code, name), *resolved]) if not self._is_usual(c, q)]
        own = [c for c, _ in resolved]
        if len(set(own)) != len(own):
            twice = next(q for c, q in resolved if own.count(c) > 1)
            self.fail("XYIN0001", f"two attributes of <{tag}> are named {twice.eqname}")
        for other, c in zip(names, own, strict=True):
            if (tag, other) in self.id_attributes:
                self._id_rules.add((code, c))
            if (tag, other) in self.idref_attributes:
                self._idref_rules.add((code, c))
        if len(scope.shapes) > _MOST_SHAPES:
            scope.shapes.clear()
        shape = scope.shapes[(tag, *names) if names else tag] = (code, own, tuple(odd))
        return shape

    def _is_usual(self, code: int, name: QName) -> bool:
        """Whether the name has the prefix its kind of node first had in this document."""
        qnames = self.tree.qnames
        assert isinstance(qnames, dict)
        usual = qnames.setdefault(code >> KIND_BITS, name)
        return usual is not None and usual.prefix == name.prefix

    def _resolve(self, raw: str, kind: int) -> tuple[int, QName]:
        if len(raw) > self.limits.name_characters:
            self.exceeds("name_characters", len(raw))
        prefix, colon, local = raw.rpartition(":")
        if colon and (not prefix or ":" in prefix or not is_ncname(local)):
            self.fail("XYIN0001", f"'{raw}' is no name: a prefix and a local name stand around one colon")
        bound = self._bound
        if prefix:
            if prefix not in bound:
                what = "element" if kind == ELEMENT else "attribute"
                self.fail("XYIN0001", f"the prefix '{prefix}' of the {what} '{raw}' is not declared")
            uri = bound[prefix][-1]
        else:
            uri = bound[""][-1] if kind == ELEMENT and "" in bound else ""
        return self.tree.names.code(kind, uri, local, prefix), QName(uri, local, prefix)

    def instruction_code(self, target: str) -> int:
        if ":" in target:
            self.fail("XYIN0001", f"the target '{target}' of a processing instruction has a colon")
        if len(target) > self.limits.name_characters:
            self.exceeds("name_characters", len(target))
        code = self.tree.names.code(PROCESSING_INSTRUCTION, "", target)
        self._is_usual(code, QName("", target))
        return code

    # --- namespace declarations

    def declarations(self, attributes: list[str]) -> dict[str, str]:
        """The namespaces some attributes declare, checked."""
        found: dict[str, str] = {}
        for place in range(0, len(attributes), 2):
            name = attributes[place]
            if name.startswith("xmlns") and (len(name) == 5 or name[5] == ":"):
                found[name[6:]] = attributes[place + 1]
        for prefix, uri in found.items():
            self._check_declaration(prefix, uri)
        return found

    def _check_declaration(self, prefix: str, uri: str) -> None:
        """Namespaces in XML 1.0 §3 and §5."""
        if prefix == "xmlns" or uri == XMLNS_NAMESPACE or (prefix == "xml") != (uri == XML_NAMESPACE):
            self.fail("XYIN0001", f"the prefix '{prefix}' cannot be bound to '{uri}'")
        if prefix and not uri:
            self.fail("XYIN0001", f"the prefix '{prefix}' cannot be undeclared in XML 1.0")
        if prefix and not is_ncname(prefix):
            self.fail("XYIN0001", f"'{prefix}' is no prefix")

    @staticmethod
    def without_declarations(attributes: list[str]) -> list[str]:
        kept: list[str] = []
        for place in range(0, len(attributes), 2):
            name = attributes[place]
            if not (name.startswith("xmlns") and (len(name) == 5 or name[5] == ":")):
                kept += attributes[place : place + 2]
        return kept

    def _enter(self, row: int, declared: dict[str, str]) -> Scope:
        new = self.enter(declared)
        if new:
            self.tree.declare(row, new)
        return self.scope

    def enter(self, declared: dict[str, str]) -> dict[str, str]:
        """Make `scope` that of an element with these declarations; return those that change anything."""
        bound, outer = self._bound, self.scope
        new = {p: uri for p, uri in declared.items() if (bound[p][-1] if p in bound else "") != uri}
        if not new:
            return new
        for prefix, uri in new.items():
            bound.setdefault(prefix, []).append(uri)
        key = frozenset(new.items())
        scope = outer.inner.get(key)
        if scope is None:
            if len(outer.inner) >= _MOST_SCOPES:
                # A document may keep binding new namespaces.
                outer.inner.clear()
            scope = outer.inner[key] = Scope(new)
        self.scope = scope
        return new

    def leave(self, outer: Scope) -> None:
        """An element has ended that may have made an inner scope."""
        if self.scope is outer:
            return
        for prefix in self.scope.declared:
            known = self._bound[prefix]
            known.pop()
            if not known:
                del self._bound[prefix]
        self.scope = outer

    def start_handler(self) -> StartHandler:
        """The handler installed now, for a guard to call."""
        return cast(StartHandler, self.parser.StartElementHandler)

    # --- errors

    def exceeds(self, limit: str, actual: int) -> NoReturn:
        allowed = getattr(self.limits, limit)
        self.fail("XYIN0004", f"{limit.replace('_', ' ')}: {actual} where {allowed} are allowed", limit)

    def fail(self, code: str, why: str, limit: str = "", hint: str = "") -> NoReturn:
        parser = self.parser
        line, column = parser.CurrentLineNumber, parser.CurrentColumnNumber
        place = self.place(line, column, parser.CurrentByteIndex)
        raise InputError(code, why, place=place, limit=limit, hint=hint)

    def place(self, line: int, column: int, byte_offset: int) -> InputPlace:
        """A place in expat's coordinates."""
        names = self.names_on_the_way()
        if len(names) > _LONGEST_PATH:
            names = [*names[:3], "…", *names[-_LONGEST_PATH + 4 :]]
        path = "".join("/" + name for name in names)
        return InputPlace(byte_offset, line, column + 1, path)

    def names_on_the_way(self) -> list[str]:
        """The names of the open elements, outermost first."""
        tree = self.tree
        row = self.open_row
        names: list[str] = []
        while row > 0:
            names.append(str(tree.name(row)))
            row = tree.parents[row]
        names.reverse()
        return names
