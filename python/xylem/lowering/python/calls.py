"""Function calls, references, inline functions and partial application."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial

from xylem.analysis.facts.standard_calls import argument_of
from xylem.analysis.near_siblings import nearest, sibling_label, siblings_before
from xylem.analysis.static_context import XQUERY, XS
from xylem.analysis.types import LIST_TYPES, sequence_type, signature_type
from xylem.errors import StaticError
from xylem.functions.external import ExternalFunction
from xylem.functions.library import look_up, near_names
from xylem.functions.map_functions import get as map_get
from xylem.functions.registry import FN, PREFIXES, Builtin
from xylem.run.runtime import calls as rt
from xylem.run.runtime import sequences
from xylem.syntax import ast
from xylem.values import atomic_type as at
from xylem.values.atomic_type import ATOMIC_TYPES
from xylem.values.coercion import call_function
from xylem.values.conversion import convert
from xylem.values.function_item import FunctionItem
from xylem.values.qname import QName
from xylem.values.sequence_type import (
    ONE_ATOMIC,
    AtomicItem,
    FunctionItemType,
    MapItem,
    Occurrence,
    SequenceType,
)

from .code import Code, Shape, atomic, boolean, many, one, optional, shape_of
from .compiler import Compiler, OwnCall, compiles, tails
from .control import Finish
from .direct_calls import direct_call, refined
from .joins import number_of_matches
from .keyed_groups import INTRINSICS
from .maps import map_call, map_result, value_at
from .record_rows import field_of_row, row_or_value, whole_record
from .running_folds import running_fold
from .scope import Focus
from .shared_values import positions_in
from .step_texts import count_of_step, has_node, integer_of_step
from .type_operators import cast_code

OPTIONAL_ATOMIC = SequenceType(AtomicItem(at.ANY_ATOMIC), Occurrence.OPTIONAL)
_NUMBER = ast.Name("number", None, PREFIXES["_siblings"])
_COUNT = ast.Name("count", "fn", FN)
ABSENT = Focus(None, absent_reason="a function body has no context item")


@compiles(ast.FunctionCall)
def compile_call(c: Compiler, node: ast.FunctionCall) -> Code:
    if any(isinstance(argument, ast.ArgumentPlaceholder) for argument in node.arguments):
        return _partially_applied(c, function_item(c, node.name, len(node.arguments), node), node.arguments)
    first_of = argument_of(node, "head")
    if first_of is not None:
        return c.compile(ast.Filter(first_of, ast.IntegerLiteral(1), span=node.span))
    match node:
        case ast.FunctionCall(name=name, arguments=(ast.Shared() as values, sought)):
            if name.expanded == (FN, "index-of"):
                return positions_in(c, values, sought)

    def plain() -> Code:
        return static_call(c, node, node.name, node.arguments)

    return running_fold(c, node, plain) or plain()


@tails(ast.FunctionCall)
def tail_call(c: Compiler, node: ast.FunctionCall, finish: Finish) -> None:
    """A tail call of the same function restarts it with other arguments, in the same Python frame."""
    own = c.own_call
    if own is None or own.frame is not c.writer.frame or own.key != (*node.name.expanded, len(node.arguments)):
        finish(compile_call(c, node))
        return
    if any(isinstance(argument, ast.ArgumentPlaceholder) for argument in node.arguments):
        finish(compile_call(c, node))
        return
    values = [
        c.bind(c.converted(c.compile(argument), expected, f"argument {i} of {node.name}()")).text
        for i, (argument, expected) in enumerate(zip(node.arguments, own.parameters, strict=True), 1)
    ]
    if values:
        c.writer.line(f"{', '.join(own.names)} = {', '.join(values)}")
    c.writer.line("continue")
    own.frame.loops_forever = True


def static_call(c: Compiler, node: ast.Expr, name: ast.Name, arguments: tuple[ast.Expr, ...]) -> Code:
    arity = len(arguments)
    intrinsic = _INTRINSICS.get((name.uri or "", name.local, arity))
    if intrinsic is not None:
        return intrinsic(c, *arguments)
    if name.local == "stream" and arity == 1 and c.writer.bounds is not None:
        from .endless import STREAM_NAMES, stream_call

        if name.expanded in STREAM_NAMES:
            return stream_call(c, arguments[0])
    declared = c.functions.user_function(c, name, arity)
    if declared is not None:
        texts = [
            _argument(c, argument, parameter, expected, f"argument {i} of {name}()")
            for i, (argument, parameter, expected) in enumerate(
                zip(arguments, declared.declaration.parameters, declared.parameters, strict=True), 1
            )
        ]
        call = f"{declared.python_name}({', '.join(texts)})"
        if c.writer.bounds is not None and c.writer.bounds.result((*name.expanded, arity)) is not None:
            return Code(call, Shape.ITERABLE, declared.returns, endless=True)
        return Code(call, shape_of(declared.returns.occurrence), declared.returns)
    if name.uri == XS:
        return _constructor_call(c, node, name, arguments)
    builtin = c.functions.external(name, arity) or look_up(name.uri or "", name.local, arity)
    if builtin is None:
        raise unknown_function(c, name, arity, node)
    return _builtin_call(c, builtin, arguments)


def _argument(
    c: Compiler, argument: ast.Expr, parameter: ast.Parameter, expected: SequenceType, what: str
) -> str:
    """An argument of a declared function; if it may be infinite, it is read as it arrives."""
    code = c.compile(argument)
    if not code.endless:
        return c.bind(c.converted(code, expected, what)).text
    from .endless import checked_lazily, shared

    readers = None if c.writer.bounds is None else c.writer.bounds.parameter_readers(parameter)
    return c.bind(shared(c, checked_lazily(c, code, expected, what), readers, f"${parameter.name}")).text


def _builtin_call(c: Compiler, builtin: Builtin, arguments: tuple[ast.Expr, ...]) -> Code:
    if builtin.local == "get" and builtin.uri == PREFIXES["map"]:
        found = field_of_row(c, arguments[0], arguments[1])
        if found is not None:
            return found
    given: list[Code] = []
    function = ""
    if len(arguments) < builtin.least:
        # A focus function whose last argument is omitted.
        arguments = (*arguments, ast.ContextItem(span=c.writer.span or arguments[0].span))
    for i, argument in enumerate(arguments):
        kind = signature_type(builtin.parameters[min(i, len(builtin.parameters) - 1)])
        what = f"argument {i + 1} of {builtin.local}()"
        code = c.compile(argument)
        if code.endless and builtin.local == "distinct-values":
            from xylem.run.runtime.endless import distinct_within

            function = c.rt(distinct_within)
        given.append(_lazy_argument(c, code, kind, what) if i in builtin.lazy else _converted(c, code, kind, what))
    if not function:
        direct = direct_call(c, builtin, arguments, given) or map_call(c, builtin, given)
        if direct is not None:
            return direct
    texts = [code.text for code in given]
    if builtin.context:
        texts.insert(0, c.context())
    if not function:
        function = c.writer.constant(builtin.body, f"f_{_identifier(builtin.local)}")
    returns = signature_type(builtin.returns)
    text = f"{function}({', '.join(texts)})"
    if isinstance(builtin, ExternalFunction):
        text = f"{c.rt(convert)}({text}, {c.type_constant(returns)}, {f'the result of {builtin.local}()'!r})"
        return Code(text, shape_of(returns.occurrence), returns)
    shape = shape_of(returns.occurrence)
    made = map_result(builtin, given)
    if made is not None:
        return one(text, made)
    return refined(builtin, given, Code(text, Shape.ITERABLE if shape is Shape.SEQUENCE else shape, returns))


def _converted(c: Compiler, code: Code, kind: SequenceType, what: str) -> Code:
    """An argument converted for a function; known presence of an item is preserved."""
    is_there = code.shape is Shape.ONE and (code.is_nodes or code.atomic is not None)
    made = c.converted(code, kind, what)
    if not is_there or made.shape is not Shape.OPTIONAL:
        return made
    return replace(made, shape=Shape.ONE, type=SequenceType(made.item))


def _identifier(local: str) -> str:
    return local.replace("-", "_")


def _lazy_argument(c: Compiler, code: Code, kind: SequenceType, what: str) -> Code:
    """An iterable that is read only as far as the function needs; a range or a list stays one."""
    if isinstance(kind.item, AtomicItem):
        code = c.atomized(code)
    if code.item.within(kind.item) or code.is_empty:
        return many(c.as_iterable(code), code.item)
    return many(f"{c.rt(rt.convert_lazily)}({c.as_iterable(code)}, {c.type_constant(kind)}, {what!r})", kind.item)


def _constructor_call(c: Compiler, node: ast.Expr, name: ast.Name, arguments: tuple[ast.Expr, ...]) -> Code:
    known = name.local in LIST_TYPES or name.local in ATOMIC_TYPES
    if not known or len(arguments) != 1 or name.local in ("anyAtomicType", "NOTATION"):
        raise unknown_function(c, name, len(arguments), node)
    value = c.compile(arguments[0])
    if name.local == "integer":
        number = integer_of_step(c, value, f"the argument of {name}()")
        if number is not None:
            return number
    value = c.atomized(value)
    if name.local in LIST_TYPES:
        return cast_code(c, value, name.local, True)
    if value.shape not in (Shape.ONE, Shape.OPTIONAL):
        value = c.converted(value, OPTIONAL_ATOMIC, f"the argument of {name}()")
    return cast_code(c, value, ATOMIC_TYPES[name.local], True)


def unknown_function(c: Compiler, name: ast.Name, arity: int, node: ast.Node) -> StaticError:
    """XPST0017, with the arities or names that exist instead."""
    same = c.functions.arities(c, name)
    if same:
        hint = f"{name} exists with {' or '.join(map(str, same))} argument{'s' if same != [1] else ''}"
    else:
        near = c.functions.near_user_functions(c, name) + near_names(name.local)
        hint = f"did you mean {', or '.join(near[:3])}?" if near else ""
    if isinstance(node, ast.NamedFunctionRef) and not same:
        hint = f"for an earlier version of a child write child::{name.local}#{arity}" + (f"; {hint}" if hint else "")
    if name.expanded == (FN, "stream") and arity == 1:
        return StaticError("XYST0002", "stream()", span=node.span, hint="give the document as the input: -i FILE")
    written = name.local if name.uri == FN else str(name)
    return StaticError("XPST0017", f"{written}#{arity}", span=node.span, hint=hint)


# --- functions written as Python expressions


def _position(c: Compiler) -> Code:
    return _focus_part(c, c.scope.focus.position, "position()")


def _last(c: Compiler) -> Code:
    return _focus_part(c, c.scope.focus.size, "last()")


def _focus_part(c: Compiler, variable: object, what: str) -> Code:
    if variable is not None:
        return c.use(variable)  # type: ignore[arg-type]
    focus = c.scope.focus
    if focus.is_global and focus.item is not None:
        # There is at most one context item: evaluating it checks that.
        return atomic(f"({c.use(focus.item).text}, 1)[1]", at.INTEGER)
    return c.compile(ast.ContextItem())


def _count(c: Compiler, argument: ast.Expr) -> Code:
    matches = number_of_matches(c, argument, "count")
    if matches is not None:
        return atomic(matches, at.INTEGER)
    if c.numbers_siblings and siblings_before(argument) is not None:
        return _count_by_number(c, argument)
    code = c.compile(argument)
    if code.shape is Shape.ONE:
        return atomic("1", at.INTEGER, simple=True) if code.simple else atomic(f"({code.text}, 1)[1]", at.INTEGER)
    if code.shape is Shape.OPTIONAL:
        return atomic(f"(0 if {code.text} is None else 1)", at.INTEGER)
    if code.shape is Shape.SEQUENCE:
        return atomic(count_of_step(c, code) or f"len({code.text})", at.INTEGER)
    return atomic(f"{c.rt(sequences.counted)}({code.text})", at.INTEGER)


def _count_by_number(c: Compiler, argument: ast.Expr) -> Code:
    """count($x/preceding-sibling::a) → if ($x/preceding-sibling::a[1] has a number) then its number, else the count."""
    found = siblings_before(argument)
    assert found is not None
    start, step = found
    near: ast.Expr = nearest(step) if start is None else ast.Path(start, nearest(step), span=step.span)
    label = ast.IntegerLiteral(sibling_label(step.test, step.predicates))
    number = ast.FunctionCall(_NUMBER, (near, label), span=argument.span)
    # The parentheses prevent this rewriting, so the nodes are counted.
    count = ast.FunctionCall(_COUNT, (ast.SequenceExpr((argument,)),), span=argument.span)
    is_known = ast.ValueComparison("ge", number, ast.IntegerLiteral(0), span=argument.span)
    return c.compile(ast.If(is_known, number, count, span=argument.span))


def _exists(c: Compiler, argument: ast.Expr) -> Code:
    matches = number_of_matches(c, argument, "exists")
    if matches is not None:
        return boolean(matches)
    return boolean(_has_items(c, row_or_value(c, argument)))


def _empty(c: Compiler, argument: ast.Expr) -> Code:
    matches = number_of_matches(c, argument, "empty")
    if matches is not None:
        return boolean(matches)
    return boolean(f"(not {_has_items(c, row_or_value(c, argument))})")


def _has_items(c: Compiler, code: Code) -> str:
    if code.shape is Shape.ONE:
        return f"bool(({code.text},))"
    if code.shape is Shape.OPTIONAL:
        return f"({code.text} is not None)"
    if code.shape is Shape.SEQUENCE:
        return has_node(c, code) or f"bool({code.text})"
    return f"{c.rt(sequences.any_item)}({code.text})"


def _not(c: Compiler, argument: ast.Expr) -> Code:
    return boolean(f"(not {c.truth(argument)})")


def _boolean(c: Compiler, argument: ast.Expr) -> Code:
    return boolean(f"bool({c.truth(argument)})")


def _true(c: Compiler) -> Code:
    return atomic("True", at.BOOLEAN, simple=True)


def _false(c: Compiler) -> Code:
    return atomic("False", at.BOOLEAN, simple=True)


def _string(c: Compiler, argument: ast.Expr | None = None) -> Code:
    code = c.compile(argument or ast.ContextItem())
    if code.is_nodes and code.shape is Shape.ONE:
        return atomic(f"{code.text}.string_value", at.STRING)
    if code.atomic is at.STRING and code.shape is Shape.ONE:
        return code
    item = c.as_optional(code, "the argument of string()")
    return atomic(f"{c.rt(rt.string_of_item)}({item})", at.STRING)


def _data(c: Compiler, argument: ast.Expr | None = None) -> Code:
    return c.atomized(c.compile(argument or ast.ContextItem()))


_INTRINSICS: dict[tuple[str, str, int], Callable[..., Code]] = {
    (FN, "position", 0): _position,
    (FN, "last", 0): _last,
    (FN, "count", 1): _count,
    (FN, "exists", 1): _exists,
    (FN, "empty", 1): _empty,
    (FN, "not", 1): _not,
    (FN, "boolean", 1): _boolean,
    (FN, "true", 0): _true,
    (FN, "false", 0): _false,
    (FN, "string", 0): _string,
    (FN, "string", 1): _string,
    (FN, "data", 0): _data,
    (FN, "data", 1): _data,
    **INTRINSICS,
}

# --- dynamic calls and partial application


@compiles(ast.DynamicCall)
def compile_dynamic_call(c: Compiler, node: ast.DynamicCall) -> Code:
    callee = row_or_value(c, node.function)
    is_map = isinstance(callee.item, MapItem) and callee.shape in (Shape.ONE, Shape.OPTIONAL)
    if is_map and len(node.arguments) == 1 and not isinstance(node.arguments[0], ast.ArgumentPlaceholder):
        if not callee.is_one:
            text = c.as_one(callee, "what is called")
            callee = replace(callee, text=text, shape=Shape.ONE, type=SequenceType(callee.item), simple=False)
        # A map is looked up directly. It gets no name of its own: a table that a variable holds is changed in place
        # while nothing else refers to it.
        key = _converted(c, c.compile(node.arguments[0]), ONE_ATOMIC, "argument 2 of get()")
        found = value_at(c, callee, key)
        if found is not None:
            return found
        return many(f"{c.rt(map_get)}({whole_record(c, callee).text}, {key.text})", reread=True)
    function = c.as_one(whole_record(c, callee), "what is called")
    if any(isinstance(argument, ast.ArgumentPlaceholder) for argument in node.arguments):
        return _partially_applied(c, one(function, FunctionItemType()), node.arguments)
    name = c.writer.fresh("callee")
    c.writer.line(f"{name} = {function}")
    arguments = "".join(f"{c.as_sequence(c.compile(argument))}, " for argument in node.arguments)
    return many(f"{c.rt(call_function)}({name}, ({arguments}))")


def _partially_applied(c: Compiler, function: Code, arguments: tuple[ast.Expr, ...]) -> Code:
    function = c.bind(function)
    given = "".join(
        "None, " if isinstance(argument, ast.ArgumentPlaceholder) else f"{c.as_sequence(c.compile(argument))}, "
        for argument in arguments
    )
    return one(f"{c.rt(rt.partially_applied)}({function.text}, ({given}))", FunctionItemType())


# --- references and inline functions


@compiles(ast.NamedFunctionRef)
def compile_function_ref(c: Compiler, node: ast.NamedFunctionRef) -> Code:
    return function_item(c, node.name, node.arity, node)


def function_item(c: Compiler, name: ast.Name, arity: int, node: ast.Node) -> Code:
    """A named function as a value."""
    qname = QName(name.uri or "", name.local, name.prefix or "")
    q = c.writer.constant(qname, "Q", qname.eqname, key=(qname.uri, qname.local, qname.prefix))
    declared = c.functions.user_function(c, name, arity)
    if declared is not None:
        parameters = c.writer.constant(declared.parameters, "T", key=declared.parameters)
        returns = c.type_constant(declared.returns)
        annotations = c.writer.constant(declared.annotations, "A", key=declared.annotations)
        text = f"{c.rt(FunctionItem)}({q}, {parameters}, {returns}, {declared.python_name}, {annotations})"
        return one(text, FunctionItemType(declared.parameters, declared.returns))
    if _is_known_builtin(c, name, arity):
        return one(f"{c.rt(rt.named_function)}({q}, {arity}, {_place(c)})", FunctionItemType())
    raise unknown_function(c, name, arity, node)


def _is_known_builtin(c: Compiler, name: ast.Name, arity: int) -> bool:
    if name.uri == XS:
        return arity == 1 and _is_constructor(name.local)
    if (name.uri or "", name.local, arity) in _INTRINSICS:
        return True
    return (c.functions.external(name, arity) or look_up(name.uri or "", name.local, arity)) is not None


def _place(c: Compiler) -> str:
    """The place of a function reference: its context, the visible functions, and the focus it may capture."""
    focus = c.scope.focus
    item = "None"
    if focus.item is not None:
        item = "context_item" if focus.is_global else c.use(focus.item).text
    position, size = ("None" if part is None else c.use(part).text for part in (focus.position, focus.size))
    table = c.writer.constant(c.functions, "module", key=id(c.functions))
    return f"{c.rt(rt.Place)}({c.context()}, {table}, globals(), {item}, {position}, {size})"


def _function_lookup(c: Compiler, name: ast.Expr, arity: ast.Expr) -> Code:
    qname = c.converted(c.compile(name), signature_type("xs:QName"), "argument 1 of function-lookup()").text
    number = c.converted(c.compile(arity), signature_type("xs:integer"), "argument 2 of function-lookup()").text
    return optional(f"{c.rt(rt.find_function)}({qname}, {number}, {_place(c)})", FunctionItemType())


_INTRINSICS[(FN, "function-lookup", 2)] = _function_lookup


def _is_constructor(local: str) -> bool:
    return local in LIST_TYPES or (local in ATOMIC_TYPES and local not in ("anyAtomicType", "NOTATION"))


@compiles(ast.InlineFunction)
def compile_inline_function(c: Compiler, node: ast.InlineFunction) -> Code:
    for annotation in node.annotations:
        if annotation.name.uri == XQUERY and annotation.name.local in ("private", "public"):
            raise StaticError("XQST0125", f"%{annotation.name}", span=annotation.span)
    check_annotations(node.annotations)
    parameters = tuple(sequence_type(parameter.type) for parameter in node.parameters)
    returns = sequence_type(node.returns)
    names = [c.fresh_name(parameter.name) for parameter in node.parameters]

    def write() -> None:
        write_function_body(c, node.parameters, parameters, names, returns, node.body, "the function's result", ABSENT)

    frame = c.lifted("function", names, c.describe(node), write)
    captures = "".join(f", {name}={name}" for name in frame.captures)
    call = f"{c.rt(partial)}({frame.name}{captures})" if captures else frame.name
    types = c.writer.constant(parameters, "T", key=parameters)
    annotations = tuple(QName(a.name.uri or "", a.name.local) for a in node.annotations)
    noted = c.writer.constant(annotations, "A", key=annotations)
    text = f"{c.rt(FunctionItem)}(None, {types}, {c.type_constant(returns)}, {call}, {noted})"
    return one(text, FunctionItemType(parameters, returns))


def check_annotations(annotations: tuple[ast.Annotation, ...]) -> None:
    """Annotations in reserved namespaces, and %public with %private."""
    from xylem.analysis.static_context import RESERVED_FOR_FUNCTIONS

    visibility = 0
    for annotation in annotations:
        name = annotation.name
        if name.uri == XQUERY and name.local in ("public", "private"):
            visibility += 1
        elif name.uri in RESERVED_FOR_FUNCTIONS:
            raise StaticError("XQST0045", f"%{name}", span=annotation.span)
    if visibility > 1:
        raise StaticError("XQST0106", span=annotations[0].span)


def write_function_body(
    c: Compiler,
    parameters: tuple[ast.Parameter, ...],
    types: tuple[SequenceType, ...],
    names: list[str],
    returns: SequenceType,
    body: ast.Expr,
    what: str,
    focus: Focus,
    key: tuple[str, str, int] | None = None,
) -> None:
    """The body of a function: parameters in scope, the result converted to the declared type.

    `key` names a declared function, whose tail calls of itself need no further Python frame.
    """
    c.scope = c.scope.with_focus(focus)
    for parameter, kind, name in zip(parameters, types, names, strict=True):
        code = Code(name, shape_of(kind.occurrence), kind, simple=True)
        if c.writer.bounds is not None and parameter.type is not None and parameter.type.occurrence == "**":
            code = Code(name, Shape.ITERABLE, kind, simple=True, endless=True)
            key = None
        # A parameter changes with each call, but not within one.
        c.declare(parameter.name.expanded, code)

    def finish(code: Code) -> None:
        if code.endless:
            from .endless import checked_lazily

            c.writer.line(f"return {checked_lazily(c, code, returns, what).text}")
            return
        c.writer.line(f"return {c.converted(code, returns, what).text}")

    outer, c.own_call = c.own_call, None if key is None else OwnCall(c.writer.frame, key, types, names)
    c.tail(body, finish)
    c.own_call = outer
