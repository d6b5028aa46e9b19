"""What an appending sink is given: parts that never change, each once, and in the end the whole answer."""

from __future__ import annotations

import random

import pytest
from xylem.errors import StaticError
from xylem.pipeline import StaticEnvironment
from xylem.query.history_query import HistoryQuery
from xylem.run.history.run import UpdateInput
from xylem.sink.changelog import AppendLog
from xylem.source.resources import FileResources
from xylem.source.update_stream.wire import read_wire

from tests.run.history.feeding import OPEN

LOOPS = (
    "for $a in //a return <x>{ $a/@k, $a/b }</x>",
    "//a/b/string()",
    "for $a in //a where $a/b > 2 return count($a/*)",
    "for $a at $i in /r/a return ($i, $a)",
)
OTHERS = ("count(//a)", "for $a in //a order by string($a) return $a", "//a#[1]", "<x>{ //a }</x>", "/r[b]/a")


def told(query: str, stream: str) -> tuple[list[tuple[int, str]], list[str]]:
    """(commit, new) of each appended row, and the display after each commit."""
    compiled = HistoryQuery(query, StaticEnvironment())
    run = compiled.run([UpdateInput("", "", read_wire([stream.encode()]))], FileResources(), {})
    log = AppendLog("q")
    rows = [
        (row.commit, row.new or "")
        for commit, parts in run.final_parts()
        for row in log.rows(commit.number, commit.time, parts)
    ]
    return rows, [answer.display.text for answer in compiled.answers(stream.encode())]


def test_a_part_is_told_when_it_and_all_before_it_are_frozen() -> None:
    stream = f"""{OPEN}<r><a>0</a><a u:id="i">1</a><a u:id="j">2</a><a>3</a></r>
        <u:replace of="j" t="1"><a>4</a></u:replace><u:freeze of="j"/><u:replace of="i" t="2"><a>5</a></u:replace>
        <u:freeze of="i"/><u:clock t="3"/></u:stream>"""
    rows, _ = told("/r/a/string()", stream)
    assert rows == [(1, "0"), (4, " 5"), (4, " 4"), (4, " 3")]
    # What was inserted beside a frozen region may change as long as it is not frozen itself.
    beside = stream.replace(
        "<u:freeze of=", '<u:insert-after of="i" id="k" t="2"><a>6</a></u:insert-after><u:freeze of='
    )
    rows, _ = told("/r/a/string()", beside.replace("<u:clock", '<u:clock t="3"/><u:freeze of="k"/><u:clock'))
    assert rows[:2] == [(1, "0"), (6, " 5")]


@pytest.mark.parametrize("query", LOOPS + OTHERS)
def test_what_was_appended_is_the_beginning_of_every_later_answer(query: str) -> None:
    early = 0
    for seed in range(12):
        rng = random.Random(seed)
        ids = [f"i{number}" for number in range(6)]
        nested = "<a><b>1</b></a>"
        base = "".join(
            f'<a k="{number}"><b u:id="i{number}">{number}</b>{nested if number == 2 else ""}</a>'
            for number in range(6)
        )
        stream = f'{OPEN}<r>{base}<u:mutable id="end"/></r>'
        for time in range(1, 14):
            if ids and rng.random() < 0.45:
                stream += f'<u:freeze of="{ids.pop(0 if rng.random() < 0.8 else rng.randrange(len(ids)))}"/>'
                stream += f'<u:clock t="{time}"/>'
            elif ids and rng.random() < 0.7:
                kind = rng.choice(("replace", "replace", "insert-before", "insert-after"))
                stream += f'<u:{kind} of="{rng.choice(ids)}" t="{time}"><b>{rng.randint(0, 9)}</b></u:{kind}>'
            else:
                ids.append(f"n{time}")
                new = f'<a><b u:id="n{time}">{rng.randint(0, 9)}</b></a>'
                stream += f'<u:insert-before of="end" t="{time}">{new}</u:insert-before>'
        rows, displays = told(query, f"{stream}</u:stream>")
        assert "".join(new for _, new in rows) == displays[-1]
        for commit in range(1, len(displays)):
            appended = "".join(new for at, new in rows if at <= commit)
            early += bool(appended)
            assert all(display.startswith(appended) for display in displays[commit - 1 :]), (seed, commit)
    assert bool(early) is (query in LOOPS)


@pytest.mark.parametrize("query", OTHERS)
def test_on_a_stream_without_end_what_is_never_final_is_refused(query: str) -> None:
    from tests.run.history.test_logged_run import NATIVE, run

    with pytest.raises(StaticError) as refused:
        run(HistoryQuery(query, StaticEnvironment()), NATIVE, envelope="append")
    assert refused.value.code == "XYST0031"
