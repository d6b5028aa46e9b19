"""Joins by tasks: by ranges of a value where a window bounds it; else each task has items of the first loop."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path
from random import Random

import pytest
import xylem
from xylem.functions import match_ranges
from xylem.pipeline import StaticEnvironment
from xylem.plan.distribution import PartKind
from xylem.plan.operators import Join
from xylem.query.compiled_query import CompiledQuery
from xylem.query.spreading import Spreading
from xylem.run.tasks.in_process import run_in_process
from xylem.source.byte_ranges import ranges
from xylem.source.cut_points import find_cuts
from xylem.source.resources import FileResources
from xylem.spark.named_input import with_named_input
from xylem.spark.shipped_query import shipped_query

from ..tasks.ranges_of_documents import assert_same, distributed, divisions, over_ranges
from .oracle import band_conditions, distance, document_of, pairs_of, query_of, random_case


@pytest.mark.parametrize("seed", range(40))
@pytest.mark.share(3)
def test_any_division_gives_the_pairs_of_the_oracle(seed: int, tmp_path: Path) -> None:
    case = random_case(seed)
    document = tmp_path / "d.xml"
    document.write_text(document_of(case), encoding="utf-8")
    program = distributed(query_of(case))
    if case.kind == ("left" if case.left_is_first else "right"):
        assert program.distribution.is_parallel
    expected = [str(number) for pair in pairs_of(case) for number in pair]
    for parts in divisions(program, document, Random(seed), 2):
        assert over_ranges(program, parts).split() == expected


@pytest.mark.parametrize("seed", range(20_000 if os.environ.get("XYLEM_CAMPAIGN") else 36))
@pytest.mark.share(3)
def test_ranges_of_values_lose_and_double_nothing(
    seed: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Any kind of join with a window, both sides divided, with borders anywhere."""
    chance = Random(f"ranges {seed}")
    monkeypatch.setattr(match_ranges, "RANGES", chance.choice((1, 3, 17, 256)))
    case = random_case(seed, 14)
    is_self_join = seed % 6 == 5
    bounded = [distance("x", "min", chance.choice((0, 0.25, 1, 2.5)))] if seed % 3 else []
    band = [] if bounded else band_conditions(-chance.choice((0, 0.5, 2)), chance.choice((0.5, 1, 3)), chance)
    orders = [*bounded, *case.orders[: chance.randint(0 if bounded else 1, 2)]]
    kind = ("inner", "left", "right", "full")[seed % 4]
    case = replace(case, orders=orders, conditions=[*case.conditions, *band], kind=kind)
    if chance.random() < 0.4:
        # Half of all items at one place.
        for item in (*case.left, *case.right):
            item["x"] = 0.5 if chance.random() < 0.5 else item["x"]
    document = tmp_path / "d.xml"
    document.write_text(document_of(case), encoding="utf-8")
    query = query_of(case)
    if is_self_join:
        case = replace(case, right=case.left)
        query = query_of(case, "/d/r", "/d/r")
    program = distributed(query)
    assert [part.kind for part in program.distribution.parts][-1] is PartKind.GROUP
    expected = [str(number) for pair in pairs_of(case) for number in pair]
    for parts in divisions(program, document, chance, 1):
        assert over_ranges(program, parts).split() == expected


BEHIND = [
    "where $s/@z != 1 return string($r/@i)",
    "let $d := $r/@x + $s/@x order by $s/@y descending, $d return $r/@i || ' ' || $s/@i",
    "return <m>{ $r/@*, <s>{ $s/@* }</s> }</m>",
    "let $f := $s/@i where $f return concat($f, '-')",
]


@pytest.mark.parametrize("behind", BEHIND)
@pytest.mark.parametrize("kind", ["", "left outer", "right outer", "full outer 2"])
@pytest.mark.share(3)
def test_what_follows_a_join_by_ranges(kind: str, behind: str, tmp_path: Path) -> None:
    join = f"where $r {kind} bestmatch join $s on (abs($r/@x - $s/@x)) min 1.5, (abs($r/@y - $s/@y)) min"
    for loops in ("for $r in /d/r for $s in /d/s", "for $s in /d/s let $k := $s/@i for $r in /d/r where $k"):
        join = join.replace("1.5", "$e")
        loops = f"let $d := 0.5, $e := 1 + $d {loops}"
        document = tmp_path / "d.xml"
        document.write_text(document_of(random_case(len(behind) + len(kind), 14)), encoding="utf-8")
        program = assert_same(f"{loops} {join} {behind}", document, Random(1), 1)
        assert program.distribution.parts[-1].kind is PartKind.GROUP


