"""`xylem` commands for tests, each in a process forked from one that has loaded the engine already.

    ended = xylem("run", "-q", "1 + 1")         the result that subprocess.run(…, capture_output=True) would give

Each command has its own process, with its own pipes, directory, environment and exit code. It only skips the start of
Python and the loading of the engine, which take most of the time of a short command. Tests that are about the start
itself (loaded modules, memory, signals, variables that Python reads) start Python.
"""

from __future__ import annotations

import atexit
import contextlib
import json
import os
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Mapping
from pathlib import Path
from typing import Any, ClassVar


def xylem(
    *arguments: str,
    stdin: str | bytes = b"",
    cwd: Path | None = None,
    env: Mapping[str, str] | None = None,
    timeout: float = 60,
    merged: bool = False,
) -> subprocess.CompletedProcess[bytes]:
    """Run a command. `env` is added to the environment; `merged` writes errors where results go."""
    data = stdin.encode() if isinstance(stdin, str) else stdin
    asked = {"arguments": arguments, "cwd": str(cwd or Path.cwd()), "env": {**os.environ, **(env or {})}}
    pipes = [os.pipe() for _ in range(3)]
    (input_end, ours_in), (ours_out, output_end), (ours_err, error_end) = pipes
    ends = (input_end, output_end, output_end if merged else error_end)
    if merged:
        os.close(error_end)
    outputs: dict[int, bytes] = {}
    threads = [
        threading.Thread(target=_write, args=(ours_in, data)),
        threading.Thread(target=_read, args=(ours_out, outputs)),
        threading.Thread(target=_read, args=(ours_err, outputs)),
    ]
    code = Starter.of_this_process().start(asked, ends, threads, timeout)
    for thread in threads:
        thread.join(timeout)
    return subprocess.CompletedProcess(["xylem", *arguments], code, outputs[ours_out], outputs[ours_err])


class Starter:
    """The process that forks commands: one for each process of tests, started with its first command."""

    _started: ClassVar[dict[int, Starter]] = {}

    def __init__(self) -> None:
        self._connection, theirs = socket.socketpair()
        with theirs:
            command = [sys.executable, __file__, str(theirs.fileno())]
            quiet = subprocess.DEVNULL
            self._process = subprocess.Popen(
                command, pass_fds=[theirs.fileno()], stdin=quiet, stdout=quiet, start_new_session=True
            )

    @classmethod
    def of_this_process(cls) -> Starter:
        if os.getpid() not in cls._started:
            cls._started[os.getpid()] = starter = cls()
            atexit.register(starter._end)
        return cls._started[os.getpid()]

    def start(self, asked: Any, ends: tuple[int, ...], threads: list[threading.Thread], timeout: float) -> int:
        message = json.dumps(asked).encode()
        socket.send_fds(self._connection, [len(message).to_bytes(4, "big")], ends)
        self._connection.sendall(message)
        for end in set(ends):
            os.close(end)
        for thread in threads:
            thread.start()
        self._connection.settimeout(timeout)
        try:
            return int.from_bytes(_received(self._connection, 4), "big", signed=True)
        except TimeoutError:
            os.killpg(self._process.pid, signal.SIGKILL)
            del self._started[os.getpid()]
            self._end()
            raise

    def _end(self) -> None:
        self._connection.close()
        self._process.wait()


def _write(end: int, data: bytes) -> None:
    with contextlib.suppress(BrokenPipeError), open(end, "wb") as pipe:
        pipe.write(data)


def _read(end: int, outputs: dict[int, bytes]) -> None:
    with open(end, "rb") as pipe:
        outputs[end] = pipe.read()


def _received(connection: socket.socket, count: int) -> bytes:
    data = b""
    while len(data) < count:
        piece = connection.recv(count - len(data))
        if not piece:
            raise EOFError("the other process has ended")
        data += piece
    return data


def _serve(connection: socket.socket) -> None:
    """Fork a process for each command; returns in each of these, and never here."""
    while True:
        length, ends, _, _ = socket.recv_fds(connection, 4, 3)
        if not length:
            os._exit(0)
        asked = json.loads(_received(connection, int.from_bytes(length, "big")))
        process = os.fork()
        if process == 0:
            connection.close()
            for place, end in enumerate(ends):
                os.dup2(end, place)
                os.close(end)
            os.chdir(asked["cwd"])
            os.environ.clear()
            os.environ.update(asked["env"])
            sys.argv = ["xylem", *asked["arguments"]]
            return
        for end in ends:
            os.close(end)
        _, status = os.waitpid(process, 0)
        connection.sendall(os.waitstatus_to_exitcode(status).to_bytes(4, "big", signed=True))


def _modules_of_a_run() -> list[str]:
    """The modules that a short run loads, found out by one in another process."""
    code = "import sys; from xylem.cli import main\ntry: main()\nfinally: print(*(name for name in sys.modules))"
    command = [sys.executable, "-c", code, "run", "-q", "count(//a[b > 1])", "-i", "-"]
    ended = subprocess.run(command, input=b"<a><b>2</b></a>", capture_output=True, check=True)
    return [name for name in ended.stdout.decode().splitlines()[-1].split() if name.startswith("xylem.")]


if __name__ == "__main__":
    import importlib

    for module in _modules_of_a_run():
        importlib.import_module(module)
    _serve(socket.socket(fileno=int(sys.argv[1])))

    from xylem.cli import main

    main()
