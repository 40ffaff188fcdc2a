"""``uaef evaluate``: what it prints, how it ends, and every error that a user can make."""

from __future__ import annotations

import json
import re

import pytest

from uaef.reporting.json import results_from_json

CHAT = [{"role": "user", "content": "Is it free?"}, {"role": "assistant", "content": "Yes."}]
TRACE = {"trace_id": "t", "messages": CHAT, "latency": 4.0, "input_tokens": 1, "output_tokens": 1}


@pytest.fixture(autouse=True)
def _files(write):
    write("chat.json", CHAT)
    write("slow.json", TRACE)
    write("bad.jsonl", "{\n[1 2]\n")


@pytest.mark.parametrize(
    ("options", "code", "said"),
    [
        ("chat.json --metrics prompt_injection_detection", 0, ""),
        ("slow.json --metrics latency_score", 1, ""),
        ("slow.json --metrics latency_score --threshold Performance=0.5", 0, ""),
        ("slow.json --metrics latency_score,prompt_injection_detection --threshold Performance=0.9", 1, ""),
        ("slow.json --metrics latency_score --param latency_score.target_s=4", 0, ""),
        ("chat.json slow.json --metrics latency_score", 1, "uaef: There is no verdict on 'chat': a threshold could"),
        # a claim was made, and nothing says whether it holds
        (
            "chat.json --metrics latency_score",
            3,
            "uaef: There is no verdict on 'chat': a threshold could not be applied.",
        ),
        ("chat.json --metrics answer_relevance", 3, "uaef: could not be decided: 'Response Quality of chat'"),
        (
            "chat.json --metrics prompt_injection_detection --threshold Performance=0.9",
            3,
            "uaef: There is no verdict on",
        ),
    ],
)
def test_exit_codes(call, options, code, said):
    """0 where every threshold is met, 1 where one is missed, 3 where one is open; and a line where that needs one."""
    found, report, stderr = call("evaluate", *options.split(" "))
    assert code == found
    assert "conversation" in report
    assert stderr.startswith(said) if said else stderr == ""


def test_nothing_required_is_said(call):
    """Where no threshold applies to what was measured, the exit code is 0 and a line says why."""
    found = call("evaluate", "chat.json", "--metrics", "agent_utilization")
    assert (0, "uaef: Nothing was required of 'chat': no threshold applies to what was measured.\n") == found[::2]


def test_report_is_the_only_thing_on_standard_output(run):
    """The real program prints the report and nothing else, without colour and at most 100 columns wide."""
    code, report, stderr = run("evaluate", "chat.json", "slow.json", "--metrics", "latency_score,answer_relevance")
    assert 1 == code
    assert report.startswith("chat  FAILED  overall N/A\n")
    assert report.endswith("2 conversations: 0 passed, 2 failed\n")
    assert "\x1b" not in report
    assert max(map(len, report.split("\n"))) <= 100
    (said,) = stderr.splitlines()
    assert "the first: chat: answer_relevance: needs a judge: pass judge='openai:MODEL'" in said


def test_columns_set_the_width(run):
    """Where there is no terminal, COLUMNS says how wide the report is."""
    _, report, _ = run("evaluate", "chat.json", COLUMNS="40")
    assert max(map(len, report.split("\n"))) <= 40


def test_standard_input(call):
    """A dash is standard input, by document or by line."""
    for stdin in (json.dumps(CHAT), "".join(f"{json.dumps(m)}\n" for m in CHAT)):
        code, report, _ = call("evaluate", "-", "--metrics", "prompt_injection_detection", stdin=stdin)
        assert (0, "stdin  PASSED") == (code, report[:13])
    assert (2, "", "uaef: standard input: the file is empty.\n") == call("evaluate", "-", stdin="")


def test_metrics_can_be_named_together_or_one_by_one(call):
    """``--metrics a,b`` and ``--metrics a --metrics b`` are the same."""
    names = ["latency_score", "prompt_injection_detection"]
    together = call("evaluate", "slow.json", "--metrics", ", ".join(names))
    one_by_one = call("evaluate", "slow.json", "--metrics", names[0], "--metrics", names[1])
    assert together == one_by_one
    assert all(name.split("_")[0] in together[1] for name in names)


