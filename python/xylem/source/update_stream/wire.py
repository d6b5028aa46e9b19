"""The wire format: a document with elements of `urn:xylem:update` that update its content.

    <u:stream xmlns:u="urn:xylem:update" t="0">
      <tickers><ticker><quote u:id="i">100</quote></ticker><u:mutable id="m">…</u:mutable></tickers>
      <u:replace of="i" id="i2" t="1"><quote>120</quote></u:replace>
      <u:insert-before of="i"/> <u:insert-after of="i"/> <u:remove of="i"/>
      <u:batch t="4">…</u:batch> <u:commit t="5"/> <u:clock t="6"/> <u:freeze of="i"/>
    </u:stream>

Updates may stand anywhere, in the base or in other updates; their place has no meaning. Without `u:stream`, the
document is the base, and the documents after it are updates: one message, or line, each. Bytes come in any chunks; an
operation goes out as soon as its end tag has arrived.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from decimal import Decimal
from typing import TYPE_CHECKING, NoReturn, TypeVar

from xylem.errors import InputError, InputPlace
from xylem.values.node import COMMENT, PROCESSING_INSTRUCTION
from xylem.values.qname import QName

from ..kernel import is_kernel_built
from ..limits import DEFAULT_LIMITS, Limits
from .operations import (
    UPDATE_NAMESPACE,
    BeginRegion,
    BeginUpdate,
    End,
    EndRegion,
    EndUpdate,
    Event,
    Freeze,
    Leaf,
    Operation,
    OperationKind,
    Start,
    Text,
    Where,
)
from .places import Places
from .simple_run import SimpleRun
from .times import BAD_UPDATE, seconds_of, why_bad_time

if TYPE_CHECKING:
    from pyexpat import ExpatError, XMLParserType

T = TypeVar("T")
_UPDATES = frozenset(("replace", "remove", "insert-before", "insert-after"))
_EMPTY = frozenset(("remove", "commit", "clock", "freeze"))
_KINDS: dict[str, OperationKind] = {"commit": "commit", "clock": "clock", "freeze": "freeze"}
_NAMES = _UPDATES | _EMPTY | {"stream", "mutable", "batch"}
_BASE_EVENTS = 20_000
"""A base is passed on in parts of about this many events."""
_SEPARATOR = " "
_SPACE = " \t\r\n"
_IN_STREAM = ["stream"]
_TAG_NAME = re.compile(rb"[^\s/>]+").match
_PART_BYTES = 1 << 14
"""Bytes to read before checking for simple updates."""
_CUT_BYTES = 1 << 12
"""The longest begin of an update that waits for the rest."""
_ANOTHER_DOCUMENT = (9, 17)
"""XML_ERROR_JUNK_AFTER_DOC_ELEMENT, XML_ERROR_MISPLACED_XML_PI."""


def read_wire(
    chunks: Iterable[bytes],
    *,
    limits: Limits = DEFAULT_LIMITS,
    commits_items: bool = False,
    encoding: str | None = None,
    is_first: bool = True,
    leaves_runs: bool = False,
) -> Iterator[Operation]:
    """The operations of an update stream; without `is_first`, of a part of one that has begun before.

    With `leaves_runs`, runs of simple updates come unread (`operations.Operation`).

    With `commits_items` each child of the document element of the base is a commit of its own. An error of the markup
    of updates is XYIN0044, with its place.
    """
    reader = WireReader(limits, commits_items, encoding, is_first)
    reader.leaves_runs = leaves_runs
    return reading(reader, chunks, reader.given)


def reading(reader: WireReader, chunks: Iterable[bytes], given: Callable[[], Iterator[T]]) -> Iterator[T]:
    """Let a reader read some bytes: returns its operations as they come, even before an error."""
    from pyexpat import ExpatError

    try:
        for chunk in chunks:
            reader.take(chunk)
            yield from given()
        reader.finish()
    except ExpatError as error:
        from ..xml_reader import error_code, error_sentence

        yield from given()
        why = error_sentence(error.code)
        raise InputError(error_code(error.code), why, place=reader.place_of(error)) from error
    except InputError:
        yield from given()
        raise
    yield from given()


class WireReader:
    """The handlers of one parse, and the operations they have made."""

    def __init__(self, limits: Limits, commits_items: bool, encoding: str | None, is_first: bool) -> None:
        self._limits = limits
        self._encoding = encoding
        self._commits_items = commits_items
        self._operations: list[Operation] = []
        self._base: list[Event] = []
        self._events = self._base
        """The target of content: the base, or the open operation."""
        self._open_updates: list[str] = []
        """Open updates and batches, outermost first."""
        self._operation: Operation | None = None
        self._start_byte = 0
        self._cut = b""
        """The begin of an update in which the last chunk ended."""
        self._stack: list[str] = []
        """For each open element: "" for content, else the name of the update element."""
        self._depth = 0
        """Number of open elements and regions of the base."""
        self._base_time: Decimal | None = Decimal(0) if is_first else None
        self._scope: dict[str, str] = {}
        self._scopes: list[dict[str, str]] = []
        self._around: list[dict[str, str]] = [{}]
        """The namespaces in scope of the element whose content is being read; none at the top of content."""
        self._declared: dict[str, str] | None = None
        self._has_default = False
        self._names: dict[str, QName] = {}
        self._data = bytearray()
        """The bytes from the start of anything open, if they may be needed again."""
        self._data_start = 0
        self._has_ended = False
        """Whether the root element has ended: then another document follows."""
        self._space: str | None = None
        """White space behind characters that stand directly in `u:stream`; None before any."""
        self._places = Places()
        self._is_plain = encoding is None and is_kernel_built()
        """Whether runs of simple updates may be read: the document is in UTF-8 and has no document type."""
        self._simple: SimpleRun | None = None
        """Reads them, under `u:stream` or after a document."""
        self._ends_with_tag = False
        """Whether the last read ended with a tag."""
        self.leaves_runs = False
        self._parser = self._attached()

    def _attached(self) -> XMLParserType:
        from pyexpat import ParserCreate

        parser = ParserCreate(self._encoding, _SEPARATOR)
        parser.buffer_text = True
        parser.ordered_attributes = True
        parser.namespace_prefixes = True
        parser.StartElementHandler = self._start
        parser.EndElementHandler = self._end
        parser.CharacterDataHandler = self._text
        parser.CommentHandler = self._comment
        parser.ProcessingInstructionHandler = self._instruction
        parser.StartNamespaceDeclHandler = self._declare
        parser.XmlDeclHandler = self._declaration
        parser.StartDoctypeDeclHandler = self._doctype
        parser.ExternalEntityRefHandler = self._external
        return parser

    # --- bytes and operations

    def take(self, chunk: bytes, *, is_last: bool = False) -> None:
        """Read more."""
        chunk, self._cut = self._cut + chunk, b""
        at = 0
        while at < len(chunk):
            taken = self._run(chunk[at:] if self.leaves_runs else chunk[at : at + _PART_BYTES])
            if taken:
                at += taken
                continue
            if not is_last and self._is_cut(chunk, at):
                self._cut = chunk[at:]
                return
            part = self._part(chunk, at)
            rest = self._parsed(part)
            at += len(part)
            if rest:
                chunk, at = rest + chunk[at:], 0

    def _run(self, data: bytes) -> int:
        """Read simple updates at the beginning of some bytes; return their length."""
        if self._simple is None or not self._ends_with_tag or not self._is_between:
            return 0
        if self.leaves_runs:
            size = self._simple.extent(data)
            made = [Operation("run", where=self._places.end, data=data[:size], simple=self._simple)] if size else []
        else:
            made, size = self._simple.read(data, self._places.end)
        if made:
            self._give_base(commits=False)
            self._operations += made
            self._places.pass_over(data[:size])
        return size

    def _is_cut(self, chunk: bytes, at: int) -> bool:
        """Whether a chunk ends in an update, which the next chunk may complete as a simple one."""
        if self._simple is None or len(chunk) - at > _CUT_BYTES or not self._ends_with_tag or not self._is_between:
            return False
        prefix = self._simple.prefix
        rest = chunk[at:].lstrip(b" \t\n")
        close = rest.find(b"</" + prefix + b":")
        has_end = b"/>" in rest or (close >= 0 and b">" in rest[close:])
        return bool(prefix) and rest.startswith(b"<" + prefix + b":") and not has_end

    @property
    def _is_between(self) -> bool:
        """Whether only `u:stream` is open, or a document has ended."""
        return self._operation is None and (self._has_ended or self._stack == _IN_STREAM)

    @property
    def _holds_bytes(self) -> bool:
        """Whether anything is open whose bytes may be reported."""
        return self._operation is not None

    def _part(self, chunk: bytes, at: int) -> bytes:
        """The part of a chunk to read before simple updates may come again."""
        if self._simple is None:
            # The start tag of u:stream says how updates are read.
            is_open = self._is_plain and not self._stack
            end = chunk.find(b">", at, at + _PART_BYTES) + 1 if is_open else 0
            return chunk[at : end or at + _PART_BYTES]
        # Up to an end tag: in the base after a while, else to the next one.
        is_near = self._operation is not None or self._is_between
        tag = chunk.find(b"</", at if is_near else at + _PART_BYTES)
        end = chunk.find(b">", tag) + 1 if tag >= 0 else 0
        return chunk[at:end] if end else chunk[at:]

    def _parsed(self, part: bytes) -> bytes:
        """Let the parser read more; the rest belongs to another document."""
        from pyexpat import ExpatError

        if not self._holds_bytes:
            drop = min(len(self._data), self._parser.CurrentByteIndex - self._data_start)
            if drop > 0:
                del self._data[:drop]
                self._data_start += drop
        self._data += part
        self._places.feed(part)
        self._ends_with_tag = part.endswith(b">")
        try:
            self._parser.Parse(part, False)
        except ExpatError as error:
            if not self._has_ended or error.code not in _ANOTHER_DOCUMENT:
                raise
            return self._next_document(self._parser.ErrorByteIndex, error.lineno, error.offset)
        return b""

    def _next_document(self, byte_offset: int, line: int, column: int) -> bytes:
        rest = bytes(self._data[byte_offset - self._data_start :])
        self._places.next_document(byte_offset, line, column)
        self._data.clear()
        self._data_start = 0
        self._has_ended = False
        self._scope, self._declared = {}, None
        self._base_time = None
        self._is_plain = self._encoding is None and is_kernel_built()
        self._parser = self._attached()
        return rest

    def finish(self) -> None:
        self.take(b"", is_last=True)
        self._parser.Parse(b"", True)

    def place_of(self, error: ExpatError) -> InputPlace:
        """Where the parser stopped."""
        return InputPlace(*self._places.of(self._parser.ErrorByteIndex, error.lineno, error.offset))

    def given(self) -> Iterator[Operation]:
        """The complete operations, and most of a long base."""
        if len(self._base) >= _BASE_EVENTS:
            self._give_base(commits=False)
        made, self._operations = self._operations, []
        yield from made

    def _give_base(self, *, commits: bool) -> None:
        if self._base or commits:
            self._operations.append(Operation("base", self._base, self._base_time, commits))
            # Passed-on parts have their time: the rest of the base has that time or a later one.
            self._base_time = None
            is_current = self._events is self._base
            self._base = []
            if is_current:
                self._events = self._base

    # --- handlers

    def _declare(self, prefix: str | None, uri: str | None) -> None:
        if self._declared is None:
            self._declared = {}
        self._declared[prefix or ""] = uri or ""

    def _enter_scope(self) -> None:
        self._scopes.append(self._scope)
        if self._declared is not None:
            # Only the parser handles updates without a prefix, and encodings other than UTF-8.
            if self._declared.get("") == UPDATE_NAMESPACE:
                self._is_plain = False
            scope = {**self._scope, **self._declared}
            self._scope = {prefix: uri for prefix, uri in scope.items() if uri and uri != UPDATE_NAMESPACE}
            self._has_default = self._has_default or "" in self._scope
            self._declared = None

    def _start(self, tag: str, attributes: list[str]) -> None:
        self._enter_scope()
        self._space = None
        if len(self._stack) >= self._limits.depth:
            self._fail("XYIN0004", f"depth: more than {self._limits.depth} are open")
        if len(attributes) > 2 * self._limits.attributes:
            self._fail("XYIN0004", f"attributes: {len(attributes) // 2} where {self._limits.attributes} are allowed")
        if tag.startswith(_UPDATE_PREFIX):
            _, local, *prefix = tag.split(_SEPARATOR)
            self._start_update(local, attributes)
            if local == "stream" and self._is_plain and prefix:
                self._simple = SimpleRun(prefix[0], self._scope, self._new_namespaces(), self._limits)
            return
        if self._stack and self._stack[-1] in _EMPTY:
            self._refuse(f"u:{self._stack[-1]} has no content")
        if self._stack and self._stack[-1] == "batch":
            self._refuse(f"<{self._name(tag)}> in u:batch: it holds updates alone")
        self._stack.append("")
        id = None
        named: list[tuple[QName, str]] = []
        for place in range(0, len(attributes), 2):
            name = self._name(attributes[place])
            if name.uri != UPDATE_NAMESPACE:
                named.append((name, attributes[place + 1]))
            elif name.local == "id":
                id = attributes[place + 1]
            else:
                self._refuse(f"{name} is no attribute of updates")
        self._events.append(Start(self._name(tag), tuple(named), self._new_namespaces(), id))
        self._around.append(self._scope)
        if self._events is self._base:
            self._depth += 1

    def _new_namespaces(self) -> dict[str, str] | None:
        """The namespaces in scope at an element that are not in scope around its content."""
        scope, around = self._scope, self._around[-1]
        if scope is around or (scope == around and (around or not self._has_default)):
            return None
        found = {prefix: uri for prefix, uri in scope.items() if around.get(prefix) != uri}
        if "" not in scope and (around.get("") or not around):
            # Wherever the content ends up, its unprefixed names are in no namespace.
            found[""] = ""
        return found or None

    def _end(self, tag: str) -> None:
        self._scope = self._scopes.pop()
        self._space = None
        kind = self._stack.pop()
        self._has_ended = not self._stack
        if self._has_ended:
            # After it, each update is a separate document.
            self._simple = SimpleRun("", {}, None, self._limits) if self._is_plain else None
        if kind:
            self._end_update(kind)
            return
        self._around.pop()
        self._events.append(End())
        if self._events is self._base:
            self._depth -= 1
            self._base_node_ended()

    def _base_node_ended(self) -> None:
        is_item = self._commits_items and self._depth == 1
        if self._depth == 0 or is_item:
            self._give_base(commits=True)

    def _text(self, data: str) -> None:
        if not self._stack or self._stack[-1] in ("stream", "batch", *_EMPTY):
            # White space around what stands directly in it does not count, in whatever pieces it comes.
            data = data.lstrip(_SPACE) if self._space is None else self._space + data
            kept = data.rstrip(_SPACE)
            if not kept:
                self._space = data or None
                return
            self._space = data[len(kept) :]
            if self._stack and self._stack[-1] != "stream":
                self._refuse(f"characters in u:{self._stack[-1]}")
            data = kept
        self._events.append(Text(data))

    def _comment(self, data: str) -> None:
        if not self._stack or self._stack[-1] not in ("stream", "batch"):
            self._events.append(Leaf(COMMENT, "", data))

    def _instruction(self, target: str, data: str) -> None:
        if not self._stack or self._stack[-1] not in ("stream", "batch"):
            self._events.append(Leaf(PROCESSING_INSTRUCTION, target, data))

    def _declaration(self, version: str, encoding: str | None, standalone: int) -> None:
        self._is_plain = self._is_plain and (encoding or "utf-8").lower() == "utf-8"

    def _doctype(self, *told: object) -> None:
        self._is_plain = False
        if not self._limits.allow_dtd:
            self._fail("XYIN0004", "a document type is not allowed here")

    def _external(self, context: str, base: str | None, system: str | None, public: str | None) -> int:
        self._fail("XYIN0008", system or public or context)

    # --- update elements

    def _start_update(self, kind: str, attributes: list[str]) -> None:
        # The attributes of updates are in no namespace, so their names are reported unchanged.
        given = dict(zip(attributes[::2], attributes[1::2], strict=True))
        if kind == "stream":
            if self._stack:
                self._fail(BAD_UPDATE, "u:stream is the outermost element, or none")
            time = self._time(given)
            self._base_time = Decimal(0) if time is None else time
        elif kind == "mutable":
            self._events.append(BeginRegion(given.get("id")))
            if self._events is self._base:
                self._depth += 1
        else:
            self._begin(kind, given)
        self._stack.append(kind)

    def _begin(self, kind: str, given: dict[str, str]) -> None:
        is_inside = bool(self._stack) and self._stack[-1] in _EMPTY
        if self._operation is None:
            self._open_operation(kind, given)
        else:
            time = self._time(given)
            if time is not None and (self._operation.time is None or time > self._operation.time):
                self._operation.time = time
        self._open_updates.append(kind)
        if is_inside:
            self._refuse(f"u:{self._stack[-1]} has no content")
        if kind not in _NAMES:
            self._refuse(f"u:{kind} is none of {', '.join('u:' + name for name in sorted(_NAMES))}")
        if kind in _UPDATES | {"freeze"} and "of" not in given:
            self._refuse(f"u:{kind} has no attribute of")
            given = {**given, "of": ""}
        if kind in _UPDATES:
            self._events.append(BeginUpdate(kind, given["of"], given.get("id"), self._where()))
            self._around.append({})
        elif kind == "freeze":
            self._events.append(Freeze(given["of"], self._where()))

    def _open_operation(self, kind: str, given: dict[str, str]) -> None:
        self._give_base(commits=False)
        self._start_byte = self._parser.CurrentByteIndex
        made = self._operation = Operation("updates", where=self._where())
        made.time = self._time(given)
        made.kind = _KINDS.get(kind, "updates")
        made.commits = kind != "freeze"
        self._events = made.events

    def _end_update(self, kind: str) -> None:
        if kind == "stream":
            return
        if kind == "mutable":
            self._events.append(EndRegion())
            if self._events is self._base:
                self._depth -= 1
                self._base_node_ended()
            return
        if kind in _UPDATES:
            self._events.append(EndUpdate())
            self._around.pop()
        self._open_updates.pop()
        if not self._open_updates:
            self._close_operation()

    def _close_operation(self) -> None:
        operation = self._operation
        assert operation is not None
        operation.data = self._bytes_since(self._start_byte)
        self._operations.append(operation)
        self._operation = None
        self._events = self._base

    def _bytes_since(self, start_byte: int) -> bytes:
        """The bytes of the element that ends here and began there."""
        first = start_byte - self._data_start
        last = self._parser.CurrentByteIndex - self._data_start
        name = _TAG_NAME(self._data, first + 1)
        # For an empty element the parser reports the end of its tag, for others the start of the end tag.
        has_end_tag = name is not None and self._data.startswith(b"</" + name[0], last)
        return bytes(self._data[first : self._data.find(b">", last) + 1 if has_end_tag else last])

    def _time(self, given: dict[str, str]) -> Decimal | None:
        written = given.get("t")
        if written is None:
            return None
        found = seconds_of(written)
        if found is None:
            self._refuse(why_bad_time(written))
        return found

    # --- names and places

    def _name(self, name: str) -> QName:
        found = self._names.get(name)
        if found is None:
            uri, *rest = name.split(_SEPARATOR)
            if not rest:
                found = QName("", uri)
            else:
                found = QName(uri, rest[0], rest[1] if len(rest) > 1 else "")
            if len(self._names) < self._limits.names:
                self._names[name] = found
        return found

    def _where(self) -> Where:
        return self._places.current(self._parser)

    def _place(self) -> InputPlace:
        return InputPlace(*self._where())

    def _refuse(self, why: str) -> None:
        """XYIN0044: for an update that can be skipped, when it is applied."""
        if self._operation is None:
            self._fail(BAD_UPDATE, why)
        if self._operation.error is None:
            self._operation.error = InputError(BAD_UPDATE, why, place=self._place())

    def _fail(self, code: str, why: str) -> NoReturn:
        raise InputError(code, why, place=self._place())


_UPDATE_PREFIX = UPDATE_NAMESPACE + _SEPARATOR
