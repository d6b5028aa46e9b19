"""Windows over a stream in batches, in one process: saved after any batch, loaded again, and nothing changes."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator

import pytest
import xylem
from xylem.analysis.event_time import EventTime
from xylem.errors import DynamicError, StaticError
from xylem.functions.external import Functions
from xylem.pipeline import StaticEnvironment, compile_distributed
from xylem.plan.distribution import PartKind
from xylem.run.tasks.program import DistributedProgram
from xylem.run.tasks.rows import Row
from xylem.run.windows.resumed import WindowState
from xylem.spark.continuous.window_state import restored, saved

from tests.run.windows.generated import random_clause

ITEMS = "declare variable $seq as element()** external; "
FUNCTIONS = Functions()


class Spread:
    """The largest less the smallest value."""

    def init(self) -> tuple[int, int] | None:
        return None

    def step(self, state: tuple[int, int] | None, value: int) -> tuple[int, int]:
        return (value, value) if state is None else (min(state[0], value), max(state[1], value))

    def merge(self, first: tuple[int, int], second: tuple[int, int]) -> tuple[int, int]:
        return min(first[0], second[0]), max(first[1], second[1])

    def finish(self, state: tuple[int, int] | None) -> int | None:
        return None if state is None else state[1] - state[0]


class Unsaved(Spread):
    """A state that nobody can write down."""

    def step(self, state: object, value: int) -> object:  # type: ignore[override]
        return lambda: value


FUNCTIONS.aggregate("udf:spread", "xs:integer*", "xs:integer?")(Spread)
FUNCTIONS.aggregate("udf:unsaved", "xs:integer*", "xs:integer?")(Unsaved)


def compiled(query: str, event_time: EventTime | None = None) -> DistributedProgram:
    environment = StaticEnvironment(external_functions=tuple(FUNCTIONS), event_time=event_time)
    program = compile_distributed(query, environment, keeps_windows=True)
    assert [part.kind for part in program.distribution.parts] == [PartKind.WINDOWS]
    return program


def in_batches(
    program: DistributedProgram, made: list[str], sizes: Iterator[int], read_again: Callable[[int], bool] = bool
) -> str:
    """The answer over items that come in batches; the state is written down after each, and read again or kept."""
    chain: list[bytes] = []
    state = WindowState()
    rows: list[bytes] = []
    batch = 0
    while made:
        size = next(sizes)
        document = f"<s>{''.join(made[:size])}</s>".encode()
        made = made[size:]
        state = restored(chain) if read_again(batch) else state
        items = sorted(program.task(0, document, 0, {}), key=lambda row: (row.range, row.ordinal))
        found = program.completed_windows(1, state, items, batch, is_end=False, each_item=False)
        rows += [one.value for one in found]
        chain = [*chain, saved(state, is_whole=False)] if chain and batch % 3 else [saved(state, is_whole=True)]
        batch += 1
    last = program.completed_windows(1, restored(chain), [], batch, is_end=True, each_item=False)
    rows += [one.value for one in last]
    return program.finish({1: [Row(1, b"", 0, number, value) for number, value in enumerate(rows)]})


def sizes(chance: random.Random) -> Iterator[int]:
    while True:
        yield chance.choice((1, 1, 2, 3, 5, 13))


def at_once(query: str, made: list[str]) -> str:
    nodes = list(xylem.compile("/s/i").run(xylem.parse(f"<s>{''.join(made)}</s>")).xdm)
    return xylem.compile(ITEMS + query, functions=FUNCTIONS).run(variables={"seq": iter(nodes)}).serialize()


def test_generated_clauses_in_any_batches() -> None:
    chance = random.Random(3)
    for number in range(90):
        items = [(chance.randint(1, 3), chance.randint(0, 9)) for _ in range(chance.choice((1, 5, 13, 30)))]
        made = [f'<i k="{k}" v="{v}"/>' for k, v in items]
        own = random_clause(chance).query().removeprefix("declare variable $seq external; ")
        if number % 3 == 0:
            own = f"for $key in distinct-values($seq/@k) {own.replace('$seq', '$seq[@k eq $key]', 1)}"
        program = compiled(own.replace("$seq", "/s/i"))
        for read_again in (bool, lambda batch: False, lambda batch: chance.random() < 0.3):
            found = in_batches(program, list(made), sizes(chance), read_again)
            assert found == at_once(own, made), own


KEYS = ["a", "", "a b", "&amp;&lt;&quot;'&gt;", "&quot;&gt;", "&#9;&#10;", "\x85\u2028", "\U0001f333", "=", None]
KEYED = [
    "for $u in distinct-values(/s/i/k) forseq $w in /s/i[k eq $u] tumbling window start position $a when true() "
    "end position $b when $b - $a eq 2 return <k k='{ $u }'>{ $w/v/string(), count($w/x), name($w[1]) }</k>",
    "for $i in /s/i group by $u := $i/k for tumbling window $w in $i start $s at $a when true() "
    "end $e at $b when $b - $a eq 2 or $e/@t = '7' return <k k='{ $u }' t='{ $w/@* }'>{ sum($w/v) }</k>",
    # The order of children of several names is that of the input.
    "for $i in /s/i group by $u := $i/k for tumbling window $w in $i start $s when true() end when true() "
    "return <k>{ $s/v[preceding-sibling::x] }</k>",
    "for $i in /s/i group by $u := upper-case($i/k) for sliding window $w in $i start at $a when true() "
    "only end at $b when $b - $a eq 1 return <k k='{ $u }'>{ $w }</k>",
    # A key that is no text.
    "for $i in /s/i group by $u := string-length($i/k) for tumbling window $w in $i start when true() "
    "end at $b when $b mod 3 = 0 return <k k='{ $u }'>{ $w/v/text() }</k>",
    "declare default element namespace 'urn:d'; for $i in /Q{}s/Q{}i group by $u := $i/Q{}k "
    "for tumbling window $w in $i start when true() end at $b when $b mod 2 = 0 "
    "return <k k='{ $u }'>{ sum($w/Q{}v) }</k>",
    "declare copy-namespaces no-preserve, no-inherit; for $i in /s/i group by $u := $i/k for tumbling window $w in $i "
    "start when true() end at $b when $b mod 2 = 0 return <k>{ $w/v, sort(in-scope-prefixes($w[1])) }</k>",
    "for tumbling window $w in /s/i start when true() end at $b when $b mod 4 = 0 "
    "return <k>{ $w/v, $w/@t/string() }</k>",
]


@pytest.mark.parametrize("query", KEYED)
def test_items_travel_with_what_is_read_of_them(query: str) -> None:
    chance = random.Random(8)
    made = []
    for number in range(80):
        key = chance.choice(KEYS)
        parts = [f"<v>{chance.randint(0, 9)}</v>", "<x><v>1</v></x>" * (number % 2)]
        parts += [] if key is None else [f"<k>{key}</k>"]
        chance.shuffle(parts)
        start = f"<i t='{number % 10}' xmlns:q='urn:q{number % 3}' q:a='1' xmlns:r='urn:r'>"
        made.append(f"{start}{''.join(parts)}text</i>")
    documents = [f"<s>{''.join(made[first : first + 20])}</s>".encode() for first in range(0, 80, 20)]
    program = compiled(query)
    state = WindowState()
    found = []
    for batch, document in enumerate(documents):
        rows = sorted(program.task(0, document, 0, {}), key=lambda row: (row.range, row.ordinal))
        found += program.completed_windows(1, state, rows, batch, is_end=False, each_item=True)
    found += program.completed_windows(1, state, [], 4, is_end=True, each_item=True)
    rows = [Row(1, b"", 0, number, one.value) for number, one in enumerate(found)]
    whole = xylem.parse(f"<s>{''.join(made)}</s>")
    answer = xylem.compile(query).run(whole).serialize()
    assert sorted(elements(program.finish({1: rows}))) == sorted(elements(answer))


def elements(answer: str) -> list[str]:
    """Windows by key come in the order of their ends from a stream, and key by key from a tree."""
    return answer.split("<k")


@pytest.mark.parametrize("key", KEYS)
def test_an_item_goes_to_the_place_of_its_key(key: str | None) -> None:
    text = "for $i in /s/i group by $u := KEY for tumbling window $w in $i start when true() end when false() return $u"
    written, computed = (compiled(text.replace("KEY", by)) for by in ("$i/k", "$i/k ! xs:string(.)"))
    document = f"<s><i>{'' if key is None else f'<k>{key}</k>'}</i></s>".encode()
    places = [[row.key for row in program.task(0, document, 0, {})] for program in (written, computed)]
    assert places[0] == places[1]


def test_several_kinds_of_state() -> None:
    chance = random.Random(4)
    made = [f"<i t='{n}'><k>{chance.randint(1, 3)}</k><v>{chance.randint(0, 99)}</v></i>" for n in range(60)]
    for query in (
        "for sliding window $w in $seq start at $a when true() only end at $b when $b - $a eq 9 "
        "return <x>{ udf:spread($w/v/xs:integer(.)), min($w/v), sum($w/v), avg($w/v), $w[3]/v }</x>",
        "forseq $w in $seq tumbling window start curItem $a when true() end curItem $b when $b/@t - $a/@t ge 20 "
        "return udf:spread($w/v/xs:integer(.))",
        "for tumbling window $w in $seq start $a next $n when $a/k != $n/k end $e when $e/k = $a/k "
        "return <w n='{ count($w) }'>{ max($w/@t/xs:integer(.)), $n/v }</w>",
        "for $w in $seq|count 9 step 4| return <x>{ sum($w/v) }</x>",
        "for $w in $seq|@t diff 7| return <x>{ $w/v/text() }</x>",
        "for $e in $seq group by $k := $e/k forseq $w in $e landmark window "
        "start position $p when $p eq 1 end position $q when $q mod 5 eq 0 return <x k='{ $k }'>{ sum($w/v) }</x>",
        "for sliding window $w in $seq start $s when $s/v > 50 end at $b when $b mod 3 = 0 count $n "
        "where $w/k = '1' count $m return <x n='{ $n }' m='{ $m }'/>",
        "for $w in $seq|count 2| count $n return <x>{ $n, $w/v }</x>",
        "for tumbling window $w in $seq start $s when $s/k = '1' return <x>{ for $i in $w return $i/v }</x>",
    ):
        found = in_batches(compiled(query.replace("$seq", "/s/i")), made, sizes(chance))
        assert found == at_once(query, made), query


def test_what_is_kept_is_what_open_windows_need() -> None:
    program = compiled("for sliding window $w in /s/i start at $a when true() end at $b when $b - $a eq 4 return $w[2]")
    state = WindowState()
    for batch in range(40):
        document = f"<s>{'<i>x</i>' * 50}</s>".encode()
        rows = sorted(program.task(0, document, 0, {}), key=lambda row: (row.range, row.ordinal))
        list(program.completed_windows(1, state, rows, batch, is_end=False, each_item=False))
        assert len(state.items.packed) == 4
        size = len(saved(state, is_whole=True))
        assert size < 4_000


def test_a_state_that_cannot_be_saved_is_an_error() -> None:
    head = "forseq $w in /s/i/xs:integer(v) tumbling window start when true() end when false()"
    program = compiled(f"{head} return udf:unsaved($w)")
    with pytest.raises(DynamicError) as caught:
        in_batches(program, ["<i><v>1</v></i>"], iter([1]))
    assert caught.value.code == "XYRT0028"


def test_a_state_of_another_version_is_refused() -> None:
    program = compiled("forseq $w in /s/i tumbling window start when true() end when false() return count($w)")
    state = WindowState()
    rows = list(program.task(0, b"<s><i/></s>", 0, {}))
    list(program.completed_windows(1, state, rows, 0, is_end=False, each_item=False))
    state = restored([saved(state, is_whole=True)])
    state.layout = "another"
    with pytest.raises(DynamicError) as caught:
        list(program.completed_windows(1, state, rows, 1, is_end=False, each_item=False))
    assert caught.value.code == "XYRT0020"


@pytest.mark.parametrize(
    "query",
    [
        "for tumbling window $w in /s/i start when true() end when true() order by $w/v return $w",
        "for $k in distinct-values(/s/i/k) for tumbling window $w in /s/i[k = $k] start when true() end when true() "
        "count $n return $n",
        "for tumbling window $w in /s/i start when true() end when true() return count(/s/i)",
        "for tumbling window $w in /s/i start when true() end when true() return $w/../@a",
    ],
)
def test_what_needs_more_than_open_windows_is_no_such_part(query: str) -> None:
    program = compile_distributed(query, StaticEnvironment(), keeps_windows=True)
    assert all(part.kind is not PartKind.WINDOWS for part in program.distribution.parts)


def test_windows_by_key_over_a_finite_input_are_groups() -> None:
    for query in (
        "for $k in distinct-values(/s/i/@k) forseq $w in /s/i[@k eq $k] tumbling window "
        "start position $a when true() end position $b when $b - $a eq 2 return <k k='{ $k }'>{ $w/v }</k>",
        "let $all := /s/i for $k in distinct-values($all/@k) for sliding window $w in $all[@k = $k] "
        "start at $a when true() only end at $b when $b - $a eq 1 return sum($w/v)",
        "for $i in /s/i group by $k := $i/@k for tumbling window $w in $i start $s when $s/v > 3 return count($w)",
    ):
        chance = random.Random(6)
        parts = [
            [f"<i k='{chance.randint(1, 4)}'><v>{chance.randint(0, 9)}</v></i>" for _ in range(8)] for _ in range(5)
        ]
        program = compile_distributed(query, StaticEnvironment())
        assert [part.kind for part in program.distribution.parts] == [PartKind.GROUP]
        from xylem.run.tasks.in_process import run_in_process

        found = run_in_process(program, [f"<s>{''.join(part)}</s>".encode() for part in parts])
        whole = "".join(item for part in parts for item in part)
        assert found == xylem.compile(query).run(xylem.parse(f"<s>{whole}</s>")).serialize(), query


def test_event_time_needs_windows() -> None:
    with pytest.raises(StaticError) as caught:
        compile_distributed("count(/s/i)", StaticEnvironment(event_time=EventTime("@t")), keeps_windows=True)
    assert caught.value.code == "XYST0014"


def test_keys_without_an_open_window_are_forgotten() -> None:
    query = (
        "for $e in /s/e group by $u := $e/@u for tumbling window $w in $e "
        "start $a when $a/@op = 'in' end $b when $b/@op = 'out' return <w u='{ $u }'>{ count($w) }</w>"
    )
    program = compiled(query)
    assert any(note.topic == "keys" for part in [program.windows(1)] if part is not None for note in part.program.notes)
    batches = ["<e u='a' op='in'/><e u='b' op='in'/><e u='c' op='x'/>", "<e u='a' op='out'/>", "<e u='a' op='in'/>"]
    chain: list[bytes] = []
    kept = []
    for number, batch in enumerate(batches):
        state = restored(chain)
        items = list(program.task(0, f"<s>{batch}</s>".encode(), 0, {}))
        list(program.completed_windows(1, state, items, number, is_end=False, each_item=False))
        chain.append(saved(state, is_whole=not chain))
        kept.append(sorted(restored(chain).keys))
    assert kept == [["a", "b"], ["b"], ["a", "b"]]
    last = program.completed_windows(1, restored(chain), [], 3, is_end=True, each_item=False)
    # The key that came back stands behind the other.
    assert [row.value[1:].decode() for row in last] == ['<w u="b">1</w>', '<w u="a">1</w>']
