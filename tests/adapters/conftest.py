"""Real LangGraph graphs whose chat model says what a script tells it to, and what the tests compare."""

from __future__ import annotations

import json
from types import SimpleNamespace

import pytest
from langchain_core.language_models import BaseChatModel
from langchain_core.load import dumpd
from langchain_core.messages import AIMessage, AIMessageChunk, HumanMessage
from langchain_core.outputs import ChatGeneration, ChatGenerationChunk, ChatResult
from langchain_core.tools import tool
from langgraph.checkpoint.memory import MemorySaver
from langgraph.graph import END, START, MessagesState, StateGraph
from langgraph.prebuilt import ToolNode
from langgraph.types import Command


class ScriptedModel(BaseChatModel):
    """Says its lines in order; streams them word by word, and each call's arguments in two pieces."""

    lines: list[AIMessage]

    @property
    def _llm_type(self):
        return "scripted"

    def _next(self):
        return self.lines.pop(0).model_copy(deep=True)

    def _generate(self, messages, stop=None, run_manager=None, **kwargs):  # noqa: ARG002 - the base's signature
        return ChatResult(generations=[ChatGeneration(message=self._next())])

    def _stream(self, messages, stop=None, run_manager=None, **kwargs):  # noqa: ARG002 - the base's signature
        for message in _chunks(self._next()):
            chunk = ChatGenerationChunk(message=message)
            if run_manager:
                run_manager.on_llm_new_token(chunk.text, chunk=chunk)
            yield chunk


def _chunks(line):
    for at, word in enumerate(line.content.split(" ")):
        yield AIMessageChunk(f" {word}" if at else word)
    for index, call in enumerate(line.tool_calls):
        text = json.dumps(call["args"])
        first = {"name": call["name"], "id": call["id"], "args": text[:3], "index": index}
        yield AIMessageChunk("", tool_call_chunks=[first])
        rest = {"name": None, "id": None, "args": text[3:], "index": index}
        yield AIMessageChunk("", tool_call_chunks=[rest])
    yield AIMessageChunk("", usage_metadata=line.usage_metadata, chunk_position="last")


@tool
def look_up(what: str) -> str:
    """Look something up; there is nothing about dragons."""
    if "dragon" in what:
        raise ValueError("no such page")
    return f"page about {what}"


def line(text, *calls, usage=(10, 5)):
    """What the model says: a text and calls, each ``(id, what to look up)``."""
    asked = [{"name": "look_up", "args": {"what": what}, "id": call_id} for call_id, what in calls]
    read, written = usage
    counted = {"input_tokens": read, "output_tokens": written, "total_tokens": read + written}
    return AIMessage(text, tool_calls=asked, usage_metadata=counted)


def booking(*lines, checkpointer=True, name="agent"):
    """An agent with a tool: the node ``agent`` (or another name) speaks, ``tools`` looks up."""
    model = ScriptedModel(lines=list(lines))

    def speak(state):
        return {"messages": [model.invoke(state["messages"])]}

    def after(state):
        return "tools" if state["messages"][-1].tool_calls else END

    graph = StateGraph(MessagesState)
    graph.add_node(name, speak)
    graph.add_node("tools", ToolNode([look_up], handle_tool_errors=True))
    graph.add_edge(START, name)
    graph.add_conditional_edges(name, after, ["tools", END])
    graph.add_edge("tools", name)
    return graph.compile(checkpointer=MemorySaver() if checkpointer else None)


def supervised(supervisor_lines, worker_lines, answer_of=None):
    """A supervisor that hands over to ``coder`` when it says so; that node runs a graph of its own."""
    boss = ScriptedModel(lines=list(supervisor_lines))
    worker = booking(*worker_lines, checkpointer=False)
    answer_of = answer_of or (lambda text: HumanMessage(text, name="coder"))

    def supervisor(state):
        said = boss.invoke(state["messages"])
        return Command(update={"messages": [said]}, goto="coder" if "coder" in said.content else END)

    def coder(state):
        told = HumanMessage(f"Task: {state['messages'][-1].content}")
        return {"messages": [answer_of(worker.invoke({"messages": [told]})["messages"][-1].content)]}

    graph = StateGraph(MessagesState)
    graph.add_node("supervisor", supervisor, destinations=("coder", END))
    graph.add_node("coder", coder)
    graph.add_edge(START, "supervisor")
    graph.add_edge("coder", "supervisor")
    return graph.compile(checkpointer=MemorySaver())


def human(text):
    """The synthetic first event of a turn."""
    return {"__human__": {"messages": [HumanMessage(text)]}}


def play(graph, *texts, session="s", announce=True, **options):
    """One payload a turn."""
    config = {"configurable": {"thread_id": session}}
    return [
        {
            "session_id": session,
            "turn_id": number,
            "stream_events": [
                *([human(text)] if announce else []),
                *graph.stream({"messages": [HumanMessage(text)]}, config, **options),
            ],
        }
        for number, text in enumerate(texts, 1)
    ]


def as_json(recorded):
    """What is left of live events in a JSON file."""
    return json.loads(json.dumps(dumpd(recorded)))


def told(trace):
    """What was said, by whom, and what came of the calls."""
    return [
        (
            message.role.value,
            message.agent,
            message.content,
            [
                (call.call_id, call.arguments, call.status.value, call.result, call.error)
                for call in message.tool_calls
            ],
            message.tool_call_id,
        )
        for message in trace.messages
    ]


@pytest.fixture
def graphs():
    """The helpers above."""
    return SimpleNamespace(
        ScriptedModel=ScriptedModel,
        as_json=as_json,
        booking=booking,
        human=human,
        line=line,
        look_up=look_up,
        play=play,
        supervised=supervised,
        told=told,
    )


@pytest.fixture
def recording(shared):
    """A function that reads a recording from the folder of shared fixtures."""

    def read(name):
        path = shared / name
        text = path.read_text("utf-8")
        return [json.loads(row) for row in text.splitlines()] if path.suffix == ".jsonl" else json.loads(text)

    return read
