"""Datasets as a person would write them, and what a refusal says."""

from __future__ import annotations

import pytest

from uaef.data.conversations import ConversationDataset
from uaef.errors import DatasetSchemaError

TURN = {"user": "Is it open?", "expect": "says yes"}


@pytest.fixture
def refusal():
    """The problems of a dataset: of a text, called d.yaml unless it is said otherwise, or of a dict."""

    def problems(data, name="d.yaml"):
        is_text = isinstance(data, str)
        load = ConversationDataset.from_string if is_text else ConversationDataset.from_dict
        with pytest.raises(DatasetSchemaError) as caught:
            load(data, name=name if is_text else "d")
        return list(caught.value.problems)

    return problems


@pytest.fixture
def turn():
    """The only ask of a dataset of one turn with these keys, beside what was asked and is expected."""

    def built(**keys):
        (case,) = ConversationDataset.from_dict({"conversations": [{"id": "c", "turns": [TURN | keys]}]}).cases
        return case.asks[0]

    return built


@pytest.fixture
def dataset():
    """A dataset of one conversation: its turns, keys of the conversation, keys of the dataset."""

    def built(turns, conversation=None, **keys):
        data = {"conversations": [{"id": "c", "turns": turns} | (conversation or {})]} | keys
        return ConversationDataset.from_dict(data)

    return built
