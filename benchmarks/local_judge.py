"""``python -m benchmarks.local_judge``: what the scores of ``judge="local"`` are worth, on labelled data.

The tables go into docs/local-judge.md, between its two markers. The data lies in ``../shared/fixtures``; where it is
missing, a message says where to get it.
"""

from __future__ import annotations

import csv
import json
import random
import re
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from benchmarks.table import table
from uaef.llm_judge import Rubric
from uaef.llm_judge.local import LocalJudge
from uaef.models.conversation import Conversation
from uaef.models.ground_truth import GroundTruth
from uaef.models.message import Message
from uaef.text.facts import KnownFacts, facts_in

ROOT = Path(__file__).parents[1]
FIXTURES = ROOT.parent / "shared" / "fixtures"
BEGIN = FIXTURES / "begin-groundedness"
TRACES = FIXTURES / "langfuse-framework-traces"
SOURCE = "https://github.com/google/BEGIN-dataset"
PAGE = ROOT / "docs" / "local-judge.md"
MARKS = ("<!-- measured -->", "<!-- /measured -->")
RESAMPLES = 2_000
SEED = 20_221
DISTRACTORS = 20
BARS = (0.6, 0.7, 0.8, 0.9)
MODELS = ("ctrl", "doha", "gpt2", "t5")

Score = Callable[["Reply"], float | None]


class Reply(NamedTuple):
    """A reply of BEGIN: what it should rest on, what was said before it, who wrote it and how people labelled it."""

    knowledge: str
    message: str
    response: str
    label: str
    model: str

    @property
    def grounded(self) -> bool:
        """Whether people found it fully attributable."""
        return self.label == "Fully attributable"


class Figure(NamedTuple):
    """An area under the ROC curve with its interval, and how many items of each kind it rests on."""

    auc: float
    low: float
    high: float
    positive: int
    negative: int


def replies(name: str) -> list[Reply]:
    """The replies in a file of BEGIN."""
    with (BEGIN / name).open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE))
    columns = ("knowledge", "message", "response", "begin_label", "model_name")
    return [Reply(*(row[column].strip() for column in columns)) for row in rows]


_RUBRIC = Rubric(name="hallucination_score", text="How far does the evidence support the answer?")


def local(reply: Reply) -> float | None:
    """The local judge's hallucination_score."""
    said = [Message(role="user", content=reply.message), Message(role="assistant", content=reply.response)]
    window = Conversation.from_messages(said, expected=GroundTruth(context_documents=[reply.knowledge]))
    return LocalJudge().judge(_RUBRIC, window).score


def overlap(reply: Reply) -> float:
    """The plain share of the reply's words that stand in the knowledge: the figure to beat."""
    there = set(re.findall(r"\w+", reply.knowledge.lower()))
    said = re.findall(r"\w+", reply.response.lower())
    return sum(word in there for word in said) / len(said) if said else 0.0


def auc(positive: Sequence[float], negative: Sequence[float]) -> float:
    """The chance that a positive item scores higher than a negative one, a tie counting half."""
    return _weighted_auc([(score, 1, 0) for score in positive] + [(score, 0, 1) for score in negative])


def _weighted_auc(items: Iterable[tuple[float, int, int]]) -> float:
    """The same for (score, times positive, times negative)."""
    below = pairs = positives = 0
    levels: dict[float, list[int]] = {}
    for score, positive, negative in items:
        level = levels.setdefault(score, [0, 0])
        level[0] += positive
        level[1] += negative
    for score in sorted(levels):
        positive, negative = levels[score]
        pairs += positive * (2 * below + negative)
        below += negative
        positives += positive
    return pairs / (2 * positives * below)


def figure(data: Sequence[Reply], *scores: Score) -> list[Figure]:
    """The AUC of each score over the items that all of them score; with two, last comes the first less the second.

    The interval is the 2.5th to the 97.5th percentile of ``RESAMPLES`` bootstrap samples. Passages of knowledge are
    drawn, each with all its replies, since replies to one passage are not independent.
    """
    rows = [(reply, found) for reply in data if (found := _all_known([score(reply) for score in scores]))]
    passages: dict[str, list[int]] = {}
    for place, (reply, _) in enumerate(rows):
        passages.setdefault(reply.knowledge.lower(), []).append(place)
    drawn = random.Random(SEED)  # noqa: S311 - a bootstrap, and the same one every time
    samples = [
        Counter(place for group in drawn.choices(list(passages.values()), k=len(passages)) for place in group)
        for _ in range(RESAMPLES)
    ]
    samples.insert(0, Counter(range(len(rows))))
    series = [[_sampled(rows, sample, at) for sample in samples] for at in range(len(scores))]
    if len(series) == 2:  # noqa: PLR2004 - a pair to compare
        series.append([one - other for one, other in zip(*series, strict=True)])
    positive = sum(reply.grounded for reply, _ in rows)
    return [_figure(values, positive, len(rows) - positive) for values in series]


def _all_known(found: Sequence[float | None]) -> list[float]:
    """The scores, or none where one of them is missing."""
    return [] if None in found else [score for score in found if score is not None]


def _sampled(rows: Sequence[tuple[Reply, list[float]]], sample: Counter[int], at: int) -> float:
    return _weighted_auc(
        (rows[place][1][at], times * rows[place][0].grounded, times * (not rows[place][0].grounded))
        for place, times in sample.items()
    )


def _figure(values: Sequence[float], positive: int, negative: int) -> Figure:
    ordered = sorted(values[1:])
    last = len(ordered) - 1
    return Figure(values[0], ordered[round(0.025 * last)], ordered[round(0.975 * last)], positive, negative)


