"""QName values: a namespace, a local name, and the prefix it was written with."""

from __future__ import annotations


class QName:
    """An expanded name. The prefix is kept for output but never compared."""

    __slots__ = ("local", "prefix", "uri")

    def __init__(self, uri: str, local: str, prefix: str = "") -> None:
        self.uri = uri
        self.local = local
        self.prefix = prefix

    def __eq__(self, other: object) -> bool:
        return isinstance(other, QName) and self.local == other.local and self.uri == other.uri

    def __hash__(self) -> int:
        return hash((self.uri, self.local))

    def __str__(self) -> str:
        return f"{self.prefix}:{self.local}" if self.prefix else self.local

    def __repr__(self) -> str:
        return f"QName({self.eqname!r})"

    @property
    def eqname(self) -> str:
        """Q{uri}local"""
        return f"Q{{{self.uri}}}{self.local}"
