"""Values as bytes and back, for checkpoints and for other processes.

Each value is a tag, a length if it needs one, and its content. Plain data has its own tags. Everything else is a
*record* under a name in a table: an immutable value by its fields, or an object by its constructor arguments and its
state, so objects may refer to each other and shared objects stay shared.

Bytes can name only entries of the table: they import nothing and name no code. Bytes not written by this file are
`DamagedState`; lengths are checked before use.
"""

from __future__ import annotations

import struct
from collections import deque
from collections.abc import Callable, Iterable, Mapping, Sequence
from decimal import Decimal, InvalidOperation
from typing import Any, NamedTuple

DEEPEST = 400
"""Nesting depth of values."""
_COLUMN_FROM = 8
"""From this length on, the numbers or texts of a list are written together."""
_LONG = 255
"""In place of a length: the length follows in eight bytes."""
_NONE, _TRUE, _FALSE, _INT, _FLOAT, _STR, _BYTES, _DECIMAL = b"NTFidsbD"
_LIST, _TUPLE, _DICT, _SET, _FROZENSET, _DEQUE = b"ltmSZq"
_INTS, _FLOATS, _STRINGS, _OCTETS, _VALUES = b"IEUBV"
_VALUE, _OBJECT, _KNOWN = b"vor"
_SCALARS = (_INT, _STR)


class DamagedState(ValueError):
    """Bytes that are not valid values."""


class CannotSave(TypeError):
    """A value that cannot be encoded."""


class Record(NamedTuple):
    """A non-plain object in terms of plain data."""

    name: str
    fields: tuple[Any, ...]
    """Its constructor arguments."""
    content: Any = None
    """Its content, filled in later."""
    is_object: bool = False
    """Whether it may occur again, and is then the same object."""


class Kind(NamedTuple):
    """How objects with one name are taken apart and rebuilt."""

    name: str
    fields_of: Callable[[Any], tuple[Any, ...]]
    make: Callable[..., Any]


Other = Callable[[Any], Record | None]
"""The record for an object that no table knows; None if there is none."""
Makers = Mapping[str, Callable[..., Any]]
"""By name, the function that builds an object from its fields."""
Fill = Callable[[Any, Any], None]
"""Fills an object's content."""

KINDS: dict[type, Kind] = {}
_MAKERS: dict[str, Callable[..., Any]] = {"deque": lambda most, items: deque(items, most)}


def register(cls: type, name: str, fields_of: Callable[[Any], tuple[Any, ...]], make: Callable[..., Any]) -> None:
    """Write values of exactly this class as records with this name."""
    KINDS[cls] = Kind(name, fields_of, make)
    _MAKERS[name] = make


def encoded(value: Any, other: Other | None = None) -> bytes:
    """A value as bytes; CannotSave if it cannot be encoded."""
    writer = _Writer(other)
    try:
        writer.write(value)
    except RecursionError:
        raise CannotSave("values are nested too deep") from None
    return bytes(writer.data)


def decoded(data: bytes, makers: Makers | None = None, fill: Fill | None = None) -> Any:
    """The decoded value; DamagedState for anything else."""
    reader = _Reader(data, makers or {}, fill)
    try:
        value = reader.value()
    except DamagedState:
        raise
    except (ArithmeticError, AttributeError, InvalidOperation, LookupError, MemoryError, RecursionError) as reason:
        raise DamagedState(f"{type(reason).__name__}: {reason}") from reason
    except (TypeError, ValueError, struct.error) as reason:
        raise DamagedState(f"{type(reason).__name__}: {reason}") from reason
    if reader.at != len(data):
        raise DamagedState(f"{len(data) - reader.at} bytes are left over")
    return value


def _head(tag: int, size: int) -> bytes:
    return bytes((tag, size)) if size < _LONG else bytes((tag, _LONG)) + size.to_bytes(8)


