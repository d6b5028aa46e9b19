"""Outputs: the output methods of Serialization 3.1, and the destinations of their text.

A sequence of items comes in, with the parameters of a query or a user; text goes out, in chunks as the items arrive. A
sink never evaluates anything: it reads only the names and characters of items.
"""

from .output_encoding import OutputEncoding, byte_encoder
from .serialization_parameters import (
    DEFAULTS,
    OPTION_NAMES,
    OUTPUT_NAMESPACE,
    PARAMETER_DOCUMENT,
    SerializationParameters,
    declared_parameters,
)
from .serialize import serialize, serialize_to

__all__ = [
    "DEFAULTS",
    "OPTION_NAMES",
    "OUTPUT_NAMESPACE",
    "PARAMETER_DOCUMENT",
    "OutputEncoding",
    "SerializationParameters",
    "byte_encoder",
    "declared_parameters",
    "serialize",
    "serialize_to",
]
