"""The HTTP client over real sockets: what comes back, trying again, giving up, and learning."""

from __future__ import annotations

import datetime as dt
import json
from email.utils import format_datetime
from itertools import pairwise

import pytest
from asking import ONCE, ask, client_of, first, hello, timed
from provider_server import USAGE, WIRES, Answer, said

from uaef.errors import ProviderError
from uaef.llm.chat import ChatClient, Finish
from uaef.llm.retries import Patience

# --- an answer ----


@pytest.mark.parametrize("wire", WIRES)
def test_a_reply_says_what_came_back(providers, wire):
    """Text, tokens, and why it stopped."""
    providers.script = hello
    client = client_of(wire)
    assert isinstance(client, ChatClient)
    (reply,) = ask(client)
    assert ("hello", Finish.DONE, *USAGE) == (reply.text, reply.finish, reply.input_tokens, reply.output_tokens)
    assert f"{wire}:m" == client.label


@pytest.mark.parametrize("wire", WIRES)
def test_text_travels_unchanged(providers, wire):
    """There and back, in any script."""
    text = 'grün "quoted" \\ 日本語 👩‍👩‍👧 \n\t\u2028 end'
    providers.script = lambda asked: said(asked.wire, asked.user)
    (reply,) = ask(client_of(wire), messages=(("user", text),))
    assert text == reply.text


# --- trying again ----


def _at_once(providers, answers: list[Answer]) -> tuple[list, float]:
    """The replies of calls of which each gets one of ``answers`` first, and then a good one."""
    left = {f"call {n}": answer for n, answer in enumerate(answers)}
    providers.script = lambda asked: left.pop(asked.user, None) or hello(asked)
    return timed(client_of(), len(answers))


def test_what_may_pass_is_tried_again(providers):
    """And the second answer counts."""
    passing = [408, 409, 425, 429, 500, 502, 503, 504, 520, 522, 524, 529]
    replies, _ = _at_once(providers, [Answer(status) for status in passing])
    assert ["hello"] * len(passing) == [getattr(reply, "text", reply) for reply in replies]
    assert 2 * len(passing) == len(providers.asked)


@pytest.mark.parametrize("status", [301, 400, 401, 403, 404, 405, 413, 415, 422, 501])
def test_what_will_not_pass_is_not_tried_again(providers, status):
    """One call, and the server's words in the error."""
    providers.script = lambda _: Answer(status, b"<p>no  such\nthing</p>")
    (error,) = ask(client_of())
    assert (f"HTTP {status}: <p>no such thing</p>", status, 1) == (str(error), error.status, len(providers.asked))


def test_four_attempts_are_made_with_growing_pauses(providers):
    """Half a second, one, two, each with up to half a second of jitter."""
    providers.script = lambda _: Answer(500)
    ((error,), seconds) = timed(client_of())
    assert "HTTP 500: " == str(error)
    times = [asked.at for asked in providers.asked]
    pauses = [later - sooner for sooner, later in pairwise(times)]
    assert 3 == len(pauses)
    assert all(least <= pause < least + 3 for least, pause in zip((0.5, 1, 2), pauses, strict=True))
    assert 3.5 <= seconds < 15


@pytest.mark.parametrize("asked_for", ["1.2", "date"])
def test_the_server_says_how_long_to_wait(providers, asked_for):
    """In seconds or as a date."""
    when = dt.datetime.now(dt.UTC) + dt.timedelta(seconds=2.5)  # a date has whole seconds
    header = format_datetime(when, usegmt=True) if asked_for == "date" else asked_for
    providers.script = first(Answer(429, headers={"Retry-After": header}))
    ((reply,), seconds) = timed(client_of())
    assert "hello" == reply.text
    assert 1.2 <= seconds < 10


