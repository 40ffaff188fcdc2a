"""Floors and ``--by`` on cohorts: what nothing can belong to is refused before anything is played."""

from __future__ import annotations

import pytest

from uaef.runs.store import open_store

DATASET = """\
name: shop
metrics: [latency_score]
conversations:
  - id: refund
    tags: [returns]
    metadata: {plan: gold, regions: [north, south]}
    turns:
      - {user: One?, reply: "1", checks: [{includes: "?"}]}
      - {user: Two?, checks: [{includes: "?"}], tags: [policy], metadata: {channel: mail}}
  - id: hours
    turns:
      - {user: When?, checks: [{includes: "?"}]}
"""
ABSENT = [
    (["--min-pass-rate", "tag:retuns=0.8"], "cohort in --min-pass-rate 'tag:retuns'. Did you mean 'tag:returns'?"),
    (["--min", "latency_score@tag:polcy=0.8"], "cohort in --min 'tag:polcy'. Did you mean 'tag:policy'?"),
    (["--min", "latency_score@plan:golden=1"], "cohort in --min 'plan:golden'. Did you mean 'plan:gold'?"),
    (["--min-pass-rate", "regions:nort=1"], "'regions:nort'. Did you mean 'regions:north'?"),
    (["--min-pass-rate", "conversation:refnd=1"], "'conversation:refnd'. Did you mean 'conversation:refund'?"),
    (["--min-pass-rate", "dataset:shops=1"], "'dataset:shops'. Did you mean 'dataset:shop'?"),
    (["--by", "turn,chanel"], "cohort in --by 'chanel'. Did you mean 'channel'?"),
    (["--by", "tags"], "cohort in --by 'tags'. Did you mean 'tag'?"),
    (["--by", "tag:retuns"], "cohort in --by 'tag:retuns'. Did you mean 'tag:returns'?"),
    (["--by", "zzz"], "cohort in --by 'zzz'. Available: channel, conversation, dataset, depth, plan, regions, tag"),
]


@pytest.fixture
def played(call, write, monkeypatch):
    """What ``uaef run`` does with an agent that says what it was asked."""
    monkeypatch.delenv("UAEF_STORE", raising=False)
    write("shop.yaml", DATASET)

    def played(*options):
        return call("run", "shop.yaml", "--agent", "control:echo", *options)

    return played


@pytest.mark.parametrize(("options", "words"), ABSENT)
@pytest.mark.parametrize("more", [[], ["--dry-run"]])
def test_a_cohort_that_nothing_belongs_to_is_refused(played, options, words, more):
    """One sentence with what was probably meant, exit code 2; there is no run."""
    code, report, stderr = played(*options, *more)
    assert (2, "", 1) == (code, report, len(stderr.splitlines()))
    assert f"uaef: Unknown {'' if words.startswith('cohort') else 'cohort in --min-pass-rate '}{words}" in stderr
    with open_store() as store:
        assert [] == store.runs()


@pytest.mark.parametrize(
    ("rule", "words"),
    [
        (
            "min_pass_rate = {'tag:retuns' = 1.0}",
            "cohort in min_pass_rate of [tool.uaef.gate] 'tag:retuns'. Did you mean 'tag:returns'?",
        ),
        ("min = {'latency_score@plan:golden' = 1.0}", "cohort in min of [tool.uaef.gate] 'plan:golden'"),
        ("by = ['chanel']", "cohort in by of [tool.uaef.gate] 'chanel'. Did you mean 'channel'?"),
    ],
)
def test_one_in_the_gate_of_the_project_too(played, write, rule, words):
    """What ``pyproject.toml`` says is no less a slip."""
    write("pyproject.toml", f"[tool.uaef.gate]\n{rule}\n")
    code, report, stderr = played()
    assert (2, "") == (code, report)
    assert words in stderr


@pytest.mark.parametrize(
    "cohort",
    [
        "tag:returns",
        "tag:policy",
        "tag:untagged",
        "plan:gold",
        "regions:south",
        "channel:mail",
        "turn:2",
        "depth:2-3",
    ],
)
def test_one_that_something_belongs_to_is_taken(played, cohort):
    """Tags and metadata of conversations and of turns; a floor on it is met."""
    code, _, stderr = played(
        "--min-pass-rate", f"{cohort}=1", "--by", f"{cohort},turn,depth,tag,conversation,dataset"
    )
    assert 0 == code, stderr
    assert f"uaef: gate met: pass_rate@{cohort} >= 1" in stderr


@pytest.mark.parametrize("cohort", ["turn:9", "depth:7+"])
def test_how_long_a_conversation_becomes_is_known_once_it_was_played(played, cohort):
    """So a position is never refused: whether the floor can be decided shows then."""
    code, _, stderr = played("--min-pass-rate", f"{cohort}=1")
    assert 3 == code
    assert f"uaef: gate could not be decided: pass_rate@{cohort} >= 1" in stderr


def test_the_rules_of_a_project_hold_for_its_whole_dataset(played, write):
    """A part may lack what they name; the command line says what it wants of this run, so there it is refused."""
    write("pyproject.toml", "[tool.uaef.gate]\nmin_pass_rate = {'tag:policy' = 1.0}\n")
    assert 3 == played("--only", "hours")[0]
    code, _, stderr = played("--only", "hours", "--min-pass-rate", "tag:returns=1")
    assert 2 == code
    assert "Nothing that would be played belongs to the cohort 'tag:returns' of --min-pass-rate" in stderr
