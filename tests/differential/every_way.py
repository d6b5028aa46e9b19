"""One query, one document, every way to the answer: a tree with all rules, the stream whole and in pieces, tasks."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from random import Random

import xylem
from xylem.errors import XylemError
from xylem.pipeline import StaticEnvironment, compile_distributed
from xylem.plan.distribution import InputOf
from xylem.run.tasks.flat_items import NOT_FLAT
from xylem.run.tasks.in_process import run_in_process
from xylem.source.byte_ranges import ranges

from tests.reference import reference
from tests.run.tasks.ranges_of_documents import divisions

REFUSED = "error XYST0004"
VALUE_ERRORS = {"FORG0001", "FORG0006", "XPTY0004", "FOCA0002", "FOAR0002", "XQDY0025"}
CAUGHT = "<err/>"
"""What generated queries give for an error that they catch."""


class EveryWay:
    """A query made ready for all ways; `differences` tells which of them answer otherwise than the reference."""

    def __init__(self, text: str, with_tasks: bool = True) -> None:
        self.text = text
        self._oracle = reference(text)
        self._query = xylem.compile(text)
        self._tasks = compile_distributed(text, StaticEnvironment()) if with_tasks else None

    def expected(self, document: bytes) -> str | None:
        """What the reference says; None where it ends in an error."""
        try:
            return str(self._oracle.run(xylem.parse(document)))
        except XylemError:
            # Which of several errors comes first, or whether one is met, the other ways may decide otherwise.
            return None

    def differences(self, document: bytes, expected: str, random: Random, file: Path) -> dict[str, str]:
        """The ways with another answer, and that answer."""
        size = random.randint(1, 40)
        pieces = [document[at : at + size] for at in range(0, len(document), size)]
        found = {
            "tree": _outcome(lambda: str(self._query.run(xylem.parse(document)))),
            "stream": _outcome(lambda: self._streamed([document])),
            f"stream by {size} bytes": _outcome(lambda: self._streamed(pieces)),
        }
        if self._tasks is not None:
            file.write_bytes(document)
            for parts in divisions(self._tasks, file, random, 1):
                answer = _outcome(lambda parts=parts: run_in_process(self._tasks, parts, None))  # type: ignore[misc]
                if answer.startswith(f"error {NOT_FLAT}"):
                    whole = compile_distributed(self.text, StaticEnvironment(), input_of=InputOf.WHOLE)
                    answer = _outcome(lambda whole=whole: run_in_process(whole, ranges(file, ()), None))  # type: ignore[misc]
                found[f"tasks over {len(parts)} ranges"] = answer
        return {way: answer for way, answer in found.items() if answer != expected and not _may_be(answer, expected)}

    def _streamed(self, pieces: list[bytes]) -> str:
        written: list[bytes] = []
        self._query.stream(pieces).write_to(written.append)
        return b"".join(written).decode()


def _outcome(run: Callable[[], str]) -> str:
    try:
        return run()
    except XylemError as error:
        return f"error {error.code} {error}"


def _may_be(answer: str, expected: str) -> bool:
    """Whether another answer is no fault.

    A query may be refused for a stream: that is told, and the tree answers it. And XQuery lets a processor meet an
    error of a value that another order of evaluation does not meet, as in `("1", "x") = 1`. What is caught must be
    caught.
    """
    if answer.startswith(REFUSED):
        return True
    if answer.startswith("error"):
        return answer.split()[1] in VALUE_ERRORS and CAUGHT not in expected
    return (CAUGHT in answer) != (CAUGHT in expected)
