"""Windows over streams on Spark: the answers of one process, whatever the batches and the partitions."""

from __future__ import annotations

import json
import os
import random
from pathlib import Path
from typing import Any

import pytest
import xylem
from xylem.analysis.event_time import EventTime
from xylem.errors import DynamicError
from xylem.pipeline import StaticEnvironment, compile_query
from xylem.result import Result
from xylem.source.resources import FileResources
from xylem.spark.continuous.continuous_run import ContinuousQuery, run_continuous
from xylem.spark.continuous.places import input_place, output_place
from xylem.spark.continuous.told_query import QueryText, told_queries

from tests.run.windows.generated import random_clause

from .killed_runs import answer
from .test_continuous_run import NOW

pytestmark = [pytest.mark.usefixtures("spark"), pytest.mark.timeout(300)]
PATH = "collection()/log/entry"
UNKEYED = {
    "tumbling": (
        f"<r>{{ forseq $w in {PATH} tumbling window start curItem $a when true() "
        "end curItem $b when $b/@t - $a/@t ge 6 return <x s='{ $a/@t }'>{ sum($w/v), $w[last()]/v }</x> }</r>"
    ),
    "sliding": (
        f"for sliding window $w in {PATH} start $s at $i when $s/v = 3 only end $e at $j when $j - $i ge 5 "
        "return <x s='{ $s/@t }' n='{ count($w) }' most='{ max($w/v) }' mean='{ avg($w/v) }'>{ $w/v }</x>"
    ),
    "landmark": (
        f"forseq $w in {PATH} landmark window start position $p when $p mod 20 eq 1 "
        "end position $q, prevItem $z when $q mod 7 eq 0 return concat($p, ':', $q, ':', sum($w/v), ':', $z/@t)"
    ),
    "count": f"for $w in {PATH}|count 7 step 3| return <c>{{ count($w), sum($w/v) }}</c>",
    "diff": f"for $w in {PATH}|@t diff 10 step 4| return <c>{{ count($w), $w/@t/string() }}</c>",
}
BY_KEY = {
    "values": (
        f"for $u in distinct-values({PATH}/user) forseq $w in {PATH}[user eq $u] tumbling window "
        "start position $a when true() end position $b when $b - $a ge 4 "
        "return <k u='{ $u }' sum='{ sum($w/v) }'>{ $w/@t/string() }</k>"
    ),
    "groups": (
        f"<r>{{ for $e in {PATH} group by $u := $e/user for tumbling window $w in $e "
        "start $a next $b when true() end $c next $d when $c/v > $d/v "
        "return <k u='{ $u }'>{ $w/@t/string() }</k> }</r>"
    ),
}


def entries(count: int, *, jitter: int = 0) -> list[str]:
    """Entries of a log, four of five with a user; with `jitter`, so far out of order."""
    chance = random.Random(5)
    made = []
    for number in range(count):
        user = f"<user>u{chance.randrange(4)}</user>" if chance.random() < 0.8 else ""
        time = number + (chance.randrange(-jitter, jitter + 1) if jitter else 0)
        made.append(f"<entry t='{time}'>{user}<v>{chance.randrange(9)}</v></entry>")
    return made


def written(folder: Path, made: list[str], size: int = 10) -> str:
    folder.mkdir()
    for first in range(0, len(made), size):
        place = folder / f"{first:05}.xml"
        place.write_text(f"<log>{''.join(made[first : first + size])}</log>")
        os.utime(place, (first, first))
    return f"dir:{folder}"


def run(place: Path, queries: dict[str, str], source: str, event_time: EventTime | None = None, **options: Any) -> None:
    """Many queries in one run: each batch is one for all of them."""
    read = input_place(source)
    texts = [QueryText(name, text, name, Path.cwd().as_uri() + "/", Path.cwd()) for name, text in queries.items()]
    told = told_queries(texts, variables={}, several_documents=not read.is_one_document, event_time=event_time)
    given = {"trigger": NOW, "is_quiet": True, "batch_bytes": 1_500, "partitions": 2, **options}
    run_continuous(ContinuousQuery(told, [read], output_place(f"dir:{place}/out"), place / "state", **given))


