"""`--functions FILE.py`: what users write in Python, for `run`, `check` and `explain`."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from typer.testing import CliRunner
from xylem.cli.app import app
from xylem.functions.external import DEFAULT_FUNCTIONS

FUNCTIONS = """from __future__ import annotations
from dataclasses import dataclass
import xylem

RATE = 1.5

@dataclass
class Bounds:
    least: float
    most: float

def helper(price: float) -> float:
    return price * RATE

@xylem.function("udf:taxed", "xs:double", "xs:double")
def taxed(price: float) -> float:
    return helper(price)

@xylem.aggregate("udf:spread", "xs:double*", "xs:double?")
class Spread:
    def init(self):
        return Bounds(float("inf"), float("-inf"))
    def step(self, state, value):
        return Bounds(min(state.least, value), max(state.most, value))
    def merge(self, a, b):
        return Bounds(min(a.least, b.least), max(a.most, b.most))
    def finish(self, state):
        return state.most - state.least if state.most >= state.least else None
"""


@pytest.fixture(autouse=True)
def _own_registry() -> Iterator[None]:
    before = dict(DEFAULT_FUNCTIONS._by_name)
    yield
    DEFAULT_FUNCTIONS._by_name.clear()
    DEFAULT_FUNCTIONS._by_name.update(before)


@pytest.fixture
def functions(tmp_path: Path) -> str:
    (tmp_path / "mine.py").write_text(FUNCTIONS)
    return str(tmp_path / "mine.py")


@pytest.fixture
def prices(tmp_path: Path) -> str:
    (tmp_path / "prices.xml").write_text("<r><p>1</p><p>7</p><p>3</p></r>")
    return str(tmp_path / "prices.xml")


def invoked(*arguments: str) -> tuple[int, str, str]:
    result = CliRunner().invoke(app, list(arguments))
    return result.exit_code, result.stdout.rstrip("\n"), result.stderr


def test_functions_and_aggregates(functions: str, prices: str) -> None:
    query = "for $p in //p return udf:taxed($p), udf:spread(//p)"
    assert invoked("run", "-q", query, "-i", prices, "--functions", functions)[:2] == (0, "1.5 10.5 4.5 6")
    assert invoked("check", "-q", query, "--functions", functions)[0] == 0
    assert "partial aggregate" in invoked("explain", "-q", query, "--on", "spark", "--functions", functions)[1]


def test_nothing_is_executed_that_is_not_named(functions: str) -> None:
    code, _, told = invoked("run", "-q", "udf:taxed(1)")
    assert code == 1
    assert "XPST0017" in told


def test_a_later_file_replaces_functions_of_an_earlier_one(tmp_path: Path, functions: str) -> None:
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "mine.py").write_text(
        "import xylem\n@xylem.function('udf:taxed', 'xs:double', 'xs:double')\ndef taxed(x):\n    return -x\n"
    )
    both = ("--functions", functions, "--functions", str(tmp_path / "other" / "mine.py"))
    assert invoked("run", "-q", "udf:taxed(2)", *both)[:2] == (0, "-2")


def test_a_file_beside_it_can_be_imported(tmp_path: Path) -> None:
    (tmp_path / "rates_of_ours.py").write_text("RATE = 3\n")
    file = tmp_path / "f.py"
    file.write_text(
        "import xylem\nfrom rates_of_ours import RATE\n"
        "@xylem.function('udf:x', 'xs:double', 'xs:double')\ndef x(v):\n    return v * RATE\n"
    )
    assert invoked("run", "-q", "udf:x(2)", "--functions", str(file))[:2] == (0, "6")


@pytest.mark.parametrize(
    ("text", "line", "why"),
    [
        ("import xylem\nx = (1 +\n", 2, "SyntaxError: '(' was never closed in `x = (1 +`"),
        ("import xylem\ndef f():\n    return nope\nf()\n", 3, "NameError: name 'nope' is not defined in `return nope`"),
        ("import nothing_of_that_name\n", 1, "ModuleNotFoundError: No module named 'nothing_of_that_name'"),
        ("import xylem\n\n@xylem.function('x', '')\ndef f(): ...\n", 3, "ValueError: 'x' is not a name such as"),
        ("import xylem\n@xylem.aggregate('udf:a', 'xs:double*')\nclass A: ...\n", 2, "TypeError: udf:a: an aggregate"),
    ],
)
def test_a_file_that_fails_is_told_with_its_line(tmp_path: Path, text: str, line: int, why: str) -> None:
    file = tmp_path / "broken.py"
    file.write_text(text)
    code, _, told = invoked("run", "-q", "1", "--functions", str(file))
    assert code == 1
    assert told.startswith("XYST0020")
    assert f"{file}:{line}: {why}" in told


def test_a_file_that_registers_nothing_or_is_not_there(tmp_path: Path) -> None:
    (tmp_path / "empty.py").write_text("x = 1\n")
    assert "registers no function" in invoked("run", "-q", "1", "--functions", str(tmp_path / "empty.py"))[2]
    code, _, told = invoked("run", "-q", "1", "--functions", str(tmp_path / "nowhere.py"))
    assert (code, told.split(":")[0]) == (3, "XYIN0002")


def test_an_error_of_a_function_is_one_of_the_query(tmp_path: Path) -> None:
    file = tmp_path / "f.py"
    file.write_text("import xylem\n@xylem.function('udf:x', 'xs:double', 'xs:double')\ndef x(v):\n    return 1 / 0\n")
    code, _, told = invoked("run", "-q", "udf:x(2)", "--functions", str(file))
    assert (code, told[:8]) == (1, "XYDY0002")
    assert "udf:x: ZeroDivisionError" in told
