"""A query as a function of columns: one XML message in, its answer out, as in the values of a Kafka topic.

    price = xylem.spark.xquery("xs:decimal(/order/total)")
    orders.select("offset", price("value").alias("total"))

The type of the result follows from the query (`row_shape.py`): a query with at most one item returns that item, any
other an array of items. Messages are text or binary; binary ones may be in any encoding, and compressed. Further
columns supply external variables:

    above = xylem.spark.xquery("declare variable $limit external; /order/total > $limit", columns=["limit"])
    orders.where(above("value", "limit"))
    spark.udf.register("above", above)         # SELECT … WHERE above(value, limit)
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any, Literal

from xylem.errors import DynamicError, XylemError
from xylem.functions.external import DEFAULT_FUNCTIONS, ExternalFunction
from xylem.pipeline import StaticEnvironment
from xylem.query.compiled_query import CompiledQuery
from xylem.run.prepared_program import PreparedProgram
from xylem.source.limits import DEFAULT_LIMITS, Limits
from xylem.source.message_batches import Batch, is_column, message_batches
from xylem.source.message_reader import MessageReader, ReadBatch
from xylem.source.resources import FileResources
from xylem.tables.item_values import value_of
from xylem.tables.row_shape import Many, Shape, answer_shape
from xylem.values.python_values import sequence_from_python

from .item_columns import spark_type
from .session import require_spark
from .short_errors import short_errors
from .written_answers import written_answers

if TYPE_CHECKING:
    from pyspark.sql import Column

OnError = Literal["error", "null", "column"]


def xquery(
    text: str,
    *,
    variables: Mapping[str, Any] | None = None,
    columns: Iterable[str] = (),
    on_error: OnError = "error",
    functions: Iterable[ExternalFunction] | None = None,
    limits: Limits = DEFAULT_LIMITS,
) -> Callable[..., Column]:
    """The query as a function from a column of XML messages to a column of answers; one of Spark's, for SQL as well.

    `columns` names external variables that get the values of further columns, in order; null is the empty sequence.
    Static errors are raised here. A null message has the answer null. For a message that cannot be read, or makes the
    query fail: with `on_error` "error" the Spark job fails with our error; "null" gives null; with "column" each result
    is a struct of `value` and `error`, one of them null. `error` has `code`, `message` and `excerpt`.
    """
    require_spark()
    import pyarrow as pa
    from pyspark.sql.pandas.functions import arrow_udf

    if on_error not in ("error", "null", "column"):
        raise ValueError(f"on_error is error, null or column, not {on_error!r}")
    external = tuple(DEFAULT_FUNCTIONS if functions is None else functions)
    named = (columns,) if isinstance(columns, str) else tuple(columns)
    compiled = CompiledQuery(text, StaticEnvironment(external_functions=external))
    evaluation = MessageQuery(compiled, dict(variables or {}), limits, on_error, named)
    evaluation.check()

    @short_errors
    def evaluate(messages: Any, *values: Any) -> Any:
        return evaluation(messages, *values)

    # The default name of a column.
    evaluate.__name__ = "xquery"
    # Spark tells the kind of a function by its hints, which name types of Arrow, loaded only here.
    evaluate.__annotations__.update({"messages": pa.Array, "values": pa.Array, "return": pa.Array})
    function: Callable[..., Column] = arrow_udf(evaluate, evaluation.result_type())  # type: ignore[call-overload]
    return function


def _with_error(answer: Any) -> Any:
    from pyspark.sql.types import StringType, StructField, StructType

    error = StructType([StructField(name, StringType()) for name in ("code", "message", "excerpt")])
    return StructType([StructField("value", answer), StructField("error", error)])


EXCERPT_CHARACTERS = 200
_UNKNOWN = object()
"""Placeholder for an answer that the scan has not written."""


class MessageQuery:
    """Evaluates a query over messages, in a Python worker: arrays of messages in, arrays of answers out."""

    def __init__(
        self,
        compiled: CompiledQuery,
        variables: Mapping[str, Any],
        limits: Limits,
        on_error: OnError,
        columns: tuple[str, ...] = (),
    ) -> None:
        self._compiled = compiled
        self._variables = variables
        self._limits = limits
        self._on_error = on_error
        self._columns = columns
        # Only code knows the values of further columns.
        self._written = None if columns or variables else written_answers(compiled, self.answer_shape())
        self._ready: tuple[MessageReader, Callable[[Any], Any], Any] | None = None

    def __getstate__(self) -> dict[str, Any]:
        # The programs are sent; objects derived from them for PySpark and PyArrow are not.
        return {**self.__dict__, "_ready": None}

    def check(self) -> None:
        """The static errors of the query; XYIN0006 and XPDY0002 for variables that do not fit it. They do not belong to
        a message: `on_error` would hide them."""
        from xylem.query.external_names import check_values, external_names

        program = self._compiled.program
        check_values(program, external_names(program, [*self._variables, *self._columns]).values())

    def answer_shape(self) -> Shape:
        """The shape of the answer to a message."""
        shape = answer_shape(self._compiled)
        return Many(shape.item) if shape.occurrence.allows_many else shape.item

    def result_type(self) -> Any:
        """The type of the column of answers."""
        answer = spark_type(self.answer_shape())
        return _with_error(answer) if self._on_error == "column" else answer

    def __call__(self, messages: Any, *values: Any) -> Any:
        import pyarrow as pa

        if not is_column(messages.type):
            raise DynamicError("XYRT0006", f"messages must be text or binary, not {messages.type}")
        if len(values) != len(self._columns):
            named = ", ".join(f"${name}" for name in self._columns) or "no variables"
            raise DynamicError("XYRT0006", f"there are {len(values)} columns behind the messages for {named}")
        reader, convert, arrow_type = self._prepared()
        program, bound = self._program()
        # A map of Spark's is one of XQuery's.
        own = list(zip(*(column.to_pylist(maps_as_pydicts="strict") for column in values), strict=True))
        found: list[Any] = []
        before = 0
        for batch in message_batches(messages):
            read = reader.read(batch, writes=self._written is not None)
            known = self._known(read, arrow_type)
            answers: list[Any] = []
            for index in range(len(batch)) if not isinstance(known, pa.Array) else ():
                if known is not None and known[index] is not _UNKNOWN:
                    answers.append(known[index])
                    continue
                if not batch.is_plain and batch.document(index) is None:
                    answers.append(None)
                    continue
                if own:
                    program.bind(dict(zip(bound, map(sequence_from_python, own[before + index]), strict=True)))
                answers.append(self._outcome(batch, read, index, program, convert))
            found.append(known if isinstance(known, pa.Array) else pa.array(answers, arrow_type))
            before += len(batch)
        return found[0] if len(found) == 1 else pa.concat_arrays(found) if found else pa.array([], arrow_type)

    def _known(self, read: ReadBatch, arrow_type: Any) -> Any:
        """The answers that the scan has written: those of a whole batch as an array, or a list with gaps for code to
        fill.
        """
        written = self._written
        if written is None:
            return None
        texts = read.written()
        known = [one for one in texts if one is not None and written.fits(one)]
        if len(known) == len(texts) and self._on_error != "column":
            return written.array(known, arrow_type)
        value_type = arrow_type.field("value").type if self._on_error == "column" else arrow_type
        values = iter(written.array(known, value_type).to_pylist())
        return [self._given(next(values)) if one is not None and written.fits(one) else _UNKNOWN for one in texts]

    def _given(self, value: Any) -> Any:
        return {"value": value, "error": None} if self._on_error == "column" else value

    def _prepared(self) -> tuple[MessageReader, Callable[[Any], Any], Any]:
        if self._ready is None:
            from pyspark.sql.pandas.types import to_arrow_type

            arrow_type = to_arrow_type(self.result_type(), timezone="UTC")
            template = None if self._written is None else self._written.template
            self._ready = MessageReader(self._limits, template), value_of(self.answer_shape()), arrow_type
        return self._ready

    def _program(self) -> tuple[PreparedProgram, list[tuple[str, str]]]:
        """The program for the messages of one array, and the variables that columns supply."""
        from xylem.query.external_names import external_names

        program = self._compiled.program
        names = external_names(program, [*self._variables, *self._columns])
        bound = {names[name]: sequence_from_python(value) for name, value in self._variables.items()}
        return PreparedProgram(program, FileResources(()), variables=bound), [names[name] for name in self._columns]

    def _outcome(
        self, batch: Batch, read: ReadBatch, index: int, program: PreparedProgram, convert: Callable[[Any], Any]
    ) -> Any:
        try:
            value = convert(program.items(read.document(index)))
        except XylemError as error:
            message = batch.document(index)
            assert isinstance(message, (bytes, str))
            if self._on_error == "error":
                error.add_note(f"in the message {_excerpt(message)}")
                raise
            if self._on_error == "null":
                return None
            return {"value": None, "error": _told(error, message)}
        return self._given(value)


def _told(error: XylemError, message: str | bytes) -> dict[str, str]:
    return {"code": error.code, "message": error.message, "excerpt": _excerpt(message)}


def _excerpt(message: str | bytes) -> str:
    beginning = message[:EXCERPT_CHARACTERS]
    return beginning if isinstance(beginning, str) else beginning.decode("utf-8", "replace")
