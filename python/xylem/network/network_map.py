"""The map of a network: as text, for Graphviz, and as SVG."""

from __future__ import annotations

from collections.abc import Iterator
from math import cos, pi, sin
from typing import Any
from xml.sax.saxutils import escape

_COLOURS = {"super": "#dbe9f6", "thin": "#f3efe0"}
_STEPS = 300
_WIDTH, _HEIGHT = 900, 640


def text(told: dict[str, Any]) -> Iterator[str]:
    """Peers with their streams and subscriptions, then links with their traffic."""
    subnets = _subnets(told)
    for peer in told["peers"]:
        if not peer["answers"]:
            yield f"{peer['name']} ({peer['kind']}): does not answer"
            continue
        yield f"{peer['name']} ({peer['kind']}) {peer['url']}{subnets[peer['name']]}"
        yield from (f"  publishes {name}" for name in peer["sources"])
        yield from (f"  {one['name']}: {one['origin']}, up to position {one['end']:,}" for one in peer["streams"])
        yield from (f"  asks for {name}" for name in peer["subscriptions"])
    yield ""
    for link in told["links"]:
        one, other = link["between"]
        sent = ", ".join(f"{size:,} bytes {way}" for way, size in link["bytes"].items() if size) or "nothing yet"
        yield f"{one} – {other}: {sent}"
    yield f"all links: {_total(told):,} bytes"


def _subnets(told: dict[str, Any]) -> dict[str, str]:
    """The subnet of each peer; empty if there is only one."""
    found = {peer["name"]: peer.get("subnet", "") for peer in told["peers"]}
    is_divided = len(set(found.values()) - {""}) > 1
    return {name: f", subnet {subnet}" if is_divided and subnet else "" for name, subnet in found.items()}


def _total(told: dict[str, Any]) -> int:
    return sum(size for link in told["links"] for size in link["bytes"].values())


def dot(told: dict[str, Any]) -> Iterator[str]:
    """The map for Graphviz."""
    yield "graph network {"
    yield "  node [style=filled, fontname=Helvetica];"
    for peer in told["peers"]:
        shape = "box" if peer["kind"] == "super" else "ellipse"
        colour = _COLOURS[peer["kind"]] if peer["answers"] else "#dddddd"
        yield f'  "{peer["name"]}" [label="{_quoted(_labels(peer, told))}", shape={shape}, fillcolor="{colour}"];'
    for link in told["links"]:
        size = sum(link["bytes"].values())
        yield f'  "{link["between"][0]}" -- "{link["between"][1]}" [label="{size:,} B"];'
    yield "}"


def _labels(peer: dict[str, Any], told: dict[str, Any]) -> list[str]:
    if not peer["answers"]:
        return [peer["name"], "does not answer"]
    name = f"{peer['name']}{_subnets(told)[peer['name']]}"
    return [name, *peer["sources"], *(f"? {each}" for each in peer["subscriptions"])]


def _quoted(lines: list[str]) -> str:
    return "\\n".join(line.replace("\\", "\\\\").replace('"', '\\"') for line in lines)


def svg(told: dict[str, Any]) -> Iterator[str]:
    """The map as SVG."""
    places = _places([peer["name"] for peer in told["peers"]], [tuple(link["between"]) for link in told["links"]])
    font = 'font-family="sans-serif" font-size="13"'
    yield f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {_HEIGHT}" {font}>'
    most = max((sum(link["bytes"].values()) for link in told["links"]), default=0) or 1
    for link in told["links"]:
        (x1, y1), (x2, y2) = (places[name] for name in link["between"])
        size = sum(link["bytes"].values())
        ends = f'x1="{x1:.0f}" y1="{y1:.0f}" x2="{x2:.0f}" y2="{y2:.0f}"'
        yield f'<line {ends} stroke="#7a94ad" stroke-width="{1 + 7 * size / most:.1f}"/>'
        yield _label((x1 + x2) / 2, (y1 + y2) / 2 - 6, f"{size:,} B", 'fill="#555"')
    for peer in told["peers"]:
        yield from _box(peer, _labels(peer, told), *places[peer["name"]])
    yield "</svg>"


def _box(peer: dict[str, Any], labels: list[str], x: float, y: float) -> Iterator[str]:
    colour = _COLOURS[peer["kind"]] if peer["answers"] else "#dddddd"
    height = 14 + 16 * len(labels)
    place = f'x="{x - 55:.0f}" y="{y - height / 2:.0f}" width="110" height="{height}"'
    round_by = 8 if peer["kind"] == "super" else 20
    yield f'<rect {place} rx="{round_by}" fill="{colour}" stroke="#456"/>'
    for number, label in enumerate(labels):
        yield _label(x, y - height / 2 + 19 + 16 * number, label, 'font-weight="bold"' if number == 0 else "")


def _label(x: float, y: float, words: str, look: str) -> str:
    return f'<text x="{x:.0f}" y="{y:.0f}" text-anchor="middle" {look}>{escape(words)}</text>'


def _places(names: list[str], links: list[tuple[str, ...]]) -> dict[str, tuple[float, float]]:
    """The positions of peers in a drawing: links attract, all peers repel. The result is deterministic."""
    number = max(1, len(names))
    at = {name: [cos(2 * pi * n / number), sin(2 * pi * n / number)] for n, name in enumerate(names)}
    near = (4.0 / number) ** 0.5
    for step in range(_STEPS):
        moves = {name: [0.0, 0.0] for name in names}
        for one in names:
            for other in names:
                if one < other:
                    _pull(at, moves, one, other, lambda far: -near * near / far)
        for one, other in links:
            _pull(at, moves, one, other, lambda far: far * far / near)
        reach = 0.1 * (1 - step / _STEPS)
        for name, (x, y) in moves.items():
            far = max(1e-9, (x * x + y * y) ** 0.5)
            at[name][0] += x / far * min(far, reach)
            at[name][1] += y / far * min(far, reach)
    return _fitted(at)


def _pull(at: dict[str, list[float]], moves: dict[str, list[float]], one: str, other: str, strength: Any) -> None:
    x, y = at[other][0] - at[one][0], at[other][1] - at[one][1]
    far = max(1e-6, (x * x + y * y) ** 0.5)
    force = strength(far) / far
    for name, sign in ((one, 1), (other, -1)):
        moves[name][0] += sign * force * x
        moves[name][1] += sign * force * y


def _fitted(at: dict[str, list[float]]) -> dict[str, tuple[float, float]]:
    def scaled(values: list[float], size: int, edge: int) -> list[float]:
        low, high = min(values, default=0.0), max(values, default=1.0)
        return [edge + (value - low) / max(1e-9, high - low) * (size - 2 * edge) for value in values]

    xs = scaled([place[0] for place in at.values()], _WIDTH, 80)
    ys = scaled([place[1] for place in at.values()], _HEIGHT, 60)
    return dict(zip(at, zip(xs, ys, strict=True), strict=True))
