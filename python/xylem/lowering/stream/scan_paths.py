"""The steps of a scan as readable paths."""

from __future__ import annotations

from xylem.plan.scan_plan import (
    AttributeTest,
    Keep,
    NameTest,
    PositionTest,
    PresenceTest,
    Report,
    ScanPlan,
    ScanStep,
)

_LEAVES = {
    Report.TEXTS: "text()",
    Report.COMMENTS: "comment()",
    Report.INSTRUCTIONS: "processing-instruction()",
}


class ScanPaths:
    """All paths of one scan, by the numbers of their steps."""

    def __init__(self, scan: ScanPlan) -> None:
        self.steps = scan.steps

    def absolute(self, index: int) -> str:
        text = ""
        while index > 0:
            text = _written(self.steps[index]) + text
            index = self.steps[index].parent
        return text or "/"

    def leaves(self, steps: tuple[int, ...]) -> str:
        """The path to the texts, comments or instructions that are children of the elements these steps reach."""
        above = self.absolute(steps[0]).removesuffix("/")
        return f"{above}{'/' * len(steps)}{_LEAVES[self.steps[steps[0]].report]}"

    def name(self, index: int) -> str:
        return self.steps[index].local or "*"

    def kept(self, index: int) -> tuple[str, ...]:
        """The parts kept of each element that a step reaches, relative to it."""
        step = self.steps[index]
        if step.keep is Keep.SUBTREE:
            return ("everything",)
        found = ["string()"] if step.keep is Keep.STRING else []
        found += _own(step)
        for below, candidate in enumerate(self.steps):
            if candidate.parent == index and not candidate.report:
                found += self.kept_with_name(below)
        return tuple(dict.fromkeys(found))

    def may_hold_all(self, index: int) -> bool:
        """Whether an element reported at its end may contain all the others.

        One requested by any name may, and so may the document's own; the size of others is not reported.
        """
        step = self.steps[index]
        if not step.report & Report.ITEM or not any(not kept.startswith("@") for kept in self.kept(index)):
            return False
        if step.axis == "child":
            return step.parent == 0
        return step.local is None and not step.name_tests

    def kept_as(self, path: str, index: int) -> tuple[str, ...]:
        """The kept parts, each below a path."""
        kept = self.kept(index)
        return tuple(path if one == "everything" else f"{path}/{one}" for one in kept) or (path,)

    def kept_with_name(self, index: int) -> tuple[str, ...]:
        """The kept parts, relative to the parent."""
        name = _written(self.steps[index]).removeprefix("/")
        name = f".{name}" if name.startswith("/") else name
        inner = self.kept(index)
        if inner == ("everything",) or not inner:
            return (name,)
        return tuple(f"{name}/{path}" for path in inner)


def _written(step: ScanStep) -> str:
    if step.axis == "self":
        return ""
    slash = "//" if step.axis == "descendant" else "/"
    names = "".join(f"[{_names(test)}]" for test in step.name_tests)
    tests = "".join(f"[{_start_test(test)}]" for test in step.start_tests)
    return f"{slash}{step.local or '*'}{names}{tests}"


def _start_test(test: AttributeTest | PresenceTest | PositionTest) -> str:
    match test:
        case AttributeTest():
            return f"@{test.local} {test.op} {_constant(test.string, test.number)}"
        case PresenceTest():
            return f"@{test.local}"
    if test.first == test.last:
        return f"{test.first}"
    return f"position() >= {test.first}" if test.last is None else f"position() = {test.first} to {test.last}"


def _names(test: NameTest) -> str:
    return " or ".join(f"self::{local or '*'}" for _, local in test.names)


def _constant(string: str | None, number: float | None) -> str:
    return f"'{string}'" if number is None else f"{number:g}"


def _own(step: ScanStep) -> list[str]:
    attributes = ["@*"] if step.attributes is None else [f"@{local}" for _, local in step.attributes]
    return attributes + (["text()"] if step.text else []) + (["comment()"] if step.remarks else [])
