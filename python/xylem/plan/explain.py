"""`xylem explain`: what a query reads, what it does on the way, and what it holds, each with its line.

For a streaming query, the explanation has the account of its stream and its FluX program. Otherwise it has the reason:
the query then runs over trees in memory, and holds items in addition.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from xylem.analysis.focus import reads_focus
from xylem.errors import Span
from xylem.functions.traits import standard
from xylem.syntax import ast

from .effects import Effect, finding
from .explain_operators import plan_facts, plan_lines
from .flux_printer import print_flux
from .note import Note
from .operators import OperatorPlan
from .pass_values import PASS_NAMESPACE
from .stream_account import StreamAccount
from .streamability import DataFlow, Streamability

MAX_EXCERPT = 60
_RESOURCES = standard("collection doc json-doc unparsed-text")
EFFECTS = frozenset(effect.value for effect in Effect)


class External(Protocol):
    """An external variable, as the compiler describes it."""

    @property
    def uri(self) -> str: ...
    @property
    def local(self) -> str: ...
    @property
    def type(self) -> object: ...
    @property
    def has_default(self) -> bool: ...


class Compiled(Protocol):
    """The facts about a compiled query that an explanation needs."""

    module: ast.Module
    code: str
    notes: Sequence[Note]

    @property
    def output(self) -> Mapping[str, str]: ...
    @property
    def external_variables(self) -> Sequence[External]: ...


@dataclass(frozen=True)
class Step:
    """A place in the query where something happens to the items that pass."""

    span: Span
    construct: str
    effect: str
    text: str

    def to_dict(self) -> dict[str, Any]:
        return {
            "line": self.span.line,
            "column": self.span.column,
            "query": excerpt(self.span),
            "construct": self.construct,
            "effect": self.effect,
            "text": self.text,
        }


@dataclass(frozen=True)
class Refusal:
    """Why a query does not stream."""

    why: str
    span: Span | None = None

    def __str__(self) -> str:
        return f"{self.why} (line {self.span.line})" if self.span is not None else self.why


@dataclass(frozen=True, repr=False)
class Explanation:
    """How a query is executed: for people as text (`print`), for programs by `to_dict`."""

    name: str
    inputs: tuple[tuple[str, str], ...]
    """The inputs and their sources."""
    functions: tuple[tuple[str, int], ...]
    """Declared functions with their lines."""
    steps: tuple[Step, ...]
    output: Mapping[str, str]
    code: str
    """The program over trees."""
    module: ast.Module
    stream: StreamAccount | Refusal
    streamability: Streamability
    data_flow: DataFlow
    operators: OperatorPlan
    """The running operators."""

    def __str__(self) -> str:
        return self.to_text()

    def __repr__(self) -> str:
        # The trees of a query can be too deep, and are too long, for the form that a dataclass has.
        return f"<explanation of {self.name}: {'a stream' if isinstance(self.stream, StreamAccount) else 'a tree'}>"

    @property
    def holds(self) -> tuple[Step, ...]:
        """The steps that keep items."""
        return tuple(step for step in self.steps if step.effect == Effect.HOLDS.value)

    def to_dict(self, *, with_code: bool = False, with_ast: bool = False) -> dict[str, Any]:
        """Plain data, for JSON."""
        facts: dict[str, Any] = {
            "query": self.name,
            "plan": "stream" if isinstance(self.stream, StreamAccount) else "tree in memory",
            "operators": plan_facts(self.operators),
            **self._stream_facts(),
            "reads": [{"what": what, "from": source} for what, source in self.inputs],
            "functions": [{"name": name, "line": line} for name, line in self.functions],
            "steps": [step.to_dict() for step in self.steps],
            "output": dict(self.output),
        }
        if with_code:
            facts["code"] = self._code
        if with_ast:
            facts["ast"] = outline(self.module)
        return facts

    def _stream_facts(self) -> dict[str, Any]:
        stream = self.stream
        if isinstance(stream, Refusal):
            span = stream.span
            place = None if span is None else {"line": span.line, "column": span.column, "query": excerpt(span)}
            return {
                "streamed": False,
                "reason": stream.why,
                "place": place,
                "passes": self.streamability.passes,
                "bounded": False,
                "verdict": self.streamability.to_dict(),
                "buffers": [],
                "flux": None,
            }
        return {
            "streamed": True,
            "passes": stream.passes,
            "bounded": stream.is_bounded,
            "verdict": self.streamability.to_dict(),
            "streams": [streamed.to_dict() for streamed in stream.streamed],
            "aggregates": [aggregated.to_dict() for aggregated in stream.aggregated],
            "buffers": [buffered.to_dict() for buffered in stream.buffered],
            "left_to_code": [{"expression": text, "why": why} for text, why in stream.by_code],
            "flux": print_flux(stream.program),
        }

    @property
    def _code(self) -> str:
        return self.stream.code if isinstance(self.stream, StreamAccount) else self.code

    def to_text(self, *, with_code: bool = False, with_ast: bool = False) -> str:
        """A page for a person."""
        stream = self.stream
        if isinstance(stream, StreamAccount):
            passes = "one pass" if stream.passes == 1 else f"{stream.passes} passes"
            grows = "" if stream.is_bounded else "; what it buffers grows with the input"
            lines = [f"{self.name}: streams, in {passes}{grows}"]
        else:
            lines = [f"{self.name}: evaluated over trees in memory, by generated code", f"  not streamed: {stream}"]
        if not self.streamability.is_single_pass or self.streamability.trees:
            lines += _section("passes", list(self.streamability.lines()))
        lines += _section("plan", list(plan_lines(self.operators)))
        lines += _section("reads", [f"{what:<24} {source}" for what, source in self.inputs])
        lines += _section("functions", [f"{line:>4} | {name}" for name, line in self.functions])
        lines += _section("does", [row for step in self.steps for row in _rows(step)])
        if isinstance(stream, StreamAccount):
            lines += stream_sections(stream)
        else:
            lines += _section("holds", [self._held()])
        lines += _section("writes", [f"{name} = {value}" for name, value in self.output.items()])
        if with_ast:
            lines += _section("syntax tree", outline(self.module))
        if with_code:
            lines += _section("generated code", self._code.splitlines())
        return "\n".join(lines) + "\n"

    def _held(self) -> str:
        if not self.holds:
            return "the input trees; no step keeps items"
        places = ", ".join(f"{step.construct} (line {step.span.line})" for step in self.holds)
        return f"the input trees, and what these keep: {places}"


def explain(
    program: Compiled,
    stream: StreamAccount | Refusal,
    streamability: Streamability,
    data_flow: DataFlow,
    operators: OperatorPlan,
) -> Explanation:
    """The explanation of a compiled query: its stream, the number of passes and the reasons, and its execution."""
    module = program.module
    declared = [d for d in module.prolog if isinstance(d, ast.FunctionDecl)]
    return Explanation(
        name=module.span.source.name,
        inputs=tuple(_inputs(program)),
        functions=tuple((f"{d.name}#{len(d.parameters)}", d.span.line) for d in declared),
        steps=tuple(_steps(program)),
        output=program.output,
        code=program.code,
        module=module,
        stream=stream,
        streamability=streamability,
        data_flow=data_flow,
        operators=operators,
    )


def _inputs(program: Compiled) -> Iterator[tuple[str, str]]:
    if isinstance(program.module, ast.MainModule) and reads_focus(program.module.body):
        yield "the context item", "given from outside"
    for variable in program.external_variables:
        if variable.uri == PASS_NAMESPACE:
            continue
        name = f"Q{{{variable.uri}}}{variable.local}" if variable.uri else variable.local
        default = ", has a default" if variable.has_default else ""
        endless = "*, item by item" if getattr(variable, "endless", False) else ""
        yield f"${name}", f"{variable.type}{endless}, given from outside{default}"
    for node in program.module.walk():
        if isinstance(node, ast.FunctionCall) and node.name.expanded in _RESOURCES:
            yield excerpt(node.span), f"line {node.span.line}: from the places that are allowed"


def _steps(program: Compiled) -> Iterator[Step]:
    notes: dict[tuple[int, int], list[Note]] = {}
    for note in program.notes:
        notes.setdefault((note.span.start, note.span.end), []).append(note)
    for node in program.module.walk():
        found = finding(node)
        told = notes.pop((node.span.start, node.span.end), [])
        if found is None and not told:
            continue
        construct = excerpt(node.span) if found is None else found.construct
        # Windows without readers of their items hold none; other decisions about them are added.
        if found is not None and (not told or isinstance(node, (ast.WindowClause, ast.ForseqClause))):
            holds_none = any(note.topic in ("items", "early results") for note in told)
            if not holds_none:
                yield Step(node.span, found.construct, found.effect.value, found.text)
        for note in told:
            yield Step(node.span, construct, note.topic, note.text)


def excerpt(span: Span) -> str:
    """The query's own text at a span, on one line and not too long."""
    text = " ".join(span.source.text[span.start : span.end].split())
    return text if len(text) <= MAX_EXCERPT else text[: MAX_EXCERPT - 1] + "…"


