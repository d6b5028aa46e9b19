"""Windows over streams on Spark: the answers of one process, whatever the batches, the partitions and the restarts."""

from __future__ import annotations

import json
import os
import random
from pathlib import Path
from typing import Any

import pytest
import xylem
from xylem.spark.continuous.continuous_run import run_continuous

from .killed_runs import answer
from .test_continuous_run import NOW, continuous

pytestmark = [pytest.mark.usefixtures("spark"), pytest.mark.timeout(300)]


def entries(count: int) -> list[str]:
    """Entries of a log, four of five with a user."""
    chance = random.Random(5)
    made = []
    for number in range(count):
        user = f"<user>u{chance.randrange(4)}</user>" if chance.random() < 0.8 else ""
        made.append(f"<entry t='{number}'>{user}<v>{chance.randrange(9)}</v></entry>")
    return made


UNKEYED = {
    "tumbling": (
        "<r>{ forseq $w in /log/entry tumbling window start curItem $a when true() "
        "end curItem $b when $b/@t - $a/@t ge 6 return <x s='{ $a/@t }'>{ sum($w/v), $w[last()]/v }</x> }</r>"
    ),
    "sliding": (
        "for sliding window $w in /log/entry start $s at $i when $s/v = 3 only end $e at $j when $j - $i ge 5 "
        "return <x s='{ $s/@t }' n='{ count($w) }' most='{ max($w/v) }' mean='{ avg($w/v) }'>{ $w/v }</x>"
    ),
    "landmark": (
        "forseq $w in /log/entry landmark window start position $p when $p mod 20 eq 1 "
        "end position $q, prevItem $z when $q mod 7 eq 0 return concat($p, ':', $q, ':', sum($w/v), ':', $z/@t)"
    ),
    "count": "for $w in /log/entry|count 7 step 3| return <c>{ count($w), sum($w/v) }</c>",
    "diff": "for $w in /log/entry|@t diff 10 step 4| return <c>{ count($w), $w/@t/string() }</c>",
}
BY_KEY = {
    "values": (
        "for $u in distinct-values(/log/entry/user) forseq $w in /log/entry[user eq $u] tumbling window "
        "start position $a when true() end position $b when $b - $a ge 4 "
        "return <k u='{ $u }' sum='{ sum($w/v) }'>{ $w/@t/string() }</k>"
    ),
    "groups": (
        "<r>{ for $e in /log/entry group by $u := $e/user for tumbling window $w in $e "
        "start $a next $b when true() end $c next $d when $c/v > $d/v "
        "return <k u='{ $u }'>{ $w/@t/string() }</k> }</r>"
    ),
}


def in_one_process(query: str, text: str) -> str:
    """The answer over a sequence that may be infinite: windows as they end, whatever their key."""
    path = "/log/entry"
    name = "declare variable $items as element()** external; "
    items = list(xylem.compile(path).run(xylem.parse(text)).xdm)
    return xylem.compile(name + query.replace(path, "$items")).run(variables={"items": iter(items)}).serialize()


@pytest.mark.parametrize("name", [*UNKEYED, *BY_KEY])
def test_documents_in_many_batches(tmp_path: Path, name: str) -> None:
    query, made = (UNKEYED | BY_KEY)[name], entries(90)
    folder = tmp_path / "in"
    folder.mkdir()
    for first in range(0, 90, 10):
        place = folder / f"{first:03}.xml"
        place.write_text(f"<log>{''.join(made[first : first + 10])}</log>")
        os.utime(place, (first, first))
    metrics = tmp_path / "metrics.jsonl"
    run(tmp_path, query.replace("/log/entry", "collection()/log/entry"), f"dir:{folder}", metrics=metrics)
    assert answer(tmp_path / "out").decode() == in_one_process(query, f"<log>{''.join(made)}</log>") + "\n"
    batches = [json.loads(line) for line in metrics.read_text().splitlines()]
    assert len(batches) > 3
    assert max(batch["held_items"] for batch in batches) <= 45
    assert max(batch["window_keys"] for batch in batches) == {"groups": 5, "values": 4}.get(name, 0)


@pytest.mark.parametrize("name", ["sliding", "groups"])
def test_one_document(tmp_path: Path, name: str) -> None:
    query = (UNKEYED | BY_KEY)[name]
    source = tmp_path / "log.xml"
    source.write_text("<log>" + "".join(entries(90)) + "</log>")
    run(tmp_path, query, f"file:{source}", partitions=5)
    assert answer(tmp_path / "out").decode() == in_one_process(query, source.read_text()) + "\n"


def run(place: Path, query: str, source: str, **options: Any) -> None:
    given = {"trigger": NOW, "batch_bytes": 1_000, "partitions": 2, **options}
    run_continuous(continuous(place, query, source, **given))
