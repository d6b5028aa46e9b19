"""Paths to all elements, attributes or texts of a document, in queries that read no more of these nodes.

    for $e in //* group by $n := name($e) return <e name="{ $n }">{ count($e) }</e> count(//*), sum(//*/@n),
    distinct-values(//*/name()), count(//@id), count(//text()), //*[@n > 2] if only counted

The root element is among these elements, and a cut never falls inside an item. But if the query reads no content of an
element, the item is only its start tag, so a cut may fall between any two tags. The elements that are open at the cut
come first in each range, and the context of the range is enough to compute their results, so that the range can leave
these out again (`items_around` of `run/tasks/part_task.py`). A cut never divides a text: it ends where a tag begins.
"""

from __future__ import annotations

from collections.abc import Sequence

from xylem.analysis.focus import uses_position
from xylem.analysis.reach import BeyondReach, Reach, ReachAnalysis, Variables, step_reach
from xylem.analysis.streamable_paths import is_descend, is_test
from xylem.source.byte_ranges import Scope
from xylem.syntax import ast

from ..input_reads import reads_input
from ..scope_path import flattened, is_input_path

ALL_ELEMENTS: Scope = (("descendant", None, None),)
ONLY_TAGS = "of elements only the start tags are read: those around a range are left to the range they begin in"


def is_seen_in_passing(path: ast.Expr, analysis: ReachAnalysis, variables: Variables, *, counted: bool) -> bool:
    """Whether a path is one of these; `counted`: only the number of nodes matters, not their values."""
    if not is_input_path(path):
        return False
    _, parts = flattened(path)
    if is_descend(parts[0]):
        parts = parts[1:]
        is_any = bool(parts) and _is_any(parts[0], "child")
    else:
        is_any = _is_any(parts[0], "descendant")
    if not is_any or any(map(reads_input, map(_own, parts))):
        return False
    try:
        found = _followed(parts, analysis, variables)
    except BeyondReach:
        return False
    return counted or not found & Reach.AROUND


def _is_any(step: ast.Expr, axis: str) -> bool:
    """Whether a step from any node leads to all elements, to attributes or to texts."""
    if not isinstance(step, ast.AxisStep):
        return False
    if step.axis == "attribute":
        return axis == "child"
    if step.axis != axis:
        return False
    test = step.test
    is_any_element = isinstance(test, ast.Wildcard) and test.uri is None and test.prefix is None and test.local is None
    is_any_element = is_any_element or (isinstance(test, ast.ElementTest) and test.name is None and test.type is None)
    return is_any_element or isinstance(test, ast.TextTest)


def _followed(parts: Sequence[ast.Expr], analysis: ReachAnalysis, variables: Variables) -> Reach:
    """The elements that a path selects, without their content. BeyondReach if the path reads further."""
    reach = Reach.AROUND
    for number, part in enumerate(parts):
        tests: Sequence[ast.Expr] = ()
        if isinstance(part, ast.Filter):
            tests = (part.predicate,)
        elif isinstance(part, ast.AxisStep):
            tests = part.predicates
            if isinstance(part.test, ast.TextTest):
                reach = Reach.INSIDE
            elif number:
                reach = _down(reach, part)
            elif part.axis == "attribute":
                reach = Reach.AROUND_ATTRIBUTE
        elif uses_position(part) or number < len(parts) - 1:
            raise BeyondReach("a position counts over the whole input", part)
        else:
            _stay(reach, part)
            if analysis.read(part, variables, reach):
                raise BeyondReach("it comes to the same node from several items", part)
            reach = Reach.NONE
        for test in tests:
            if not is_test(test):
                raise BeyondReach("a position counts items that may be in other parts of the document", test)
            _stay(reach, test)
            analysis.of(test, variables, reach)
    return reach


def _down(reach: Reach, step: ast.AxisStep) -> Reach:
    if reach is not Reach.AROUND or step.axis not in ("attribute", "self"):
        raise BeyondReach("it comes to the same node from several items", step)
    return step_reach(reach, step)


def _stay(reach: Reach, expr: ast.Expr) -> None:
    """Only the characters of a text are available: the element around it is not."""
    if reach is Reach.INSIDE and any(isinstance(node, (ast.AxisStep, ast.Path)) for node in expr.walk()):
        raise BeyondReach("it looks around a text", expr)


def _own(part: ast.Expr) -> ast.Expr:
    return part.predicate if isinstance(part, ast.Filter) else part
