"""Commands for tests behave as processes do: exit codes, both outputs, directory, environment, an end in time."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.warm_command import xylem


def test_exit_code_and_both_outputs() -> None:
    ended = xylem("run", "-q", "1 div 0")
    assert (ended.returncode, ended.stdout) == (1, b"")
    assert b"FOAR0001" in ended.stderr
    assert xylem("run", "-q", "1 div 0", merged=True).stdout == ended.stderr


def test_directory_environment_and_input(tmp_path: Path) -> None:
    (tmp_path / "q.xq").write_text("environment-variable('FRUIT'), string(.)")
    ended = xylem("run", "q.xq", "-i", "-", "--allow-env", stdin="<a>pear</a>", cwd=tmp_path, env={"FRUIT": "fig"})
    assert (ended.returncode, ended.stdout, ended.stderr) == (0, b"fig pear\n", b"")


def test_a_command_leaves_nothing_to_the_next_one() -> None:
    large = "<a>" + "<b/>" * 100_000 + "</a>"
    assert xylem("run", "-q", "count(//b)", "-i", "-", stdin=large).stdout == b"100000\n"
    assert xylem("run", "-q", "environment-variable('FRUIT')", "--allow-env").stdout == b""


def test_one_that_takes_too_long_is_ended() -> None:
    with pytest.raises(TimeoutError):
        xylem("run", "-q", "count((1 to 100000000)[. mod 7 = 3])", timeout=0.5)
    assert xylem("run", "-q", "2").stdout == b"2\n"
