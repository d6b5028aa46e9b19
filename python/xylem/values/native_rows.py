"""The interface of the kernel's columns for a compact tree: `CompactRows` of `kernel/src/bindings/tree.rs`.

Only `source/kernel.py` imports the kernel; here its types are named for all who are handed one. Rows are
integers, codes those of a name pool, and a row that is not there is -1.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Protocol, TypeAlias

NativeStep: TypeAlias = tuple[str, str, Sequence[int]]
"""An axis and a test: any, nothing, kind with the kind, code with the code, codes with all of them."""

Columns: TypeAlias = tuple[Sequence[int], Sequence[int], Sequence[int], Sequence[str | None]]


class NativePlan(Protocol):
    """Steps of a path, ready to be taken."""


class NativeColumn(Protocol):
    """Numbers of items; NaN for an item that has none: `NumberColumn` of `kernel/src/bindings/best_match.rs`."""

    def __len__(self) -> int: ...

    def extend(self, numbers: bytes) -> None:
        """Append numbers as `array("d")` has them."""

    def append(self, other: NativeColumn) -> None: ...

    def read(self, rows: NativeRows, contexts: Sequence[int], plan: NativePlan, is_lenient: bool) -> None:
        """Append what a path leads to from each row; `is_lenient` takes what is no number for NaN."""

    def bounds(self) -> tuple[float, float] | None:
        """The least and the greatest number."""

    def ranges(self, bounds: Sequence[float], least: float, most: float) -> list[tuple[int, bytes]]:
        """For each range in which partners of a number may lie, the places of these numbers (`array("I")`)."""

    def in_order(self) -> bytes:
        """The places of the numbers (`array("I")`), the least first."""

    def picked(self, places: bytes) -> bytes:
        """The numbers at some places."""

    def ascends(self, from_: float) -> float | None:
        """The last number, where none goes back, nor below `from_`."""

    @property
    def irregular(self) -> int | None:
        """The first item with several values, or with one that is no number."""


class NativeMatches(Protocol):
    """The right side of a best-match join: `MatchIndex` of `kernel/src/bindings/best_match.rs`."""

    def pairs(
        self, left: Sequence[NativeColumn], left_items: int, keys: bytes | None = None
    ) -> tuple[bytes, bytes, int]:
        """The numbers of left and of right items of each pair as `array("I")` has them, and how many have no value."""


class NativePairRows(Protocol):
    """The rows of one side that texts are read of: `PairRows` of `kernel/src/bindings/written_pairs.rs`."""


class NativePairTexts(Protocol):
    """The texts of pairs that are written in any order: `PairTexts` of `kernel/src/bindings/written_pairs.rs`."""

    def __len__(self) -> int:
        """How many bytes have been written."""

    def text(self) -> str:
        """The texts of all pairs in their order."""


class NativePairWriter(Protocol):
    """The results of a best-match join as text: `PairWriter` of `kernel/src/bindings/written_pairs.rs`.

    Items are numbered as columns have them, the left and the right ones as two `array("I")`; `places` says where they
    are among the rows, if not at their numbers.
    """

    def write(
        self,
        left: NativePairRows,
        right: NativePairRows,
        items: tuple[bytes, bytes],
        places: tuple[bytes, bytes] | None = None,
    ) -> str | None:
        """The text of some pairs; None where a path leads to too many nodes."""

    def write_to(
        self,
        texts: NativePairTexts,
        at: bytes,
        left: NativePairRows,
        right: NativePairRows,
        items: tuple[bytes, bytes],
        places: tuple[bytes, bytes] | None = None,
    ) -> bool:
        """Write the text of each pair to its place; false where a path leads to too many nodes."""


class NativeNames(Protocol):
    """How the names of one document or scan are written, and which codes of the pool they have."""

    def add(self, scanned: int, code: int, prefix: str, local: str) -> None:
        """Learn the pool's code of a code of the scan, and its name."""

    def learn(self, code: int, prefix: str, local: str) -> None:
        """Learn the name of a code of the pool, unless it has one."""

    def copy(self) -> NativeNames: ...


