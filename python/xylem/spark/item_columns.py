"""Spark's types for the shapes of answers (`tables/row_shape.py`), and shapes for columns that a user names.

    xs:integer, xs:long and their like      bigint
    xs:int, xs:short, xs:byte               int, smallint, tinyint
    xs:decimal                              decimal(38, 18), rounded
    xs:double and xs:numeric, xs:float      double, float
    xs:boolean                              boolean
    xs:date, xs:dateTime                    date, timestamp
    xs:hexBinary, xs:base64Binary           binary
    any other atomic type                   string, as by casting
    element, document                       string: its XML
    attribute, text and other nodes         string: its value
    map with literal keys                   struct
    array, several items                    array

An item that does not fit is XYRT0006: no value is changed to make it fit, except for digits beyond a decimal's
eighteen.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from xylem.errors import DynamicError
from xylem.tables.item_values import VALUE
from xylem.tables.row_shape import Field, Many, Record, Scalar, Shape
from xylem.values import atomic_type as at

if TYPE_CHECKING:
    from pyspark.sql.types import DataType, StructType

_TYPES = "columns are numbers, text, booleans, dates, timestamps, binary, and structs and arrays of these"


def spark_schema(shape: Shape) -> StructType:
    """The columns of a table of items of this shape."""
    from pyspark.sql.types import StructField, StructType

    if isinstance(shape, Record):
        return _struct(shape)
    return StructType([StructField(VALUE, spark_type(shape), nullable=False)])


def spark_type(shape: Shape) -> DataType:
    """Spark's type for a value of this shape."""
    from pyspark.sql import types as st

    if isinstance(shape, Record):
        return _struct(shape)
    if isinstance(shape, Many):
        return st.ArrayType(spark_type(shape.of), containsNull=False)
    kind = shape.type
    names: tuple[tuple[at.AtomicType, Callable[[], DataType]], ...] = (
        (at.BYTE, st.ByteType),
        (at.SHORT, st.ShortType),
        (at.INT, st.IntegerType),
        (at.INTEGER, st.LongType),
        (at.DECIMAL, lambda: st.DecimalType(38, 18)),
        (at.DOUBLE, st.DoubleType),
        (at.FLOAT, st.FloatType),
        (at.BOOLEAN, st.BooleanType),
        (at.DATE, st.DateType),
        (at.DATE_TIME, st.TimestampType),
        (at.HEX_BINARY, st.BinaryType),
        (at.BASE64_BINARY, st.BinaryType),
    )
    if kind is at.NUMERIC:
        return st.DoubleType()
    return next((make() for base, make in names if kind.derives_from(base)), st.StringType())


def _struct(record: Record) -> StructType:
    from pyspark.sql.types import StructField, StructType

    return StructType([StructField(f.name, spark_type(f.shape), nullable=f.optional) for f in record.fields])


def chosen_columns(schema: StructType) -> str:
    """User-named columns in the form sent to tasks; XYRT0006 if no item could fit in one of them."""
    shape_of_schema(schema)
    return schema.json()


def shape_of_schema(schema: StructType) -> Record:
    """The shape of user-named columns: the inverse direction."""
    return Record(tuple(Field(field.name, _shape(field.dataType), field.nullable) for field in schema.fields))


def _shape(given: DataType) -> Shape:
    from pyspark.sql import types as st

    if isinstance(given, st.StructType):
        return shape_of_schema(given)
    if isinstance(given, st.ArrayType):
        return Many(_shape(given.elementType))
    if isinstance(given, st.DecimalType):
        return Scalar(at.DECIMAL, (given.precision, given.scale))
    known: dict[type[DataType], at.AtomicType] = {
        st.ByteType: at.BYTE,
        st.ShortType: at.SHORT,
        st.IntegerType: at.INT,
        st.LongType: at.INTEGER,
        st.DoubleType: at.DOUBLE,
        st.FloatType: at.FLOAT,
        st.BooleanType: at.BOOLEAN,
        st.DateType: at.DATE,
        st.TimestampType: at.DATE_TIME,
        st.BinaryType: at.BASE64_BINARY,
        st.StringType: at.STRING,
    }
    if type(given) in known:
        return Scalar(known[type(given)])
    raise DynamicError("XYRT0006", f"there are no items for columns of type {given.simpleString()}", hint=_TYPES)
