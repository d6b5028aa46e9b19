"""What the rest of Xylem asks of a tree: the contract another implementation (the kernel's) must keep."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from .name_pool import NamePool
from .qname import QName


class TreeInterface(Protocol):
    """Rows in document order, numbered from 0; attributes right after their element. See `tree.py`."""

    order: int
    """Trees sort by it: a process-wide number that grows with each tree made."""
    names: NamePool
    document_uri: str | None

    @property
    def codes(self) -> Sequence[int]:
        """Kind and name of each row, as codes of `names`."""

    @property
    def ends(self) -> Sequence[int]:
        """One past the last row of each subtree."""

    @property
    def parents(self) -> Sequence[int]:
        """The parent of each row, -1 at the root."""

    def kind(self, pre: int) -> int: ...

    def name(self, pre: int) -> QName | None: ...

    def string_value(self, pre: int) -> str: ...

    def typed_value(self, pre: int) -> str: ...

    def parent(self, pre: int) -> int: ...

    def attributes(self, pre: int) -> Sequence[int]: ...

    def children(self, pre: int) -> Sequence[int]: ...

    def elements_named(self, code: int) -> Sequence[int]:
        """All rows of a code, ascending."""

    def namespaces(self, pre: int) -> dict[str, str]: ...

    def base_uri(self, pre: int) -> str | None: ...

    def is_id(self, attribute: int) -> bool: ...

    def is_idref(self, attribute: int) -> bool: ...

    def id_attributes(self) -> Sequence[int]: ...

    def element_with_id(self, value: str) -> int: ...

    def idref_attributes(self) -> Sequence[int]: ...

    def __len__(self) -> int: ...