def in_one_process(query: str, made: list[str], event_time: EventTime | None = None, path: str = PATH) -> str:
    """The answer over a sequence that may be infinite: windows as they end, whatever their key."""
    items = list(xylem.compile("/log/entry").run(xylem.parse(f"<log>{''.join(made)}</log>")).xdm)
    text = "declare variable $items as element()** external; " + query.replace(path, "$items")
    program = compile_query(text, StaticEnvironment(event_time=event_time))
    found = program.run(FileResources(), variables={("", "items"): iter(items)})
    return Result(found, program.output).serialize()


def test_every_kind_of_windows(tmp_path: Path) -> None:
    queries, made, metrics = UNKEYED | BY_KEY, entries(90), tmp_path / "metrics.jsonl"
    run(tmp_path, queries, written(tmp_path / "in", made), metrics=metrics)
    for name, query in queries.items():
        assert answer(tmp_path / "out" / name).decode() == in_one_process(query, made) + "\n", name
    batches = [json.loads(line) for line in metrics.read_text().splitlines()]
    assert len(batches) > 2
    assert 0 < max(batch["held_items"] for batch in batches) < 100
    assert max(batch["window_keys"] for batch in batches) == 9


@pytest.mark.parametrize("partitions", [2, 5])
@pytest.mark.share(2)
def test_event_time(tmp_path: Path, partitions: int) -> None:
    queries = {name: (UNKEYED | BY_KEY)[name] for name in ("tumbling", "diff", *BY_KEY)}
    made, metrics = entries(90, jitter=5), tmp_path / "metrics.jsonl"
    time = EventTime("@t", "4s", "dead-letter")
    late = tmp_path / "late"
    source = written(tmp_path / "in", made)
    run(tmp_path, queries, source, time, metrics=metrics, partitions=partitions, late_letters=late)
    for name, query in queries.items():
        assert answer(tmp_path / "out" / name).decode() == in_one_process(query, made, time) + "\n", name
    batches = [json.loads(line) for line in metrics.read_text().splitlines()]
    letters = [json.loads(line) for place in sorted(late.glob("*.jsonl")) for line in place.read_text().splitlines()]
    count = sum(batch["late"] for batch in batches)
    assert count > 0
    assert count % len(queries) == 0
    assert len(letters) == count
    assert all(letter["code"] == "XYDY0012" and letter["record"].startswith("<entry") for letter in letters)


def test_a_late_item_may_stop_the_query(tmp_path: Path) -> None:
    made = ["<entry t='100'><user>a</user></entry>", "<entry t='1'><user>b</user></entry>"]
    source = written(tmp_path / "in", made)
    for name in ("tumbling", "values"):
        with pytest.raises(DynamicError) as caught:
            run(tmp_path / name, {"q": (UNKEYED | BY_KEY)[name]}, source, EventTime("@t", "10s", "stop"))
        assert caught.value.code == "XYDY0012"
        assert "by 99 s" in caught.value.message


def test_generated_clauses(tmp_path: Path) -> None:
    """As in one process, by five partitions where there is a key."""
    chance = random.Random(11)
    items = [(chance.randint(1, 3), chance.randint(0, 9)) for _ in range(40)]
    made = [f'<i k="{k}" v="{v}"/>' for k, v in items]
    source = tmp_path / "in"
    source.mkdir()
    for first in range(0, 40, 4):
        place = source / f"{first:03}.xml"
        place.write_text(f"<s>{''.join(made[first : first + 4])}</s>")
        os.utime(place, (first, first))
    queries, expected = {}, {}
    for number in range(24):
        clause = random_clause(chance)
        own = clause.query().removeprefix("declare variable $seq external; ")
        keyed = own.replace("$seq", "$seq[@k eq $key]", 1)
        text = f"for $key in distinct-values($seq/@k) {keyed}" if number % 2 else own
        queries[f"q{number}"] = text.replace("$seq", "collection()/s/i")
        nodes = list(xylem.compile("/s/i").run(xylem.parse(f"<s>{''.join(made)}</s>")).xdm)
        query = xylem.compile("declare variable $seq as element()** external; " + text)
        expected[f"q{number}"] = query.run(variables={"seq": iter(nodes)}).serialize()
    run(tmp_path, queries, f"dir:{source}", partitions=5, batch_bytes=400)
    for name, text in expected.items():
        assert answer(tmp_path / "out" / name).decode().rstrip("\n") == text, queries[name]
