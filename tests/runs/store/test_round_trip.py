"""Whatever was recorded comes back as it was: what databases refuse, what JSON has no word for, what is too long."""

from __future__ import annotations

import contextlib
import math

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from kept_results import info, result

from uaef.errors import StoreError
from uaef.models.base import replaced
from uaef.models.conversation import Conversation
from uaef.models.measurement import Measurement
from uaef.models.message import Message
from uaef.models.results import EvaluationResult
from uaef.models.scores import failed, scored
from uaef.models.tool_call import ToolCall
from uaef.models.traces import AgentTrace, MultiAgentTrace
from uaef.runs.records import RunInfo
from uaef.runs.store import origin

ODD = [
    "\0",
    "a\0b",
    "\ud800",
    "\udfff\ud83d",
    "\x02",
    '\x02"x"',
    "\\ud800",
    "😀",
    "\u202e",
    "'; DROP TABLE x; --",
    "nan",
]
text = st.one_of(st.sampled_from(ODD), st.text(st.characters(codec=None), max_size=20))
words = text.filter(lambda value: value.strip())
numbers = st.one_of(st.integers(), st.sampled_from([10**5, 2**63, -(2**63) - 1, 10**400]), st.floats(allow_nan=True))
values = st.recursive(
    st.one_of(st.none(), st.booleans(), numbers, text),
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(text, inner, max_size=3)),
    max_leaves=8,
)
data = st.dictionaries(text, values, max_size=3)
maybe = st.none() | text
seconds = st.none() | st.floats(0) | st.just(math.nan)

calls = st.builds(ToolCall, name=words, arguments=data, result=values, error=maybe, metadata=data)
messages = st.builds(
    Message, role=st.just("assistant"), content=text, tool_calls=st.lists(calls, max_size=2), metadata=data
)
traces = st.builds(
    AgentTrace, messages=st.lists(messages, max_size=3), metadata=data, cost=st.none() | st.floats(0, 1e9)
)
several = st.builds(MultiAgentTrace, messages=st.lists(messages, max_size=2), metadata=data)


@st.composite
def results(draw):
    """A result in which everything that a user or an agent says is odd."""
    name = draw(words)
    conversation = draw(
        st.none() | st.builds(Conversation.of, st.lists(traces | several, min_size=1, max_size=2), name=st.just(name))
    )
    scores = st.builds(
        lambda key, number, reason, found: scored(key, number, reason, **{f"x{k}": v for k, v in found.items()}),
        words, st.floats(0, 1), maybe, data,
    ) | st.builds(failed, words, text)  # fmt: skip
    measured = draw(
        st.lists(
            st.builds(
                Measurement, slice_name=text, turns=st.lists(st.integers(), max_size=2).map(tuple),
                whole=st.booleans(),
                metric=text, dimension=text, score=scores, trial=st.integers(0, 9), tags=st.lists(text).map(tuple),
                seconds=seconds, cost=seconds,
            ),
            max_size=3,
        )
    )  # fmt: skip
    return EvaluationResult(
        trace_id=name, conversation=conversation, measurements=measured, errors=draw(st.lists(text)),
        metadata=draw(data), thread_id=draw(maybe), turns_passed=draw(st.dictionaries(st.integers(), st.booleans())),
        worst=draw(st.sampled_from([None, *measured])), seconds=draw(st.none() | st.floats(0, 1e9)),
    )  # fmt: skip


def shown(result):
    """Everything there is to know of a result; text, because no NaN equals itself."""
    return repr(result.to_dict())


@settings(max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
@given(result=results())
@example(result=replaced(result(), metadata={"nan": math.nan, "inf": -math.inf, "big": 10**4000}))
def test_results_come_back_as_they_were(store, result):
    """Every field, every character and every number of a result, as plain data knows them."""
    run = RunInfo(**origin(), dataset="odd")
    store.begin(run)
    store.add(run.run_id, 0, result)
    [back] = store.load(run.run_id).items
    assert shown(result) == shown(back)
    assert {(result.name, result.trial)} == store.done(run.run_id)
    assert [repr(m.to_dict()) for m in result.measurements] == [
        repr(each.measurement.to_dict()) for each in store.measurements(run.run_id)
    ]
    store.pin(result.name, None, run.run_id)
    assert [shown(result)] == list(map(shown, store.pinned(result.name, None).items))
    store.finish(run.run_id)


@settings(max_examples=15, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(label=text, dataset=text, tags=st.lists(text, max_size=3), parameters=data)
def test_runs_come_back_as_they_were(store, label, dataset, tags, parameters):
    """What is known of a run, and it is found by its odd names too."""
    run = RunInfo(**origin(), label=label, dataset=dataset, tags=tags, parameters=parameters)
    store.begin(run)
    store.finish(run.run_id)
    back = store.latest(dataset)
    assert repr(run.to_dict()["parameters"]) == repr(back.to_dict()["parameters"])
    assert (run.run_id, label, dataset, tags, run.started_at) == (
        back.run_id, back.label, back.dataset, back.tags, back.started_at,
    )  # fmt: skip
    assert run.run_id == store.runs(label=label)[0].run_id


def test_a_name_may_be_longer_than_an_index_takes(store):
    """Names of conversations, metrics and datasets of 100,000 characters."""
    long = "".join(chr(0x4E00 + n % 20_000) for n in range(100_000))
    kept = replaced(result(long), thread_id=long)
    store.begin(info(dataset=long, label=long, branch=long))
    store.add("run-000", 0, kept)
    store.finish("run-000")
    store.pin(long, long, "run-000")
    assert [kept] == store.load("run-000").items == store.pinned(long, long).items
    assert "run-000" == store.latest(long, branch=long).run_id


def test_numbers_that_no_json_reader_takes_become_text(store):
    """A whole number of more than 4,300 digits, in hexadecimal digits."""
    store.begin(info())
    store.add("run-000", 0, replaced(result(), metadata={"n": [10**5000]}))
    assert {"n": [hex(10**5000)]} == store.load("run-000").items[0].metadata


@pytest.mark.parametrize(
    "depths", [[100_000], range(150, 1_100, 10)], ids=["far too deep", "about as deep as can be"]
)
def test_what_is_nested_too_deeply_loses_nothing_else(store, depths):
    """It is kept as far as it can be, or is refused; what can be kept can be read, and so can everything else."""
    store.begin(info())
    store.add("run-000", 0, result())
    for place, depth in enumerate(depths, 1):
        deep = []
        for _ in range(depth):
            deep = [deep]
        with contextlib.suppress(StoreError):
            store.add("run-000", place, replaced(result(f"c{depth}"), metadata={"deep": deep}))
    store.add("run-000", 2_000, result("after"))
    items = store.load("run-000").items
    assert (result(), result("after")) == (items[0], items[-1])
    assert len(items) > 2


def test_live_objects_become_text_like_in_a_report(store):
    """What is no plain data is kept as text, as in results that are written as JSON."""
    kept = replaced(result(), metadata={"at": info().started_at, "kind": object, "pair": (1, 2)})
    store.begin(info())
    store.add("run-000", 0, kept)
    back = store.load("run-000").items[0].metadata
    assert {"at": "2026-12-01T06:18:52.123456Z", "kind": "<class 'object'>", "pair": [1, 2]} == back
