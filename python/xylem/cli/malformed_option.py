"""`--on-malformed stop|skip|dead-letter[=FILE]`: how to handle malformed records, and the report on them."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import typer

from xylem.source.malformed import MalformedTally, OnMalformed

OPTION = "--on-malformed"
DEFAULT_FILE = "dead-letters.jsonl"


def policy_of(value: str, output: Path | None) -> tuple[OnMalformed, Path | None]:
    """The policy and the file of dead letters, by default beside the output."""
    word, equals, name = value.partition("=")
    try:
        policy = OnMalformed(word)
    except ValueError:
        policies = ", ".join(policy.value for policy in OnMalformed)
        raise typer.BadParameter(f"{word!r} is not one of {policies}", param_hint=OPTION) from None
    if equals and (policy is not OnMalformed.DEAD_LETTER or not name):
        raise typer.BadParameter("only dead-letter takes a file: dead-letter=FILE", param_hint=OPTION)
    if policy is not OnMalformed.DEAD_LETTER:
        return policy, None
    beside = Path(DEFAULT_FILE) if output is None else output.with_name(f"{output.name}.{DEFAULT_FILE}")
    return policy, Path(name) if name else beside


@contextmanager
def tallied(policy: OnMalformed, file: Path | None, is_reported: bool) -> Iterator[MalformedTally | None]:
    """Counts skipped records, and reports them at the end unless `--stats` does; None if the policy skips nothing."""
    if policy is OnMalformed.STOP:
        yield None
        return
    from xylem.sink.dead_letters import malformed_tally

    tally = malformed_tally(policy, file)
    assert tally is not None
    # Several inputs share one file, which is closed after the last one.
    close, tally.close = tally.close, None
    try:
        yield tally
    finally:
        if close is not None:
            close()
        if (tally.records or tally.documents) and not is_reported:
            where = f"; see {file}" if file is not None else ""
            print(f"left out: {words_of(facts_of(tally)['malformed'])}{where}", file=sys.stderr)


def words_of(counts: dict[str, Any]) -> str:
    """The skipped records, in words."""
    parts = [
        f"{many:,} {name}{'s' if many != 1 else ''}"
        for many, name in ((counts["records"], "malformed record"), (counts["inputs"], "unreadable input"))
        if many
    ]
    reasons = ", ".join(f"{code} {many:,}" for code, many in sorted(counts["codes"].items()))
    return f"{' and '.join(parts)}, {counts['bytes']:,} bytes ({reasons})" if parts else "nothing"


def facts_of(tally: MalformedTally | None) -> dict[str, Any]:
    """The figures for `--stats`."""
    if tally is None:
        return {}
    counts = {"records": tally.records, "inputs": tally.documents, "bytes": tally.size, "codes": tally.codes}
    return {"malformed": counts}
