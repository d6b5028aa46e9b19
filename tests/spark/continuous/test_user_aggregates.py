"""Aggregates in Python over a stream: seen as they change, final at the end, the same after a restart.

Runs that are killed are in `test_killed_runs.py`.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import pytest
from xylem import compile, parse
from xylem.errors import DynamicError
from xylem.functions.external import Functions
from xylem.pipeline import StaticEnvironment, compile_distributed
from xylem.run.tasks.program import DistributedProgram
from xylem.spark.continuous.answers import AnswerInParts
from xylem.spark.continuous.continuous_run import run_continuous
from xylem.spark.continuous.told_query import QueryText, fingerprint, told_queries

from .killed_runs import answer
from .test_answers import FEED, LIMIT, batches
from .test_continuous_run import OFTEN, continuous, documents


def registered() -> Functions:
    """As a notebook has them: in no module that another process could import."""
    functions = Functions()

    @functions.aggregate("udf:range", "xs:double*", "xs:double?")
    class Range:
        def init(self) -> list[float]:
            return []

        def step(self, state: list[float], value: float) -> list[float]:
            return [min([*state, value]), max([*state, value])]

        def merge(self, first: list[float], second: list[float]) -> list[float]:
            return [min(first + second), max(first + second)] if first or second else []

        def finish(self, state: list[float]) -> float | None:
            return state[1] - state[0] if state else None

    @functions.aggregate("udf:ups", "xs:double*", "xs:integer")
    class Ups:
        """Without merge."""

        def init(self) -> tuple[float, int]:
            return float("inf"), 0

        def step(self, state: tuple[float, int], value: float) -> tuple[float, int]:
            return value, state[1] + (value > state[0])

        def finish(self, state: tuple[float, int]) -> int:
            return state[1]

    return functions


FUNCTIONS = registered()
QUERIES = {
    "partial": "udf:range(/feed/item/v)",
    "in a frame": "<r n='{ count(/feed/item) }'>{ udf:range(/feed/item/w), udf:range(/feed/nothing) }</r>",
    "of groups": "for $i in /feed/item group by $k := $i/@k return <g>{ string($k), udf:range($i/v) }</g>",
    "without merge": "<r>{ udf:ups(/feed/item/w) }</r>",
}


def program_of(query: str) -> DistributedProgram:
    return compile_distributed(query, StaticEnvironment(external_functions=tuple(FUNCTIONS)))


@pytest.mark.parametrize("restarts", [(), (1, 3), (1, 2, 3, 4, 5)])
@pytest.mark.parametrize("name", QUERIES)
def test_final_answer(name: str, restarts: tuple[int, ...]) -> None:
    program = program_of(QUERIES[name])
    growing = AnswerInParts(program, {}, state_limit_bytes=LIMIT)
    saved: list[bytes] = []
    texts: list[str] = []
    for number, rows in enumerate(batches(program, 2, 3)):
        if number in restarts:
            growing.close()
            growing = AnswerInParts(program, {}, state_limit_bytes=LIMIT, saved=saved)
        texts += growing.take(rows, [])
        saved = [growing.save(True)] if number % 3 == 0 else [*saved, growing.save(False)]
    texts += growing.finish()
    assert "".join(texts) == compile(QUERIES[name], functions=FUNCTIONS).run(parse(FEED)).serialize()


@pytest.mark.parametrize("name", QUERIES)
def test_what_is_seen_on_the_way(name: str) -> None:
    """After each batch, the answer over what has come so far."""
    program = program_of(QUERIES[name])
    growing = AnswerInParts(program, {}, state_limit_bytes=LIMIT)
    assert growing.is_live
    seen = []
    for rows in batches(program, 10, 1):
        growing.take(rows, [])
        seen.append(growing.current())
    growing.close()
    assert len(set(seen)) > 1
    assert seen[-1] == compile(QUERIES[name], functions=FUNCTIONS).run(parse(FEED)).serialize()


def test_the_state_of_what_merges_stays_small() -> None:
    sizes = {}
    for name in ("partial", "without merge"):
        program = program_of(QUERIES[name])
        growing = AnswerInParts(program, {}, state_limit_bytes=LIMIT)
        sizes[name] = []
        for rows in batches(program, 3, 1):
            growing.take(rows, [])
            sizes[name].append(growing.state_bytes)
        growing.close()
    assert max(sizes["partial"]) <= sizes["partial"][1] + 32
    assert all(a < b for a, b in pairwise(sizes["without merge"]))


def fingerprint_of(query: str, functions: Functions) -> str:
    texts = [QueryText("query", query, "query", "", Path.cwd())]
    ((_, told),) = told_queries(texts, variables={}, functions=functions)
    return fingerprint(told)


def test_another_function_is_another_query() -> None:
    """What an aggregate kept is of no use to another of the same name."""

    def registered(factor: int, other: int = 0) -> Functions:
        functions = Functions()
        if factor == 1:
            functions.function("udf:f", "xs:integer", "xs:integer")(lambda value: value + 1)
        else:
            functions.function("udf:f", "xs:integer", "xs:integer")(lambda value: value + 2)
        functions.function("udf:unused", "xs:integer", "xs:integer")(
            (lambda value: value) if other else (lambda value: -value)
        )
        return functions

    query = "udf:f(count(collection()//x))"
    assert fingerprint_of(query, registered(1)) == fingerprint_of(query, registered(1, other=1))
    assert fingerprint_of(query, registered(1)) != fingerprint_of(query, registered(2))


@pytest.mark.timeout(300)
@pytest.mark.usefixtures("spark")
def test_on_spark_per_trigger_and_finally(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A live sink tells each change, an append sink the answer; a changed function refuses the checkpoint."""
    query = "udf:range(collection()/order/total)"
    source = documents(tmp_path / "in", 0, 9)
    run_continuous(continuous(tmp_path, query, source, functions=FUNCTIONS))
    assert answer(tmp_path / "out") == b"6\n"
    live = tmp_path / "live"
    live.mkdir()
    options = {"batch_bytes": 120, "reports_changes": True, "functions": FUNCTIONS}
    run_continuous(continuous(live, query, source, output="console", **options))
    seen = [line for line in _lines(capsys.readouterr().out) if line.strip().isdigit()]
    assert seen[-1].strip() == "6"
    assert len(seen) > 1
    changed = Functions()
    (before,) = [function.protocol for function in FUNCTIONS if function.local == "range"]
    assert before is not None

    @changed.aggregate("udf:range", "xs:double*", "xs:double?")
    class Least(before.definition):  # type: ignore[misc, name-defined]
        def finish(self, state: list[float]) -> float | None:
            return state[0]

    with pytest.raises(DynamicError) as caught:
        run_continuous(continuous(tmp_path, query, source, functions=changed))
    assert caught.value.code == "XYRT0020"


def _lines(text: str) -> Iterator[str]:
    return iter(text.splitlines())


__all__ = ["OFTEN"]
