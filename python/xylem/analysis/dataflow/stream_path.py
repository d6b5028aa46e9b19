"""The traversal of a stream for a sequence node: its start, and its steps as written."""

from __future__ import annotations

from dataclasses import dataclass, replace

INPUT = "input"
"""The stream of the context item, as printed in paths."""


@dataclass(frozen=True)
class StreamPath:
    """`root/step/…`. A step is its printed text with its axis and predicates, so that equal texts select the same."""

    root: str
    """`input`, `doc("a.xml")`, `stream("s")` …."""
    steps: tuple[str, ...] = ()
    """Each step with its slashes: `/stream`, `//pixel`; predicates are separate steps: `[x > 0]`."""
    starts_with_many: bool = False
    """Whether the root is many documents or items: a collection, a stream, an infinite variable."""

    def __str__(self) -> str:
        path = "".join(self.steps)
        if self.root == INPUT:
            return path or "/"
        return self.root + path

    @property
    def depth(self) -> int:
        """Number of steps below the root, not counting predicates."""
        return sum(1 for step in self.steps if step.startswith("/"))

    @property
    def is_single(self) -> bool:
        """Whether it leads to one node at most: the document, or its element.

        Deeper nodes are assumed to be many: the size of one of them depends on the data.
        """
        if self.starts_with_many:
            return False
        return not self.steps or (len(self.steps) == 1 and not self.steps[0].startswith("//"))

    def from_root(self, *steps: str) -> StreamPath:
        """Other steps from the same root."""
        return replace(self, steps=steps)

    def below(self, prefix: StreamPath) -> str:
        """The rest of this path after a prefix of it."""
        return "".join(self.steps[len(prefix.steps) :])


def common_prefix(a: StreamPath, b: StreamPath) -> StreamPath | None:
    """The longest common prefix with at least one element step; None if there is none."""
    if a.root != b.root:
        return None
    shared = []
    for mine, theirs in zip(a.steps, b.steps, strict=False):
        if mine != theirs:
            break
        shared.append(mine)
    return a.from_root(*shared) if shared else None
