"""Compiled LangGraph graphs, LangChain runnables: real ones, played."""

from __future__ import annotations

import asyncio
import subprocess
import sys
import time
from typing import Any

import pytest
from booking.graph import booking_graph
from booking.script import SESSIONS
from booking.team import team_graph
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, HumanMessage
from langchain_core.outputs import ChatGeneration, ChatResult
from langchain_core.prompts import ChatPromptTemplate, MessagesPlaceholder
from langchain_core.runnables import RunnableLambda
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph import START, MessagesState, StateGraph
from playing import answers, aplay, case, errors, play, roles

from uaef.agents import GraphAgent, History, as_agent, no_memory_warning
from uaef.errors import UsageError
from uaef.models import MultiAgentTrace


def session(name):
    """A conversation of the example as a case."""
    return case(*(turn.question for turn in SESSIONS[name]), case_id=name)


def graph_of(node, *, saver=True, **compiled):
    """A graph of one node."""
    graph = StateGraph(MessagesState)
    graph.add_node("agent", node)
    graph.add_edge(START, "agent")
    return graph.compile(checkpointer=InMemorySaver() if saver else None, **compiled)


def count(state):
    """A node that says how many messages it sees."""
    return {"messages": [AIMessage(str(len(state["messages"])))]}


async def acount(state):
    """The same, async."""
    return count(state)


@pytest.mark.parametrize("history", [History.THREAD, History.ACTUAL])
def test_a_graph_brings_its_tools(history):
    """A booking agent remembers by its thread, or by the transcript it is shown, and its calls come with results."""
    turns = play(booking_graph(), session("move-standup"), history=history)
    assert [None, None, None] == errors(turns)
    made = [[(c.name, c.result is not None) for c in turn.trace.tool_calls] for turn in turns]
    assert [[("list_bookings", True)], [("cancel_booking", True), ("create_booking", True)], []] == made
    assert [t.question for t in SESSIONS["move-standup"]] == [roles(turn.trace)[0][1] for turn in turns]
    assert all(turn.trace.input_tokens and turn.trace.framework == "langgraph" for turn in turns)
    assert all(turn.trace.session_id == "move-standup" for turn in turns)


def test_a_team_is_a_trace_of_several_agents():
    """Each turn of a supervised team has its agents and their handoffs."""
    turns = play(team_graph(), session("team-offsite"))
    assert [None, None, None] == errors(turns)
    assert all(isinstance(turn.trace, MultiAgentTrace) for turn in turns)
    assert ("supervisor", "calendar", "writer") == turns[0].trace.agents
    assert turns[0].trace.coordination_events


@pytest.mark.parametrize("node", [count, acount])
def test_a_graphs_memory_is_its_checkpointers(node):
    """With one it sees the earlier turns of its thread and no others; without, only what it is shown."""
    keeps, forgets = as_agent(graph_of(node)), as_agent(graph_of(node, saver=False))
    for _ in range(2):
        assert ["1", "3", "5"] == answers(play(keeps, case(*"abc")))
    assert ["1", "1", "1"] == answers(play(forgets, case(*"abc")))
    for agent in (keeps, forgets):
        assert ["1", "3", "5"] == answers(play(agent, case(*"abc"), history=History.ACTUAL))
        golden = case(*"abc", golden=["x", "y", None])
        assert ["1", "3", "5"] == answers(play(agent, golden, history=History.EXPECTED))
    assert (True, False) == (keeps.remembers, forgets.remembers)
    warning = no_memory_warning(forgets, [case("a", "b")], History.THREAD)
    assert "'LangGraph' keeps no thread" in warning
    assert no_memory_warning(forgets, [case("a", "b")], History.ACTUAL) is None


def test_options_reach_the_graph():
    """A config is laid under the thread's, what is configurable is kept, and the resource can be read."""
    seen = []

    def node(state, config):
        seen.append(config["configurable"])
        return count(state)

    options = {"config": {"configurable": {"lang": "en", "thread_id": "mine"}, "recursion_limit": 7}}
    (turn,) = play(GraphAgent(graph_of(node), name="desk"), case("a"), options=options, resource="user-42")
    assert ("en", "user-42", turn.trace.metadata["thread_id"]) == tuple(
        seen[0][key] for key in ("lang", "resource", "thread_id")
    )


def test_agent_nodes_are_declared_like_those_of_the_adapter():
    """Whoever knows the agents of a graph names them."""
    agent = GraphAgent(team_graph(), agent_nodes=["supervisor", "calendar", "writer"])
    assert isinstance(play(agent, session("team-april"))[0].trace, MultiAgentTrace)


