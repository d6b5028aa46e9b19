"""The namespaces that an element must declare in the output (Serialization 3.1 §5.1.2, §5.1.8).

The outermost element of a subtree declares all its in-scope namespaces, an inner one the differences from the output so
far. A prefix that goes out of scope can be undeclared in XML 1.1 only; the default namespace always.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from xylem.values.tree_interface import TreeInterface

from .character_expansion import Expand

Scope = dict[str, str]
"""Prefix to URI as declared in the output so far, '' for undeclared; never changed once an element refers to it."""


def changes(tree: TreeInterface, row: int, scope: Scope, is_outermost: bool, undeclares: bool) -> Scope:
    """The declarations an element adds, in the order of its own; '' as URI undeclares."""
    wanted: Mapping[str, str]
    if is_outermost:
        wanted = tree.namespaces(row)
    elif row in tree.isolated:
        wanted = {**dict.fromkeys(scope, ""), **tree.declared.get(row, {})}
    else:
        wanted = tree.declared.get(row, {})
    return {
        prefix: uri
        for prefix, uri in wanted.items()
        if uri != scope.get(prefix, "") and (uri or not prefix or undeclares) and prefix != "xml"
    }


class Declarations:
    """Writes the declarations of elements. Copies of siblings share their declarations, and so the text."""

    __slots__ = ("_attribute", "_last")

    def __init__(self, attribute: Expand) -> None:
        self._attribute = attribute
        self._last: tuple[object, Scope, str, Scope] | None = None

    def write(
        self, tree: TreeInterface, row: int, scope: Scope, is_outermost: bool, append: Callable[[str], None]
    ) -> Scope:
        """Write the declarations of an element; return the scope of its content."""
        last, own = self._last, None if is_outermost or row in tree.isolated else tree.declared.get(row)
        if last is not None and own is not None and own is last[0] and scope is last[1]:
            append(last[2])
            return last[3]
        added = changes(tree, row, scope, is_outermost, undeclares=False)
        if not added:
            return scope
        attribute = self._attribute
        text = "".join([f' xmlns{":" if p else ""}{p}="{attribute(uri)}"' for p, uri in added.items()])
        append(text)
        inner = {**scope, **added}
        if own is not None:
            self._last = own, scope, text, inner
        return inner
