"""Language models: who answers, how often, for how much."""

from uaef.llm.chat import ChatClient as ChatClient
from uaef.llm.chat import Finish as Finish
from uaef.llm.chat import Prompt as Prompt
from uaef.llm.chat import Reply as Reply
