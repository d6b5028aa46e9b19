"""What is made of all that windows give, over a stream in batches: kept, saved after each batch, and gone on from."""

from __future__ import annotations

import random

import pytest
import xylem
from xylem.pipeline import StaticEnvironment, compile_distributed
from xylem.run.tasks.program import DistributedProgram
from xylem.run.tasks.rows import Row
from xylem.spark.continuous.answers import AnswerInParts
from xylem.spark.continuous.modes import mode_of
from xylem.spark.continuous.subscription import Mode
from xylem.spark.continuous.window_state import restored, saved
from xylem.spark.shipped_query import shipped_query

KEYED = (
    "for $u in distinct-values(/s/i/k) forseq $w in /s/i[k eq $u] tumbling window "
    "start when true() end position $p when $p mod 2 = 0 return"
)
SLIDING = "for sliding window $w in /s/i start $s when true() end at $p when $p mod 3 = 0 return"
TUMBLING = SLIDING.replace("sliding", "tumbling")
GO_ON = [
    f"count({KEYED} $w)",
    f"<n>{{ sum({KEYED} count($w)) }}</n>",
    f"<a most='{{ max({KEYED} sum($w/v)) }}'/>",
    f"if (exists({KEYED} $w[v > 90])) then min({KEYED} xs:integer($w[1]/v)) else 'none'",
    f"avg({SLIDING} sum($w/v))",
    f"string-join({SLIDING} string(count($w)), ',')",
    f"let $r := {SLIDING} count($w) return <a>{{ sum($r), max($r), count(/s/i) }}</a>",
    f"<a>{{ for $x in ({SLIDING} sum($w/v)) order by $x return <y>{{ $x }}</y> }}</a>",
    f"reverse({TUMBLING} $w[1]/v)",
    # as they end: steps, tests and loops over them are windows with another result
    f"<r>{{ ({TUMBLING} $w)/v }}</r>",
    f"({SLIDING} $s)[v > 30]/v",
    f"for $r in ({SLIDING} sum($w/v)) where $r > 99 return <x>{{ $r }}</x>",
    f"count(({TUMBLING} $w[1])/v[. > 40])",
]
SEE_IT_AGAIN = [
    # another order than that of one process over a finite input
    f"string-join({KEYED} string(count($w)), ',')",
    f"sum({KEYED} sum($w/v))",
    f"({KEYED} $w)/v",
    # what comes before the stream ends
    f"head({SLIDING} count($w))",
    f"distinct-values({SLIDING} count($w))",
    f"({SLIDING} $w)/v",
    f"{SLIDING.replace('return', 'group by $g := $p mod 2 return')} <x>{{ count($w) }}</x>",
]


def mode(query: str) -> Mode:
    told = shipped_query(query, keeps_windows=True)
    return mode_of(told, is_one_document=True)


@pytest.mark.parametrize("query", GO_ON)
def test_it_goes_on_from_what_was_saved(query: str) -> None:
    chance = random.Random(len(query))
    made = [f"<i><k>{chance.randint(1, 3)}</k><v>{chance.randint(0, 99)}</v></i>" for _ in range(50)]
    assert mode(query) is Mode.SPREAD
    program = compile_distributed(query, StaticEnvironment(), keeps_windows=True)
    expected = xylem.compile(query).run(xylem.parse(f"<s>{''.join(made)}</s>")).serialize()
    assert in_batches(program, made, chance) == expected


def in_batches(program: DistributedProgram, made: list[str], chance: random.Random) -> str:
    """The answer of processes that each take a batch, and write down all that they know."""
    states: dict[int, list[bytes]] = {part.number: [] for part in program.distribution.parts}
    kept: list[bytes] = []
    text, batch = "", 0
    while True:
        size = chance.randint(1, 9)
        some, made = made[:size], made[size:]
        document = f"<s>{''.join(some)}</s>".encode()
        rows: dict[int, list[Row]] = {number: [] for number in states}
        for row in sorted(program.task(0, document, batch, {}), key=lambda row: (row.range, row.ordinal)):
            rows[row.part].append(row._replace(range=batch))
        for number in states:
            if program.windows(number) is not None:
                state = restored(states[number])
                found = program.completed_windows(
                    number, state, rows[number] if some else [], batch, is_end=not some, each_item=False
                )
                values = [one.value for one in found]
                rows[number] = [Row(number, b"", batch, place, value) for place, value in enumerate(values)]
                states[number] = [saved(state, is_whole=True)]
        answer = AnswerInParts(program, {}, state_limit_bytes=1 << 20, saved=kept)
        text += "".join(answer.take(rows if some or program.distribution.parts else {}, []))
        if not some:
            return text + "".join(answer.finish())
        kept = [answer.save(is_whole=True)]
        answer.close()
        batch += 1


def test_of_results_no_more_is_kept_than_the_aggregate_needs() -> None:
    program = compile_distributed(f"sum({SLIDING} sum($w/v))", StaticEnvironment(), keeps_windows=True)
    answer = AnswerInParts(program, {}, state_limit_bytes=1 << 20)
    state, sizes = restored([]), []
    for batch in range(20):
        rows = list(program.task(0, f"<s>{'<i><v>1.5</v></i>' * 60}</s>".encode(), batch, {}))
        found = program.completed_windows(1, state, rows, batch, is_end=False, each_item=False)
        answer.take({1: [Row(1, b"", batch, place, one.value) for place, one in enumerate(found)]}, [])
        sizes.append(answer.state_bytes)
    answer.close()
    assert max(sizes) < 100


@pytest.mark.parametrize("query", SEE_IT_AGAIN)
def test_what_cannot_go_on_sees_the_stream_again_and_says_so(query: str) -> None:
    assert mode(query) is Mode.IN_ORDER
    (account,) = xylem.compile(query).stream_windows()
    assert "after a restart it sees the stream again" in account.bound


def test_explain_says_what_is_kept_of_results() -> None:
    (account,) = xylem.compile(f"count({KEYED} $w)").stream_windows()
    assert account.state.startswith("keyed state")
    assert account.holds[-1] == "of their results count(…), as its state"
    (account,) = xylem.compile(f"reverse({SLIDING} sum($w/v))").stream_windows()
    assert account.holds[-1] == "their results, until the stream ends"
