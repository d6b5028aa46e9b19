"""Records of a keyed feed that are evaluated apart give the log of a run that has them in one place."""

from __future__ import annotations

import random

import pytest
from xylem.errors import XylemError
from xylem.pipeline import StaticEnvironment
from xylem.query.history_query import HistoryQuery
from xylem.run.history.evaluation import Surroundings
from xylem.run.history.logged_run import LoggedRun
from xylem.run.history.record_messages import evaluated_message
from xylem.run.history.record_rows import RecordRows, why_not_apart
from xylem.source.resources import FileResources
from xylem.source.update_stream.formats import UpdateFormat

HOW = UpdateFormat("keyed", record="shop/item", key="@id", time="@t", version="@v", delete="@gone")
APART = (
    "for $i in //item where $i/price > 4 return <hot>{ $i/name, $i/price }</hot>",
    "for $i in /shop/item order by number($i/price) descending, $i/@id return <i k='x'>{ $i/name/text() }</i>",
    "<all n='1'>{ for $i in //item return <i>{ $i/@id, $i/tag }</i> }</all>",
    "count(//item[price > 4])",
    "<sum>{ sum(//item/price) }</sum>",
    "max(//price/xs:decimal(.))",
    "for $i in //item group by $n := string($i/name) order by $n return <g n='{ $n }'>{ count($i), sum($i/price) }</g>",
    "for $i in //item, $t in $i/tag order by $t return <t>{ $t, $i/price }</t>",
    "distinct-values(//tag)",
    "exists(//item[tag = 'b'])",
    "declare namespace p = 'urn:p'; for $i in //item return <x>{ $i/p:q, in-scope-prefixes($i) }</x>",
    "for $i in //item return <x>{ if ($i/price > 5) then comment { $i/name } else $i/node() }</x>",
)
TOGETHER = (
    "for $t in //tag return <t>{ string($t) }</t>",
    "for $i in //item return <p:x xmlns:p='urn:p'>{ $i/name }</p:x>",
    "for $i in //item return <x>{ $i/price#1 }</x>",
    "for $i in //item return <x>{ $i/price - avg(//price) }</x>",
    "for $i at $n in //item return <x n='{ $n }'/>",
    "//item[2]",
    "//item/name",
    "for $i in //item, $j in //item where $i/name = $j/name return <p/>",
    "for $i in //item group by $n := string($i/name) return <g>{ $i }</g>",
    "for $i in //* return <x>{ name($i) }</x>",
    "for $i in //item return map { 1: 2 }",
    "count(//item/following::item)",
)


def compiled(query: str) -> HistoryQuery:
    return HistoryQuery(query, StaticEnvironment())


def messages(rng: random.Random) -> list[bytes]:
    """Documents with some records each: keys come again, go, and are older than known ones."""
    found = []
    for number in range(rng.randint(2, 8)):
        items = ""
        for _ in range(rng.randint(0, 4)):
            gone = ' gone="1"' if rng.random() < 0.2 else ""
            tags = "".join(f"<tag>{rng.choice('abc')}</tag>" for _ in range(rng.randint(0, 2)))
            items += (
                f'<item id="{rng.randrange(5)}" t="{number}" v="{rng.randint(number, number + 2)}"{gone}>'
                f"<name>n{rng.randrange(3)}</name><price>{rng.randrange(10)}</price><p:q>&lt;é</p:q>{tags}</item>\n"
            )
        found.append(f'<shop xmlns:p="urn:p" a="1"> {items}</shop>'.encode())
    return found


def logged(query: HistoryQuery, rows_of: tuple[str, ...] | None, saved: bytes | None = None) -> LoggedRun:
    around = Surroundings(FileResources(), {})
    return LoggedRun(query.program, query.operators, around, HOW, "q", rows_of=rows_of, saved=saved)


@pytest.mark.parametrize("text", APART)
def test_the_same_log(text: str) -> None:
    query = compiled(text)
    feed = HOW.feed()
    assert feed is not None
    assert why_not_apart(query.operators.plan, feed.record) == ""
    rows = RecordRows(query.operators, Surroundings(FileResources(), {}))
    for seed in range(12):
        rng = random.Random(f"records {seed}")
        given = messages(rng)
        together, apart = logged(query, None), logged(query, feed.record)
        for number, message in enumerate(given):
            evaluated = evaluated_message(message, feed, rows)
            assert list(apart.take(evaluated)) == list(together.take(message)), f"seed {seed}, message {number}"
            if rng.random() < 0.3:
                apart = logged(query, feed.record, apart.save())


@pytest.mark.parametrize("text", TOGETHER)
def test_what_is_not_evaluated_apart(text: str) -> None:
    assert why_not_apart(compiled(text).operators.plan, ("shop", "item")) != ""


def test_a_path_that_may_mean_other_elements() -> None:
    assert why_not_apart(compiled(APART[0]).operators.plan, ("*", "*")) != ""
    assert why_not_apart(compiled("count(//item)").operators.plan, ("item", "item")) != ""


def test_an_error_is_raised_where_the_record_is_applied() -> None:
    query = compiled("for $i in //item return <x>{ $i/price + 1 }</x>")
    feed = HOW.feed()
    assert feed is not None
    rows = RecordRows(query.operators, Surroundings(FileResources(), {}))
    run = logged(query, feed.record)
    good, bad = (b'<shop><item id="1" v="%d"><price>%s</price></item></shop>' % one for one in ((2, b"1"), (1, b"x")))
    assert len(list(run.take(evaluated_message(good, feed, rows)))) == 1
    # An older version is left out.
    assert list(run.take(evaluated_message(bad, feed, rows))) == []
    with pytest.raises(XylemError) as raised:
        list(run.take(evaluated_message(bad.replace(b'v="1"', b'v="3"'), feed, rows)))
    assert raised.value.code == "FORG0001"
