"""Scales: what may be answered, said twice, as a schema and as a reading; and the score it comes to."""

from __future__ import annotations

import jsonschema
import pytest
from hypothesis import given
from hypothesis import strategies as st
from judged_conversations import RUBRICS, a_rubric, talk

from uaef.errors import MetricError
from uaef.llm_judge.prompt import question
from uaef.llm_judge.scales import InvalidVerdictError, Reading, scale_of

WORDS = ("yes", "no", "cannot tell", "Yes", "unsure", "", "1", "maybe")
NUMBERS = st.one_of(
    st.integers(-3, 8),
    st.floats(-1, 6),
    st.sampled_from([0.0, 1.0, 2.0, 5.0, -0.0, 1.0000001, 1e308, 10**400, 1000, 1001, float("inf")]),
)
LEAVES = st.one_of(st.none(), st.booleans(), st.sampled_from(WORDS), NUMBERS)
KEYS = ("turn_1", "turn_2", "turn_3", "instruction_1", "instruction_2", "criterion_1", "criterion_2")
SPANNING = st.fixed_dictionaries(
    {"verdict": st.sampled_from(WORDS), "broken_in_turns": st.one_of(LEAVES, st.lists(LEAVES, max_size=3))},
    optional={"more": LEAVES},
)
ITEMS = st.one_of(
    *(
        st.fixed_dictionaries(dict.fromkeys(KEYS[start:stop], st.one_of(st.sampled_from(WORDS[:4]), SPANNING)))
        for start, stop in ((0, 3), (0, 2), (3, 5), (5, 7), (5, 6))
    ),
    st.dictionaries(st.sampled_from(KEYS), LEAVES, max_size=4),
)
ANSWERS = st.one_of(LEAVES, st.lists(LEAVES, max_size=2), ITEMS)


@pytest.mark.parametrize("scale", RUBRICS)
@given(answer=ANSWERS)
def test_the_schema_and_the_reading_agree(scale, answer):
    """A value that the schema allows is read, one that it does not is refused, and a score lies in [0, 1]."""
    asked = question(RUBRICS[scale], talk())
    validator = jsonschema.Draft202012Validator(asked.prompt.schema["properties"]["score"])
    try:
        reading = scale_of(RUBRICS[scale].scale).read(answer, asked.items, asked.turns)
    except InvalidVerdictError:
        assert not validator.is_valid(answer)
    else:
        assert validator.is_valid(answer)
        assert reading.score is None or 0 <= reading.score <= 1


@pytest.mark.parametrize("scale", RUBRICS)
def test_schemas_are_schemas(scale):
    """Each is valid itself, says a type wherever it lists words, and wants every property and no other."""
    schema = question(RUBRICS[scale], talk()).prompt.schema
    jsonschema.Draft202012Validator.check_schema(schema)
    assert ["token", "reasoning", "score"] == list(schema["properties"])
    for part in _parts(schema):
        assert ("enum" in part) <= ("type" in part)
        if part.get("type") == "object":
            assert list(part["properties"]) == part["required"]
            assert part["additionalProperties"] is False


def _parts(schema: dict):
    yield schema
    for inner in (*schema.get("properties", {}).values(), *schema.get("anyOf", ())):
        yield from _parts(inner)
    if "items" in schema:
        yield from _parts(schema["items"])


@pytest.mark.parametrize(
    ("scale", "answer", "expected"),
    [
        ("0-1", 0, Reading(0.0, {})),
        ("0-1", 0.25, Reading(0.25, {})),
        ("0-1", 1, Reading(1.0, {})),
        ("0-1", "cannot tell", Reading(None, {})),
        ("1-5", 1, Reading(0.0, {"raw_score": 1})),
        ("1-5", 4, Reading(0.75, {"raw_score": 4})),
        ("1-5", 5.0, Reading(1.0, {"raw_score": 5})),
        ("1-5", "cannot tell", Reading(None, {})),
        ("0-10", 3, Reading(0.3, {"raw_score": 3})),
        ("3-4", 3, Reading(0.0, {"raw_score": 3})),
        ("yes/no", "yes", Reading(1.0, {"raw": 1})),
        ("yes/no", "no", Reading(0.0, {"raw": 0})),
        ("yes/no", "cannot tell", Reading(None, {})),
        ("count", 1, Reading(1 / 3, {"optimum_turns": 1, "actual_turns": 3})),
        ("count", 3, Reading(1.0, {"optimum_turns": 3, "actual_turns": 3})),
        ("count", 7, Reading(1.0, {"optimum_turns": 7, "actual_turns": 3})),
        ("count", "cannot tell", Reading(None, {})),
    ],
)
def test_answers_become_scores(scale, answer, expected):
    """A range is brought to [0, 1], and what was said is kept beside it."""
    asked = question(RUBRICS.get(scale) or a_rubric(scale=scale), talk())
    assert expected == scale_of(scale).read(answer, asked.items, asked.turns)


def _items(scale: str, answer: dict) -> Reading:
    asked = question(RUBRICS[scale], talk())
    return scale_of("items").read(answer, asked.items, asked.turns)


def test_turns_are_counted_by_us():
    """The share of the turns that could be judged, and the numbers of those that were not in character."""
    reading = _items("turns", {"turn_1": "no", "turn_2": "yes", "turn_3": "cannot tell"})
    assert 0.5 == reading.score
    assert {
        "items": {"turn_1": "no", "turn_2": "yes", "turn_3": "cannot tell"},
        "missed": ["turn 1"],
        "n_judged": 2,
        "out_of_character_turns": [1],
    } == reading.metadata


def test_instructions_name_the_turns_that_broke_them():
    """Each turn is named once, whichever instructions it broke."""
    broken = {"verdict": "no", "broken_in_turns": [3, 2.0, 3]}
    reading = _items("instructions", {"instruction_1": broken, "instruction_2": {**broken, "broken_in_turns": [1]}})
    assert (0.0, [1, 2, 3]) == (reading.score, reading.metadata["out_of_character_turns"])
    assert ["Be polite.", "Never promise a refund."] == reading.metadata["missed"]


def test_criteria_say_nothing_of_turns():
    """They are about the answer that is judged."""
    reading = _items("criteria", {"criterion_1": "yes", "criterion_2": "no"})
    assert 0.5 == reading.score
    assert ["No fee is charged."] == reading.metadata["missed"]
    assert "out_of_character_turns" not in reading.metadata


def test_nothing_that_can_be_decided_is_no_score():
    """All items "cannot tell": no denominator is left."""
    reading = _items("criteria", {"criterion_1": "cannot tell", "criterion_2": "cannot tell"})
    assert (None, 0) == (reading.score, reading.metadata["n_judged"])


@pytest.mark.parametrize("name", ["", "5", "1-1", "5-1", "stars", "0-1 ", "-1-1", "1-5-9", "Yes/No"])
def test_a_scale_that_does_not_exist_is_refused(name):
    """The message says which there are."""
    with pytest.raises(MetricError) as raised:
        scale_of(name)
    assert f"A rubric's scale is a range such as 0-1 or 1-5, yes/no, items or count; got {name!r}." == str(
        raised.value
    )
