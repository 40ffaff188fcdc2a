"""Measurements as rows for other programs, as a stream."""

from __future__ import annotations

import json
import math
import tracemalloc

import pytest
from kept_results import fill, info, many, result
from pyarrow import parquet

from uaef.errors import DataError, UsageError
from uaef.models.base import replaced
from uaef.models.scores import failed
from uaef.runs.store import StoredMeasurement
from uaef.runs.store.export import COLUMNS, json_lines
from uaef.runs.store.parquet import write_parquet

ROW = {
    "run": "run-000",
    "conversation": "refund",
    "slice": "refund#2",
    "trial": 1,
    "turn": 2,
    "metric": "relevance",
    "dimension": "Quality",
    "status": "scored",
    "score": 0.5,
    "reasoning": "because 2",
    "warning": None,
    "tags": ["returns"],
    "beside": False,
    "judge": "openai:m",
    "rubric_version": "3",
    "seconds": 0.25,
    "cost": 0.001,
    "thread_id": "thread-refund-1",
    "trace_id": "refund#2",
    "span_id": None,
    "own_hash": "own2",
    "context_hash": "before2",
}


def test_a_measurement_is_a_line(store):
    """One JSON object each, in the order of the run, with every column."""
    fill(store, info(), [result(trial=1)])
    lines = [json.loads(line) for line in json_lines(store.measurements("run-000"))]
    assert ROW == lines[1]
    assert [tuple(line) for line in lines] == [COLUMNS] * 3
    assert ("not_applicable", None, "not_applicable", None) == tuple(
        lines[2][name] for name in ("status", "score", "warning", "turn")
    )


def test_a_measurement_is_a_row_of_parquet(store, tmp_path):
    """The same values under the same names, with types."""
    fill(store, info(), [result(trial=1)])
    path = tmp_path / "run.parquet"
    assert 3 == write_parquet(store.measurements("run-000"), str(path))
    assert [json.loads(line) for line in json_lines(store.measurements("run-000"))] == parquet.read_table(
        path
    ).to_pylist()
    kinds = {field.name: str(field.type) for field in parquet.read_schema(path)}
    assert ("double", "int64", "list<element: string>", "string") == tuple(
        kinds[name] for name in ("score", "turn", "tags", "reasoning")
    )


def odd():
    """A measurement that neither format has words for."""
    m = replaced(
        result().measurements[0],
        score=failed("m", "half \ud800 of a pair, and \0", judge=7),
        turns=(2**70,),
        tags=("\udfff",),
        seconds=math.nan,
        cost=math.inf,
    )
    return StoredMeasurement("run", "name", m)


def test_what_a_format_has_no_word_for(tmp_path):
    """No NaN, no half of a pair, no number of more than 64 bits where there is no place for one."""
    [line] = json_lines([odd()])
    row = json.loads(line.encode("utf-8"))
    assert (None, None, 2**70, "7") == tuple(row[name] for name in ("seconds", "cost", "turn", "judge"))
    assert "half \ud800 of a pair, and \0" == row["reasoning"]
    write_parquet([odd()], str(tmp_path / "odd.parquet"))
    [row] = parquet.read_table(tmp_path / "odd.parquet").to_pylist()
    assert (None, None, None, "7") == tuple(row[name] for name in ("seconds", "cost", "turn", "judge"))
    assert ("half \\ud800 of a pair, and \0", ["\\udfff"]) == (row["reasoning"], row["tags"])


def test_a_run_without_measurements(tmp_path):
    """No lines; a file with its columns and no rows."""
    assert [] == list(json_lines([]))
    assert 0 == write_parquet([], str(tmp_path / "none.parquet"))
    assert list(COLUMNS) == parquet.read_table(tmp_path / "none.parquet").column_names


def test_a_file_that_cannot_be_written(tmp_path):
    """It is told."""
    with pytest.raises(DataError, match=r"none/run\.parquet: cannot be written: No such file or directory"):
        write_parquet([odd()], str(tmp_path / "none" / "run.parquet"))


def test_parquet_without_its_package_says_what_to_install(monkeypatch, tmp_path):
    """It is an extra."""
    monkeypatch.setitem(__import__("sys").modules, "pyarrow", None)
    with pytest.raises(UsageError, match=r"pip install 'uaef\[parquet\]'"):
        write_parquet([], str(tmp_path / "run.parquet"))


def test_a_run_is_never_in_memory(store):
    """Ten times as many measurements take no more memory to write out."""
    for number, count in enumerate((400, 4_000)):
        store.begin(info(number))
        long = result(turns=count // 40)
        for position in range(40):
            store.add(info(number).run_id, position, long)
    peaks = []
    for number in range(2):
        tracemalloc.start()
        lines = sum(1 for _ in json_lines(store.measurements(info(number).run_id)))
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
        assert lines == (number * 9 + 1) * 400 + 40
    assert peaks[1] < 3 * peaks[0] + 1_000_000
    assert peaks[1] < 8_000_000


def test_results_are_never_all_in_memory(store):
    """Of 400 conversations no more are held than of 40."""
    peaks = []
    for number, count in enumerate((40, 400)):
        fill(store, info(number), many(count))
        tracemalloc.start()
        assert count == sum(1 for _ in store.results(info(number).run_id))
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
    assert peaks[1] < 2 * peaks[0]
