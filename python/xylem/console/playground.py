"""The playground: checks a query, explains it, completes names, and runs it in a process of its own.

The process is `xylem run` itself, so the playground shows exactly the output of the command. It has
limits of time and memory, an empty directory, no input but the sample, and no `--allow`: `doc()` reads nothing.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import IO, Any

from xylem.errors import XylemError
from xylem.interactive.diagnostics import checked, diagnostic_of, line_notes
from xylem.interactive.name_completion import suggestions, word_before
from xylem.interactive.shell import names_in

from .clean_environment import clean_environment

TIME_LIMIT_SECONDS = 10
MEMORY_LIMIT = "1GB"
MOST_OUTPUT_BYTES = 1_000_000
LIMITS = f"at most {TIME_LIMIT_SECONDS} s, 1 GB of memory, {MOST_OUTPUT_BYTES // 1_000_000} MB of output"
"""As the page shows them."""
FORMATS = ("xml", "lines", "jsonl", "csv", "table")
NAME = "query"


def check(text: str) -> dict[str, Any]:
    """The error of a query with its place, notes on its lines, and the complete explanation."""
    from xylem import api
    from xylem.plan.explain_operators import plan_facts

    found = checked(text, NAME)
    if found is not None:
        place = found.place
        error = {"code": found.code, "message": found.message, "hint": found.hint}
        spans = {"line": 1, "column": 1, "end_line": 1, "end_column": 1} if place is None else vars(place)
        return {"errors": [{**error, **spans}], "notes": [], "explain": "", "operators": []}
    notes = [{"line": n.place.line, "effect": n.effect, "text": n.text} for n in line_notes(text, NAME)]
    operators: Sequence[dict[str, Any]] = ()
    try:
        explanation = api.compile(text, name=NAME).explain()
        explained, operators = explanation.to_text(), plan_facts(explanation.operators)
    except XylemError as error:
        explained = str(diagnostic_of(error, NAME).message)
    return {"errors": [], "notes": notes, "explain": explained, "operators": list(operators)}


def names(before: str, text: str, sample: str) -> dict[str, Any]:
    """Names that fit before the cursor, and the number of characters already typed."""
    found = suggestions(before, text, names_in(sample.encode()))[:100]
    return {"word": len(word_before(before)), "names": [vars(one) for one in found]}


def run(text: str, sample: str, chosen: str = "xml") -> dict[str, Any]:
    """The output of `xylem run` for a query over a sample, with its figures and the plot of its buffers."""
    with TemporaryDirectory(prefix="xylem-console-") as name:
        place = Path(name)
        (place / "query.xq").write_text(text, encoding="utf-8")
        command = [sys.executable, "-m", "xylem", "run", "query.xq", "--stats", "json"]
        command += ["--time-limit", str(TIME_LIMIT_SECONDS), "--memory-limit", MEMORY_LIMIT]
        if chosen in FORMATS and chosen != "xml":
            command += ["--format", chosen]
        if sample.strip():
            (place / "sample.xml").write_text(sample, encoding="utf-8")
            command += ["-i", "sample.xml", "--plot-buffers", "plot.svg"]
        output, told = _ran(command, place)
        plot = place / "plot.svg"
        drawn = plot.read_text(encoding="utf-8") if plot.is_file() else ""
    lines = told.splitlines()
    figures = lines.pop() if lines and lines[-1].startswith("{") else ""
    return {"output": output, "messages": "\n".join(lines), "figures": figures, "plot": drawn}


def _ran(command: list[str], place: Path) -> tuple[str, str]:
    """The output of a command and its messages; the command ends when it has written more than is shown."""
    with subprocess.Popen(
        command,
        cwd=place,
        env=clean_environment(),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as process:
        assert process.stdout is not None and process.stderr is not None
        told = bytearray()
        listening = threading.Thread(target=_listen, args=(process.stderr, told))
        listening.start()
        # The command's own time limit comes first, unless the command does not react to it.
        patience = threading.Timer(2 * TIME_LIMIT_SECONDS, process.kill)
        patience.start()
        data = process.stdout.read(MOST_OUTPUT_BYTES + 1)
        process.stdout.close()
        process.wait()
        patience.cancel()
        listening.join()
    messages = told.decode("utf-8", "replace").rstrip("\n")
    if process.returncode == -signal.SIGKILL:
        messages += "\nthe run was stopped"
    if len(data) > MOST_OUTPUT_BYTES:
        messages += f"\nonly the first {MOST_OUTPUT_BYTES:,} bytes are shown"
    return data[:MOST_OUTPUT_BYTES].decode("utf-8", "replace"), messages.lstrip("\n")


def _listen(source: IO[bytes], told: bytearray) -> None:
    """Read all messages, and keep those that are shown."""
    while chunk := os.read(source.fileno(), 1 << 16):
        if len(told) < MOST_OUTPUT_BYTES:
            told += chunk


def examples() -> dict[str, tuple[str, str]]:
    """Queries to begin with, and samples for them."""
    feed = "<departures>\n" + "".join(
        f'  <departure line="{line}" minutes="{late}"><to>{to}</to></departure>\n'
        for line, late, to in ((4, 0, "Airport"), (11, 6, "Old Town"), (2, 1, "University"), (11, 3, "Harbour"))
    )
    sample = feed + "</departures>\n"
    return {
        "filter": ("for $d in /departures/departure\nwhere $d/@minutes > 2\nreturn $d/to", sample),
        "group": (
            "for $d in //departure\ngroup by $line := string($d/@line)\n"
            'return map { "line": $line, "departures": count($d), "worst": max($d/@minutes) }',
            sample,
        ),
        "sort": ("for $d in //departure\norder by number($d/@minutes) descending\nreturn $d/to/string()", sample),
        "window": (
            "for tumbling window $w in //departure\nstart at $s when true()\nend at $e when $e - $s = 1\n"
            'return <pair n="{ count($w) }">{ $w/to/string() }</pair>',
            sample,
        ),
    }
