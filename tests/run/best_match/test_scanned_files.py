"""Sides that are scanned from files, whole and in windows: the answer of trees, and of memory no more than windows."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import pytest
import xylem
from xylem.errors import XylemError
from xylem.pipeline import StaticEnvironment
from xylem.query.compiled_query import CompiledQuery
from xylem.run.best_match import scanned_side, windowed_join
from xylem.run.best_match.side_rows import SideRows
from xylem.run.best_match.sweep import SweptSide
from xylem.source.kernel import is_kernel_built
from xylem.values.paged_tree import TreePages

QUERY = """
for $r in doc("r.xml")/d/r
for $s in doc("s.xml")/d/s
where $r left outer bestmatch join $s on (abs($r/t - ($s/t + 2))) min 1.5, (abs($r/@x - $s/@x)) min
return <m>{ $r/@i, attribute j { $s/@i }, $s/v/text() }</m>
"""
LOOPS = 'for $r in doc("r.xml")/d/r\nfor $s in doc("s.xml")/d/s'


def write(path: Path, name: str, items: int, seed: int, *, is_sorted: bool = True) -> None:
    chance = random.Random(seed)
    times = [chance.randint(0, items * 4) / 8 for _ in range(items)]
    times = sorted(times) if is_sorted else times
    rows = [
        f'<{name} i="{number}" x="{chance.randint(0, 9)}"><t>{time}</t><v>é{number}</v><w>unread</w></{name}>'
        if chance.random() > 0.02
        else f'<{name} i="{number}"/>'
        for number, time in enumerate(times)
    ]
    path.write_text(f"<d>{''.join(rows)}<{name}x/></d>", encoding="utf-8")


@pytest.fixture
def windows(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """How many rows were in each window."""
    seen: list[int] = []
    original = SweptSide.together

    def watched(side: SweptSide) -> SideRows:
        seen.append(len(side))
        return original(side)

    monkeypatch.setattr(SweptSide, "together", watched)
    return seen


def small(monkeypatch: pytest.MonkeyPatch, rows: int = 16) -> None:
    """Files of any size are scanned, and their windows are small."""
    monkeypatch.setattr(scanned_side, "SCANNED_BYTES", 0)
    monkeypatch.setattr(windowed_join, "WINDOWED_BYTES", 0)
    monkeypatch.setattr(windowed_join, "LEAST_ROWS", rows)
    monkeypatch.setattr(scanned_side, "BATCH_ROWS", rows)
    monkeypatch.setattr("xylem.source.byte_ranges.CHUNK_BYTES", 512)
    monkeypatch.setattr("xylem.source.byte_source.CHUNK_BYTES", 512)
    monkeypatch.setattr("xylem.source.byte_source.FIRST_CHUNK_BYTES", 512)


def answer(folder: Path, query: str = QUERY) -> str:
    return str(xylem.compile(query, base_uri=folder.as_uri() + "/").run(allow=[folder]))


KINDS = [
    QUERY,
    QUERY.replace("left outer", ""),
    QUERY.replace("left outer", "full outer"),
    QUERY.replace("left outer", "right outer"),
    QUERY.replace("left outer", "left outer 2"),
    QUERY.replace("where $r left", "where $s/v != 'é3' where $r/@x != $s/@x where $r left"),
    QUERY.replace(LOOPS, 'for $s in doc("s.xml")/d/s\nfor $r in doc("r.xml")/d/r').replace("left outer", "right outer"),
    QUERY.replace("$s/t + 2", "$s/t").replace("min 1.5", "min 0"),
    QUERY.replace("return", "let $d := $r/t - $s/t order by $d, $r/@i, $s/@i return"),
    QUERY.replace("return", "order by $r/v descending, $s/@i return"),
    f'{QUERY.rpartition("return")[0]} group by $k := substring($r/v, 3) order by $k return <n>{{ $k, count($s) }}</n>',
    QUERY.replace("d/r\n", "d/r where $r/@x != '4'\n").replace("left outer", "full outer"),
    QUERY.replace("$r in", "$r at $n in").replace("<m>{ $r/@i", "<m>{ attribute n { $n }"),
    QUERY.replace("where $r left", "where $r/t - $s/t ge 0 where $r left").replace(
        "(abs($r/t - ($s/t + 2))) min 1.5", "($r/t - $s/t) min 4"
    ),
]


@pytest.mark.skipif(not is_kernel_built(), reason="columns come from the kernel")
@pytest.mark.parametrize("is_sorted", [True, False], ids=["in order", "in no order"])
@pytest.mark.parametrize("number", range(len(KINDS)))
def test_files_give_what_trees_give(
    number: int, is_sorted: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, windows: list[int]
) -> None:
    write(tmp_path / "r.xml", "r", 400, number, is_sorted=is_sorted)
    write(tmp_path / "s.xml", "s", 500, number + 100)
    by_tree = answer(tmp_path, KINDS[number])
    assert not windows
    small(monkeypatch)
    assert answer(tmp_path, KINDS[number]) == by_tree
    assert by_tree
    is_swept = is_sorted and number != 1
    assert bool(windows) == is_swept
    assert not is_swept or max(windows) < 250


@pytest.mark.skipif(not is_kernel_built(), reason="columns come from the kernel")
@pytest.mark.parametrize("number", [0, 1, 2, 3, 6, 9, 10])
def test_pages_are_read_in_turn(number: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Files in no order, of which a tenth fits into memory: partners lie in any page, and few pages are read twice."""
    write(tmp_path / "r.xml", "r", 700, number, is_sorted=False)
    write(tmp_path / "s.xml", "s", 700, number + 100, is_sorted=False)
    by_tree = answer(tmp_path, KINDS[number])
    small(monkeypatch)
    for place in ("byte_ranges.CHUNK_BYTES", "byte_source.CHUNK_BYTES", "byte_source.FIRST_CHUNK_BYTES"):
        monkeypatch.setattr(f"xylem.source.{place}", 8192)
    made: list[TreePages] = []
    original = TreePages.take

    def watched(pages: TreePages, tree: Any) -> None:
        made.append(pages)
        original(pages, tree)

    monkeypatch.setattr(TreePages, "take", watched)
    query = xylem.compile(KINDS[number], base_uri=tmp_path.as_uri() + "/")
    assert str(query.run(allow=[tmp_path], spill=tmp_path, window_bytes=30_000)) == by_tree
    pages = made[0]
    assert pages.taken_bytes > 200_000
    assert pages.written_pages >= len(made) // 2
    # Pair by pair, about as many would be read as there are pairs.
    assert pages.read_pages < max(by_tree.count("<m"), 900) // 3


