"""The answer of a subscription at one site as a stream of another: sites joined by their logs.

A filter's answer is a document of records, so it can be published as it is. The log it goes to knows how many records
it has: a relay that begins again leaves out as many, and each record arrives once.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from .record_splitter import RecordSplitter
from .site_client import SiteClient


class Relay:
    """Carries records from one site to another until the answer ends."""

    def __init__(self, upstream: SiteClient, subscription: str, downstream: SiteClient, stream: str) -> None:
        self._upstream = upstream
        self._subscription = subscription
        self._downstream = downstream
        self._stream = stream
        self.bytes = 0
        """How many came over, those that were left out included."""

    def run(self, told: Callable[[int], object] = lambda size: None) -> int:
        """Carry all; how many records were added. `told` is called with the bytes of each piece."""
        known = {one["name"]: one["records"] for one in self._downstream.sources()}
        given: int = self._downstream.publish(self._stream, self._pieces(known.get(self._stream, 0), told))["records"]
        return given

    def _pieces(self, known: int, told: Callable[[int], object]) -> Iterator[bytes]:
        splitter = RecordSplitter()
        begun = False
        for _, piece in self._upstream.results(self._subscription):
            data = piece.encode("utf-8")
            self.bytes += len(data)
            told(len(data))
            records, fault = splitter.feed(data)
            if fault is not None:
                raise fault
            fresh, known = records[known:], max(0, known - len(records))
            if fresh and not begun:
                begun = True
                yield splitter.opening
            if fresh:
                yield b"".join(fresh)
