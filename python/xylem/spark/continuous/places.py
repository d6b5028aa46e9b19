"""The inputs and outputs of a continuous query, as named on a command line.

    dir:incoming          documents that appear in a directory, one after another
    file:feed.xml         one document that grows
    tcp://host:port       one endless document from a socket, or messages (?frames=lines)
    -                     the same from standard input
    kafka://host:port/topic?startingOffsets=latest       messages, read by Spark's own connector

    dir:out, file:out.xml, console, kafka://host:port/topic
"""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from enum import StrEnum
from urllib.parse import parse_qsl, urlsplit

from xylem.source.document_stream_in_python import MARK


class InputKind(StrEnum):
    """The kind of log of the input."""

    DIRECTORY = "dir"
    FILE = "file"
    TCP = "tcp"
    STDIN = "stdin"
    KAFKA = "kafka"


class Frames(StrEnum):
    """The content of the bytes of a socket or pipe."""

    DOCUMENT = "document"
    """One document, which may never end."""
    LINES = "lines"
    """A document in each line."""
    NETCONF = "netconf"
    """Documents that each end with ]]>]]> (RFC 6242, end-of-message framing)."""

    @property
    def delimiter(self) -> bytes | None:
        """The delimiter after each message; None for a document, which ends with its root element."""
        return {Frames.LINES: b"\n", Frames.NETCONF: MARK}.get(self)


class OutputKind(StrEnum):
    """Where the answer goes."""

    DIRECTORY = "dir"
    FILE = "file"
    CONSOLE = "console"
    KAFKA = "kafka"


class WrongPlace(ValueError):
    """The text names no valid place."""


@dataclass(frozen=True)
class InputPlace:
    """An input: `path` of a directory or file, `host`:`port` of a socket, `servers` and `topic` of Kafka."""

    kind: InputKind
    text: str
    """As written; a checkpoint records it."""
    path: str = ""
    host: str = ""
    port: int = 0
    servers: str = ""
    topic: str = ""
    frames: Frames = Frames.DOCUMENT
    options: tuple[tuple[str, str], ...] = ()

    @property
    def is_one_document(self) -> bool:
        """Whether a path from the root is evaluated over one growing document, and not over each message."""
        return self.kind not in (InputKind.DIRECTORY, InputKind.KAFKA) and self.frames is Frames.DOCUMENT


@dataclass(frozen=True)
class OutputPlace:
    """An output: `path` of a directory or file, `servers` and `topic` of Kafka."""

    kind: OutputKind
    text: str
    path: str = ""
    servers: str = ""
    topic: str = ""
    options: tuple[tuple[str, str], ...] = field(default=())


def input_place(text: str) -> InputPlace:
    """The input that a text names."""
    if text == "-":
        return InputPlace(InputKind.STDIN, text)
    head, colon, rest = text.partition(":")
    if not colon:
        raise WrongPlace(f"{text!r} is neither dir:PATH, file:PATH, tcp://HOST:PORT, kafka://HOST:PORT/TOPIC nor -")
    if head in ("dir", "file"):
        return InputPlace(InputKind(head), text, path=_path(rest, text))
    if head == "stdin":
        return InputPlace(InputKind.STDIN, text, frames=_frames(dict(parse_qsl(rest.lstrip("?"))), text))
    if head == "tcp":
        host, port, options = _address(text)
        if not port:
            raise WrongPlace(f"{text!r} names no port")
        return InputPlace(InputKind.TCP, text, host=host, port=port, frames=_frames(options, text))
    if head == "kafka":
        servers, topic, settings = _kafka(text)
        return InputPlace(InputKind.KAFKA, text, servers=servers, topic=topic, options=settings)
    raise WrongPlace(f"{text!r}: {head!r} is not a kind of input; there are dir, file, tcp, kafka and -")


def output_place(text: str) -> OutputPlace:
    """The output that a text names."""
    if text in ("console", "-"):
        return OutputPlace(OutputKind.CONSOLE, text)
    head, _, rest = text.partition(":")
    if head in ("dir", "file"):
        return OutputPlace(OutputKind(head), text, path=_path(rest, text))
    if head == "kafka":
        servers, topic, options = _kafka(text)
        return OutputPlace(OutputKind.KAFKA, text, servers=servers, topic=topic, options=options)
    raise WrongPlace(f"{text!r} is neither dir:PATH, file:PATH, console nor kafka://HOST:PORT/TOPIC")


def _path(rest: str, text: str) -> str:
    if not rest:
        raise WrongPlace(f"{text!r} names no path")
    return os.path.abspath(rest)


def _address(text: str) -> tuple[str, int, dict[str, str]]:
    try:
        parts = urlsplit(text)
        host, port = parts.hostname or "", parts.port or 0
    except ValueError as reason:
        raise WrongPlace(f"{text!r}: {reason}") from reason
    if not host:
        raise WrongPlace(f"{text!r} names no host")
    return host, port, dict(parse_qsl(parts.query))


def _kafka(text: str) -> tuple[str, str, tuple[tuple[str, str], ...]]:
    """Brokers (separated by commas), topic, and options for Kafka."""
    parts = urlsplit(text)
    topic = parts.path.strip("/")
    if not parts.netloc or not topic:
        raise WrongPlace(f"{text!r} names no brokers or no topic: kafka://HOST:PORT/TOPIC")
    return parts.netloc, topic, tuple(sorted(parse_qsl(parts.query)))


def _frames(options: dict[str, str], text: str) -> Frames:
    name = options.pop("frames", Frames.DOCUMENT.value)
    if options:
        raise WrongPlace(f"{text!r}: there is no option {next(iter(options))!r}; there is frames")
    try:
        return Frames(name)
    except ValueError:
        raise WrongPlace(f"{text!r}: frames is document, lines or netconf") from None