def test_a_wait_that_says_nothing_is_our_own(providers):
    """A header that is no number and no date to come changes nothing."""
    headers = ["soon", "-5", "", "nan", "Wed, 21 Oct 2015 07:28:00 GMT", "99-99-99", "Mon, 99 Foo 0000 00:00:00 GMT"]
    replies, seconds = _at_once(providers, [Answer(503, headers={"Retry-After": header}) for header in headers])
    assert ["hello"] * len(headers) == [getattr(reply, "text", reply) for reply in replies]
    assert 0.5 <= seconds < 5


@pytest.mark.parametrize("header", ["90", "3600", "inf"])
def test_a_wait_beyond_all_patience_is_not_begun(providers, header):
    """The error comes at once, with the server's status."""
    providers.script = lambda _: Answer(429, headers={"Retry-After": header})
    ((error,), seconds) = timed(client_of())
    assert (429, 1) == (error.status, len(providers.asked))
    assert seconds < 10


def test_the_time_spent_waiting_is_bounded(providers):
    """No further attempt is made where its pause would exceed what is left."""
    providers.script = lambda _: Answer(500)
    ((error,), seconds) = timed(client_of(patience=Patience(attempts=100, waiting_s=1)))
    assert (500, 2) == (error.status, len(providers.asked))
    assert seconds < 5


def test_a_long_pause_is_one_for_all_calls(providers):
    """After a pause that no run waits for, the calls behind it are not made at all."""
    providers.script = lambda _: Answer(429, headers={"Retry-After": "3600"})
    client = client_of()
    ask(client)
    errors, seconds = timed(client, 50)
    assert {"not tried: the provider asked for a pause of 3600 s more"} == {str(error) for error in errors}
    assert 1 == len(providers.asked)
    assert seconds < 10


def test_a_pause_is_waited_for_by_all_or_by_none(providers):
    """One patience, for the call that was refused and for those behind it."""
    pause = Answer(429, headers={"Retry-After": "1.5"})
    for waiting_s, replies, asked in ((1, 0, 1), (5, 3, 4)):
        providers.script = first(pause)
        providers.asked.clear()
        client = client_of(patience=Patience(attempts=2, waiting_s=waiting_s))
        found = [*ask(client), *ask(client, 2)]
        assert replies == sum(getattr(reply, "text", "") == "hello" for reply in found)
        assert asked == len(providers.asked)


# --- what may be billed ----


@pytest.mark.parametrize(
    ("answer", "lost"),
    [
        (Answer(hang=True), 1),
        (Answer(body=b"{}", reset_after=0), 1),
        (Answer(504), 1),
        (Answer(524), 1),
        (Answer(200, b"<html>"), 1),
        (Answer(200, b"{}"), 1),
        (Answer(400), 0),
        (Answer(401), 0),
        (Answer(429), 0),
        (Answer(500), 0),
    ],
)
def test_an_attempt_that_may_be_billed_is_told_of(providers, answer, lost):
    """What broke off, came too late or could not be read may have been written; what was refused was not."""
    providers.script = lambda _: answer
    (error,) = ask(client_of(timeout_s=0.3, patience=ONCE))
    assert (lost, bool(lost)) == (error.lost, error.may_be_billed)


def test_a_server_that_was_never_reached_bills_nothing(monkeypatch):
    """No connection, no answer."""
    monkeypatch.setenv("OPENAI_BASE_URL", "http://127.0.0.1:1")
    (error,) = ask(client_of(patience=ONCE))
    assert 0 == error.lost


def test_lost_attempts_are_counted_over_all_that_were_made(providers):
    """Beside the answer that came in the end, and in the error where none did."""
    providers.script = first(Answer(hang=True), Answer(429), Answer(body=b"{}", reset_after=0))
    (reply,) = ask(client_of(timeout_s=0.3))
    assert ("hello", 2, 4) == (reply.text, reply.lost, len(providers.asked))
    providers.script = first(Answer(hang=True), then=lambda _: Answer(401))
    (error,) = ask(client_of(timeout_s=0.3))
    assert (401, 1, False) == (error.status, error.lost, error.may_be_billed)


