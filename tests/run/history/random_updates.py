"""Random update streams and random queries over them, by a seed: what differential tests of histories are made of."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass, field
from decimal import Decimal

from xylem.run.history.commits import History
from xylem.run.history.updates import Builder, Update, Updates
from xylem.values.qname import QName

NAMES = ("a", "b", "c", "d")
STREAMS = ("s", "t")


@dataclass
class Script:
    """Steps to be done on a history, any number of times: the same on each."""

    steps: list[Callable[[dict[str, Updates]], None]] = field(default_factory=list)

    def run(self, history: History, at_commit: Callable[[], None]) -> None:
        updates = {name: Updates(history.stream(name)) for name in STREAMS}
        for step in self.steps:
            before = history.number
            step(updates)
            if history.number != before:
                at_commit()


class _Writer:
    """Writes random content, and remembers the ids it gave."""

    def __init__(self, rng: random.Random) -> None:
        self.rng = rng
        self.ids: dict[str, list[str]] = {name: [] for name in STREAMS}
        self.serial = 0

    def id(self, stream: str) -> str:
        self.serial += 1
        made = f"i{self.serial}"
        self.ids[stream].append(made)
        return made

    def value(self) -> str:
        rng = self.rng
        return rng.choice((str(rng.randint(0, 9)), str(rng.randint(0, 4)), str(rng.randint(0, 40) / 4)))

    def content(self, stream: str, depth: int, size: int, name: str | None = None) -> list[tuple[object, ...]]:
        """A list of ('element', name, attributes, id, content), ('region', id, content), ('text', value)."""
        rng = self.rng
        made: list[tuple[object, ...]] = []
        for _ in range(size):
            kind = rng.random()
            if kind < 0.08:
                made.append(("text", self.value()))
            elif kind < 0.2 and depth:
                made.append(("region", self.id(stream), self.content(stream, depth - 1, rng.randint(0, 2), name)))
            else:
                own = name or rng.choice(NAMES)
                id = self.id(stream) if rng.random() < 0.5 else None
                attributes = {"k": self.value()} if rng.random() < 0.3 else {}
                if depth <= 1 or rng.random() < 0.2:
                    inner: list[tuple[object, ...]] = [("text", self.value())]
                else:
                    inner = self.content(stream, depth - 1, rng.randint(1, 3))
                made.append(("element", own, attributes, id, inner))
        return made


def write(builder: Builder, content: list[tuple[object, ...]]) -> None:
    for item in content:
        if item[0] == "text":
            builder.text(str(item[1]))
        elif item[0] == "region":
            builder.begin_region(str(item[1]))
            write(builder, item[2])  # type: ignore[arg-type]
            builder.end_region()
        else:
            _, name, attributes, id, inner = item
            pairs = [(QName("", key), value) for key, value in attributes.items()]  # type: ignore[attr-defined]
            builder.start(QName("", str(name)), pairs, None, None if id is None else str(id))
            write(builder, inner)  # type: ignore[arg-type]
            builder.end()


def random_script(seed: int, updates: int = 8) -> Script:
    """A base in one or several commits, then updates: replaced, removed, inserted, in batches, over time."""
    rng = random.Random(seed)
    writer = _Writer(rng)
    script = Script()
    streams = STREAMS if rng.random() < 0.5 else STREAMS[:1]
    now = Decimal(0)

    def commit(all_updates: dict[str, Updates]) -> None:
        for one in all_updates.values():
            one.show_base()
        next(iter(all_updates.values())).stream.history.commit()

    for stream in streams:
        parts = [writer.content(stream, 3, rng.randint(1, 4)) for _ in range(rng.randint(1, 3))]
        script.steps.append(lambda u, s=stream: u[s].base.start(QName("", "root")))  # type: ignore[misc]
        for part in parts:
            script.steps.append(lambda u, s=stream, p=part: write(u[s].base, p))  # type: ignore[misc]
            if rng.random() < 0.3:
                script.steps.append(commit)
        script.steps.append(lambda u, s=stream: u[s].base.end())  # type: ignore[misc]
    script.steps.append(commit)
    for _ in range(updates):
        if rng.random() < 0.7:
            now += rng.choice((Decimal(1), Decimal("0.5"), Decimal(3), Decimal(7)))
            script.steps.append(lambda u, t=now: u["s"].advance(t))  # type: ignore[misc]
        for _ in range(1 if rng.random() < 0.8 else rng.randint(2, 3)):
            step = _random_update(rng, writer, streams)
            if step is not None:
                script.steps.append(step)
        script.steps.append(commit)
    return script


def _random_update(
    rng: random.Random, writer: _Writer, streams: tuple[str, ...]
) -> Callable[[dict[str, Updates]], None] | None:
    stream = rng.choice(streams)
    ids = writer.ids[stream]
    if not ids:
        return None
    # A few ids are updated again and again: their histories grow.
    target = rng.choice(ids[: 1 + len(ids) // 3]) if rng.random() < 0.5 else rng.choice(ids)
    kind = rng.choices(("replace", "remove", "insert-before", "insert-after"), (6, 1, 1.5, 1.5))[0]
    if kind == "remove":
        return lambda u: u[stream].remove(target)
    content = writer.content(stream, rng.randint(1, 2), rng.choice((1, 1, 1, 2)))
    own = writer.id(stream) if rng.random() < 0.4 else None

    def step(u: dict[str, Updates]) -> None:
        update: Update = u[stream].begin(kind, target, own)  # type: ignore[arg-type]
        write(update, content)
        u[stream].end(update)

    return step


# --- queries


class _Queries:
    def __init__(self, rng: random.Random, *, projections: bool) -> None:
        self.rng = rng
        self.projections = projections

    def name(self) -> str:
        return self.rng.choice(NAMES)

    def projection(self, chance: float = 0.35) -> str:
        if not self.projections or self.rng.random() > chance:
            return ""
        return self.rng.choice(("#0", "#1", "#1", "#2", "#[1]", "#[2]", "?1", "?2.5", "?[1]", "?[3]", "?[8]"))

    def path(self, projected: bool = True) -> str:
        rng = self.rng
        root = rng.choice(('stream("s")', 'stream("s")', 'stream("t")'))
        steps = rng.choice((
            f"//{self.name()}", f"//{self.name()}", f"//{self.name()}/{self.name()}", f"/root/{self.name()}",
            f"/root/{self.name()}/{self.name()}", "/root/*", f"//{self.name()}//{self.name()}",
            f"//{self.name()}[{self.test('.')}]/{self.name()}", f"/*/{self.name()}[{self.test('.')}]",
        ))  # fmt: skip
        if projected:
            steps += self.projection()
        if rng.random() < 0.15 and not steps.endswith("]"):
            steps += f"[{self.test('.')}]"
        if rng.random() < 0.1:
            steps += rng.choice(("/@k", "/text()"))
        return root + steps

    def inner(self, variable: str) -> str:
        """A path inside an element."""
        rng = self.rng
        start = "" if variable == "." else f"{variable}/"
        made = start + rng.choice((
            self.name(), self.name(), "@k", f".//{self.name()}", f"{self.name()}/{self.name()}", "*",
        ))  # fmt: skip
        if not made.endswith("@k"):
            made += self.projection(0.4)
        return made

    def value(self, variable: str) -> str:
        rng = self.rng
        return rng.choice((
            f"count({self.inner(variable)})", f"sum({self.inner(variable)}//text()[. castable as xs:double])",
            f"string-join({self.inner(variable)}, '-')", f"name({variable})" if variable != "." else "name()",
            f"string-length(string({variable}))",
        ))  # fmt: skip

    def test(self, variable: str) -> str:
        rng = self.rng
        return rng.choice((
            f"{self.inner(variable)} = '{rng.randint(0, 9)}'",
            f"exists({self.inner(variable)})", f"not({self.inner(variable)})", f"count({self.inner(variable)}) > 1",
            f"{self.value(variable)} = {self.value(variable)}",
            f"{self.inner(variable)} != '{rng.randint(0, 4)}'",
        ))  # fmt: skip

    def result(self, variable: str) -> str:
        rng = self.rng
        return rng.choice((
            variable, self.inner(variable).replace("@k", "a"), f"<r>{{{self.inner(variable)}}}</r>",
            f"<r n='{{{self.value(variable)}}}'/>", self.value(variable), f"({self.value(variable)}, {variable})",
            f"string({variable})", f"<v>{{{variable}{self.versions()}}}</v>",
            f"for $o in {variable}{self.versions()} return string($o)",
        ))  # fmt: skip

    def versions(self) -> str:
        return self.rng.choice(("#1", "#0", "#[1]", "#[2]", "?[2]")) if self.projections else ""

    def order(self, variable: str) -> str:
        rng = self.rng
        if rng.random() > 0.35:
            return ""
        key = rng.choice((
            self.value(variable), f"string({variable})", f"count({self.inner(variable)})",
            f"string-length(string({variable})), string({variable}) descending",
        ))  # fmt: skip
        return f" order by {key}{rng.choice(('', ' descending', ' empty greatest'))}"

    def flwor(self) -> str:
        rng = self.rng
        if rng.random() < 0.2:
            return self.numbered()
        if rng.random() < 0.1:
            return self.looking_up()
        clauses = f"for $x in {self.path()}"
        variables = ["$x"]
        if rng.random() < 0.25:
            clauses += f" for $y in {self.inner('$x')}"
            variables.append("$y") if not clauses.endswith("@k") else None
        elif rng.random() < 0.25:
            clauses += f", $z in {self.path()} where $z/{self.name()} = $x/{self.name()}"
        if rng.random() < 0.3:
            clauses += f" let $v := {self.value(variables[-1])}"
            if rng.random() < 0.5:
                clauses += " where $v > 1" if "count" in clauses[-20:] else ""
        if rng.random() < 0.5:
            clauses += f" where {self.test(rng.choice(variables))}"
        if rng.random() < 0.12:
            clauses += f" where {self.value('$x')} != count({self.path()})"
        return f"{clauses}{self.order(variables[-1])} return {self.result(rng.choice(variables))}"

    def numbered(self) -> str:
        """Positions and numbers of tuples, before and behind conditions."""
        rng = self.rng
        clauses = f"for $x at $i in {self.path()}" if rng.random() < 0.5 else f"for $x in {self.path()}"
        if rng.random() < 0.3:
            clauses += f" for $y in {self.inner('$x')}"
        if rng.random() < 0.5:
            clauses += f" where {self.test('$x')}"
        if " at " not in clauses:
            clauses += " count $i"
        if rng.random() < 0.5:
            clauses += rng.choice(
                (" where $i mod 2 = 1", " where $i > 2", " where $i < 3", f" where {self.test('$x')}")
            )
        if rng.random() < 0.15:
            return f"{clauses} group by $g := $i mod 2 return <g>{{$g, count($x)}}</g>"
        result = rng.choice(("($i, $x)", "<n i='{$i}'/>", f"<n>{{$i, {self.value('$x')}}}</n>", "$i"))
        return f"{clauses}{self.order('$x')} return {result}"

    def looking_up(self) -> str:
        rng = self.rng
        above = rng.choice(("..", "..", f"parent::{self.name()}", "../.."))
        predicate = rng.choice(("", f"[{self.test('.')}]", f"[../{self.name()}]"))
        path = f'stream("s")//{self.name()}/{self.name()}{predicate}'
        where = rng.choice(
            ("", f" where $x/{above}/{self.name()} = '{rng.randint(0, 9)}'", f" where {self.test('$x')}")
        )
        result = rng.choice((
            f"<u>{{$x/{above}/{self.name()}}}</u>", f"(name($x/{above}), $x)", f"<u>{{$x, count($x/{above}/*)}}</u>",
            f"string-join($x/{above}/@k, '-')",
        ))  # fmt: skip
        return f"for $x in {path}{where}{self.order('$x')} return {result}"

    def windowed(self) -> str:
        rng = self.rng
        kind = rng.choice(("tumbling", "sliding"))
        start = rng.choice(("start at $i when true()", "start $f when exists($f/*)", "start at $i when $i mod 2 = 1"))
        end = rng.choice(
            ("end at $j when $j mod 3 = 0", "only end at $j when $j mod 2 = 0", "end $l when exists($l/@k)")
        )
        if kind == "tumbling" and rng.random() < 0.3:
            end = ""
        result = rng.choice((
            "<w>{$w}</w>", "count($w)", f"<w>{{$w/{self.name()}}}</w>", f"<w>{{count($w), {self.inner('$w[1]')}}}</w>",
            "string-join($w, '-')", f"sum($w//{self.name()} ! string-length(.))",
        ))  # fmt: skip
        return f"for {kind} window $w in {self.path()} {start} {end} return {result}"

    def grouped(self) -> str:
        rng = self.rng
        inner = self.inner("$x")
        key = rng.choice(("string($x)", "name($x)", f"count({inner})", f"string-join({inner}, ' ')"))
        order = rng.choice(("", " order by $g", " order by count($x) descending", " order by $g descending"))
        result = rng.choice((
            "<g k='{$g}'>{count($x)}</g>", "($g, count($x))", "<g>{$g, sum($x//text()[. castable as xs:double])}</g>",
            "<g>{$x}</g>", "<g>{$g, max($x/@k), string-join($x, ',')}</g>",
        ))  # fmt: skip
        where = f" where {self.test('$x')}" if rng.random() < 0.4 else ""
        return f"for $x in {self.path()}{where} group by $g := {key}{order} return {result}"

    def aggregate(self) -> str:
        rng = self.rng
        of = self.path() if rng.random() < 0.7 else f"({self.flwor()})"
        number = f"({self.path()}//text())[. castable as xs:double]"
        numbers = f"for $n in {self.path()} where string($n) castable as xs:double return xs:double($n)"
        return rng.choice((
            f"count({of})", f"exists({of})", f"empty({of})", f"count(({number}))", f"sum({numbers})", f"avg({numbers})",
            f"min({numbers})", f"max({numbers})", f"count(distinct-values({self.path()}))",
            f"(some $x in {self.path()} satisfies {self.test('$x')})",
            f"(every $x in {self.path()} satisfies {self.test('$x')})",
            f"string-join({self.path()}, ' ')", f"sum({self.path()} ! string-length(string(.)))",
            f"max({self.path()} ! count(*))",
        ))  # fmt: skip

    def expression(self) -> str:
        rng = self.rng
        kind = rng.random()
        if kind < 0.4:
            return self.flwor()
        if kind < 0.5:
            return self.path().replace("/@k", "")
        if kind < 0.7:
            made = self.aggregate()
            return f"({made}){self.projection(0.3)}" if rng.random() < 0.5 else made
        if kind < 0.78:
            return self.grouped()
        if kind < 0.85:
            return f"({self.flwor()})[{rng.choice(('1', '2', 'last()', 'position() <= 2'))}]"
        if kind < 0.88:
            return self.windowed()
        if kind < 0.92:
            return f"if ({self.aggregate()} = ({self.aggregate()}, 1)) then {self.flwor()} else 'no'"
        return self.joined()

    def joined(self) -> str:
        rng = self.rng
        kind = rng.choice(("some", "every"))
        condition = f"$s/{self.name()} = $x/{self.name()}"
        if rng.random() < 0.3:
            condition += " and $s/@k = $x/@k"
        tested = rng.choice((
            f"not(some $s in {self.path()} satisfies {condition})", f"{kind} $s in {self.path()} satisfies {condition}",
            f"count({self.path(False)}[{self.name()} = $x/{self.name()}]) > 0",
        ))  # fmt: skip
        return f"for $x in {self.path()} where {tested} return {self.result('$x')}"

    def query(self) -> str:
        rng = self.rng
        kind = rng.random()
        if kind < 0.6:
            return self.expression()
        if kind < 0.8:
            return f"<out>{{{self.expression()}}}</out>"
        return f"<out>{{{self.expression()}}} and {{{self.expression()}}}</out>, {self.aggregate()}"


def random_query(seed: int, *, projections: bool = True) -> str:
    """A query over the streams `s` and `t`."""
    return _Queries(random.Random(seed), projections=projections).query()
