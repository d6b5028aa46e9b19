"""The native part of Xylem, built from `kernel/`; absent where it could not be built."""

from typing import TypeAlias

TestTuple: TypeAlias = tuple[str, str, str, str | None, float | None]
ValueTestTuple: TypeAlias = tuple[
    list[tuple[str, str]], bool, tuple[str, str] | None, str, str | None, float | None
]
StepTuple: TypeAlias = tuple[
    int,
    bool,
    str | None,
    str | None,
    int,
    int,
    list[tuple[str, str]] | None,
    bool,
    list[TestTuple],
    list[ValueTestTuple],
    tuple[object, ...] | None,
]
PlanTuple: TypeAlias = tuple[list[StepTuple], bool]
LimitsTuple: TypeAlias = tuple[int, int, int, int, int, int, int, int, bool]
BatchTuple: TypeAlias = tuple[
    tuple[list[int], list[int], list[int]],
    tuple[list[int], list[int], list[int], list[str | None]],
    tuple[dict[int, dict[str, str]], list[tuple[str, str, str]], dict[int, str]],
    tuple[list[int], int, list[tuple[str, int, int, int, int]]],
]
ColumnsTuple: TypeAlias = tuple[
    list[int], list[int], list[int], list[str | None], dict[int, dict[str, str]], dict[int, str]
]

VERSION: str
PROFILE: str

class ScanError(Exception):
    args: tuple[str, str, int, int, int, str]

class Scanner:
    def __new__(
        cls, scan_plan: PlanTuple, scan_limits: LimitsTuple, namespaces: bool = True, encoding: str | None = None
    ) -> Scanner: ...
    @property
    def writes(self) -> bool: ...
    @writes.setter
    def writes(self, writes: bool) -> None: ...
    def feed(self, data: bytes, flush: bool = False) -> BatchTuple | None: ...
    def finish(self) -> BatchTuple: ...

class TreeColumns:
    @property
    def names(self) -> list[tuple[int, str, str, str]]: ...
    @property
    def identifier_rules(self) -> list[tuple[int, int, bool]]: ...
    def columns(self, codes: list[int]) -> ColumnsTuple: ...

def read_tree(
    data: bytes,
    scan_limits: LimitsTuple,
    encoding: str | None = None,
    strip_space: bool = False,
    namespaces: bool = True,
) -> TreeColumns: ...

PathStepTuple: TypeAlias = tuple[bool, str | None, str | None]
CutTuple: TypeAlias = tuple[int, int, bytes, bytes]

def find_cuts(
    path: str,
    scopes: list[list[PathStepTuple]],
    target: int,
    scan_limits: LimitsTuple,
    threads: int,
    stretch: int,
) -> list[CutTuple]: ...

class CutFinder:
    def __new__(cls, scopes: list[list[PathStepTuple]], target: int, scan_limits: LimitsTuple) -> CutFinder: ...
    def feed(self, data: bytes) -> list[CutTuple]: ...
    def resume(self, offset: int, line: int, opening: bytes, closing: bytes) -> None: ...
