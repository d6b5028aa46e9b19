"""All built-in functions: importing this module registers every family, and names can be looked up."""

from __future__ import annotations

from importlib import import_module

from .registry import BUILTINS, PREFIXES, Builtin

FAMILIES = (
    "accessor_functions",
    "aggregate_functions",
    "analyze_string",
    "array_functions",
    "boolean_functions",
    "comparing_strings",
    "datetime_functions",
    "deep_equal",
    "distinct_values",
    "document_functions",
    "environment_functions",
    "extreme_values",
    "format_datetime",
    "format_integer",
    "format_number",
    "higher_order_functions",
    "id_functions",
    "ietf_date",
    "map_functions",
    "math_functions",
    "module_functions",
    "node_functions",
    "numeric_functions",
    "qname_functions",
    "random_numbers",
    "regex_functions",
    "sequence_functions",
    "sorting",
    "string_functions",
    "uri_functions",
)
"""The modules of functions."""

for _family in FAMILIES:
    import_module(f"{__package__}.{_family}")

_WRITTEN = {uri: prefix for prefix, uri in PREFIXES.items()}


def look_up(uri: str, local: str, arity: int) -> Builtin | None:
    """The built-in function of a name that can be called with so many arguments."""
    found = BUILTINS.get((uri, local))
    return found if found is not None and arity in arities(found) else None


def arities(of: Builtin) -> range:
    """With how many arguments a function can be called; a focus function may leave out its last one."""
    return range(of.least - of.focus, of.most + 1)


def near_names(local: str) -> list[str]:
    """Built-in functions with similar names, with their arities, as in `fn:substring#2, #3`; nearest first."""
    from difflib import get_close_matches

    by_local: dict[str, list[Builtin]] = {}
    for builtin in BUILTINS.values():
        by_local.setdefault(builtin.local, []).append(builtin)
    near = get_close_matches(local, by_local, n=3, cutoff=0.7)
    return [signature(builtin) for name in near for builtin in by_local[name]]


def signature(of: Builtin) -> str:
    """Name and arities of a function: `fn:substring#2, #3`."""
    counts = f"#{of.least} and more" if of.variadic else ", ".join(f"#{arity}" for arity in arities(of))
    return f"{_WRITTEN[of.uri]}:{of.local}{counts}"
