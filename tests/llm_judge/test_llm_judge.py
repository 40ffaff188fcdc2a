"""The judge that asks a model: what a judgement says of itself, what is kept, what is spent, and who may share it."""

from __future__ import annotations

import asyncio
import gc
import json
import os
import signal
import sqlite3
import threading
import warnings
from time import monotonic

import pytest
from judged_conversations import RUBRICS, a_rubric, talk
from provider_server import USAGE, WIRES, Answer, said, verdict

from uaef.api import aevaluate, batch_evaluate, evaluate
from uaef.errors import DataError
from uaef.llm.budget import Budget
from uaef.llm.cache import ReplyCache
from uaef.llm.prices import Price
from uaef.llm.retries import Patience
from uaef.llm.tokens import most_tokens_in
from uaef.llm_judge import Bounded, Composed, LLMJudge, Panel, judge_for
from uaef.llm_judge.prompt import question
from uaef.models.base import replaced
from uaef.testing import ScriptedJudge

PRICE = Price(3.0, 15.0)
COST = PRICE.of(*USAGE)
ONCE = Patience(attempts=1)
RUBRIC = RUBRICS["1-5"]


def _judged(judge, told=None, rubric=RUBRIC, **options):
    """The score of one judgement."""
    told = talk() if told is None else told
    return evaluate(told, metrics=[rubric], judge=judge, **options).measurements[0].score


def _many(count: int) -> list:
    return [talk(f"Case {n}.", name=f"case {n}") for n in range(count)]


# --- what a judgement says of itself ---------------------------------------------------------


@pytest.mark.parametrize("wire", WIRES)
def test_a_judgement_says_who_made_it_and_what_it_took(providers, wire):
    """Judge, rubric's version, calls, tokens, dollars, seconds."""
    providers.script = lambda asked: replaced_delay(said(asked.wire, verdict(asked)), 0.05)
    score = _judged(judge_for(f"{wire}:m", price=PRICE), rubric=replaced(RUBRIC, version="7"))
    facts = dict(score.metadata)
    assert 0.05 <= facts.pop("latency_s") < 2
    assert {
        "raw_score": 5,
        "judge": f"{wire}:m",
        "rubric_version": "7",
        "calls": 1,
        "cached": False,
        "input_tokens": 1000,
        "output_tokens": 100,
        "cost_usd": pytest.approx(0.0045),
    } == facts
    assert ("the evidence is there", 1.0) == (score.reasoning, score.score)


def replaced_delay(answer: Answer, seconds: float) -> Answer:
    """The same answer, later."""
    answer.delay_s = seconds
    return answer


def test_a_repair_is_paid_for_too(providers):
    """Calls, tokens and dollars of both; also where the second answer is no better."""
    judge = judge_for("openai:m", price=PRICE)
    providers.script = lambda asked: said(asked.wire, verdict(asked) if asked.is_repair else "unsure")
    good = _judged(judge).metadata
    providers.script = lambda asked: said(asked.wire, "unsure")
    bad = _judged(judge, talk("Anew.")).metadata
    for facts in (good, bad):
        assert (2, 2000, 200) == (facts["calls"], facts["input_tokens"], facts["output_tokens"])
        assert pytest.approx(2 * COST) == facts["cost_usd"]
    assert ("invalid_verdict", "unsure") == (bad["warning"], bad["error_details"])


def test_what_is_not_known_is_not_zero(providers):
    """Without a price the cost is unknown; without usage the tokens are."""
    assert _judged("openai:m").metadata["cost_usd"] is None

    def silent(asked):
        body = json.loads(said(asked.wire, verdict(asked)).body)
        del body["usage"]
        return Answer(body=json.dumps(body).encode())

    providers.script = silent
    facts = _judged(judge_for("openai:m", price=PRICE)).metadata
    assert (None, None, None) == (facts["input_tokens"], facts["output_tokens"], facts["cost_usd"])


@pytest.mark.usefixtures("providers")
def test_a_known_model_has_its_price_from_the_list():
    """Without anybody naming it."""
    assert pytest.approx(Price(0.4, 1.6).of(*USAGE)) == _judged("openai:gpt-4.1-mini").metadata["cost_usd"]


@pytest.mark.usefixtures("providers")
def test_what_was_left_out_is_in_the_result():
    """A long transcript is windowed, and the score says so."""
    assert "window" not in _judged("openai:m").metadata
    window = _judged("openai:m", talk("x" * 10_000)).metadata["window"]
    assert (1, []) == (window["shortened_texts"], window["left_out_turns"])


