"""Column types that take whatever was recorded, also what a database refuses or would quietly change."""

from __future__ import annotations

import json
import math
from typing import TYPE_CHECKING

from sqlalchemy import BigInteger, Dialect, Double, Integer, Text, TypeDecorator
from sqlalchemy.types import TypeEngine, UserDefinedType

from uaef.errors import StoreError

if TYPE_CHECKING:
    _TextType = TypeDecorator[str]
    _FloatType = TypeDecorator[float]
    _PlainType = UserDefinedType[float]
else:
    _TextType = _FloatType = TypeDecorator
    _PlainType = UserDefinedType

_MARK = "\x02"
"""Begins a text that is written as JSON, because it could not be written as it is."""

Key = BigInteger().with_variant(Integer, "sqlite")
"""A whole number that counts up; only under this name does SQLite do so by itself."""

Sorted = Text().with_variant(Text(collation="C"), "postgresql")
"""Text that sorts by its characters, whatever the language of the database."""


class AnyText(_TextType):
    """Text with NUL characters, which PostgreSQL refuses, and halves of surrogate pairs, which no UTF-8 has."""

    impl = Text
    cache_ok = True

    def process_bind_param(self, value: str | None, dialect: Dialect) -> str | None:  # noqa: ARG002 - their signature
        """What is written."""
        if value is None or not _is_odd(value):
            return value
        return _MARK + json.dumps(value)

    def process_result_value(self, value: str | None, dialect: Dialect) -> str | None:  # noqa: ARG002 - as above
        """What was meant.

        Raises:
            StoreError: this is nothing that is ever written.
        """
        try:
            return json.loads(value[1:]) if value is not None and value.startswith(_MARK) else value
        except (ValueError, TypeError):
            raise _odd(value, "text") from None


class _Loose(_PlainType):
    """A column of SQLite's for floats, to which values go as they are."""

    cache_ok = True

    def get_col_spec(self, **_: object) -> str:
        """What the column is declared as."""
        return "DOUBLE"


class AnyFloat(_FloatType):
    """A float; also one that is no number, of which SQLite would make NULL."""

    impl = Double
    cache_ok = True

    def load_dialect_impl(self, dialect: Dialect) -> TypeEngine[float]:
        """The column's type."""
        return dialect.type_descriptor(_Loose() if dialect.name == "sqlite" else Double())

    def process_bind_param(self, value: float | None, dialect: Dialect) -> object:
        """What is written."""
        return "nan" if value is not None and dialect.name == "sqlite" and math.isnan(value) else value

    def process_result_value(self, value: object, dialect: Dialect) -> float | None:  # noqa: ARG002 - as above
        """What was meant.

        Raises:
            StoreError: this is nothing that is ever written.
        """
        try:
            return None if value is None else float(value)  # type: ignore[arg-type] # a number, or "nan"
        except ValueError:
            raise _odd(value, "number") from None


def _is_odd(text: str) -> bool:
    if text.startswith(_MARK) or "\0" in text:
        return True
    return not text.isascii() and any("\ud800" <= character <= "\udfff" for character in text)


def _odd(value: object, kind: str) -> StoreError:
    """The error that says that a column holds what SQLite takes in any of them, and this one never has."""
    return StoreError(f"The store cannot be read, as if it were changed by hand: {value!r:.80} is no {kind}.")
