"""Asking for permission: who is asked, what the answer does, what happens without one (H2–H4, A4, X5, B035–B082)."""

import asyncio
from collections.abc import Callable
from typing import Any

import pytest

from executor import (
    Allow,
    Ask,
    Deny,
    Hook,
    Hooks,
    Options,
    PermissionRules,
    Question,
    StreamingToolExecutor,
    ToolSet,
    UpdatedInput,
    tool,
)
from executor.calls.tool import Tool
from executor.events import Kind
from sim import clock


class Person:
    """Answers questions, each after its time; by default allows."""

    def __init__(self, **answers: tuple[float, Any]) -> None:
        self.asked: list[Question] = []
        self._answers = answers

    async def __call__(self, question: Question) -> Any:
        self.asked.append(question)
        after_s, answer = self._answers.get(question.call_id, (0.0, Allow()))
        await asyncio.sleep(after_s)
        if isinstance(answer, BaseException):
            raise answer
        return answer


def answering(answer: Any) -> dict[str, Any]:
    """Options with somebody who gives this answer to the question about ``f`` after 0.2 s."""
    return {"can_use_tool": Person(f=(0.2, answer))}


def fetch(**declared: Any) -> Tool:
    @tool(name="Fetch", concurrency_safe=True, **declared)
    async def body(path: str = "", takes: float = 0.0) -> str:
        await asyncio.sleep(takes)
        return path

    return body


@tool(name="Read", concurrency_safe=True, interrupt="cancel")
async def read(path: str = "", takes: float = 0.0) -> str:
    await asyncio.sleep(takes)
    return path


@tool(name="Edit")
async def edit(path: str = "") -> str:
    return path


NEEDS = ToolSet([fetch(needs_permission=True), read, edit])
ALLOW_READ = PermissionRules(allow=("Read", "Edit"))


def test_no_body_runs_before_its_permission(shop) -> None:
    """H3, B082: an early start never skips it; the question holds the call's place."""
    person = Person(f=(2.0, Allow()))
    blocks = [(0.0, shop.block("f", "Fetch", path="x")), (0.0, shop.block("e", "Edit"))]
    played = shop.play(*blocks, tools=NEEDS, can_use_tool=person, permissions=ALLOW_READ)
    assert played.guarded_rows == [
        "0 question_asked f Fetch runs only when it is allowed",
        "2000 question_answered f allow",
        "2000 permitted f by person",
        "2000 entered f",
        "2000 left f ok",
        "2000 permitted e by rule",
        "2000 entered e",
        "2000 left e ok",
        "2000 emitted f ok",
        "2000 emitted e ok",
        "2000 turn_ended completed",
    ]
    assert person.asked == [Question("f", "Fetch", {"path": "x"}, "Fetch runs only when it is allowed")]


def test_a_person_s_refusal_ends_the_turn_and_answers_every_open_call(shop) -> None:
    """H4, A4, B035: the refused call keeps its own outcome, finished ones theirs, the rest are interrupted."""
    blocks = [
        (0.0, shop.block("r", takes=5.0)),
        (0.0, shop.block("f", "Fetch", takes=5.0)),
        (0.0, shop.block("r2", takes=0.1)),
        (0.0, shop.block("e", "Edit")),
        (2.0, shop.block("late")),
    ]
    person = Person(f=(1.0, Deny("not there")))
    played = shop.play(*blocks, tools=NEEDS, can_use_tool=person, permissions=ALLOW_READ, grace_s=0.0)
    assert played.guarded_rows == [
        "0 permitted r by rule",
        "0 entered r",
        "0 question_asked f Fetch runs only when it is allowed",
        "0 permitted r2 by rule",
        "0 entered r2",
        "100 left r2 ok",
        "1000 question_answered f refused",
        "1000 denied f by person",
        "1000 refused f",
        "1000 signalled r user_interrupted",
        "1000 left r cancelled",
        "1000 emitted r user_interrupted",
        "1000 emitted f denied",
        "1000 emitted r2 ok",
        "1000 emitted e user_interrupted",
        "2000 emitted late user_interrupted",
        "2000 turn_ended stopped",
    ]
    refused = played.results["f"]
    assert refused.content.endswith("Wait for the user to say how to go on. They said: not there")
    assert (refused.summary, refused.started) == ("User rejected tool use", False)
    assert not played.turn.should_continue


