"""The records of the latest batch of a scan, for callers that look up many of them at once."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from .tree_interface import TreeInterface


class RecordsAtHand(NamedTuple):
    """Their tree, and for each record its kind, its step and its row."""

    tree: TreeInterface
    kinds: Sequence[int]
    steps: Sequence[int]
    rows: Sequence[int]
