"""Floors and ``--by`` on cohorts: what nothing can belong to is refused before anything is played."""

from __future__ import annotations

import json

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


ODD = ["x,y", "a=b", "p#1@q:z", "a)@b", "it's", r"x\y", " sp ", "\U0001f600", "\u05e9\u05dc\u05d5\u05dd", "e\u0301"]


@pytest.fixture
def odd(write):
    """A dataset whose one turn carries every tag that could be taken for something else."""
    asked = {"user": "One?", "checks": [{"includes": "?"}], "tags": ODD}
    return write("odd.json", json.dumps({"name": "odd", "conversations": [{"id": "one", "turns": [asked]}]}))


@pytest.mark.parametrize("tag", [*ODD, "sp", "\u00e9"])
@pytest.mark.parametrize("rule", ["--min-pass-rate=", "--min=includes('?')@", "--min=includes@"])
def test_a_floor_is_on_one_tag_whatever_it_holds(call, odd, tag, rule):
    """Neither a comma nor a delimiter of the rule divides it; what nobody sees makes no other tag."""
    code, _, stderr = call("run", odd, "--agent", "control:echo", "--no-save", f"{rule}tag:{tag}=1")
    assert (0, 1) == (code, stderr.count("gate met")), stderr


@pytest.mark.parametrize("tag", ODD)
def test_a_list_of_cohorts_takes_any_tag(call, odd, tag):
    """A comma that is part of one has a backslash before it."""
    by = f"depth,tag:{tag}".replace("x,y", r"x\,y")
    code, report, stderr = call("run", odd, "--agent", "control:echo", "--no-save", "--by", by)
    assert 0 == code, stderr
    assert "depth:1" in report
    assert "tag:" in report


@pytest.mark.parametrize(
    ("options", "meant"),
    [
        (["--by", r"tag:x\,z"], r"'tag:x\\,y'"),
        (["--min-pass-rate", "tag:x,z=1"], "'tag:x,y'"),
    ],
)
def test_what_was_meant_is_said_as_it_is_written(call, odd, options, meant):
    """In a list with the backslash."""
    code, _, stderr = call("run", odd, "--agent", "control:echo", "--no-save", *options)
    assert 2 == code
    assert f"Did you mean {meant}?" in stderr


@pytest.mark.parametrize(
    ("rule", "meant"),
    [
        ("--min-pass-rate=tag=1", "'tag' is no single cohort, as a floor needs: write tag:NAME."),
        ("--min-pass-rate=turn=1", "write turn:3."),
        ("--min-pass-rate=plan=1", "write plan:NAME."),
        ("--min=latency_score@depth=1", "write depth:2-3."),
    ],
)
def test_a_floor_on_every_cohort_of_a_kind_is_refused(played, rule, meant):
    """It would be one on each of them."""
    code, _, stderr = played(rule)
    assert 2 == code
    assert meant in stderr


def test_the_number_of_a_turn_may_be_written_with_noughts(played):
    """It is the same turn."""
    code, _, stderr = played("--min-pass-rate", "turn:01=1")
    assert 0 == code
    assert "gate met: pass_rate@turn:1 >= 1" in stderr