def test_half_a_surrogate_in_the_reasoning_can_be_kept_and_written(providers, monkeypatch, tmp_path):
    """A verdict is not lost over a character that no file can hold."""
    monkeypatch.setenv("UAEF_CACHE", str(tmp_path / "replies.sqlite"))
    providers.script = lambda asked: said(asked.wire, verdict(asked, reasoning="cut \ud83d"))
    for cached in (False, True):
        for wire in WIRES:
            score = _judged(f"{wire}:m")
            assert (1.0, "cut \\ud83d", cached) == (score.score, score.reasoning, score.metadata["cached"])


# --- the cache --------------------------------------------------------------------------------


@pytest.fixture
def kept(monkeypatch, tmp_path):
    """A cache that the environment names."""
    monkeypatch.setenv("UAEF_CACHE", str(tmp_path / "replies.sqlite"))
    return tmp_path / "replies.sqlite"


def _entries(path) -> int:
    db = sqlite3.connect(path)
    count = db.execute("SELECT count(*) FROM replies").fetchone()[0]
    db.close()
    return count


@pytest.mark.parametrize("wire", WIRES)
@pytest.mark.usefixtures("kept")
def test_a_kept_verdict_says_so_and_costs_nothing(providers, wire):
    """The same score and reason, no call, no tokens, no dollars."""
    first, second = _judged(f"{wire}:m"), _judged(f"{wire}:m")
    assert (1, first.score, first.reasoning) == (len(providers.asked), second.score, second.reasoning)
    facts = second.metadata
    assert (True, 0, 0, 0, 0) == (
        facts["cached"],
        facts["calls"],
        facts["input_tokens"],
        facts["output_tokens"],
        facts["cost_usd"],
    )


def test_invalid_answers_and_failures_are_never_kept(providers, kept):
    """They are asked again, and what is valid then is kept: also after a repair, under the question itself."""
    answers = [Answer(401), said("openai", "unsure"), said("openai", "unsure"), said("openai", "unsure")]
    providers.script = lambda asked: answers.pop(0) if answers else said(asked.wire, verdict(asked))
    statuses = [str(_judged("openai:m").status) for _ in range(4)]
    assert ["failed", "failed", "scored", "scored"] == statuses
    assert (5, 1) == (len(providers.asked), _entries(kept))


def test_cannot_tell_is_kept(providers, kept):
    """It is an answer."""
    providers.script = lambda asked: said(asked.wire, verdict(asked, score="cannot tell"))
    assert ["not_applicable"] * 2 == [str(_judged("openai:m").status) for _ in range(2)]
    assert (1, 1) == (len(providers.asked), _entries(kept))


def test_another_model_server_version_or_question_is_another_entry(providers, kept, monkeypatch):
    """Nothing is taken for what it is not."""
    _judged("openai:m")
    _judged("openai:n")
    _judged("openai:m", rubric=replaced(RUBRIC, version="2"))
    _judged("openai:m", rubric=replaced(RUBRIC, text="Another."))
    _judged("openai:m", talk("Another."))
    monkeypatch.setenv("OPENAI_BASE_URL", f"{providers.url}/v2")
    _judged("openai:m")
    assert (6, 6) == (len(providers.asked), _entries(kept))


@pytest.mark.parametrize("value", ["off", "OFF", " off ", ""])
def test_the_cache_is_off_unless_it_is_asked_for(providers, monkeypatch, tmp_path, value):
    """In the library."""
    monkeypatch.setenv("UAEF_CACHE", value)
    _judged("openai:m")
    _judged("openai:m")
    assert (2, []) == (len(providers.asked), list(tmp_path.rglob("*.sqlite")))


def test_a_file_that_is_no_cache_stops_the_run_before_anything_is_asked(providers, monkeypatch, tmp_path):
    """One sentence."""
    (tmp_path / "notes.txt").write_text("not a database, whatever it may look like" * 10, "utf-8")
    monkeypatch.setenv("UAEF_CACHE", str(tmp_path / "notes.txt"))
    with pytest.raises(DataError, match=r"The cache .*notes\.txt cannot be used: file is not a database\. Name"):
        _judged("openai:m")
    assert [] == providers.asked


