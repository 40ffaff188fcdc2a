"""The judge that asks a language model."""

from __future__ import annotations

import copy
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from time import perf_counter
from typing import TYPE_CHECKING, Self, TypeVar

from uaef.errors import DataError, ProviderError
from uaef.llm.budget import Budget
from uaef.llm.chat import ChatClient, Prompt, Reply
from uaef.llm.http_client import most_tokens_in
from uaef.llm.prices import Price
from uaef.llm_judge.prompt import Question, question
from uaef.llm_judge.rubric import Rubric
from uaef.llm_judge.scales import InvalidVerdictError, scale_of
from uaef.llm_judge.verdict import ReadVerdict, read_verdict
from uaef.models.base import replaced
from uaef.models.conversation import Conversation
from uaef.models.scores import MetricScore, ScoreStatus
from uaef.text.transcript import Pages, Redact
from uaef.text.well_formed import well_formed

if TYPE_CHECKING:
    from uaef.llm.cache import ReplyCache

_Kept = TypeVar("_Kept")

_QUOTED = 300
_REPAIR = """\
That was no valid verdict. Reply again with one JSON object and nothing else: \
{{"token": "{token}", "reasoning": "...", "score": ...}}, where "score" is {words}."""


class LLMJudge:
    """Asks a model, checks the answer, asks once more if it is none, and gives up rather than guess.

    Args:
        client: who answers.
        cache: where answers are kept between runs; ``None``: nowhere.
        price: of the model's tokens, where it is known.
        budget: what may be spent; shared by all judges of a run.
        redact: applied to each line of material before it leaves the process.
    """

    def __init__(
        self,
        client: ChatClient,
        *,
        cache: ReplyCache | None = None,
        price: Price | None = None,
        budget: Budget | None = None,
        redact: Redact | None = None,
    ) -> None:
        self.label = client.label
        self.price = price
        self._client = client
        self._cache = cache
        self._budget = budget or Budget()
        self._redact = redact
        self._pages = Pages()
        self._sample = 0

    def bounded(self, budget: Budget | None, redact: Redact | None) -> LLMJudge:
        """The same judge within a budget, and shown only what ``redact`` leaves.

        Raises:
            DataError: there is a budget, and no price to keep to it by.
        """
        if budget is not None and self.price is None:
            raise DataError(
                f"max_cost_usd needs a price, and that of {self.label!r} is not known; install the price list with "
                "pip install 'uaef[prices]', or make the judge with judge_for(..., price=Price(...))."
            )
        return self._but(_budget=budget or self._budget, _redact=redact or self._redact, _pages=Pages())

    def sample(self, number: int) -> LLMJudge:
        """The same judge for another opinion, the first being number 0; each is kept under a key of its own."""
        return self._but(_sample=number)

    def _but(self, **changes: object) -> LLMJudge:
        changed = copy.copy(self)
        vars(changed).update(changes)
        return changed

    async def __aenter__(self) -> Self:
        await self._client.__aenter__()
        return self

    async def __aexit__(self, *exception: object) -> None:
        self._pages.clear()
        await self._client.__aexit__(*exception)

    async def judge(self, rubric: Rubric, window: Conversation) -> MetricScore:
        """What the model finds: a score, ``not_applicable`` if it cannot tell, ``failed`` for anything else."""
        asked = question(rubric, window, self._redact, self._pages)
        spent = _Spent(self.label, rubric.version, asked)
        try:
            verdict = await self._verdict(asked, rubric, spent)
        except ProviderError as error:
            return _failed(rubric, "api_error", f"the model gave no answer: {error}", str(error), spent)
        except InvalidVerdictError as error:
            return _failed(
                rubric,
                "invalid_verdict",
                f"the model gave no valid verdict: {str(error)[:_QUOTED]}",
                spent.quoted,
                spent,
            )
        return _score(rubric, verdict, spent)

    async def _verdict(self, asked: Question, rubric: Rubric, spent: _Spent) -> ReadVerdict:
        """The verdict: a kept one, or a new one, which is kept."""
        read = partial(read_verdict, question=asked, scale=scale_of(rubric.scale))
        if self._cache is None:
            return (await self._answer(asked, read, spent))[1]
        from uaef.llm.cache import key_of  # noqa: PLC0415 - SQLite, loaded where there is a cache

        origin = getattr(self._client, "origin", "")
        key = key_of((self.label, origin, rubric.version, str(self._sample)), asked.prompt)
        kept = spent.unless_broken(partial(self._cache.get, key))
        if kept is not None:
            with suppress(InvalidVerdictError):  # then it is somebody else's, and is asked anew and replaced
                verdict = read(kept)
                spent.note(kept, cached=True, usd=0.0)
                return verdict
        reply, verdict = await self._answer(asked, read, spent)
        spent.unless_broken(partial(self._cache.put, key, reply))
        return verdict

    async def _answer(
        self, asked: Question, read: Callable[[Reply], ReadVerdict], spent: _Spent
    ) -> tuple[Reply, ReadVerdict]:
        """The model's reply, or its second one where the first is no verdict; and the verdict in it."""
        reply = await self._bought(asked.prompt, spent)
        try:
            return reply, read(reply)
        except InvalidVerdictError:
            again = _REPAIR.format(token=asked.token, words=asked.words)
            messages = (*asked.prompt.messages, ("assistant", reply.text[:_QUOTED] or "(nothing)"), ("user", again))
            reply = await self._bought(replaced(asked.prompt, messages=messages), spent)
        return reply, read(reply)

    async def _bought(self, prompt: Prompt, spent: _Spent) -> Reply:
        """A new reply, paid for out of the budget."""
        reserved = self.estimated_usd(prompt) or 0.0
        await self._budget.reserve(reserved)
        usd: float | None = None
        try:
            reply = await self._client.complete(prompt)
            usd = self._usd(reply)
        except ProviderError as error:
            usd = None if error.may_be_billed else 0.0
            raise
        finally:
            self._budget.settle(reserved, reserved if usd is None else usd)
        reply = replaced(reply, text=well_formed(reply.text))
        spent.note(reply, cached=False, usd=usd)
        return reply

    def estimated_usd(self, prompt: Prompt) -> float | None:
        """Dollars that a call may cost at most, by its length; ``None`` without a price."""
        return None if self.price is None else self.price.of(most_tokens_in(prompt), prompt.max_tokens)

    def _usd(self, reply: Reply) -> float | None:
        if self.price is None or reply.input_tokens is None or reply.output_tokens is None:
            return None
        return self.price.of(reply.input_tokens, reply.output_tokens)