def ranking_table(dev: list[Reply], test: list[Reply]) -> str:
    """How well the score ranks replies, beside plain overlap."""
    strict = [reply for reply in test if reply.label != "Generic"]
    sets = {
        "dev": dev,
        "test": test,
        "test without the 2 generic": strict,
        "dev and test": [*dev, *test],
        f"test, {DISTRACTORS} other passages in the evidence": distracted(test),
        **{f"test, replies of {model}": [r for r in test if r.model == model] for model in MODELS},
    }
    rows = []
    for name, data in sets.items():
        ours, plain, difference = figure(data, local, overlap)
        unscored = len(data) - ours.positive - ours.negative
        counts = (str(ours.positive), str(ours.negative), str(unscored))
        rows.append((name, *counts, _shown(ours), _shown(plain), _shown(difference, sign="+")))
    header = ("BEGIN, wow", "attributable", "not", "no score", "AUC [95%]", "plain overlap", "difference")
    return table(header, rows)


def _shown(found: Figure, sign: str = "") -> str:
    return f"{found.auc:{sign}.3f} [{found.low:{sign}.3f}, {found.high:{sign}.3f}]"


def distracted(data: Sequence[Reply]) -> list[Reply]:
    """The same replies, with the knowledge of other replies added to theirs."""
    return [
        reply._replace(
            knowledge="\n".join(data[(place + 7 * step) % len(data)].knowledge for step in range(DISTRACTORS + 1))
        )
        for place, reply in enumerate(data)
    ]


def bar_table(dev: list[Reply], test: list[Reply]) -> str:
    """What a gate at a bar lets through."""
    rows = []
    for bar in BARS:
        cells = []
        for data in (dev, test):
            for kind in (True, False):
                scores = [score for r in data if r.grounded is kind and (score := local(r)) is not None]
                cells.append(f"{sum(score >= bar for score in scores) / len(scores):.1%}")
        rows.append((f"{bar}", *cells))
    header = ("bar", "dev, attributable", "dev, not", "test, attributable", "test, not")
    return table(header, rows)


def guard_table(data: Sequence[Reply]) -> str:
    """Whether the score notices one changed number, or one inserted "not", in a reply that people found grounded."""
    rows = []
    for name, change in (("a number changed", with_another_number), ('"not" inserted', with_not)):
        pairs = [(r, changed) for r in data if r.grounded and (changed := change(r)) is not None]
        pairs = [pair for pair in pairs if local(pair[0]) is not None]
        for called, score in (("local", local), ("plain overlap", overlap)):
            before, after = ([score(pair[at]) or 0.0 for pair in pairs] for at in (0, 1))
            fell = sum(b > a for b, a in zip(before, after, strict=True)) / len(pairs)
            drop = sum(b - a for b, a in zip(before, after, strict=True)) / len(pairs)
            rows.append((name, called, str(len(pairs)), f"{fell:.1%}", f"{drop:.3f}", f"{auc(before, after):.3f}"))
    header = ("change", "score", "pairs", "score fell", "mean fall", "AUC, before against after")
    return table(header, rows)


def with_another_number(reply: Reply) -> Reply | None:
    """The reply with its first number one, two or more higher, until the evidence lacks it; ``None`` without one."""
    found = re.search(r"\d+", reply.response)
    if found is None:
        return None
    known = KnownFacts(f"{reply.knowledge}\n{reply.message}")
    number = int(found[0]) + 1
    while known.has(str(number)):
        number += 1
    changed = f"{reply.response[: found.start()]}{number}{reply.response[found.end() :]}"
    return reply._replace(response=changed) if facts_in(changed) != facts_in(reply.response) else None


def with_not(reply: Reply) -> Reply | None:
    """The reply with "not" after its first auxiliary verb; ``None`` if it has none, or a negation already."""
    if re.search(r"\bnot?\b|n't", reply.response, re.IGNORECASE):
        return None
    changed, times = re.subn(r"\b(is|are|was|were|has|have|can|will)\b", r"\1 not", reply.response, count=1)
    return reply._replace(response=changed) if times else None


def other_scores() -> str:
    """How many scores the Langfuse traces carry, by name."""
    traces = [json.loads(path.read_text("utf-8"))["trace"] for path in sorted(TRACES.glob("*.trace.json"))]
    names = Counter(score["name"] for trace in traces for score in trace.get("scores") or ())
    parts = ", ".join(f"{count} {name}" for name, count in names.most_common())
    return f"`langfuse-framework-traces` carries {names.total()} scores: {parts}."


def report() -> Iterator[str]:
    """The measured part of the page, paragraph by paragraph."""
    dev, test = replies("begin_dev_wow.tsv"), replies("begin_test_wow.tsv")
    yield "Ranking:"
    yield ranking_table(dev, test)
    yield "Share of replies at or above a bar:"
    yield bar_table(dev, test)
    yield "Guards, on the attributable replies of both files:"
    yield guard_table([*dev, *test])
    yield other_scores()


def main() -> None:
    """Measure, print, and write the page."""
    if not BEGIN.is_dir():
        sys.exit(f"The labelled data is not here: {BEGIN}. It is the folder wow of {SOURCE}.")
    measured = "\n\n".join(report())
    print(measured)
    before, _, rest = PAGE.read_text("utf-8").partition(MARKS[0])
    after = rest.partition(MARKS[1])[2]
    PAGE.write_text(f"{before}{MARKS[0]}\n\n{measured}\n\n{MARKS[1]}{after}", encoding="utf-8")


if __name__ == "__main__":
    main()
