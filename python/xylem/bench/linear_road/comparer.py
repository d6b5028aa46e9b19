"""The comparer of Linear Road: every answer right, none missing, none extra, all in time.

Answers are told apart by their keys: tolls by vehicle and time, accidents by all they say, balances and expenditures
by the number of the question.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import NamedTuple

from .oracle import Expected

LIMIT_SECONDS = {"toll": 5.0, "accident": 5.0, "balance": 5.0, "expenditure": 10.0}
SHOWN_ERRORS = 10
STALE_SECONDS = 60
LAST_SECOND = 1 << 40


class Answer(NamedTuple):
    """One answer: what it is, its fields, and when it came, in seconds since the start on the driver's clock."""

    kind: str
    fields: dict[str, int]
    emit: float


@dataclass
class Verdict:
    """What was found."""

    counts: Counter[str] = field(default_factory=Counter)
    """Answers by kind."""
    errors: Counter[str] = field(default_factory=Counter)
    """Errors by what is wrong."""
    examples: dict[str, list[str]] = field(default_factory=lambda: defaultdict(list))
    responses: list[float] = field(default_factory=list)
    """Response times in seconds, in the order of the answers."""
    longest: dict[int, float] = field(default_factory=dict)
    """The longest response time by the minute of the question."""
    _ordered: list[float] | None = None

    @property
    def is_valid(self) -> bool:
        return not self.errors

    def fault(self, what: str, example: str) -> None:
        self.errors[what] += 1
        if len(self.examples[what]) < SHOWN_ERRORS:
            self.examples[what].append(example)

    def quantile(self, share: float) -> float:
        """A response time that the share of all answers do not exceed."""
        if not self.responses:
            return 0.0
        if self._ordered is None or len(self._ordered) != len(self.responses):
            self._ordered = sorted(self.responses)
        ordered = self._ordered
        return ordered[min(len(ordered) - 1, int(share * len(ordered)))]


class Comparer:
    """Takes answers in any order; `verdict` is complete after `finish`."""

    def __init__(
        self, expected: Expected, *, speed: float = 1.0, untimed: bool = False, clock_from: int = 0
    ) -> None:
        """A replay `speed` times as fast has limits so many times shorter; `untimed` asks for no times at all.

        What was asked before the second `clock_from` went ahead of the clock, and has no time either.
        """
        self.verdict = Verdict()
        self._expected = expected
        self._speed = speed
        self._clock_from = LAST_SECOND if untimed else clock_from
        self._seen: dict[str, set[object]] = {kind: set() for kind in LIMIT_SECONDS}

    def take(self, answer: Answer) -> None:
        kind, fields = answer.kind, answer.fields
        if kind not in self._seen:
            self.verdict.fault("answers of no kind", f"{kind} {fields}")
            return
        self.verdict.counts[kind] += 1
        key = _key(answer)
        if key in self._seen[kind]:
            self.verdict.fault(f"{kind}: given twice", str(fields))
            return
        self._seen[kind].add(key)
        _CHECKS[kind](self, answer)
        self._check_time(answer)

    def _check_toll(self, answer: Answer) -> None:
        fields, fault = answer.fields, self.verdict.fault
        known = self._expected.tolls.get((fields["vid"], fields["time"]))
        if known is None:
            fault("toll: not asked for", str(fields))
            return
        velocity, toll = known
        if fields["toll"] != toll:
            fault("toll: wrong toll", f"{fields}, must be {toll}")
        if abs(fields["lav"] - velocity) == 1:
            # They point at rounding.
            fault("toll: LAV off by one", f"{fields}, must be {velocity}")
        elif fields["lav"] != velocity:
            fault("toll: wrong LAV", f"{fields}, must be {velocity}")

    def _check_accident(self, answer: Answer) -> None:
        if _key(answer) not in self._expected.accidents:
            self.verdict.fault("accident: not asked for", str(answer.fields))

    def _check_expenditure(self, answer: Answer) -> None:
        fields = answer.fields
        asked = self._expected.expenditures.get(fields["qid"])
        if asked is None:
            self.verdict.fault("expenditure: not asked for", str(fields))
        elif asked != (fields["time"], fields["bal"]):
            self.verdict.fault("expenditure: wrong", f"{fields}, must be {asked[1]}")

    def _check_balance(self, answer: Answer) -> None:
        fields, fault = answer.fields, self.verdict.fault
        asked = self._expected.balances.get(fields["qid"])
        if asked is None or asked[0] != fields["time"]:
            fault("balance: not asked for", str(fields))
            return
        time, vehicle = asked
        if time >= self._clock_from and fields["at"] > answer.emit * self._speed:
            fault("balance: of the future", str(fields))
        elif fields["at"] < time - STALE_SECONDS:
            fault("balance: stale", str(fields))
        right = self._expected.balance(vehicle, fields["at"])
        if fields["bal"] != right:
            fault("balance: wrong", f"{fields}, must be {right}")

    def _check_time(self, answer: Answer) -> None:
        if answer.fields["time"] < self._clock_from:
            return
        limit = LIMIT_SECONDS[answer.kind] / self._speed
        response = answer.emit - answer.fields["time"] / self._speed
        self.verdict.responses.append(response)
        minute = answer.fields["time"] // 60 + 1
        self.verdict.longest[minute] = max(response, self.verdict.longest.get(minute, 0.0))
        if response < 0:
            self.verdict.fault(f"{answer.kind}: before it was asked", f"{answer.fields} at {answer.emit:.3f}")
        elif response > limit:
            self.verdict.fault(f"{answer.kind}: late", f"{answer.fields} after {response:.3f} s")

    def finish(self) -> Verdict:
        """What was expected and did not come."""
        expected = self._expected
        wanted: dict[str, Iterable[object]] = {
            "toll": expected.tolls,
            "accident": expected.accidents,
            "balance": expected.balances,
            "expenditure": expected.expenditures,
        }
        for kind, keys in wanted.items():
            for key in keys:
                if key not in self._seen[kind]:
                    self.verdict.fault(f"{kind}: missing", str(key))
        return self.verdict


def _key(answer: Answer) -> object:
    fields = answer.fields
    if answer.kind == "toll":
        return fields["vid"], fields["time"]
    if answer.kind == "accident":
        return tuple(fields[name] for name in ("time", "xway", "seg", "dir", "vid"))
    return fields["qid"]


_CHECKS: dict[str, Callable[[Comparer, Answer], None]] = {
    "toll": Comparer._check_toll,
    "accident": Comparer._check_accident,
    "balance": Comparer._check_balance,
    "expenditure": Comparer._check_expenditure,
}
