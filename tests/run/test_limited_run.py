"""Runs that take too much end with an error, in any thread; what they gave before stays, and the next run is free."""

from __future__ import annotations

import subprocess
import sys
import threading
import time
from collections.abc import Callable

import pytest
import xylem
from xylem.run.limited_run import LimitReached, RunLimits

ENDLESS = {
    "a loop": "count(for $i in 1 to 100000000000 where $i mod 7 = 8 return $i)",
    "a string that grows": "string-length(string-join(for $i in 1 to 100000000000 return 'abcdefgh'))",
    "recursion": "declare function local:f($n) { if ($n < 2) then 1 else local:f($n - 1) + local:f($n - 2) };"
    " local:f(90)",
    "a catch": "try { count((1 to 100000000000)[. mod 7 = 8]) } catch * { 'caught' }",
}


def in_thread(function: Callable[[], object]) -> object:
    found: list[object] = []
    thread = threading.Thread(target=lambda: found.append(function()))
    thread.start()
    thread.join(60)
    return found[0]


def code_of(query: str, **limits: float) -> str:
    """The code of the error a run ends with."""
    try:
        return str(xylem.compile(query).run(**limits))  # type: ignore[arg-type]
    except xylem.XylemError as error:
        return error.code


@pytest.mark.parametrize("query", ENDLESS.values(), ids=ENDLESS.keys())
def test_a_run_ends_in_time(query: str) -> None:
    assert code_of(query, time_limit=0.1) == "XYRT0040"


def test_a_run_ends_in_time_in_any_thread() -> None:
    for query in ENDLESS.values():
        assert in_thread(lambda query=query: code_of(query, time_limit=0.1)) == "XYRT0040"  # type: ignore[misc]


def test_a_run_ends_within_its_memory() -> None:
    assert code_of("count(for $i in 1 to 10000000000 where $i = 0 return $i)", memory_limit=1_000_000) == "XYRT0041"


def test_what_was_given_stays() -> None:
    query = "1, 2, count(for $i in 1 to 100000000000 where $i = 0 return $i)"
    result = iter(xylem.compile(query).run(time_limit=0.2))
    assert [next(result), next(result)] == [1, 2]
    with pytest.raises(xylem.XylemError, match="XYRT0040"):
        next(result)
    assert xylem.compile("1 + 1").run(time_limit=5).value == 2


def test_the_time_of_the_reader_does_not_count() -> None:
    result = iter(xylem.compile("1 to 3").run(time_limit=0.2))
    for expected in (1, 2, 3):
        assert next(result) == expected
        time.sleep(0.15)


def test_a_stream_ends_in_time_behind_what_it_gave() -> None:
    slow = "for $a in //a return if ($a = '3') then count((1 to 100000000000)[. = 0]) else string($a)"
    document = "<r>" + "".join(f"<a>{number}</a>" for number in range(9)) + "</r>"
    written: list[bytes] = []
    result = xylem.compile(slow).stream([document[:30].encode(), document[30:].encode()], time_limit=0.3)
    with pytest.raises(xylem.XylemError, match="XYRT0040"):
        result.write_to(written.append)


_REGEX = """
import re, signal, xylem
from xylem.run.limited_run import RunLimits, Watch
try:
    with Watch(RunLimits(0.2)):
        re.fullmatch("(a|aa)+$", "a" * 60 + "b")
except xylem.XylemError as error:
    print(error.code, signal.getsignal(signal.SIGALRM) == signal.SIG_DFL, signal.getitimer(signal.ITIMER_REAL))
"""


def test_regular_expressions_hear_it() -> None:
    # In a process of its own: here the alarm is that of the tests, and left alone.
    ended = subprocess.run([sys.executable, "-c", _REGEX], capture_output=True, text=True, timeout=60)
    assert ended.stdout == "XYRT0040 True (0.0, 0.0)\n", ended.stderr


@pytest.mark.parametrize("limits", [(0, None), (-1, None), (None, 0)])
def test_no_time_and_no_memory_are_wrong_use(limits: tuple[float | None, int | None]) -> None:
    with pytest.raises(ValueError, match=r"is not a time|are not a memory limit"):
        RunLimits(*limits)


def test_no_query_catches_it() -> None:
    assert not issubclass(LimitReached, Exception)


@pytest.mark.timeout(30)
def test_the_interpreter_is_as_before() -> None:
    """An error that was taken back in vain would make each step of Python look for it."""
    import cProfile

    code_of("for $i in 1 to 10 return $i", time_limit=5)
    profile = cProfile.Profile()
    profile.runcall(lambda: [str(number) for number in range(1000)])
    assert profile.getstats()


NO_MEMORY = """
import resource, sys, xylem
query = xylem.compile(sys.argv[1])
# What is loaded later would lack space, too.
xylem.compile("//a").run(xylem.parse("<a/>")).serialize(), list(xylem.compile("//a").stream(b"<a/>"))
_, most = resource.getrlimit(resource.RLIMIT_AS)
resource.setrlimit(resource.RLIMIT_AS, (1_500_000_000, most))
try:
    print(eval(sys.argv[2]))
except xylem.XylemError as error:
    print(error.code)
resource.setrlimit(resource.RLIMIT_AS, (most, most))
print(xylem.compile("1 + 1").run().value)
"""
DOUBLING = "fold-left(1 to 40, 'x', function($a, $b) { $a || $a })"


@pytest.mark.skipif(sys.platform != "linux", reason="other systems do not limit address space")
@pytest.mark.parametrize(
    ("query", "read"),
    [
        (DOUBLING, "query.run().value"),
        (DOUBLING, "query.run().write_to(len)"),
        ("for $i in 1 to 1000000000 return string($i)", "query.run().value"),
        (f"for $a in //a return {DOUBLING}", "list(query.stream(b'<r><a/></r>'))"),
        (f"for $a in //a return {DOUBLING}", "query.stream(b'<r>' + b'<a/>' * 400_000 + b'</r>').write_to(len)"),
        (f"for $a in //a return {DOUBLING}", "query.run(xylem.parse(b'<r><a/></r>')).value"),
        (f"for $a in //a return {DOUBLING}", "next(query.run_many([b'<r><a/></r>'])).value"),
    ],
)
def test_memory_that_runs_out_has_a_code_in_python(query: str, read: str) -> None:
    run = subprocess.run(
        [sys.executable, "-c", NO_MEMORY, query, read], capture_output=True, text=True, timeout=120, check=False
    )
    assert run.returncode == 0, run.stderr[-2000:]
    assert run.stdout.split() == ["XYRT0042", "2"]
