"""A site: streams, their logs, subscriptions and answers, in one directory and one process.

    site/catalogue.db      all streams and subscriptions, past ones too
    site/streams/NAME/     the log of a stream
    site/answers/          the answers so far
    site/states/             the states of running answers
    site/documents/        documents that queries may read, if any

Publishers append to logs, subscribers to the catalogue, and one thread brings the answers up to date. A subscriber
reads its answer at its own pace, and nothing waits for it.
"""

from __future__ import annotations

import fcntl
import os
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from xylem.errors import InputError, XylemError
from xylem.run.sealed_file import private_directory, private_file

from .catalogue import State, Subscription
from .record_splitter import RecordSplitter
from .site_limits import SiteLimits
from .site_names import EARLIEST, NOW, checked_name
from .site_streams import SiteStreams
from .stream_site import StreamSite

_USUAL_SECONDS = 60.0
"""The assumed duration of a sample that nobody saw arrive; bursts are spread over this time."""


class Site(SiteStreams):
    """One site. Thread-safe."""

    def __init__(
        self, directory: Path, clock: Callable[[], float] = time.time, limits: SiteLimits | None = None
    ) -> None:
        self._clock = clock
        private_directory(directory)
        self._lock_file = private_file(directory / "lock", os.O_RDWR)
        try:
            fcntl.flock(self._lock_file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            os.close(self._lock_file)
            raise InputError("XYRT0054", f"{directory} is in use by another process") from None
        try:
            super().__init__(directory, limits or SiteLimits())
        except XylemError:
            os.close(self._lock_file)
            raise
        self._thread: threading.Thread | None = None
        self._is_closing = False
        self._broken: BaseException | None = None
        self.cpu_seconds = 0.0
        """CPU time of the answering thread."""
        for subscription in list(self.catalogue.subscriptions.values()):
            if subscription.is_live and not subscription.via:
                self.streams[subscription.source].add(subscription, self._query(subscription.query, subscription.name))

    # --- streams

    def publication(self, name: str) -> Publication:
        """A publication, which adds bytes of a document to a stream; creates the stream if necessary."""
        checked_name(name)
        with self._lock:
            if name in self.catalogue.network.streams:
                raise InputError("XYRT0053", f"the stream '{name}' comes from another: it is not published here")
            if name in self.catalogue.network.virtual:
                raise InputError("XYRT0053", f"the stream '{name}' is put together from others: publish one of these")
            if name not in self.streams:
                self.catalogue.add_source(name)
                self.streams[name] = self._stream(name)
            return Publication(self, self.streams[name])

    def _added(self, stream: StreamSite, opening: bytes, records: list[bytes]) -> int:
        with self._work:
            stream.log.begin(opening)
            if not stream.arrivals:
                stream.arrivals.append((time.monotonic(), stream.log.bytes))
            position = stream.log.append(records)
            stream.arrivals.append((time.monotonic(), stream.log.bytes))
            self._work.notify_all()
            return position

    def sample(self, name: str, most_bytes: int) -> tuple[bytes, float]:
        """A document of the last records of a stream, and the time in which this much arrives."""
        with self._lock:
            log, arrivals = self.streams[name].log, self.streams[name].arrivals
            if not log.count:
                return b"", _USUAL_SECONDS
            size = max(1, log.bytes // log.count)
            data, _ = log.read(max(log.base, log.end - most_bytes // size), log.end, most_bytes)
            seconds = _USUAL_SECONDS
            if arrivals:
                # A burst is processed in time: it overloads nothing.
                since, before = arrivals[0]
                rate = max(1.0, (arrivals[-1][1] - before) / max(_USUAL_SECONDS, time.monotonic() - since))
                seconds = len(data) / rate
            return log.opening + data + log.closing, seconds

    def sources(self) -> list[dict[str, Any]]:
        with self._lock:
            return [
                {
                    "name": name,
                    "records": stream.log.count,
                    "bytes": stream.log.bytes,
                    "position": stream.log.end,
                    "evaluated": stream.position,
                    "subscriptions": sum(
                        one.is_live and one.source == name for one in self.catalogue.subscriptions.values()
                    ),
                    "origin": self._origin(name),
                    **({"error": self._faults[name]} if name in self._faults else {}),
                }
                for name, stream in sorted(self.streams.items())
            ]

    # --- subscriptions

    def subscribe(
        self, name: str, query: str, source: str | None = None, start: str | int = NOW, *, is_planned: bool = False
    ) -> Subscription:
        """Subscribe a query. Repeating the same subscription changes nothing.

        As part of a plan, the records from its first position on may still be on their way.
        """
        checked_name(name)
        if self.fault:
            raise InputError("XYRT0053", f"the site has stopped answering: {self.fault}")
        compiled = self._query(query, name)
        source = source or compiled.source
        if source is None:
            raise InputError("XYRT0053", "the query reads the context item; name its stream with --source")
        with self._work:
            known = self.catalogue.subscriptions.get(name)
            if known is not None and known.is_live and (known.query, known.source) == (query, source):
                return known
            stream = self.streams.get(source)
            if stream is None:
                others = f"; there are {', '.join(sorted(self.streams))}" if self.streams else ""
                raise InputError("XYRT0053", f"there is no stream '{source}'{others}")
            if self.catalogue.live >= self.limits.subscriptions:
                raise InputError(
                    "XYRT0053", f"{self.limits.subscriptions:,} subscriptions exist already, which is the limit"
                )
            is_suspended = known is not None and known.state is State.SUSPENDED and known.start >= stream.log.base
            if known is not None and is_suspended and (known.query, known.source) == (query, source):
                resumed = self.catalogue.resume(name)
                stream.add(resumed, compiled)
                self._work.notify_all()
                return resumed
            position = self._position(stream, start) if not is_planned else int(start)
            made = self.catalogue.subscribe(name, query, source, position, int(self._clock() * 1000))
            stream.add(made, compiled)
            self._work.notify_all()
            return made

    @staticmethod
    def _position(stream: StreamSite, start: str | int) -> int:
        log = stream.log
        position = {NOW: log.end, EARLIEST: log.base}.get(str(start))
        if position is None:
            position = int(start)
            if not log.base <= position <= log.end:
                raise InputError("XYRT0053", f"the stream has positions from {log.base} to {log.end}, not {position}")
        return position

    def receive(self, name: str, query: str, source: str, start: int, via: str) -> Subscription:
        """Receive the answer of a subscription that is computed elsewhere, sent by a neighbour."""
        checked_name(name)
        with self._work:
            known = self.catalogue.subscriptions.get(name)
            if known is not None and known.is_live and (known.query, known.source, known.via) == (query, source, via):
                return known
            made = self.catalogue.subscribe(name, query, source, start, int(self._clock() * 1000), via)
            self._work.notify_all()
            return made

    def take_answer(
        self, name: str, peer: str, start: int, data: bytes, state: str, end: int | None, error: str
    ) -> None:
        """Store bytes of an answer from a neighbour, with its state if they are the last."""
        with self._work:
            subscription = self.catalogue.subscriptions[name]
            answer = self._answer(subscription.answer_name)
            if subscription.via != peer or not subscription.is_live or answer.size != start:
                # It was requested before something changed.
                return
            answer.append(data)
            if state == State.FAILED:
                answer.sync()
                self.catalogue.fail(name, end or 0, error)
            elif state == State.COMPLETE:
                answer.sync()
                self.catalogue.complete(name, end or 0)

    def unsubscribe(self, name: str, end: int | None = None) -> Subscription:
        """End a subscription: its answer covers the records that have arrived.

        `end` is its last position, if that is not the end of the stream.
        """
        with self._work:
            known = self.catalogue.subscriptions.get(name)
            stream = None if known is None else self.streams.get(known.source)
            if end is None:
                end = 0 if stream is None else stream.log.end
            found = self.catalogue.unsubscribe(name, end)
            if stream is not None and not found.via:
                stream.end(name)
            self._work.notify_all()
            return found

    def subscriptions(self) -> list[dict[str, Any]]:
        with self._lock:
            found = []
            for one in self.catalogue.subscriptions.values():
                told = {**one.to_dict(), "answer_bytes": self._answer(one.answer_name).size}
                if one.is_live and not one.via and (windows := self.streams[one.source].windows_of(one)):
                    told["windows"] = windows
                found.append(told)
            return found

    def subscription(self, name: str) -> Subscription:
        found = self.catalogue.subscriptions.get(name)
        if found is None:
            raise InputError("XYRT0053", f"there is no subscription '{name}'")
        return found

    def answer_size(self, subscription: Subscription) -> int:
        """The size of an answer in bytes."""
        with self._lock:
            return self._answer(subscription.answer_name).size

    def answer(self, subscription: Subscription, start: int) -> tuple[bytes, bool]:
        """The available answer from a byte on, and whether it is complete."""
        # Read first: bytes that arrive between the two reads are not missed.
        is_over = not self.catalogue.subscriptions[subscription.name].is_live or (
            self.catalogue.subscriptions[subscription.name].version != subscription.version
        )
        with self._lock:
            answer = self._answer(subscription.answer_name)
            # A request for later bytes means that the earlier ones have arrived.
            answer.read_to = max(answer.read_to, min(start, answer.size))
            data = answer.read(start)
        return data, is_over and not data

    # --- work

    def start(self) -> None:
        """Update the answers in a separate thread."""
        self._thread = threading.Thread(target=self._run, name="xylem-site", daemon=True)
        self._thread.start()

    def work_all(self) -> None:
        """Answer everything that has arrived, for callers without a thread."""
        while self._piece():
            pass

    def _piece(self) -> bool:
        while self._actions:
            self._actions.popleft()()
        self._attach()
        done = self._put_together()
        with self._lock:
            streams = list(self.streams.values())
        for stage in list(self._stages.values()):
            done |= stage.work()
        for stream in streams:
            done |= stream.work()
            stream.save_states()
        if not done:
            for stream in streams:
                stream.sync()
                stream.forget(self._read_to(stream))
        return done

    def _run(self) -> None:
        try:
            while not self._is_closing:
                self.cpu_seconds = time.thread_time()
                if not self._piece():
                    with self._work:
                        if not self._is_closing and not self._has_work():
                            self._work.wait(1.0)
        except BaseException as error:
            self._broken = error
            if not isinstance(error, XylemError):
                raise

    @property
    def fault(self) -> str:
        """The error that stopped the site; empty while it runs."""
        return "" if self._broken is None else str(self._broken)

    def close(self) -> None:
        with self._work:
            self._is_closing = True
            self._work.notify_all()
        if self._thread is not None:
            self._thread.join()
        for made in self._virtual.values():
            made.close()
        for stream in self.streams.values():
            stream.sync()
            if self._broken is None:
                stream.save_states(is_last=True)
            stream.close()
        self._open_files.close()
        self.catalogue.close()
        os.close(self._lock_file)


class Publication:
    """A document that is being added to a stream, piece by piece."""

    def __init__(self, site: Site, stream: StreamSite) -> None:
        self._site = site
        self._stream = stream
        self._splitter = RecordSplitter()
        self.records = 0

    def feed(self, data: bytes) -> int:
        """Add the records that these bytes complete, up to an error; return the position after them."""
        records, fault = self._splitter.feed(data)
        position = self._stream.log.end
        if records:
            position = self._site._added(self._stream, self._splitter.opening, records)
            self.records += len(records)
        if fault is not None:
            raise fault
        return position

    def finish(self) -> None:
        """XYIN0001 for a document that ended within a record: those before it are in the stream."""
        fault = self._splitter.finish()
        if fault is not None:
            raise fault
