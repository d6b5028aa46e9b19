"""A PostgreSQL server for tests: on loopback, in a directory of its own, never as root."""

from __future__ import annotations

import os
import pwd
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from pathlib import Path


def binaries() -> Path | None:
    """The directory of the server's programs; None where it is not installed, or where only root could run it."""
    found = sorted(Path("/usr/lib/postgresql").glob("*/bin/postgres"))
    here = shutil.which("postgres")
    path = found[-1].parent if found else None if here is None else Path(here).resolve().parent
    if path is None or (os.getuid() == 0 and _user() is None):
        return None
    return path if (path / "initdb").exists() else None


def _user() -> str | None:
    """Who the server runs as: root may not run it."""
    names = {one.pw_name for one in pwd.getpwall()}
    return next((name for name in ("postgres", "nobody") if name in names), None) if os.getuid() == 0 else None


class PostgresqlServer:
    """One server, which can be killed and started again."""

    def __init__(self, programs: Path) -> None:
        self._programs = programs
        self._user = _user()
        self.directory = Path(tempfile.mkdtemp(prefix="xylem-postgresql-"))
        if self._user is not None:
            shutil.chown(self.directory, self._user)
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self._port = free.getsockname()[1]
        self.url = f"postgresql://tester@127.0.0.1:{self._port}/postgres"
        made = ["initdb", "-D", str(self.directory / "data"), "-U", "tester", "-A", "trust", "--no-sync", "-E", "UTF8"]
        self._run(made).communicate()
        self.start()

    def _run(self, command: list[str]) -> subprocess.Popen[bytes]:
        words = [str(self._programs / command[0]), *command[1:]]
        with (self.directory / "messages").open("ab") as out:
            return subprocess.Popen(
                words, stdout=out, stderr=out, cwd=self.directory, user=self._user, start_new_session=True
            )

    def start(self) -> None:
        settings = ["listen_addresses=127.0.0.1", f"unix_socket_directories={self.directory}"]
        options = ["-p", str(self._port), *(word for one in settings for word in ("-c", one))]
        self.process = self._run(["postgres", "-D", str(self.directory / "data"), *options])
        for _ in range(600):
            with socket.socket() as asked:
                if asked.connect_ex(("127.0.0.1", self._port)) == 0:
                    return
            assert self.process.poll() is None, (self.directory / "messages").read_text()
            time.sleep(0.05)
        raise AssertionError((self.directory / "messages").read_text())

    def kill(self) -> None:
        """Kill the server and all its processes at once."""
        os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()
        # What the killed server has left must not keep the next one from starting.
        (self.directory / "data" / "postmaster.pid").unlink(missing_ok=True)

    def close(self) -> None:
        self.process.send_signal(signal.SIGINT)
        self.process.wait()
        shutil.rmtree(self.directory)
