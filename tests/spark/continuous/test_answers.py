"""Answers that grow: whatever the batches, and wherever they are stopped and started again, as if in one run."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise

import pytest
from xylem import compile, parse
from xylem.errors import DynamicError
from xylem.pipeline import StaticEnvironment, compile_distributed
from xylem.run.tasks.program import DistributedProgram
from xylem.run.tasks.rows import Row
from xylem.source.cut_points import CutFinder
from xylem.spark.continuous.answers import Answer, AnswerInItems, AnswerInParts, Rows

FEED = (
    "<feed title='t'>"
    + "".join(f"<item n='{n}' k='{'abc'[n % 3]}'><v>{n * 0.1:.1f}</v><w>{n % 7}</w></item>" for n in range(30))
    + "</feed>"
).encode()
LIMIT = 1 << 20

QUERIES = {
    "map in a frame": "<out>{ for $i in /feed/item where $i/w > 2 return <x n='{$i/@n}'>{ $i/v/text() }</x> }</out>",
    "map of atomic values": "/feed/item[w > 3]/string(@n)",
    "nothing selected": "<out>{ /feed/item[w > 99] }</out>",
    "aggregate": "count(/feed/item)",
    "aggregates of doubles": "<a s='{ sum(/feed/item/v) }' m='{ max(/feed/item/w) }' a='{ avg(/feed/item/v) }'/>",
    "groups": "for $i in /feed/item group by $k := $i/@k return <g k='{$k}' s='{ sum($i/v) }' n='{ count($i) }'/>",
    "groups with items": "for $i in /feed/item group by $k := $i/@k return <g>{ $i/w }</g>",
    "order": "for $i in /feed/item order by number($i/w) descending, $i/@n return <o>{ string($i/@n) }</o>",
    "map and aggregate": "<r>{ for $i in /feed/item return <x>{ $i/w/text() }</x> }<n>{ count(/feed/item) }</n></r>",
    "the first ones": "<f>{ (for $i in /feed/item return <x>{ string($i/@n) }</x>)[position() <= 7] }</f>",
}


def program_of(query: str) -> DistributedProgram:
    return compile_distributed(query, StaticEnvironment())


def ranges(program: DistributedProgram, size: int) -> list[bytes]:
    """The feed in documents of about that many items."""
    cuts = CutFinder(program.scopes, 1).feed(FEED)[::size]
    places = [None, *cuts, None]
    return [
        (a.opening if a else b"")
        + FEED[a.offset if a else 0 : b.offset if b else len(FEED)]
        + (b.closing if b else b"")
        for a, b in pairwise(places)
    ]


def batches(program: DistributedProgram, size: int, in_batch: int, *, each_item: bool = False) -> Iterator[Rows]:
    documents = ranges(program, size)
    for first in range(0, len(documents), in_batch):
        rows: dict[int, list[Row]] = {}
        for number, document in enumerate(documents[first : first + in_batch], first):
            for row in program.task(0, document, number, {}, each_item=each_item):
                rows.setdefault(row.part, []).append(row)
        yield rows


def grown(program: DistributedProgram, size: int, in_batch: int, restarts: Sequence[int]) -> str:
    """The answer batch by batch; before some of them another process goes on."""
    answer: Answer = AnswerInParts(program, {}, state_limit_bytes=LIMIT)
    texts: list[str] = []
    saved: list[bytes] = []
    for number, rows in enumerate(batches(program, size, in_batch)):
        if number in restarts:
            answer.close()
            answer = AnswerInParts(program, {}, state_limit_bytes=LIMIT, saved=saved)
        texts += answer.take(rows, [])
        saved = [answer.save(True)] if number % 3 == 0 else [*saved, answer.save(False)]
    texts += answer.finish()
    return "".join(texts)


@pytest.mark.parametrize("name", QUERIES)
@pytest.mark.parametrize(
    ("size", "in_batch", "restarts"), [(1, 1, ()), (4, 2, (1, 3)), (1, 5, (1, 2, 3, 4, 5)), (7, 1, (2,))]
)
def test_the_text_is_that_of_one_run(name: str, size: int, in_batch: int, restarts: tuple[int, ...]) -> None:
    query = QUERIES[name]
    expected = compile(query).run(parse(FEED)).serialize()
    assert grown(program_of(query), size, in_batch, restarts) == expected


def test_results_are_handed_out_as_they_come() -> None:
    answer = AnswerInParts(program := program_of(QUERIES["map in a frame"]), {}, state_limit_bytes=LIMIT)
    first, *others = batches(program, 5, 1)
    assert "".join(answer.take(first, [])).startswith("<out")
    for rows in others[:-1]:
        assert "".join(answer.take(rows, [])).startswith(("><x", "<x"))
    answer.close()


def test_what_changes_can_be_seen_before_the_end() -> None:
    answer = AnswerInParts(program := program_of("count(/feed/item)"), {}, state_limit_bytes=LIMIT)
    assert answer.is_live
    seen = []
    for rows in batches(program, 10, 1):
        assert answer.take(rows, []) == []
        seen.append(answer.current())
    assert seen[-1] == "30"
    assert seen == sorted(seen, key=int)
    assert answer.finish() == ["30"]


def test_the_state_of_aggregates_stays_small() -> None:
    query = "for $i in /feed/item group by $k := $i/@k return <g s='{ sum($i/v) }'/>"
    answer = AnswerInParts(program := program_of(query), {}, state_limit_bytes=LIMIT)
    sizes = []
    for rows in batches(program, 3, 1):
        answer.take(rows, [])
        sizes.append(answer.state_bytes)
    answer.close()
    assert max(sizes[2:]) <= sizes[2] + 64


def test_a_state_that_grows_has_a_limit() -> None:
    answer = AnswerInParts(program := program_of(QUERIES["order"]), {}, state_limit_bytes=500)
    with pytest.raises(DynamicError) as caught:
        _take_all(answer, program)
    answer.close()
    assert caught.value.code == "XYRT0023"
    assert "sort and merge" in str(caught.value)


def _take_all(answer: Answer, program: DistributedProgram) -> None:
    for rows in batches(program, 3, 1):
        answer.take(rows, [])


def test_items_as_messages() -> None:
    program = program_of(QUERIES["map in a frame"])
    answer = AnswerInItems(program, {}, state_limit_bytes=LIMIT)
    messages = [message for rows in batches(program, 3, 2, each_item=True) for message in answer.take(rows, [])]
    messages += answer.finish()
    expected = compile("for $i in /feed/item where $i/w > 2 return <x n='{$i/@n}'>{ $i/v/text() }</x>").run(parse(FEED))
    assert messages == _texts(expected.xdm)


def _texts(items: Sequence[object]) -> list[str]:
    from xylem.result import Result

    return [Result([item], {}).serialize() for item in items]