def test_nothing_queued_starts_between_a_refusal_and_its_rise(shop) -> None:
    """A4, A11: the refused call held everything up; the next one must not slip in as it settles."""
    tools = ToolSet([fetch(needs_permission=True), edit])
    blocks = [(0.0, shop.block("f", "Fetch")), (0.0, shop.block("e", "Edit"))]
    played = shop.play(*blocks, tools=tools, can_use_tool=Person(f=(1.0, Deny())))
    assert played.outcomes == {"f": "denied", "e": "user_interrupted"}
    assert played.instants_ms(Kind.ADMITTED) == [(0, "f")]


def test_an_automatic_denial_of_the_asker_concerns_one_call(shop) -> None:
    """H4."""
    person = Person(f=(1.0, Deny("policy", by_person=False)))
    blocks = [(0.0, shop.block("f", "Fetch")), (0.0, shop.block("e", "Edit"))]
    played = shop.play(*blocks, tools=NEEDS, can_use_tool=person, permissions=ALLOW_READ)
    assert played.outcomes == {"f": "denied", "e": "ok"}
    assert played.results["f"].content == "<tool_use_error>Error: Permission denied: policy</tool_use_error>"
    assert played.turn.should_continue


@pytest.mark.parametrize(
    ("options", "why", "at_ms"),
    [
        ({}, "nobody is there to be asked: Fetch runs only when it is allowed", 0),
        ({"can_use_tool": Person(f=(9.0, Allow())), "question_timeout_s": 0.5}, "nobody answered within 0.5 s", 500),
        (answering(OSError("no terminal")), "asking for permission failed: no terminal", 200),
        (
            {"can_use_tool": Person(f=(0.2, asyncio.CancelledError()))},
            "asking for permission failed: CancelledError",
            200,
        ),
        (answering(True), "it was answered neither Allow nor Deny but True", 200),
        (
            {"can_use_tool": Person(f=(0.2, Ask("you")))},
            "it was answered neither Allow nor Deny but Ask(reason='you')",
            200,
        ),
    ],
)
def test_without_an_answer_a_call_is_denied_and_the_turn_goes_on(shop, options, why, at_ms) -> None:
    """H4, X5, B081: nobody there, too late, or an asker that fails."""
    blocks = [(0.0, shop.block("f", "Fetch")), (0.0, shop.block("r"))]
    played = shop.play(*blocks, tools=NEEDS, permissions=ALLOW_READ, **options)
    assert played.outcomes == {"f": "denied", "r": "ok"}
    assert played.results["f"].summary == f"Error: Permission denied: {why}"
    assert played.emitted_ms[0] == (at_ms, "f")
    assert played.turn.should_continue


def test_whatever_nobody_decided_goes_to_whoever_can_be_asked(shop) -> None:
    """H2: no decision goes through can_use_tool, also for a tool that needs no permission by itself."""
    person = Person()
    played = shop.play((0.0, shop.block("r")), tools=NEEDS, can_use_tool=person)
    assert (played.outcomes, [question.call_id for question in person.asked]) == ({"r": "ok"}, ["r"])
    assert shop.play((0.0, shop.block("r")), tools=NEEDS).outcomes == {"r": "ok"}


