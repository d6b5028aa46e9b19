"""What a run of Linear Road showed: sentences, figures for programs, and the distribution of response times."""

from __future__ import annotations

import os
from bisect import bisect_right
from collections.abc import Iterator
from typing import Any

from ..bar_chart import bar_chart
from ..time_chart import Panel, time_chart
from .comparer import LIMIT_SECONDS
from .rating import Rating

_SHARES = (0.5, 0.9, 0.99, 0.999, 1.0)
_EDGES = (0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 0.5, 1.0, 2.0, 5.0, 10.0)


class RatingReport:
    """One run, told."""

    def __init__(self, rating: Rating) -> None:
        self.rating = rating

    def lines(self) -> Iterator[str]:
        r, made, verdict = self.rating, self.rating.made, self.rating.verdict
        first = r.wanted.from_minute + r.warm_up
        span = f"minutes {first} to {r.wanted.minutes} of 180"
        pace = f"{r.speed:g}-fold replay" if r.speed not in (0.0, 1.0) else "real time" if r.speed else "no clock"
        where = f"L = {r.wanted.expressways:g}, {'Spark, ' if r.is_on_spark else ''}{os.cpu_count()} cores"
        yield f"Linear Road, {span}, {pace}, at {where}; requests of type 4 are left out"
        yield (
            f"{made.tuples:,} tuples of this generator, at most {made.peak_tuples_per_second:,} in a second;"
            f" {r.work.seconds:,.1f} s, {r.work.cpu_seconds:,.1f} CPU seconds of the system"
        )
        if r.warm_up:
            yield f"minutes {r.wanted.from_minute} to {first - 1} went ahead of the clock: their answers have no times"
        if r.work.kills:
            yield f"killed {'once' if r.work.kills == 1 else f'{r.work.kills} times'} and started again"
        kinds = ", ".join(f"{number:,} {kind}" for kind, number in sorted(verdict.counts.items()))
        yield f"answers: {kinds or 'none'}"
        for what, number in verdict.errors.most_common():
            yield f"WRONG: {number:,} × {what}, such as {'; '.join(verdict.examples[what][:3])}"
        if verdict.responses:
            quantiles = ", ".join(f"{100 * share:g} % {verdict.quantile(share):.3f} s" for share in _SHARES)
            yield f"response times: {quantiles}"
        yield (
            f"{self.tuples_per_cpu_second:,.0f} tuples for each CPU second; the naive program over lxml"
            f" {made.tuples / max(r.oracle_cpu_seconds, 1e-9):,.0f}; at most {r.work.peak_rss_bytes / 1e6:,.0f} MB"
        )

    def verdicts(self) -> Iterator[tuple[bool, str]]:
        r, verdict = self.rating, self.rating.verdict
        yield verdict.is_valid, "every answer is right, none is missing or extra" + (", all in time" if r.speed else "")
        if r.speed:
            yield verdict.quantile(0.99) < 1.0, f"p99 of the response time below 1 s: {verdict.quantile(0.99):.3f} s"
            limit = LIMIT_SECONDS["toll"] / r.speed
            yield verdict.quantile(1.0) <= limit, f"every answer within {limit:g} s: {verdict.quantile(1.0):.3f} s"
        else:
            ratio = r.work.cpu_seconds / max(r.oracle_cpu_seconds, 1e-9)
            yield ratio <= 3.0, f"within 3 × of the naive program over the same XML: {ratio:.2f} ×"

    @property
    def tuples_per_cpu_second(self) -> float:
        return self.rating.made.tuples / max(self.rating.work.cpu_seconds, 1e-9)

    def as_json(self) -> dict[str, Any]:
        r, verdict = self.rating, self.rating.verdict
        return {
            "valid": verdict.is_valid,
            "expressways": r.wanted.expressways,
            "from_minute": r.wanted.from_minute + r.warm_up,
            "warm_up_minutes": r.warm_up,
            "to_minute": r.wanted.minutes,
            "speed": r.speed or "max",
            "tuples": r.made.tuples,
            "peak_tuples_per_second": r.made.peak_tuples_per_second,
            "tuples_per_cpu_second": round(self.tuples_per_cpu_second),
            "naive_tuples_per_cpu_second": round(r.made.tuples / max(r.oracle_cpu_seconds, 1e-9)),
            "p50": verdict.quantile(0.5) if verdict.responses else None,
            "p99": verdict.quantile(0.99) if verdict.responses else None,
            "max": verdict.quantile(1.0) if verdict.responses else None,
            "max_by_minute": {minute: round(longest, 3) for minute, longest in sorted(verdict.longest.items())},
            "peak_rss_bytes": r.work.peak_rss_bytes,
            "rss_bytes": r.work.rss_bytes,
            "seconds": r.work.seconds,
            "cpu_seconds": r.work.cpu_seconds,
            "cores": os.cpu_count(),
            "on": "spark" if r.is_on_spark else "local",
            "kills": r.work.kills,
            "answers": dict(verdict.counts),
            "errors": dict(verdict.errors),
            "left_out": ["type 4"],
        }

    def figure(self) -> str:
        """How many percent of the answers took longer than a time; memory over time where there was no clock."""
        if not self.rating.speed:
            title = f"Linear Road at L = {self.rating.wanted.expressways:g}, no clock: memory over time"
            curve = [(seconds, size / 1e6) for seconds, size in self.rating.work.rss_bytes]
            return time_chart(title, [Panel("resident memory, MB", {"memory": curve})])
        responses = sorted(self.rating.verdict.responses)
        title = f"Linear Road at L = {self.rating.wanted.expressways:g}: percent of answers that took longer than …"
        count = max(len(responses), 1)
        shares = [100 * (len(responses) - bisect_right(responses, edge)) / count for edge in _EDGES]
        names = [f"{edge:g} s" for edge in _EDGES]
        return bar_chart(title, names, {"answers": [share or None for share in shares]}, "%")
