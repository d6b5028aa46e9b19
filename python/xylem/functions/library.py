"""The families of built-in functions; a family is imported when one of its functions is first used."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from importlib import import_module

from xylem.errors import StaticError

from .registry import BUILTINS, PREFIXES, Builtin

FAMILIES: dict[str, str] = {
    "accessor_functions": "fn:data fn:error fn:string fn:trace",
    "aggregate_functions": "fn:avg fn:count fn:sum",
    "analyze_string": "fn:analyze-string",
    "array_functions": """
        array:append array:filter array:flatten array:fold-left array:fold-right array:for-each
        array:for-each-pair array:get array:head array:insert-before array:join array:put array:remove
        array:reverse array:size array:subarray array:tail
    """,
    "arrival_times": "xylem:add-timestamp",
    "boolean_functions": "fn:boolean fn:false fn:not fn:true",
    "comparing_strings": """
        fn:codepoint-equal fn:collation-key fn:compare fn:contains fn:contains-token fn:ends-with fn:starts-with
        fn:substring-after fn:substring-before
    """,
    "datetime_functions": """
        fn:adjust-date-to-timezone fn:adjust-dateTime-to-timezone fn:adjust-time-to-timezone fn:current-date
        fn:current-dateTime fn:current-time fn:dateTime fn:day-from-date fn:day-from-dateTime
        fn:days-from-duration fn:hours-from-dateTime fn:hours-from-duration fn:hours-from-time
        fn:implicit-timezone fn:minutes-from-dateTime fn:minutes-from-duration fn:minutes-from-time
        fn:month-from-date fn:month-from-dateTime fn:months-from-duration fn:seconds-from-dateTime
        fn:seconds-from-duration fn:seconds-from-time fn:timezone-from-date fn:timezone-from-dateTime
        fn:timezone-from-time fn:year-from-date fn:year-from-dateTime fn:years-from-duration
    """,
    "deep_equal": "fn:deep-equal",
    "distance_function": "xylem:distance",
    "distinct_values": "fn:distinct-values fn:index-of",
    "document_functions": """
        fn:collection fn:doc fn:doc-available fn:parse-xml fn:parse-xml-fragment fn:unparsed-text
        fn:unparsed-text-available fn:unparsed-text-lines fn:uri-collection
    """,
    "environment_functions": """
        fn:available-environment-variables fn:default-collation fn:default-language fn:environment-variable
    """,
    "event_order": "xylem:event-order",
    "extreme_values": "fn:max fn:min",
    "format_datetime": "fn:format-date fn:format-dateTime fn:format-time",
    "format_integer": "fn:format-integer",
    "format_number": "fn:format-number",
    "higher_order_functions": """
        fn:apply fn:filter fn:fold-left fn:fold-right fn:for-each fn:for-each-pair fn:function-arity
        fn:function-name
    """,
    "history_functions": """
        _history:as-of _history:content _history:document _history:lookup _history:moment _history:timeline
        _history:versions xylem:begin xylem:end xylem:version
    """,
    "id_functions": "fn:element-with-id fn:id fn:idref",
    "ietf_date": "fn:parse-ietf-date",
    "json_functions": "fn:json-doc fn:parse-json",
    "json_xml": "fn:json-to-xml fn:xml-to-json",
    "map_functions": """
        map:contains map:entry map:find map:for-each map:get map:keys map:merge map:put map:remove map:size
    """,
    "match_ranges": "_match:place _match:ranges _match:size",
    "math_functions": """
        math:acos math:asin math:atan math:atan2 math:cos math:exp math:exp10 math:log math:log10 math:pi
        math:pow math:sin math:sqrt math:tan
    """,
    "module_functions": "fn:load-xquery-module fn:transform",
    "node_functions": """
        fn:base-uri fn:document-uri fn:generate-id fn:has-children fn:in-scope-prefixes fn:innermost fn:lang
        fn:local-name fn:name fn:namespace-uri fn:namespace-uri-for-prefix fn:nilled fn:node-name fn:outermost
        fn:path fn:root fn:static-base-uri
    """,
    "node_places": "_places:last-inside",
    "numeric_functions": "fn:abs fn:ceiling fn:floor fn:number fn:round fn:round-half-to-even",
    "qname_functions": """
        fn:QName fn:local-name-from-QName fn:namespace-uri-from-QName fn:prefix-from-QName fn:resolve-QName
    """,
    "random_numbers": "fn:random-number-generator",
    "regex_functions": "fn:matches fn:replace fn:tokenize",
    "sequence_functions": """
        fn:empty fn:exactly-one fn:exists fn:head fn:insert-before fn:one-or-more fn:remove fn:reverse
        fn:subsequence fn:tail fn:unordered fn:zero-or-one
    """,
    "serialize_function": "fn:serialize",
    "sibling_numbers": "_siblings:number",
    "sky_functions": "xylem:sky-separation",
    "sorting": "array:sort fn:sort",
    "string_functions": """
        fn:codepoints-to-string fn:concat fn:lower-case fn:normalize-space fn:normalize-unicode fn:string-join
        fn:string-length fn:string-to-codepoints fn:substring fn:translate fn:upper-case
    """,
    "uri_functions": "fn:encode-for-uri fn:escape-html-uri fn:iri-to-uri fn:resolve-uri",
}
"""The names each module registers. The tests check that they agree."""

MOST_ARGUMENTS = 100_000
"""For functions with any number of arguments."""

_PREFIX_OF = {uri: prefix for prefix, uri in PREFIXES.items()}


@cache
def _family_of() -> dict[str, str]:
    return {name: family for family, names in FAMILIES.items() for name in names.split()}


def _load(family: str) -> None:
    import_module(f"{__package__}.{family}")


def load_all() -> dict[tuple[str, str], Builtin]:
    """Every built-in function by (namespace, local name)."""
    for family in FAMILIES:
        _load(family)
    return BUILTINS


def named(uri: str, local: str) -> Builtin | None:
    """The built-in function with a name, of any arity."""
    found = BUILTINS.get((uri, local))
    if found is None and uri in _PREFIX_OF:
        family = _family_of().get(f"{_PREFIX_OF[uri]}:{local}")
        if family is not None:
            _load(family)
            found = BUILTINS.get((uri, local))
    return found


def look_up(uri: str, local: str, arity: int) -> Builtin | None:
    """The built-in function with a name that can be called with this many arguments."""
    found = named(uri, local)
    if arity > MOST_ARGUMENTS and found is not None and found.variadic:
        raise StaticError("FOAR0002", f"a function of {arity} arguments")
    return found if found is not None and arity in arities(found) else None


def arities(of: Builtin) -> Sequence[int]:
    """The arities of a function; a focus function may omit its last argument."""
    every = range(of.least - of.focus, of.most + 1)
    return [n for n in every if n not in of.absent] if of.absent else every


def near_names(local: str) -> list[str]:
    """Built-in functions with similar names, with their arities, as in `fn:substring#2, #3`; nearest first."""
    from difflib import get_close_matches

    by_local: dict[str, list[Builtin]] = {}
    for builtin in load_all().values():
        # Only the compiler calls functions whose prefix has an underscore.
        if not _PREFIX_OF[builtin.uri].startswith("_"):
            by_local.setdefault(builtin.local, []).append(builtin)
    near = get_close_matches(local, by_local, n=3, cutoff=0.7)
    return [signature(builtin) for name in near for builtin in by_local[name]]


def signature(of: Builtin) -> str:
    """Name and arities of a function: `fn:substring#2, #3`."""
    counts = f"#{of.least} and more" if of.variadic else ", ".join(f"#{arity}" for arity in arities(of))
    return f"{_PREFIX_OF[of.uri]}:{of.local}{counts}"
