"""Best-match joins whose results are elements with gaps: the text of each result, for the kernel to write.

    return <m t="{ $p/det_time }" d="{ abs($p/ra - $q/ra) }"/>

        fixed '<m t="'   path $p/det_time   fixed '" d="'   term |left 0 - right 0|   fixed '"/>'

Gain:   for an answer as text, the kernel writes thousands of pairs at a time; no node is created for any.
Needs:  the join is the whole query, followed by variables and one element in no namespace. Gaps are paths from the
        items, and arithmetic over the compared values: these are never empty or NaN.
Safe:   the same characters, in the same order. If the kernel cannot compute a gap, the query's own expression fills it,
        which is also written as a function.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from xylem.functions.registry import FN, PREFIXES
from xylem.plan.best_match_plan import BestMatchPlan, Term
from xylem.rewrite.substitution import Substitution
from xylem.run.best_match.side_rows import PathLeaf
from xylem.sink.character_expansion import escape_attribute, escape_text
from xylem.syntax import ast

from .compiler import Compiler

Piece = tuple[Any, ...]
_UNARY = {(FN, "abs"): "abs", (PREFIXES["math"], "sqrt"): "sqrt"}
_SKY = (PREFIXES["xylem"], "sky-separation")


class WrittenMatch(NamedTuple):
    """The template of a result, the expressions of its gaps, and the numbered paths of each side."""

    template: tuple[Piece, ...]
    holes: tuple[ast.Expr, ...]
    paths: tuple[tuple[PathLeaf, ...], tuple[PathLeaf, ...]]


def written_match(
    c: Compiler, plan: BestMatchPlan, rest: Sequence[ast.Clause], result: ast.Expr
) -> WrittenMatch | None:
    """The text form of results; None if they are not known to be such elements."""
    lets = [*plan.left.clauses, *plan.right.clauses, *plan.lets, *rest]
    lets = [clause for clause in lets if not (isinstance(clause, ast.WhereClause) and clause not in rest)]
    if c.static.element_namespaces or plan.pads_left or plan.pads_right or not isinstance(result, ast.DirectElement):
        return None
    known: dict[tuple[str, str], ast.Expr] = {}
    for let in lets:
        if not isinstance(let, ast.LetClause) or let.type is not None:
            return None
        known[let.name.expanded] = Substitution(known).apply(let.value)
    try:
        return _Template(plan).of(Substitution(known).apply(result))
    except _NotWritten:
        return None


class _NotWritten(Exception):
    """The structure of a result is unknown, or a gap is more than a path or arithmetic."""


class _Template:
    def __init__(self, plan: BestMatchPlan) -> None:
        self._plan = plan
        self._holes: list[ast.Expr] = []
        self._paths: tuple[list[PathLeaf], list[PathLeaf]] = ([], [])
        self._compared = {leaf for criterion in plan.criteria if criterion.term for leaf in _leaves(criterion.term)}

    def of(self, element: ast.DirectElement) -> WrittenMatch:
        pieces = tuple(_joined(self._element(element)))
        return WrittenMatch(pieces, tuple(self._holes), (tuple(self._paths[0]), tuple(self._paths[1])))

    def _element(self, node: ast.DirectElement) -> Iterator[Piece]:
        names = [node.name, *(attribute.name for attribute in node.attributes)]
        if node.namespaces or any(name.uri or name.prefix or name.local == "xmlns" for name in names):
            raise _NotWritten
        if len({name.local for name in names[1:]}) < len(names) - 1:
            raise _NotWritten
        yield "fixed", f"<{node.name.local}"
        for attribute in node.attributes:
            yield "fixed", f' {attribute.name.local}="'
            for part in attribute.parts:
                yield ("fixed", escape_attribute(part)) if isinstance(part, str) else self._gap(part.body, True)
            yield "fixed", '"'
        yield from self._content(node)

    def _content(self, node: ast.DirectElement) -> Iterator[Piece]:
        end = f"</{node.name.local}>"
        if not node.content:
            yield "fixed", "/>"
        elif all(isinstance(part, ast.EnclosedExpr) for part in node.content):
            gaps = [self._gap(part.body, False) for part in node.content if isinstance(part, ast.EnclosedExpr)]
            yield "content", tuple(gaps), end
        else:
            yield "fixed", ">"
            for part in node.content:
                match part:
                    case ast.DirectText(value=value):
                        yield "fixed", escape_text(value)
                    case ast.DirectElement():
                        yield from self._element(part)
                    case ast.EnclosedExpr(body=body):
                        yield self._gap(body, False)
                    case _:
                        raise _NotWritten
            yield "fixed", end

    # --- gaps

    def _gap(self, expr: ast.Expr, is_attribute: bool) -> Piece:
        path, is_only, is_spaced = expr, False, True
        match expr:
            case ast.FunctionCall(name=name, arguments=(argument,)) if name.expanded in ((FN, "string"), (FN, "data")):
                path, is_only = argument, name.local == "string"
            case ast.Path(right=ast.AxisStep(test=ast.TextTest())) if not is_attribute:
                is_spaced = False
            case _:
                term = self._term(expr)
                if term is not None and term[0] not in ("left", "right"):
                    return "term", self._hole(expr), term
                if not is_attribute:
                    # Nodes are copied with all their content.
                    raise _NotWritten
        side, place = self._path(path)
        return "path", self._hole(expr), side, place, is_attribute, is_spaced, is_only

    def _hole(self, expr: ast.Expr) -> int:
        self._holes.append(expr)
        return len(self._holes) - 1

    def _path(self, expr: ast.Expr) -> tuple[str, int]:
        from .best_match import path_leaf

        sides = ("left", self._plan.left), ("right", self._plan.right)
        for (name, side), paths in zip(sides, self._paths, strict=True):
            found = path_leaf(expr, side.binding.name)
            if found is not None and isinstance(expr, (ast.Path, ast.VarRef)):
                if found not in paths:
                    paths.append(found)
                return name, paths.index(found)
        raise _NotWritten

    def _term(self, expr: ast.Expr) -> Term | None:
        """Arithmetic over values that orders compare; None for anything else."""
        match expr:
            case ast.Arithmetic(op="+" | "-" | "*" | "div" as op, left=left, right=right):
                return self._operation(op, left, right)
            case ast.Unary(op="-", operand=operand):
                return self._operation("negate", operand)
            case ast.FunctionCall(name=name, arguments=(operand,)) if name.expanded in _UNARY:
                return self._operation(_UNARY[name.expanded], operand)
            case ast.FunctionCall(name=name, arguments=arguments) if name.expanded == _SKY and len(arguments) == 4:
                return self._operation("sky", *arguments)
        plan = self._plan
        for side, leaves in (("left", plan.left.leaves), ("right", plan.right.leaves)):
            if expr in leaves and (side, leaves.index(expr)) in self._compared:
                return side, leaves.index(expr)
        return ("constant", plan.constants.index(expr)) if expr in plan.constants else None

    def _operation(self, op: str, *operands: ast.Expr) -> Term | None:
        terms = [self._term(operand) for operand in operands]
        return None if any(term is None for term in terms) else (op, *terms)


def _leaves(term: Term) -> Iterator[Term]:
    if term[0] in ("left", "right"):
        yield term
    elif term[0] != "constant":
        for operand in term[1:]:
            yield from _leaves(operand)


def _joined(pieces: Iterator[Piece]) -> Iterator[Piece]:
    """The pieces with adjacent fixed texts merged."""
    fixed = ""
    for piece in pieces:
        if piece[0] == "fixed":
            fixed += piece[1]
            continue
        if fixed:
            yield "fixed", fixed
        fixed = ""
        yield piece
    if fixed:
        yield "fixed", fixed
