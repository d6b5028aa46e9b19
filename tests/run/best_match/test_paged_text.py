"""Results that the kernel writes of spilled pages: those of memory, and few pages read for them."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import pytest
import xylem
from xylem.run.best_match import paged_text
from xylem.run.best_match.best_pairs import Place
from xylem.run.best_match.node_rows import NodeRows
from xylem.run.best_match.paged_text import PagedText
from xylem.run.best_match.side_rows import PathLeaf, SideRows
from xylem.run.best_match.written_pairs import PairText
from xylem.source.kernel import is_kernel_built
from xylem.values.node import ATTRIBUTE, Node
from xylem.values.node_test import NodeTest
from xylem.values.paged_tree import TreePages

from .test_page_schedule import column_by_column
from .test_scanned_files import KINDS, small, write

pytestmark = pytest.mark.skipif(not is_kernel_built(), reason="the kernel writes results")
NUMBER = PathLeaf((("attribute", NodeTest(ATTRIBUTE, "", "i")),), False)
ROWS = 10
"""Of a page."""


def path_piece(side: str) -> tuple[Any, ...]:
    return ("path", 0, side, 0, True, False, True)


TEXT = PairText(
    (("fixed", '<m r="'), path_piece("left"), ("fixed", '" s="'), path_piece("right"), ("fixed", '"/>')),
    (lambda left, right: (),),
    ((NUMBER,), (NUMBER,)),
)


def side(pages: TreePages, number: int) -> SideRows:
    """So many pages of items that are long, of which results have a few characters."""
    parts = []
    for page in range(number):
        items = "".join(f'<e i="{page * ROWS + one}">{"x" * 3000}</e>' for one in range(ROWS))
        document = xylem.parse(f"<d>{items}</d>")
        found = [node.pre for node in xylem.compile("/d/e").run(document) if isinstance(node, Node)]
        parts.append((document.tree, found))
    return SideRows(NodeRows(parts).paged(pages), None, (), ())


def read_all(*sides: SideRows) -> None:
    """Bring each page back once: then it is known how large it is."""
    for rows in sides:
        assert isinstance(rows.rows, NodeRows)
        for tree, _ in rows.rows.parts:
            assert tree.native


def written(pairs: list[Place]) -> str:
    return "".join(f'<m r="{one}" s="{other}"/>' for one, other in pairs)


@pytest.mark.parametrize("first", [0, 1], ids=["left first", "right first"])
def test_the_example_of_the_thesis(first: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Four buffers for seven pages on each side: 21 pages are read, 30 column by column."""
    pages = TreePages(tmp_path, 1, 1 << 30)
    left, right = side(pages, 7), side(pages, 7)
    near = [
        (one, other)
        for one in range(7 * ROWS)
        for other in range(7 * ROWS)
        if abs(one // ROWS - other // ROWS) <= 2 and one % ROWS == other % ROWS
    ]
    pairs = sorted(near, key=lambda pair: (pair[first], pair[1 - first]))
    read_all(left, right)
    # Half of it is lent to texts and copies.
    pages.memory_bytes = 9 * pages.mean_bytes
    writer = TEXT.native(left, right, None)
    assert writer is not None
    counted = []
    for plan in (None, lambda needed, buffers: iter(column_by_column(needed, buffers))):
        if plan is not None:
            monkeypatch.setattr(paged_text, "visits", plan)
            monkeypatch.setattr(paged_text, "VISIT_READS", 0)
        before = pages.read_pages
        reader = PagedText(writer, pages, first)
        texts = [text for _, text in reader.texts(pairs)]
        assert texts == [written(pairs)]
        counted.append(pages.read_pages - before)
    assert counted == [21, 30]


@pytest.mark.parametrize("seed", range(40))
def test_any_pairs_in_any_memory(seed: int, tmp_path: Path) -> None:
    chance = random.Random(seed)
    pages = TreePages(tmp_path, 1, 1 << 30)
    sizes = chance.randint(1, 8), chance.randint(1, 8)
    sides = [side(pages, size) for size in sizes]
    first = chance.randrange(2)
    share = chance.choice((0.02, 0.3, 1.0))
    width = chance.choice((1, 3, 99))
    pairs = [
        (one, other)
        for one in range(sizes[0] * ROWS)
        for other in range(sizes[1] * ROWS)
        if chance.random() < share and abs(one - other) < width * ROWS
    ]
    pairs.sort(key=lambda pair: (pair[first], pair[1 - first]))
    pages.memory_bytes = chance.choice((1, 3, 6, 20)) * pages.taken_bytes // sum(sizes)
    writer = TEXT.native(sides[0], sides[1], None)
    assert writer is not None
    memory = pages.memory_bytes
    reader = PagedText(writer, pages, first)
    found = list(reader.texts(pairs))
    assert [pair for some, _ in found for pair in some] == pairs
    assert "".join(text or "" for _, text in found) == written(pairs)
    assert pages.memory_bytes == memory


WRITTEN = '<m i="{ $r/@i }" j="{ $s/@i }" d="{ abs($r/@x - $s/@x) }">{ string($s/v) }</m>'


@pytest.mark.parametrize("memory", [1, 9_000, 40_000])
@pytest.mark.parametrize("is_sorted", [True, False], ids=["in order", "in no order"])
@pytest.mark.parametrize("number", [0, 1, 2, 3, 4, 5, 6, 7])
def test_the_text_is_that_of_trees(
    number: int, is_sorted: bool, memory: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Joins of files, written by the kernel, with as many pages in memory as there is room for."""
    write(tmp_path / "r.xml", "r", 500, number, is_sorted=is_sorted)
    write(tmp_path / "s.xml", "s", 500, number + 100, is_sorted=is_sorted)
    text = f"{KINDS[number].rpartition('return')[0]} return {WRITTEN}"
    query = xylem.compile(text, base_uri=tmp_path.as_uri() + "/")
    assert query.compiled.program.can_write
    items = query.run(allow=[tmp_path])
    list(items)
    by_tree = items.serialize()
    small(monkeypatch)
    assert query.run(allow=[tmp_path], spill=tmp_path, window_bytes=memory).serialize() == by_tree
    assert by_tree
