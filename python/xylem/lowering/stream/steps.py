"""Collect the steps of a scan during planning, and turn projections into steps."""

from __future__ import annotations

from dataclasses import dataclass, field

from xylem.analysis.projection import Projection
from xylem.plan.flux import Step
from xylem.plan.kept_steps import add_kept_steps, keep_of
from xylem.plan.needs import element_names, node_test
from xylem.plan.result_template import Tally, Template
from xylem.plan.scan_plan import Keep, Report, ScanPlan, ScanStep, StartTest, ValueTest
from xylem.plan.scan_table import ScanTable
from xylem.syntax import ast
from xylem.values import node as nk

_OF_LEAVES = {
    nk.TEXT: Report.TEXTS,
    nk.COMMENT: Report.COMMENTS,
    nk.PROCESSING_INSTRUCTION: Report.INSTRUCTIONS,
}


@dataclass(eq=False)
class PlannedStep:
    """A planned step of the scan: its reports, and the parts to keep of the elements it reaches."""

    index: int
    parent: int
    axis: str
    uri: str | None
    local: str | None
    report: Report = Report.NOTHING
    kept: Projection = field(default_factory=Projection)
    tests: tuple[StartTest, ...] = ()
    value_tests: tuple[ValueTest, ...] = ()
    alternatives: tuple[tuple[ValueTest, ...], ...] = ()
    nests: bool = False
    outermost: bool = False
    late: bool = False
    result: Template | Tally | ScanTable | None = None
    remembers: int = 0
    label: int | None = None
    awaits: tuple[tuple[int, int, int], ...] = ()

    def report_leaves(self, kind: int) -> None:
        """Report the childless nodes of a kind that are children of the elements it reaches."""
        self.report = _OF_LEAVES[kind]
        self.kept.text |= kind == nk.TEXT
        self.kept.remarks |= kind != nk.TEXT


class PlannedSteps:
    """The steps of one scan; step 0 is the document."""

    def __init__(self) -> None:
        self.steps = [PlannedStep(0, -1, "child", None, None)]

    def add(self, parent: int, axis: str, uri: str | None, local: str | None, report: Report) -> PlannedStep:
        made = PlannedStep(len(self.steps), parent, axis, uri, local, report)
        self.steps.append(made)
        return made

    def again(self, number: int) -> PlannedStep:
        """A second step that reaches the same nodes, with its own records."""
        step = self.steps[number]
        if number == 0:
            return self.add(0, "self", None, None, Report.NOTHING)
        made = self.add(step.parent, step.axis, step.uri, step.local, Report.NOTHING)
        made.tests = step.tests
        return made

    def follow(self, parent: int, step: Step, report: Report) -> PlannedStep:
        """A step for a step of a FluX program."""
        return self.add(parent, step.axis, *element_names(step), report)

    def plan(self) -> ScanPlan:
        """The finished plan: planned steps first, then those their projections need."""
        made = [self._finished(step) for step in self.steps]
        for step in self.steps:
            add_kept_steps(made, step.index, step.kept)
        return ScanPlan(tuple(made), comments=any(step.keep is Keep.SUBTREE for step in made))

    @staticmethod
    def _finished(step: PlannedStep) -> ScanStep:
        return ScanStep(
            step.parent,
            step.axis,
            step.uri,
            step.local,
            step.report,
            keep_of(step.kept),
            None if step.kept.all_attributes else tuple(sorted(step.kept.attributes)),
            step.kept.text,
            step.tests,
            step.value_tests,
            step.nests,
            step.outermost,
            step.late,
            step.result,
            step.alternatives,
            step.remembers,
            step.label,
            step.awaits,
            step.kept.remarks,
        )


def step_expression(step: Step) -> ast.AxisStep:
    """The step as an expression."""
    return ast.AxisStep(step.axis, node_test(step), step.predicates)


def path_expression(variable: str, path: tuple[Step, ...]) -> ast.Expr:
    """$variable/step/… as an expression."""
    found: ast.Expr = variable_expression(variable)
    for step in path:
        expression = step_expression(step)
        if step.axis == "descendant" and step.predicates:
            # Positions count below one parent: //a[1], not descendant::a[1].
            found = ast.Path(found, ast.AxisStep("descendant-or-self", ast.AnyKindTest()))
            expression = ast.AxisStep("child", expression.test, expression.predicates)
        found = ast.Path(found, expression)
    return found


def variable_expression(variable: str) -> ast.Expr:
    return ast.VarRef(ast.Name(variable, None, ""))
