"""Every axis against its definition from parents and children, on random trees."""

from __future__ import annotations

from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from xylem.values.axes import AXES, REVERSE_AXES, path_many, step, step_first, step_lazy, step_many
from xylem.values.builder import TreeBuilder
from xylem.values.document_order import document_order, except_, intersect, union
from xylem.values.node import ATTRIBUTE, COMMENT, DOCUMENT, ELEMENT, NAMESPACE, PROCESSING_INSTRUCTION, TEXT, Node
from xylem.values.node_test import NO_KIND, NodeTest
from xylem.values.qname import QName
from xylem.values.tree import Tree

NAMES = ["a", "b", "c"]
TESTS = [
    NodeTest(),
    NodeTest(ELEMENT),
    NodeTest(ELEMENT, "", "a"),
    NodeTest(ELEMENT, "u", "a"),
    NodeTest(ELEMENT, None, "b"),
    NodeTest(ELEMENT, "u", None),
    NodeTest(ATTRIBUTE),
    NodeTest(ATTRIBUTE, "", "b"),
    NodeTest(TEXT),
    NodeTest(COMMENT),
    NodeTest(PROCESSING_INSTRUCTION),
    NodeTest(PROCESSING_INSTRUCTION, "", "a"),
    NodeTest(DOCUMENT),
    NodeTest(DOCUMENT, element=NodeTest(ELEMENT, "", "a")),
    NodeTest(NAMESPACE),
    NodeTest(NO_KIND),
]

leaves = st.one_of(
    st.tuples(st.just("text"), st.text("xyz", min_size=1, max_size=3)),
    st.tuples(st.just("comment"), st.text("xyz", max_size=3)),
    st.tuples(st.just("pi"), st.sampled_from(NAMES)),
)


def elements(content: st.SearchStrategy) -> st.SearchStrategy:
    return st.tuples(
        st.just("element"),
        st.sampled_from(["", "u"]),
        st.sampled_from(NAMES),
        st.sets(st.sampled_from(NAMES), max_size=2),
        st.lists(content, max_size=4),
    )


trees = st.recursive(elements(leaves), lambda inner: elements(st.one_of(leaves, inner)), max_leaves=25)


def build(description: tuple, in_document: bool) -> Tree:
    builder = TreeBuilder()
    if in_document:
        builder.start_document()
        builder.comment("first")
    _add(builder, description)
    if in_document:
        builder.end_document()
    return builder.finish().tree


def _add(builder: TreeBuilder, description: tuple) -> None:
    if description[0] == "text":
        builder.text(description[1])
    elif description[0] == "comment":
        builder.comment(description[1])
    elif description[0] == "pi":
        builder.processing_instruction(description[1], "")
    else:
        _, uri, local, attributes, content = description
        builder.start_element(QName(uri, local), {})
        for name in sorted(attributes):
            builder.attribute(QName("", name), name)
        for child in content:
            _add(builder, child)
        builder.end_element()


def naive_axis(tree: Tree, axis: str, pre: int) -> list[int]:
    """XQuery 3.1 §3.3.2.1 in its own words, in document order."""
    size = len(tree)
    is_attribute = [tree.kind(p) == ATTRIBUTE for p in range(size)]

    def parent(p: int) -> list[int]:
        return [tree.parents[p]] if tree.parents[p] >= 0 else []

    def children(p: int) -> list[int]:
        return [c for c in range(size) if tree.parents[c] == p and not is_attribute[c]]

    def ancestors(p: int) -> list[int]:
        return [found for up in parent(p) for found in [up, *ancestors(up)]]

    def descendants(p: int) -> list[int]:
        return [found for down in children(p) for found in [down, *descendants(down)]]

    inside = descendants(0) if size else []
    siblings = [] if is_attribute[pre] else [c for up in parent(pre) for c in children(up)]
    return sorted(
        {
            "child": children(pre),
            "descendant": descendants(pre),
            "attribute": [c for c in range(size) if tree.parents[c] == pre and is_attribute[c]],
            "self": [pre],
            "descendant-or-self": [pre, *descendants(pre)],
            "following-sibling": [s for s in siblings if s > pre],
            "preceding-sibling": [s for s in siblings if s < pre],
            "following": [p for p in inside if p > pre and p not in descendants(pre)],
            "preceding": [p for p in inside if p < pre and p not in ancestors(pre)],
            "parent": parent(pre),
            "ancestor": ancestors(pre),
            "ancestor-or-self": [pre, *ancestors(pre)],
        }[axis]
    )


def naive_test(tree: Tree, test: NodeTest, pre: int) -> bool:
    kind, name = tree.kind(pre), tree.name(pre)
    if test.kind is None:
        return True
    if kind != test.kind:
        return False
    if test.element is not None:
        inner = [c for c in naive_axis(tree, "child", pre) if tree.kind(c) in (ELEMENT, TEXT)]
        return len(inner) == 1 and naive_test(tree, test.element, inner[0])
    if test.uri is None and test.local is None:
        return True
    assert name is not None
    return test.uri in (None, name.uri) and test.local in (None, name.local)


