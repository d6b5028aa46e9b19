"""Random DTDs, and random documents that are valid by them: small worlds in which random queries find something.

Every element name always means the same kind of thing, so that queries can be well typed: `price`, `year` and `size`
hold numbers, `title`, `name` and `code` words, `text` and `em` mixed content, `note` nothing. The others contain
elements, each world in its own order. Attributes are `id` and `ref` (words) and `n` (a number).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from random import Random
from xml.etree import ElementTree

NUMBERS = ("price", "year", "size")
WORDS = ("title", "name", "code")
MIXED = ("text", "em")
EMPTY = ("note",)
CONTAINERS = ("site", "list", "item", "part", "group")
LEAVES = (*NUMBERS, *WORDS, *EMPTY)
NAMES = (*CONTAINERS, *LEAVES, *MIXED)
ATTRIBUTES = ("id", "ref", "n")
VALUES = ("", "a", "b", "ab", "x y", "Zoë", "7")
FIGURES = ("1", "2", "3", "5", "7.5", "-4", "10", "1e1", "007")


@dataclass(frozen=True)
class Particle:
    """A name or a group, and how often it may occur."""

    parts: tuple[Particle, ...] = ()
    """None: it is a name."""
    name: str = ""
    is_choice: bool = False
    occurs: str = ""
    """?, *, + or nothing"""

    def __str__(self) -> str:
        if self.name:
            return self.name + self.occurs
        return f"({('|' if self.is_choice else ',').join(map(str, self.parts))}){self.occurs}"


@dataclass
class World:
    """A DTD: the content model of each container, and which attributes each element may have."""

    root: str
    models: dict[str, Particle]
    attributes: dict[str, tuple[str, ...]]
    seen: dict[str | None, set[str]] = field(default_factory=dict)
    """The children elements really have in some documents, by name: what paths should rather look for."""

    @property
    def dtd(self) -> str:
        lines = [f"<!ELEMENT {name} {model}>" for name, model in self.models.items()]
        lines += [f"<!ELEMENT {name} (#PCDATA)>" for name in (*NUMBERS, *WORDS)]
        lines += [f"<!ELEMENT {name} (#PCDATA|{'|'.join(MIXED)}|{WORDS[0]})*>" for name in MIXED]
        lines += [f"<!ELEMENT {name} EMPTY>" for name in EMPTY]
        for name, attributes in self.attributes.items():
            lines += [f"<!ATTLIST {name} {attribute} CDATA #IMPLIED>" for attribute in attributes]
        return "\n".join(lines)

    def children(self, name: str | None) -> list[str]:
        """The names that occur directly below an element, or may do so; of the document, for None."""
        if name is None:
            return [self.root]
        if self.seen.get(name):
            return sorted(self.seen[name])
        if name in self.models:
            return sorted(set(_names(self.models[name])))
        return [*MIXED, WORDS[0]] if name in MIXED else []


    def observe(self, document: str) -> None:
        """Take notice of what a document holds."""
        for element in ElementTree.fromstring(document.encode()).iter():
            self.seen.setdefault(element.tag, set()).update(child.tag for child in element)


def _names(particle: Particle) -> list[str]:
    return [particle.name] if particle.name else [name for part in particle.parts for name in _names(part)]


def random_world(random: Random) -> World:
    """A world whose containers hold containers of later names, or themselves."""
    root = CONTAINERS[0]
    models: dict[str, Particle] = {}
    for index, name in enumerate(CONTAINERS):
        deeper = list(CONTAINERS[index + 1 :])
        if index and random.random() < 0.25:
            deeper.append(name)
        models[name] = _model(random, deeper, is_root=index == 0)
    attributes = {
        name: tuple(a for a in ATTRIBUTES if random.random() < 0.4) for name in NAMES if random.random() < 0.6
    }
    return World(root, models, attributes)


def _model(random: Random, deeper: list[str], is_root: bool) -> Particle:
    chosen = random.sample(deeper, min(len(deeper), random.choice((1, 2, 2, 3))))
    chosen += random.sample([*LEAVES, *MIXED], random.choice((0, 1, 1) if is_root else (1, 2, 3, 4)))
    random.shuffle(chosen)
    return _group(random, chosen, deeper, 2)


def _group(random: Random, names: list[str], deeper: list[str], depth: int) -> Particle:
    """A group of names, each once, so that no automaton is ever in doubt."""
    parts: list[Particle] = []
    names = list(names)
    while names:
        if depth and len(names) > 2 and random.random() < 0.3:
            size = random.randrange(2, len(names))
            parts.append(_group(random, names[:size], deeper, depth - 1))
            names = names[size:]
        else:
            # What may lead back to the element itself must be optional, or no document would end.
            name = names.pop(0)
            occurs = random.choice("**?+" if name in deeper else ("", "", "?", "*", "+"))
            parts.append(Particle(name=name, occurs="*" if name in CONTAINERS and occurs == "+" else occurs))
    is_choice = len(parts) > 1 and random.random() < 0.2
    group = Particle(tuple(parts), is_choice=is_choice, occurs=random.choice("**+") if is_choice else "")
    if not is_choice and depth < 2 and random.random() < 0.3:
        group = Particle(group.parts, occurs="?")
    return group


@dataclass
class _Writer:
    """Writes one document; the budget keeps it small."""

    world: World
    random: Random
    budget: int
    out: list[str] = field(default_factory=list)

    def element(self, name: str, depth: int, attributes: str = "") -> None:
        self.budget -= 1
        for attribute in self.world.attributes.get(name, ()):
            if self.random.random() < 0.7:
                values = FIGURES if attribute == "n" else VALUES
                attributes += f' {attribute}="{_escaped(self.random, self.random.choice(values), chr(34))}"'
        if name in EMPTY:
            self.out.append(f"<{name}{attributes}" + ("/>" if self.random.random() < 0.7 else f"></{name}>"))
            return
        self.out.append(f"<{name}{attributes}>")
        if name in NUMBERS:
            self.text(self.random.choice(FIGURES))
        elif name in WORDS:
            self.text(self.random.choice(VALUES))
        elif name in MIXED:
            self.mixed(depth)
        else:
            self.particle(self.world.models[name], depth)
            self.between()
        self.out.append(f"</{name}>")

    def mixed(self, depth: int) -> None:
        for _ in range(self.random.randrange(4)):
            if self.random.random() < 0.5 or depth > 9 or self.budget < 0:
                self.text(self.random.choice((*VALUES, " and ", "\n  ")))
            else:
                self.element(self.random.choice((*MIXED, WORDS[0])), depth + 1)
            self.aside()

    def particle(self, particle: Particle, depth: int) -> None:
        for _ in range(self.times(particle.occurs, depth)):
            if particle.name:
                self.between()
                self.element(particle.name, depth + 1)
            elif particle.is_choice:
                self.particle(self.random.choice(particle.parts), depth)
            else:
                for part in particle.parts:
                    self.particle(part, depth)

    def times(self, occurs: str, depth: int) -> int:
        least = 0 if occurs in ("?", "*") else 1
        if self.budget < 0 or depth > 7:
            return least
        most = 1 if occurs in ("", "?") else self.random.choice((1, 2, 3, 5))
        return self.random.randint(least, most) if self.random.random() < 0.5 else most

    def between(self) -> None:
        """What may stand between elements and means nothing."""
        if self.random.random() < 0.3:
            self.out.append(self.random.choice((" ", "\n", "\n  ")))
        self.aside()

    def aside(self) -> None:
        if self.random.random() < 0.06:
            self.out.append(self.random.choice(("<!-- a remark -->", "<?do it now?>", "<!---->")))

    def text(self, value: str) -> None:
        if self.random.random() < 0.05 and value.strip():
            cut = self.random.randrange(len(value) + 1)
            self.out.append(f"{_escaped(self.random, value[:cut])}<!-- cut -->{_escaped(self.random, value[cut:])}")
        elif self.random.random() < 0.08:
            self.out.append(f"<![CDATA[{value}]]>")
        else:
            self.out.append(_escaped(self.random, value))


def _escaped(random: Random, value: str, quote: str = "") -> str:
    made = value.replace("&", "&amp;").replace("<", "&lt;")
    if quote:
        made = made.replace(quote, "&quot;")
    if made and random.random() < 0.05:
        made = f"&#{ord(value[0])};" + made[1:] if value[0] not in "&<\"" else made
    return made


def random_document(world: World, random: Random, budget: int = 30) -> str:
    """A document that is valid in a world."""
    writer = _Writer(world, random, budget)
    if random.random() < 0.3:
        writer.out.append('<?xml version="1.0" encoding="UTF-8"?>\n')
    writer.between()
    writer.element(world.root, 1)
    if random.random() < 0.2:
        writer.between()
    return "".join(writer.out).replace("&#10;", "\n")
