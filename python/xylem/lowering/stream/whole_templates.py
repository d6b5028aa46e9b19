"""Elements that stream child by child, which the scan may write as a whole if they are small.

        on photon as $p return { ps $p: on-first past() return <r>; on ra as $ra return {$ra}; … {$p/en * 2} … }
    →   the same, and photon has a template: <r>{ $p/ra }{ $p/en * 2 }</r>

Gain:   an element that begins and ends in one batch sends no record out of the scan.
Needs:  a template with short paths: the scan keeps the content until the element ends.
Safe:   no output waits: an element longer than a batch is reported record by record, as without the template.
"""

from __future__ import annotations

from xylem.analysis.projection import Projection
from xylem.plan.flux import Flux
from xylem.plan.kernel_expression import (
    AxisOf,
    Call,
    Calling,
    EachItem,
    EachMember,
    EachNode,
    EachOf,
    EachTuple,
    FoldValues,
    Formatted,
    Gathering,
    GivenLookup,
    Invoke,
    Json,
    JsonArray,
    JsonChoice,
    JsonMap,
    JsonMember,
    JsonPath,
    KernelExpression,
    KeyedValues,
    LetValue,
    Lookup,
    Matching,
    Members,
    NodesOf,
    SomeMembers,
    SortedValues,
    Tests,
    Try,
    TupleOf,
    WindowsOf,
)
from xylem.plan.needs import add_needs
from xylem.plan.result_template import (
    Alike,
    Apply,
    Computed,
    Construct,
    CopiedAttributes,
    CopiedItems,
    Copies,
    Counting,
    Each,
    EachBinding,
    EachNodeOf,
    EachValue,
    Functions,
    Hole,
    Items,
    Keyed,
    Let,
    Numbered,
    Part,
    Path,
    Remark,
    Sorted,
    Template,
    Values,
    When,
    WhenFilled,
)

from .hoisting import hoisted

_MOST_STEPS = 3


def needed_for_whole(body: Flux, variable: str) -> Projection | None:
    """The parts of an element to keep for its template; None for the whole element, and for what is not near."""
    needs = Projection()
    add_needs(hoisted(body), {variable: needs})
    if needs.subtree or needs.string or needs.leaves or needs.above or _is_deep(needs):
        return None
    return needs


def _is_deep(needs: Projection) -> bool:
    """Whether something is asked for that is not near: no template need be tried for it."""
    level, depth = [needs], 0
    while level and depth <= _MOST_STEPS:
        level, depth = [below for one in level for below in one.children.values()], depth + 1
    return bool(level)


def is_near(template: Template) -> bool:
    """Whether a template reads only nodes a few steps away."""
    return all(length <= _MOST_STEPS for part in template for length in _lengths(part))


def _lengths(part: Part) -> list[int]:
    """The lengths of all downward paths of a part."""
    match part:
        case Values(path=path):
            return [_length_of(path)]
        case Copies(path=path, below=below):
            return [_length_of(path) + below]
        case Computed(value=value) | Let(value=value):
            return _of_expression(value)
        case Hole(arguments=arguments):
            return [length for argument in arguments for length in _of_expression(argument)]
        case Construct(attributes=attributes, content=content):
            pieces = [piece for _, pieces in attributes for piece in pieces]
            inside = [length for inner in (*pieces, *content) for length in _lengths(inner)]
            name = [] if isinstance(part.name, str) else _of_expression(part.name)
            return [*name, *inside, *(length for each in part.copied for length in _of_copied(each))]
        case When(test=test, parts=parts, otherwise=otherwise):
            inner = [length for part in (*parts, *otherwise) for length in _lengths(part)]
            return [*_of_expression(test), *inner]
        case Each(path=path, parts=parts, counting=counting):
            inner = [length for part in parts for length in _lengths(part)]
            return [_length_of(path) + length for length in (0, *inner, *_of_counting(counting))]
        case WhenFilled(test=hole, parts=parts, otherwise=otherwise):
            inner = [length for part in (*parts, *otherwise) for length in _lengths(part)]
            return [*_lengths(hole), *inner]
        case Numbered(parts=parts):
            return [length for part in parts for length in _lengths(part)]
        case Functions() | Apply() | Alike():
            # They usually read all of an element.
            return [_MOST_STEPS + 1]
        case EachNodeOf(nodes=nodes, parts=parts):
            inner = [length for part in parts for length in _lengths(part)]
            return [*_of_expression(nodes), *(_depth_of(nodes) + length for length in inner)]
        case EachBinding(tuples=tuples, parts=parts):
            return _inside(_of_tuples(tuples), [length for part in parts for length in _lengths(part)])
        case Items(items=value) | Remark(value=value):
            return _of_expression(value)
        case Sorted(parts=parts):
            return [length for part in parts for length in _lengths(part)]
        case Keyed(keys=keys, parts=parts):
            inner = [length for part in parts for length in _lengths(part)]
            return [*inner, *(length for key in keys for length in _of_expression(key))]
        case EachValue(values=values, parts=parts):
            return [*_of_expression(values), *(length for part in parts for length in _lengths(part))]
    return []


