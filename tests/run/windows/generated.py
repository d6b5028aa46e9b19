"""Generated window clauses: as a query, and as predicates for the oracle."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass

from .oracle import windows_of

Item = tuple[int, int]
"""What an item is made of: a key and a value."""
Start = tuple[str, Callable[[list[Item], int], bool]]
End = tuple[str, Callable[[list[Item], int, int], bool]]


@dataclass(frozen=True)
class Clause:
    """A window clause over `$seq`, elements `<i k="…" v="…"/>`."""

    kind: str
    standard: bool
    force: bool
    start: Start
    end: End | None
    where: End | None
    body: tuple[str, Callable[[list[Item], int, int], str]]

    def query(self) -> str:
        newstart = "newstart" if self.end is None else self.end[0]
        if self.standard:
            variables = "$s at $sp previous $sprev next $snext", "$e at $ep previous $eprev next $enext"
            end = "" if self.end is None else f"{'only ' if self.force else ''}end {variables[1]} when {newstart}"
            head = f"for {self.kind} window $w in $seq start {variables[0]} when {self.start[0]} {end}"
        else:
            roles = "curItem ${0}, position ${0}p, prevItem ${0}prev, nextItem ${0}next"
            force = "force " if self.force else ""
            head = (
                f"forseq $w in $seq {self.kind} window start {roles.format('s')} when {self.start[0]} "
                f"{force}end {roles.format('e')} when {newstart}"
            )
        where = f" where {self.where[0]}" if self.where else ""
        return f"declare variable $seq external; {self.pruned(head)}{where} return {self.body[0]}"

    def grouped_query(self) -> str:
        """The same windows, gathered by the parity of their first positions."""
        head = self.query().removesuffix(f" return {self.body[0]}")
        if not self.standard and ", position $sp" not in head:
            head = head.replace("curItem $s", "curItem $s, position $sp", 1)
        result = "concat(count($w), ':', sum($w/@v), ':', $w[1]/@v)"
        return f"{head} group by $g := $sp mod 2 order by $g return {result}"

    def grouped(self, items: list[Item]) -> list[str]:
        windows = [part for part in self.windows(items) if self.where is None or self.where[1](items, *part)]
        found = []
        for parity in (0, 1):
            own = [items[k] for i, j in windows if (i + 1) % 2 == parity for k in range(i, j + 1)]
            if own:
                # A path takes each node once, and sorts; counting does not.
                distinct = {k: items[k][1] for i, j in windows if (i + 1) % 2 == parity for k in range(i, j + 1)}
                found.append(f"{len(own)}:{sum(distinct.values())}:{own[0][1]}")
        return found

    def windows(self, items: list[Item]) -> list[tuple[int, int]]:
        end = self.end
        return windows_of(
            self.kind,
            len(items),
            lambda i: self.start[1](items, i),
            None if end is None else (lambda i, j: end[1](items, i, j)),
            force=self.force,
            standard=self.standard,
        )

    def pruned(self, head: str) -> str:
        """Only variables that are used are declared: then an item is dealt with before the next one comes."""
        used = " ".join(part[0] for part in (self.start, self.end, self.where, self.body) if part)
        for side in "se":
            for role, name in (("prevItem", "prev"), ("nextItem", "next"), ("position", "p")):
                if f"${side}{name}" not in used:
                    head = head.replace(f", {role} ${side}{name}", "")
            for role, name in (("previous", "prev"), ("next", "next")):
                if f"${side}{name}" not in used:
                    head = head.replace(f" {role} ${side}{name}", "")
        return head

    def expected(self, items: list[Item]) -> list[str]:
        where = self.where
        return [self.body[1](items, i, j) for i, j in self.windows(items) if where is None or where[1](items, i, j)]


def random_items(rng: random.Random) -> list[Item]:
    size = rng.choice((0, 1, 2, 3, 5, 8, 13, 21))
    if rng.random() < 0.3:
        value, made = 0, []
        for _ in range(size):
            value += rng.randint(0, 4)
            made.append((rng.randint(1, 3), value))
        return made
    return [(rng.randint(1, 3), rng.randint(0, 9)) for _ in range(size)]


def random_start(rng: random.Random) -> Start:
    n, r, v = rng.randint(2, 4), rng.randint(0, 3), rng.randint(1, 6)
    return rng.choice(
        [
            ("true()", lambda x, i: True),
            ("true()", lambda x, i: True),
            ("false()", lambda x, i: False),
            (f"$sp mod {n} eq {r % n}", lambda x, i: (i + 1) % n == r % n),
            (f"$s/@v > {v}", lambda x, i: x[i][1] > v),
            (f"$s/@k = {r}", lambda x, i: x[i][0] == r),
            ("$s/@v > $sprev/@v", lambda x, i: i > 0 and str(x[i][1]) > str(x[i - 1][1])),
            ("number($s/@v) < number($snext/@v)", lambda x, i: i + 1 < len(x) and x[i][1] < x[i + 1][1]),
            (f"$sp eq {r}", lambda x, i: i + 1 == r),
            ("empty($sprev) or $sprev/@k != $s/@k", lambda x, i: i == 0 or x[i - 1][0] != x[i][0]),
        ]
    )


def random_end(rng: random.Random) -> End:
    parts = [_end_part(rng) for _ in range(rng.choice((1, 1, 1, 2, 3)))]
    text = " and ".join(f"({text})" for text, _ in parts) if len(parts) > 1 else parts[0][0]
    return text, lambda x, i, j: all(test(x, i, j) for _, test in parts)


_OPS: dict[str, Callable[[float, float], bool]] = {
    "eq": lambda a, b: a == b,
    "ge": lambda a, b: a >= b,
    "gt": lambda a, b: a > b,
    "le": lambda a, b: a <= b,
    "lt": lambda a, b: a < b,
    "ne": lambda a, b: a != b,
}
_GENERAL = {"eq": "=", "ge": ">=", "gt": ">", "le": "<=", "lt": "<", "ne": "!="}


def _end_part(rng: random.Random) -> End:
    n, v = rng.randint(0, 4), rng.randint(0, 9)
    op = rng.choice(list(_OPS))
    test, sign = _OPS[op], _GENERAL[op]
    return rng.choice(
        [
            ("true()", lambda x, i, j: True),
            ("false()", lambda x, i, j: False),
            (f"$ep - $sp {op} {n}", lambda x, i, j: test(j - i, n)),
            (f"$ep {op} $sp + {n}", lambda x, i, j: test(j, i + n)),
            (f"$sp + {n} {sign} $ep", lambda x, i, j: test(i + n, j)),
            ("$s/@k eq $e/@k", lambda x, i, j: x[i][0] == x[j][0]),
            ("$s/@k = $e/@k", lambda x, i, j: x[i][0] == x[j][0]),
            ("$e/@k ne $s/@k", lambda x, i, j: x[i][0] != x[j][0]),
            (f"$e/@v - $s/@v {sign} {n}", lambda x, i, j: test(x[j][1] - x[i][1], n)),
            (f"$e/@v {sign} $s/@v + {n}", lambda x, i, j: test(x[j][1], x[i][1] + n)),
            (f"$e/@v {sign} $s/@v", lambda x, i, j: test(str(x[j][1]), str(x[i][1]))),  # type: ignore[arg-type]
            (f"number($e/@v) {op} number($s/@v) + {n}.5", lambda x, i, j: test(x[j][1], x[i][1] + n + 0.5)),
            (f"$e/@v > {v}", lambda x, i, j: x[j][1] > v),
            (f"$s/@v < {v}", lambda x, i, j: x[i][1] < v),
            ("$enext/@k != $e/@k", lambda x, i, j: j + 1 < len(x) and x[j + 1][0] != x[j][0]),
            ("$eprev/@v = $e/@v", lambda x, i, j: j > 0 and x[j - 1][1] == x[j][1]),
            ("empty($enext)", lambda x, i, j: j + 1 == len(x)),
        ]
    )


def random_where(rng: random.Random) -> End | None:
    n, v = rng.randint(1, 4), rng.randint(0, 6)
    chosen = rng.choice(
        [
            None,
            None,
            (f"count($w) ge {n}", lambda x, i, j: j - i + 1 >= n),
            (f"count($w) le {n}", lambda x, i, j: j - i + 1 <= n),
            (f"$w[1]/@v > {v} and $w[last()]/@k = 2", lambda x, i, j: x[i][1] > v and x[j][0] == 2),
            (f"$s/@v > {v}", lambda x, i, j: x[i][1] > v),
            (f"$e/@v > {v} and $s/@k = 1", lambda x, i, j: x[j][1] > v and x[i][0] == 1),
            (f"sum($w/@v) > {v}", lambda x, i, j: sum(a[1] for a in x[i : j + 1]) > v),
        ]
    )
    return chosen


def _values(x: list[Item], i: int, j: int) -> list[int]:
    return [value for _, value in x[i : j + 1]]


def random_body(rng: random.Random) -> tuple[str, Callable[[list[Item], int, int], str]]:
    return rng.choice(
        [
            ("string-join($w/@v, ' ')", lambda x, i, j: " ".join(map(str, _values(x, i, j)))),
            ("concat($sp, '-', $ep)", lambda x, i, j: f"{i + 1}-{j + 1}"),
            ("string(count($w))", lambda x, i, j: str(j - i + 1)),
            ("string(sum($w/@v))", lambda x, i, j: str(sum(_values(x, i, j)))),
            ("string(max($w/@v) - min($w/@v))", lambda x, i, j: str(max(_values(x, i, j)) - min(_values(x, i, j)))),
            ("string(avg($w/xs:integer(@v)) * count($w))", lambda x, i, j: None),  # type: ignore[return-value]
            ("concat($w[1]/@v, '/', $w[last()]/@v)", lambda x, i, j: f"{x[i][1]}/{x[j][1]}"),
            ("string($s/@v)", lambda x, i, j: str(x[i][1])),
            ("string-join(for $x in $w return $x/@k, '')", lambda x, i, j: "".join(str(k) for k, _ in x[i : j + 1])),
            ("concat(count($w[@k = 1]), ',', sum($w[@k = 1]/@v))", _of_ones),
            ("string(sum($w ! xs:integer(@v)))", lambda x, i, j: str(sum(_values(x, i, j)))),
        ]
    )


def _of_ones(x: list[Item], i: int, j: int) -> str:
    ones = [value for key, value in x[i : j + 1] if key == 1]
    return f"{len(ones)},{sum(ones)}"


def random_clause(rng: random.Random) -> Clause:
    standard = rng.random() < 0.4
    kind = rng.choice(("tumbling", "sliding") if standard else ("tumbling", "sliding", "landmark"))
    newstart = rng.random() < 0.1 and (not standard or kind == "tumbling")
    body = random_body(rng)
    while "avg" in body[0]:
        body = random_body(rng)
    clause = Clause(
        kind,
        standard,
        rng.random() < 0.4 and not (standard and newstart),
        random_start(rng),
        None if newstart else random_end(rng),
        random_where(rng),
        body,
    )
    if newstart and standard:
        # No end clause: nothing can be said about the end.
        used = f"{clause.body[0]} {clause.where[0] if clause.where else ''}"
        if "$e" in used:
            return random_clause(rng)
    return clause
