"""``run_evals``: play conversations against an agent, score them, and say whether they passed."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias, TypedDict, Unpack

from uaef.errors import EvalConfigError, UnknownNameError
from uaef.evaluation.settings import Settings
from uaef.llm_judge.redaction import Redaction
from uaef.sync import run_sync

if TYPE_CHECKING:
    from uaef.agents.asking import NextTurn
    from uaef.data.conversations import ConversationDataset
    from uaef.models.case import Case
    from uaef.runs.bounds import GivenThreshold, Measure
    from uaef.runs.evals import Run
    from uaef.runs.results import RunResult
    from uaef.runs.run import OnItem
    from uaef.runs.store import Store

Entry: TypeAlias = "Mapping[str, object] | ConversationDataset | Case | str | Path"
Data: TypeAlias = "Sequence[Entry] | ConversationDataset | str | Path"


class RunEvalsOptions(TypedDict, total=False):
    """The keyword arguments of ``run_evals`` that few need.

    Keys:
        trials: how a gate is decided over several trials: ``all`` of them, a ``majority``, or ``any``.
        turn_timeout_s: seconds that the agent may take for a turn; 300 if left out, ``None`` is no limit.
        attempts: how often a turn is asked at most, where the agent marks its error ``transient``; 3 if left out.
        on_turn_failure: ``stop`` or ``continue`` after a turn at which the agent failed; left out, ``stop`` where
            later turns build on it.
        next_turn: a function of a case and the turns that were played to the next ``Ask``, or ``None`` at the end.
        max_concurrency: how many judge calls may be under way at once; left out, ``UAEF_MAX_CONCURRENCY``, then 32.
        max_cost_usd: what the judge may cost.
        deadline_s: seconds after which the judge is not asked or waited for any more.
        redact: a function from text to text, or ``"pii"``, applied to what is shown to the judge.
        store: where the run is kept as it is played, a URL (``sqlite:///PATH``, ``postgresql://...``) or an open
            store; left out, it is not kept.
        label: what to call the run in the store.
    """

    trials: str
    turn_timeout_s: float | None
    attempts: int
    on_turn_failure: str | None
    next_turn: NextTurn | None
    max_concurrency: int
    max_cost_usd: float | None
    deadline_s: float | None
    redact: Redaction | None
    store: str | Store | None
    label: str | None


_JUDGING = ("max_concurrency", "max_cost_usd", "deadline_s", "redact")


def run_evals(  # noqa: PLR0913 - the documented arguments
    data: Data,
    target: object,
    scorers: Sequence[Measure | GivenThreshold] | None = None,
    gates: Sequence[Measure] | None = None,
    *,
    target_options: Mapping[str, object] | None = None,
    history: str | None = None,
    concurrency: int = 8,
    repeat: int | None = None,
    judge: object = None,
    on_item_complete: OnItem | None = None,
    **options: Unpack[RunEvalsOptions],
) -> RunResult:
    """What playing and scoring conversations comes to.

    Args:
        data: items: ``{"input": text}``, ``{"inputs": [text, ...]}`` or ``{"turns": [{"input", "gates", "scorers",
            "ground_truth", "tags"}, ...]}``, each with ``ground_truth``, ``id`` and ``tags`` if wanted; datasets,
            cases, and files of datasets, mixed freely.
        target: the agent: a function, a graph, a chat endpoint, anything of ``uaef.agents``.
        scorers: measured on all that was said in a conversation: metrics, checks, their names, and thresholds.
        gates: what must hold of all that was said in a conversation.
        target_options: handed to the agent; ``{"memory": {"resource": "user-42"}}`` says for whom it is played.
        history: what the agent is shown before a turn: ``thread`` (its own memory of one thread), ``actual`` (what
            was said), ``expected`` (what should have been said), ``none``, or ``both`` of actual and expected. Left
            out, ``expected`` for datasets and ``thread`` for items.
        concurrency: how many conversations are played at once.
        repeat: how many trials each has; left out, as many as its dataset says, else 1.
        judge: who applies rubrics, as in ``evaluate``.
        on_item_complete: called with each conversation's result as soon as it is there, and awaited if that is
            awaitable: what it was given survives an interruption.
        **options: see ``RunEvalsOptions``.

    Raises:
        EvalConfigError: items, scorers, gates or options cannot be; naming the item (from 0) and the turn (from 1).
            Nothing was played then. What the agent or a metric does wrong is in the result instead.
        DatasetSchemaError: a dataset's file cannot be read; naming every place.
    """
    return run_sync(
        arun_evals(
            data,
            target,
            scorers,
            gates,
            target_options=target_options,
            history=history,
            concurrency=concurrency,
            repeat=repeat,
            judge=judge,
            on_item_complete=on_item_complete,
            **options,
        )
    )


async def arun_evals(  # noqa: PLR0913 - as run_evals
    data: Data,
    target: object,
    scorers: Sequence[Measure | GivenThreshold] | None = None,
    gates: Sequence[Measure] | None = None,
    *,
    target_options: Mapping[str, object] | None = None,
    history: str | None = None,
    concurrency: int = 8,
    repeat: int | None = None,
    judge: object = None,
    on_item_complete: OnItem | None = None,
    **options: Unpack[RunEvalsOptions],
) -> RunResult:
    """The same as ``run_evals``, to be awaited."""
    from uaef.agents import as_agent  # noqa: PLC0415 - those who only evaluate recordings load no players
    from uaef.reporting.otel import emit as send  # noqa: PLC0415 - as above
    from uaef.runs.evals import Run  # noqa: PLC0415 - as above
    from uaef.runs.options import RunOptions  # noqa: PLC0415 - as above
    from uaef.runs.planning import planned  # noqa: PLC0415 - as above

    for name in options:
        if name not in RunEvalsOptions.__annotations__:
            raise EvalConfigError(str(UnknownNameError("option", name, RunEvalsOptions.__annotations__)))
    judging = {name: options[name] for name in _JUDGING if name in options}  # type: ignore[literal-required]
    store, label = options.pop("store", None), options.pop("label", None)
    playing = {name: value for name, value in options.items() if name not in _JUDGING}
    run_options = RunOptions(
        history=history,
        concurrency=concurrency,
        repeat=repeat,
        target_options=target_options or {},
        on_item_complete=on_item_complete,
        **playing,  # type: ignore[arg-type] # by their names
    )
    settings = Settings.of(None, {"judge": judge, **judging})  # type: ignore[typeddict-item] # by their names
    plan = planned(data, scorers, gates, settings, run_options)
    run = Run(plan, as_agent(target), run_options, settings)
    result = await (run.play() if store is None else _kept(run, store, label))
    await asyncio.to_thread(send, [*result.items, *result.actual])
    return result


async def _kept(run: Run, store: str | Store, label: str | None) -> RunResult:
    """The result of a run that is kept as it is played."""
    from uaef.runs.keeping import begin  # noqa: PLC0415 - a database, for those who keep their runs
    from uaef.runs.store import open_store  # noqa: PLC0415 - as above

    with nullcontext(store) if not isinstance(store, str) else open_store(store) as opened:
        return await begin(opened, run, label=label).play()
