"""Long flat expressions end in an answer or in XYST0003, by every way in, and never in an exception of Python's."""

from __future__ import annotations

import subprocess
import sys
import threading
from types import FrameType

import pytest
import xylem
from xylem.analysis.expression_depth import MOST_LEVELS
from xylem.errors import StaticError

LENGTH = 50_000
DOCUMENT = b"<a b='1'><a/></a>"
CHAINS = {
    "+": ("1", "+"),
    "-": ("1", "-"),
    "or": ("false()", " or "),
    "and": ("true()", " and "),
    "||": ("'a'", "||"),
    "|": ("a", "|"),
    "!": ("1", "!"),
    "/": (".", "/"),
    "path": ("a", "/"),
    "//": ("a", "//"),
    "intersect": ("a", " intersect "),
}
LISTS = {",": ("1", ",")}
ENDINGS = {"=>": ("1", "=>abs()"), "?": ("map{}", "?a"), "call": ("abs#1", "(1)")}


def chain(name: str, length: int) -> str:
    if name in ENDINGS:
        start, ending = ENDINGS[name]
        return start + ending * length
    operand, operator = (CHAINS | LISTS)[name]
    return operator.join([operand] * length)


def asked(text: str, way: str) -> str:
    """The answer, one way or another."""
    query = xylem.compile(text)
    if way == "run":
        return query.run(xylem.parse(DOCUMENT)).serialize()
    if way == "stream":
        written: list[bytes] = []
        query.stream(DOCUMENT).write_to(written.append)
        return b"".join(written).decode()
    return str(query.explain())


@pytest.mark.parametrize("name", [*CHAINS, *ENDINGS])
@pytest.mark.share(6)
def test_a_chain_beyond_the_limit(name: str) -> None:
    with pytest.raises(StaticError) as refused:
        xylem.compile(chain(name, LENGTH))
    assert refused.value.code == "XYST0003"
    assert refused.value.hint
    assert len(refused.value.render()) < 2_000


@pytest.mark.parametrize(
    ("name", "answer"),
    [("+", "2000"), ("-", "-1998"), ("or", "false"), ("and", "true"), ("||", "a" * 2_000), ("=>", "1")],
)
def test_a_chain_within_it(name: str, answer: str) -> None:
    assert asked(chain(name, 2_000), "run") == answer


def test_a_chain_near_the_limit() -> None:
    assert asked(chain("+", MOST_LEVELS - 10), "run") == str(MOST_LEVELS - 10)


@pytest.mark.parametrize("name", ["+", "or", "/", "!"])
@pytest.mark.parametrize("way", ["stream", "explain"])
@pytest.mark.share(4)
def test_other_ways_in(name: str, way: str) -> None:
    try:
        assert asked(chain(name, 600), way)
    except StaticError as refused:
        assert refused.code in ("XYST0003", "XYST0004")  # noqa: PT017


def calls_to_explain(text: str) -> int:
    """How many functions of Python's are called, in whatever thread."""
    calls = 0

    def count(frame: FrameType, event: str, argument: object) -> None:
        nonlocal calls
        calls += event == "call"

    query = xylem.compile(text)
    threading.setprofile(count)
    sys.setprofile(count)
    try:
        query.explain()
    finally:
        sys.setprofile(None)
        threading.setprofile(None)
    return calls


@pytest.mark.parametrize("name", ["+", "-", "or", "||", "=>", ","])
@pytest.mark.share(6)
def test_explaining_twice_the_length_takes_twice_the_calls(name: str) -> None:
    texts = [chain(name, length) for length in (200, 400, 800)]
    calls_to_explain(texts[0])  # What is imported at first is not counted.
    once, twice, four_times = map(calls_to_explain, texts)
    assert four_times - twice < 2.4 * (twice - once)


def test_a_list_has_no_limit() -> None:
    assert asked(f"count(({chain(',', LENGTH)}))", "run") == str(LENGTH)


@pytest.mark.timeout(300)
@pytest.mark.turns("slow")
@pytest.mark.parametrize("name", ["+", "or"])
def test_a_million_does_not_end_the_process(name: str) -> None:
    program = (
        "import sys, xylem; from tests.robustness.test_long_chains import chain\n"
        "try: xylem.compile(chain(sys.argv[1], 1_000_000))\n"
        "except xylem.StaticError as error: print(error.code)"
    )
    told = subprocess.run(
        [sys.executable, "-c", program, name], capture_output=True, text=True, timeout=280, check=False
    )
    assert (told.returncode, told.stdout, told.stderr) == (0, "XYST0003\n", "")
