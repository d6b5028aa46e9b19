"""The streams of a site: their logs, and the growth of streams that no user publishes here.

Such a stream copies a neighbour's stream, filters another one of the site, or merges several. The catalogue records its
origin; one thread does the work, a piece at a time.
"""

from __future__ import annotations

import threading
from base64 import b64decode
from collections import deque
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any
from weakref import WeakValueDictionary

from xylem.errors import InputError
from xylem.run.sealed_file import private_directory

from .answer_file import AnswerFile, OpenFiles
from .catalogue import Catalogue
from .change_database import ChangeDatabase, catalogue_place
from .change_store import ChangeFile, ChangeStore
from .filter_stage import FilterStage
from .log_topic import LogTopics
from .member import SubscribedQueries, SubscribedQuery
from .network_state import Feed, KeptStream
from .operator_stream import OperatorStream
from .record_log import Records
from .site_limits import SiteLimits
from .site_names import checked_name
from .stored_documents import Documents
from .stream_operator import StreamOperator, started
from .stream_site import StreamSite
from .stream_sites import lists_of
from .virtual_stream import VirtualStream


def _changes(directory: Path, url: str) -> ChangeStore:
    """The store of the site's catalogue."""
    place = catalogue_place(directory, url, directory.resolve().name)
    return ChangeFile(directory / "catalogue.db") if place is None else ChangeDatabase(*place)


