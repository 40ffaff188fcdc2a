"""Words: what two texts have in common, whatever the case, the inflection and the way numbers are written."""

from __future__ import annotations

import re
from collections.abc import Iterator
from decimal import Decimal, InvalidOperation

from uaef.text.folding import visible

_ENGLISH = """
    a about above after again against ain't all also although am an and any are aren't as at be because been before
    being below between both but by can can't cannot could couldn't did didn't do does doesn't doing don't down
    during each either else few for from further get had hadn't has hasn't have haven't having he he'd he'll her
    here hers him his how however i i'd i'll i'm i've if in into is isn't it it's its just let's may me might more
    most must my no nor not now of off on once one only or other our out over own same shall she she'd she'll should
    since so some such than that that's the their them then there there's therefore these they they'd they'll
    they're they've this those though through thus to too under unless until up upon us very was wasn't we we'd
    we'll we're we've were weren't what when where whereas whether which while who whom whose why will with within
    won't would wouldn't yes yet you you'd you'll you're you've your
"""
_NEIGHBOURS = """
    aber alla alle als auch auf aus avec bei bij bin bitte bonjour che como com danke dans das dass dei della dem
    des dich dit du ein eine einen ela em et fue gli gracias grazie habe het hola ich ihr il isso je kann kein
    les mais mas mein merci mit mir muy nach nicht niet nous obrigado ou para pas pero por porque pour que qui
    sehr sie sind sono su sur tem uma un und una une uno vom voor vous wie wir y zijn zu zum zur
"""

FUNCTION_WORDS = frozenset(_ENGLISH.split())
"""English words that say how things hang together, not what they are."""
_FOREIGN = frozenset(_NEIGHBOURS.split())
"""As frequent in Dutch, French, German, Italian, Portuguese or Spanish, and rare in English."""

_UNITS = "one two three four five six seven eight nine"
_TEENS = "ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen"
_TENS = "twenty thirty forty fifty sixty seventy eighty ninety"
_VALUES = {
    **{word: value for value, word in enumerate(f"{_UNITS} {_TEENS}".split(), 1)},
    **{word: 10 * value for value, word in enumerate(_TENS.split(), 2)},
}
# "one" alone is more often a pronoun than a number.
_NUMERAL = re.compile(
    rf"\b(?=[efnst])(?:({'|'.join(_TENS.split())})[ -]({'|'.join(_UNITS.split())})|({'|'.join([*_VALUES][1:])}))\b"
)

MONTHS = "january february march april may june july august september october november december"
_ISO_DATE = re.compile(r"(?<!\d)(\d{4})-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])(?!\d)t?")

_WORD = re.compile(r"((\d+(?:[.,]\d+)*)(?:(?:st|nd|rd|th|'?s)\b)?|[^\W\d_][^\W_]*(?:'[^\W_]+)*)")
_THOUSANDS = re.compile(r"\d{1,3}(?:,\d{3})+(?:\.\d+)?")
_APOSTROPHES = str.maketrans("\u2018\u2019", "''")

_FIGURE = re.compile(r"((?<![\w)])[-\u2212][$\u20ac\u00a3\u00a5]?)?(?<![^\W_])(?<![^\W_][.,])(\d+(?:[.,]\d+)*)")

_SHORTEST = 3
# An ending, what takes its place, and how much must stand before it.
_ENDINGS = (
    ("ies", "y", 3),
    ("ied", "y", 3),
    ("ing", "", 3),
    ("ed", "", 3),
    ("ly", "", 5),
    ("ss", "ss", 2),
    ("us", "us", 2),
    ("is", "is", 2),
    ("s", "", 3),
)
_DOUBLED = frozenset("bdfgmnprt")


def plain(text: str) -> str:
    """The text in lower case, without characters that nobody sees; ``two`` is ``2``, ``2024-03-05`` 5 march 2024."""
    text = visible(text).translate(_APOSTROPHES).lower()
    return _NUMERAL.sub(_in_digits, _ISO_DATE.sub(_in_words, text) if "-" in text else text)


def words_in(text: str) -> list[str]:
    """The words of a text in order: plain, without possessives; ``2nd`` and ``two`` are both ``2``."""
    return [_number(digits) if digits else word.removesuffix("'s") for word, digits in _WORD.findall(plain(text))]


def numbers_in(text: str) -> Iterator[Decimal]:
    """The numbers of a text in order, with their signs; no versions, and nothing that stands in an identifier."""
    for sign, written in _FIGURE.findall(plain(text)):
        try:
            number = Decimal(_number(written))
        except InvalidOperation:  # a version, a list, a date
            continue
        yield -number if sign else number


def stem(word: str) -> str:
    """What the inflections of an English word share; a light stemmer that rather joins too little than too much."""
    if len(word) <= _SHORTEST or not word.isalpha():
        return word
    for ending, instead, least in _ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= least:
            word = word.removesuffix(ending) + instead
            break
    if word[-1] == word[-2] and word[-1] in _DOUBLED:
        return word[:-1]
    return word.removesuffix("e") if len(word) > _SHORTEST else word


def stems_in(text: str) -> list[str]:
    """The stems of the words of a text, in order."""
    return [stem(word) for word in words_in(text)]


def holds_digit(word: str) -> bool:
    """Whether a word is a number or an identifier."""
    return any(character.isdigit() for character in word)


def reads_as_english(text: str) -> bool:
    """Whether nothing speaks against English: not the script, and not words that its neighbours use most."""
    words = words_in(text)
    letters = [word for word in words if word[0].isalpha()]
    if 2 * sum(word.isascii() for word in letters) < len(letters):
        return False
    return sum(word in _FOREIGN for word in letters) <= sum(word in FUNCTION_WORDS for word in letters)


def _number(written: str) -> str:
    """One way to write a number: no thousands separators, no zeros before or behind."""
    if _THOUSANDS.fullmatch(written):
        written = written.replace(",", "")
    elif written.count(",") == 1 and "." not in written:
        written = written.replace(",", ".")
    whole, point, rest = written.partition(".")
    if "." in rest or "," in written:  # a version, a list, a date
        return written
    fraction = rest.rstrip("0") if point else ""
    return (whole.lstrip("0") or "0") + ("." + fraction if fraction else "")


def _in_words(match: re.Match[str]) -> str:
    year, month, day = match.groups()
    return f" {int(day)} {MONTHS.split()[int(month) - 1]} {year} "


def _in_digits(match: re.Match[str]) -> str:
    tens, unit, alone = match.groups()
    return str(_VALUES[alone] if alone else _VALUES[tens] + _VALUES[unit])