def _rows(step: Step) -> list[str]:
    told = f"{step.effect} {step.text}" if step.effect in EFFECTS else f"{step.effect}: {step.text}"
    return [f"{step.span.line:>4} | {excerpt(step.span)}", f"     |   {told}"]


def _section(title: str, lines: Sequence[str]) -> list[str]:
    return ["", title, *(f"  {line}".rstrip() for line in lines)] if lines else []


def stream_sections(stream: StreamAccount) -> list[str]:
    """The account of the stream, and its program."""
    streamed = []
    for each in stream.streamed:
        streamed.append(f"{each.path} as ${each.variable}, {each.how}")
        if each.reads:
            streamed.append(f"  reads {', '.join(each.reads)}")
        if each.by_scan:
            streamed.append("  results in plain XML are written by the scan itself")
    aggregated = [
        f"{each.told} of {each.path}{f', {each.verb} by the scan itself' if each.by_scan else ''}"
        for each in stream.aggregated
    ]
    buffered = []
    for buffer in stream.buffered:
        buffered.append(f"${buffer.variable}: {', '.join(buffer.paths)}")
        buffered.append(f"  from where it passes until {buffer.until}; at most {buffer.bound}")
    return [
        *_section("rewritten", stream.fusions),
        *_section("streams", streamed),
        *_section("aggregates on the way", aggregated),
        *_section("buffers", buffered or ["nothing"]),
        *(_section("left to code", [f"{text}: {why}" for text, why in stream.by_code]) if stream.by_code else ()),
        *_section("FluX", print_flux(stream.program).splitlines()),
    ]


def outline(node: ast.Node, depth: int = 0) -> list[str]:
    """A syntax tree as indented lines: kind, plain properties, place."""
    lines: list[str] = []
    stack = [(node, depth)]
    while stack:
        current, level = stack.pop()
        properties = ((key, getattr(current, key)) for key in current._compared)
        plain = [f"{key}={value}" for key, value in properties if _is_plain(value)]
        place = f"{current.span.line}:{current.span.column}"
        lines.append(f"{'  ' * level}{' '.join([type(current).__name__, *plain])}  @{place}")
        stack.extend((child, level + 1) for child in reversed(list(current.children())))
    return lines


def _is_plain(value: object) -> bool:
    return value is not None and isinstance(value, (str, int, float, bool)) and value != ""