class _Spent:
    """What one judgement took, and what is told of it."""

    def __init__(self, label: str, version: str, asked: Question) -> None:
        self._started = perf_counter()
        self._replies: list[tuple[Reply, bool, float | None]] = []
        self._facts: dict[str, object] = {"judge": label, "rubric_version": version}
        if asked.window:
            self._facts["window"] = asked.window

    def note(self, reply: Reply, *, cached: bool, usd: float | None) -> None:
        self._replies.append((reply, cached, usd))

    def unless_broken(self, use: Callable[[], _Kept]) -> _Kept | None:
        """What the cache says; where it is broken, nothing, for it must not cost a verdict, and that it is broken."""
        try:
            return use()
        except DataError as error:
            self._facts["cache_error"] = str(error)
            return None

    @property
    def quoted(self) -> str:
        return self._replies[-1][0].text[:_QUOTED] if self._replies else ""

    def facts(self) -> dict[str, object]:
        """Judge, version, calls, tokens, dollars, seconds; what is not known is ``None``."""
        paid = [(reply, usd) for reply, cached, usd in self._replies if not cached]
        return {
            **self._facts,
            "calls": len(paid),
            "cached": bool(self._replies) and not paid,
            "input_tokens": _total([r.input_tokens for r, _ in paid]),
            "output_tokens": _total([r.output_tokens for r, _ in paid]),
            "cost_usd": _total([usd for _, usd in paid]),
            "latency_s": perf_counter() - self._started,
        }


def _total(values: list[int] | list[int | None] | list[float | None]) -> float | None:
    return None if None in values else sum(v for v in values if v is not None)


def _score(rubric: Rubric, verdict: ReadVerdict, spent: _Spent) -> MetricScore:
    cannot_tell = {} if verdict.reading.score is not None else {"warning": "not_applicable"}
    return MetricScore(
        metric_name=rubric.name,
        score=verdict.reading.score,
        reasoning=verdict.reasoning,
        metadata={**verdict.reading.metadata, **cannot_tell, **spent.facts()},
    )


def _failed(rubric: Rubric, warning: str, reasoning: str, details: str, spent: _Spent) -> MetricScore:
    return MetricScore(
        metric_name=rubric.name,
        reasoning=reasoning,
        metadata={"warning": warning, "error_details": details, **spent.facts()},
        status=ScoreStatus.FAILED,
    )