@pytest.mark.skipif(not is_kernel_built(), reason="columns come from the kernel")
def test_results_that_could_be_traced_back_need_the_document(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(tmp_path / "r.xml", "r", 40, 1)
    write(tmp_path / "s.xml", "s", 40, 2)
    before = QUERY.rpartition("return")[0]
    queries = [QUERY.replace("return <m>", "return <m>{ $r/../@* }"), f"({before} return $r)/root()/*/count(*)"]
    by_tree = [answer(tmp_path, query) for query in queries]
    small(monkeypatch)
    assert [answer(tmp_path, query) for query in queries] == by_tree
    assert by_tree[1] == "41"


@pytest.mark.skipif(not is_kernel_built(), reason="columns come from the kernel")
def test_a_broken_file_is_the_error_of_doc(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(tmp_path / "r.xml", "r", 40, 1)
    (tmp_path / "s.xml").write_text("<d><s><t>1</t></d>", encoding="utf-8")
    for _ in range(2):
        with pytest.raises(XylemError) as error:
            answer(tmp_path)
        assert error.value.code == "FODC0002"
        small(monkeypatch)


def test_explain_names_the_roles() -> None:
    text = str(xylem.compile(QUERY).explain())
    assert "min 1.5: window" in text
    assert "min: searched" in text
    assert "holds a window of $r and $s" in text
    operators = CompiledQuery(QUERY, StaticEnvironment()).tree_operators.operators()
    (told,) = [operator.about for operator in operators if operator.kind == "join"]
    assert told == "best match left $s by min(abs($r/t - ($s/t + 2))) and min(abs($r/@x - $s/@x))"
