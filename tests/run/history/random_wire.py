"""Random update streams in the wire format and random queries over two of them, by a seed."""

from __future__ import annotations

import random

PROJECTIONS = ("#1", "#[1]", "#2", "?2", "?[2]", "?[5]", "#0", "")
STEPS = ("a", "b", "*", "a[. > 2]", "b[@k]", "a[1]", "b[last()]", "*[2]", "a[b]", "*[@k = 2]")
S, T = 'stream("s")', 'stream("t")'


class _Stream:
    """Writes one stream: a base, then updates of what has an id, some of them of updates."""

    def __init__(self, rng: random.Random) -> None:
        self._rng = rng
        self._ids = ["x", "y", "end"]
        self._serial = 0

    def _id(self, kind: str) -> str:
        self._serial += 1
        made = f"{kind}{self._serial}"
        self._ids.append(made)
        return made

    def _element(self, depth: int) -> str:
        rng = self._rng
        name = rng.choice("ab")
        id = f' u:id="{self._id("i")}"' if rng.random() < 0.5 else ""
        key = f' k="{rng.randint(1, 3)}"' if rng.random() < 0.4 else ""
        if depth >= 2 or rng.random() < 0.4:
            inner = str(rng.randint(1, 9))
        else:
            inner = "".join(self._element(depth + 1) for _ in range(rng.randint(0, 3)))
        if rng.random() < 0.1:
            region = rng.choice(("", "<b>4</b>", "<a>1</a><a>2</a>"))
            inner += f'<u:mutable id="{self._id("m")}">{region}</u:mutable>'
        return f"<{name}{id}{key}>{inner}</{name}>"

    def _update(self, time: str) -> str:
        rng = self._rng
        kind = rng.choices(("replace", "insert-before", "insert-after", "remove"), (11, 3, 3, 3))[0]
        of = rng.choice(self._ids)
        if kind == "remove":
            return f'<u:remove of="{of}"{time}/>'
        content = self._element(1)
        # An update within an update: its place means nothing.
        if rng.random() < 0.1:
            content += self._update("")
        id = f' id="{self._id("u")}"' if rng.random() < 0.3 else ""
        return f'<u:{kind} of="{of}"{id}{time}>{content}</u:{kind}>'

    def text(self) -> str:
        rng = self._rng
        elements = "".join(self._element(1) for _ in range(3))
        made = f'<r><a u:id="x">3</a><b u:id="y">2</b>{elements}<u:mutable id="end"/></r>'
        time = 0
        for _ in range(rng.randint(4, 9)):
            time += rng.choice((0, 1, 1, 2, 5))
            kind = rng.random()
            if kind < 0.15:
                made += f'<u:batch t="{time}">{self._update("")}{self._update("")}</u:batch>'
            elif kind < 0.22:
                made += f'<u:clock t="{time}"/>'
            elif kind < 0.26:
                frozen = rng.choice(self._ids)
                made += f'<u:freeze of="{frozen}"/>'
                self._ids = [id for id in self._ids if id != frozen]
            else:
                made += self._update(f' t="{time}"')
        return f'<u:stream xmlns:u="urn:xylem:update">{made}</u:stream>'


class _Query:
    def __init__(self, rng: random.Random) -> None:
        self._rng = rng

    def _p(self) -> str:
        return self._rng.choice(PROJECTIONS)

    def _step(self) -> str:
        return self._rng.choice(STEPS)

    def _path(self, start: str) -> str:
        return self._rng.choice((
            f"{start}/{self._step()}{self._p()}", f"{start}//{self._step()}{self._p()}",
            f"{start}/{self._step()}{self._p()}/{self._step()}{self._p()}",
        ))  # fmt: skip

    def text(self) -> str:
        rng, p, step, path = self._rng, self._p, self._step, self._path
        value = rng.choice(("#1", "#[2]", "?[4]", "?3"))
        below = rng.choice("ab")
        return rng.choice((
            path(f"{S}/r"), f"count({path(S)})", f"(count({path(S)})){value}",
            f"for $x in {S}/r/{step()}{p()} return <x>{{ $x/@k, $x/{step()}{p()} }}</x>",
            f"for $x in {S}//{below}{p()} where $x{p()} > {rng.randint(1, 6)} return $x",
            f"for $x in {S}//a{p()} order by string($x) return string($x)",
            f"for $x in {S}//a{p()}, $y in {T}//b{p()} where $x = $y return <p>{{ $x, $y }}</p>",
            f"for $x in {S}//a where not(some $y in {T}//b{p()} satisfies $y = $x) return $x",
            f"sum({path(S)} ! number(.)), max({path(T)}/string())",
            f"let $v := {S}/r/{step()} return ($v, $v{value})", f"<o>{{ {path(S)} }}{{ count({path(T)}) }}</o>",
            f"for $x in {S}/r/* let $v := $x/{below} where $v{value} != $v return <x>{{ $x/@k, $v }}</x>",
            f'for $x in {S}/r/* return string-join((string($x)){value}, "-")',
            f'for $x in {S}//a group by $k := string($x) return <g k="{{ $k }}">{{ count($x) }}</g>',
            f"distinct-values({path(S)}/string())", f'if ({path(S)}) then {path(T)}/string() else "none"',
            f"({path(S)})[2]", f"({path(S)}){value}", f"({path(S)}){p()}{p()}",
            f'for $x at $i in {path(S)} return <n i="{{ $i }}">{{ $x }}</n>',
            f"for $x in {path(S)} count $n where $n < 3 return ($n, string($x))",
            f"for tumbling window $w in {path(S)} start at $i when true() only end at $j when $j = $i + 1 "
            "return <w>{ $w }</w>",
            f"declare variable $g := {S}//b; $g{value}, count($g)",
            f"xylem:as-of({path(S)}, {rng.randint(0, 9)})", f"(sum({S}//a ! number(.)) > 9){value}",
            f"declare function local:f($n) {{ $n/{step()}{p()} }}; for $x in {S}/r/* return local:f($x)",
            f"declare function local:f($n) {{ $n{value} }}; for $x in {S}/r/* return <x>{{ local:f($x/{below}) }}</x>",
            f"{S}//a{p()}/..", f'for $x in {S}//a return <v b="{{ xylem:begin($x) }}">{{ $x#1 }}</v>',
            f"{S}/r/*[{below}#1]", f"{S}//*[{below}#1 < {below}]/@k/string()", f"{S}//{below}[.{value} = 2]",
            f"for $x in {S}/r/* return count({T}//{below}[@k = $x/@k])", f"{S}/r/*/(a, b{p()})",
            f"for $x in {S}//a{p()} return {T}/r/*[@k = $x/@k]{p()}",
        ))  # fmt: skip


def random_stream(rng: random.Random) -> str:
    return _Stream(rng).text()


def random_query(rng: random.Random) -> str:
    """A query over the streams `s` and `t`."""
    return _Query(rng).text()
