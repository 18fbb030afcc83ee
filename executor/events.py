"""The event log's vocabulary: what is announced about a turn, one row an event, times in integer nanoseconds.

The rule: everything needed to judge a turn from outside is in the outside kinds; the inside kinds only add
how our own executor came to it. A log is JSON lines: a header object first, then one object per event,
``{"t": 500000000, "kind": "entered", "call": "a", ...detail}``.

What each kind carries besides ``t``, ``kind`` and ``call``:

==================  =========================================================================================
response_started    ``attempt`` (0 for the first)
block               ``tool``, ``index``, ``attempt``, ``known``, ``valid``, ``safe`` (the class of this very call);
                    ``gated`` where hooks, rules or questions stand before its body; with contents ``input`` as the
                    model gave it, and ``raw``, its text, where that is no JSON object
response_ended      ``attempt``
response_failed     ``attempt``, ``error``
entered             the call's body has begun; ``sees`` (the context's values), only where it is not empty;
                    ``input`` (what the body was given), only where something may have rewritten it, or a deny
                    rule with a pattern may have forbidden it (N1);
                    ``safe``: false, only where the rewritten input is exclusive and the block's was not (H8)
refused             the turn's abort is asked for from within (A4); ``by``: ``person`` (who refused the call) |
                    ``tool`` (the call's body)
signalled           the body's abort signal fired; ``reason`` (an outcome's name)
progressed          ``n`` (0, 1, ... per call): the body reported progress
left                the body is over; ``ended``: ``ok`` | ``error`` | ``raised`` | ``cancelled`` | ``background``
                    (its work goes on, X8; ``detached`` where that work holds nobody up); ``said`` (the text it
                    handed back, cut), only where there is one; ``sets`` (the context values it changes, C1),
                    only where it does
work_ended          work that went on in the background is over (X8)
emitted             the consumer took something; ``what``: ``progress`` (with ``n``) or ``result`` (with
                    ``outcome``, ``started``, ``is_error``, ``abandoned``; ``content``, its text, cut as ``said``
                    is, only where there is one)
consumer_left       nobody takes updates any more; ``how``: ``left`` (it stopped taking them) | ``cancelled``
stop                the user pressed stop
submit              the user sent a message; ``force``, ``took_effect``
discard             the attempt is given up; ``attempt``, ``withdrawn`` (ids), ``effects`` (ids)
context             the context changed; ``values``
turn_ended          ``how``: ``completed`` | ``stopped`` | ``failed`` | ``left``; ``closing`` (pairs of id and
                    outcome that nobody took), ``abandoned`` (ids still running that cannot be stopped); with contents
                    ``asked`` (the ids that the messages speak of), ``stopped`` (whether they end with the marker),
                    ``message`` (the content parts of the model's own message, where it came as one)
halted              the simulator gave up; ``why``: ``deadlock`` | ``livelock`` | ``crash``, ``waiting`` (texts)
queued, admitted,   inside view: the call's own steps; ``completed`` carries ``outcome``, and with contents the
completed, yielded  result's whole ``content`` and ``attachments`` (lists of kind, hook and content)
hook_started        inside view: a hook began; ``hook`` (its name), ``stage`` (``pre``, ``post``, ``failure``)
hook_ended          inside view: and ended; ``hook``, ``stage``, ``how``: ``done`` | ``raised`` | ``late`` | ``cut``
question_asked      inside view: somebody is asked whether the call may run; ``reason``
question_answered   inside view: the question is closed; ``how``: ``allow`` | ``deny`` | ``refused`` (by a person) |
                    ``neither`` | ``raised`` | ``late`` | ``cut`` (the call was stopped)
permitted           inside view: the call may run; ``by``: ``rule`` | ``hook`` | ``person`` | ``nobody`` (spoke of it)
denied              inside view: the call may not run; ``by``: ``rule`` | ``hook`` | ``person`` | ``nobody`` (allowed
                    it), ``reason``
hardened            inside view: a rewrite made the safe call exclusive (H8)
==================  =========================================================================================

With contents means: the header has ``contents: true`` (``Recorder(contents=True)``). Objects in such a log keep the
order of their keys, because the messages that are made of them do (B030).
"""

import json
from collections.abc import Iterable, Iterator, Mapping
from enum import StrEnum
from typing import Any, Final, NamedTuple, Protocol

VERSION: Final = 1
"""The version of the log's format, written in every header."""

LONGEST_TEXT: Final = 200
"""How many characters of what bodies say and results contain a log keeps."""


class Kind(StrEnum):
    """What happened."""

    RESPONSE_STARTED = "response_started"
    BLOCK = "block"
    RESPONSE_ENDED = "response_ended"
    RESPONSE_FAILED = "response_failed"
    ENTERED = "entered"
    REFUSED = "refused"
    SIGNALLED = "signalled"
    PROGRESSED = "progressed"
    LEFT = "left"
    WORK_ENDED = "work_ended"
    EMITTED = "emitted"
    CONSUMER_LEFT = "consumer_left"
    STOP = "stop"
    SUBMIT = "submit"
    DISCARD = "discard"
    CONTEXT = "context"
    TURN_ENDED = "turn_ended"
    HALTED = "halted"
    QUEUED = "queued"
    ADMITTED = "admitted"
    COMPLETED = "completed"
    YIELDED = "yielded"
    HOOK_STARTED = "hook_started"
    HOOK_ENDED = "hook_ended"
    QUESTION_ASKED = "question_asked"
    QUESTION_ANSWERED = "question_answered"
    PERMITTED = "permitted"
    DENIED = "denied"
    HARDENED = "hardened"

    __hash__ = str.__hash__  # equal to its text, so found by its text; and Enum hashes in Python code


