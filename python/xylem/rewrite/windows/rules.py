"""The rules for windows, in the order in which they are tried, each once."""

from __future__ import annotations

from .drop_hopeless_windows import DropHopelessWindows
from .fold_aggregates import FoldAggregates
from .forget_items import ForgetItems
from .forget_keys import ForgetKeys
from .give_windows_early import GiveWindowsEarly
from .index_windows import IndexWindows
from .move_where import MoveWhere
from .note_only_start import NoteOnlyStart
from .read_ends_directly import ReadEndsDirectly
from .rule import WindowRule
from .split_end_test import SplitEndTest
from .use_sliding_window import UseSlidingWindow
from .use_tumbling_window import UseTumblingWindow

RULES: tuple[WindowRule, ...] = (
    # First, to recognise conditions on the ends of a window, and lengths as differences of positions.
    ReadEndsDirectly(),
    # Before conditions move: a length limited by `where` makes windows hopeless even if the test stays.
    DropHopelessWindows(),
    MoveWhere(),
    # A landmark window may become a sliding one, and that a tumbling one.
    UseSlidingWindow(),
    UseTumblingWindow(),
    NoteOnlyStart(),
    SplitEndTest(),
    # Indexes the remaining tests for each window.
    IndexWindows(),
    FoldAggregates(),
    GiveWindowsEarly(),
    # Last, because unused parts are known only after all other rules.
    ForgetItems(),
    ForgetKeys(),
)
