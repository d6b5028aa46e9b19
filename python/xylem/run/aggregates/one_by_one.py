"""Base class of folds that take several values one after the other."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any


class OneByOne:
    """Takes the single value of an item in the same way as a sequence of values."""

    def add(self, values: Sequence[Any]) -> None:
        raise NotImplementedError

    def add_one(self, value: Any) -> None:
        self.add((value,))
