"""A site as a process of its own: started in the background, and stopped."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path

import typer

from xylem.errors import InputError

from .site_commands import client

_MOST_SECONDS = 60.0
_PAUSE_SECONDS = 0.05


def start_in_background(site: Path, options: Sequence[str] = ()) -> str:
    """Start the process of a site, and print its address once it answers."""
    site.mkdir(parents=True, exist_ok=True)
    errors = site / "errors.log"
    command = [sys.executable, "-m", "xylem", "network", "start", "--site", str(site), *options]
    with errors.open("wb") as log:
        process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=log, stderr=log, start_new_session=True)
    until = time.monotonic() + _MOST_SECONDS
    while time.monotonic() < until:
        if process.poll() is not None:
            told = errors.read_text(errors="replace").strip()
            if not told:
                raise InputError("XYRT0050", f"it ended with status {process.returncode}")
            # It has said why itself, with its code and hint.
            typer.echo(told, err=True)
            raise typer.Exit(process.returncode)
        try:
            asked = client(site)
            if asked.process == process.pid:
                asked.sources()
                return f"site {site} runs as process {process.pid} at {asked.url}"
        except InputError:
            pass
        time.sleep(_PAUSE_SECONDS)
    process.terminate()
    raise InputError("XYRT0050", f"it did not answer within {_MOST_SECONDS:g} seconds")


def stop(site: Path) -> None:
    """Ask the process of a site to end, and wait until it has ended."""
    number = client(site).process
    try:
        os.kill(number, signal.SIGTERM)
        until = time.monotonic() + _MOST_SECONDS
        while time.monotonic() < until:
            os.kill(number, 0)
            if not (site / "site.json").exists():
                return
            time.sleep(_PAUSE_SECONDS)
    except ProcessLookupError:
        (site / "site.json").unlink(missing_ok=True)
        return
    raise InputError("XYRT0050", f"process {number} does not stop")
