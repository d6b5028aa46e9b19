"""An answer that must see the stream in order: computed by the driver, not by tasks. Its state between two records
(variables of a sequential program, counts, aggregates) is saved now and then, with the position in the stream, and it
continues from there after a restart. A query that buffers parts of the stream reads it again from its beginning, which
the log still has. Either way, earlier output is not repeated.
"""

from __future__ import annotations

import os
import time
from codecs import getincrementaldecoder
from collections.abc import Callable, Sequence
from pathlib import Path

from xylem.errors import DynamicError
from xylem.run.background_save import BackgroundSave
from xylem.run.sealed_file import missing, private_directory, read_sealed, write_sealed
from xylem.run.stream.resumable_program import Reached
from xylem.values.state_values import encoded

from .answers import Answer, Rows, state_in
from .document_answers import DocumentAnswers
from .waiting_writer import Flow, TextWriter

KIND = "variables"
EVERY_BYTES = 16 << 10


class AnswerInOrder(Answer):
    """One answer, from bytes in their order."""

    def __init__(
        self,
        query: DocumentAnswers,
        *,
        now_ms: int,
        each_item: bool,
        saved: Sequence[bytes] = (),
        places: SavedPlaces | None = None,
    ) -> None:
        """With `each_item`, each item is a message, and the surrounding output of the query is dropped.

        `places`: where a resumable query saves its state.
        """
        self._query = query
        self._now_ms = now_ms
        self.ends_lines = each_item
        self._places = places if query.is_resumable(each_item=each_item) else None
        self._handed_out: int
        place: str | None
        self._handed_out, place = state_in(saved[-1]) if saved else (0, None)
        begun = None if self._places is None else self._places.begin(place)
        self.seen_bytes = 0 if begun is None else begun.cut.offset
        """The part of the stream that need not be read again after a restart."""
        self._before = 0 if begun is None else begun.output_length
        """The length of the text that is not written again."""
        self._begin(begun)

    def _begin(self, begun: Reached | None = None) -> None:
        self._bytes: Flow[bytes] = Flow()
        self._writer = TextWriter(lambda write: self._write(write, begun), {0: self._bytes})

    def _write(self, write: Callable[[str], None], begun: Reached | None) -> None:
        if self._places is not None:
            self._write_resumable(write, begun, self._places)
        elif self.ends_lines:
            for text in self._query.items(self._bytes, self._now_ms):
                write(text + _BETWEEN)
        else:
            decode = getincrementaldecoder("utf-8")("surrogateescape").decode
            self._query.write(self._bytes, self._now_ms, lambda chunk: write(decode(chunk)))

    def _write_resumable(self, write: Callable[[str], None], begun: Reached | None, places: SavedPlaces) -> None:
        program = self._query.resumable(self._now_ms, EVERY_BYTES, places.save, lambda: places.is_due)
        written = _Written(write, self._before)
        if not self.ends_lines:
            program.write(self._bytes, written, begun)
            return
        for item in program.items(self._bytes, written.tell, begun):
            written.hand_on(self._query.told(item) + _BETWEEN)

    def catch_up(self, chunks: Sequence[bytes]) -> None:
        """Replay the input seen before a restart, after `seen_bytes`."""
        self._bytes.give(chunks)
        text = self._writer.wait()
        known = self._handed_out - self._before
        if len(text) < known:
            raise DynamicError("XYRT0022", "what the query must see again of the stream is not the same")
        self._writer.put_back(text[known:])

    def take(self, rows: Rows, chunks: Sequence[bytes]) -> list[str]:
        self._bytes.give(chunks)
        text = self._writer.wait()
        self._handed_out += len(text)
        return self._messages(text)

    def finish(self) -> list[str]:
        self._bytes.end()
        text = self._writer.wait()
        self._handed_out = self._before = self.seen_bytes = 0
        if self._places is not None:
            self._places.clear()
        self._begin()
        return self._messages(text)

    def _messages(self, text: str) -> list[str]:
        if self.ends_lines:
            return text.split(_BETWEEN)[:-1]
        return [text] if text else []

    def save(self, is_whole: bool) -> bytes:
        return encoded((self._handed_out, None if self._places is None else self._places.last()))

    def close(self) -> None:
        self._writer.close()
        if self._places is not None:
            self._places.close()


_BETWEEN = "\x1e"
"""Separates messages while they are text; no XML contains it."""


class _Written:
    """The output of a program, passed on as text; its length counts characters."""

    def __init__(self, write: Callable[[str], None], length: int) -> None:
        self._write = write
        self._decode = getincrementaldecoder("utf-8")("surrogateescape").decode
        self._length = length

    def write(self, data: bytes) -> None:
        self.hand_on(self._decode(data))

    def hand_on(self, text: str) -> None:
        self._length += len(text)
        self._write(text)

    def tell(self) -> int:
        return self._length

    def flush(self) -> None:
        pass


class SavedPlaces:
    """The state of a query on disk, each time with its position in the stream.

    A copy of the process writes them (`BackgroundSave`), while the program goes on. A saved state counts once a commit
    names it; the previous one is kept until then.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._saver = BackgroundSave(str(folder))
        self._writing: str | None = None
        self._kept: list[str] = []
        """The last state written, preceded by the one that the last commit may name."""

    def begin(self, place: str | None) -> Reached | None:
        """Start from the state that a commit names; all others are leftovers."""
        self._kept = [] if place is None else [place]
        self._drop_others()
        if place is None:
            return None
        path = self._folder / place
        try:
            return Reached.from_state(state_in(read_sealed(path, KIND)))
        except FileNotFoundError:
            raise missing(path) from None

    @property
    def is_due(self) -> bool:
        """Whether to save now: not too soon after the last time."""
        return self._saver.is_due

    def save(self, reached: Reached) -> None:
        """Save a state."""
        self._settle()
        for folder in (self._folder.parent, self._folder):
            private_directory(folder)
        self._writing = f"{time.time_ns():020}-{os.getpid()}"
        path = self._folder / self._writing
        self._saver.start(lambda: write_sealed(path, KIND, encoded(reached.state())))

    def last(self) -> str | None:
        """The name of the last state written, for a commit."""
        if not self._saver.is_busy:
            self._settle()
        return self._kept[-1] if self._kept else None

    def _settle(self) -> None:
        if self._writing is not None:
            if not self._saver.is_impossible:
                self._kept = [*self._kept[-1:], self._writing]
            self._writing = None
            self._drop_others()

    def clear(self) -> None:
        """Another answer begins; the last commit may still name the saved state."""
        self._saver.finish()
        self._writing, self._kept = None, []

    def close(self) -> None:
        self._saver.finish()

    def _drop_others(self) -> None:
        if self._folder.is_dir():
            for path in self._folder.iterdir():
                if path.name not in self._kept:
                    path.unlink(missing_ok=True)
