"""Files become tasks: large ones in parts, small ones many at a time, compressed ones whole; nothing is lost."""

from __future__ import annotations

import bz2
import gzip
from itertools import pairwise
from pathlib import Path

import pytest
from xylem.errors import InputError
from xylem.source.byte_ranges import ByteRange
from xylem.spark.inputs import LEAST_TASK_BYTES, RANGES_PER_TASK, SplitPlan, input_files, split_plan

ITEMS = (("child", "", "a"), ("child", "", "b"))


def document(items: int, padding: int = 0) -> bytes:
    return b"<a>" + b"".join(b"<b>%d%s</b>" % (i, b" " * padding) for i in range(items)) + b"</a>"


def all_pieces(plan: SplitPlan) -> list[str | ByteRange]:
    return [piece for task in plan.tasks for piece in task.pieces]


def test_directories_and_patterns_are_read_in_the_order_of_names(tmp_path: Path) -> None:
    for name in ("b.xml", "a.xml", "sub/c.xml", ".hidden.xml", "_SUCCESS", "sub/_temporary/d.xml"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_bytes(b"<a/>")
    names = [Path(file.path).name for file in input_files(tmp_path)]
    assert names == ["a.xml", "b.xml", "c.xml"]
    assert [Path(file.path).name for file in input_files(str(tmp_path / "*.xml"))] == ["a.xml", "b.xml"]
    assert "c.xml" in [Path(file.path).name for file in input_files(str(tmp_path / "**/*.xml"))]
    assert [file.path for file in input_files((tmp_path / "a.xml").as_uri())] == [str(tmp_path / "a.xml")]
    assert len(input_files([tmp_path / "a.xml", tmp_path / "a.xml"])) == 2


def test_a_file_whose_name_looks_like_a_pattern(tmp_path: Path) -> None:
    (tmp_path / "a[1].xml").write_bytes(b"<a/>")
    assert [Path(file.path).name for file in input_files(tmp_path / "a[1].xml")] == ["a[1].xml"]


@pytest.mark.parametrize(
    ("source", "code"), [("-", "XYRT0005"), ("s3://bucket/a.xml", "XYRT0005"), ("nowhere.xml", "XYIN0002")]
)
def test_what_is_no_file(source: str, code: str) -> None:
    with pytest.raises(InputError) as caught:
        input_files(source)
    assert caught.value.code == code


def test_a_pattern_without_files(tmp_path: Path) -> None:
    with pytest.raises(InputError) as caught:
        input_files(str(tmp_path / "*.xml"))
    assert caught.value.code == "XYIN0002"


def test_one_document_is_cut_into_as_many_parts_as_asked_for(tmp_path: Path) -> None:
    path = tmp_path / "a.xml"
    path.write_bytes(document(1000))
    for partitions in (1, 2, 5):
        plan = split_plan(input_files(path), [ITEMS], cores=2, partitions=partitions)
        assert len(plan.tasks) == partitions
        assert plan.ranges == partitions * RANGES_PER_TASK
        assert [task.first_range for task in plan.tasks] == list(range(0, plan.ranges, RANGES_PER_TASK))
    assert f"cut into {partitions * RANGES_PER_TASK} parts" in plan.lines()[0]


def test_parts_follow_each_other_without_gap(tmp_path: Path) -> None:
    path = tmp_path / "a.xml"
    path.write_bytes(document(1000))
    pieces = all_pieces(split_plan(input_files(path), [ITEMS], cores=2, partitions=7))
    parts = [piece for piece in pieces if isinstance(piece, ByteRange)]
    assert len(parts) == len(pieces) == 7 * RANGES_PER_TASK
    assert parts[0].start is None
    assert parts[-1].end is None
    assert all(one.end == two.start for one, two in pairwise(parts))


def test_tasks_share_the_items_not_the_bytes(tmp_path: Path) -> None:
    """Half of the document has no items: that is not half of the work."""
    path = tmp_path / "a.xml"
    path.write_bytes(document(1000).removesuffix(b"</a>") + b"<c>" + b"x" * 20_000 + b"</c></a>")
    plan = split_plan(input_files(path), [ITEMS], cores=2, partitions=4)
    sizes = [task.size for task in plan.tasks]
    assert len(sizes) == 4
    assert max(sizes[:3]) < 6_000
    assert sizes[3] > 20_000


def test_without_scopes_and_when_compressed_a_document_stays_whole(tmp_path: Path) -> None:
    plain, packed, also = tmp_path / "a.xml", tmp_path / "a.xml.gz", tmp_path / "a.xml.bz2"
    plain.write_bytes(document(1000))
    packed.write_bytes(gzip.compress(document(1000)))
    also.write_bytes(bz2.compress(document(1000)))
    assert split_plan(input_files(plain), [], cores=2, partitions=5).ranges == 1
    plan = split_plan(input_files([packed, also]), [ITEMS], cores=2, partitions=2)
    assert all_pieces(plan) == [str(packed), str(also)]
    assert plan.cut_files == 0


def test_small_files_share_tasks(tmp_path: Path) -> None:
    for number in range(1000):
        (tmp_path / f"{number:04}.xml").write_bytes(document(10, 200))
    files = input_files(tmp_path)
    plan = split_plan(files, [ITEMS], cores=2)
    assert len(plan.tasks) == 1 == -(-plan.size // LEAST_TASK_BYTES)
    plan = split_plan(files, [ITEMS], cores=2, partitions=4)
    assert len(plan.tasks) == 4
    assert all_pieces(plan) == [file.path for file in files]


def test_small_files_between_large_ones_keep_their_order(tmp_path: Path) -> None:
    sizes = [10, 3000, 10, 10, 3000, 10]
    for number, size in enumerate(sizes):
        (tmp_path / f"{number}.xml").write_bytes(document(size))
    plan = split_plan(input_files(tmp_path), [ITEMS], cores=1, partitions=6)
    order = [piece if isinstance(piece, str) else piece.path for piece in all_pieces(plan)]
    assert order == sorted(order)
    assert plan.cut_files == 2
