"""The base of foldings that take several values as they would take them one by one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any


class OneByOne:
    """Takes the one value of an item as any values."""

    def add(self, values: Sequence[Any]) -> None:
        raise NotImplementedError

    def add_one(self, value: Any) -> None:
        self.add((value,))
