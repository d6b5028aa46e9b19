"""Trees that share limited memory: the most recently used stay, the columns of the others spill to a file.

Users of a node notice nothing: any access to the tree brings its columns back.
"""

from __future__ import annotations

import os
import tempfile
from collections import OrderedDict
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any, NamedTuple
from weakref import WeakKeyDictionary, finalize, ref

from xylem.errors import DynamicError, InputError

from .compact_tree import CompactTree
from .tree_interface import TreeInterface

_HELD: Any = CompactTree.__dict__["native"]
"""The place of the columns in a tree."""
BLOCK_BYTES = 1 << 14
"""Room in the file is allocated in multiples of this, so that freed space fits other pages."""


class _Elsewhere(NamedTuple):
    """Columns in the file, with the remainder of the tree."""

    shell: Any
    page: _Page


class _Page:
    """A registered tree: its number of rows when it was written, and their place."""

    def __init__(self, pages: TreePages, tree: PagedTree) -> None:
        self.pages = pages
        self.tree = ref(tree, self._gone)
        self.rows = -1
        self.place = (0, 0)
        self.loaded_bytes = 0

    def _gone(self, _: Any) -> None:
        self.pages.drop(self)


class PagedTree(CompactTree):
    """A compact tree whose columns may be elsewhere."""

    __slots__ = ()

    @property
    def native(self) -> Any:  # The columns, wherever they are.
        held = _HELD.__get__(self, CompactTree)
        return held.page.pages.bring_back(self, held) if type(held) is _Elsewhere else held

    @native.setter
    def native(self, native: Any) -> None:
        _HELD.__set__(self, native)


class TreePages:
    """Trees of which at most some bytes are in memory.

    Holds: the columns of the most recently used trees; the others are in an unnamed file.
    """

    def __init__(self, directory: str | os.PathLike[str], memory_bytes: int, limit_bytes: int) -> None:
        self._directory = Path(directory)
        self.memory_bytes = memory_bytes
        self.taken_bytes = 0
        """Total size of all trees when registered."""
        self._taken = 0
        self._limit_bytes = limit_bytes
        self._page_of: WeakKeyDictionary[PagedTree, _Page] = WeakKeyDictionary()
        self._loaded: OrderedDict[_Page, None] = OrderedDict()
        self._loaded_bytes = 0
        self._file: IO[bytes] | None = None
        self._end = 0
        self._free: dict[int, list[int]] = {}
        """Free room in the file, by its size in blocks."""
        self.written_pages = 0
        self.read_pages = 0
        self._read_bytes = 0

    def take(self, tree: TreeInterface) -> None:
        """Register a tree; a tree outside the kernel stays in memory."""
        if type(tree) is not CompactTree:
            return
        tree.__class__ = PagedTree
        assert isinstance(tree, PagedTree)
        size = tree.native.held_bytes()
        self.taken_bytes += size
        self._taken += 1
        page = self._page_of[tree] = _Page(self, tree)
        self._enter(page, size)

    @property
    def mean_bytes(self) -> int:
        """Mean size of a tree in memory."""
        if self.read_pages:
            return self._read_bytes // self.read_pages
        return self.taken_bytes // max(self._taken, 1)

    def bring_back(self, tree: PagedTree, held: _Elsewhere) -> Any:
        """The columns of a tree, from the file."""
        page = held.page
        native = held.shell.unpaged(self.get(page.place))
        tree.native = native
        self.read_pages += 1
        size = native.held_bytes()
        self._read_bytes += size
        self._enter(page, size)
        return native

    def put(self, data: bytes) -> tuple[int, int]:
        """Write bytes to the file; return their place."""
        return self._write(data)

    def get(self, place: tuple[int, int]) -> bytes:
        """Read bytes of the file."""
        start, length = place
        return os.pread(self._file.fileno(), length, start) if length and self._file is not None else b""

    def give_back(self, place: tuple[int, int]) -> None:
        """Free bytes that are no longer needed."""
        start, length = place
        if length:
            self._free.setdefault(-(-length // BLOCK_BYTES), []).append(start)

    def release(self, tree: TreeInterface) -> None:
        """A tree is not needed for a while: it is spilled before all others."""
        page = self._page_of.get(tree)  # type: ignore[call-overload]
        if page in self._loaded:
            self._loaded.move_to_end(page, last=False)

    @contextmanager
    def lent(self, part_bytes: int) -> Iterator[None]:
        """A part of the memory is lent for a while."""
        self.memory_bytes -= part_bytes
        try:
            self._make_room()
            yield
        finally:
            self.memory_bytes += part_bytes

    def drop(self, page: _Page) -> None:
        """The tree is no longer referenced."""
        if page in self._loaded:
            del self._loaded[page]
            self._loaded_bytes -= page.loaded_bytes
        self.give_back(page.place)

    def _enter(self, page: _Page, size: int) -> None:
        page.loaded_bytes = size
        self._loaded[page] = None
        self._loaded_bytes += size
        self._make_room()

    def _make_room(self) -> None:
        # A tree larger than the whole memory stays alone.
        while self._loaded_bytes > self.memory_bytes and len(self._loaded) > 1:
            oldest, _ = self._loaded.popitem(last=False)
            self._loaded_bytes -= oldest.loaded_bytes
            self._put_out(oldest)

    def _put_out(self, page: _Page) -> None:
        tree = page.tree()
        if tree is None:
            return
        native = tree.native
        if page.rows != len(native):
            # It is new, or has grown since.
            self.give_back(page.place)
            page.rows, page.place = len(native), self._write(native.paged())
            self.written_pages += 1
        tree._columns = tree._index = None
        tree.native = _Elsewhere(native.shell(), page)

    def _write(self, data: bytes) -> tuple[int, int]:
        blocks = -(-len(data) // BLOCK_BYTES)
        if same := self._free.get(blocks):
            start = same.pop()
        else:
            start, self._end = self._end, self._end + blocks * BLOCK_BYTES
        if self._end > self._limit_bytes:
            why = f"what waits on disk is more than {self._limit_bytes:,} bytes"
            raise DynamicError("XYDY0005", why, hint="allow more: --limit spilled-bytes=…")
        try:
            if self._file is None:
                self._file = tempfile.TemporaryFile(dir=self._directory, prefix="xylem-", buffering=0)  # noqa: SIM115
                finalize(self, self._file.close)
            view = memoryview(data)
            while view:
                view = view[os.pwrite(self._file.fileno(), view, start + len(data) - len(view)) :]
        except OSError as error:
            raise InputError("XYIN0002", f"{self._directory}: {error.strerror}") from error
        return start, len(data)