@settings(max_examples=40, deadline=None)
@given(trees, st.booleans(), st.data())
def test_steps_agree_with_the_definition(description: tuple, in_document: bool, data: st.DataObject) -> None:
    tree = build(description, in_document)
    rows = range(len(tree))
    context = data.draw(st.lists(st.sampled_from(rows), min_size=1, max_size=6))
    for axis in AXES:
        found = {pre: naive_axis(tree, axis, pre) for pre in set(context)}
        for test in TESTS:
            kept = {pre: [p for p in found[pre] if naive_test(tree, test, p)] for pre in found}
            pre = context[0]
            expected = kept[pre][::-1] if axis in REVERSE_AXES else kept[pre]
            assert [n.pre for n in step(axis, test)(Node(tree, pre))] == expected, (axis, str(test))
            assert [n.pre for n in step_lazy(axis, test)(Node(tree, pre))] == expected, (axis, str(test))
            first = step_first(axis, test)(Node(tree, pre))
            assert (first and first.pre) == (expected[0] if expected else None), (axis, str(test))
            everything = sorted({p for pre in context for p in kept[pre]})
            many = step_many(axis, test)([Node(tree, pre) for pre in context])
            assert [n.pre for n in many] == everything, (axis, str(test))


@settings(max_examples=30, deadline=None)
@given(trees, st.data())
def test_a_path_is_its_steps_one_after_the_other(description: tuple, data: st.DataObject) -> None:
    tree = build(description, True)
    steps = data.draw(st.lists(st.tuples(st.sampled_from(sorted(AXES)), st.sampled_from(TESTS[:6])), max_size=4))
    nodes = [Node(tree, pre) for pre in range(len(tree))]
    expected = nodes
    for axis, test in steps:
        expected = step_many(axis, test)(expected)
    assert path_many(steps)(nodes) == expected


@pytest.mark.parametrize("axis", ["child", "attribute", "descendant"])
def test_many_contexts_go_through_the_name_index(axis: str) -> None:
    builder = TreeBuilder()
    builder.start_element(QName("", "r"), {})
    for number in range(400):
        builder.start_element(QName("", "p" if number % 3 else "q"), {})
        builder.attribute(QName("", "i"), str(number))
        builder.start_element(QName("", "x" if number % 2 else "y"), {})
        builder.end_element()
        builder.end_element()
    builder.end_element()
    root = builder.finish()
    tree = root.tree
    name = NodeTest(ATTRIBUTE, "", "i") if axis == "attribute" else NodeTest(ELEMENT, "", "x")
    contexts = step("child", NodeTest(ELEMENT, "", "p"))(root)
    expected = [p for c in contexts for p in naive_quick(tree, axis, c.pre) if naive_test(tree, name, p)]
    assert [n.pre for n in step_many(axis, name)(contexts)] == expected
    assert [n.pre for n in step_many(axis, name)([*contexts, *contexts])] == expected
    assert [n.pre for c in contexts for n in step(axis, name)(c)] == expected


def naive_quick(tree: Tree, axis: str, pre: int) -> list[int]:
    inside = range(pre + 1, tree.ends[pre])
    return [p for p in inside if (tree.kind(p) == ATTRIBUTE) == (axis == "attribute")]


@given(st.data())
@settings(max_examples=50, deadline=None)
def test_set_operators(data: st.DataObject) -> None:
    made = [build(("element", "", "a", set(), [("text", "x"), ("pi", "b")]), True).order for _ in range(1)]
    assert made
    some = [build(("element", "", "a", {"a"}, [("text", "x")]), True) for _ in range(3)]
    nodes = [Node(tree, pre) for tree, pre in product(some, range(5))]
    left = data.draw(st.lists(st.sampled_from(nodes)))
    right = data.draw(st.lists(st.sampled_from(nodes)))
    in_order = [n for n in nodes if n in set(left)]
    assert document_order(left) == in_order
    assert union(left, right) == [n for n in nodes if n in {*left, *right}]
    assert intersect(left, right) == [n for n in in_order if n in set(right)]
    assert except_(left, right) == [n for n in in_order if n not in set(right)]


def test_steps_across_trees_keep_the_order_of_trees() -> None:
    first = build(("element", "", "a", set(), [("element", "", "b", set(), [])]), True)
    second = build(("element", "", "a", set(), [("element", "", "b", set(), [])]), True)
    found = step_many("descendant", NodeTest(ELEMENT, "", "b"))([Node(second, 0), Node(first, 0)])
    assert [n.tree for n in found] == [first, second]
