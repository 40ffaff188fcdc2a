"""What a user writes with conversation datasets, for the type checker: never run, checked by ``make types``."""

from __future__ import annotations

from pathlib import Path
from typing import assert_type

from uaef.data.conversations import ConversationDataset, Exchange, Row, ground_truth_of
from uaef.errors import DataError, DatasetSchemaError
from uaef.models import Case, GroundTruth

DATASET = ConversationDataset.from_file("support.yaml")
ConversationDataset.from_file(Path("support.yaml"))
ConversationDataset.from_string("", name="support", format="jsonl")
ConversationDataset.from_dict({"conversations": []}, name="support")

assert_type(DATASET.name, str)
assert_type(DATASET.cases, list[Case])
assert_type(DATASET.history, str | None)
assert_type(DATASET.warnings, list[str])
assert_type(DATASET.rows(), list[Row])
assert_type(DATASET.ground_truths(), dict[str, GroundTruth])
assert_type(ground_truth_of(DATASET.cases[0], [1, 2], ["evidence"]), GroundTruth)

ROW = DATASET.rows()[0]
assert_type(ROW["id"], str)
assert_type(ROW["input"]["history"], list[Exchange])
assert_type(ROW["expected_output"], str | None)
assert_type(ROW["metadata"], dict[str, object])

ERROR: DataError = DatasetSchemaError("support.yaml:1:1: wrong")
assert_type(ERROR.problems, tuple[str, ...])