@pytest.mark.parametrize(
    ("rules", "hook", "asked", "outcome"),
    [
        (PermissionRules(allow=("Fetch",)), None, False, "ok"),
        (PermissionRules(), Allow(), False, "ok"),
        (PermissionRules(), Ask("sure?"), True, "ok"),
        (PermissionRules(ask=("Fetch",)), Allow(), True, "ok"),
        (PermissionRules(allow=("Fetch",)), Ask("sure?"), True, "ok"),
        (PermissionRules(deny=("Fetch",)), Allow(), False, "denied"),
        (PermissionRules(deny=("Fetch",), allow=("Fetch",)), None, False, "denied"),
    ],
)
def test_a_hook_s_allow_skips_only_the_prompt(shop, rules, hook, asked, outcome) -> None:
    """H2: deny beats it, ask still asks."""
    person = Person()
    hooks = Hooks(pre=[lambda event: hook]) if hook is not None else Hooks()
    played = shop.play(
        (0.0, shop.block("f", "Fetch")), tools=NEEDS, can_use_tool=person, permissions=rules, hooks=hooks
    )
    assert (played.outcomes["f"], bool(person.asked)) == (outcome, asked)


@pytest.mark.parametrize(
    ("outcomes", "asked"),
    [
        ([Allow()], True),
        ([UpdatedInput({"path": "b"})], True),
        ([Allow({"path": "b"})], False),
        ([Allow(), UpdatedInput({"path": "b"})], False),
    ],
)
def test_a_tool_that_requires_interaction_asks_unless_the_allowing_hook_was_the_interaction(
    shop, outcomes, asked
) -> None:
    """H2: it was if it supplied the input as well."""
    person = Person()
    played = shop.play(
        (0.0, shop.block("f", "Fetch", path="a")),
        tools=ToolSet([fetch(requires_interaction=True)]),
        can_use_tool=person,
        permissions=PermissionRules(allow=("Fetch",)),
        hooks=Hooks(pre=[lambda event: outcomes]),
    )
    assert (played.outcomes["f"], bool(person.asked)) == ("ok", asked)


def test_an_input_given_by_one_hook_is_no_interaction_for_the_allow_of_another(shop) -> None:
    """H2."""
    person = Person()
    shop.play(
        (0.0, shop.block("f", "Fetch")),
        tools=ToolSet([fetch(requires_interaction=True)]),
        can_use_tool=person,
        hooks=Hooks(pre=[lambda event: Allow(), lambda event: UpdatedInput({"path": "b"})]),
    )
    assert len(person.asked) == 1


@pytest.mark.parametrize(
    ("given", "outcome", "content"),
    [
        ({"path": "b"}, "ok", "b"),
        ({"path": 7}, "invalid_input", None),
        ({"path": "secret/key"}, "denied", None),
        ({"path": "asked/for"}, "ok", "asked/for"),
    ],
)
def test_an_input_that_comes_with_the_answer_is_judged_again(shop, given, outcome, content) -> None:
    """H3: validated, and held against the deny rules; whoever answered was asked already."""
    rules = PermissionRules(deny=("Fetch(secret/**)",), ask=("Fetch(asked/**)",))
    played = shop.play(
        (0.0, shop.block("f", "Fetch", path="a")),
        tools=NEEDS,
        can_use_tool=Person(f=(0.1, Allow(given))),
        permissions=rules,
    )
    result = played.results["f"]
    assert (result.outcome, result.started) == (outcome, outcome == "ok")
    if content is not None:
        assert result.content == content
    assert played.turn.ended == "completed"


def test_a_question_shows_the_input_as_hooks_left_it(shop) -> None:
    """H2, X2: with the reason of whoever wants it asked."""
    person = Person()
    tools = ToolSet([fetch(backfill=lambda given: {**given, "host": "example.org"})])
    hooks = Hooks(pre=[lambda event: [UpdatedInput({"path": "b"}), Ask("is b fine?")]])
    shop.play((0.0, shop.block("f", "Fetch", path="a")), tools=tools, can_use_tool=person, hooks=hooks)
    assert person.asked == [Question("f", "Fetch", {"path": "b", "host": "example.org"}, "is b fine?")]


