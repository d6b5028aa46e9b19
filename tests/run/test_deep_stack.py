"""Deep values and little memory: an answer or an error with a code, and the process goes on."""

from __future__ import annotations

import subprocess
import sys

import pytest
import xylem
from xylem.run.deep_stack import ORDINARY_CALLS, with_deep_stack

DEEP = 60_000
LOOKS_INTO = [
    "data({0})",
    "string({0})",
    "{0} = 1",
    "sum({0})",
    "deep-equal({0}, {0})",
    "distinct-values({0})",
    "sort(({0}, [2]))",
    "array:sort({0})",
]
IN_LITTLE_SPACE = """
import resource, sys, xylem
resource.setrlimit(resource.RLIMIT_AS, (int(sys.argv[1]),) * 2)
try:
    print(xylem.compile(sys.argv[2]).run().value)
except xylem.XylemError as error:
    print(error.code)
"""
RECURSIVE = "declare function local:f($n) {{ if ($n = 0) then 0 else 1 + local:f($n - 1) }}; local:f({0})"


def in_process(code: str, *arguments: str) -> str:
    run = subprocess.run(
        [sys.executable, "-c", code, *arguments], capture_output=True, text=True, timeout=120, check=False
    )
    assert run.returncode == 0, (run.returncode, run.stderr[-2000:])
    return run.stdout.strip()


@pytest.mark.parametrize("form", LOOKS_INTO)
def test_deep_json_does_not_end_the_process(form: str) -> None:
    # Without a function in the query nothing asks for a deep stack.
    code = f"""
import xylem
text = "[" * {DEEP} + "]" * {DEEP}
query = xylem.compile("declare variable $t external; " + {form.format("parse-json($t)")!r})
try:
    print(query.run(variables={{"t": text}}).value)
except xylem.XylemError as error:
    print(error.code)
"""
    assert in_process(code) == "XYDY0001"


def test_deep_json_that_nobody_looks_into() -> None:
    text = "[" * DEEP + "]" * DEEP
    query = xylem.compile(
        "declare variable $t external; string-length(serialize(parse-json($t), map { 'method': 'json' }))"
    )
    assert query.run(variables={"t": text}).value == 2 * DEEP


def test_the_limit_of_recursion_is_high_only_on_deep_stacks() -> None:
    assert with_deep_stack(sys.getrecursionlimit) > 10 * ORDINARY_CALLS
    assert sys.getrecursionlimit() == ORDINARY_CALLS
    assert xylem.compile(RECURSIVE.format(9_000)).run().value == 9_000
    assert sys.getrecursionlimit() == ORDINARY_CALLS


@pytest.mark.skipif(sys.platform != "linux", reason="other systems do not limit address space")
@pytest.mark.parametrize("megabytes", [250, 400, 600])
@pytest.mark.parametrize("query", ["1 + 1", RECURSIVE.format(100), RECURSIVE.format(10_000_000)])
def test_little_address_space(megabytes: int, query: str) -> None:
    # The stack must leave room for the thread: Python waits without end for one that could not begin.
    wanted = {"1 + 1": "2", RECURSIVE.format(100): "100"}.get(query, "XYDY0001")
    assert in_process(IN_LITTLE_SPACE, str(megabytes * 1_000_000), query) == wanted