def test_a_cache_that_breaks_does_not_cost_a_verdict(providers, tmp_path):
    """The score is there, and says that the cache is broken."""
    cache = ReplyCache(tmp_path / "replies.sqlite")
    cache.close()
    score = _judged(judge_for("openai:m", cache=cache))
    assert (1.0, 1) == (score.score, len(providers.asked))
    assert "cannot be used: Cannot operate on a closed database." in score.metadata["cache_error"]


def test_a_run_leaves_its_cache_closed(providers, kept):
    """No database and no connection stays open, and no warning tells of one."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        _judged("openai:m")
        gc.collect()
    assert [] == [str(warning.message) for warning in caught]
    assert [kept] == list(kept.parent.glob("replies*"))
    assert 1 == len(providers.asked)


@pytest.mark.usefixtures("kept")
def test_answers_of_objects_are_not_kept(providers):
    """Two functions may bear one name, and a model object does not tell its parameters."""
    heard = []

    def judge(text):
        heard.append(text)
        return "unsure"

    _judged(judge)
    _judged(judge)
    assert (4, []) == (len(heard), providers.asked)


# --- the budget -------------------------------------------------------------------------------


def test_a_budget_is_kept_however_many_calls_are_under_way(providers):
    """What could exceed it is not asked, and says why; what was asked is paid for."""
    providers.script = lambda asked: replaced_delay(said(asked.wire, verdict(asked)), 0.02)
    judge = judge_for("openai:m", price=PRICE)
    most = 0.5
    scores = [
        result.measurements[0].score
        for result in batch_evaluate(_many(200), metrics=[RUBRIC], judge=judge, max_cost_usd=most)
    ]
    spent = sum(score.metadata["cost_usd"] for score in scores)
    asked = len(providers.asked)
    assert pytest.approx(asked * COST) == spent
    assert most / COST * 0.5 < asked <= most / COST
    left_out = [score for score in scores if score.score is None]
    assert 200 == asked + len(left_out)
    assert {"api_error"} == {score.metadata["warning"] for score in left_out}
    assert all("would exceed max_cost_usd=$0.5" in score.metadata["error_details"] for score in left_out)


def test_calls_that_fail_give_back_what_was_set_aside(providers):
    """A budget for one call at a time serves many, as long as they cost nothing."""
    answers = [Answer(401) for _ in range(30)]
    providers.script = lambda asked: answers.pop() if answers else said(asked.wire, verdict(asked))
    judge = judge_for("openai:m", price=PRICE)
    results = batch_evaluate(_many(31), metrics=[RUBRIC], judge=judge, max_cost_usd=0.06, max_concurrency=1)
    assert (31, 1) == (len(providers.asked), sum(r.measurements[0].score.score is not None for r in results))


HTML = Answer(200, b"<html>", {"Content-Type": "text/html"})


@pytest.mark.parametrize(
    ("answers", "calls", "score"),
    [
        ([Answer(hang=True)], 1, None),
        ([Answer(hang=True)] * 3, 3, None),
        ([HTML], 1, None),
        ([Answer(hang=True)] * 2 + [None], 3, 1.0),
        ([Answer(429)] * 3, 0, None),
    ],
)
def test_an_attempt_that_may_be_billed_is_paid_for(providers, answers, calls, score):
    """At the most that it may cost; how many tokens it took is not known, and so not 0."""
    left = list(answers)
    providers.script = lambda asked: left.pop(0) or said(asked.wire, verdict(asked))
    budget = Budget(10.0)
    patience = Patience(attempts=len(answers))
    judge = judge_for("openai:m", price=PRICE, timeout_s=0.3, patience=patience).bounded(budget, None)
    found = _judged(judge)
    lost = calls - (score is not None)
    facts = found.metadata
    told = facts["calls"], facts["input_tokens"], facts["output_tokens"], facts["cost_usd"]
    assert (score, calls, *([None] * 3 if lost else [0] * 3)) == (found.score, *told)
    prompt = question(RUBRIC, talk()).prompt
    most = PRICE.of(most_tokens_in(prompt), prompt.max_tokens)
    assert pytest.approx(lost * most + (COST if score else 0)) == budget.spent_usd


def test_attempts_that_may_be_billed_use_up_a_budget(providers):
    """What they cost is not there for the next call."""
    providers.script = lambda _: HTML
    judge = judge_for("openai:m", price=PRICE)
    batch_evaluate(_many(10), metrics=[RUBRIC], judge=judge, max_cost_usd=0.1, max_concurrency=1)
    assert 2 == len(providers.asked)


def test_what_was_lost_on_the_way_is_not_kept_with_the_answer(providers, kept):
    """From the cache it costs nothing."""
    left = [HTML]
    providers.script = lambda asked: Answer(hang=True) if left and left.pop() else said(asked.wire, verdict(asked))
    judge = judge_for("openai:m", price=PRICE, timeout_s=0.3, cache=ReplyCache(kept))
    first, second = _judged(judge).metadata, _judged(judge).metadata
    assert (2, None, False) == (first["calls"], first["cost_usd"], first["cached"])
    assert (0, 0, True) == (second["calls"], second["cost_usd"], second["cached"])


def test_a_judge_made_of_another_leaves_it_as_it_was(providers):
    """Within a budget, for another opinion: what the first one asks and spends stays its own."""
    judge = judge_for("openai:m", price=PRICE)
    bound = judge.bounded(Budget(0.0), lambda _: "hidden").sample(1)
    assert ("openai:m", PRICE) == (bound.label, bound.price)
    assert (None, 1.0) == (_judged(bound).score, _judged(judge).score)
    (asked,) = providers.asked
    assert "hidden" not in asked.user


def test_an_answer_that_does_not_tell_its_tokens_is_counted_at_the_most_it_may_cost(providers):
    """A budget is not exceeded for want of figures."""

    def silent(asked):
        body = json.loads(said(asked.wire, verdict(asked)).body)
        del body["usage"]
        return Answer(body=json.dumps(body).encode())

    providers.script = silent
    judge = judge_for("openai:m", price=PRICE)
    batch_evaluate(_many(10), metrics=[RUBRIC], judge=judge, max_cost_usd=0.1, max_concurrency=1)
    assert len(providers.asked) == 2


def test_a_budget_needs_a_price(providers):
    """It cannot be kept by guessing; the message says how to get one."""
    message = (
        r"max_cost_usd needs a price, and that of 'openai:m' is not known; install the price list with pip install "
        r"'uaef\[prices\]', or make the judge with judge_for\(\.\.\., price=Price\(\.\.\.\)\)\."
    )
    with pytest.raises(DataError, match=message):
        _judged("openai:m", max_cost_usd=1.0)
    with pytest.raises(DataError, match=message):
        _judged(Panel(["openai:m", judge_for("openai:m", price=PRICE)]), max_cost_usd=1.0)
    assert [] == providers.asked


def test_a_budget_of_nothing_asks_nothing(providers):
    """0 is a limit too."""
    score = _judged(judge_for("openai:m", price=PRICE), max_cost_usd=0.0)
    assert ("failed", []) == (str(score.status), providers.asked)


def test_a_kept_verdict_needs_no_budget(providers, kept):
    """It costs nothing."""
    assert 0 == len(list(kept.parent.glob("replies*")))
    _judged("openai:gpt-4.1-mini")
    assert 1.0 == _judged("openai:gpt-4.1-mini", max_cost_usd=0.0).score
    assert 1 == len(providers.asked)


def test_only_who_says_what_it_spends_and_shows_can_be_bound(providers):
    """The interfaces say who that is; a judge of judges is composed as well."""
    assert [] == providers.asked
    known = [judge_for("openai:m"), judge_for("local"), Panel(["openai:m"])]
    assert [True] * 3 == [isinstance(judge, Bounded) for judge in known]
    assert [False, False, True] == [isinstance(judge, Composed) for judge in known]
    unknown = ScriptedJudge({})
    assert (False, False) == (isinstance(unknown, Bounded), isinstance(unknown, Composed))
    with pytest.raises(DataError, match="max_cost_usd and redact do not apply to 'scripted', which does not say"):
        _judged(unknown, max_cost_usd=1.0)
    with pytest.raises(DataError, match="max_cost_usd and redact do not apply to 'scripted', a member of the panel"):
        _judged(Panel(["local", unknown]), redact=str)


# --- how many at once ---------------------------------------------------------------------------


@pytest.mark.parametrize("panel", [False, True])
def test_no_more_calls_are_under_way_than_allowed(providers, monkeypatch, panel):
    """32 unless the caller or the environment says otherwise; the members of a panel share the limit."""
    providers.script = lambda asked: replaced_delay(said(asked.wire, verdict(asked)), 0.02)
    judge = judge_for("openai:m")
    judge = Panel([judge, Panel([judge, judge])]) if panel else judge
    for limit, options, variable in ((32, {}, ""), (7, {}, "7"), (3, {"max_concurrency": 3}, "7")):
        monkeypatch.setenv("UAEF_MAX_CONCURRENCY", variable)
        providers.most_in_flight = 0
        batch_evaluate(_many(60), metrics=[RUBRIC], judge=judge, **options)
        assert limit == providers.most_in_flight
    assert providers.connections <= 32 + 7 + 3


@pytest.mark.parametrize("value", [0, -1, 1.5, "many", True])
@pytest.mark.usefixtures("providers")
def test_a_limit_that_is_none_is_refused(monkeypatch, value):
    """Naming where it came from."""
    with pytest.raises(ValueError, match=f"max_concurrency must be a whole number of at least 1, got {value!r}"):
        _judged("openai:m", max_concurrency=value)
    monkeypatch.setenv("UAEF_MAX_CONCURRENCY", str(value))
    with pytest.raises(ValueError, match="UAEF_MAX_CONCURRENCY must be a whole number of at least 1, got "):
        _judged("openai:m")


# --- runs ---------------------------------------------------------------------------------------


def test_one_judge_serves_many_runs_one_after_another_and_at_once(providers):
    """In threads, each with a loop of its own, and within a loop that runs already."""
    judge = judge_for("openai:m")
    assert isinstance(judge, LLMJudge)
    assert [1.0, 1.0] == [_judged(judge).score, _judged(judge).score]
    scores = []
    threads = [threading.Thread(target=lambda: scores.append(_judged(judge).score)) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    async def within():
        inner = evaluate(talk(), metrics=[RUBRIC], judge=judge)  # as in a notebook
        outer = await asyncio.gather(*(aevaluate(talk(), metrics=[RUBRIC], judge=judge) for _ in range(4)))
        return [result.measurements[0].score.score for result in (inner, *outer)]

    scores += asyncio.run(within())
    assert [1.0] * 13 == scores
    assert 15 == len(providers.asked)


def test_one_pool_serves_a_run(providers):
    """A hundred judgements, four at a time: at most four connections."""
    batch_evaluate(_many(100), metrics=[RUBRIC], judge="openai:m", max_concurrency=4)
    assert 100 == len(providers.asked)
    assert providers.connections <= 4


def test_cancelling_a_run_leaves_nothing_behind(providers):
    """No task, and no connection."""
    providers.script = lambda _: Answer(hang=True)

    async def run():
        task = asyncio.create_task(aevaluate(talk(), metrics=list(RUBRICS.values()), judge="openai:m"))
        await asyncio.to_thread(_wait_until, lambda: len(providers.asked) == len(RUBRICS))
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        return asyncio.all_tasks() - {asyncio.current_task()}

    assert set() == asyncio.run(run())
    _wait_until(lambda: providers.open_connections == 0)


def test_ctrl_c_ends_a_run_at_once(providers):
    """The interrupt arrives, nothing is left open, and the judge can be used again."""
    providers.script = lambda _: Answer(hang=True)
    judge = judge_for("openai:m")
    threading.Timer(0.5, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
    started = monotonic()
    with pytest.raises(KeyboardInterrupt):
        batch_evaluate(_many(50), metrics=[RUBRIC], judge=judge)
    assert monotonic() - started < 5
    _wait_until(lambda: providers.open_connections == 0)
    providers.script = lambda asked: said(asked.wire, verdict(asked))
    assert 1.0 == _judged(judge).score


def _wait_until(true) -> None:
    deadline = monotonic() + 5
    while not true():
        assert monotonic() < deadline
        threading.Event().wait(0.01)


def test_a_judge_that_never_answers_is_given_up(providers):
    """After its timeout, as a failure that says so."""
    providers.script = lambda _: Answer(hang=True)
    score = _judged(judge_for("openai:m", timeout_s=0.2, patience=ONCE))
    assert ("api_error", "no answer within 0.2 s") == (score.metadata["warning"], score.metadata["error_details"])


def test_a_function_is_a_judge(providers):
    """It gets the whole prompt and gives a verdict as text."""

    def judge(text):
        token = text.partition('{"token": "')[2].partition('"')[0]
        return json.dumps({"token": token, "reasoning": "because", "score": 3})

    score = _judged(judge, rubric=a_rubric(scale="1-5"))
    assert (0.5, "function:judge", []) == (score.score, score.metadata["judge"], providers.asked)
