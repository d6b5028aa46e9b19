"""Random triples of schema, document and query: small, and as mixed as the fragment we stream."""

from __future__ import annotations

from dataclasses import dataclass
from random import Random

NAMES = ("a", "b", "c", "d")
ATTRIBUTES = ("k", "l")


@dataclass(frozen=True)
class Triple:
    """A case. The document is valid for the DTD."""

    dtd: str
    document: str
    query: str


def triple(seed: int) -> Triple:
    """The case of a seed."""
    random = Random(seed)
    schema = _Schema(random)
    return Triple(schema.dtd(), schema.document(), _Query(random, schema).text())


class _Schema:
    """Element types r, a, b, c, d; each has a content model of a random shape over the later ones, or over any."""

    def __init__(self, random: Random) -> None:
        self.random = random
        self.recursive = random.random() < 0.25
        self.models: dict[str, list[tuple[str, str]]] = {}
        self.shapes: dict[str, str] = {}
        for index, name in enumerate(("r", *NAMES)):
            others = list(NAMES[index:]) if not self.recursive else list(NAMES)
            random.shuffle(others)
            used = others[: random.randint(1, 3)] if others else []
            self.shapes[name] = random.choice(("sequence", "sequence", "choice", "mixed")) if used else "text"
            # An element that must contain itself would have no end.
            signs = ("?", "*") if self.recursive else ("", "?", "*", "+")
            self.models[name] = [(child, random.choice(signs)) for child in used]

    def dtd(self) -> str:
        lines = []
        for name, parts in self.models.items():
            shape = self.shapes[name]
            if shape == "text":
                content = "(#PCDATA)"
            elif shape == "mixed":
                content = f"(#PCDATA|{'|'.join(child for child, _ in parts)})*"
            elif shape == "choice":
                content = f"({'|'.join(child for child, _ in parts)})*"
            else:
                content = f"({','.join(child + often for child, often in parts)})"
            lines.append(f"<!ELEMENT {name} {content}>")
            lines.extend(f"<!ATTLIST {name} {attribute} CDATA #IMPLIED>" for attribute in ATTRIBUTES)
        return "\n".join(lines)

    def document(self) -> str:
        return self._element("r", 0)

    def _element(self, name: str, depth: int) -> str:
        random, shape = self.random, self.shapes[name]
        attributes = "".join(f' {a}="{random.randint(1, 4)}"' for a in ATTRIBUTES if random.random() < 0.4)
        content = ""
        if shape == "text":
            content = str(random.randint(1, 5)) if random.random() < 0.9 else ""
        elif shape == "sequence":
            for child, often in self.models[name]:
                content += "".join(self._element(child, depth + 1) for _ in range(self._times(often, depth)))
        else:
            for _ in range(random.randint(0, 4 if depth < 3 else 1) if depth < 6 else 0):
                if shape == "mixed" and random.random() < 0.4:
                    content += random.choice(("1", "2", "x"))
                else:
                    content += self._element(random.choice(self.models[name])[0], depth + 1)
        return f"<{name}{attributes}>{content}</{name}>"

    def _times(self, often: str, depth: int) -> int:
        most = 3 if depth < 3 else 1
        least = 1 if often in ("", "+") else 0
        if often in ("", "?"):
            most = 1
        return least if depth > 5 else self.random.randint(least, most)


