"""Building a tree node by node, with the rules of XQuery's node constructors (XQuery 3.1 §3.9).

    builder = TreeBuilder(base_uri=static_base)
    builder.start_element(QName("", "person"), {})
    builder.attribute(QName("", "id"), "p1")
    builder.items(content)                        # an enclosed expression
    builder.end_element()
    node = builder.finish()

Nested constructors write into the same builder: that a nested element is "copied" into its parent (§3.9.1.3) cannot be
seen, since nothing else holds it. The copy-namespaces modes are applied all the same.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import chain
from typing import Any

from xylem.errors import DynamicError

from . import constructor_rules as rules
from .array import XArray
from .deferred_tree import DeferredTree, Piece, can_be_deferred, can_be_noted, defer, root_code
from .function_item import FunctionItem
from .map import XMap
from .name_pool import KIND_BITS, KIND_MASK, current_pool
from .node import ATTRIBUTE, COMMENT, DOCUMENT, ELEMENT, NAMESPACE, PROCESSING_INSTRUCTION, TEXT, Node
from .qname import QName
from .string_of import string_of
from .tree import Tree, leaf
from .tree_copy import append_subtree
from .tree_interface import TreeInterface

_NO_NAMESPACES: dict[str, str] = {}
_NO_DECLARATIONS: Mapping[str, str] = {}


class TreeBuilder:
    """Appends rows to a new tree. Errors leave the builder unusable; it is then thrown away."""

    __slots__ = (
        "_declared_here",
        "_is_copied",
        "_open",
        "_passed",
        "_pieces",
        "codes",
        "copy_inherit",
        "copy_preserve",
        "current",
        "ends",
        "parents",
        "scope",
        "tree",
        "values",
    )

    def __init__(self, base_uri: str | None = None, copy_preserve: bool = True, copy_inherit: bool = True) -> None:
        self.tree = tree = Tree(current_pool(), base_uri)
        self.codes = tree.codes
        self.ends = tree.ends
        self.parents = tree.parents
        self.values = tree.values
        self.copy_preserve = copy_preserve
        self.copy_inherit = copy_inherit
        self.current = -1
        """The open element or document, -1 for none."""
        self.scope: dict[str, str] = _NO_NAMESPACES
        """Namespaces in scope of `current`; shared with its parent until it declares one."""
        self._passed: dict[str, str] = _NO_NAMESPACES
        """Those of `scope` that literal content shares: not those that only names and namespace nodes introduced."""
        self._is_copied = False
        """Whether `current` counts as copied into its parent, so copy-namespaces applies to it."""
        self._declared_here: Mapping[str, str] = _NO_DECLARATIONS
        """The bindings at `current` from declarations and namespace nodes, not from mere names."""
        self._open: list[tuple[int, dict[str, str], dict[str, str], bool]] = []
        self._pieces: dict[int, Piece] | None = None
        """Pieces that are copied on first access, by their placeholder rows."""

    # --- structure

    def start_document(self, uri: str | None = None) -> None:
        """Open the document node; it can only be the root."""
        self.tree.document_uri = uri
        row = self._append(DOCUMENT, None)
        self._open.append((self.current, self.scope, self._passed, self._is_copied))
        self.current = row

    def end_document(self) -> None:
        self.end_element()

    def start_element(
        self,
        name: QName,
        declared: Mapping[str, str] = _NO_DECLARATIONS,
        around: Mapping[str, str] = _NO_DECLARATIONS,
        literal: bool = False,
    ) -> None:
        """Open an element (§3.9.1.3, §3.9.4).

        `declared` are the namespace declaration attributes of a direct constructor, `around` those of the direct
        constructors that enclose this constructor in the query. `literal`: the constructor is written directly in the
        content of the open element, not in an expression there, so it is part of it and not copied into it.
        """
        tree, parent, outer = self.tree, self.current, self.scope
        code = tree.names.code_of(ELEMENT, name)
        row = len(self.codes)
        self.codes.append(code)
        self.ends.append(row)
        self.parents.append(parent)
        self.values.append(None)
        prefix, uri = name.prefix, name.uri
        usual = tree.names.qnames[code >> KIND_BITS]
        if usual is not None and usual.prefix != prefix:
            tree.rename(row, name)
        if prefix or uri:
            rules.check_element_name(name)
        is_copied = self._is_copied if literal else parent >= 0
        passed = self._passed if literal else outer if self.copy_inherit else _NO_NAMESPACES
        self._declared_here = declared
        if (declared or around) and (self.copy_preserve or not is_copied):
            own = {**around, **declared}
            if any(passed.get(p, "") != u for p, u in own.items()):
                passed = {**passed, **own}
        scope = passed
        if passed.get(prefix, "") != uri and prefix != "xml":
            scope = {**passed, prefix: uri}
        if scope is not outer:
            self._declare_difference(row, outer, scope)
        self._open.append((parent, outer, self._passed, self._is_copied))
        self.current = row
        self.scope = scope
        self._passed = passed
        self._is_copied = is_copied

    def _declare_difference(self, row: int, outer: dict[str, str], scope: dict[str, str]) -> None:
        """Declare how the namespaces of an element differ from those of its parent."""
        if any(uri and p not in scope for p, uri in outer.items()):
            self.tree.isolate(row)
            outer = _NO_NAMESPACES
        new = {p: uri for p, uri in scope.items() if outer.get(p, "") != uri and p != "xml"}
        if new:
            self.tree.declare(row, new)

    def end_element(self) -> None:
        """Close the open element or document."""
        self.ends[self.current] = len(self.codes)
        self.current, self.scope, self._passed, self._is_copied = self._open.pop()

    def _append(self, code: int, value: str | None) -> int:
        row = len(self.codes)
        self.codes.append(code)
        self.ends.append(row + 1)
        self.parents.append(self.current)
        self.values.append(value)
        return row

    # --- attributes and namespaces

    def attribute(self, name: QName, value: str, is_id: bool = False) -> None:
        """Add an attribute to the open element, before any other content."""
        codes = self.codes
        current = self.current
        tree = self.tree
        row = len(codes)
        code = tree.names.code_of(ATTRIBUTE, name)
        if row - 1 != current:
            self._expect_attributes("an attribute", name)
            if code in codes[current + 1 :]:
                raise DynamicError("XQDY0025", f"the attribute {name}")
        elif current < 0 or codes[current] == DOCUMENT:
            self._expect_attributes("an attribute", name)
        if name.uri or name.prefix or name.local == "xmlns":
            rules.check_attribute_name(name)
            name = self._bound(name)
            if name.uri == rules.XML_NAMESPACE and name.local == "id":
                value = rules.id_value(value)
        codes.append(code)
        self.ends.append(row + 1)
        self.parents.append(current)
        self.values.append(value)
        usual = tree.names.qnames[code >> KIND_BITS]
        if usual is not None and usual.prefix != name.prefix:
            tree.rename(row, name)
        if is_id:
            tree.id_rules |= {(codes[current], code)}

    def _expect_attributes(self, what: str, name: object) -> None:
        current = self.current
        last = len(self.codes) - 1
        if current < 0 or self.codes[current] & KIND_MASK == DOCUMENT:
            raise DynamicError("XPTY0004", f"{what} ({name}) cannot stand in a document node")
        if last != current and (self.parents[last] != current or self.codes[last] & KIND_MASK != ATTRIBUTE):
            raise DynamicError("XQTY0024", f"{what} ({name}) after other content of <{self.tree.name(current)}>")

    def _bound(self, name: QName) -> QName:
        """The attribute's name with a prefix that is bound to its namespace at the open element (§3.9.3.9.1)."""
        prefix, uri, scope = name.prefix, name.uri, self.scope
        if uri == rules.XML_NAMESPACE:
            return name if prefix else QName(uri, name.local, "xml")
        if prefix and scope.get(prefix) == uri:
            return name
        if prefix and not self._is_taken(prefix):
            self._bind(prefix, uri)
            return name
        for other, bound in scope.items():
            if bound == uri and other:
                return QName(uri, name.local, other)
        invented = self._invented(prefix)
        self._bind(invented, uri)
        return QName(uri, name.local, invented)

    def _is_taken(self, prefix: str) -> bool:
        """Whether the open element needs the prefix for something else; an inherited binding may be hidden."""
        row = self.current
        if prefix in self.tree.declared.get(row, _NO_DECLARATIONS):
            return True
        used = [row, *range(row + 1, len(self.codes))]
        return any(name is not None and name.prefix == prefix for name in map(self.tree.name, used))

    def _invented(self, prefix: str) -> str:
        scope = self.scope
        stem, number = (prefix + "_", 1) if prefix else ("ns", 0)
        while f"{stem}{number}" in scope:
            number += 1
        return f"{stem}{number}"

    def _bind(self, prefix: str, uri: str) -> None:
        self.scope = {**self.scope, prefix: uri}
        self.tree.declare(self.current, {prefix: uri})

    def namespace(self, prefix: str, uri: str) -> None:
        """Add a namespace node to the open element, before any other content."""
        self._expect_attributes("a namespace node", prefix)
        current = self.current
        if prefix == "xml" or (not self.copy_preserve and self._is_copied):
            return
        name = self.tree.name(current)
        assert name is not None
        if (prefix == name.prefix and uri != name.uri) or self._declared_here.get(prefix, uri) != uri:
            raise DynamicError("XQDY0102", f"the prefix '{prefix}' of <{name}> is bound to '{uri}' and otherwise")
        self._declared_here = {**self._declared_here, prefix: uri}
        if self.scope.get(prefix, "") == uri:
            return
        clashing = [
            row
            for row in range(current + 1, len(self.codes))
            if (other := self.tree.name(row)) is not None and other.prefix == prefix and other.uri
        ]
        self._bind(prefix, uri)
        for row in clashing:
            # The prefix of an attribute is only a wish; that of a namespace node is not.
            other = self.tree.name(row)
            assert other is not None
            self.tree.rename(row, self._bound(other))

    # --- other content

    def text(self, value: str) -> None:
        """Add characters; they join the preceding text node, and an empty text adds nothing."""
        if not value:
            return
        codes = self.codes
        current = self.current
        if codes and codes[-1] == TEXT and self.parents[-1] == current:
            self.values[-1] = (self.values[-1] or "") + value
        else:
            codes.append(TEXT)
            self.ends.append(len(codes))
            self.parents.append(current)
            self.values.append(value)

    def comment(self, value: str) -> None:
        rules.check_comment(value)
        self._append(COMMENT, value)

    def processing_instruction(self, target: str, value: str) -> None:
        rules.check_pi_target(target)
        self._append(self.tree.names.code(PROCESSING_INSTRUCTION, "", target), rules.pi_value(value))

    def copy(self, node: Node) -> None:
        """Add a deep copy of a node; of a document, of its children."""
        tree, row = node.tree, node.pre
        has_no_scope = row == 0 <= self.current and not self.scope and self.copy_inherit
        if has_no_scope and can_be_deferred(tree, self.tree):
            self._note(root_code(tree), tree)
            return
        code = tree.codes[row]
        kind = code & KIND_MASK
        if kind == ELEMENT:
            if not self.scope and self.copy_inherit and self.copy_preserve and self._can_note(tree, row):
                self._note(ELEMENT, node)
                return
            append_subtree(self.tree, self.current, self.scope, node, self.copy_preserve, self.copy_inherit)
        elif kind == TEXT:
            self.text(tree.values[row] or "")
        elif kind == ATTRIBUTE:
            name = tree.name(row)
            assert name is not None
            self.attribute(name, tree.values[row] or "", bool(tree.id_rules) and tree.is_id(row))
        elif kind == DOCUMENT:
            for child in tree.children(row):
                self.copy(Node(tree, child))
        elif kind == COMMENT:
            self._append(COMMENT, tree.values[row])
        elif kind == PROCESSING_INSTRUCTION:
            self._append(self.tree.names.code(kind, "", str(tree.name(row))), tree.values[row])
        else:
            self.namespace(str(tree.name(row)), tree.values[row] or "")

    def _can_note(self, tree: TreeInterface, row: int) -> bool:
        return self.current >= 0 and can_be_noted(tree, row)

    def _note(self, code: int, piece: Piece) -> None:
        if self._pieces is None:
            self._pieces = {}
        self._pieces[self._append(code, None)] = piece

    def items(self, sequence: Iterable[Any]) -> None:
        """Add the value of one enclosed expression (§3.9.1.3): atomic values joined by spaces, nodes copied."""
        characters: list[str] = []
        after_atomic = False
        items = iter(sequence)
        outer: list[Iterator[Any]] = []
        while True:
            for item in items:
                kind = type(item)
                if kind is Node:
                    after_atomic = False
                    tree = item.tree
                    if type(tree) is not DeferredTree and tree.codes[item.pre] == TEXT:
                        characters.append(tree.values[item.pre])
                        continue
                    if characters:
                        self.text("".join(characters))
                        characters = []
                    self.copy(item)
                elif kind is XArray:
                    # An array is replaced by the items of its members.
                    outer.append(items)
                    items = chain.from_iterable(item)
                    break
                elif kind is XMap or kind is FunctionItem:
                    raise DynamicError("XQTY0105", f"{item!r} cannot become content of a node")
                else:
                    if after_atomic:
                        characters.append(" ")
                    characters.append(item if kind is str else string_of(item))
                    after_atomic = True
            else:
                if not outer:
                    break
                items = outer.pop()
        if characters:
            self.text("".join(characters))

    # --- results

    def finish(self) -> Node:
        """The root of the finished tree."""
        tree = self.tree
        if self._pieces is not None:
            defer(tree, self._pieces)
            self._pieces = None
        tree.is_finished = True
        return Node(tree, 0)

    @staticmethod
    def attribute_node(name: QName, value: str) -> Node:
        rules.check_attribute_name(name)
        if name.uri == rules.XML_NAMESPACE:
            if name.local == "id":
                value = rules.id_value(value)
            if not name.prefix:
                name = QName(name.uri, name.local, "xml")
        elif name.uri and not name.prefix:
            name = QName(name.uri, name.local, "ns0")
        names = current_pool()
        return leaf(names, names.code_of(ATTRIBUTE, name), value, name)

    @staticmethod
    def text_node(value: str) -> Node:
        return leaf(current_pool(), TEXT, value)

    @staticmethod
    def comment_node(value: str) -> Node:
        rules.check_comment(value)
        return leaf(current_pool(), COMMENT, value)

    @staticmethod
    def pi_node(target: str, value: str) -> Node:
        rules.check_pi_target(target)
        names = current_pool()
        return leaf(names, names.code(PROCESSING_INSTRUCTION, "", target), rules.pi_value(value))

    @staticmethod
    def namespace_node(prefix: str, uri: str) -> Node:
        rules.check_namespace(prefix, uri)
        names = current_pool()
        return leaf(names, names.code(NAMESPACE, "", prefix), uri)
