"""Agents: anything that answers a turn, and how the turns of a case are put to it."""

from uaef.agents.base import Agent as Agent
from uaef.agents.base import Call as Call
from uaef.agents.endpoints import ChatAgent as ChatAgent
from uaef.agents.endpoints import HttpAgent as HttpAgent
from uaef.agents.endpoints import opened as opened
from uaef.agents.functions import FunctionAgent as FunctionAgent
from uaef.agents.graphs import GraphAgent as GraphAgent
from uaef.agents.history import History as History
from uaef.agents.history import check_playable as check_playable
from uaef.agents.history import no_memory_warning as no_memory_warning
from uaef.agents.play import played as played
from uaef.agents.playing import Playing as Playing
from uaef.agents.playing import memory_apart as memory_apart
from uaef.agents.pydantic_agents import PydanticAIAgent as PydanticAIAgent
from uaef.agents.runnables import RunnableAgent as RunnableAgent
from uaef.agents.wrapping import agent_named as agent_named
from uaef.agents.wrapping import as_agent as as_agent
