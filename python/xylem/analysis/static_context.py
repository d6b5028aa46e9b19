"""The static context of a module (XQuery 3.1 §2.1.1), read from its prolog."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any
from urllib.parse import urljoin, urlsplit

from xylem.errors import Span, StaticError
from xylem.functions.context import CODEPOINT_COLLATION, StaticPart
from xylem.functions.decimal_format import DecimalFormat
from xylem.functions.registry import FN, PREFIXES
from xylem.syntax import ast
from xylem.values.collations import collation

from .expression_depth import check_depth

XML = "http://www.w3.org/XML/1998/namespace"
XMLNS = "http://www.w3.org/2000/xmlns/"
XS = PREFIXES["xs"]
XSI = "http://www.w3.org/2001/XMLSchema-instance"
LOCAL = "http://www.w3.org/2005/xquery-local-functions"
ERR = "http://www.w3.org/2005/xqt-errors"
OUTPUT = "http://www.w3.org/2010/xslt-xquery-serialization"
XQUERY = "http://www.w3.org/2012/xquery"

PREDECLARED = {"xml": XML, "xsi": XSI, "local": LOCAL, "err": ERR, "output": OUTPUT, **PREFIXES}
RESERVED_FOR_FUNCTIONS = {
    XML,
    XSI,
    XQUERY,
    *(uri for prefix, uri in PREFIXES.items() if prefix not in ("udf", "xylem")),
}


@dataclass(frozen=True)
class StaticContext:
    """The settings of the prolog for the whole module, and the namespaces at one place in it."""

    namespaces: Mapping[str, str] = field(default_factory=lambda: dict(PREDECLARED))
    """Prefix to URI; '' is the default element and type namespace."""
    element_namespaces: Mapping[str, str] = field(default_factory=dict)
    """Declarations of the direct element constructors around this place: constructed elements have them in scope."""
    default_function_namespace: str = FN
    base_uri: str | None = None
    default_collation: str = CODEPOINT_COLLATION
    unordered: bool = False
    is_sequential: bool = False
    """`declare execution sequential`: variables of the prolog may be set."""
    empty_greatest: bool = False
    preserve_types: bool = True
    copy_preserve: bool = True
    copy_inherit: bool = True
    decimal_formats: Mapping[tuple[str, str], DecimalFormat] = field(default_factory=dict)
    options: tuple[tuple[tuple[str, str], str, Span], ...] = ()
    output: Mapping[str, str] = field(default_factory=dict)
    module_namespace: str | None = None
    late_items: Any = None
    """Called with items that are too late for event time (`functions/event_order.py`)."""

    def with_namespaces(self, declared: Mapping[str, str]) -> StaticContext:
        merged = {**self.namespaces, **declared}
        return replace(self, namespaces={p: u for p, u in merged.items() if u or p == ""})

    def inside_element(self, declared: Mapping[str, str]) -> StaticContext:
        """The static context inside a direct element constructor with these declarations."""
        return replace(self.with_namespaces(declared), element_namespaces={**self.element_namespaces, **declared})

    def uri_of(self, prefix: str, span: Span) -> str:
        """The namespace of a prefix, or XPST0081."""
        uri = self.namespaces.get(prefix)
        if uri is None:
            # Prefixes with an underscore stand for functions of the engine's own.
            known = ", ".join(sorted(p for p in self.namespaces if p and not p.startswith("_")))
            hint = f'declare namespace {prefix} = "…"; or --ns {prefix}=… on the command line. Declared are {known}'
            raise StaticError("XPST0081", f"{prefix!r}", span=span, hint=hint)
        return uri

    @property
    def part(self) -> StaticPart:
        """The part that functions see."""
        return StaticPart(
            base_uri=self.base_uri,
            namespaces={p: u for p, u in self.namespaces.items() if u},
            default_collation=self.default_collation,
            decimal_formats=self.decimal_formats,
            late_items=self.late_items,
        )


def build_static_context(module: ast.Module, base: StaticContext) -> StaticContext:
    """The static context a module's prolog describes, starting from the environment's.

    It is the first use of a module, so XYST0003 for one that is too deep for later stages is raised here.
    """
    check_depth(module)
    context = base
    if isinstance(module, ast.LibraryModule):
        context = _declare(context, module.prefix, module.uri, module.span)
        context = replace(context, module_namespace=module.uri)
    for declaration in module.prolog:
        context = _apply(context, declaration)
    # Names of decimal formats and options may use any prefix of the prolog.
    formats: dict[tuple[str, str], DecimalFormat] = {}
    options: list[tuple[tuple[str, str], str, Span]] = []
    for declaration in module.prolog:
        if isinstance(declaration, ast.DecimalFormatDecl):
            key = _plain_name(context, declaration.name) if declaration.name else ("", "")
            if key in formats:
                raise StaticError("XQST0111", str(declaration.name or "default"), span=declaration.span)
            formats[key] = _decimal_format(declaration)
        elif isinstance(declaration, ast.OptionDecl):
            name = declaration.name
            uri = (
                context.uri_of(name.prefix, name.span) if name.prefix else name.uri if name.uri is not None else XQUERY
            )
            options.append(((uri, name.local), declaration.value, declaration.span))
    output: dict[str, str] = {}
    for (uri, local), value, span in options:
        if uri == OUTPUT:
            _add_output(context, output, local, value, span)
    return replace(context, decimal_formats=formats, options=tuple(options), output=output)


def _decimal_format(declaration: ast.DecimalFormatDecl) -> DecimalFormat:
    try:
        return DecimalFormat.of(dict(declaration.properties))
    except StaticError as error:
        raise error.at(declaration.span) from None


def _add_output(context: StaticContext, output: dict[str, str], local: str, value: str, span: Span) -> None:
    from xylem.sink.serialization_parameters import OPTION_NAMES

    if context.module_namespace is not None:
        raise StaticError("XQST0108", local, span=span)
    if local not in OPTION_NAMES:
        raise StaticError("XQST0109", f"output:{local}", span=span)
    if local in output:
        raise StaticError("XQST0110", f"output:{local}", span=span)
    if local in ("cdata-section-elements", "suppress-indentation"):
        value = " ".join(_eqname(context, name, span) for name in value.split())
    output[local] = value


def _eqname(context: StaticContext, name: str, span: Span) -> str:
    from xylem.values.xml_names import split_qname

    parts = split_qname(name)
    if parts is None:
        # Q{uri}local already, or not a name at all, which the serialiser refuses (SEPM0016).
        return name
    prefix, local = parts
    uri = context.uri_of(prefix, span) if prefix else context.namespaces.get("", "")
    return f"Q{{{uri}}}{local}"


def _plain_name(context: StaticContext, name: ast.Name) -> tuple[str, str]:
    """The expanded form of a name to which no default namespace applies."""
    if name.uri is not None:
        return name.uri, name.local
    return (context.uri_of(name.prefix, name.span) if name.prefix else ""), name.local


def _apply(context: StaticContext, declaration: ast.Declaration) -> StaticContext:
    match declaration:
        case ast.NamespaceDecl(prefix=prefix, uri=uri):
            return _declare(context, prefix, uri, declaration.span)
        case ast.DefaultNamespaceDecl(kind="element", uri=uri):
            _refuse_reserved_uri(uri, declaration.span)
            return context.with_namespaces({"": uri})
        case ast.DefaultNamespaceDecl(uri=uri):
            _refuse_reserved_uri(uri, declaration.span)
            return replace(context, default_function_namespace=uri)
        case ast.ModuleImport(prefix=prefix, uri=uri):
            if not uri:
                raise StaticError("XQST0088", span=declaration.span)
            return _declare(context, prefix, uri, declaration.span) if prefix else context
        case ast.SchemaImport():
            raise StaticError("XQST0009", span=declaration.span)
        case ast.DefaultCollationDecl(uri=uri):
            return replace(context, default_collation=_collation_uri(context, uri, declaration.span))
        case ast.BaseUriDecl(uri=uri):
            return replace(context, base_uri=resolved_uri(context.base_uri, uri))
        case ast.ConstructionDecl(mode=mode):
            return replace(context, preserve_types=mode == "preserve")
        case ast.OrderingModeDecl(mode=mode):
            return replace(context, unordered=mode == "unordered")
        case ast.ExecutionDecl(mode=mode):
            return replace(context, is_sequential=mode == "sequential")
        case ast.EmptyOrderDecl(mode=mode):
            return replace(context, empty_greatest=mode == "greatest")
        case ast.CopyNamespacesDecl(preserve=preserve, inherit=inherit):
            return replace(context, copy_preserve=preserve, copy_inherit=inherit)
    return context


def _declare(context: StaticContext, prefix: str, uri: str, span: Span) -> StaticContext:
    if prefix in ("xml", "xmlns") or uri in (XML, XMLNS):
        raise StaticError("XQST0070", f"{prefix!r} = {uri!r}", span=span)
    return context.with_namespaces({prefix: uri})


def _refuse_reserved_uri(uri: str, span: Span) -> None:
    if uri in (XML, XMLNS):
        raise StaticError("XQST0070", uri, span=span)


def _collation_uri(context: StaticContext, uri: str, span: Span) -> str:
    from xylem.errors import DynamicError

    try:
        return collation(uri, context.base_uri).uri
    except DynamicError as reason:
        raise StaticError("XQST0038", reason.why, span=span, hint=reason.hint) from None


def resolved_uri(base: str | None, uri: str) -> str:
    """A URI made absolute, if there is a base."""
    if urlsplit(uri).scheme or not base:
        return uri
    return urljoin(base, uri)
