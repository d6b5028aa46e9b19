"""The declaration of an element: its content model and its attributes."""

from __future__ import annotations

from dataclasses import dataclass

from .content_model import Content


@dataclass(frozen=True, slots=True)
class AttributeDeclaration:
    """One attribute. `uri` None matches any namespace, as DTD names do."""

    local: str
    uri: str | None = None
    type: str = "CDATA"
    required: bool = False
    default: str | None = None
    fixed: bool = False
    """The value is always the default."""
    values: tuple[str, ...] = ()
    """The allowed values; empty if any is."""

    def __str__(self) -> str:
        kind = f"({' | '.join(self.values)})" if self.values else self.type
        if self.required:
            use = "#REQUIRED"
        elif self.default is None:
            use = "#IMPLIED"
        else:
            use = ("#FIXED " if self.fixed else "") + f'"{self.default}"'
        return f"{self.local} {kind} {use}"


@dataclass(frozen=True, slots=True)
class ElementDeclaration:
    """An element type: what may occur directly below it."""

    name: str
    """As written in the schema."""
    content: Content
    attributes: tuple[AttributeDeclaration, ...] = ()
    other_attributes: bool = False
    """Whether unlisted attributes may occur (xs:anyAttribute)."""
    uri: str | None = None
    """Its namespace; None if it is not known, as in a DTD."""

    @property
    def local(self) -> str:
        """The name without a prefix."""
        return self.name.rpartition(":")[2]
