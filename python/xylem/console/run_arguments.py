"""The command of a run that the console starts: `xylem run` in one process or on Spark, or `xylem stream`.

Everything that the run writes goes to the directory of the run.
"""

from __future__ import annotations

from pathlib import Path

from xylem.errors import InputError

from .registry import METRICS, RUNNERS, SPARK, STREAM, Asked

TIME_LIMIT_SECONDS = 3600
MEMORY_LIMIT = "2GB"
SHOWN_MEMORY = "2 GB"
LIMITS = (
    f"At most {TIME_LIMIT_SECONDS // 60} minutes and {SHOWN_MEMORY} of memory; "
    f"continuously, {SHOWN_MEMORY} for each document."
)
"""As the page shows them."""
UPDATES = ("native", "keyed", "osmchange", "snapshot", "patch", "debezium", "tokens")
RESULT = "result"
LETTERS = "letters.jsonl"
LETTERS_OF_BATCHES = "letters"


def checked(asked: Asked) -> None:
    """XYIN0002 for values that no page offers."""
    if asked.updates and asked.updates not in UPDATES:
        raise InputError("XYIN0002", f"{asked.updates}: not a format of update streams")
    if asked.runner not in RUNNERS:
        raise InputError("XYIN0002", f"{asked.runner}: not a way to run a query")
    if asked.runner == SPARK and (asked.updates or asked.malformed != "stop"):
        why = "a batch on Spark reads no update streams and keeps no dead letters; choose one process or continuous"
        raise InputError("XYIN0002", why)


def arguments(asked: Asked, query: Path, source: Path, place: Path) -> list[str]:
    """The command, without the name of the script."""
    if asked.runner == STREAM:
        return _stream(asked, query, source, place)
    limits = ["--time-limit", str(TIME_LIMIT_SECONDS), "--memory-limit", MEMORY_LIMIT]
    common = ["run", str(query), "-i", str(source), "-o", str(place / RESULT), "--stats", "json", "--quiet", *limits]
    if asked.runner == SPARK:
        return [*common, "--on", "spark", "--output-param", "item-separator=\n"]
    shown = ["--updates", asked.updates, "--report", "log"] if asked.updates else ["--format", "lines"]
    letters = ["--on-malformed", f"dead-letter={place / LETTERS}"] if asked.malformed == "dead-letter" else []
    return [*common, "--metrics", str(place / METRICS), *shown, *letters]


def _stream(asked: Asked, query: Path, source: Path, place: Path) -> list[str]:
    kind = "dir" if source.is_dir() else "file"
    command = ["stream", str(query), "--input", f"{kind}:{source}", "--checkpoint", str(place / "checkpoint")]
    command += ["--metrics", str(place / METRICS), "--memory-limit", MEMORY_LIMIT]
    if asked.malformed == "dead-letter":
        command += ["--on-malformed", f"dead-letter={place / LETTERS_OF_BATCHES}"]
    if asked.updates:
        return [*command, "--updates", asked.updates, "--output", f"file:{place / RESULT}"]
    # Standard output is the result: a line for each item, and for each change of an aggregate.
    return [*command, "--output", "console", "--output-param", "item-separator=\n"]
