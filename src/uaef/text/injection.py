"""Attempts to take over an assistant, as they show in a user's words.

Customers say "ignore my previous message", "is there a plan without restrictions?" and "how do I enable developer
mode on my phone?". So a pattern asks for more than a word: for an order to the assistant, about the assistant.
"""

from __future__ import annotations

import re

_ORDER = r"(?:^|[.!?:;,\n\"'(>-]\s{0,3}|\b(?:please|now|and|then|but|also|you|you to|is to|must|will|can)\s+)"
_LET_GO = r"(?:ignore|disregard|forget|override|bypass)\s+"
_EARLIER = r"(?:previous|prior|earlier|above|preceding|system|initial|original)\s+"
_RULES = r"(?:instructions?|prompts?|directives?|guidelines?|guardrails?|rules|commands)\b"
_MINE = r"(?!\s+(?:that\s+)?(?:I|we)\b)"
"""What a user takes back is the user's own: "ignore the earlier instructions I gave"."""
_MODE = r"(?:developer|dev|debug|admin(?:istrator)?|god|maintenance|sudo|unrestricted|jailbreak) mode"
_BECOME = (
    r"\b(?:you are now|from now on,? you(?:'re| are)|you will now be|pretend (?:that )?you(?:'re| are)|pretend to be"
    r"|role-?play as|act as(?: if you were| though you were)?)\s+"
)
_PERSONA = r"(?:AI|bot|chatbot|GPT|LLM|language model|hacker|jailbroken|unrestricted|uncensored|unfiltered|evil)\b"
_SYSTEM_SAYS = (
    r"(?:you\b|ignore|disregard|override|from now on|respond|reply|answer|reveal|grant|disable"
    r"|the (?:assistant|user)|new (?:instructions?|task|rules))"
)
_UNTOLD = (
    r"\b(?:(?:system|initial|hidden) prompt"
    r"|(?:your|the) (?:system|hidden|secret|internal|confidential) (?:instructions?|prompt|rules))\b"
)

PATTERNS = tuple(
    re.compile(pattern, re.IGNORECASE | re.MULTILINE)
    for pattern in (
        # instructions are to be dropped
        rf"{_ORDER}{_LET_GO}(?:(?!my\b|our\b)\w+\s+){{0,3}}?{_EARLIER}(?:\w+\s+){{0,2}}?{_RULES}{_MINE}",
        (
            rf"{_ORDER}{_LET_GO}(?:(?:all|any|of|each)\s+)*(?:your|these|those)\s+(?:\w+\s+){{0,2}}?"
            r"(?:instructions?|guidelines?|guardrails?|programming|training|restrictions|system prompt)\b"
        ),
        (
            r"\bforget\s+(?:everything|all|anything)\s+(?:that\s+)?you(?:'ve| have| were)?\s+(?:been\s+)?"
            r"(?:told|instructed|taught|trained)\b"
        ),
        (
            rf"{_ORDER}(?:ignore|disregard|forget)\s+(?:everything|all|anything|the text)\s+(?:of the\s+)?"
            r"(?:above|before this)\b.{0,20}\b(?:say|print|output|write|respond|reply|instead)\b"
        ),
        # others are slipped in
        r"\bnew system (?:instructions?|prompt)\b|\bsystem override\s*[:!]",
        r"\byour new (?:instructions?|prompt|directives?|persona)\s*(?::|(?:is|are)\s*(?::|as follows|to\b))",
        rf"(?:<\s*system\s*>|\[\s*system\s*\]|^\W{{0,9}}system)\s{{0,3}}:?\s{{0,3}}{_SYSTEM_SAYS}",
        r"<\|\s*(?:im_start|im_end|system|endoftext)\b|<<\s*SYS\s*>>|\[/?INST\]",
        # the assistant is to be somebody else
        rf"{_BECOME}(?:(?:an?|the|my)\s+(?:\w+\s+){{0,2}}?)?{_PERSONA}",
        rf"\byou(?:'re| are)\s+(?:now\s+|currently\s+)?(?:running\s+)?in\s+{_MODE}",
        (
            rf"\b(?:enter|enable|activate|switch (?:in)?to|answer in|respond in|act in)\s+{_MODE}\s*(?:,|;|:|and)\s*"
            r"(?:then\s+)?(?:ignore|answer|respond|reply|tell|give|show|reveal|disable|bypass|do)\b"
        ),
        r"\bjailbreak (?:prompt|yourself)\b|\byou(?:'re| are)(?: now)? jailbroken\b",
        (
            r"\b(?:you are|you're|act as|become|called|named)\s+(?-i:DAN)\b|(?-i:\bDAN\b) mode\b"
            r"|\bstands? for\W+do anything now\b"
        ),
        # its limits are to go
        (
            r"\b(?:respond|answer|reply|act|behave)\b.{0,40}\b(?:without|free (?:of|from)|with no)\s+(?:\w+\s+){0,2}?"
            r"(?:restrictions?|filters?|guardrails?|limitations|censorship|safety|guidelines)\b"
        ),
        (
            r"\b(?:disable|turn off|switch off|bypass|remove|override|deactivate)\s+(?:all\s+)?(?:of\s+)?your\s+"
            r"(?:\w+\s+)?(?:safety|content|ethics?|ethical|moderation)\b"
        ),
        # its instructions are to come out
        r"\b(?:reveal|print|repeat|show|output|display|tell|give|share|quote|leak|paste|what(?:'s| is| are))\b.{0,25}"
        + _UNTOLD,
        r"\b(?:repeat|print|output)\b.{0,20}\babove\b.{0,20}\b(?:verbatim|word for word)\b",
    )
)
"""What an attempt to take over an assistant tends to look like."""

_HINTS = (
    *("ignore", "disregard", "forget", "overrid", "bypass", "above", "system", "your new", "<|", "<<", "inst]"),
    *("now", "pretend", "play as", "act as", "mode", "jailb", "dan", "prompt", "instruction", "rules", "guideline"),
    *("restriction", "filter", "guardrail", "limitation", "censor", "safety", "content", "ethic", "moderation"),
)
"""Without one of these no pattern matches, and looking for them is ten times as fast."""


def attempts(text: str) -> list[str]:
    """The parts of ``text`` that look like attempts to take over an assistant."""
    plain = text.lower()
    if not any(hint in plain for hint in _HINTS):
        return []
    return [found.group().strip() for pattern in PATTERNS if (found := pattern.search(text))]
