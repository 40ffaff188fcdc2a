"""The judge that asks a language model."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from functools import partial
from time import perf_counter
from typing import TYPE_CHECKING, Self, TypeVar

from uaef.errors import DataError, ProviderError
from uaef.llm.budget import Budget
from uaef.llm.chat import ChatClient, Prompt, Reply
from uaef.llm.prices import Price
from uaef.llm.tokens import most_tokens_in
from uaef.llm_judge.prompt import Question, question
from uaef.llm_judge.rubric import Rubric
from uaef.llm_judge.scales import InvalidVerdictError, scale_of
from uaef.llm_judge.verdict import ReadVerdict, read_verdict
from uaef.models.base import Record, replaced
from uaef.models.conversation import Conversation
from uaef.models.scores import MetricScore, failed, not_applicable, scored, total_if_known
from uaef.text.transcript import Pages, Redact
from uaef.text.well_formed import well_formed

if TYPE_CHECKING:
    from uaef.llm.cache import ReplyCache

_Kept = TypeVar("_Kept")

_QUOTED = 300
_REPAIR = """\
That was no valid verdict. Reply again with one JSON object and nothing else: \
{{"token": "{token}", "reasoning": "...", "score": ...}}, where "score" is {words}."""


class _Settings(Record, frozen=True):
    """What an ``LLMJudge`` is made of; another judge is made of the same with a change."""

    client: ChatClient
    cache: ReplyCache | None
    price: Price | None
    budget: Budget
    redact: Redact | None
    pages: Pages
    sample: int = 0


class LLMJudge:
    """Asks a model, checks the answer, asks once more if it is none, and gives up rather than guess.

    Args:
        client: who answers.
        cache: where answers are kept between runs; ``None``: nowhere.
        price: of the model's tokens, where it is known.
        budget: what may be spent; shared by all judges of a run.
        redact: applied to each text of the material, as it is, before it becomes a line of what the model is shown.
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
        self._settings = _Settings(
            client=client, cache=cache, price=price, budget=budget or Budget(), redact=redact, pages=Pages()
        )

    @property
    def label(self) -> str:
        """Provider and model."""
        return self._settings.client.label

    @property
    def price(self) -> Price | None:
        """Of the model's tokens, where it is known."""
        return self._settings.price

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
        had = self._settings
        return _made_of(replaced(had, budget=budget or had.budget, redact=redact or had.redact, pages=Pages()))

    def sample(self, number: int) -> LLMJudge:
        """The same judge for another opinion, the first being number 0; each is kept under a key of its own."""
        return _made_of(replaced(self._settings, sample=number))

    async def __aenter__(self) -> Self:
        await self._settings.client.__aenter__()
        return self

    async def __aexit__(self, *exception: object) -> None:
        self._settings.pages.clear()
        await self._settings.client.__aexit__(*exception)

    async def judge(self, rubric: Rubric, window: Conversation) -> MetricScore:
        """What the model finds: a score, ``not_applicable`` if it cannot tell, ``failed`` for anything else."""
        asked = question(rubric, window, self._settings.redact, self._settings.pages)
        spent = _Spent(self.label, rubric.version, asked)
        try:
            verdict = await self._verdict(asked, rubric, spent)
        except ProviderError as error:
            warning, reasoning, details = "api_error", f"the model gave no answer: {error}", str(error)
        except InvalidVerdictError as error:
            warning, details = "invalid_verdict", spent.quoted
            reasoning = f"the model gave no valid verdict: {str(error)[:_QUOTED]}"
        else:
            return _score(rubric, verdict, spent)
        return failed(rubric.name, reasoning, warning=warning, error_details=details, **spent.facts())

    async def _verdict(self, asked: Question, rubric: Rubric, spent: _Spent) -> ReadVerdict:
        """The verdict: a kept one, or a new one, which is kept."""
        read = partial(read_verdict, question=asked, scale=scale_of(rubric.scale))
        client, cache = self._settings.client, self._settings.cache
        if cache is None:
            return (await self._answer(asked, read, spent))[1]
        from uaef.llm.cache import key_of  # noqa: PLC0415 - SQLite, loaded where there is a cache

        key = key_of((client.label, client.origin, rubric.version, str(self._settings.sample)), asked.prompt)
        kept = spent.unless_broken(partial(cache.get, key))
        if kept is not None:
            with suppress(InvalidVerdictError):  # then it is somebody else's, and is asked anew and replaced
                verdict = read(kept)
                spent.note(kept, cached=True, usd=0.0)
                return verdict
        reply, verdict = await self._answer(asked, read, spent)
        spent.unless_broken(partial(cache.put, key, reply))
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
        """A new reply, paid for out of the budget, as is what was lost on the way: at the most that it may cost."""
        budget = self._settings.budget
        reserved = self._most_usd(prompt)
        await budget.reserve(reserved)
        cost = reserved  # unless it is known; a run that is given up meanwhile never learns
        try:
            reply = await self._settings.client.complete(prompt)
            usd = self._usd(reply)
            cost = reply.lost * reserved + (reserved if usd is None else usd)
        except ProviderError as error:
            cost = error.lost * reserved
            spent.lose(error.lost)
            raise
        finally:
            budget.settle(reserved, cost)
        reply = replaced(reply, text=well_formed(reply.text))
        spent.note(reply, cached=False, usd=usd)
        spent.lose(reply.lost)
        return reply

    def _most_usd(self, prompt: Prompt) -> float:
        """Dollars that a call may cost at most, by its length; 0 without a price."""
        return 0.0 if self.price is None else self.price.of(most_tokens_in(prompt), prompt.max_tokens)

    def _usd(self, reply: Reply) -> float | None:
        if self.price is None or reply.input_tokens is None or reply.output_tokens is None:
            return None
        return self.price.of(reply.input_tokens, reply.output_tokens)


def _made_of(settings: _Settings) -> LLMJudge:
    judge = LLMJudge(settings.client)
    judge._settings = settings  # noqa: SLF001 - it is ours
    return judge


class _Spent:
    """What one judgement took, and what is told of it."""

    def __init__(self, label: str, version: str, asked: Question) -> None:
        self._started = perf_counter()
        self._replies: list[tuple[Reply, bool, float | None]] = []
        self._lost = 0
        self._facts: dict[str, object] = {"judge": label, "rubric_version": version}
        if asked.window:
            self._facts["window"] = asked.window

    def note(self, reply: Reply, *, cached: bool, usd: float | None) -> None:
        self._replies.append((reply, cached, usd))

    def lose(self, attempts: int) -> None:
        """So many attempts came to nothing and may be billed all the same: calls that took nobody knows what."""
        self._lost += attempts

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
        lost = [None] * self._lost
        return {
            **self._facts,
            "calls": len(paid) + self._lost,
            "cached": bool(self._replies) and not paid,
            "input_tokens": total_if_known([*(r.input_tokens for r, _ in paid), *lost]),
            "output_tokens": total_if_known([*(r.output_tokens for r, _ in paid), *lost]),
            "cost_usd": total_if_known([*(usd for _, usd in paid), *lost]),
            "latency_s": perf_counter() - self._started,
        }


def _score(rubric: Rubric, verdict: ReadVerdict, spent: _Spent) -> MetricScore:
    facts = {**verdict.reading.metadata, **spent.facts()}
    if verdict.reading.score is None:
        return not_applicable(rubric.name, verdict.reasoning, **facts)
    return scored(rubric.name, verdict.reading.score, verdict.reasoning, **facts)
