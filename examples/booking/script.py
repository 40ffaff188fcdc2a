"""What the users of the example ask, what the scripted agents reply, and what a person would expect.

A reply is a text, or the list of calls that the model asks for. Where a turn's expectations are left out, the
agent does right, so they are what it does. ``board-meeting`` goes wrong at its third turn, on purpose.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

Call = dict[str, Any]
Reply = str | list[Call]


def call(name: str, **arguments: str) -> Call:
    """A tool call: its name and its arguments."""
    return {"name": name, "arguments": arguments}


@dataclass(frozen=True)
class Turn:
    """One question, the replies in the order in which models are asked, and what should have come back."""

    question: str
    replies: list[Reply]
    answer: str = ""
    tools: list[Call] | None = None

    @property
    def expected_answer(self) -> str:
        """The answer a person would want: the last reply unless told otherwise."""
        return self.answer or str(self.replies[-1])

    @property
    def expected_tools(self) -> list[Call]:
        """The calls a person would want: those that are made unless told otherwise."""
        made = [made for reply in self.replies if isinstance(reply, list) for made in reply]
        return made if self.tools is None else self.tools


def booking(room: str, day: str, start: str, purpose: str) -> Call:
    """A call of ``create_booking`` in May 2026."""
    return call("create_booking", room=room, date=f"2026-05-{day}", start=start, purpose=purpose)


SESSIONS: dict[str, list[Turn]] = {
    "tuesday-overview": [
        Turn(
            "Which rooms are taken on Tuesday, 12 May?",
            [
                [call("list_bookings", date="2026-05-12")],
                "Only one: Boole at 11:00, for an interview.",
            ],
        ),
    ],
    "april-figures": [
        Turn(
            "How busy were we in April?",
            [
                [call("get_statistics", month="2026-04")],
                "There were three bookings in April: two in Ada and one in Curie.",
            ],
        ),
    ],
    "what-can-you-do": [
        Turn(
            "What can you do for me?",
            ["I look up, make and cancel room bookings, and I can tell you how busy the rooms were."],
        ),
    ],
    "move-standup": [
        Turn(
            "What is booked on 13 May?",
            [
                [call("list_bookings", date="2026-05-13")],
                "The design standup: Ada at 09:00, reference A-05-13-09.",
            ],
        ),
        Turn(
            "Move it to ten, same room.",
            [
                [call("cancel_booking", reference="A-05-13-09"), booking("Ada", "13", "10:00", "design standup")],
                "Moved. The design standup is now in Ada at 10:00, reference A-05-13-10.",
            ],
        ),
        Turn(
            "And remind me, what was the old reference?",
            ["It was A-05-13-09; that booking no longer exists."],
        ),
    ],
    "board-meeting": [
        Turn(
            "Please book Curie on 14 May at nine for the board meeting.",
            [
                [booking("Curie", "14", "09:00", "board meeting")],
                "Done: Curie on 14 May at 09:00, reference C-05-14-09.",
            ],
        ),
        Turn(
            "What else is going on that day?",
            [
                [call("list_bookings", date="2026-05-14")],
                "Besides your board meeting there is the onboarding, in Ada at 13:00.",
            ],
        ),
        Turn(
            "The board meeting is off. Please cancel its room.",
            [
                [booking("Boole", "15", "10:00", "meeting")],
                "Which meeting do you mean? In any case I have booked Boole for you on 15 May at 10:00.",
            ],
            answer="Cancelled: Curie on 14 May at 09:00, reference C-05-14-09, is free again.",
            tools=[call("cancel_booking", reference="C-05-14-09")],
        ),
    ],
    "taken-room": [
        Turn(
            "Is Ada free on 18 May at nine?",
            [
                [call("list_bookings", date="2026-05-18")],
                "I am afraid not: the sales call has Ada at 09:00.",
            ],
        ),
        Turn(
            "Try to book it anyway, for a retrospective.",
            [
                [booking("Ada", "18", "09:00", "retrospective")],
                "The calendar refused, since Ada is taken at 09:00. Shall I take Boole?",
            ],
        ),
        Turn(
            "Yes, please.",
            [
                [booking("Boole", "18", "09:00", "retrospective")],
                "Boole is yours on 18 May at 09:00, reference B-05-18-09.",
            ],
        ),
        Turn("Thank you!", ["You are welcome. Enjoy the retrospective."]),
    ],
    "team-offsite": [
        Turn(
            "Find us a free room on 21 May and announce the offsite to everybody.",
            [
                "calendar: which rooms are taken on 21 May?",
                [call("list_bookings", date="2026-05-21")],
                "Only Ada is taken, at 09:00 for a training. Boole and Curie are free all day.",
                "writer: announce to everybody that the offsite is on 21 May, in Curie.",
                [call("send_message", to="everybody", text="Our offsite is on 21 May, in Curie.")],
                "The announcement is out.",
                "Curie is free all day on 21 May, and everybody has been told that the offsite is there.",
            ],
        ),
        Turn(
            "Book that room from ten.",
            [
                "calendar: book Curie on 21 May at 10:00 for the offsite.",
                [booking("Curie", "21", "10:00", "offsite")],
                "Booked, reference C-05-21-10.",
                "Curie is booked for the offsite on 21 May at 10:00, reference C-05-21-10.",
            ],
        ),
        Turn(
            "Let them know the time, too.",
            [
                "writer: tell everybody that the offsite begins at 10:00.",
                [call("send_message", to="everybody", text="Our offsite on 21 May begins at 10:00.")],
                "Done.",
                "Everybody knows now that the offsite begins at 10:00.",
            ],
        ),
    ],
    "team-april": [
        Turn(
            "Ask the calendar how many bookings April had.",
            [
                "calendar: how many bookings were there in April?",
                [call("get_statistics", month="2026-04")],
                "Three: two in Ada, one in Curie.",
                "April had three bookings, two in Ada and one in Curie.",
            ],
        ),
    ],
}
