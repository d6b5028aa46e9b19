"""What foldings that see no difference between one value and several have in common."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any


class OneByOne:
    """Takes the one value of an item as any values."""

    def add(self, values: Sequence[Any]) -> None:
        raise NotImplementedError

    def add_one(self, value: Any) -> None:
        self.add((value,))
