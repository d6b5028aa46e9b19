"""Trees that take turns in memory are what they were, wherever their columns are."""

from __future__ import annotations

import gc
from pathlib import Path
from typing import Any

import pytest
import xylem
from xylem.errors import XylemError
from xylem.source.kernel import is_kernel_built
from xylem.values.paged_tree import PagedTree, TreePages

pytestmark = pytest.mark.skipif(not is_kernel_built(), reason="only trees of the kernel are paged")


def texts(number: int) -> list[str]:
    return [f'<a xmlns:p="urn:{one}" n="{one}"><p:b>é{one}</p:b>{"x" * 5000}<!--c--></a>' for one in range(number)]


def written(nodes: list[object]) -> list[str]:
    query = xylem.compile("declare variable $n external; serialize($n) || namespace-uri($n/*/*[1])")
    return [query.run(variables={"n": node}).one() for node in nodes]


def taken(pages: TreePages, nodes: list[Any]) -> None:
    for node in nodes:
        pages.take(node.tree)


def test_columns_come_back_when_they_are_asked_for(tmp_path: Path) -> None:
    pages = TreePages(tmp_path, 20_000, 1 << 30)
    nodes = [xylem.parse(text) for text in texts(12)]
    before = written(nodes)
    taken(pages, nodes)
    assert all(type(node.tree) is PagedTree for node in nodes)
    assert pages.written_pages >= 8
    assert written(nodes) == before
    assert written(nodes[::-1]) == before[::-1]
    assert pages.read_pages >= 16
    assert pages.written_pages <= 12, "what has not changed is written once"
    assert not list(tmp_path.iterdir()), "the file has no name"


def test_room_in_the_file_is_used_again(tmp_path: Path) -> None:
    pages = TreePages(tmp_path, 1, 300_000)
    for text in texts(200):
        pages.take(xylem.parse(text).tree)
        gc.collect(0)
    kept = [xylem.parse(text) for text in texts(200)]
    with pytest.raises(XylemError, match="XYDY0005"):
        taken(pages, kept)


def test_a_directory_that_is_not_there(tmp_path: Path) -> None:
    pages = TreePages(tmp_path / "no", 1, 1 << 30)
    kept = [xylem.parse(text) for text in texts(2)]
    with pytest.raises(XylemError, match="XYIN0002"):
        taken(pages, kept)
