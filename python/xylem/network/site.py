"""A site: streams, their logs, subscriptions and answers, in one directory and one process.

    site/catalogue.db      which streams and subscriptions there are, and were
    site/streams/NAME/     the log of a stream
    site/answers/          the answers, as far as they have come

Whoever publishes adds to a log, whoever subscribes adds to the catalogue, and one thread lets the answers follow. A
subscriber reads its answer at its own pace: nobody waits for it.
"""

from __future__ import annotations

import fcntl
import os
import re
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from weakref import WeakValueDictionary

from xylem.errors import InputError, XylemError
from xylem.run.sealed_file import private_directory, private_file

from .answer_file import AnswerFile, OpenFiles
from .catalogue import Catalogue, State, Subscription
from .member import SubscribedQueries, SubscribedQuery
from .record_splitter import RecordSplitter
from .site_limits import SiteLimits
from .stream_site import StreamSite

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}")
NOW, EARLIEST = "now", "earliest"


class Site:
    """One site. Threads may publish, subscribe and read at once."""

    def __init__(
        self, directory: Path, clock: Callable[[], float] = time.time, limits: SiteLimits | None = None
    ) -> None:
        self.directory = directory
        self.limits = limits or SiteLimits()
        self._clock = clock
        private_directory(directory)
        self._lock_file = private_file(directory / "lock", os.O_RDWR)
        try:
            fcntl.flock(self._lock_file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            os.close(self._lock_file)
            raise InputError("XYRT0054", f"{directory} is in use by another process") from None
        self.catalogue = Catalogue(directory / "catalogue.db")
        private_directory(directory / "streams")
        private_directory(directory / "answers")
        self._answers: dict[str, AnswerFile] = {}
        self._open_files = OpenFiles()
        self._queries: WeakValueDictionary[str, SubscribedQuery] = WeakValueDictionary()
        """Those that are in use, by their text."""
        self._compiled = SubscribedQueries()
        self.streams = {name: self._stream(name) for name in self.catalogue.sources}
        self._lock = threading.RLock()
        self._work = threading.Condition(self._lock)
        self._thread: threading.Thread | None = None
        self._is_closing = False
        self._broken: BaseException | None = None
        for subscription in list(self.catalogue.subscriptions.values()):
            if subscription.is_live:
                self.streams[subscription.source].add(subscription, self._query(subscription.query, subscription.name))

    def _stream(self, name: str) -> StreamSite:
        return StreamSite(name, self.directory / "streams" / name, self.catalogue, self._answer, self.limits)

    def _answer(self, name: str) -> AnswerFile:
        found = self._answers.get(name)
        if found is None:
            found = self._answers[name] = AnswerFile(self.directory / "answers" / name, self._open_files)
        return found

    def _query(self, text: str, name: str) -> SubscribedQuery:
        """A query is compiled once, however many subscribe it."""
        found = self._queries.get(text)
        if found is None:
            found = self._queries[text] = self._compiled.compiled(text, name)
        return found

    # --- streams

    def publication(self, name: str) -> Publication:
        """Bytes of a document to be added to a stream; the stream is made if need be."""
        checked_name(name)
        with self._lock:
            if name not in self.streams:
                self.catalogue.add_source(name)
                self.streams[name] = self._stream(name)
            return Publication(self, self.streams[name])

    def _added(self, stream: StreamSite, opening: bytes, records: list[bytes]) -> int:
        with self._work:
            stream.log.begin(opening)
            position = stream.log.append(records)
            self._work.notify_all()
            return position

    def sources(self) -> list[dict[str, Any]]:
        with self._lock:
            return [
                {
                    "name": name,
                    "records": stream.log.end,
                    "bytes": stream.log.bytes,
                    "evaluated": stream.position,
                    "subscriptions": sum(
                        one.is_live and one.source == name for one in self.catalogue.subscriptions.values()
                    ),
                }
                for name, stream in sorted(self.streams.items())
            ]

    # --- subscriptions

    def subscribe(self, name: str, query: str, source: str | None = None, start: str | int = NOW) -> Subscription:
        """Subscribe a query. The same subscription again is the one there is."""
        checked_name(name)
        if self.fault:
            raise InputError("XYRT0053", f"the site answers no more: {self.fault}")
        compiled = self._query(query, name)
        source = source or compiled.source
        if source is None:
            raise InputError("XYRT0053", "the query reads the context item: say which stream that is")
        with self._work:
            known = self.catalogue.subscriptions.get(name)
            if known is not None and known.is_live and (known.query, known.source) == (query, source):
                return known
            stream = self.streams.get(source)
            if stream is None:
                others = f"; there are {', '.join(sorted(self.streams))}" if self.streams else ""
                raise InputError("XYRT0053", f"there is no stream '{source}'{others}")
            if self.catalogue.live >= self.limits.subscriptions:
                raise InputError("XYRT0053", f"{self.limits.subscriptions:,} subscriptions are answered already")
            if known is not None and known.state is State.SUSPENDED and (known.query, known.source) == (query, source):
                resumed = self.catalogue.resume(name)
                stream.add(resumed, compiled)
                self._work.notify_all()
                return resumed
            position = {NOW: stream.log.end, EARLIEST: 0}.get(str(start))
            if position is None:
                position = int(start)
                if not 0 <= position <= stream.log.end:
                    raise InputError("XYRT0053", f"the stream has positions from 0 to {stream.log.end}, not {position}")
            made = self.catalogue.subscribe(name, query, source, position, int(self._clock() * 1000))
            stream.add(made, compiled)
            self._work.notify_all()
            return made

    def unsubscribe(self, name: str) -> Subscription:
        """Give a subscription up: what has come before is answered, and then the answer ends."""
        with self._work:
            known = self.catalogue.subscriptions.get(name)
            end = self.streams[known.source].log.end if known is not None else 0
            found = self.catalogue.unsubscribe(name, end)
            self.streams[found.source].end(name)
            self._work.notify_all()
            return found

    def subscriptions(self) -> list[dict[str, Any]]:
        with self._lock:
            found = []
            for one in self.catalogue.subscriptions.values():
                found.append({**one.to_dict(), "answer_bytes": self._answer(one.answer_name).size})
            return found

    def subscription(self, name: str) -> Subscription:
        found = self.catalogue.subscriptions.get(name)
        if found is None:
            raise InputError("XYRT0053", f"there is no subscription '{name}'")
        return found

    def answer(self, subscription: Subscription, start: int) -> tuple[bytes, bool]:
        """The answer from a byte on, as far as it has come; and whether that is all there will be."""
        # Asked first: what comes between the two questions is not missed.
        is_over = not self.catalogue.subscriptions[subscription.name].is_live or (
            self.catalogue.subscriptions[subscription.name].version != subscription.version
        )
        with self._lock:
            answer = self._answer(subscription.answer_name)
            # Whoever asks for what follows has all before it.
            answer.read_to = max(answer.read_to, min(start, answer.size))
            data = answer.read(start)
        return data, is_over and not data

    # --- work

    def start(self) -> None:
        """Let answers follow the streams, in a thread of their own."""
        self._thread = threading.Thread(target=self._run, name="xylem-site", daemon=True)
        self._thread.start()

    def work_all(self) -> None:
        """Answer everything that has come; for callers that have no thread for it."""
        while self._piece():
            pass

    def _piece(self) -> bool:
        with self._lock:
            streams = list(self.streams.values())
        done = False
        for stream in streams:
            done |= stream.work()
        if not done:
            for stream in streams:
                stream.sync()
        return done

    def _run(self) -> None:
        try:
            while not self._is_closing:
                if not self._piece():
                    with self._work:
                        if not self._is_closing and not self._has_work():
                            self._work.wait(1.0)
        except BaseException as error:
            self._broken = error
            if not isinstance(error, XylemError):
                raise

    def _has_work(self) -> bool:
        return any(stream.position < stream.log.end for stream in self.streams.values())

    @property
    def fault(self) -> str:
        """What ended the work of the site; empty while it goes on."""
        return "" if self._broken is None else str(self._broken)

    def close(self) -> None:
        with self._work:
            self._is_closing = True
            self._work.notify_all()
        if self._thread is not None:
            self._thread.join()
        for stream in self.streams.values():
            stream.sync()
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
        """Add what is whole of some more bytes; the position behind it. An error comes after the records before it."""
        records, fault = self._splitter.feed(data)
        position = self._stream.log.end
        if records:
            position = self._site._added(self._stream, self._splitter.opening, records)
            self.records += len(records)
        if fault is not None:
            raise fault
        return position

    def feed_all(self, chunks: Iterator[bytes]) -> int:
        position = self._stream.log.end
        for chunk in chunks:
            position = self.feed(chunk)
        return position


def checked_name(name: str) -> str:
    """XYRT0053 for a name that could not stand in a path."""
    if _NAME.fullmatch(name) is None:
        raise InputError("XYRT0053", f"'{name}' is no name: letters, digits, '.', '_' and '-', a letter or digit first")
    return name
