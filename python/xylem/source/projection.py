"""Expat's events projected by a scan plan: the rows and records that `plan/scan_plan.py` defines.

A stack holds, for each open element, the steps that reach it and those to be followed below it. An element gets its
row at its start tag if it is kept for its own sake, and otherwise when something below it is kept.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from xylem.plan.scan_plan import LEAF, PositionTest, Report, ScanPlan
from xylem.values.name_pool import KIND_BITS, KIND_MASK, NamePool
from xylem.values.node import ATTRIBUTE, COMMENT, DOCUMENT, TEXT
from xylem.values.qname import QName
from xylem.values.tree import XML_NAMESPACE
from xylem.values.white_space import collapse

from .limits import Limits
from .projected_rows import ProjectedRows
from .reached_steps import Name, ReachedSteps, holds
from .tree_loader import Scope, Shape, TreeLoader
from .value_tests import value_may_hold

if TYPE_CHECKING:
    from pyexpat import XMLParserType

_START = int(Report.START)
_ITEM = int(Report.ITEM)
_NUMBER = -1
"""In place of a counting test: the number among siblings."""
_NO_STEPS: frozenset[int] = frozenset()


class _Open:
    """An open element, or the document."""

    __slots__ = (
        "collected",
        "copies",
        "declared",
        "followed",
        "has_row",
        "lasting",
        "outer_scope",
        "positions",
        "reached",
        "shape",
        "spells",
    )

    def __init__(self, reached: ReachedSteps, outer: _Open | None, shape: Shape, outer_scope: Scope) -> None:
        self.reached = reached
        self.shape = shape
        self.outer_scope = outer_scope
        self.declared: dict[str, str] | None = None
        self.has_row = False
        self.positions: dict[tuple[int, int], int] = {}
        """By step and test: the number of its children that have reached a positional test."""
        self.lasting: frozenset[int]
        """Descendant steps, which are followed at all depths from here."""
        self.followed: tuple[int, ...]
        """The steps that may reach its children."""
        self.lasting, self.followed = reached.below(outer.lasting if outer else _NO_STEPS)
        self.copies: bool = reached.copies or (outer is not None and outer.copies)
        """Whether everything below is kept."""
        self.spells: bool = outer is not None and outer.spells
        """Whether all elements and texts below are kept, for a string value."""
        self.collected: list[str] | None = outer.collected if outer else None
        """The text of the string value this element contributes to, if it is to be one text node."""

    @property
    def keeps_text(self) -> bool:
        """Whether text directly in the element gets rows."""
        return self.copies or self.spells or self.reached.keeps_text


class Projection(TreeLoader):
    """The handlers of one scan. Names are resolved and limits kept as for whole trees."""

    def __init__(self, plan: ScanPlan, parser: XMLParserType, limits: Limits) -> None:
        super().__init__(parser, limits)
        self.plan = plan
        # A separate table of names for this scan, never the shared one: many names are not kept.
        self.tree.names = NamePool()
        self.rows = ProjectedRows(self.tree.names, len(plan.steps))
        self._xml_id = self.tree.names.code(ATTRIBUTE, XML_NAMESPACE, "id", "xml")
        self._only_counts = plan.only_counts()
        self._unions: dict[frozenset[int], ReachedSteps] = {}
        self._fitting: dict[tuple[tuple[int, ...], int], tuple[list[int], ReachedSteps]] = {}
        """By steps and name of an element: the steps that match, if they have tests, and their combined needs."""
        self._open: list[_Open] = []
        self._inside: dict[int, int] = dict.fromkeys((n for n, step in enumerate(plan.steps) if step.outermost), 0)
        """For each step that takes outermost elements, the number of its open ones."""
        self._text: list[str] = []
        self._text_length = 0

    def attach(self) -> None:
        parser = self.parser
        parser.StartElementHandler = self._start
        parser.EndElementHandler = self._end
        parser.CharacterDataHandler = self._characters
        parser.CommentHandler = self._comment
        parser.ProcessingInstructionHandler = self._instruction
        self._start_document()

    # --- the document node

    def _start_document(self) -> None:
        reached = self._union(n for n, step in enumerate(self.plan.steps) if n == 0 or step.axis == "self")
        document = _Open(reached, None, (DOCUMENT, [], ()), self.scope)
        self._take_string(document)
        document.has_row = True
        self.rows.start_document(reached.is_item)
        self._open.append(document)
        self._report_start(reached)

    def end_document(self) -> None:
        """Close the document node; nothing follows."""
        self._close(self._open.pop())

    # --- elements

    def _start(self, tag: str, attributes: list[str]) -> None:
        if self._text:
            self._end_text()
        outer = self._open[-1]
        outer_scope = self.scope
        declared = None
        if attributes:
            self._check_attributes(attributes)
        shape = outer_scope.shapes.get((tag, *attributes[::2]) if attributes else tag)
        if shape is None:
            given = self.declarations(attributes)
            if given:
                declared = self.enter(given)
                attributes = self.without_declarations(attributes)
            shape = self.shape(tag, attributes)
        values = self._values(shape, attributes)
        reached = self._reached(outer, shape, values)
        element = _Open(reached, outer, shape, outer_scope)
        element.declared = declared
        self._open.append(element)
        if len(self._open) - 1 > self.limits.depth:
            self.exceeds("depth", len(self._open) - 1)
        if reached.takes_string:
            self._take_string(element)
        if reached.is_kept or outer.copies or outer.spells:
            self._add_row(element, values)
            self._check_item()
        self._report_start(reached)

    def _end(self, tag: str) -> None:
        if self._text:
            self._end_text()
        element = self._open.pop()
        self._close(element)
        self.leave(element.outer_scope)
        self._check_item()

    def _check_item(self) -> None:
        if self.rows.item_bytes > self.limits.item_bytes:
            self.exceeds("item_bytes", self.rows.item_bytes)

    def _close(self, element: _Open) -> None:
        reached = element.reached
        if reached.takes_string and element.collected:
            self.rows.leaf(TEXT, "".join(element.collected))
            self._text_length = 0
        for step in reached.outermost:
            self._inside[step] -= 1
        if self.rows.awaiting and element.has_row:
            self.rows.end_waiting(reached.awaited)
        for kind, step in reached.records_at_end:
            if self._inside.get(step):
                continue
            # An announced element is reported in any case.
            is_tested = kind == _ITEM and not self.plan.steps[step].nests
            tests = self.plan.steps[step].value_tests if is_tested else ()
            does_hold = all(value_may_hold(test, self.rows, self._name) for test in tests)
            if self.plan.steps[step].awaits:
                self.rows.complete(step, does_hold)
            elif does_hold:
                self.rows.record(kind, step)
        for step in reached.remembered:
            self.rows.remember(step, self.plan.steps[step].remembers)
        if element.has_row:
            self.rows.tell_awaited()
            self.rows.end()

    def _report_start(self, reached: ReachedSteps) -> None:
        for step in reached.outermost:
            self._inside[step] += 1
        for step in reached.counted:
            self.rows.count(step)
        for step in reached.records_at_start:
            self.rows.record(_START, step)
        for step in reached.remembered:
            label, positions = self.plan.steps[step].label, self._open[-2].positions
            if label is not None:
                number = positions[step, _NUMBER] = positions.get((step, _NUMBER), 0) + 1
                self.rows.number(label, number)
        for step in reached.awaiting:
            self._wait(step)

    def _wait(self, step: int) -> None:
        """The innermost open element is reported when what it waits for in its open ancestors has ended."""
        inner = len(self._open) - 1
        found = []
        for other, many, scope in self.plan.steps[step].awaits:
            if scope > 0:
                places = [inner - scope] if scope <= inner else []
            else:
                places = [at for at in range(inner) if -scope in self._open[at].reached.scopes]
            found += [(places[-1], other, many)] if places else []
        outermost = min((place for place, _, _ in found), default=inner - 1)
        self.rows.wait(step, outermost, ((other, many) for _, other, many in found))

    def _check_attributes(self, attributes: list[str]) -> None:
        if len(attributes) > 2 * self.limits.attributes:
            self.exceeds("attributes", len(attributes) // 2)
        longest = max(map(len, attributes[1::2]))
        if longest > self.limits.attribute_characters:
            self.exceeds("attribute_characters", longest)

    def _values(self, shape: Shape, attributes: list[str]) -> list[str]:
        values = attributes[1::2]
        if self._xml_id in shape[1]:
            place = shape[1].index(self._xml_id)
            values[place] = collapse(values[place])
        return values

    # --- steps

    def _reached(self, outer: _Open, shape: Shape, values: list[str]) -> ReachedSteps:
        known = self._fitting.get((outer.followed, shape[0]))
        if known is None:
            fitting = [step for step in outer.followed if self._fits(step, shape[0])]
            is_tested = any(self.plan.steps[number].start_tests for number in fitting)
            known = self._fitting[outer.followed, shape[0]] = (fitting if is_tested else [], self._union(fitting))
        tested, reached = known
        if not tested:
            return reached
        named = dict(zip(map(self._name, shape[1]), values, strict=True))
        return self._union(step for step in tested if self._passes(step, named, outer.positions))

    def _passes(self, step: int, attributes: dict[Name, str], positions: dict[tuple[int, int], int]) -> bool:
        for place, test in enumerate(self.plan.steps[step].start_tests):
            if isinstance(test, PositionTest):
                number = positions[step, place] = positions.get((step, place), 0) + 1
                if not test.holds(number):
                    return False
            elif not holds(test, attributes):
                return False
        return True

    def _fits(self, number: int, code: int) -> bool:
        step = self.plan.steps[number]
        uri, local = self._name(code)
        if step.uri not in (None, uri) or step.local not in (None, local):
            return False
        return all(test.fits(uri, local) for test in step.name_tests)

    def _name(self, code: int) -> Name:
        name = self.tree.names.qnames[code >> KIND_BITS]
        assert name is not None
        return name.uri, name.local

    def _union(self, numbers: Iterable[int]) -> ReachedSteps:
        steps = frozenset(numbers)
        found = self._unions.get(steps)
        if found is None:
            found = self._unions[steps] = ReachedSteps(self.plan, steps)
        return found

    def _take_string(self, element: _Open) -> None:
        """Keep a string value as one text node, or as all its parts if others need more."""
        if not element.reached.takes_string or element.copies:
            return
        is_alone = all(self._only_counts[step] for step in element.followed)
        if is_alone and not element.spells and not element.reached.keeps_leaves:
            element.collected = []
        else:
            element.spells = True

    # --- rows

    def _add_row(self, element: _Open, values: list[str]) -> None:
        """Give an element its row, after its ancestors without rows."""
        first = len(self._open) - 1
        while not self._open[first - 1].has_row:
            first -= 1
        for ancestor in self._open[first:-1]:
            # No step needs anything of it, or it would have its row.
            code, _, prefixes = ancestor.shape
            own = [(0, name.prefix) for place, name in prefixes if place == 0]
            self.rows.start(code, [], ancestor.declared, own)
            ancestor.has_row = True
        code, attributes, prefixes = element.shape
        wanted = None if element.copies else element.reached.attributes
        kept = [place for place, other in enumerate(attributes, 1) if wanted is None or self._name(other) in wanted]
        own = [(new, name.prefix) for new, old in enumerate((0, *kept)) for place, name in prefixes if place == old]
        pairs = [(attributes[place - 1], values[place - 1]) for place in kept]
        # The document's element has no siblings to stay for.
        stays = element.reached.holds and len(self._open) > 2
        self.rows.start(code, pairs, element.declared, own, element.reached.is_item or stays)
        element.has_row = True

    # --- text, comments, processing instructions

    def _characters(self, data: str) -> None:
        element = self._open[-1]
        if element.collected is not None:
            element.collected.append(data)
        elif element.keeps_text:
            self._text.append(data)
        else:
            return
        self._text_length += len(data)
        if self._text_length > self.limits.text_characters:
            self.exceeds("text_characters", self._text_length)

    def _end_text(self) -> None:
        """A text node ends at any markup, kept or not. A string value that is being collected goes on."""
        if self._text:
            self.rows.leaf(TEXT, "".join(self._text))
            self._text.clear()
            self._text_length = 0
            self._report_leaf(TEXT)

    def _report_leaf(self, kind: int) -> None:
        for step in self._open[-1].reached.leaves[kind]:
            self.rows.record_leaf(LEAF, step)

    def _comment(self, data: str) -> None:
        self._leaf(COMMENT, data)

    def _instruction(self, target: str, data: str) -> None:
        self._leaf(self.instruction_code(target), data)

    def _leaf(self, code: int, data: str) -> None:
        self._end_text()
        if len(data) > self.limits.text_characters:
            self.exceeds("text_characters", len(data))
        element = self._open[-1]
        if (self.plan.comments and element.copies) or element.reached.keeps_remarks:
            self.rows.leaf(code, data)
            self._report_leaf(code & KIND_MASK)

    # --- places

    def names_on_the_way(self) -> list[str]:
        return [str(self._written_name(element.shape)) for element in self._open[1:]]

    def _written_name(self, shape: Shape) -> QName | None:
        unusual = [name for place, name in shape[2] if place == 0]
        return unusual[0] if unusual else self.tree.qnames[shape[0] >> KIND_BITS]