@pytest.mark.parametrize(("limit", "code"), [("(-1)", "XYDY0013"), ("'a'", "FORG0001"), ("(1 to 2)", "XYDY0013")])
def test_limits_that_are_none_are_errors_by_ranges_too(limit: str, code: str, tmp_path: Path) -> None:
    document = tmp_path / "d.xml"
    document.write_text("<d><r t='1'/><s t='2'/><s t='4'/></d>", encoding="utf-8")
    query = f"for $r in /d/r for $s in /d/s where $r full outer bestmatch join $s on (abs($r/@t - $s/@t)) min {limit}"
    program = assert_same(f"{query} return 1", document, Random(1), 1)
    assert over_ranges(program, [*divisions(program, document, Random(1), 0)][-1]) == f"error {code}"


def test_times_are_divided_into_ranges(tmp_path: Path) -> None:
    document = tmp_path / "d.xml"
    times = [f"2024-05-01T10:{number % 60:02}:{number * 7 % 60:02}Z" for number in range(60)]
    document.write_text(f"<d>{''.join(f'<{n}><t>{t}</t></{n}>' for n, t in zip('rs' * 30, times, strict=True))}</d>")
    loops = "for $r in /d/r for $s in /d/s let $a := xs:dateTime($r/t), $b := xs:dateTime($s/t)"
    limit = "(xs:dayTimeDuration('PT90S'))"
    for orders in (f"($a, $b) minAttrDist {limit}", "(abs(($a - $b) div xs:dayTimeDuration('PT1S'))) min 90"):
        for kind in ("full outer", ""):
            query = f"{loops} where $r {kind} bestmatch join $s on {orders} return <m>{{ $r/t, $s/t }}</m>"
            program = assert_same(query, document, Random(1), 1)
            assert program.distribution.parts[-1].kind is PartKind.GROUP
            plan = CompiledQuery(query, StaticEnvironment()).task_operators(Spreading())
            assert f"best match {kind.partition(' ')[0] or 'inner'}" in {
                operator.how for operator in plan.operators() if isinstance(operator, Join)
            }


@pytest.mark.parametrize("name", ["s.xml", "r.xml"])
def test_of_two_documents_tasks_take_the_first_apart(name: str, tmp_path: Path) -> None:
    """Half of the items at one place; the second document may be the first one, too."""
    chance = Random(name)

    def write(path: Path, item: str) -> None:
        times = [7 if chance.random() < 0.5 else chance.randint(0, 40) for _ in range(80)]
        path.write_text(f"<d>{''.join(f'<{item}><t>{time}</t></{item}>' for time in times)}</d>", encoding="utf-8")

    write(tmp_path / "r.xml", "x")
    write(tmp_path / "s.xml", "x")
    text = (
        f'for $r in doc("r.xml")/d/x for $s in doc("{name}")/d/x'
        " where $r left outer bestmatch join $s on (abs($r/t - $s/t)) min 2 return <m>{ $r/t, $s/t }</m>"
    )
    base = tmp_path.as_uri() + "/"
    expected = str(xylem.compile(text, base_uri=base).run(allow=[tmp_path]))
    query, files = with_named_input(shipped_query(text, base_uri=base, allow=[tmp_path]), [])
    assert [Path(file.path).name for file in files] == ["r.xml"]
    program = query.program()
    assert program.distribution.is_parallel
    resources = FileResources([tmp_path])
    document = tmp_path / "r.xml"
    for cuts in ([], find_cuts(document, program.scopes, 200), find_cuts(document, program.scopes, 1)):
        parts = ranges(document, cuts)
        assert run_in_process(program, parts, resources=resources) == expected
    assert len(parts) > 50
