"""``uaef init``: a dataset and an agent that work as they are."""

from __future__ import annotations

import json
import runpy

import pytest
import yaml
from jsonschema import Draft7Validator

from uaef.data.conversations import ConversationDataset

FILES = ["agent.py", "conversations.schema.json", "conversations.yaml"]


def test_init(call, folder):
    """Three files, and the command that comes next."""
    code, shown, said = call("init")
    assert (0, "") == (code, said)
    assert FILES == sorted(path.name for path in folder.iterdir())
    assert shown.splitlines() == [
        "wrote conversations.yaml",
        "wrote agent.py",
        "wrote conversations.schema.json",
        "",
        "Next:",
        "uaef run conversations.yaml --agent agent:answer",
    ]


def test_init_elsewhere(run, folder):
    """A folder that is not there is made, and entered in the command that comes next."""
    code, shown, said = run("init", "evals/first ones")
    assert (0, "") == (code, said)
    assert FILES == sorted(path.name for path in (folder / "evals" / "first ones").iterdir())
    assert shown.endswith("Next:\ncd 'evals/first ones'\nuaef run conversations.yaml --agent agent:answer\n")


@pytest.mark.parametrize("name", FILES)
def test_nothing_is_overwritten(call, write, folder, name):
    """One file that is there already, and nothing is written."""
    write(name, "mine")
    code, shown, said = call("init")
    assert (2, "", f"uaef: {name}: there already; nothing was written. Name another folder: uaef init DIR\n") == (
        code,
        shown,
        said,
    )
    assert ["mine"] == [path.read_text() for path in folder.iterdir()]


def test_folder_that_cannot_be(call, write):
    """A file in place of the folder is an error in a sentence."""
    write("here", "")
    code, _, said = call("init", "here/evals")
    assert (2, "uaef: here/evals: cannot be written: Not a directory.\n") == (code, said)


def test_dataset_is_good(call, folder):
    """It validates without a remark, and by the schema beside it, which its first line names."""
    call("init")
    assert (0, "conversations.yaml: 2 conversations, 4 turns, 6 gates\n", "") == call(
        "validate", "conversations.yaml"
    )
    text = (folder / "conversations.yaml").read_text()
    first, _ = text.split("\n", 1)
    mark, _, schema = first.partition("$schema=")
    assert "# yaml-language-server: " == mark
    assert Draft7Validator(json.loads((folder / schema).read_text())).is_valid(yaml.safe_load(text))


def test_lines_for_the_judge_are_good(call, folder):
    """Whoever takes the marks off the lines about a judge has a dataset as well."""
    call("init")
    text = (folder / "conversations.yaml").read_text()
    judged = text.replace("# expect:", "expect:").replace("# gates:", "gates:")
    assert text != judged
    claims = ConversationDataset.from_string(judged).cases[0].asks[0].claims
    assert ["includes", "max_words", "meets_expectation"] == [claim.name for claim in claims]


def test_agent_says_what_the_dataset_wants(call, folder):
    """The stub is a plain function, and its answers hold what the dataset looks for."""
    call("init")
    answer = runpy.run_path(str(folder / "agent.py"))["answer"]
    for row in ConversationDataset.from_file("conversations.yaml").rows():
        history = [
            {"role": role, "content": exchange[name]}
            for exchange in row["input"]["history"]
            for role, name in (("user", "user"), ("assistant", "assistant"))
        ]
        said = answer(row["input"]["question"], history=history)
        wanted = {"opening-hours#1": "10", "opening-hours#2": "closed", "order-status#1": "order number"}
        assert wanted.get(row["id"], "48") in said