class NativeRows(Protocol):
    """The rows of a tree. Ranges that do not exist raise IndexError."""

    def paged(self) -> bytes:
        """The columns, for a file."""

    def shell(self) -> NativeRows:
        """What stays where the columns are in a file."""

    def unpaged(self, data: bytes) -> NativeRows:
        """The rows of a shell, with its columns from the file."""

    @staticmethod
    def plan(steps: Sequence[NativeStep]) -> NativePlan: ...

    def number(self, row: int, label: int) -> int | None:
        """The number a scan gave a row under a label."""

    @property
    def columns(self) -> Columns:
        """Codes, ends, parents and values, as sequences that read through to the kernel."""

    @property
    def names(self) -> NativeNames: ...

    @names.setter
    def names(self, names: NativeNames) -> None: ...

    @staticmethod
    def new_names() -> NativeNames:
        """A table for the names of a scan."""

    def new_rows(self) -> NativeRows:
        """A tree without rows that has the same names."""

    def recode(self, table: NativeNames) -> list[int]:
        """Turn the codes of a scan into the pool's; gives those the table does not know, and then changes nothing."""

    @property
    def has_declarations(self) -> bool: ...

    def __len__(self) -> int: ...

    # --- one row

    def code(self, row: int) -> int: ...

    def kind(self, row: int) -> int: ...

    def end(self, row: int) -> int: ...

    def parent(self, row: int) -> int: ...

    def depth(self, row: int) -> int: ...

    def value(self, row: int) -> str | None: ...

    def string_value(self, row: int) -> str: ...

    def attributes_end(self, row: int) -> int:
        """One past the last attribute of an element."""

    # --- steps

    def children_named(self, row: int, code: int) -> list[int]:
        """The children of a code; of an attribute's code, the attribute."""

    def text_named(self, row: int, code: int) -> str | None:
        """The string value of the only child of a code, or of the attribute; None where there is not just one."""

    def integers_named(self, rows: Sequence[int], code: int) -> list[int | None]:
        """For each row the integer that its only child of a code, or its attribute, is; None for anything else."""

    def first_named(self, row: int, code: int) -> int: ...

    def first_descendant(self, row: int, code: int) -> int: ...

    def count_descendants(self, row: int, code: int) -> int: ...

    def named(self, code: int) -> list[int]:
        """All rows of a code, ascending."""

    def path_from(self, row: int, plan: NativePlan) -> list[int]:
        """Where a path leads from one row: ascending rows."""

    def path(self, rows: Sequence[int], plan: NativePlan) -> list[int]:
        """Where a path leads from any rows: ascending rows, each once."""

    def next_along(self, row: int, previous: int, plan: NativePlan) -> int:
        """The row after another one (-1: the first) on the axis of a plan of one step; -1 where it ends."""

    def spine(self) -> list[int]:
        """What was open when a batch began; else the root, and the first children that are elements, inwards."""

    # --- many rows

    def typed_values(self, rows: Sequence[int], untyped: type[str]) -> list[str]:
        """String values, as objects of `untyped` but for comments and processing instructions."""

    def has_same_rows(self, row: int, other: NativeRows, other_row: int) -> bool:
        """Whether two subtrees have the same rows, codes and characters."""

    def count_characters(self, start: int, end: int) -> int: ...

    def text(
        self, start: int, end: int, around: Sequence[tuple[str, str]] | None = None, is_copied: bool = False
    ) -> Iterator[str]:
        """Rows as XML, in pieces, as `sink/plain_xml.py` writes them with the default parameters.

        A copy declares what was in scope of it, but for what is declared around it.
        """

    def held_bytes(self) -> int: ...

    # --- names and namespaces

    def prefixed(self) -> dict[int, str]: ...

    def declared(self, start: int = 0, end: int | None = None) -> dict[int, dict[str, str]]:
        """The declarations of some rows. Rows that share theirs share a dict: nobody changes it."""

    def declared_at(self, row: int) -> dict[str, str]: ...

    def scope_key(self, row: int) -> tuple[int, int]:
        """What rows with the same namespaces in scope have in common, as long as nothing is declared."""

    def in_scope(self, row: int) -> dict[str, str]:
        """All but `xml`."""

    def moved(self, start: int, end: int, by: int) -> tuple[list[int], list[int], list[int], list[str | None]]:
        """Rows moved by a number of rows, as codes, ends, parents (but that of the first) and values."""

    # --- growing

    def push(self, code: int, end: int, parent: int, value: str) -> None: ...

    def append(self, source: NativeRows, start: int, end: int, parent: int) -> int:
        """Copy rows of another tree with the same names; the root then ends behind them. The first new row."""

    def gather(self, source: NativeRows, rows: Sequence[int], parent: int) -> list[int] | None:
        """Copy children of one element of a tree with the same names, with all below them; the first row of each.

        None, and nothing is copied, where one has another parent or namespaces of its own.
        """

    def close_root(self) -> None:
        """The root holds all rows so far."""

    def declare(self, row: int, bindings: Sequence[tuple[str, str]]) -> None: ...

    def declare_like(self, row: int, other: int) -> None:
        """Let an element declare what another one does, which is kept once for both."""

    def rename(self, row: int, prefix: str) -> None: ...