INSIDE: Final = frozenset(
    {
        Kind.QUEUED,
        Kind.ADMITTED,
        Kind.COMPLETED,
        Kind.YIELDED,
        Kind.HOOK_STARTED,
        Kind.HOOK_ENDED,
        Kind.QUESTION_ASKED,
        Kind.QUESTION_ANSWERED,
        Kind.PERMITTED,
        Kind.DENIED,
        Kind.HARDENED,
    }
)
"""Kinds that only our own executor can announce."""


class Announce(Protocol):
    """Told of what happens: the kind, the call's id where one is meant, what the kind carries."""

    def __call__(self, kind: Kind, call: str | None, /, **detail: Any) -> None: ...


def silent(kind: Kind, call: str | None, /, **detail: Any) -> None:
    """Announce to nobody; where every call passes, what to say is not even put together for it."""


class Event(NamedTuple):
    """One row of the log: nanoseconds from the turn's start, what, which call, and what the kind carries."""

    t_ns: int
    kind: Kind
    call: str | None
    detail: Mapping[str, Any]

    def to_json(self) -> dict[str, Any]:
        """Give the row as a JSON object; ``call`` is left out where no call is meant."""
        head: dict[str, Any] = {"t": self.t_ns, "kind": self.kind.value}
        if self.call is not None:
            head["call"] = self.call
        return head | dict(self.detail)


def dump_lines(header: Mapping[str, Any], events: Iterable[Event]) -> Iterator[str]:
    """Write a log as JSON lines, header first, keys sorted, so that equal logs are equal bytes (D1)."""
    yield header_line(header)
    as_given = has_contents(header)
    for event in events:
        yield row_line(event, as_given=as_given)


def has_contents(header: Mapping[str, Any]) -> bool:
    """Whether a log holds what was asked and answered, word for word."""
    return header.get("contents") is True


def header_line(header: Mapping[str, Any]) -> str:
    """Write a log's first line."""
    return _line({"log": VERSION} | dict(header))


def row_line(event: Event, *, as_given: bool = False) -> str:
    """Write one row of a log.

    Args:
        event: the row.
        as_given: whether the objects inside it keep the order of their keys.
    """
    row = event.to_json()
    return _line(dict(sorted(row.items())), sort_keys=False) if as_given else _line(row)


def _line(row: Mapping[str, Any], *, sort_keys: bool = True) -> str:
    # A context may hold what JSON does not know, a path for one: its repr is kept rather than the log lost.
    return json.dumps(row, sort_keys=sort_keys, ensure_ascii=False, separators=(",", ":"), default=repr)


def load_lines(lines: Iterable[str]) -> tuple[dict[str, Any], list[Event]]:
    """Read the log of one turn back from its lines; :class:`ValueError` says the line and what was wrong with it."""
    logs = list(load_logs(lines))
    if len(logs) > 1:
        raise ValueError(f"expected the event log of one turn, got those of {len(logs)}")
    return logs[0]


def load_logs(lines: Iterable[str]) -> Iterator[tuple[dict[str, Any], list[Event]]]:
    """Read the logs of several turns back, one after another: each begins with its header.

    Args:
        lines: the lines of the file, with or without what ends them.

    Raises:
        ValueError: says the line and what was wrong with it, also where there is no log at all.
    """
    header: dict[str, Any] | None = None
    events: list[Event] = []
    for number, line in enumerate(lines, start=1):
        try:
            row = json.loads(line)
            if header is None or "log" in row:
                told = read_header(row)
                if header is not None:
                    yield header, events
                header, events = told, []
            else:
                events.append(read_row(row, events[-1].t_ns if events else 0))
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
            raise ValueError(f"line {number}: not a row of an event log: {error}") from error
    if header is None:
        raise ValueError("line 1: expected the header of an event log, got an empty file")
    yield header, events


def read_header(row: Mapping[str, Any]) -> dict[str, Any]:
    """Read a log's first line; :class:`ValueError` says what is wrong with it."""
    if row["log"] != VERSION:
        raise ValueError(f"log version {row['log']!r}, this Interlock reads {VERSION}")
    return {key: value for key, value in row.items() if key != "log"}


def read_row(row: Mapping[str, Any], now_ns: int = 0) -> Event:
    """Read one row of a log; time does not go backwards, and what rules count or compare has its type.

    Args:
        row: the row as an object.
        now_ns: the instant of the row before.

    Raises:
        KeyError: it has no instant or no kind.
        ValueError: one of them, or what the kind carries, is none.

    >>> read_row({"t": 5, "kind": "stop"})
    Event(t_ns=5, kind=<Kind.STOP: 'stop'>, call=None, detail={})
    """
    detail = dict(row)
    t_ns, kind, call = detail.pop("t"), Kind(detail.pop("kind")), detail.pop("call", None)
    if type(t_ns) is not int or t_ns < now_ns:
        raise ValueError(f"t: expected nanoseconds from {now_ns} on, got {t_ns!r}")
    if call is not None and not isinstance(call, str):
        raise ValueError(f"call: expected an id, got {call!r}")
    for key in ("attempt", "index", "n"):
        if key in detail and type(detail[key]) is not int:
            raise ValueError(f"{key}: expected a number, got {detail[key]!r}")
    closing = detail.get("closing", [])
    if not isinstance(closing, list) or not all(isinstance(pair, list) and len(pair) == 2 for pair in closing):
        raise ValueError(f"closing: expected pairs of id and outcome, got {closing!r}")
    return Event(t_ns, kind, call, detail)
