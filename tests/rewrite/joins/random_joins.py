"""Random joins of two kinds of items: equalities, orders and other conditions, where people write them."""

from __future__ import annotations

from collections.abc import Callable
from random import Random

_TURNED = {"=": "=", "!=": "!=", "<": ">", "<=": ">=", ">": "<", ">=": "<="}
_VALUES = {"=": "eq", "!=": "ne", "<": "lt", "<=": "le", ">": "gt", ">=": "ge"}


class RandomJoins:
    """Makes queries that join `a` items with `b` items, and documents for them."""

    def __init__(self, seed: int) -> None:
        self._random = Random(seed)

    def document(self) -> str:
        random = self._random

        def item(name: str) -> str:
            key = "" if random.random() < 0.1 else f' k="{random.choice("xyz")}"'
            count = random.choice([1, 1, 1, 0, 2])
            numbers = [random.choice(["1", "2", "3.5", "07", "-4", "5", "12"]) for _ in range(count)]
            if random.random() < 0.03:
                numbers.append("none")
            inside = "".join(f"<n>{number}</n>" for number in numbers)
            return f'<{name}{key} id="{random.randint(1, 99)}">{inside}<m>{random.randint(0, 9)}</m></{name}>'

        groups = []
        for _ in range(random.randint(1, 2)):
            inside = "".join(item(random.choice("ab")) for _ in range(random.randint(0, 24)))
            groups.append(f"<g>{inside}</g>")
        return f"<r>{''.join(groups)}</r>"

    def query(self) -> str:
        pick = self._random.choice
        tests = [self._test() for _ in range(pick([1, 2, 2, 2, 3]))]
        joined = pick(["/r/g/b", "//b", "/r/g/b[m > 1]"])
        own = [test("", "$a/") for test in tests]
        as_variable = [test("$b/", "$a/") for test in tests]
        predicates = pick(["".join(f"[{test}]" for test in own), f"[{' and '.join(own)}]"])
        place = pick(["", "", "[1]", "[last()]"])
        either = [self._test() for _ in range(2)]
        one_of = " or ".join(test("", "$a/") for test in either)
        variable_one_of = " or ".join(test("$b/", "$a/") for test in either)
        side = pick(["following-sibling", "preceding-sibling"])
        wheres = pick([" where ".join(as_variable), " and ".join(as_variable)])
        forms = [
            f'for $a in //a for $b in {joined} where {wheres} return <p a="{{ $a/@id }}">{{ $b/@id }}</p>',
            f'for $a in //a return <p a="{{ $a/@id }}">{{ {joined}{predicates}{place}/m }}</p>',
            f"for $a in //a return count({joined}{predicates})",
            f"for $a in //a where exists({joined}{predicates}) return $a/@id/string()",
            f"//a[let $a := . return empty({joined}{predicates})]/@id/string()",
            f"for $a in //a where some $b in {joined} satisfies ({' and '.join(as_variable)}) return $a/m",
            f"for $a in //a let $all := {joined}{predicates} return <p n='{{ count($all) }}'>{{ ($all/m)[1] }}</p>",
            f"for $a in //a return sum(for $b in {joined} where {wheres} return number($b/m))",
            f"for $a in //a for $b at $i in {joined} where {wheres} return $i",
            f"for $a in //a return <p>{{ {joined}[{one_of}]/m }}</p>",
            f"for $a in //a for $b in {joined} where {variable_one_of} where $b/m < 9 return $b/@id/string()",
            f"for $a in //a where some $b in {joined} satisfies ({variable_one_of}) return $a/m",
            f"for $a in //a return count({joined}{predicates}[. << $a])",
            f"for $a in //a, $b in {joined} where $a << $b and ({wheres.replace(' where ', ' and ')}) return $b/m",
            f"for $a in //a return <p>{{ $a/{side}::b{predicates}{pick(['', '[1]', '[last()]'])}/m }}</p>",
            f"for $a in //a return count($a/{side}::b{predicates}) + count($a/{side}::a)",
        ]
        return pick(forms)

    def _test(self) -> Callable[[str, str], str]:
        """A condition, given what stands before the paths of both sides."""
        pick, op = self._random.choice, self._random.choice(["=", "=", "<", "<=", ">", ">=", "!="])
        key = pick(["n", "m", "@k", "number(n[1])", "@id"])
        probe = {
            "@k": ["@k"],
            "number(n[1])": ["number({}m)", "{}m + 1", "number({}n[1]) - 2"],
        }.get(key, ["{}m", "{}n", "{}m + 2", "{}m * 1.5", "number({}@id)"])
        asked = pick(probe)
        turned = self._random.random() < 0.4
        by_value = op != "!=" and key == "number(n[1])" and self._random.random() < 0.3
        negated = self._random.random() < 0.1

        def test(own: str, other: str) -> str:
            left = key.replace("n[1]", f"{own}n[1]") if key.startswith("number") else f"{own}{key}"
            right = asked.format(other) if "{}" in asked else f"{other}{asked}"
            used = op
            if turned:
                left, right, used = right, left, _TURNED[op]
            made = f"{left} {_VALUES[used] if by_value else used} {right}"
            return f"not({made})" if negated else made

        return test
