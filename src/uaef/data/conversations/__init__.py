"""Conversation datasets: what is asked turn by turn, what should come back, and what must hold of it."""

from uaef.data.conversations.dataset import ConversationDataset as ConversationDataset
from uaef.data.conversations.dataset import Exchange as Exchange
from uaef.data.conversations.dataset import Row as Row
from uaef.data.conversations.dataset import RowInput as RowInput
from uaef.data.conversations.expected import first_number as first_number
from uaef.data.conversations.expected import ground_truth_of as ground_truth_of
from uaef.data.conversations.reading import is_dataset as is_dataset