def test_weights_and_parameters_reach_the_evaluation(call, folder):
    """What the options say is in the result: weight, threshold, and the parameter in the metric's key."""
    options = (
        "--metrics latency_score --param latency_score.target_s=3 --weight Performance=2 --threshold Performance=.5"
    )
    assert 0 == call("evaluate", "slow.json", *options.split(), "--json", "out.json")[0]
    (result,) = results_from_json(folder.joinpath("out.json").read_bytes())
    assert ({"Performance": 2.0}, {"Performance": 0.5}) == (
        result.metadata["dimension_weights"],
        result.metadata["thresholds"],
    )
    assert ["latency_score(target_s=3.0)"] == [m.metric for m in result.measurements]


def test_parameter_that_is_no_json_is_text(call):
    """A parameter's value may be written without quotes; whether it fits is for the metric to say."""
    found = call("evaluate", "slow.json", "--metrics", "latency_score", "--param", "latency_score.target_s=fast")
    assert (2, "uaef: latency_score(target_s='fast'): Expected float, got str\n") == found[::2]


def test_json_on_standard_output_is_in_place_of_the_report(call):
    """``--json -`` gives programs what they want, and nothing beside it."""
    code, text, stderr = call("evaluate", "slow.json", "--metrics", "latency_score", "--json", "-")
    assert (1, "") == (code, stderr)
    assert ["t"] == [result.trace_id for result in results_from_json(text)]


def test_ground_truth_is_joined(call, write):
    """Expected tools come from the file of ground truth, and a conversation that called none is told so."""
    write("gt.csv", 'session_id,query,tools\nchat,Is it free?,"[{""name"": ""look"", ""arguments"": {}}]"\n')
    code, report, _ = call(
        "evaluate", "chat.json", "--ground-truth", "gt.csv", "--metrics", "tool_selection_accuracy"
    )
    assert 1 == code
    assert "turn 1 broke: tool_selection_accuracy 0.00: missed look" in report


@pytest.mark.parametrize(
    ("rows", "options", "code", "absent"),
    [
        ("chat,1,Is it free?,[]\ngone,1,Hello?,[]\n", "", 3, "'gone'"),
        ("chat,1,Is it free?,[]\nchat,3,Bye.,[]\nchat,2,Thanks.,\n", "", 3, "'chat#2', 'chat#3'"),
        ("chat,1,Is it free?,[]\nchat,2,Bye.,[]\ngone,1,Hello?,[]\n", "", 3, "'gone', 'chat#2'"),
        ("".join(f"s{n},1,x,\n" for n in range(7)) + "chat,1,Is it free?,[]\n", "", 3, None),
        # what was missed goes before what was not recorded, which is said all the same
        ('chat,1,Is it free?,"[""look""]"\ngone,1,Hello?,[]\n', "", 1, "'gone'"),
        ("chat,1,Is it free?,[]\n", "slow.json", 0, ""),
    ],
)
def test_what_was_not_recorded_is_not_passed(call, write, rows, options, code, absent):
    """Where something is expected of a conversation or turn that nobody recorded, the exit code is no success."""
    write("gt.csv", f"session_id,turn_id,question,tools\n{rows}")
    metrics = ["--metrics", "tool_selection_accuracy,prompt_injection_detection"]
    found, _, stderr = call("evaluate", "chat.json", *options.split(), "--ground-truth", "gt.csv", *metrics)
    absent = "'s0', 's1', 's2', 's3', 's4' and 2 more" if absent is None else absent
    line = f"uaef: gt.csv: nothing was recorded of {absent}, of which something is expected.\n"
    warned = "uaef: warning: gt.csv: there is no ground truth for 't'.\n"
    assert (code, line if absent else warned) == (found, stderr)


def test_a_file_without_sessions_belongs_to_a_single_conversation(call, write):
    """All of its rows are turns of the only conversation there is."""
    write("long.json", [*CHAT, {"role": "user", "content": "Take it."}, {"role": "assistant", "content": "Done."}])
    write("gt.csv", 'question,tools\nIs it free?,[]\nTake it.,"[""take""]"\n')
    code, report, stderr = call(
        "evaluate", "long.json", "--ground-truth", "gt.csv", "--metrics", "tool_selection_accuracy"
    )
    assert (1, "") == (code, stderr)
    assert "turn 2 broke: tool_selection_accuracy 0.00: missed take\n" in report


def test_an_unknown_metric_names_the_nearest(call):
    """Not all the names there are, but those that are spelt most alike, and where the others are."""
    code, _, stderr = call("evaluate", "chat.json", "--metrics", "xyz")
    assert 2 == code
    listed = r"The nearest of \d+: (\w+, ){4}\w+; `uaef metrics` lists all\."
    assert re.fullmatch(rf"uaef: Unknown metric 'xyz'\. {listed}\n", stderr)


