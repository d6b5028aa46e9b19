"""Random queries over orders with lines with prices: tests, numbers, siblings and aggregates on every level.

A path may be tested on each of its steps, in parentheses and counted, in a loop inside a loop, in a constructor inside
another. What the scan decides of one level must not be lost, or taken for that of another.
"""

from __future__ import annotations

from random import Random

_PREDICATES = {
    "order": ["@big", "@id > 2", "line", "tag = 'u'", "count(line) > 1", "not(line)", "line/@q > 5", "line/price > 4"],
    "line": [
        *("@q > 5", "price", "note", "@sku = 's1'", "price > 3", "not(note)", "1", "2", "last()", "position() > 1"),
        *("price[@c = 'a'] > 2", "@q > 2 and @q < 8", "count(price) = 2", "preceding-sibling::line[1]/@q > 3"),
    ],
    "price": ["@c = 'a'", ". > 4", "1", "text()"],
}


class NestedQueries:
    """Makes queries, and documents for them."""

    def __init__(self, seed: int) -> None:
        self._random = Random(seed)
        self._names = 0

    # --- documents

    def document(self) -> str:
        orders = "".join(self._order() for _ in range(self._random.randint(0, 5)))
        return f"<orders>{orders}</orders>"

    def _order(self) -> str:
        kinds = [self._line, self._line, self._tag, lambda: f"<sub>{self._line()}</sub>", lambda: "txt"]
        inside = "".join(self._random.choice(kinds)() for _ in range(self._random.randint(0, 5)))
        big = ' big="1"' if self._random.random() < 0.3 else ""
        return f'<order id="{self._random.randint(0, 5)}"{big}>{inside}</order>'

    def _tag(self) -> str:
        return f"<tag>{self._random.choice('uv')}</tag>"

    def _line(self) -> str:
        random = self._random
        count = random.choice([0, 1, 1, 2])
        prices = "".join(f'<price c="{random.choice("ab")}">{random.randint(1, 9)}</price>' for _ in range(count))
        note = f"<note>{random.choice(['x', 'y z', ''])}</note>" if random.random() < 0.4 else ""
        return f'<line sku="s{random.randint(0, 3)}" q="{random.randint(0, 9)}">{prices}{note}</line>'

    # --- queries

    def query(self) -> str:
        if self._random.random() < 0.25:
            return self._random.choice((self._groups, self._windows))()
        pick, order = self._random.choice, self._fresh()
        source = pick(["/orders/order", "//order", f"/orders/{self._step('order')}"])
        tests = [f"{order}/@id > 1", f"{order}/line/@q > 6", f"exists({order}/tag)", f"count({order}/line) > 1"]
        where = f" where {pick(tests)}" if self._random.random() < 0.4 else ""
        results = [
            lambda: f'<r id="{{ {order}/@id }}">{{ {self._value(order)}, {self._value(order)} }}</r>',
            lambda: f"<r>{{ {self._value(order)} }}<s>{{ {self._value(order)} }}</s></r>",
            lambda: f'<r a="{{ count({self._path(order)}) }}">{{ {self._value(order)} }}</r>',
            lambda: self._value(order),
            lambda: f"<j>{{ serialize({self._json(order)}, map {{ 'method': 'json' }}) }}</j>",
        ]
        made = f"for {order} in {source}{where} return {pick(results)()}"
        return f"<all>{{ {made} }}</all>" if self._random.random() < 0.2 else made

    def _groups(self) -> str:
        pick, order = self._random.choice, "$o"
        keys = ["@id", "@big", "count(line)", "tag[1]", "line/@q > 5", "sum(line/@q) mod 3", "concat(@id, tag[1])"]
        own = " , ".join(f"$k{n} := {order}/({pick(keys)})" for n in range(pick((1, 1, 2))))
        where = f" where {pick(['$o/@id > 1', '$o/line/@q * 2 > 6', 'exists($o/tag)'])}" if pick((True, False)) else ""
        values = ["count($o)", "sum($o/line/@q)", "avg($o/line/price)", "max($o/@id)", "min($o/xs:integer(@id))"]
        values += ["sum($o/line ! (@q * count(price)))", "string-join($o/@id, ',')", "count($o/line[@q > 3])"]
        result = f"<g k='{{ $k0 }}' n='{{ {pick(values)} }}'>{{ {pick(values)}, {pick(values)} }}</g>"
        return f"for $o in {pick(['/orders/order', '//order'])}{where} group by {own} return {result}"

    def _windows(self) -> str:
        pick = self._random.choice
        kind = pick(("tumbling", "sliding"))
        ends = ["end $e when $e/@id > $s/@id", "end at $j when $j - $i = 2", "end $e when $e/line/@q > 6"]
        ends += ["end $e when count($e/line) * 2 > 3", "end $e next $n when $n/@big", "end $e when $e/@id - $s/@id > 1"]
        clause = f"for {kind} window $w in /orders/order start $s at $i when true() {pick(('', 'only '))}{pick(ends)}"
        values = ["count($w)", "sum($w/line/@q)", "max($w/xs:integer(@id))", "avg($w/number(@id))", "string($s/@id)"]
        values += ["sum($w/(@id * 2))", "min($w/line/price)", "$w/tag", "$w[1]/string(@id)", "sum($w ! count(line))"]
        return f"{clause} return <w n='{{ {pick(values[:5])} }}'>{{ {pick(values)}, {pick(values)} }}</w>"

    def _json(self, order: str) -> str:
        pick = self._random.choice
        line = self._fresh()
        loop = f"for {line} in {order}/{self._step('line')} return"
        values = [f"string({order}/@id)", f"number({order}/@id)", f"count({order}/line)", "()", "'a/b'"]
        values += [f"data({order}/tag)", f"array {{ {order}/line/number(@q) }}", f"{order}/@id > 2"]
        values += [f"array {{ {loop} map {{ 'q': data({line}/@q), 'p': array {{ data({line}/price) }} }} }}"]
        values += [f"if ({order}/@big) then [1] else map {{ }}", f"sum({order}/line/@q) div 3"]
        return pick((f"[{pick(values)}, {pick(values)}]", f"map {{ 'a': {pick(values)}, 'b\"': {pick(values)} }}"))

    def _fresh(self) -> str:
        self._names += 1
        return f"$v{self._names}"

    def _step(self, kind: str) -> str:
        return f"{kind}[{self._random.choice(_PREDICATES[kind])}]" if self._random.random() < 0.5 else kind

    def _path(self, order: str) -> str:
        return self._random.choice(
            [
                f"{order}/{self._step('line')}/{self._step('price')}",
                f"{order}/{self._step('line')}",
                f"{order}/tag",
                f"{order}//{self._step('price')}",
                f"{order}/sub/{self._step('line')}/price",
                f"{order}/{self._step('line')}/note/text()",
                f"{order}/(line|tag)[{self._random.randint(1, 2)}]",
                f"{order}/(line/{self._step('price')})[1]",
                f"{order}/line[following-sibling::line[1]/@q > 4]/price",
            ]
        )

    def _value(self, order: str, depth: int = 0) -> str:
        line = self._fresh()
        loop = f"for {line} in {order}/{self._step('line')}"
        values = [
            lambda: self._path(order),
            lambda: f"count({self._path(order)})",
            lambda: f"sum({order}/{self._step('line')}/@q)",
            lambda: f"string-join({self._path(order)} ! string(), ',')",
            lambda: f'{loop} return <l q="{{ {line}/@q }}">{{ {self._of_line(line)} }}</l>',
            lambda: f"{loop} where {self._condition(line)} return {self._of_line(line)}",
            lambda: f"exists({self._path(order)})",
            lambda: f"({self._path(order)})[1]/string()",
            lambda: f"({order}/{self._step('line')}/@sku)[1]/string()",
            lambda: f"max({order}/line/@q) * 2",
        ]
        if depth == 0:
            values += [
                lambda: f"if ({order}/@big) then {self._value(order, 1)} else <n/>",
                lambda: f"<w>{{ {self._value(order, 1)} }}</w>",
            ]
        return self._random.choice(values)()

    def _of_line(self, line: str) -> str:
        return self._random.choice(
            [
                *(f"{line}/price", f"{line}/{self._step('price')}", f"{line}/@q * 2", f"string({line}/note)"),
                *(f"count({line}/price)", f"{line}/price/text()", f"if ({line}/note) then 'n' else {line}/price"),
            ]
        )

    def _condition(self, line: str) -> str:
        return self._random.choice(
            [
                *(f"{line}/@q > 5", f"{line}/price > 4", f"{line}/note", f"{line}/@sku = 's1'", f"{line}/../@big"),
                *(f"{line}/@q * 2 > 6", f"count({line}/price) > 1", f"{line}/price/@c = 'a'"),
            ]
        )
