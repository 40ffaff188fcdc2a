"""Laws of checks: what holds of all texts, all calls and all combinations."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from uaef import AgentTrace, Conversation, Message, checks
from uaef.metrics.base import Metric
from uaef.models import GroundTruth, ToolCall, ToolStatus
from uaef.text.folding import folded, visible

ODD = "\ud800\udfff\u200b\u202e\u2066\ufe0f\u0345\u0130\u00df\ufb01\u1e9e\u0000\U0001f469\U000e0041'\"\n5.,-"
texts = st.one_of(st.text(max_size=30), st.text(alphabet=ODD + "aA b", max_size=12))
replies = st.lists(texts, max_size=3)
calls = st.lists(
    st.builds(
        lambda name, status, result: ToolCall(name=name, arguments={"n": 1}, status=status, result=result),
        st.sampled_from(["A", "B", "\ud800"]),
        st.sampled_from(list(ToolStatus)),
        st.sampled_from([None, "x", "{", '{"error": 1}', {"isError": True}]),
    ),
    max_size=5,
)


def window(said, called=(), expected=None):
    """A turn in which this was said and called."""
    messages = [Message(role="user", content="question"), *(Message(role="assistant", content=r) for r in said)]
    trace = AgentTrace(messages=messages, tool_calls=list(called), latency=1.0, cost=0.0)
    return Conversation.of(trace, name="x", expected=expected)


def score(check, at):
    """The score of a check."""
    assert isinstance(check, Metric)
    return check.score_of(check.measure(at)).score


def seen(text):
    """Whether there is something in it to be seen."""
    return bool(visible(text).strip())


wanted = texts.filter(lambda text: folded(text).strip() and folded(text, ignore_case=False).strip())


@given(replies, wanted, st.booleans(), st.sampled_from(["all", "final"]))
def test_includes_and_excludes_are_opposites(said, text, ignore_case, where):
    """Where something was said; where nothing was, neither holds."""
    has, lacks = (
        score(make(text, ignore_case=ignore_case, where=where), window(said))
        for make in (checks.includes, checks.excludes)
    )
    assert (0.0, None) == (has, lacks) if not any(map(seen, said)) else has == 1 - lacks


@given(texts, wanted, texts)
def test_what_is_put_in_is_found(before, text, after):
    """A text between blanks is included, whatever stands around it."""
    assert 1.0 == score(checks.includes(text), window([f"{before} . {text} . {after}"]))


@given(wanted)
def test_a_text_equals_itself(text):
    """Whatever blanks surround it; and it is entirely similar to itself."""
    assert 1.0 == score(checks.equals(text), window([f"\n {text}\t"]))
    assert 1.0 == score(checks.similarity(text, mode="ratio"), window([text]))
    assert 1.0 == score(checks.similarity(f"{text} word"), window([f"{text} word"]))


@given(texts)
def test_folding_again_changes_nothing_that_matters(text):
    """A folded text is found in the text itself."""
    if folded(text).strip():
        assert 1.0 == score(checks.includes(text), window([f"x{text}x"])) or not text.isascii()


@given(calls, st.booleans())
def test_more_calls_are_harder(called, attempted):
    """If a tool was called so often, it was called less often too; and never both at least and fewer times."""
    at = window(["ok"], called)
    counts = [score(checks.called_tool("A", times=n, attempted=attempted), at) for n in range(1, 7)]
    assert counts == sorted(counts, reverse=True)
    for times, met in enumerate(counts, 1):
        assert met == 1 - score(checks.called_tool("A", times=0, at_most=times - 1, attempted=attempted), at)
    assert counts[0] == 1 - score(checks.did_not_call("A", attempted=attempted), at)


parts = st.lists(
    st.sampled_from(
        [
            checks.includes("a"),
            checks.excludes("b"),
            checks.similarity("a b c"),
            checks.called_tool("A"),
            checks.max_tool_calls(2),
            checks.no_tool_errors(),
        ]
    ),
    min_size=1,
    max_size=4,
)


@given(replies, calls, parts)
def test_de_morgan(said, called, several):
    """Not all of them is any that does not, and the other way round, where all have a score."""
    at = window([*said, "b"], called)
    opposites = [checks.not_(part) for part in several]
    assert score(checks.not_(checks.all_of(*several)), at) == score(checks.any_of(*opposites), at)
    assert score(checks.not_(checks.any_of(*several)), at) == score(checks.all_of(*opposites), at)
    assert score(checks.all_of(*several), at) == min(score(part, at) for part in several)
    assert score(checks.any_of(*several), at) == max(score(part, at) for part in several)


EVERY = [
    checks.includes("a"),
    checks.excludes("a"),
    checks.equals("a"),
    checks.one_of(["a", "b"]),
    checks.matches("a+", exact=True),
    checks.similarity("a b 5"),
    checks.similarity("aa bb"),
    checks.similarity("ab", mode="ratio"),
    checks.matches_expected(),
    checks.includes_expected(),
    checks.numbers_match(),
    checks.numbers_match([5], tolerance=0.5),
    checks.json_valid(),
    checks.json_schema({"type": "object"}),
    checks.called_tool("A"),
    checks.did_not_call("A"),
    checks.tool_order(["A", "B"]),
    checks.max_tool_calls(2),
    checks.used_no_tools(),
    checks.no_tool_errors(),
    checks.required_approval_before("A"),
    checks.writes_match(["A"]),
    checks.max_words(3),
    checks.max_latency(3),
    checks.max_cost(3),
    checks.asked_again_for("a", value="b"),
    checks.all_of("no_tool_errors", {"excludes": "x"}),
    checks.any_of({"includes": "x"}),
    checks.not_({"includes": "x"}),
]


@given(replies, calls, texts)
def test_no_check_ever_raises(said, called, expected):
    """Whatever was said, however odd its characters; and every result says why."""
    at = window(said, called, GroundTruth(expected_output=expected, expected_tool_calls=called))
    for check in EVERY:
        found = check.score_of(check.measure(at))
        assert found.score is None or 0 <= found.score <= 1
        assert found.reasoning
        found.reasoning.encode("utf-8")


def test_huge_texts_are_read():
    """Megabytes of whatever it may be, without a crash and without megabytes of reasons."""
    for text in ("a" * 1_000_000, "word 5 " * 200_000, "\u200b" * 1_000_000, "\u00e9" * 500_000, "9" * 100_000):
        at = window([text], expected=GroundTruth(expected_output=text))
        for check in EVERY:
            found = check.score_of(check.measure(at))
            assert len(found.reasoning) < 2_000
