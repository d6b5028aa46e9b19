"""Names as small integers, shared by trees, so a name test compares two integers.

A code carries the node kind in its three lowest bits and an index into the pool's names in the others. Codes below 8
are kinds without a name: a text node's code is always `TEXT`, a comment's `COMMENT`. Since the kind is part of
the code, an element, an attribute and a processing instruction of the same name never share one.
"""

from __future__ import annotations

from threading import Lock

from .qname import QName

KIND_BITS = 3
KIND_MASK = 7

# A process with ever new names (documents with generated names, for days) must not keep them all:
# a full pool is left to the trees that use it, and later trees begin a fresh one.
_LARGEST_POOL = 50_000


class NamePool:
    """A growing table of names. Codes are never reused or changed while the pool lives."""

    __slots__ = ("_codes", "_lock", "_patterns", "kinds", "qnames")

    def __init__(self) -> None:
        self.qnames: list[QName | None] = [None]
        """By index (`code >> 3`); the prefix is the first one seen for the name."""
        self.kinds: list[int] = [0]
        """By index, the kind of the nodes with the name."""
        self._codes: dict[tuple[int, str, str], int] = {}
        self._patterns: dict[tuple[int, str | None, str | None], set[int]] = {}
        self._lock = Lock()

    def code(self, kind: int, uri: str, local: str, prefix: str = "") -> int:
        """The code of a name for a node kind, created if it is new."""
        found = self._codes.get((kind, uri, local))
        return self._add(kind, uri, local, prefix) if found is None else found

    def code_of(self, kind: int, name: QName) -> int:
        found = self._codes.get((kind, name.uri, name.local))
        return self._add(kind, name.uri, name.local, name.prefix) if found is None else found

    def _add(self, kind: int, uri: str, local: str, prefix: str) -> int:
        with self._lock:
            found = self._codes.get((kind, uri, local))
            if found is not None:
                return found
            code = len(self.qnames) << KIND_BITS | kind
            self.kinds.append(kind)
            self.qnames.append(QName(uri, local, prefix))
            self._codes[kind, uri, local] = code
            for pattern, codes in self._patterns.items():
                if _fits(pattern, (kind, uri, local)):
                    codes.add(code)
            return code

    def matching(self, kind: int, uri: str | None, local: str | None) -> set[int]:
        """The codes of all matching names; None is a wildcard. The set is live: it grows with the pool."""
        pattern = kind, uri, local
        found = self._patterns.get(pattern)
        if found is None:
            with self._lock:
                found = {code for key, code in self._codes.items() if _fits(pattern, key)}
                self._patterns[pattern] = found
        return found

    def __len__(self) -> int:
        return len(self.qnames)


def _fits(pattern: tuple[int, str | None, str | None], key: tuple[int, str, str]) -> bool:
    kind, uri, local = pattern
    return kind == key[0] and (uri is None or uri == key[1]) and (local is None or local == key[2])


_current = NamePool()


def current_pool() -> NamePool:
    """The pool shared by trees created now."""
    global _current
    if len(_current.qnames) > _LARGEST_POOL:
        _current = NamePool()
    return _current
