"""The answer of a continuous query as of an earlier time, from its checkpoint: of a run that has ended, or of one that
runs. Nothing is written and no lock is taken, so the run goes on undisturbed.
"""

from __future__ import annotations

import time
from decimal import Decimal
from pathlib import Path
from typing import Any

from xylem.errors import DynamicError, InputError
from xylem.run.history.evaluation import Answer as AnswerThen

from ..shipped_query import ShippedQuery
from .checkpoint import checkpoint_state
from .document_answers import moment
from .subscription import Malformed
from .told_query import fingerprint
from .update_answer import UpdateAnswer
from .update_stream import UpdateStream

ATTEMPTS = 20
WAIT_SECONDS = 0.1


def past_answer(folder: Path, name: str, query: ShippedQuery, format: str, time: Decimal) -> AnswerThen:
    """XYDY0021 for a time that is not kept; XYRT0020 where the checkpoint belongs to another query."""
    claimed, saved = _state(folder, name)
    owner = claimed["owner"]
    if owner["queries"].get(name) != fingerprint(query):
        raise DynamicError("XYRT0020", f"{folder}: it has no query {name!r} like this one")
    told = owner.get("updates")
    if told is None or told["name"] != format:
        raise DynamicError("XYRT0020", f"{folder}: other updates than {format} when it was made")
    answer = UpdateAnswer(
        query.begun(moment(claimed["started_ms"])),
        name,
        UpdateStream.of(told),
        # Updates that could not be applied were handled on arrival.
        malformed=Malformed.SKIP,
        state_limit_bytes=0,
        saved=saved,
    )
    return answer.as_of(time)


def _state(folder: Path, name: str) -> tuple[dict[str, Any], list[bytes]]:
    """The facts about the query, and its state; a run may replace it while it is read."""
    if not folder.is_dir():
        raise InputError("XYIN0002", f"{folder}: there is no such directory")
    for attempt in range(1, ATTEMPTS + 1):
        try:
            return checkpoint_state(folder, name)
        except DynamicError:
            if attempt == ATTEMPTS:
                raise
            time.sleep(WAIT_SECONDS)
    raise AssertionError
