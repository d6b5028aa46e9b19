"""Random spellings of joins between the persons and the orders of a shop, put together from parts.

Each part has several spellings: the two sides, the comparison, the selection by it, what is made of it, and the loop
around it. With `hides`, variables have names that are used for others as well.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from random import Random

_PROLOG = (
    "declare function local:people($s) { $s/people/person }; declare function local:orders($s) { $s/orders/order }; "
    "declare function local:match($p, $os, $f) { for $o in $os where $f($p, $o) return $o }; "
)
_PEOPLE = ("/shop/people/person", "//person", "$people", "local:people(/shop)", "/shop/people/*", "//person[@age]")
_ORDERS = (
    "/shop/orders/order",
    "//order",
    "$orders",
    "local:orders(/shop)",
    "/shop/orders/order[total]",
    "$root//order",
)
_KEYS = (
    *(("@id", "@by"), ("@id", "buyer/@ref"), ("string(@id)", "string(@by)"), ("city", "town"), ("@age", "total")),
    *(("city/text()", "town/text()"), ("lower-case(city)", "lower-case(town)"), ("(@age, score)", "total")),
    *(("concat(@id, 'x')", "concat(@by, 'x')"), ("number(@age)", "number(total)"), ("data(@id)", "data(@by)")),
)
_ORDERED = (("number(@age)", "number(total)"), ("xs:integer(@age)", "xs:integer(total)"), ("score", "number(total)"))
_TURNED = {"=": "=", "eq": "eq", "<": ">", "<=": ">=", ">": "<", ">=": "<="}
_RESTS = ("{}", "{}", "{}", "({}) and {o}/line/qty > 3", "{o}/line/@sku != 's1' and {}", "boolean({})", "not(not({}))")
_VALUES = (
    *("count({})", "exists({})", "empty({})", "sum({}/total)", "max({}/number(total))", "head({})/total"),
    *("string-join({}/@no, ' ')", "({})[1]/@no/string()", "({})[last()]/@no/string()", "distinct-values({}/town)"),
    *("subsequence({}, 1, 2)/@no/string()", "(some $z in {} satisfies $z/total > 3)", "string(count({}) > 1)"),
    *("(for $z in {} order by $z/total return $z/@no/string())[1]", "(if ({}) then 'y' else 'n')"),
)
_NAMES = ("p", "o", "x", "k", "orders", "people", "f")


class RandomSpellings:
    def __init__(self, seed: int, *, hides: bool = False) -> None:
        self._random = Random(f"spellings {seed}")
        self._hides = hides

    def document(self, size: int = 6) -> str:
        number = self._random.randint
        people = "".join(
            f'<person id="p{i}" age="{number(1, size)}"><name>N{i}</name><city>C{i % 3}</city>'
            f"<score>{number(0, size)}.5</score></person>"
            for i in range(size)
        )
        orders = "".join(
            f'<order no="{i}" by="p{number(0, size)}"><buyer ref="p{number(0, size)}"/><total>{number(0, size)}</total>'
            f'<town>C{number(0, 3)}</town><line sku="s{i % 4}"><qty>{i % 7}</qty></line></order>'
            for i in range(size)
        )
        return f"<shop><people>{people}</people><orders>{orders}</orders></shop>"

    def query(self) -> str:
        people, value, found = self._pick(_PEOPLE), self._value(), self._matches()
        loop = self._pick(
            [
                f"for $p in {people} return <r>{{ {value} }}</r>",
                f"for $p in {people} let $v := {value} return <r n='{{ $p/name }}'>{{ $v }}</r>",
                f"{people} ! <r>{{ let $p := . return {value} }}</r>",
                f"for-each({people}, function($p) {{ <r>{{ {value} }}</r> }})",
                f"for $p in {people} let $m := {found} where count($m) > 1 return $p/@id/string()",
                f"for $p in {people} where empty({found}) order by $p/name return $p/name/string()",
                f"for $p in {people} for $o in {found} group by $k := $p/city/string() return ($k, count($o))",
                f"sum(for $p in {people} return count({found}))",
                f"for $p at $i in {people} return ($i, {value})",
                f"{people}[exists(let $p := . return {found})]/@id/string()",
            ]
        )
        sides = "let $root := (/) let $people := /shop/people/person let $orders := /shop/orders/order"
        parts = [*_PROLOG.split("; ")[:-1], f"{sides} return <all>{{ {loop} }}</all>"]
        return "; ".join(self._renamed(part) for part in parts)

    def _renamed(self, part: str) -> str:
        """One declaration or the body, with other names for its variables: all of one name get the same."""
        if not self._hides:
            return part
        names = self._random.sample(_NAMES, 3)
        old = sorted(set(re.findall(r"\$(\w+)", part)))
        new = {name: name if self._random.random() < 0.4 else self._pick(names) for name in old}
        return re.sub(r"\$(\w+)", lambda found: f"${new[found[1]]}", part)

    def _pick(self, choices: Sequence[str]) -> str:
        return self._random.choice(choices)

    def _condition(self) -> str:
        own, other = self._random.choice(_KEYS)
        sign = "="
        if self._random.random() < 0.2:
            own, other = self._random.choice(_ORDERED)
            sign = self._pick(["<", "<=", ">", ">="])
        left, right = f"{{p}}/{own}", f"{{o}}/{other}"
        if sign == "=" and self._random.random() < 0.2:
            sign, left, right = "eq", f"string-join({left})", f"string-join({right})"
        if self._random.random() < 0.5:
            sign, left, right = _TURNED[sign], right, left
        return self._pick(_RESTS).replace("{}", f"{left} {sign} {right}")

    def _matches(self) -> str:
        orders, condition = self._pick(_ORDERS), self._condition()
        test, here = condition.format(p="$p", o="$o"), condition.format(p="$p", o=".")
        types = self._pick([" as element()", " as node()", ""])
        given = " as xs:boolean" if types and not condition.startswith("boolean") else ""
        return self._pick(
            [
                f"(for $o in {orders} where {test} return $o)",
                f"{orders}[{here}]",
                f"filter({orders}, function($o{types}) {{ boolean({test}) }})",
                f"(for $o in {orders} return if ({test}) then $o else ())",
                f"({orders} ! (if ({here}) then . else ()))",
                f"(let $all := {orders} return $all[{here}])",
                f"(for $o in {orders} let $k := {test} where $k return $o)",
                f"{orders}[some $x in . satisfies {condition.format(p='$p', o='$x')}]",
                f"for-each({orders}, function($o{types}) {{ if ({test}) then $o else () }})",
                f"local:match($p, {orders}, function($p{types}, $o{types}){given} {{ boolean({test}) }})",
                f"{orders}/line/..[{here}]",
            ]
        )

    def _value(self) -> str:
        return self._pick(_VALUES).format(self._matches())
