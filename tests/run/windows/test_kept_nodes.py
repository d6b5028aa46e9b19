"""Nodes that are kept outlive the batch they came with, whoever keeps them; the batch itself does not."""

from __future__ import annotations

import gc
import subprocess
import sys
from collections.abc import Iterator
from typing import Any
from weakref import ref

import pytest
import xylem

KEEP = "udf:keep"


def log(count: int) -> Iterator[bytes]:
    """A document in pieces of some fifty kilobytes."""
    yield b"<log>"
    for first in range(0, count, 300):
        yield b"".join(
            b"<e t='%d'><user>u%d</user><text>%s</text></e>" % (number, number % 7, b"words " * 20)
            for number in range(first, min(first + 300, count))
        )
    yield b"</log>"


class Keeper:
    """A function of a user that keeps what it is given."""

    def __init__(self) -> None:
        self.kept: list[Any] = []
        self.functions = xylem.Functions()
        self.functions.function(KEEP, "node()", "xs:string")(self.keep)

    def keep(self, node: Any) -> str:
        self.kept.append(node)
        return "kept"


QUERIES = [
    # Windows keep their items, and the places at their ends where they keep no items.
    "for sliding window $w in /log/e start $s when true() only end $e when $e/@t - $s/@t ge 300 "
    "return <w from='{ $s/@t }' to='{ $e/@t }'>{ count($w), $w[1]/user }</w>",
    "for sliding window $w in /log/e start $s previous $p when $s/@t mod 100 = 0 only end $e when $e/@t - $s/@t ge 350 "
    "return <w from='{ $s/@t }' before='{ $p/@t }' to='{ $e/@t }'/>",
    # The order of what was kept at different places.
    "for sliding window $w in /log/e start $s previous $p when $s/@t mod 100 = 0 only end $e when $e/@t - $s/@t ge 350 "
    "return <w>{ ($e | $s | $p | $w[7]) ! string(@t) }</w>",
    # Tuples wait for the last one.
    "for tumbling window $w in /log/e start $s when true() end $e when $e/@t mod 50 = 0 "
    "order by number($e/user ! substring(., 2)) descending return $w[1]/user",
    # Results are kept by the windows around.
    "for tumbling window $v in (for tumbling window $w in /log/e start when true() end $e when $e/@t mod 50 = 0 "
    "return $w[1]) start when true() end at $j when $j mod 3 = 0 return <v>{ $v/@t/string() }</v>",
    # Some groups wait, too.
    "for tumbling window $w in /log/e start $s when true() end $e when $e/@t mod 40 = 0 "
    "group by $k := string($s/user) return <g k='{ $k }'>{ count($w), $s[last()]/@t/string() }</g>",
]


@pytest.mark.parametrize("query", QUERIES)
def test_what_windows_buffers_and_results_keep(query: str) -> None:
    compiled = xylem.compile(query)
    whole = b"".join(log(2_000))
    written: list[bytes] = []
    compiled.stream([whole[at : at + 4_000] for at in range(0, len(whole), 4_000)]).write_to(written.append)
    assert b"".join(written).decode() == str(compiled.run(xylem.parse(whole)))


def test_what_a_function_of_the_user_keeps() -> None:
    keeper = Keeper()
    query = f"for tumbling window $w in /log/e start $s when true() end when true() return {KEEP}($s)"
    pieces = list(log(5_000))
    xylem.compile(query, functions=keeper.functions).stream(pieces).write_to(lambda data: None)
    assert [node.string_value[:2] for node in keeper.kept] == [f"u{number % 7}" for number in range(5_000)]
    assert sorted(keeper.kept, key=lambda node: node.order_key) == keeper.kept


def test_batches_go_though_some_of_their_nodes_are_kept() -> None:
    keeper = Keeper()
    batches: list[ref[Any]] = []

    def keep_few(node: Any) -> str:
        if not batches or batches[-1]() is not node.tree:
            batches.append(ref(node.tree))
            keeper.kept.append(node)
        return "kept"

    functions = xylem.Functions()
    functions.function(KEEP, "node()", "xs:string")(keep_few)
    query = f"for tumbling window $w in /log/e start $s when true() end when true() return {KEEP}($s)"
    xylem.compile(query, functions=functions).stream(log(20_000)).write_to(lambda data: None)
    gc.collect()
    assert len(batches) > 5
    assert sum(batch() is not None for batch in batches) <= 1
    assert all(node.string_value.startswith("u") for node in keeper.kept)


PEAK = f"""
import resource, sys, xylem
from tests.run.windows.test_kept_nodes import log
kept = []
functions = xylem.Functions()
@functions.function("{KEEP}", "node()", "xs:string")
def keep(node):
    kept.append(node)
    return "kept"
query = xylem.compile(sys.argv[2], functions=functions)
query.stream(log(int(sys.argv[1]))).write_to(lambda data: None)
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)
"""
LONG = [
    # One node of three hundred is kept by a function of the user, or by a window that stays open.
    f"for tumbling window $w in /log/e start $s when $s/@t mod 300 = 0 end when true() return {KEEP}($s)",
    "for sliding window $w in /log/e start $s when $s/@t mod 300 = 0 only end $e when $e/@t - $s/@t ge 1000 "
    "return <w from='{ $s/@t }' to='{ $e/@t }'/>",
]


def peak_of(count: int, query: str) -> int:
    """Kilobytes of memory at most, in a process of its own."""
    told = subprocess.run(
        [sys.executable, "-c", PEAK, str(count), query], capture_output=True, text=True, check=True, timeout=120
    )
    return int(told.stdout)


@pytest.mark.parametrize("query", LONG)
@pytest.mark.turns("memory")
def test_memory_stays_flat(query: str) -> None:
    # Ten megabytes against two: a batch for each node that is kept would be all of them.
    assert peak_of(60_000, query) < peak_of(12_000, query) + 2_000