class SiteStreams:
    """The streams of one site."""

    def __init__(self, directory: Path, limits: SiteLimits) -> None:
        self.directory = directory
        self.limits = limits
        self.catalogue = Catalogue(_changes(directory, limits.catalogue))
        self._topics = LogTopics.of(directory, limits.brokers)
        private_directory(directory / "streams")
        private_directory(directory / "answers")
        self._answers: dict[str, AnswerFile] = {}
        self._open_files = OpenFiles()
        self._queries: WeakValueDictionary[str, SubscribedQuery] = WeakValueDictionary()
        """Queries in use, by text."""
        self.documents = Documents(directory / "documents")
        self._compiled = SubscribedQueries(self.documents)
        self.streams = {name: self._stream(name) for name in self.catalogue.sources}
        for kept in self.catalogue.network.streams.values():
            self.streams[kept.name] = self._kept_stream(kept)
        self._stages: dict[str, FilterStage] = {}
        """Filters over streams of this site, by the stream that they read."""
        self._virtual: dict[str, VirtualStream | OperatorStream] = {}
        self._fed: dict[str, tuple[Feed, int | None]] = {}
        """Filtered streams, with the active filter."""
        self._actions: deque[Callable[[], None]] = deque()
        """Actions for the working thread between two pieces."""
        self._lock = threading.RLock()
        self._work = threading.Condition(self._lock)

    @property
    def changed(self) -> threading.Condition:
        """Notified of every addition."""
        return self._work

    def _stream(self, name: str) -> StreamSite:
        directory = self.directory / "streams" / name
        return self._made(name, directory, 0)

    def _kept_stream(self, kept: KeptStream) -> StreamSite:
        # A name may be reused when the stream that had it is gone.
        directory = self.directory / "streams" / f"{kept.name}~{kept.version}"
        return self._made(kept.name, directory, kept.base)

    def _made(self, name: str, directory: Path, base: int) -> StreamSite:
        known = self.catalogue, self._answer, self.limits
        return StreamSite(name, directory, *known, base, self._query, self._topics)

    def _answer(self, name: str) -> AnswerFile:
        found = self._answers.get(name)
        if found is None:
            found = self._answers[name] = AnswerFile(self.directory / "answers" / name, self._open_files)
        return found

    def _query(self, text: str, name: str) -> SubscribedQuery:
        """A query, compiled once however many subscribe it."""
        found = self._queries.get(text)
        if found is None:
            found = self._queries[text] = self._compiled.compiled(text, name)
        return found

    def _origin(self, name: str) -> str:
        network = self.catalogue.network
        if name in network.virtual:
            how = "made by an operator" if name in network.operators else "put together"
            return f"{how} from {', '.join(network.virtual[name])}"
        kept = network.streams.get(name)
        return "published here" if kept is None else kept.origin(self.streams[name].log.end)

    @property
    def _faults(self) -> dict[str, str]:
        found = {name: fault for stage in self._stages.values() for name, fault in stage.faults.items()}
        return found | {name: "; ".join(one.faults.values()) for name, one in self._virtual.items() if one.faults}

    def add_part(self, name: str, part: str) -> None:
        """Make a stream of this site a part of a virtual stream, which is created if necessary."""
        checked_name(name)
        with self._work:
            network = self.catalogue.network
            if name not in network.virtual and name in self.streams:
                raise InputError("XYRT0053", f"there is a stream '{name}' already that is not put together from others")
            if name in network.operators:
                raise InputError("XYRT0053", f"'{name}' is made by an operator")
            if part in network.virtual:
                raise InputError("XYRT0053", f"'{part}' is put together from others itself")
            if name not in self.streams:
                self.catalogue.add_source(name)
                self.streams[name] = self._stream(name)
            if part not in network.virtual.get(name, ()) or part in network.ended_parts.get(name, ()):
                self.catalogue.add("virtual", name, {"part": part})
            self._work.notify_all()

    def end_part(self, name: str, part: str, to: int) -> None:
        """Let a virtual stream take the records of a part up to a position, and no more."""
        with self._work:
            network = self.catalogue.network
            if part not in network.virtual.get(name, ()) or name in network.operators:
                raise InputError("XYRT0053", f"'{part}' is no part of a virtual stream '{name}' here")
            if part not in network.ended_parts.get(name, ()):
                self.catalogue.add("part ends", name, {"part": part, "to": to, "sites": lists_of(network, part)})

    def _end_of_part(self, name: str, part: str) -> int | None:
        ended = self.catalogue.network.ended_parts.get(name, {}).get(part)
        return None if ended is None else int(ended["to"])

    def taken_parts(self) -> list[tuple[str, str]]:
        """The virtual streams here with parts that have ended, of which they have all records that they can take."""
        ended = [(name, part) for name, parts in self.catalogue.network.ended_parts.items() for part in parts]
        failed = {(name, part) for name, made in self._virtual.items() for part in made.faults}
        return [one for one in ended if one in failed or not self._has_more(*one)]

    def _has_more(self, name: str, part: str) -> bool:
        """Whether a virtual stream still waits for records of a part."""
        end = self._end_of_part(name, part)
        return end is None or self.streams[name].log.parts.get(part, 0) < end

    def add_operator(self, name: str, source: str, start: int, told: Mapping[str, Any]) -> None:
        """Let an operator make a stream from another one, from a position on; XYST0040 or XYRT0064 for bad code."""
        checked_name(name)
        body = {
            "source": source, "from": start, "language": str(told["language"]), "code": str(told["code"]),
            "signature": str(told.get("signature", "")),
        }  # fmt: skip
        # Tried first: an operator that cannot start is refused, and not recorded.
        self._operator(body)().close()
        with self._work:
            known = self.catalogue.network.operators.get(name)
            if known is not None and {**known, "from": start} == body:
                return
            if name in self.streams:
                raise InputError("XYRT0053", f"there is a stream '{name}' already")
            self.catalogue.add_source(name)
            self.streams[name] = self._stream(name)
            self.catalogue.add("operator", name, body)
            self._work.notify_all()

    def _operator(self, told: Mapping[str, Any]) -> Callable[[], StreamOperator]:
        made = {**told, "code": b64decode(told["code"]), "signature": b64decode(told["signature"])}
        return lambda: started(made, self.directory)

    def _made_stream(self, name: str) -> VirtualStream | OperatorStream:
        told = self.catalogue.network.operators.get(name)
        log = self.streams[name].log
        if told is not None:
            return OperatorStream(log, told["from"], self._operator(told))
        return VirtualStream(log, lambda part: self._end_of_part(name, part))

    def _put_together(self) -> bool:
        """Let virtual streams follow their parts."""
        done = False
        for name, parts in list(self.catalogue.network.virtual.items()):
            made = self._virtual.get(name)
            if made is None:
                made = self._virtual[name] = self._made_stream(name)
            with self._lock:
                done |= made.work({part: self.streams[part].log for part in parts if part in self.streams})
        return done

    def keep(
        self, name: str, base: int, feed: Feed, plan: dict[str, Any], sites: list[list[str]] | None = None
    ) -> None:
        """Keep a log of a stream that comes from a neighbour, or that is filtered out of another stream."""
        with self._work:
            if name in self.catalogue.sources:
                raise InputError("XYRT0053", f"there is a stream '{name}' already, which is published here")
            body = {"base": base, "feed": feed.to_dict(), "plan": plan, "sites": sites or []}
            self.catalogue.add("stream", name, body)
            self.streams[name] = self._kept_stream(self.catalogue.network.streams[name])
            self._work.notify_all()

    def drop(self, name: str, traffic: dict[str, int]) -> None:
        """Remove a stream without readers."""
        with self._work:
            stream = self.streams.pop(name)
            self.catalogue.add("drop", name, {"traffic": traffic})

            def forget() -> None:
                for stage in self._stages.values():
                    stage.remove(name)
                self._fed.pop(name, None)
                stream.close()
                stream.destroy()

            self._actions.append(forget)
            self._work.notify_all()

    def switch(self, name: str, feed: Feed, at: int = 0, plan: dict[str, Any] | None = None) -> None:
        """Switch the origin of a stream, from a position on, or from its end if that is later."""

        def change() -> None:
            with self._work:
                stream = self.streams.get(name)
                if stream is not None and self.catalogue.network.streams[name].feeds[-1][1] != feed:
                    body = {"at": max(at, stream.log.end), "feed": feed.to_dict(), "plan": plan or {}}
                    self.catalogue.add("feed", name, body)
                    self._work.notify_all()

        # Between two pieces no filter is about to write.
        self._actions.append(change)
        with self._work:
            self._work.notify_all()

    def take(self, name: str, peer: str, start: int, opening: bytes, found: Records) -> None:
        """Store records of a stream from a position on, which a neighbour has sent."""
        with self._work:
            stream = self.streams.get(name)
            if stream is None:
                return
            log = stream.log
            feed, until = self.catalogue.network.streams[name].feed_at(log.end)
            if feed.peer != peer or log.end != start:
                # It was requested before something changed.
                return
            if opening:
                log.begin(opening)
            end = found.end if until is None else min(found.end, until)
            kept = [(at, record) for at, record in found.each() if at < end]
            log.append_at([record for _, record in kept], [at for at, _ in kept], end)
            self._work.notify_all()

    def _attach(self) -> None:
        """Give each filtered stream the filter whose turn it is."""
        with self._lock:
            kept = list(self.catalogue.network.streams.values())
        for one in kept:
            stream = self.streams.get(one.name)
            turn = one.feed_at(stream.log.end) if stream is not None else None
            if stream is None or turn is None or self._fed.get(one.name) == turn:
                continue
            feed, until = turn
            reads = None if feed.peer else self.streams.get(feed.stream)
            if reads is None and not feed.peer:
                continue
            for each in self._stages.values():
                each.remove(one.name)
            self._fed[one.name] = turn
            if reads is None:
                continue
            stage = self._stages.get(feed.stream)
            if stage is None or stage.log is not reads.log:
                stage = self._stages[feed.stream] = FilterStage(reads.log, self._query)
            stage.add(one.name, stream.log, feed, until)

    def _read_to(self, stream: StreamSite) -> int:
        """How far derived streams of this site have read it."""
        read = [stage.position for stage in self._stages.values() if stage.log is stream.log]
        for name, parts in self.catalogue.network.virtual.items():
            if stream.name in parts and name in self.streams and self._has_more(name, stream.name):
                read.append(self.streams[name].log.parts.get(stream.name, 0))
        return min(read, default=stream.log.end)

    def _has_work(self) -> bool:
        stages = any(stage.has_work for stage in self._stages.values())
        virtual = any(
            self.streams[name].log.parts.get(part, 0) < self.streams[part].log.end and self._has_more(name, part)
            for name, parts in self.catalogue.network.virtual.items()
            for part in parts
            if part in self.streams and name in self._virtual and part not in self._virtual[name].faults
        )
        behind = any(one.position < one.log.end for one in self.streams.values())
        return bool(self._actions) or stages or virtual or behind
