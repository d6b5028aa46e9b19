"""Update streams that try what is seldom: regions in regions, ids used again, updates in the base and in updates."""

from __future__ import annotations

import random

NAMES = ("a", "b", "c")


class AdversarialStream:
    """Writes one stream."""

    def __init__(self, rng: random.Random) -> None:
        self.rng = rng
        self.ids: list[str] = []
        self.pend: list[str] = []
        """Ids of what has not come to its end."""
        self.serial = 0
        self.now = 0.0

    def new_id(self) -> str:
        rng = self.rng
        if self.ids and rng.random() < 0.08:
            return rng.choice(self.ids)  # used again: the last binding wins
        self.serial += 1
        made = f"i{self.serial}"
        return made

    def number(self) -> str:
        rng = self.rng
        return rng.choice((str(rng.randint(0, 5)), str(rng.randint(0, 12)), "x", f"{rng.randint(0, 20) / 4}"))

    def content(self, depth: int, most: int = 3) -> str:
        rng = self.rng
        made = ""
        for _ in range(rng.randint(0, most)):
            kind = rng.random()
            if kind < 0.1:
                made += self.number()
            elif kind < 0.14:
                made += rng.choice(("<!--c-->", "<?p q?>", "\n  ", " "))
            elif kind < 0.3:
                made += self.region(depth)
            else:
                made += self.element(depth)
        return made

    def region(self, depth: int) -> str:
        id = self.new_id() if self.rng.random() < 0.85 else None
        inner = self.content(depth + 1, 2)
        if id:
            self.pend.append(id)
        named = f' id="{id}"' if id else ""
        return f"<u:mutable{named}>{inner}</u:mutable>"

    def element(self, depth: int) -> str:
        rng = self.rng
        name = rng.choice(NAMES)
        attributes = f' k="{rng.randint(0, 3)}"' if rng.random() < 0.35 else ""
        id = self.new_id() if rng.random() < 0.45 else None
        inner = self.number() if depth >= 3 or rng.random() < 0.4 else self.content(depth + 1)
        if id:
            self.pend.append(id)
            attributes += f' u:id="{id}"'
        return f"<{name}{attributes}>{inner}</{name}>" if inner or rng.random() < 0.5 else f"<{name}{attributes}/>"

    def update(self, time: str = "", depth: int = 1) -> str:
        rng = self.rng
        if self.ids and rng.random() < 0.25:
            return self.succession(time)
        kind = rng.choices(("replace", "insert-before", "insert-after", "remove"), (9, 3, 3, 3))[0]
        of = rng.choice(self.ids) if self.ids else "none"
        if rng.random() < 0.4 and self.ids:
            of = rng.choice(self.ids[: 1 + len(self.ids) // 4])
        id = self.new_id() if rng.random() < 0.4 else None
        named = f' id="{id}"' if id else ""
        if kind == "remove":
            made = f'<u:remove of="{of}"{named}{time}/>'
        else:
            style = rng.random()
            content = "" if style < 0.07 else self.element(depth) if style < 0.6 else self.content(depth, 2)
            if rng.random() < 0.08 and depth < 2:
                content += self.update("", depth + 1)
            made = f'<u:{kind} of="{of}"{named}{time}>{content}</u:{kind}>'
        if id:
            self.pend.append(id)
        return made

    def succession(self, time: str) -> str:
        """An update whose content is the region that later ones name, often by the same id."""
        rng = self.rng
        of = rng.choice(self.ids[-4:])
        id = of if rng.random() < 0.7 else self.new_id()
        name, kind = rng.choice(NAMES), rng.choices(("replace", "insert-before", "insert-after"), (8, 1, 1))[0]
        element = f'<{name} u:id="{id}">{self.number()}</{name}>'
        content = rng.choice((element, element, f'<u:mutable id="{self.new_id()}">{element}</u:mutable>'))
        if id != of:
            self.pend.append(id)
        return f'<u:{kind} of="{of}"{time}>{content}</u:{kind}>'

    def flush(self) -> None:
        self.ids += self.pend
        self.pend = []

    def time(self) -> float:
        rng = self.rng
        self.now += rng.choice((0, 0, 1, 1, 2, 0.5, 4))
        return self.now

    def text(self) -> str:
        rng = self.rng
        pieces: list[str] = []
        parts = [self.content(1, 3) for _ in range(rng.randint(1, 3))]
        self.flush()
        for _ in range(rng.randint(3, 9)):
            kind = rng.random()
            time = f' t="{self.time()}"' if rng.random() < 0.85 else ""
            if kind < 0.14:
                inner = ""
                for _ in range(rng.randint(0, 3)):
                    inner += self.update()
                    self.flush()
                pieces.append(f"<u:batch{time}>{inner}</u:batch>")
            elif kind < 0.22:
                pieces.append(f"<u:clock{time}/>")
            elif kind < 0.26:
                pieces.append(f"<u:commit{time}/>")
            elif kind < 0.29 and self.ids:
                gone = rng.choice(self.ids)
                self.ids = [one for one in self.ids if one != gone]
                pieces.append(f'<u:freeze of="{gone}"/>')
            else:
                pieces.append(self.update(time))
                self.flush()
        body = "".join(parts)
        # Some updates stand inside the base, between its parts.
        if rng.random() < 0.3 and len(parts) > 1:
            cut = rng.randint(0, 2)
            early = pieces[:cut]
            body = parts[0] + "".join(early) + "".join(parts[1:])
            pieces = pieces[cut:]
        start = ' t="0"' if rng.random() < 0.5 else ""
        return f'<u:stream xmlns:u="urn:xylem:update"{start}><r>{body}</r>{"".join(pieces)}</u:stream>'

    def messages(self) -> list[bytes]:
        """The base and updates as documents of their own, in which every target is there."""
        rng = self.rng
        namespace = 'xmlns:u="urn:xylem:update"'
        found = [f"<r {namespace}>{self.content(1, 3)}{self.element(1)}</r>"]
        self.flush()
        for _ in range(rng.randint(4, 12)):
            time = f' t="{self.time()}"'
            kind = rng.random()
            pieces = f"<u:clock{time}/>" if kind < 0.1 else self.update(time, 2) if self.ids else ""
            if kind > 0.9 and self.ids:
                pieces = f"<u:batch{time}>{self.update('', 2)}{self.update('', 2)}</u:batch>"
            self.flush()
            found.append(f"<u:stream {namespace}>{pieces}</u:stream>")
        return [one.encode() for one in found]