class _Writer:
    def __init__(self, other: Other | None) -> None:
        self.data = bytearray()
        """One growing buffer: an object for each small number would take several times the memory."""
        self._other = other
        self._numbers: dict[int, int] = {}
        """Numbers of objects, by identity; the caller keeps them alive."""
        self._kept: list[Any] = []
        self._depth = 0

    def write(self, value: Any) -> None:
        writer = _WRITERS.get(type(value))
        if writer is not None:
            writer(self, value)
            return
        kind = KINDS.get(type(value))
        if kind is not None:
            self._record(_VALUE, kind.name, kind.fields_of(value))
        else:
            self._write_other(value)

    def _write_other(self, value: Any) -> None:
        known = self._numbers.get(id(value))
        if known is not None:
            size = (known.bit_length() + 8) >> 3
            self.data.extend(_head(_KNOWN, size) + known.to_bytes(size, signed=True))
            return
        record = None if self._other is None else self._other(value)
        if record is None:
            raise CannotSave(f"a value of the Python class {type(value).__module__}.{type(value).__qualname__}")
        if not record.is_object:
            self._record(_VALUE, record.name, record.fields)
            return
        self._record(_OBJECT, record.name, record.fields)
        self._numbers[id(value)] = len(self._numbers)
        self._kept.append(value)
        self._deeper()
        self.write(record.content)
        self._depth -= 1

    def _record(self, tag: int, name: str, fields: tuple[Any, ...]) -> None:
        data = name.encode()
        self.data.extend(_head(tag, len(data)) + data)
        self._items(_TUPLE, fields)

    def _deeper(self) -> None:
        self._depth += 1
        if self._depth > DEEPEST:
            raise CannotSave(f"values are nested more than {DEEPEST} levels deep")

    def _items(self, tag: int, values: Sequence[Any] | Iterable[Any]) -> None:
        self.data.extend(_head(tag, len(values)))  # type: ignore[arg-type]  # all of ours have one
        self._deeper()
        known, write = _WRITERS.get, self.write
        for value in values:
            writer = known(type(value))
            if writer is None:
                write(value)
            else:
                writer(self, value)
        self._depth -= 1

    def _integer(self, value: int) -> None:
        size = (value.bit_length() + 8) >> 3
        head = _INT_HEADS[size] if size < _LONG else _head(_INT, size)
        self.data.extend(head + value.to_bytes(size, signed=True))

    def _double(self, value: float) -> None:
        self.data.extend(_DOUBLE.pack(_FLOAT, value))

    def _text(self, value: str) -> None:
        data = value.encode("utf-8", "surrogatepass")
        size = len(data)
        self.data.extend((_STR_HEADS[size] if size < _LONG else _head(_STR, size)) + data)

    def _octets(self, value: bytes) -> None:
        self.data.extend(_head(_BYTES, len(value)) + value)

    def _decimal(self, value: Decimal) -> None:
        data = str(value).encode("ascii")
        self.data.extend(_head(_DECIMAL, len(data)) + data)

    def _list(self, value: list[Any]) -> None:
        if len(value) < _COLUMN_FROM or not self._column(value):
            self._items(_LIST, value)

    def _column(self, value: list[Any]) -> bool:
        """Write a list whose members all have one plain type; return whether it is one."""
        kinds = set(map(type, value))
        if kinds == {int} or kinds == {float}:
            tag, code = (_INTS, "q") if int in kinds else (_FLOATS, "d")
            try:
                self.data.extend(_head(tag, len(value)) + struct.pack(f">{len(value)}{code}", *value))
            except struct.error:
                # Integers that are too long.
                return False
            return True
        if kinds == {str} or kinds == {bytes}:
            is_text = str in kinds
            data = "".join(value).encode("utf-8", "surrogatepass") if is_text else b"".join(value)
            self.data.extend(_head(_STRINGS if is_text else _OCTETS, len(data)) + data)
            self._list(list(map(len, value)))
            return True
        kind = KINDS.get(next(iter(kinds))) if len(kinds) == 1 else None
        if kind is None:
            return False
        columns = list(zip(*map(kind.fields_of, value), strict=True))
        name = kind.name.encode()
        self.data.extend(_head(_VALUES, len(name)) + name + _head(_TUPLE, len(columns)))
        self._deeper()
        for column in columns:
            self._list(list(column))
        self._depth -= 1
        return True

    def _deque(self, value: deque[Any]) -> None:
        if value.maxlen is None:
            self._items(_DEQUE, value)
        else:
            self._record(_VALUE, "deque", (value.maxlen, list(value)))

    def _dict(self, value: dict[Any, Any]) -> None:
        self.data.extend(_head(_DICT, len(value)))
        self._deeper()
        write = self.write
        for key, member in value.items():
            write(key)
            write(member)
        self._depth -= 1


_DOUBLE = struct.Struct(">Bd")
_INT_HEADS, _STR_HEADS = ([bytes((tag, size)) for size in range(_LONG)] for tag in (_INT, _STR))
_WRITERS: dict[type, Callable[[_Writer, Any], None]] = {
    type(None): lambda writer, value: writer.data.extend(b"N"),
    bool: lambda writer, value: writer.data.extend(b"T" if value else b"F"),
    int: _Writer._integer,
    float: _Writer._double,
    str: _Writer._text,
    bytes: _Writer._octets,
    Decimal: _Writer._decimal,
    list: _Writer._list,
    tuple: lambda writer, value: writer._items(_TUPLE, value),
    set: lambda writer, value: writer._items(_SET, value),
    frozenset: lambda writer, value: writer._items(_FROZENSET, value),
    deque: _Writer._deque,
    dict: _Writer._dict,
}