def _of_expression(expression: KernelExpression) -> list[int]:
    match expression:
        case NodesOf(path=path):
            return [_length_of(path)]
        case AxisOf(axis="attribute" | "self"):
            return [0]
        case AxisOf():
            # It may read all of an element.
            return [_MOST_STEPS + 1]
        case Invoke(arguments=arguments):
            return [length for argument in arguments for length in _of_expression(argument)]
        case Calling(bodies=bodies, inner=inner):
            # A function that calls itself may go further down each time.
            below = any(length for body in bodies for length in _of_expression(body))
            return [*_of_expression(inner), *([_MOST_STEPS + 1] if below else [])]
        case Tests(tests=tests):
            return [len(test.path) for test in tests]
        case Call(arguments=arguments):
            return [length for argument in arguments for length in _of_expression(argument)]
        case EachNode(path=path, inner=inner, counting=counting):
            return [_length_of(path) + length for length in (0, *_of_expression(inner), *_of_counting(counting))]
        case SortedValues(inner=inner):
            return _of_expression(inner)
        case KeyedValues(keys=keys, inner=inner):
            return [*_of_expression(inner), *(length for key in keys for length in _of_expression(key))]
        case Matching(value=value) | Formatted(value=value) | Lookup(key=value) | GivenLookup(key=value):
            return _of_expression(value)
        case JsonPath(text=text):
            return _of_expression(text)
        case Try(tried=tried, otherwise=otherwise):
            return [*_of_expression(tried), *_of_expression(otherwise)]
        case FoldValues(values=values, start=start, step=step):
            return [length for each in (values, start, step) for length in _of_expression(each)]
        case EachItem(values=value, inner=inner) | LetValue(value=value, inner=inner):
            return [*_of_expression(value), *_of_expression(inner)]
        case EachOf(nodes=nodes, inner=inner):
            return [*_of_expression(nodes), *(_depth_of(nodes) + length for length in _of_expression(inner))]
        case EachTuple(tuples=tuples, inner=inner):
            return _inside(_of_tuples(tuples), _of_expression(inner))
        case TupleOf(keys=keys, values=values):
            return [length for each in (*keys, *values) for length in _of_expression(each)]
        case Json(value=json):
            return _of_json(json)
    return []


def _depth_of(nodes: KernelExpression) -> int:
    """How many steps away the nodes of an expression are at most; conditions on them may read further away."""
    match nodes:
        case NodesOf(path=path):
            return _length_of(path)
        case EachNode(path=path, inner=inner):
            return _length_of(path) + _depth_of(inner)
        case EachOf(nodes=outer, inner=inner):
            return _depth_of(outer) + _depth_of(inner)
        case Call(function="if", arguments=(_, *branches)) | Call(function="," | "document order", arguments=branches):
            return max(map(_depth_of, branches), default=0)
    return max(_of_expression(nodes), default=0)


def _of_copied(copied: CopiedAttributes | CopiedItems) -> list[int]:
    return _of_expression(copied.items) if isinstance(copied, CopiedItems) else [_length_of(copied.path)]


def _of_tuples(tuples: Gathering | WindowsOf) -> list[int]:
    if isinstance(tuples, Gathering):
        return _of_expression(tuples.tuples)
    conditions = [tuples.start.when] if tuples.end is None else [tuples.start.when, tuples.end.when]
    items = _of_expression(tuples.items)
    return _inside(items, [length for each in conditions for length in _of_expression(each)])


def _inside(nodes: list[int], inner: list[int]) -> list[int]:
    """The lengths of paths that begin where others end."""
    return [max(nodes, default=0) + length for length in (0, *inner)]


def _of_counting(counting: Counting | None) -> list[int]:
    return [] if counting is None or counting.test is None else _of_expression(counting.test)


def _of_json(json: JsonMember) -> list[int]:
    match json:
        case JsonMap(entries=entries):
            return [length for _, value in entries for length in _of_json(value)]
        case JsonArray(members=members):
            return [length for member in members for length in _of_json(member)]
        case JsonChoice(test=test, then=then, otherwise=otherwise):
            return [*_of_expression(test), *_of_json(then), *_of_json(otherwise)]
        case Members(values=values):
            return _of_expression(values)
        case EachMember(path=path, members=members):
            return [_length_of(path) + length for member in members for length in (0, *_of_json(member))]
        case SomeMembers(test=test, members=members, otherwise=otherwise):
            return [*_of_expression(test), *(n for member in (*members, *otherwise) for n in _of_json(member))]
    return _of_expression(json)


def _length_of(path: Path) -> int:
    # Wanted nodes are kept at any depth: a little more than the children.
    return len(path) + any(step.descends for step in path)