class _Query:
    def __init__(self, random: Random, schema: _Schema) -> None:
        self.random = random
        self.schema = schema
        self.count = 0

    def text(self) -> str:
        kind = self.random.random()
        if kind < 0.6:
            return f"<out>{self._content(['/'], 3)}</out>"
        if kind < 0.8:
            return self._flwor(["/"], 3)
        return f"<n>{{{self._aggregate(['/'])}}}</n>"

    def _content(self, scope: list[str], depth: int) -> str:
        parts = []
        for _ in range(self.random.randint(1, 3)):
            pick = self.random.random()
            if pick < 0.45 and depth:
                parts.append(f"{{{self._flwor(scope, depth - 1)}}}")
            elif pick < 0.75:
                parts.append(f"{{{self._path(scope)}}}")
            elif pick < 0.85:
                parts.append(f"{{{self._aggregate(scope)}}}")
            elif pick < 0.92 and depth:
                parts.append(f"{{if ({self._condition(scope)}) then {self._single(scope, depth - 1)} else ()}}")
            else:
                parts.append(self.random.choice(("text", "{1}", '{"s"}', "<e/>")))
        return "".join(parts)

    def _single(self, scope: list[str], depth: int) -> str:
        pick = self.random.random()
        if pick < 0.5:
            attribute = f' v="{{{self._value(scope)}}}"' if self.random.random() < 0.3 else ""
            return f"<x{attribute}>{self._content(scope, depth)}</x>"
        if pick < 0.8:
            return self._path(scope)
        if pick < 0.9:
            return f"({self._path(scope)}, {self._path(scope)})"
        return self._flwor(scope, depth) if depth else self._path(scope)

    def _flwor(self, scope: list[str], depth: int) -> str:
        self.count += 1
        name = f"$v{self.count}"
        at = f" at $p{self.count}" if self.random.random() < 0.1 else ""
        clauses = [f"for {name}{at} in {self._path(scope, attributes=False)}"]
        inner = [*scope, name]
        if self.random.random() < 0.2:
            self.count += 1
            bound = f"$w{self.count}"
            clauses.append(f"let {bound} := {self.random.choice((self._path(inner), self._aggregate(inner)))}")
            result = f"<l>{{{bound}}}</l>" if self.random.random() < 0.5 else self._single(inner, depth)
        else:
            result = self._single(inner, depth)
        if at and self.random.random() < 0.5:
            result = f'<i p="{{$p{at.removeprefix(" at $p")}}}">{{{result}}}</i>'
        if self.random.random() < 0.4:
            clauses.append(f"where {self._condition(inner)}")
        if self.random.random() < 0.07:
            clauses.append(f"order by string({name})")
        return f"{' '.join(clauses)} return {result}"

    def _path(self, scope: list[str], attributes: bool = True) -> str:
        start = self.random.choice(scope[-2:] if self.random.random() < 0.85 else scope)
        steps = []
        if start == "/":
            steps.append(self.random.choice(("r", "r", "r", "/r" if self.random.random() < 0.3 else "r")))
        for _ in range(self.random.randint(1, 2)):
            pick = self.random.random()
            name = self.random.choice(NAMES)
            if pick < 0.1:
                name = f"/{name}"
            elif pick < 0.16:
                name = "*"
            if self.random.random() < 0.15:
                name += f"[{self._predicate()}]"
            steps.append(name)
        if attributes and self.random.random() < 0.12:
            steps.append(self.random.choice(("text()", f"@{self.random.choice(ATTRIBUTES)}", "..", "string()")))
        if not attributes and self.random.random() < 0.03:
            steps.append("text()")
        path = "/".join(steps)
        return f"/{path}" if start == "/" else f"{start}/{path}"

    def _predicate(self) -> str:
        name = self.random.choice(NAMES)
        number = self.random.randint(1, 4)
        return self.random.choice((name, f"{name} = {number}", "1", "2", "last()", f"@k = {number}", f".//{name}"))

    def _value(self, scope: list[str]) -> str:
        start = self.random.choice([one for one in scope if one != "/"] or ["/r"])
        if self.random.random() < 0.4:
            return f"{start}/@{self.random.choice(ATTRIBUTES)}"
        return f"{start}/{self.random.choice(NAMES)}"

    def _condition(self, scope: list[str]) -> str:
        pick = self.random.random()
        value = self._value(scope)
        if pick < 0.4:
            return f"{value} {self.random.choice(('=', '<', '>=', '!='))} {self.random.randint(1, 4)}"
        if pick < 0.55:
            return f"{self.random.choice(('exists', 'empty'))}({value})"
        if pick < 0.65:
            return f"{value} = {self._value(scope)}"
        if pick < 0.75:
            return f"count({value}) > {self.random.randint(0, 2)}"
        if pick < 0.85:
            return f"not({self._condition(scope)})"
        return f"({self._condition(scope)} {self.random.choice(('and', 'or'))} {self._condition(scope)})"

    def _aggregate(self, scope: list[str]) -> str:
        function = self.random.choice(("count", "count", "exists", "empty"))
        if self.random.random() < 0.2:
            self.count += 1
            name = f"$v{self.count}"
            path = self._path(scope, attributes=False)
            return f"{function}(for {name} in {path} where {self._condition([*scope, name])} return {name})"
        return f"{function}({self._path(scope)})"
