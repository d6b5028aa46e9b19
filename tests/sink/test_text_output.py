"""The text method, and bytes."""

from __future__ import annotations

import pytest
from xylem.errors import DynamicError
from xylem.sink import SerializationParameters, byte_encoder, serialize

from .trees import document, written


def test_string_values_unescaped() -> None:
    assert written(document("<a b='x'>&lt;<!--c--><b>d</b><?p q?>&amp;</a>"), 1, 2, method="text") == "<d&1 2"


def test_characters_beyond_the_encoding_are_refused() -> None:
    with pytest.raises(DynamicError) as caught:
        written("\u20ac", method="text", encoding="ISO-8859-1")
    assert caught.value.code == "SERE0008"


def test_character_maps() -> None:
    parameters = SerializationParameters(method="text", character_map={"a": "<"})
    assert serialize(["banana"], parameters) == "b<n<n<"


def test_byte_order_mark() -> None:
    encode = byte_encoder(SerializationParameters(byte_order_mark=True))
    assert encode("\u00e9") + encode("b") == b"\xef\xbb\xbf\xc3\xa9b"
    encode = byte_encoder(SerializationParameters(encoding="UTF-16"))
    assert (encode("a") + encode("b")).decode("utf-16") == "ab"
    assert byte_encoder(SerializationParameters(byte_order_mark=True, encoding="ascii"))("a") == b"a"
