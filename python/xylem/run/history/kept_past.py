"""The retained past of a continuous run, and the answer as of a time in it."""

from __future__ import annotations

from decimal import Decimal

from xylem.errors import DynamicError

from ..program import Program
from .commits import Commit, History
from .engine import Engine
from .evaluation import Answer, HistoryRun, Reevaluation, Surroundings
from .retention import Keep, Retention, retention_of, travel_of

BEFORE_HISTORY = "XYDY0021"


class KeptPast:
    """Drops versions that nothing can read, if that does not depend on the query alone.

    Holds:  nothing itself; the history holds the versions that `keep` names.
    """

    def __init__(self, program: Program, history: History, around: Surroundings, keep: Keep | None) -> None:
        """Without `keep` the last state is kept, or all states if the query itself may ask for any."""
        self._program = program
        self._history = history
        self._around = around
        self._retention: Retention | None = None
        self._looks_back = Decimal(0)
        if keep is not None:
            self._retention, self._looks_back = travel_of(program, keep)
        self._knows_all = keep is None and retention_of(program) is None

    def follow(self, commit: Commit, run: HistoryRun | None = None) -> None:
        """Drop versions after the run that reads the history has followed a commit."""
        if self._retention is None:
            return
        history = self._history
        engine = run if isinstance(run, Engine) and not run.why_whole else None
        self._retention.truncate(history, commit, None if engine is None else engine.units.forget)
        if engine is not None and history.kept_since is not None:
            history.forget_commits(history.kept_since)

    def answer(self, time: Decimal, run: HistoryRun | None = None) -> Answer:
        """The answer as of a time. XYDY0021 if its state was dropped, or is not known yet."""
        history = self._history
        earliest = self._earliest
        asked = [commit for commit in history.commits if commit.time <= time]
        if not asked or earliest is None or time < earliest:
            there = "there is no commit" if earliest is None else f"the earliest time kept is {earliest}"
            raise DynamicError(BEFORE_HISTORY, f"{time}; {there}")
        if run is not None and asked[-1].number == history.number:
            return Answer(asked[-1], run.display, True)
        past = Reevaluation(self._program, history, self._around)
        return Answer(asked[-1], past.as_of(asked[-1].number), True)

    @property
    def _earliest(self) -> Decimal | None:
        history = self._history
        if self._retention is None and not self._knows_all:
            return history.time_of(history.number) if history.number else None
        return history.first_time if history.kept_since is None else history.kept_since + self._looks_back
