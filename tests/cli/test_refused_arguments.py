"""Arguments that no run can follow: told as such, never as an internal fault, and never waited for."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.warm_command import xylem

HUGE = "9" * 40


@pytest.mark.parametrize(
    "arguments",
    [
        ("--limit", f"depth={HUGE}"),
        ("--limit", f"text-characters={2**63}"),
        ("--limit", "depth=" + "9" * 5000),
        ("--memory-limit", "0"),
        ("--memory-limit", "0.2B"),
        ("--memory-limit", f"{HUGE}TB"),
        ("--buffer-limit", f"{HUGE}TB"),
        ("--time-limit", "nan"),
    ],
)
def test_numbers_of_a_run(arguments: tuple[str, ...]) -> None:
    ended = xylem("run", "-q", "1", *arguments)
    assert (ended.returncode, ended.stdout) == (2, b""), ended.stderr
    assert arguments[0].encode() in ended.stderr


def test_the_largest_limit_there_is() -> None:
    ended = xylem("run", "-q", "count(//b)", "-i", "-", "--limit", f"depth={2**63 - 1}", stdin="<a><b/></a>")
    assert (ended.returncode, ended.stdout) == (0, b"1\n"), ended.stderr


def test_a_value_that_is_no_text() -> None:
    query = "declare variable $x external; <a>{ $x }</a>"
    ended = xylem("run", "-q", query, "-v", os.fsdecode(b"x=\xff"))
    assert ended.returncode == 3
    assert ended.stderr.startswith(b"XYIN0005")


@pytest.mark.skipif(not Path("/dev/zero").exists(), reason="the system has no endless device")
def test_a_query_without_end() -> None:
    ended = xylem("run", "/dev/zero")
    assert ended.returncode == 3
    assert ended.stderr.startswith(b"XYIN0002")


@pytest.mark.parametrize("port", ["65536", "x"])
def test_ports(port: str, tmp_path: Path) -> None:
    assert xylem("console", "--port", port, cwd=tmp_path).returncode == 2
    ended = xylem("network", "start", "--listen", f"127.0.0.1:{port}", cwd=tmp_path)
    assert ended.returncode == 2, ended.stderr


def test_what_the_system_refuses(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("no certificate")
    for arguments in (
        ("network", "start", "--site", "file"),
        ("network", "start", "--site", "file/below"),
        ("network", "start", "--site", "new", "--tls-cert", "file", "--tls-key", "file", "--tls-ca", "file"),
        ("console", "--port", "1", "--tls-cert", "file", "--tls-key", "file"),
    ):
        ended = xylem(*arguments, cwd=tmp_path)
        assert (ended.returncode, ended.stdout) == (3, b""), ended.stderr
        assert b"XYIN0002" in ended.stderr


class InterruptedImport:
    """Ctrl-C comes while the first module of others is imported."""

    def find_spec(self, name: str, path: object, target: object = None) -> None:
        if name == "typer":
            os.kill(os.getpid(), signal.SIGINT)
            time.sleep(5)


def test_ctrl_c_while_modules_are_imported() -> None:
    code = """
import sys
from tests.cli.test_refused_arguments import InterruptedImport
from xylem.cli import main
for name in [one for one in sys.modules if one.startswith(("typer", "xylem.cli."))]:
    del sys.modules[name]
sys.meta_path.insert(0, InterruptedImport())
main()
"""
    root = Path(__file__).parents[2]
    ended = subprocess.run([sys.executable, "-c", code], capture_output=True, cwd=root, timeout=60, check=False)
    assert (ended.returncode, ended.stdout, ended.stderr) == (-signal.SIGINT, b"", b"")