def test_a_key_with_a_line_break_is_an_error_of_the_call(providers, monkeypatch):
    """Not a crash, and not a header of its own."""
    monkeypatch.setenv("OPENAI_API_KEY", "sk\r\nX-Evil: 1")
    (error,) = ask(client_of())
    assert isinstance(error, ProviderError)
    assert not error.transient
    assert [] == providers.asked


# --- optional fields ----


def _picky(*refused, status=400):
    """A server that names the first field it does not know."""

    def answer(asked) -> Answer:
        flat = json.dumps(asked.body)
        for name in refused:
            if f'"{name}"' in flat:
                return Answer(status, json.dumps({"error": {"message": f"Unsupported parameter: '{name}'"}}).encode())
        return said(asked.wire, "hello")

    return answer


@pytest.mark.parametrize(
    ("wire", "refused"),
    [
        ("openai", ("response_format",)),
        ("openai", ("temperature",)),
        ("openai", ("temperature", "response_format")),
        ("anthropic", ("temperature", "tool_choice")),
        ("bedrock", ("toolChoice", "temperature")),
    ],
)
@pytest.mark.parametrize("status", [400, 422])
def test_what_a_server_does_not_know_is_left_out(providers, wire, refused, status):
    """It is learned once, for the rest of the run, without waiting."""
    providers.script = _picky(*refused, status=status)
    client = client_of(wire)
    assert "hello" == ask(client)[0].text
    assert 1 + len(refused) == len(providers.asked)
    ask(client, 5)
    assert 6 + len(refused) == len(providers.asked)
    assert not any(f'"{name}"' in json.dumps(providers.asked[-1].body) for name in refused)


@pytest.mark.parametrize(
    "refused", [("response_format", "temperature"), ("max_tokens",), ("max_tokens", "temperature")]
)
def test_calls_that_are_refused_together_all_learn(providers, refused):
    """None of the first calls is lost because another learned sooner."""
    picky = _picky(*refused)

    def answer(asked) -> Answer:
        given = picky(asked)
        given.delay_s = 0.05
        return given

    providers.script = answer
    assert ["hello"] * 20 == [getattr(reply, "text", reply) for reply in ask(client_of(), 20)]


def test_a_refusal_that_names_what_was_not_sent_is_final(providers):
    """There is nothing to leave out."""
    providers.script = lambda _: Answer(400, b"max_completion_tokens is unknown")
    (error,) = ask(client_of())
    assert ("HTTP 400: max_completion_tokens is unknown", 1) == (str(error), len(providers.asked))


def test_the_limit_of_an_answer_is_renamed_and_never_left_out(providers):
    """Some servers know it by another name only; without it a budget would promise too much."""
    providers.script = _picky("max_tokens", status=400)
    client = client_of("openai")
    assert "hello" == ask(client)[0].text
    assert "max_completion_tokens" in providers.asked[-1].body
    assert "max_tokens" not in providers.asked[-1].body


def test_a_limit_that_goes_by_neither_name_is_an_error(providers):
    """Both are tried, each once."""
    providers.script = _picky("max_tokens", "max_completion_tokens")
    client = client_of("openai")
    (error,) = ask(client)
    assert (400, 2) == (error.status, len(providers.asked))
    assert {400} == {error.status for error in ask(client, 5)}
    assert 7 == len(providers.asked)


def test_what_was_asked_teaches_nothing(providers):
    """A refusal that repeats the question may hold the name of any field as a word."""
    providers.script = lambda _: Answer(400, body=b'{"error": "What is the temperature in Rome?"}')
    (error,) = ask(client_of("openai"))
    assert (400, 1) == (error.status, len(providers.asked))


def test_a_key_is_in_no_message(providers, monkeypatch):
    """Whatever a server repeats of what it was sent."""
    monkeypatch.setenv("OPENAI_API_KEY", "sk-SECRET-KEY")
    providers.script = lambda _: Answer(401, body=b'{"error": "bad key Bearer sk-SECRET-KEY"}')
    (error,) = ask(client_of("openai"))
    assert "[secret]" in str(error)
    assert "sk-SECRET-KEY" not in str(error)
