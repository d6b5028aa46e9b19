"""SIGTERM ends a command with a code of its own, in order."""

from __future__ import annotations

import signal
import subprocess
import sys


def test_a_run_that_is_told_to_end() -> None:
    command = [sys.executable, "-m", "xylem", "run", "--stream", "-q", "//b", "-i", "-"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(b"<a><b>1</b><c/>")
        process.stdin.flush()
        assert process.stdout.read(8) == b"<b>1</b>"
        process.send_signal(signal.SIGTERM)
        assert process.wait(timeout=30) == 143
        assert process.stderr is not None
        assert process.stderr.read() == b""
