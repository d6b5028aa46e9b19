"""The interface of the kernel's columns for a compact tree: `CompactRows` of `kernel/src/bindings/tree.rs`.

Only `source/kernel.py` imports the kernel; this file declares its types for other modules. Rows are integers, codes
those of a name pool, and a row that is not there is -1.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Protocol, TypeAlias

NativeStep: TypeAlias = tuple[str, str, Sequence[int]]
"""An axis and a test: any, nothing, kind with the kind, code with the code, codes with all of them."""

Columns: TypeAlias = tuple[Sequence[int], Sequence[int], Sequence[int], Sequence[str | None]]


class NativePlan(Protocol):
    """Prepared steps of a path."""


class NativeColumn(Protocol):
    """Numbers of items; NaN for an item without one: `NumberColumn` of `kernel/src/bindings/best_match.rs`."""

    def __len__(self) -> int: ...

    def extend(self, numbers: bytes) -> None:
        """Append numbers in the form of `array("d")`."""

    def append(self, other: NativeColumn) -> None: ...

    def read(self, rows: NativeRows, contexts: Sequence[int], plan: NativePlan, is_lenient: bool) -> None:
        """Append the values of a path from each row; `is_lenient` reads values that are not numbers as NaN."""

    def bounds(self) -> tuple[float, float] | None:
        """The least and the greatest number."""

    def ranges(self, bounds: Sequence[float], least: float, most: float) -> list[tuple[int, bytes]]:
        """For each range that may contain partners of a number, the places of these numbers (`array("I")`)."""

    def in_order(self) -> bytes:
        """The places of the numbers (`array("I")`), least first."""

    def picked(self, places: bytes) -> bytes:
        """The numbers at some places."""

    def ascends(self, from_: float) -> float | None:
        """The last number, if they do not decrease from `from_` on."""

    @property
    def irregular(self) -> int | None:
        """The first item with several values, or with one that is not a number."""


class NativeMatches(Protocol):
    """The right side of a best-match join: `MatchIndex` of `kernel/src/bindings/best_match.rs`."""

    def pairs(
        self, left: Sequence[NativeColumn], left_items: int, keys: bytes | None = None
    ) -> tuple[bytes, bytes, int]:
        """The numbers of left and right items of each pair as `array("I")`, and the number of items without a value."""


class NativePairRows(Protocol):
    """The rows of one side whose texts are read: `PairRows` of `kernel/src/bindings/written_pairs.rs`."""


class NativePairTexts(Protocol):
    """The texts of pairs that are written in any order: `PairTexts` of `kernel/src/bindings/written_pairs.rs`."""

    def __len__(self) -> int:
        """The number of bytes written."""

    def text(self) -> str:
        """The texts of all pairs, in order."""


class NativePairWriter(Protocol):
    """The results of a best-match join as text: `PairWriter` of `kernel/src/bindings/written_pairs.rs`.

    Items are numbered as in columns, left and right ones as two `array("I")`; `places` has their row indexes, if these
    differ from their numbers.
    """

    def write(
        self,
        left: NativePairRows,
        right: NativePairRows,
        items: tuple[bytes, bytes],
        places: tuple[bytes, bytes] | None = None,
    ) -> str | None:
        """The text of some pairs; None if a path leads to too many nodes."""

    def write_to(
        self,
        texts: NativePairTexts,
        at: bytes,
        left: NativePairRows,
        right: NativePairRows,
        items: tuple[bytes, bytes],
        places: tuple[bytes, bytes] | None = None,
    ) -> bool:
        """Write the text of each pair to its place; false if a path leads to too many nodes."""


class NativeNames(Protocol):
    """The spelling of the names of one document or scan, and their pool codes."""

    def add(self, scanned: int, code: int, prefix: str, local: str) -> None:
        """Register the pool code and the name of a scan code."""

    def learn(self, code: int, prefix: str, local: str) -> None:
        """Register the name of a pool code, unless it has one."""

    def copy(self) -> NativeNames: ...


class NativeRows(Protocol):
    """The rows of a tree. Ranges that do not exist raise IndexError."""

    def paged(self) -> bytes:
        """The columns, for a file."""

    def shell(self) -> NativeRows:
        """The remainder while the columns are in a file."""

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
        """An empty tree with the same names."""

    def recode(self, table: NativeNames) -> list[int]:
        """Replace scan codes by pool codes; return unknown codes, and then change nothing."""

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
        """The children with a code; for an attribute's code, the attribute."""

    def text_named(self, row: int, code: int) -> str | None:
        """The string value of the only child with a code, or of the attribute; None unless there is exactly one."""

    def integers_named(self, rows: Sequence[int], code: int) -> list[int | None]:
        """For each row the integer value of its only child with a code, or of its attribute; None for anything else."""

    def first_named(self, row: int, code: int) -> int: ...

    def first_descendant(self, row: int, code: int) -> int: ...

    def count_descendants(self, row: int, code: int) -> int: ...

    def named(self, code: int) -> list[int]:
        """All rows with a code, ascending."""

    def path_from(self, row: int, plan: NativePlan) -> list[int]:
        """The rows of a path from one row, ascending."""

    def path(self, rows: Sequence[int], plan: NativePlan) -> list[int]:
        """The rows of a path from any rows: ascending, each once."""

    def next_along(self, row: int, previous: int, plan: NativePlan) -> int:
        """The row after another one (-1: the first) on the axis of a one-step plan; -1 at the end."""

    def spine(self) -> list[int]:
        """The elements open when a batch began; otherwise the root, and the chain of first child elements, inwards."""

    # --- many rows

    def typed_values(self, rows: Sequence[int], untyped: type[str]) -> list[str]:
        """String values, as objects of `untyped` except for comments and processing instructions."""

    def has_same_rows(self, row: int, other: NativeRows, other_row: int) -> bool:
        """Whether two subtrees have the same rows, codes and characters."""

    def count_characters(self, start: int, end: int) -> int: ...

    def text(
        self, start: int, end: int, around: Sequence[tuple[str, str]] | None = None, is_copied: bool = False
    ) -> Iterator[str]:
        """Rows as XML, in pieces, as `sink/plain_xml.py` writes them with the default parameters.

        A copy declares everything in scope of it, except what is declared around it.
        """

    def held_bytes(self) -> int: ...

    # --- names and namespaces

    def prefixed(self) -> dict[int, str]: ...

    def declared(self, start: int = 0, end: int | None = None) -> dict[int, dict[str, str]]:
        """The declarations of some rows. Rows with the same ones share a dict, which must not be changed."""

    def declared_at(self, row: int) -> dict[str, str]: ...

    def scope_key(self, row: int) -> tuple[int, int]:
        """A key shared by rows with the same namespaces in scope, until something is declared."""

    def in_scope(self, row: int) -> dict[str, str]:
        """All except `xml`."""

    def moved(self, start: int, end: int, by: int) -> tuple[list[int], list[int], list[int], list[str | None]]:
        """Rows shifted by a number of rows, as codes, ends, parents (except that of the first) and values."""

    # --- growing

    def push(self, code: int, end: int, parent: int, value: str) -> None: ...

    def append(self, source: NativeRows, start: int, end: int, parent: int) -> int:
        """Append a copy of rows of another tree with the same names to the root; return the first new row."""

    def gather(self, source: NativeRows, rows: Sequence[int], parent: int) -> list[int] | None:
        """Copy children of one element of a tree with the same names, with their subtrees; return the first row of
        each.

        None, and nothing is copied, if one has another parent or its own namespaces.
        """

    def close_root(self) -> None:
        """Extend the root over all rows so far."""

    def declare(self, row: int, bindings: Sequence[tuple[str, str]]) -> None: ...

    def declare_like(self, row: int, other: int) -> None:
        """Copy the declarations of another element, stored once for both."""

    def rename(self, row: int, prefix: str) -> None: ...
