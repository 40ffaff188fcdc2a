"""Measurements as a Parquet file, written piece by piece."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING

from uaef.errors import DataError, UsageError
from uaef.runs.store.batches import batches
from uaef.runs.store.codec import Row
from uaef.runs.store.export import COLUMNS, export_row
from uaef.runs.store.rows import StoredMeasurement
from uaef.text.well_formed import well_formed

if TYPE_CHECKING:
    import pyarrow as pa

_AT_ONCE = 10_000
_NUMBERS = {"score": "float64", "seconds": "float64", "cost": "float64", "trial": "int64", "turn": "int64"}
_LARGEST = 2**63


def write_parquet(measurements: Iterable[StoredMeasurement], path: str) -> int:
    """Write measurements to a Parquet file, a row each; how many there were.

    Raises:
        UsageError: pyarrow is not installed.
        DataError: the file cannot be written, and why.
    """
    try:
        import pyarrow as pa  # noqa: PLC0415 - an extra
        from pyarrow import parquet  # noqa: PLC0415 - as above
    except ImportError:
        raise UsageError("Parquet needs pyarrow: pip install 'uaef[parquet]'.") from None
    schema = _schema()
    pieces = batches(measurements, _AT_ONCE)
    first = next(pieces, [])  # so that what cannot be read leaves no file behind
    total = 0
    try:
        with Path(path).open("wb") as opened, parquet.ParquetWriter(opened, schema) as file:
            for piece in chain([first], pieces):
                rows = [_row(stored) for stored in piece]
                file.write_table(pa.Table.from_pylist(rows, schema=schema))
                total += len(rows)
    except OSError as error:
        raise DataError(f"{path}: cannot be written: {error.strerror}.") from None
    return total


def _schema() -> pa.Schema:
    import pyarrow as pa  # noqa: PLC0415 - an extra

    kinds = {name: getattr(pa, kind)() for name, kind in _NUMBERS.items()}
    kinds |= {"beside": pa.bool_(), "tags": pa.list_(pa.string())}
    return pa.schema([(name, kinds.get(name, pa.string())) for name in COLUMNS])


def _row(stored: StoredMeasurement) -> Row:
    """The row as Parquet can hold it: text in UTF-8, whole numbers of 64 bits."""
    return {name: _held(value) for name, value in export_row(stored).items()}


def _held(value: object) -> object:
    if isinstance(value, str):
        return well_formed(value)
    if isinstance(value, list):
        return [well_formed(str(each)) for each in value]
    return None if isinstance(value, int) and not -_LARGEST <= value < _LARGEST else value