def test_open_questions_are_readable_in_request_order_and_answered_in_any(shop) -> None:
    """H4, B039: three at once; the second is denied; three results."""
    hooks = Hooks(pre=[Hook(lambda event: asyncio.sleep(0.3 if event.call_id == "a" else 0.0), name="slow")])
    answers = {
        "a": (2.7, Allow()),
        "b": (2.0, Deny("no", by_person=False)),
        "c": (1.0, Allow()),
    }
    open_ids: list[tuple[str, ...]] = []
    look: Callable[[Any], None] = lambda turn: open_ids.append(tuple(q.call_id for q in turn.questions))  # noqa: E731
    played = shop.play(
        *((0.0, shop.block(call, "Fetch")) for call in "abc"),
        tools=NEEDS,
        hooks=hooks,
        can_use_tool=Person(**answers),
        acts=[(at, look) for at in (0.1, 0.5, 1.5, 2.5)],
    )
    assert open_ids == [("b", "c"), ("a", "b", "c"), ("a", "b"), ("a",)]
    assert played.outcomes == {"a": "ok", "b": "denied", "c": "ok"}
    assert played.started_ms == [(1000, "c"), (3000, "a")]


@pytest.mark.parametrize("act", ["stop", "discard"])
def test_an_abort_ends_an_open_question_at_once(shop, act) -> None:
    """H6."""

    def do(turn: Any) -> None:
        turn.stop() if act == "stop" else turn.discard("enough")

    played = shop.play(
        (0.0, shop.block("f", "Fetch")), tools=NEEDS, can_use_tool=Person(f=(9.0, Allow())), acts=[(0.5, do)]
    )
    assert "500 question_answered f cut" in played.guarded_rows
    assert played.recorder.events[-1].t_ns == 500_000_000
    if act == "stop":
        assert (played.outcomes, played.results["f"].started) == ({"f": "user_interrupted"}, False)


def test_an_answer_at_the_instant_of_a_stop_does_not_start_the_body(shop) -> None:
    """A11: the answer is taken first, then the stop with all it does, before the body's first step or after it."""
    played = shop.play(
        (0.0, shop.block("f", "Fetch", takes=1.0)),
        tools=NEEDS,
        can_use_tool=Person(f=(0.5, Allow())),
        acts=[(0.5, lambda turn: turn.stop())],
        grace_s=0.0,
    )
    assert played.guarded_rows == [
        "0 question_asked f Fetch runs only when it is allowed",
        "500 question_answered f allow",
        "500 permitted f by person",
        "500 entered f",
        "500 stop",
        "500 signalled f user_interrupted",
        "500 left f cancelled",
        "500 emitted f user_interrupted",
        "500 turn_ended stopped",
    ]


def test_a_refusal_after_a_stop_rises_no_more(shop) -> None:
    """A4: the turn is aborted already; the question was closed by the stop."""
    played = shop.play(
        (0.0, shop.block("f", "Fetch")),
        tools=NEEDS,
        can_use_tool=Person(f=(0.5, Deny())),
        acts=[(0.4, lambda turn: turn.stop())],
    )
    assert played.outcomes == {"f": "user_interrupted"}


def test_an_executor_without_a_turn_shows_its_questions_too(shop) -> None:
    """H4."""

    async def main() -> list[tuple[str, ...]]:
        seen = []
        options = Options(can_use_tool=Person(f=(1.0, Allow())))
        async with StreamingToolExecutor(NEEDS, options=options) as executor:
            executor.add(shop.block("f", "Fetch"))
            await asyncio.sleep(0.5)
            seen.append(tuple(question.call_id for question in executor.questions))
            [_] = [update async for update in executor.remaining_results()]
            seen.append(tuple(question.call_id for question in executor.questions))
        return seen

    assert clock.run(main()) == [("f",), ()]
