"""Path steps as functions of nodes, made once when a query is compiled.

step        from one node; reverse axes in reverse document order, so predicates count correctly
step_many   from a sequence of nodes; the distinct result in document order
step_count  how many nodes a step from one node would give
step_first  the first node a step from one node would give, or None
path_from   several steps without predicates from one node
path_many   several steps without predicates from a sequence of nodes, making nodes only at the end

If the columns are in the kernel, it takes the steps, all contexts at once; the loops here are for the lists of
`tree.py`, and define the results of the kernel's.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import repeat

from .axis_rows import AXES, LAZY_AXES, REVERSE_AXES
from .axis_selection import Select, nothing, selection
from .document_order import document_order
from .name_pool import KIND_MASK
from .native_path import native_plan
from .node import ATTRIBUTE, ELEMENT, Node
from .node_test import NodeTest
from .remade import remade
from .tree_interface import TreeInterface

__all__ = [
    "AXES",
    "REVERSE_AXES",
    "document_order",
    "path_from",
    "path_many",
    "step",
    "step_count",
    "step_first",
    "step_lazy",
    "step_many",
]

Step = Callable[[Node], list[Node]]
Steps = Callable[[Sequence[Node]], list[Node]]
First = Callable[[Node], "Node | None"]


@remade
def step(axis: str, test: NodeTest) -> Step:
    """A step from one context node."""
    if axis == "child" and test.is_exact and test.kind != ATTRIBUTE:
        return _children_named(test)
    if axis == "attribute" and test.is_exact and test.kind == ATTRIBUTE:
        return _attribute_named(test)
    rows_from = _rows_from(axis, test)
    if axis in REVERSE_AXES and axis != "parent":

        def reverse(node: Node) -> list[Node]:
            tree = node.tree
            return list(map(Node, repeat(tree), reversed(rows_from(tree, node.pre))))

        return reverse

    def forward(node: Node) -> list[Node]:
        tree = node.tree
        return [Node(tree, row) for row in rows_from(tree, node.pre)]

    return forward


def _rows_from(axis: str, test: NodeTest) -> Callable[[TreeInterface, int], list[int]]:
    select = selection(axis, test)
    plan_for = native_plan([(axis, test)])

    def rows_from(tree: TreeInterface, row: int) -> list[int]:
        native = tree.native
        if native is not None:
            plan = plan_for(tree)
            if plan is not None:
                return native.path_from(row, plan)
        return select(tree, [row])

    return rows_from


def _children_named(test: NodeTest) -> Step:
    usual, usual_code = test.usual_code()

    def children(node: Node) -> list[Node]:
        tree = node.tree
        code = usual_code if tree.names is usual else test.code(tree.names)
        native = tree.native
        if native is not None:
            return [Node(tree, row) for row in native.children_named(node.pre, code)]
        codes, ends = tree.codes, tree.ends
        row = node.pre
        end = ends[row]
        row += 1
        found = []
        while row < end:
            if codes[row] == code:
                found.append(Node(tree, row))
            row = ends[row]
        return found

    return children


def _attribute_named(test: NodeTest) -> Step:
    first = _first_child_named(test)

    def attribute(node: Node) -> list[Node]:
        found = first(node)
        return [] if found is None else [found]

    return attribute


@remade
def step_many(axis: str, test: NodeTest) -> Steps:
    """A step from each of a sequence of nodes, without duplicates, in document order."""
    return path_many([(axis, test)])


@remade
def path_many(steps: Iterable[tuple[str, NodeTest]]) -> Steps:
    """Steps after each other: path_many([a, b])(nodes) is step_many(*b)(step_many(*a)(nodes))."""
    steps = list(steps)
    selects = [selection(axis, test) for axis, test in steps]
    plan_for = native_plan(steps)

    def run(nodes: Sequence[Node]) -> list[Node]:
        if not nodes:
            return []
        first = nodes[0]
        tree = first.tree
        native = tree.native
        if native is not None:
            plan = plan_for(tree)
            if plan is not None:
                if len(nodes) == 1:
                    return list(map(Node, repeat(tree), native.path_from(first.pre, plan)))
                rows = [node.pre for node in nodes if node.tree is tree]
                if len(rows) == len(nodes):
                    return list(map(Node, repeat(tree), native.path(rows, plan)))
        if len(nodes) == 1:
            rows = [first.pre]
        else:
            rows = [node.pre for node in nodes if node.tree is tree]
            if len(rows) != len(nodes):
                return _across_trees(nodes, selects)
            if not _ascends(rows):
                rows = sorted(set(rows))
        for select in selects:
            rows = select(tree, rows)
            if not rows:
                return []
        found = list(map(Node, repeat(tree), rows))
        return document_order(found) if tree.is_ranked else found

    return run


@remade
def path_from(steps: Iterable[tuple[str, NodeTest]]) -> Step:
    """`path_many` from one node."""
    steps = list(steps)
    many = path_many(steps)
    plan_for = native_plan(steps)

    def run(node: Node) -> list[Node]:
        tree = node.tree
        native = tree.native
        if native is not None:
            plan = plan_for(tree)
            if plan is not None:
                return [Node(tree, row) for row in native.path_from(node.pre, plan)]
        return many((node,))

    return run


def _ascends(rows: list[int]) -> bool:
    last = -1
    for row in rows:
        if row <= last:
            return False
        last = row
    return True


def _across_trees(nodes: Sequence[Node], selects: list[Select]) -> list[Node]:
    by_tree: dict[TreeInterface, list[int]] = {}
    for node in nodes:
        by_tree.setdefault(node.tree, []).append(node.pre)
    result: list[Node] = []
    for tree in sorted(by_tree, key=_order):
        rows = sorted(set(by_tree[tree]))
        for select in selects:
            rows = select(tree, rows) if rows else rows
        found = list(map(Node, repeat(tree), rows))
        result += document_order(found) if tree.is_ranked else found
    return result


def _order(tree: TreeInterface) -> int:
    return tree.order


@remade
def step_lazy(axis: str, test: NodeTest) -> Callable[[Node], Iterator[Node]]:
    """A step from one context node, evaluated only as far as it is read."""
    rows = LAZY_AXES.get(axis)
    if rows is None or selection(axis, test) is nothing:
        eager = step(axis, test)
        return lambda node: iter(eager(node))
    plan_for = native_plan([(axis, test)])
    eagerly = step(axis, test)

    def lazily(node: Node) -> Iterator[Node]:
        tree = node.tree
        native = tree.native
        if native is not None:
            plan = plan_for(tree)
            if plan is not None:
                context = node.pre
                row = native.next_along(context, -1, plan)
                while row >= 0:
                    yield Node(tree, row)
                    row = native.next_along(context, row, plan)
                return
        if tree.is_ranked:
            yield from eagerly(node)
            return
        accepts = test.accepter(tree)
        for row in rows(tree, node.pre):
            if accepts(row):
                yield Node(tree, row)

    return lazily


@remade
def step_first(axis: str, test: NodeTest) -> First:
    """The first node of a step from one node: for existence tests and `[1]`."""
    if test.is_exact and axis in ("child", "attribute") and (axis == "attribute") == (test.kind == ATTRIBUTE):
        return _first_child_named(test)
    if test.is_exact and axis == "descendant" and test.kind != ATTRIBUTE:
        return _first_descendant_named(test)
    lazily = step_lazy(axis, test)
    if axis not in LAZY_AXES:
        return lambda node: next(lazily(node), None)
    plan_for = native_plan([(axis, test)])

    def first(node: Node) -> Node | None:
        tree = node.tree
        native = tree.native
        if native is not None:
            plan = plan_for(tree)
            if plan is not None:
                row = native.next_along(node.pre, -1, plan)
                return None if row < 0 else Node(tree, row)
        return next(lazily(node), None)

    return first


@remade
def step_count(axis: str, test: NodeTest) -> Callable[[Node], int]:
    """The number of nodes of a step from one node: rows are counted, without creating nodes."""
    if axis == "descendant" and test.is_exact and test.kind == ELEMENT:
        return _descendant_count(test)
    rows_from = _rows_from(axis, test)
    return lambda node: len(rows_from(node.tree, node.pre))


def _descendant_count(test: NodeTest) -> Callable[[Node], int]:
    """The number of descendants of a node with one name: by the index of the name, in any nesting."""
    coder, descendants = test.coder(), step("descendant", test)

    def count(node: Node) -> int:
        tree = node.tree
        native = tree.native
        if native is None or tree.is_ranked:
            return len(descendants(node))
        return native.count_descendants(node.pre, coder(tree))

    return count


def _first_child_named(test: NodeTest) -> First:
    usual, usual_code = test.usual_code()
    attribute = test.kind == ATTRIBUTE

    def first(node: Node) -> Node | None:
        tree = node.tree
        code = usual_code if tree.names is usual else test.code(tree.names)
        native = tree.native
        if native is not None:
            row = native.first_named(node.pre, code)
            return None if row < 0 else Node(tree, row)
        codes, ends = tree.codes, tree.ends
        row = node.pre
        end = ends[row]
        row += 1
        while row < end:
            found = codes[row]
            if found == code:
                return Node(tree, row)
            if attribute and found & KIND_MASK != ATTRIBUTE:
                return None
            row = ends[row]
        return None

    return first


def _first_descendant_named(test: NodeTest) -> First:
    coder = test.coder()

    def first(node: Node) -> Node | None:
        tree = node.tree
        code = coder(tree)
        native = tree.native
        if native is not None:
            row = native.first_descendant(node.pre, code)
            return None if row < 0 else Node(tree, row)
        start, end = node.pre + 1, tree.ends[node.pre]
        if tree.has_index(code):
            named = tree.elements_named(code)
            place = bisect_left(named, start)
            return Node(tree, named[place]) if place < len(named) and named[place] < end else None
        try:
            return Node(tree, tree.codes.index(code, start, end))
        except ValueError:
            return None

    return first
