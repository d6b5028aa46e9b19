"""Operators in Python: only code signed by somebody whom the owner of the site trusts.

    ssh-keygen -Y sign -f alice_key -n xylem-operator smooth.py          makes smooth.py.sig
    xylem network operator smooth smooth.py --signature smooth.py.sig --source photons

`allowed-signers` in the directory of a site has their public keys, in the form of ssh-keygen(1): `alice ssh-ed25519 …`.
Without this file the site runs no Python. A signature proves who wrote the code, and the site trusts it: Python has no
sandbox of its own. The code runs in a separate process with limits of memory and time; with bubblewrap installed, also
without network and without writable files. The file defines `record(data: bytes) -> bytes`.
"""

from __future__ import annotations

import os
import resource
import select
import shutil
import struct
import subprocess
import sys
import tempfile
import time
from contextlib import suppress
from pathlib import Path

from xylem.errors import InputError

from .stream_operator import MOST_BYTES, OperatorFault, StreamOperator

CAPABILITY = "code:python"
SIGNERS_FILE = "allowed-signers"
NAMESPACE = "xylem-operator"
SECONDS = 10.0
"""Time limit per record."""
MEMORY_BYTES = 512 << 20
_RUNNER = """
import struct, sys
source, given = sys.stdin.buffer, sys.stdout.buffer
size, = struct.unpack("<I", source.read(4))
space = {"__name__": "operator"}
sys.stdout = sys.stderr
exec(compile(source.read(size), "operator.py", "exec"), space)
record = space["record"]
given.write(struct.pack("<I", 0)); given.flush()
while head := source.read(4):
    found = bytes(record(source.read(struct.unpack("<I", head)[0])))
    given.write(struct.pack("<I", len(found)) + found); given.flush()
"""


def can_run_python(directory: Path) -> bool:
    """Whether a site trusts anybody, and can check signatures."""
    return (directory / SIGNERS_FILE).exists() and shutil.which("ssh-keygen") is not None


def checked(code: bytes, signature: bytes, directory: Path) -> str:
    """The trusted signer of the code; XYRT0064 without a signature by a trusted key."""
    program = shutil.which("ssh-keygen")
    signers = directory / SIGNERS_FILE
    if program is None:
        raise InputError("XYRT0064", "ssh-keygen is not installed here, which checks signatures")
    if not signers.exists():
        raise InputError("XYRT0064", f"the site trusts nobody: its directory has no file {SIGNERS_FILE}")
    with tempfile.NamedTemporaryFile() as file:
        file.write(signature)
        file.flush()
        found = _run(program, "find-principals", "-s", file.name, "-f", str(signers))
        names = found.stdout.decode("utf-8", "replace").split() if found.returncode == 0 else []
        for name in names:
            options = ("-I", name, "-n", NAMESPACE, "-s", file.name, "-f", str(signers))
            if _run(program, "verify", *options, given=code).returncode == 0:
                return name
    told = "its signature is not for this code" if names else "nobody whom the site trusts has signed it"
    raise InputError("XYRT0064", told)


def _run(program: str, what: str, *options: str, given: bytes = b"") -> subprocess.CompletedProcess[bytes]:
    return subprocess.run([program, "-Y", what, *options], input=given, capture_output=True, timeout=30)


class PythonOperator(StreamOperator):
    """A process that runs signed code."""

    def __init__(self, code: bytes, signature: bytes, directory: Path) -> None:
        checked(code, signature, directory)
        self._directory = tempfile.mkdtemp(prefix="xylem-operator-")
        self._process = subprocess.Popen(
            [*_sandbox(), sys.executable, "-I", "-B", "-c", _RUNNER],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, cwd=self._directory,
            env={"PATH": os.defpath, "LANG": "C.UTF-8"}, preexec_fn=_limited, start_new_session=True,
        )  # fmt: skip
        try:
            self._ask(code)
        except OperatorFault as reason:
            self.close()
            raise InputError("XYST0040", f"the code does not begin: {reason}") from reason

    def push(self, record: bytes) -> bytes:
        return self._ask(record)

    def _ask(self, data: bytes) -> bytes:
        assert self._process.stdin is not None
        try:
            self._process.stdin.write(struct.pack("<I", len(data)) + data)
            self._process.stdin.flush()
        except OSError as reason:
            raise OperatorFault("its process ended") from reason
        until = time.monotonic() + SECONDS
        (size,) = struct.unpack("<I", self._read(4, until))
        if size > MOST_BYTES:
            raise OperatorFault(f"it gives {size:,} bytes for one record")
        return self._read(size, until)

    def _read(self, size: int, until: float) -> bytes:
        assert self._process.stdout is not None
        number, found = self._process.stdout.fileno(), b""
        while len(found) < size:
            ready, _, _ = select.select([number], [], [], max(0.0, until - time.monotonic()))
            if not ready:
                raise OperatorFault(f"it took more than {SECONDS:g} seconds for a record")
            piece = os.read(number, size - len(found))
            if not piece:
                raise OperatorFault("its process ended")
            found += piece
        return found

    def close(self) -> None:
        self._process.kill()
        self._process.wait()
        for pipe in (self._process.stdin, self._process.stdout):
            if pipe is not None:
                with suppress(OSError):
                    # Unwritten output is of no use any more.
                    pipe.close()
        shutil.rmtree(self._directory, ignore_errors=True)


def _sandbox() -> list[str]:
    """The command of the sandbox, if there is one."""
    program = shutil.which("bwrap")
    if program is None:
        return []
    return [program, "--unshare-all", "--die-with-parent", "--ro-bind", "/", "/", "--tmpfs", "/tmp", "--dev", "/dev"]


def _limited() -> None:
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY_BYTES, MEMORY_BYTES))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_NOFILE, (64, 64))
