"""The place and format of update streams: they determine the operations."""

from __future__ import annotations

import socket
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field
from typing import Literal

from xylem.errors import InputError

from ..byte_source import STDIN, ByteSource
from ..document_stream import split_documents
from ..input_files import named_files
from ..kernel import is_kernel_built
from ..limits import DEFAULT_LIMITS, Limits
from .keyed import KeyedFeed
from .operations import Operation
from .records import path_of
from .simple_run import SimpleRun

Format = Literal["native", "tokens", "keyed", "osmchange", "snapshot", "patch", "debezium"]
FORMATS: tuple[Format, ...] = ("native", "tokens", "keyed", "osmchange", "snapshot", "patch", "debezium")
IN_MESSAGES: tuple[Format, ...] = ("native", "keyed", "osmchange", "snapshot", "patch")
"""The formats whose messages are documents, and whose adapters can continue from a saved state."""
TCP = "tcp://"


@dataclass(frozen=True)
class UpdateFormat:
    """The format of a stream, and for feeds of records the paths to keys, times and deletions."""

    name: Format = "native"
    record: str | None = None
    key: str | None = None
    time: str | None = None
    version: str | None = None
    delete: str | None = None
    commits_items: bool = False
    warn: Callable[[str], object] = field(default=lambda text: None)

    def feed(self) -> KeyedFeed | None:
        """The adapter that turns records into updates; None for streams of updates."""
        made = _feeds().get(self.name)
        if made is None:
            return None
        feed = made(warn=self.warn)
        feed.record = path_of(self.record) if self.record else feed.record
        feed.key = path_of(self.key) if self.key else feed.key
        feed.time = path_of(self.time) if self.time else feed.time
        feed.version = path_of(self.version) if self.version else feed.version
        feed.delete = path_of(self.delete) if self.delete else None
        return feed


def _feeds() -> dict[str, type[KeyedFeed]]:
    from .debezium import DebeziumFeed
    from .osmchange import OsmFeed
    from .patches import PatchFeed
    from .snapshots import SnapshotFeed

    return {
        "keyed": KeyedFeed,
        "osmchange": OsmFeed,
        "snapshot": SnapshotFeed,
        "patch": PatchFeed,
        "debezium": DebeziumFeed,
    }


def operations_of(place: str, how: UpdateFormat, limits: Limits = DEFAULT_LIMITS) -> Iterator[Operation]:
    """The operations of a file, of the files of a directory by name, of standard input (`-`) or of `tcp://HOST:PORT`."""
    feed = how.feed()
    for opened in _sources(place, limits):
        with opened as source:
            try:
                yield from _read(source, how, feed, limits)
            except InputError as error:
                raise error.located(source.name or place) from error.__cause__


def message_run(how: UpdateFormat, limits: Limits) -> SimpleRun | None:
    """A reader for messages that are simple updates; None for feeds."""
    return SimpleRun("", {}, None, limits) if how.name == "native" and is_kernel_built() else None


def message_operations(
    message: bytes,
    how: UpdateFormat,
    feed: KeyedFeed | None,
    limits: Limits,
    *,
    is_first: bool,
    simple: SimpleRun | None = None,
    leaves_runs: bool = False,
) -> Iterator[Operation]:
    """The operations of one message, a document, of a stream of messages. `simple` is the result of `message_run`.

    `leaves_runs`: whether runs of simple updates are passed on unparsed.
    """
    if feed is None:
        from .wire import read_wire

        if simple is not None and not is_first:
            found, end = simple.read(message, (0, 1, 1))
            if len(found) == 1 and (end == len(message) or not message[end:].strip(b" \t\r\n")):
                return iter(found)
        return read_wire(
            [message], limits=limits, commits_items=how.commits_items, is_first=is_first, leaves_runs=leaves_runs
        )
    return feed.operations([message], limits)


def _sources(place: str, limits: Limits) -> Iterator[AbstractContextManager[ByteSource]]:
    if place.startswith(TCP):
        yield _connected(place, limits)
        return
    for file in [place] if place == STDIN else named_files([place]):
        yield ByteSource.of(file, limits.decompression_ratio)


@contextmanager
def _connected(place: str, limits: Limits) -> Iterator[ByteSource]:
    host, _, port = place.removeprefix(TCP).rpartition(":")
    try:
        connection = socket.create_connection((host, int(port)))
    except (OSError, ValueError) as error:
        raise InputError("XYIN0002", f"{place}: {error}") from error
    with connection, ByteSource.of(connection, limits.decompression_ratio) as source:
        yield source


def _read(source: ByteSource, how: UpdateFormat, feed: KeyedFeed | None, limits: Limits) -> Iterator[Operation]:
    if how.name == "native":
        from .wire import read_wire

        yield from read_wire(source, limits=limits, commits_items=how.commits_items, leaves_runs=True)
    elif how.name == "tokens":
        from .tokens import read_tokens

        yield from read_tokens(source)
    elif how.name in ("keyed", "debezium"):
        assert feed is not None
        yield from feed.operations(source, limits)
    else:
        assert feed is not None
        # Polled feeds and patches may come one after another.
        for document in split_documents(source, limits=limits):
            feed.origin = document.offset, document.line - 1
            yield from feed.operations([document.data], limits)
