"""History lists are as long as the query needs, and answers are the same as with all of it."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal

import pytest
from xylem import history_query
from xylem.errors import StaticError
from xylem.pipeline import StaticEnvironment, compile_query
from xylem.run.history.commits import History
from xylem.run.history.content import Slot
from xylem.run.history.evaluation import Reevaluation, Surroundings
from xylem.run.history.feed import Feed
from xylem.run.history.retention import Keep, Retention, retention_of
from xylem.run.history.run import UpdateInput
from xylem.source.limits import DEFAULT_LIMITS
from xylem.source.resources import FileResources
from xylem.source.update_stream.wire import read_wire

from tests.run.history.feeding import OPEN

UPDATES = "".join(
    f'<u:replace of="{"ik"[n % 2]}" t="{n // 3 * 2}"><a>{n}</a></u:replace>'
    + (f'<u:clock t="{n // 3 * 2 + 1}"/>' if n % 3 == 2 else "")
    for n in range(1, 30)
)
STREAM = f'{OPEN}<r><a u:id="i">x</a><a u:id="k">y</a></r>{UPDATES}</u:stream>'


@pytest.mark.parametrize(
    ("query", "versions", "seconds"),
    [
        ("/r/a", 0, None),
        ("/r/a#2", 2, None),
        ("/r/a#[1]", 1, None),
        ("for $a in /r/a#1 return $a#2", 3, None),
        ("/r/a?4", 0, 4),
        ("/r/a?[3]", 0, 3),
        ("/r/a?[0]", 0, 0),
        ("/r/a#1, /r/a?[2.5]", 1, 2.5),
        ("for $a in /r/a return $a?4", 0, 4),
        ("for $a in /r/a?4 return $a#[2]", 2, 4),
        ("for $a in /r/a?4/self::* return $a#[1]", 1, 4),
    ],
)
def test_answers_are_those_of_the_whole_history(query: str, versions: int, seconds: float | None) -> None:
    program = compile_query(f"({query})/string()", StaticEnvironment(over_updates=True))
    kept = retention_of(program)
    assert kept == Retention(versions, None if seconds is None else Decimal(str(seconds)), versions)
    histories = History(), History()
    feeds = [Feed(history.stream("")) for history in histories]
    around = Surroundings(FileResources(), {})
    whole = Reevaluation(program, histories[0], around)
    short = Reevaluation(program, histories[1], around, kept)
    for operation in read_wire([STREAM.encode()]):
        made = [feed.apply(operation) for feed in feeds]
        assert made[0] is not None
        assert made[1] is not None
        whole.follow(made[0])
        short.follow(made[1])
        assert whole.display == short.display
    lengths = [len(slot.versions) for slot in histories[1].streams[""].slots.values()]
    assert short.truncated > 10
    assert max(lengths) <= (versions + 1 if seconds is None else versions + 10)


@pytest.mark.parametrize("query", ["count(//a)#1", "xylem:as-of(//a, 3)", "xylem:versions(//a, 0)"])
def test_what_asks_for_everything_keeps_everything(query: str) -> None:
    program = compile_query(query, StaticEnvironment(over_updates=True))
    assert retention_of(program) is None
    with pytest.raises(StaticError) as refused:
        retention_of(program, Keep(5))
    assert refused.value.code == "XYST0032"


def test_more_may_be_kept_than_is_asked_for_and_not_less() -> None:
    program = compile_query("/r/a#2, /r/a?10", StaticEnvironment(over_updates=True))
    assert retention_of(program, Keep(5, Decimal(20))) == Retention(5, Decimal(20), 2)
    assert retention_of(program, Keep(5)) == Retention(5, Decimal(10), 2)
    assert retention_of(program, Keep(seconds=Decimal(20))) == Retention(2, Decimal(20), 2)
    for keep in (Keep(1), Keep(9, Decimal(5))):
        with pytest.raises(StaticError) as refused:
            retention_of(program, keep)
        assert refused.value.code == "XYST0032"


@pytest.mark.parametrize("query", ["for $a in //a return ($a/n, $a#1/n)", "//b/preceding-sibling::a#1/n", "count(//n)"])
def test_a_region_that_each_update_brings_anew_keeps_what_is_asked_for(query: str) -> None:
    updates = "".join(f'<u:replace of="i" t="{n}"><a u:id="i"><n>{n}</n></a></u:replace>' for n in range(1, 2_000))
    stream = f'<u:stream xmlns:u="urn:xylem:update"><r><a u:id="i"><n>0</n></a><b/></r>{updates}</u:stream>'
    compiled = history_query(query)
    run = compiled.run([UpdateInput("", "", read_wire([stream.encode()]))], FileResources(), {}, is_edited=False)
    run.final()
    (slot,) = (item for item in run.history.streams[""].document.content[0].content if isinstance(item, Slot))  # type: ignore[union-attr]
    assert len(slot.versions) <= 2


@pytest.mark.parametrize("query", ["for $i in //item return ($i/p, $i/p#1)", "//b/preceding-sibling::item/p"])
def test_regions_that_are_named_no_more_do_not_count(query: str) -> None:
    """Neither they, nor what updates brought into them: a stream may go on for ever."""
    updates = "".join(
        f'<u:replace of="i" t="{n}"><item u:id="i"><p u:id="p">{n}</p></item></u:replace>'
        f'<u:replace of="p" t="{n}"><p>-{n}</p></u:replace>'
        for n in range(1, 300)
    )
    stream = f'{OPEN}<r><item u:id="i"><p u:id="p">0</p></item><b/></r>{updates}</u:stream>'
    limits = replace(DEFAULT_LIMITS, regions=6, history_bytes=10_000)
    inputs = [UpdateInput("", "", read_wire([stream.encode()]))]
    run = history_query(query).run(inputs, FileResources(), {}, limits=limits, is_edited=False)
    assert "-299" in run.final().text
    assert run.history.regions <= 3
