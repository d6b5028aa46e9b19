"""Tokens of a site over HTTP: created, listed and withdrawn by its owner.

    GET    /tokens                           the grants, without the tokens themselves
    POST   /tokens                           {"name": …, "publish": […], "subscribe": […], "operate": false}
    DELETE /tokens/NAME                      the token is no longer accepted
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from xylem.errors import InputError

from .catalogue import Catalogue
from .grants import Grant, new_token
from .http_answers import Access, Scope, answering, body_of
from .site_names import checked_name

if TYPE_CHECKING:
    from starlette.requests import Request
    from starlette.routing import Route


def token_routes(catalogue: Catalogue, access: Access) -> list[Route]:
    from starlette.routing import Route

    async def tokens(request: Request) -> Any:
        if request.method == "GET":
            shown = {name: dict(told) for name, told in sorted(catalogue.network.grants.items())}
            for told in shown.values():
                del told["digest"]
            return [{"name": name, **told} for name, told in shown.items()]
        return granted(catalogue, await body_of(request))

    async def token(request: Request) -> Any:
        name = request.path_params["name"]
        if name not in catalogue.network.grants:
            raise InputError("XYRT0053", f"there is no token '{name}'")
        catalogue.add("revoke", name, {})
        return {"name": name}

    asked = [("/tokens", tokens, ["GET", "POST"]), ("/tokens/{name}", token, ["DELETE"])]
    return [Route(path, answering(access, Scope.OWNER, ask), methods=methods) for path, ask, methods in asked]


def granted(catalogue: Catalogue, body: dict[str, Any]) -> dict[str, Any]:
    """A new token, shown only in this answer; XYRT0053 if the name is taken."""
    name = checked_name(body["name"])
    if name in catalogue.network.grants:
        raise InputError("XYRT0053", f"a token '{name}' exists already: withdraw it first")
    token, digest = new_token()
    publish, subscribe = (tuple(map(str, body.get(key, ()))) for key in ("publish", "subscribe"))
    catalogue.add("grant", name, Grant(name, digest, publish, subscribe, bool(body.get("operate"))).to_dict())
    return {"name": name, "token": token}
