"""From a file to an answer in this process: what is prepared, what is measured, and how answers are compared.

Imports are not counted: they are paid once, whatever the size of the document. Memory is that of the whole process,
until there is an answer: comparing it with others comes after.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import sys
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from .answers import canonical
from .peak_memory import peak_rss_bytes
from .peers import Peer

Answer = Callable[[], str | Path]
"""Reads the document and answers. Who can write the answer as it comes about writes it into a file: that must not be
held in memory."""
_LONGEST_COMPARED_BYTES = 100_000_000


def streamed(query: str, document: Path, name: str) -> Answer:
    """This engine over the stream, from the text of the query to the text of the answer."""
    import xylem as engine

    # Loads what is loaded on first use.
    engine.compile("<a>{ for $b in /b[c > 1] return count($b/c) }</a>").stream(b"<b><c>2</c></b>").write_to(len)

    def run() -> Path:
        answer = document.with_suffix(f".{name}.answer")
        with answer.open("wb", buffering=0) as file:
            engine.compile(query).stream(document).write_to(file.write)
        return answer

    return run


class OverTree:
    """A processor that reads the whole document first, which is timed apart."""

    def __init__(self, peer: Peer, query: str, document: Path) -> None:
        self._peer, self._query, self._document = peer, query, document
        self.parse_cpu_seconds = 0.0

    def __call__(self) -> str:
        started = time.process_time()
        tree = self._peer.parse(self._document)
        self.parse_cpu_seconds = time.process_time() - started
        return self._peer.answer(self._query, tree)


def on_one_core() -> None:
    """Keep this process to one core, where the system lets it."""
    with contextlib.suppress(AttributeError, OSError):
        os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})


def measured(answer: Answer) -> dict[str, Any]:
    """Time, memory and what tells the answer apart from others."""
    started, clock = time.process_time(), time.perf_counter()
    found = answer()
    cpu_seconds, seconds = time.process_time() - started, time.perf_counter() - clock
    peak = peak_rss_bytes()
    return {"cpu_seconds": cpu_seconds, "seconds": seconds, "peak_rss_bytes": peak, "answer": _digest(found)}


def tell_figures(engines: Mapping[str, Callable[[str, Path], Answer]], packages: Mapping[str, str]) -> None:
    """The whole of a worker: run the engine, task and document that its arguments name, and print figures as JSON."""
    engine, task, document = sys.argv[1:]
    on_one_core()
    try:
        answer = engines[engine](task, Path(document))
    except ImportError as missing:
        print(json.dumps({"missing": f"{missing} (pip install {packages.get(engine, engine)})"}))
        return
    print(json.dumps(measured(answer)))


def _digest(found: str | Path) -> str:
    """What tells answers apart that differ as XML; of very long ones, as text."""
    if isinstance(found, Path):
        content = found.read_bytes()
        found.unlink()
        if len(content) > _LONGEST_COMPARED_BYTES:
            return hashlib.sha256(content).hexdigest()[:16]
        found = content.decode()
    return hashlib.sha256(canonical(found.strip()).encode()).hexdigest()[:16]
