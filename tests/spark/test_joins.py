"""Equality joins on Spark: the same answer whether the gathered side is given to every task or shuffled by key."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
import xylem
import xylem.spark
from xylem.spark.batch import BatchRun
from xylem.spark.inputs import input_files
from xylem.spark.joins import broadcast_limit
from xylem.spark.shipped_query import shipped_query

QUERIES = {
    "counted": "for $p in //person return <p>{ $p/@id, count(//sale[@by = $p/@id]) }</p>",
    "pairs in outer order": "for $p in //person for $s in //sale where $s/to = $p/like return <m>{ $p/@id, $s }</m>",
    "chained": "for $p in //person for $s in //sale where $s/@by = $p/@id for $i in //item where $i/@n = $s/to "
    "return <m>{ $p/@id, $s/@n/string(), $i }</m>",
    "grouped in a report": "<r n='{ count(//item) }'>{ for $p in //person for $s in //sale where $s/@by = $p/@id "
    "group by $k := $p/@kind order by $k return <m k='{ $k }' n='{ count($s) }'/> }</r>",
    "an error of an item": "for $p in //person for $n in //sale/xs:integer(@by) where $p/@id = $n return $n",
}


@pytest.fixture(scope="module")
def market(tmp_path_factory: pytest.TempPathFactory) -> Path:
    people = "".join(
        f"<person id='p{n}' kind='k{n % 3}'><like>i{n % 5}</like><like>i{n % 7}</like></person>" for n in range(60)
    )
    sales = "".join(f"<sale n='{n}' by='p{n * 7 % 90}'><to>i{n % 11}</to></sale>" for n in range(120))
    items = "".join(f"<item n='i{n}'>{n}</item>" for n in range(8))
    path = tmp_path_factory.mktemp("market") / "market.xml"
    path.write_text(f"<db>{people}{sales}{items}</db>", encoding="utf-8")
    return path


def answer(spark: Any, query: str, files: Sequence[Path], limit: int | None) -> tuple[str, BatchRun]:
    shipped = shipped_query(query, several_documents=len(files) > 1)
    run = BatchRun(lambda: spark, shipped, input_files(files), partitions=3, broadcast_bytes=limit)
    try:
        return "".join(run.pieces()), run
    except xylem.XylemError as error:
        return f"error {error.code}", run


@pytest.mark.parametrize("query", QUERIES.values(), ids=QUERIES)
@pytest.mark.share(2)
def test_shuffled_answer_is_that_of_one_process(spark: Any, market: Path, query: str) -> None:
    try:
        expected = str(xylem.compile(query).run(xylem.parse(market)))
    except xylem.XylemError as error:
        expected = f"error {error.code}"
    shuffled, run = answer(spark, query, [market], 0)
    assert shuffled == expected
    assert len(run.plan.tasks) == 3
    assert run.joins is not None
    assert run.joins.is_shuffled == (not expected.startswith("error"))


def test_where_the_whole_input_is_small_nothing_is_measured(spark: Any, market: Path) -> None:
    found, run = answer(spark, QUERIES["counted"], [market], 1 << 20)
    assert found == str(xylem.compile(QUERIES["counted"]).run(xylem.parse(market)))
    assert run.joins is None


def test_a_side_that_turns_out_small_is_given_to_every_task(spark: Any, market: Path) -> None:
    found, run = answer(spark, QUERIES["counted"], [market], market.stat().st_size // 2)
    assert found == str(xylem.compile(QUERIES["counted"]).run(xylem.parse(market)))
    assert run.joins is not None
    assert not run.joins.is_shuffled
    assert run.joins.told().startswith("join of 0.0 MB given to every task")


def test_sides_in_several_files(spark: Any, market: Path, tmp_path: Path) -> None:
    text = market.read_text()
    cut = text.index("<sale")
    (tmp_path / "1.xml").write_text(text[:cut] + "</db>")
    (tmp_path / "2.xml").write_text("<db>" + text[cut:])
    found, run = answer(spark, QUERIES["pairs in outer order"], sorted(tmp_path.iterdir()), 0)
    assert found == str(xylem.compile(QUERIES["pairs in outer order"]).run(xylem.parse(market)))
    assert run.joins is not None
    assert run.joins.is_shuffled


def test_a_data_frame_of_a_shuffled_join(spark: Any, market: Path) -> None:
    query = """for $p in //person for $s in //sale where $s/@by = $p/@id
        return map { 'p': string($p/@id), 'n': xs:integer($s/@n) }"""
    expected = [(row["p"], row["n"]) for row in xylem.compile(query).run(xylem.parse(market))]
    setting = "spark.sql.autoBroadcastJoinThreshold"
    before = spark.conf.get(setting)
    try:
        spark.conf.set(setting, "-1")
        found = xylem.spark.query(spark, query, market, partitions=3)
        assert [(row.p, row.n) for row in found.collect()] == expected
    finally:
        spark.conf.set(setting, before)


def test_the_limit_is_that_of_the_session(spark: Any) -> None:
    setting = "spark.sql.autoBroadcastJoinThreshold"
    before = spark.conf.get(setting)
    try:
        for said, limit in (("10485760b", 10 << 20), ("2m", 2 << 20), ("1GB", 1 << 30), ("-1", -1), ("77", 77)):
            spark.conf.set(setting, said)
            assert broadcast_limit(spark) == limit
    finally:
        spark.conf.set(setting, before)