HELP = " Try 'uaef evaluate --help'.\n"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], f"Missing argument 'FILE...'.{HELP}"),
        (["chat.json", "--bogus"], f"No such option '--bogus'.{HELP}"),
        (["chat.json", "--json"], "Option '--json' requires an argument.\n"),
        (["nowhere.json"], "no such file: nowhere.json\n"),
        (["."], ".: is a directory; name the files in it.\n"),
        (["chat.json", "--adapter", "langraph"], "Unknown adapter 'langraph'. Did you mean 'langgraph'?\n"),
        (
            ["chat.json", "--metrics", "latency_scor"],
            "Unknown metric 'latency_scor'. Did you mean 'latency_score'?\n",
        ),
        (["chat.json", "--metrics", ","], "There is nothing to measure: no metric was named.\n"),
        (
            ["chat.json", "--metrics", "latency_score", "--param", "latency_score.target=1"],
            "Unknown parameter of latency_score 'target'. Did you mean 'target_s'?\n",
        ),
        (
            ["chat.json", "--metrics", "latency_score", "--param", "turn_efficiency.expected_turns=4"],
            "Unknown metric in metric_params 'turn_efficiency'. Available: latency_score.\n",
        ),
        *(
            (
                ["chat.json", "--param", text],
                f"--param {text!r}: expected METRIC.NAME=VALUE, like turn_efficiency.expected_turns=4.{HELP}",
            )
            for text in ("a", "a=1", ".a=1", "a.=1", "a.b")
        ),
        *(
            (
                ["chat.json", option, text],
                f'{option} {text!r}: expected DIMENSION=NUMBER, like "Tool Calling=0.5".{HELP}',
            )
            for option in ("--weight", "--threshold")
            for text in ("a", "=1", "Performance=", "Performance=high", "0.5")
        ),
        (
            ["chat.json", "--weight", "tool_calling=1"],
            "Unknown dimension in weights 'tool_calling'. Did you mean 'Tool Calling'?\n",
        ),
        (
            ["chat.json", "--threshold", "Performance=2"],
            "The threshold of 'Performance' must be a number of at least 0 and at most 1, got 2.0.\n",
        ),
        (
            ["chat.json", "--threshold", "Performance=nan"],
            "The threshold of 'Performance' must be a number of at least 0 and at most 1, got nan.\n",
        ),
        (["chat.json", "--json", "no/out.json"], "no/out.json: cannot be written: there is no directory 'no'.\n"),
        (["chat.json", "--json", "."], ".: cannot be written: it is a directory.\n"),
        (
            ["chat.json", "--ground-truth", "gt.pdf"],
            "gt.pdf: ground truth is read from .xlsx, .csv, .json and .jsonl files\n",
        ),
        (["chat.json", "--ground-truth", "gt.csv"], "no such file: gt.csv\n"),
    ],
)
def test_mistakes(call, arguments, message):
    """A mistake is one sentence on standard error, without a traceback, and the exit code is 2."""
    assert (2, "", f"uaef: {message}") == call("evaluate", *arguments)


def test_every_problem_has_a_line_of_its_own(call):
    """All that is wrong with the files is said at once."""
    code, report, stderr = call("evaluate", "bad.jsonl", "nowhere.json")
    assert (2, "") == (code, report)
    assert (
        "uaef: bad.jsonl, line 1, column 2: not valid JSON: Expecting property name enclosed in double quotes.\n"
        "uaef: bad.jsonl, line 2, column 4: not valid JSON: Expecting ',' delimiter.\n"
        "uaef: no such file: nowhere.json\n"
    ) == stderr


def test_very_many_problems_are_cut(call, write):
    """Of hundreds of bad lines, twenty are named and the others counted."""
    write("worse.jsonl", "oops\n" * 300)
    lines = call("evaluate", "worse.jsonl")[2].splitlines()
    assert (21, "uaef: and 280 more") == (len(lines), lines[-1])


def test_names_cannot_drive_the_terminal(call):
    """A name that holds escapes is shown with its escapes."""
    assert (2, "", "uaef: no such file: a\\x1b[2J b.json\n") == call("evaluate", "a\x1b[2J\nb.json")


def test_output_is_checked_before_anything_is_read(call):
    """Where the JSON cannot go, nothing is spent: the missing input is not even looked for."""
    assert "cannot be written" in call("evaluate", "nowhere.json", "--json", "no/out.json")[2]