class _Reader:
    def __init__(self, data: bytes, makers: Makers, fill: Fill | None) -> None:
        self.at = 0
        self._data = data
        self._makers = makers
        self._fill = fill
        self._objects: list[Any] = []
        self._depth = 0

    def value(self) -> Any:
        tag = self._data[self.at]
        self.at += 1
        return _READERS[tag](self)

    def _size(self) -> int:
        """A length; there are at least as many bytes."""
        data, at = self._data, self.at
        size = data[at]
        at += 1
        if size == _LONG:
            size = int.from_bytes(data[at : at + 8])
            at += 8
        if size > len(data) - at:
            raise DamagedState(f"a length of {size} where {len(data) - at} bytes are left")
        self.at = at
        return size

    def _bytes(self) -> bytes:
        size = self._size()
        start = self.at
        self.at = start + size
        return self._data[start : start + size]

    def _integer(self) -> int:
        return int.from_bytes(self._bytes(), signed=True)

    def _double(self) -> float:
        (value,) = struct.unpack_from(">d", self._data, self.at)
        self.at += 8
        return float(value)

    def _text(self) -> str:
        return self._bytes().decode("utf-8", "surrogatepass")

    def _decimal(self) -> Decimal:
        return Decimal(self._bytes().decode("ascii"))

    def _deeper(self) -> None:
        self._depth += 1
        if self._depth > DEEPEST + 1:
            raise DamagedState("values are nested too deep")

    def _list(self) -> list[Any]:
        size = self._size()
        self._deeper()
        data, last = self._data, len(self._data)
        found: list[Any] = []
        for _ in range(size):
            at = self.at
            tag = data[at]
            if tag in _SCALARS and data[at + 1] != _LONG:
                # The most frequent kinds, without a call.
                start = at + 2
                self.at = end = start + data[at + 1]
                if end > last:
                    raise DamagedState(f"a length of {end - start} where {last - start} bytes are left")
                some = data[start:end]
                is_int = tag == _INT
                found.append(int.from_bytes(some, signed=True) if is_int else some.decode("utf-8", "surrogatepass"))
            else:
                self.at = at + 1
                found.append(_READERS[tag](self))
        self._depth -= 1
        return found

    def _dict(self) -> dict[Any, Any]:
        size = self._size()
        self._deeper()
        value = self.value
        # The key is read before the value.
        found = {value(): value() for _ in range(size)}
        self._depth -= 1
        if len(found) != size:
            raise DamagedState("a key comes twice")
        return found

    def _column(self, code: str) -> list[Any]:
        size = self._size()
        found = struct.unpack_from(f">{size}{code}", self._data, self.at)
        self.at += 8 * size
        return list(found)

    def _pieces(self, data: Any) -> list[Any]:
        """Texts or bytes that were written together."""
        found: list[Any] = []
        at = 0
        for size in self.value():
            if size < 0:
                raise DamagedState("a negative length")
            found.append(data[at : at + size])
            at += size
        if at != len(data):
            raise DamagedState("other lengths")
        return found

    def _maker(self) -> tuple[Callable[..., Any], tuple[Any, ...]]:
        name = self._text()
        fields = self.value()
        make = self._makers.get(name) or _MAKERS.get(name)
        if make is None or type(fields) is not tuple:
            raise DamagedState(f"{name!r} is not known")
        return make, fields

    def _made(self) -> Any:
        make, fields = self._maker()
        return make(*fields)

    def _values(self) -> list[Any]:
        make, columns = self._maker()
        return [make(*fields) for fields in zip(*columns, strict=True)]

    def _object(self) -> Any:
        made = self._made()
        self._objects.append(made)
        self._deeper()
        content = self.value()
        self._depth -= 1
        if self._fill is None:
            raise DamagedState("an object where there can be none")
        self._fill(made, content)
        return made

    def _known(self) -> Any:
        number = self._integer()
        if number < 0:
            raise DamagedState("a negative number of an object")
        return self._objects[number]


_READERS: dict[int, Callable[[_Reader], Any]] = {
    _NONE: lambda reader: None,
    _TRUE: lambda reader: True,
    _FALSE: lambda reader: False,
    _INT: _Reader._integer,
    _FLOAT: _Reader._double,
    _STR: _Reader._text,
    _BYTES: _Reader._bytes,
    _DECIMAL: _Reader._decimal,
    _LIST: _Reader._list,
    _TUPLE: lambda reader: tuple(reader._list()),
    _SET: lambda reader: set(reader._list()),
    _FROZENSET: lambda reader: frozenset(reader._list()),
    _DEQUE: lambda reader: deque(reader._list()),
    _DICT: _Reader._dict,
    _INTS: lambda reader: reader._column("q"),
    _FLOATS: lambda reader: reader._column("d"),
    _STRINGS: lambda reader: reader._pieces(reader._text()),
    _OCTETS: lambda reader: reader._pieces(reader._bytes()),
    _VALUES: _Reader._values,
    _VALUE: _Reader._made,
    _OBJECT: _Reader._object,
    _KNOWN: _Reader._known,
}
