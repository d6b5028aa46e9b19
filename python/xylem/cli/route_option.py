"""`--route NAME=PLACE`: results that are elements of a name go to an output of their own."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Annotated, Any

import typer

from xylem.errors import StaticError

from .common_options import OUTPUT

OPTION = "--route"
_ROUTE = re.compile(r"((?:[^\W\d][\w.-]*:)?[^\W\d][\w.-]*)=(.+)", re.DOTALL)
_UTF_8 = ("utf-8", "utf8")

Routes = Annotated[
    list[str] | None,
    typer.Option(
        OPTION,
        metavar="NAME=FILE",
        help="Write results that are elements of this name to a file of their own, one after another on lines; the "
        "rest goes to `--output`. Elements in the outermost element of the answer count. Can be repeated.",
        rich_help_panel=OUTPUT,
    ),
]
StreamRoutes = Annotated[
    list[str] | None,
    typer.Option(
        OPTION,
        metavar="NAME=PLACE",
        help="Send results that are elements of this name to an output of their own, as `--output` names it; the rest "
        "goes to `--output`. Can be repeated.",
        rich_help_panel=OUTPUT,
    ),
]


def routes_of(texts: Sequence[str]) -> dict[str, str]:
    """Places by the names of elements, as written in the answer."""
    routes: dict[str, str] = {}
    for text in texts:
        found = _ROUTE.fullmatch(text)
        if found is None:
            raise typer.BadParameter(f"{text!r} is not NAME=PLACE", param_hint=OPTION)
        if found[1] in routes:
            raise typer.BadParameter(f"there are two places for {found[1]!r}", param_hint=OPTION)
        routes[found[1]] = found[2]
    for place in routes.values():
        if list(routes.values()).count(place) > 1 and place not in ("console", "-"):
            raise typer.BadParameter(f"two names go to {place}", param_hint=OPTION)
    return routes


def check_routable(parameters: Mapping[str, Any]) -> None:
    """XYST0016 for an answer that is not XML and has no elements."""
    for name, right in (("method", ("xml",)), ("encoding", _UTF_8)):
        value = str(parameters.get(name, right[0]))
        if value.lower() not in right:
            raise StaticError("XYST0016", f"its {name} is {value}")
