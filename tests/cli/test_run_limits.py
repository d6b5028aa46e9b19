"""`--time-limit` and `--memory-limit`: the run ends with an error, whatever it is doing, and delivers what it has."""

from __future__ import annotations

import os
import re
import resource
import subprocess
import sys
import time
from pathlib import Path

import pytest
from xylem.source.kernel import is_kernel_built

ENDLESS = "for $i in 1 to 100000000000 return if ($i mod 100000 = 0) then $i else ()"
LONG_CALL = """
import xylem

@xylem.function("udf:long", "", "xs:integer")
def long():
    return sum(range(10**12))
"""
CALLING = "udf:long()"
IMPATIENT = "import xylem.cli.run_limits as limits; limits.GRACE_SECONDS = 0.3; "
COMMAND = IMPATIENT + "from xylem.cli import main; main()"


def ended(*arguments: str, code: str = COMMAND, address_space: int | None = None) -> subprocess.CompletedProcess[str]:
    def limit() -> None:
        if address_space is not None:
            resource.setrlimit(resource.RLIMIT_AS, (address_space, address_space))

    with subprocess.Popen(["sleep", "60"], stdout=subprocess.PIPE) as silent:
        try:
            return subprocess.run(
                [sys.executable, "-c", code, *arguments],
                stdin=silent.stdout,
                capture_output=True,
                text=True,
                timeout=60,
                check=False,
                preexec_fn=limit,
                env=dict(os.environ),
            )
        finally:
            silent.kill()


def assert_out_of_time(run: subprocess.CompletedProcess[str]) -> None:
    assert run.returncode == 1, run.stderr
    assert run.stderr.startswith("XYRT0040: the run exceeds its time limit: ")
    assert "hint: --time-limit" in run.stderr
    assert "Traceback" not in run.stderr


def test_what_was_complete_is_delivered() -> None:
    run = ended("run", "-q", f"(1 to 3), {ENDLESS}", "--time-limit", "5")
    assert_out_of_time(run)
    assert run.stdout.startswith("1 2 3")


def test_no_query_catches_it() -> None:
    query = f"try {{ count({ENDLESS}) }} catch * {{ 'caught' }}"
    run = ended("run", "-q", query, "--time-limit", "0.5")
    assert_out_of_time(run)
    assert run.stdout == ""


@pytest.mark.parametrize("stream", ["--stream", "--no-stream"])
def test_input_that_does_not_come(stream: str) -> None:
    assert_out_of_time(ended("run", "-q", "//a", "-i", "-", stream, "--time-limit", "0.5"))


def test_the_time_is_over_before_the_run_begins() -> None:
    assert_out_of_time(ended("run", "-q", ENDLESS, "--time-limit", "1e-6"))


def test_a_run_that_takes_less() -> None:
    run = ended("run", "-q", "1 + 1", "--time-limit", "1e30", "--memory-limit", "10GB")
    assert (run.returncode, run.stdout, run.stderr) == (0, "2\n", "")


def test_a_run_that_does_not_react() -> None:
    # What the limits need is loaded before: on a busy machine that alone could take longer.
    deaf = """
import xylem.source.kernel
print("said", end="")
with limits.within_limits(0.5, None):
    while True:
        try:
            import time; time.sleep(60)
        except BaseException: pass
"""
    run = ended(code=IMPATIENT + deaf)
    assert_out_of_time(run)
    assert run.stdout == "said"


@pytest.mark.skipif(not is_kernel_built(), reason="the kernel was not built here")
def test_a_call_that_holds_the_interpreter(tmp_path: Path) -> None:
    functions = tmp_path / "long.py"
    functions.write_text(LONG_CALL)
    began = time.monotonic()
    run = ended("run", "-q", CALLING, "--functions", str(functions), "--time-limit", "0.5")
    assert_out_of_time(run)
    assert time.monotonic() - began < 30


def test_memory() -> None:
    query = "let $x := for $i in 1 to 100000000 return string($i) return (count($x), $x[5])"
    run = ended("run", "-q", query, "--memory-limit", "200MB")
    assert run.returncode == 1
    assert run.stderr.startswith("XYRT0041: the run exceeds its memory limit: ")
    assert "where 200 MB are allowed" in run.stderr


def test_no_memory_left() -> None:
    query = "let $x := for $i in 1 to 100000000 return string($i) return (count($x), $x[5])"
    run = ended("run", "-q", query, address_space=450_000_000)
    assert run.returncode == 1
    # With the place in the query, if the memory ended there.
    assert re.match(r"XYRT0042( at query:1:\d+)?: there is not enough memory", run.stderr)
    assert "Traceback" not in run.stderr


@pytest.mark.parametrize("given", [["--time-limit", "0"], ["--time-limit", "-1"], ["--memory-limit", "much"]])
def test_no_limits(given: list[str]) -> None:
    run = ended("run", "-q", "1", *given)
    assert run.returncode == 2
    assert given[0] in run.stderr
