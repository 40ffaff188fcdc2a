"""A shop's dataset of two conversations, and agents of which one gets both right and one the first alone."""

from __future__ import annotations

DATASET = """\
name: shop
conversations:
  - {id: hours, turns: [{user: When do you open?, checks: [{includes: "10"}]}]}
  - {id: place, turns: [{user: Where are you?, checks: [{includes: Rome}]}]}
"""
AGENTS = """\
def half(input):
    with open("asked.txt", "a") as file:
        print(input, file=file)
    return "At 10."

def right(input):
    return half(input) + " In Rome."
"""
