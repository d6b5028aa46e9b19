"""Names as codes."""

from __future__ import annotations

import pytest
from xylem.source.xml_reader import read_document
from xylem.values import name_pool
from xylem.values.axes import step, step_many
from xylem.values.builder import TreeBuilder
from xylem.values.name_pool import KIND_MASK, NamePool
from xylem.values.node import ATTRIBUTE, ELEMENT
from xylem.values.node_test import NodeTest
from xylem.values.qname import QName


def test_a_code_is_a_kind_and_a_name() -> None:
    pool = NamePool()
    a = pool.code(ELEMENT, "u", "a", "p")
    assert a & KIND_MASK == ELEMENT
    assert pool.code(ELEMENT, "u", "a", "q") == a
    assert len({a, pool.code(ATTRIBUTE, "u", "a"), pool.code(ELEMENT, "", "a"), pool.code(ELEMENT, "u", "b")}) == 4
    assert pool.qnames[a >> 3] == QName("u", "a")


def test_patterns_grow_with_the_pool() -> None:
    pool = NamePool()
    first = pool.code(ELEMENT, "u", "a")
    pattern = pool.matching(ELEMENT, None, "a")
    assert pattern == {first}
    second = pool.code(ELEMENT, "v", "a")
    pool.code(ATTRIBUTE, "v", "a")
    assert pattern == {first, second}


def test_trees_of_different_pools_work_together(monkeypatch: pytest.MonkeyPatch) -> None:
    children = step("child", NodeTest(ELEMENT, "", "a"))
    anywhere = step_many("descendant", NodeTest(ELEMENT, None, "a"))
    monkeypatch.setattr(name_pool, "_current", NamePool())
    monkeypatch.setattr(name_pool, "_LARGEST_POOL", 5)
    document = read_document("<r xmlns:p='u'><a>1</a><p:a x='2'>2</p:a><b/><c/></r>")
    builder = TreeBuilder()
    assert builder.tree.names is not document.tree.names
    builder.start_element(QName("", "copy"))
    builder.items([document])
    builder.end_element()
    made = builder.finish()
    inside = step("child", NodeTest(ELEMENT, "", "r"))
    assert [n.string_value for n in children(inside(document)[0])] == ["1"]
    assert [n.string_value for n in children(inside(made)[0])] == ["1"]
    found = anywhere([made, document])
    assert [str(n.name) for n in found] == ["a", "p:a", "a", "p:a"]
    assert [n.tree for n in found] == [document.tree] * 2 + [made.tree] * 2
