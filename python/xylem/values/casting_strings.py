"""Casts to xs:string, xs:untypedAtomic, xs:anyURI and the types derived from xs:string (F&O 3.1 §19.1.2, §19.2)."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from . import atomic_type as at
from . import strings as s
from .atomic import CLASS_OF, STRING_CLASSES
from .atomic_type import AtomicType
from .cast_errors import not_castable, not_lexical
from .string_of import string_of
from .white_space import collapse, replace
from .xml_names import is_name, is_ncname, is_nmtoken

_LANGUAGE = re.compile("[a-zA-Z]{1,8}(-[a-zA-Z0-9]{1,8})*")


def _is_language(text: str) -> bool:
    return _LANGUAGE.fullmatch(text) is not None


_IN_LEXICAL_SPACE: dict[AtomicType, Callable[[str], bool]] = {
    at.LANGUAGE: _is_language,
    at.NMTOKEN: is_nmtoken,
    at.NAME: is_name,
    at.NCNAME: is_ncname,
    at.ID: is_ncname,
    at.IDREF: is_ncname,
    at.ENTITY: is_ncname,
}


def _to_untyped(value: Any) -> s.UntypedAtomic:
    return s.UntypedAtomic(string_of(value))


def _to_normalized_string(value: Any) -> s.NormalizedString:
    return s.NormalizedString(replace(string_of(value)))


def _to_token(value: Any) -> s.Token:
    return s.Token(collapse(string_of(value)))


def _to_any_uri(value: Any) -> s.AnyURI:
    """Every text is an anyURI in XSD 1.1; only strings may be cast."""
    if type(value) not in STRING_CLASSES:
        raise not_castable(value, at.ANY_URI)
    return s.AnyURI(collapse(value))


def _to_checked(target: AtomicType, is_lexical: Callable[[str], bool]) -> Callable[[Any], Any]:
    cls = CLASS_OF[target]

    def to_derived_string(value: Any) -> Any:
        text = collapse(string_of(value))
        if not is_lexical(text):
            raise not_lexical(text, target)
        return cls(text)

    return to_derived_string


STRING_CASTS: dict[AtomicType, Callable[[Any], Any]] = {
    at.STRING: string_of,
    at.UNTYPED_ATOMIC: _to_untyped,
    at.ANY_URI: _to_any_uri,
    at.NORMALIZED_STRING: _to_normalized_string,
    at.TOKEN: _to_token,
    **{target: _to_checked(target, is_lexical) for target, is_lexical in _IN_LEXICAL_SPACE.items()},
}
