"""Small queries over /stream/pixel, made at random: loops, bindings, conditions, aggregates, in each other."""

from __future__ import annotations

from random import Random

FIELDS = ("x", "y", "z")
AGGREGATES = ("count", "sum", "avg", "min", "max")


class Generator:
    """Makes one query. Depth bounds how far expressions nest."""

    def __init__(self, seed: int) -> None:
        self.random = Random(seed)
        self.names = 0

    def query(self) -> str:
        shapes = (self.loop, self.values, self.element, self.let, self.bound_sequence, self.loop, self.let)
        others = (self.choice, self.nested, self.selection, self.function, self.window, self.parts, self.grouped)
        return self.random.choice((*shapes, *others))()

    def name(self) -> str:
        self.names += 1
        return f"$v{self.names}"

    def field(self) -> str:
        return self.random.choice(FIELDS)

    def path(self) -> str:
        """A traversal of the stream."""
        test = f"[{self.field()} {self.random.choice(('>', '<='))} {self.random.randint(0, 6)}]"
        return f"/stream/pixel{test if self.random.random() < 0.4 else ''}"

    def aggregate(self) -> str:
        function = self.random.choice(AGGREGATES)
        return f"{function}({self.path()}/{self.field()})"

    def value(self, item: str | None, known: tuple[str, ...] = ()) -> str:
        """A number: of the item at hand, of the whole, of a variable, or fixed."""
        choices = [str(self.random.randint(1, 9))]
        if item is not None:
            choices += [f"number({item}/{self.field()})"] * 4
        choices += [*known] * 2
        if self.random.random() < 0.25:
            choices += [self.aggregate()] * 3
        return self.random.choice(choices)

    def expression(self, item: str | None, known: tuple[str, ...]) -> str:
        left, right = self.value(item, known), self.value(item, known)
        return self.random.choice((left, f"{left} + {right}", f"({left}) * 2 - {right}"))

    def condition(self, item: str, known: tuple[str, ...]) -> str:
        test = f"{self.value(item, known)} {self.random.choice(('<', '>=', '!='))} {self.value(item, known)}"
        return test if self.random.random() < 0.7 else f"{test} and {item}/{self.field()} > 1"

    def loop(self, known: tuple[str, ...] = ()) -> str:
        item = self.name()
        clauses = [f"for {item} in {self.path()}"]
        if self.random.random() < 0.4:
            bound = self.name()
            clauses.append(f"let {bound} := {self.expression(item, known)}")
            known = (*known, bound)
        if self.random.random() < 0.5:
            clauses.append(f"where {self.condition(item, known)}")
        if self.random.random() < 0.1:
            clauses.append(f"order by number({item}/{self.field()})")
        value = self.expression(item, known)
        results = (f"{item}/{self.field()}", value, f"<p>{{ {value} }}</p>")
        return " ".join([*clauses, f"return {self.random.choice(results)}"])

    def choice(self) -> str:
        """A condition of the whole, or of each item."""
        if self.random.random() < 0.5:
            return f"if ({self.aggregate()} > {self.random.randint(0, 9)}) then ({self.loop()}) else 'few'"
        item = self.name()
        test = self.condition(item, ())
        value = self.expression(item, ())
        return f"for {item} in {self.path()} return if ({test}) then {item}/x else <o>{{ {value} }}</o>"

    def nested(self) -> str:
        """A loop in a loop: along the item, or along the stream again."""
        outer, inner = self.name(), self.name()
        below = self.random.choice((f"{outer}/x", f"{outer}/*", self.path()))
        return f"for {outer} in {self.path()} for {inner} in {below} where {inner} > {outer}/y return {inner}/.."

    def selection(self) -> str:
        """A path with values of the whole in its predicate, or an aggregate of such a path."""
        value = self.random.choice((self.aggregate(), f"count(/stream/pixel[x > {self.aggregate()}])", "4"))
        selected = f"/stream/pixel[{self.field()} > {value}]/{self.field()}"
        return self.random.choice((selected, f"sum({selected})", f"{selected} ! (number(.) + {self.value(None)})"))

    def function(self) -> str:
        item = self.name()
        declared = "declare function local:f($a, $b) { number($a/x) - $b };"
        return f"{declared} for {item} in {self.path()} return local:f({item}, {self.value(item)})"

    def window(self) -> str:
        window, start = self.name(), self.name()
        value = self.random.choice((self.aggregate(), "3"))
        clause = f"for tumbling window {window} in {self.path()} start at {start} when {start} mod 3 = 1"
        return f"{clause} where sum({window}/x) > {value} return <w>{{ sum({window}/y) }}</w>"

    def parts(self) -> str:
        """Sequences and values, one after another."""
        made = [self.random.choice((f"{self.path()}/x", self.aggregate(), "'and'")) for _ in range(2)]
        made.append(self.aggregate())
        return f"<r>{{ {', '.join(made)} }}</r>"

    def grouped(self) -> str:
        item = self.name()
        return f"for {item} in {self.path()} group by $k := string({item}/x) order by $k return ($k, count({item}))"

    def values(self) -> str:
        return f"({', '.join(self.expression(None, ()) for _ in range(2))}, {self.aggregate()})"

    def let(self) -> str:
        bound = self.name()
        return f"let {bound} := {self.aggregate()} return ({self.loop((bound,))})"

    def bound_sequence(self) -> str:
        bound, item = self.name(), self.name()
        used = self.random.choice((f"count({bound})", f"max({bound}/x)", "3"))
        return f"let {bound} := {self.path()} for {item} in {bound} where {item}/x < {used} return {item}/y"

    def element(self) -> str:
        before = f"<n>{{ {self.aggregate()} }}</n>" if self.random.random() < 0.4 else "<n/>"
        after = f"<n>{{ {self.aggregate()} }}</n>" if self.random.random() < 0.4 else ""
        return f"<r>{before}<l>{{ {self.loop()} }}</l>{after}</r>"


def document(pixels: int, seed: int = 0) -> bytes:
    """Pixels with three small numbers each."""
    random = Random(seed)
    rows = "".join(
        f"<pixel>{''.join(f'<{name}>{random.randint(0, 9)}</{name}>' for name in FIELDS)}</pixel>"
        for _ in range(pixels)
    )
    return f"<stream>{rows}</stream>".encode()
