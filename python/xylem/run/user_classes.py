"""Save and restore objects of user-defined classes, which the states of user aggregates may hold.

An object is saved as the name of its class, its constructor arguments and its attributes, the same data that `copy`
uses. It is restored only if the functions of this run refer to its class; the class came with them, by value if
necessary (from a notebook, or from a file named on the command line). No name is ever imported.
"""

from __future__ import annotations

import copyreg
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from xylem.functions.external import ExternalFunction
from xylem.values.state_codec import CannotSave, DamagedState, Record

_KNOWN: dict[str, type] = {}
_OBJECT, _MEMBER, _COLUMN = "object", "member", "numpy"
_NEW: Any = copyreg.__newobj__  # type: ignore[attr-defined]  # what objects say they are made by


def know_classes(functions: Iterable[ExternalFunction]) -> None:
    """Register the classes that the aggregates among some functions refer to."""
    for function in functions:
        if function.protocol is not None:
            for found in _classes(function.protocol.definition):
                _KNOWN[_name(found)] = found


def user_record(value: Any) -> Record | None:
    """A user's object as plain data; None for other values."""
    cls = type(value)
    if cls.__module__ == "numpy":
        return _numpy_record(value)
    if _KNOWN.get(_name(cls)) is not cls:
        return None
    reduced = value.__reduce_ex__(4)
    if isinstance(reduced, str):
        raise CannotSave(f"{cls.__qualname__} objects, which stand for a global name")
    make, arguments, state, items, entries = (*reduced, None, None, None)[:5]
    content = state, None if items is None else list(items), None if entries is None else list(entries)
    if make is _NEW and arguments[0] is cls:
        return Record(_OBJECT, (_name(cls), *arguments[1:]), content, is_object=True)
    if make is cls:
        return Record(_MEMBER, (_name(cls), *arguments), content, is_object=True)
    raise CannotSave(f"{cls.__qualname__} objects, which are made by {getattr(make, '__qualname__', make)}")


def fill(made: Any, content: Any) -> None:
    """Restore the fields of an object."""
    state, items, entries = content
    if state is not None:
        _set_state(made, state)
    for item in items or ():
        made.append(item)
    for key, value in entries or ():
        made[key] = value


def _set_state(made: Any, state: Any) -> None:
    own = getattr(made, "__setstate__", None)
    if own is not None:
        own(state)
        return
    attributes, slots = state if type(state) is tuple else (state, None)
    for name, value in {**(attributes or {}), **(slots or {})}.items():
        object.__setattr__(made, name, value)


def _made(name: str, *arguments: Any) -> Any:
    cls = _known(name)
    return cls.__new__(cls, *arguments)


def _called(name: str, *arguments: Any) -> Any:
    return _known(name)(*arguments)


def _known(name: str) -> Any:
    found = _KNOWN.get(name)
    if found is None:
        raise DamagedState(f"it has an object of the class {name}, which no function of this run refers to")
    return found


# --- numbers of NumPy, which many aggregates use


def _numpy_record(value: Any) -> Record | None:
    kind = getattr(value, "dtype", None)
    if kind is None or kind.hasobject or kind.names is not None:
        return None
    is_array = type(value).__name__ == "ndarray"
    if not is_array and value.shape:
        return None
    return Record(_COLUMN, (kind.str, tuple(value.shape) if is_array else None, value.tobytes()))


def _numpy_value(kind: str, shape: tuple[int, ...] | None, data: bytes) -> Any:
    import numpy

    dtype = numpy.dtype(kind)
    if dtype.hasobject:
        raise DamagedState("objects among numbers")
    found = numpy.frombuffer(data, dtype)
    return found[0] if shape is None else found.reshape(shape).copy()


MAKERS: dict[str, Callable[..., Any]] = {_OBJECT: _made, _MEMBER: _called, _COLUMN: _numpy_value}


# --- known classes


def _name(cls: type) -> str:
    return f"{cls.__module__}:{cls.__qualname__}"


def _classes(definition: type) -> Iterator[type]:
    """The class of an aggregate, and the classes of its own module that its code can name."""
    yield definition
    methods = [getattr(method, "__func__", method) for method in vars(definition).values()]
    for method in methods:
        for value in [*vars(definition).values(), *getattr(method, "__globals__", {}).values(), *_enclosed(method)]:
            # Classes of other modules were not designed to be restored from a file, and doing so may have side effects.
            if isinstance(value, type) and value.__module__ == definition.__module__:
                yield value


def _enclosed(method: Any) -> Iterator[Any]:
    for cell in getattr(method, "__closure__", None) or ():
        try:
            yield cell.cell_contents
        except ValueError:
            continue
