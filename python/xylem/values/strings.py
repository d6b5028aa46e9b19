"""String-like atomic values: Python's str is xs:string, each other type a subclass of it.

As str subclasses they compare and hash by their characters, as op:same-key requires for xs:string, xs:untypedAtomic and
xs:anyURI as map keys.
"""

from __future__ import annotations


class UntypedAtomic(str):
    """xs:untypedAtomic: the type of node values without a schema."""

    __slots__ = ()


class AnyURI(str):
    """xs:anyURI"""

    __slots__ = ()


class NormalizedString(str):
    """xs:normalizedString"""

    __slots__ = ()


class Token(NormalizedString):
    """xs:token"""

    __slots__ = ()


class Language(Token):
    """xs:language"""

    __slots__ = ()


class NMToken(Token):
    """xs:NMTOKEN"""

    __slots__ = ()


class XsName(Token):
    """xs:Name"""

    __slots__ = ()


class NCName(XsName):
    """xs:NCName"""

    __slots__ = ()


class Id(NCName):
    """xs:ID"""

    __slots__ = ()


class IdRef(NCName):
    """xs:IDREF"""

    __slots__ = ()


class Entity(NCName):
    """xs:ENTITY"""

    __slots__ = ()
