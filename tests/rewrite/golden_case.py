"""Cases as data: comments with properties, then sections that begin with `--- name`."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from pathlib import Path

GOLDEN = Path(__file__).resolve().parents[1] / "golden"


@dataclass
class Case:
    """One case of a golden file."""

    file: Path
    properties: dict[str, str] = field(default_factory=dict)
    sections: dict[str, str] = field(default_factory=dict)

    @property
    def name(self) -> str:
        return self.properties.get("name", self.file.stem)

    def list(self, name: str) -> list[str]:
        """A property that holds several words, with commas between them."""
        return [part.strip() for part in self.properties.get(name, "").split(",") if part.strip()]


def cases_in(path: Path) -> list[Case]:
    """The cases of a file; a line of `=` signs stands between two."""
    return [_case(path, text) for text in re.split(r"(?m)^={4,}$\n", path.read_text(encoding="utf-8")) if text.strip()]


def _case(path: Path, text: str) -> Case:
    case = Case(path)
    section: list[str] | None = None
    for line in text.splitlines():
        if line.startswith("--- "):
            section = []
            case.sections[line[4:].strip()] = ""
            name = line[4:].strip()
        elif section is not None:
            section.append(line)
            case.sections[name] = "\n".join(section).strip()
        elif match := re.match(r"#\s*([\w-]+):\s*(.*)", line):
            case.properties[match[1]] = match[2]
    return case