@pytest.mark.parametrize("wrap", ["graph", "model", "lambda"])
def test_blocking_nodes_and_models_run_at_once(wrap):
    """Sixteen that block are under way together, more than an event loop has threads for here."""

    def slow(messages):
        time.sleep(0.3)
        return AIMessage(f"re: {messages[-1].content}")

    class Slow(BaseChatModel):
        @property
        def _llm_type(self):
            return "slow"

        def _generate(self, messages, stop=None, run_manager=None, **_: Any):  # noqa: ARG002 - langchain's
            return ChatResult(generations=[ChatGeneration(message=slow(messages))])

    target = {
        "graph": lambda: graph_of(lambda state: {"messages": [slow(state["messages"])]}),
        "model": Slow,
        "lambda": lambda: RunnableLambda(slow),
    }[wrap]()

    async def run():
        limit = asyncio.Semaphore(16)
        agent = as_agent(target)
        started = time.perf_counter()
        done = await asyncio.gather(*(aplay(agent, case("a"), limit=limit) for _ in range(16)))
        return time.perf_counter() - started, [answers(turns) for turns in done]

    seconds, said = asyncio.run(run())
    assert [["re: a"]] * 16 == said
    assert seconds < 2


def test_a_node_that_fails_fails_the_turn():
    """The error is the node's own; the turns after it are not played."""

    def node(_):
        raise ValueError("no rooms")

    assert ["ValueError: no rooms", "not played: the agent failed at turn 1"] == errors(
        play(graph_of(node), case("a", "b"))
    )


def test_a_graph_that_is_not_compiled_is_refused():
    """With what to do."""
    with pytest.raises(UsageError, match=r"not compiled yet: give graph\.compile\(checkpointer=\.\.\.\)"):
        as_agent(StateGraph(MessagesState))


def _listen(messages):
    return AIMessage(" | ".join(message.content for message in messages))


async def _alisten(messages):
    return _listen(messages)


PROMPT = ChatPromptTemplate.from_messages([("system", "Be brief."), MessagesPlaceholder("said")])


@pytest.mark.parametrize(
    ("runnable", "front"),
    [
        (RunnableLambda(_listen), ""),
        (RunnableLambda(_alisten), ""),
        (RunnableLambda(_listen).with_config(tags=["x"]), ""),
        (PROMPT | (lambda prompt: _listen(prompt.messages)), "Be brief. | "),
        (RunnableLambda(lambda said: _listen(said).content), ""),
        (RunnableLambda(lambda said: {"messages": [*said, _listen(said)]}), ""),
    ],
    ids=["lambda", "async", "bound", "chain", "text", "state"],
)
@pytest.mark.parametrize("history", [History.THREAD, History.ACTUAL])
def test_a_runnable_is_given_the_conversation(runnable, front, history):
    """It keeps nothing, so it is shown what was said so far, as LangChain's messages."""
    said = answers(play(runnable, case("a", "b"), history=history))
    assert [f"{front}a", f"{front}a | {front}a | b"] == said


def test_what_a_model_says_of_its_tokens_is_kept():
    """The usage of an AI message is the turn's."""
    usage = {"input_tokens": 5, "output_tokens": 2, "total_tokens": 7}
    (turn,) = play(RunnableLambda(lambda _: AIMessage("x", usage_metadata=usage)), case("a"))
    assert (5, 2) == (turn.trace.input_tokens, turn.trace.output_tokens)


def test_tools_go_into_the_history_of_a_runnable_as_its_messages():
    """Calls and results of earlier turns arrive as LangChain's own."""
    calling = AIMessage("", tool_calls=[{"id": "c", "name": "find", "args": {"day": 1}}])
    kinds = []

    def agent(messages):
        kinds.append([message.type for message in messages])
        asked = sum(isinstance(message, HumanMessage) for message in messages)
        return (
            [calling, {"role": "tool", "tool_call_id": "c", "content": "ok"}, AIMessage("x")] if asked == 1 else "y"
        )

    assert [None, None] == errors(play(RunnableLambda(agent), case("a", "b")))
    assert [["human"], ["human", "ai", "tool", "ai", "human"]] == kinds


LIGHT = """
import sys
from uaef.agents import as_agent
as_agent(lambda q: q)
print([name for name in ("langgraph", "langchain_core", "aiohttp", "pydantic_ai", "tenacity") if name in sys.modules])
"""


def test_nothing_heavy_is_loaded_for_a_function():
    """Frameworks are recognised by being there; none is imported to look for it."""
    done = subprocess.run([sys.executable, "-c", LIGHT], capture_output=True, text=True, check=True)  # noqa: S603 - our own lines
    assert "[]\n" == done.stdout
