"""Random hooks, rules, rewrites and answers: what must hold whatever they say (H3, H8, N1, A6, L1).

The body notes the input it really ran with; the rules are asked again about that very input.
"""

import asyncio
from dataclasses import dataclass
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from executor import (
    AdditionalContext,
    Allow,
    Ask,
    CallHandle,
    Deny,
    Hook,
    HookEvent,
    Hooks,
    Options,
    PermissionRules,
    PreventContinuation,
    Recorder,
    Stop,
    ToolSet,
    ToolUseBlock,
    Turn,
    UpdatedInput,
    tool,
)
from executor.calls.tool import Tool
from executor.events import Event, Kind
from sim import clock

COMMANDS = ("ls", "cat a", "rm x", "make", "git push")
SECONDS = st.sampled_from((0.0, 0.1, 0.2, 0.3, 0.5))
RULES = st.lists(
    st.sampled_from(("Sh", "Sh(rm:*)", "Sh(make)", "Sh(git *)", "Ask(rm:*)", "*", "*(cat:*)")), max_size=2, unique=True
)


@dataclass
class Ran:
    """One run of a body."""

    call: str
    tool: str
    command: str
    start_s: float
    end_s: float = -1.0


def saying() -> st.SearchStrategy[Any]:
    commands = st.sampled_from(COMMANDS)
    return st.one_of(
        st.just(Allow()),
        st.just(Deny("no")),
        st.just(Ask("sure?")),
        st.just(Stop("stop")),
        st.just(PreventContinuation()),
        st.just(AdditionalContext("context")),
        st.builds(lambda command: UpdatedInput({"command": command}), commands),
        st.builds(lambda command: Allow({"command": command}), commands),
        st.just(UpdatedInput({"command": 7})),
        st.just("nonsense"),
    )


@st.composite
def a_hook(draw: st.DrawFn) -> Hook:
    said = draw(st.lists(saying(), max_size=2))
    takes, fails = draw(SECONDS), draw(st.sampled_from(("", "", "", "raises", "hangs")))

    async def run(event: HookEvent) -> Any:
        await asyncio.sleep(takes)
        if fails == "raises":
            raise OSError("broken")
        if fails == "hangs":
            await asyncio.sleep(1_000.0)
        return said

    tools = draw(st.sampled_from(("*", "Sh", "Ask")))
    return Hook(run, tools=tools, timeout_s=0.4, fail_closed=draw(st.booleans()))


ANSWERS = st.one_of(
    st.just(Allow()),
    st.just(Deny("refused")),
    st.just(Deny("policy", by_person=False)),
    st.builds(lambda command: Allow({"command": command}), st.sampled_from(COMMANDS)),
    st.just(None),
    st.just(OSError("gone")),
)


def tools_that_note(ran: list[Ran]) -> ToolSet:
    def of(name: str, **declared: Any) -> Tool:
        @tool(
            name=name,
            concurrency_safe=lambda given: given["command"].startswith(("ls", "cat")),
            interrupt="cancel",
            backfill=lambda given: {**given, "seen_by": "hooks"},
            **declared,
        )
        async def body(call: CallHandle, command: str, takes: float = 0.0) -> str:
            entry = Ran(call.call_id, name, command, asyncio.get_running_loop().time())
            ran.append(entry)
            try:
                await asyncio.sleep(takes)
            finally:
                entry.end_s = asyncio.get_running_loop().time()
            return command

        return body

    return ToolSet([of("Sh"), of("Ask", needs_permission=True)])


Calls = list[tuple[float, ToolUseBlock]]


@st.composite
def some_calls(draw: st.DrawFn) -> Calls:
    calls, at_s = [], 0.0
    for number in range(draw(st.integers(1, 6))):
        at_s += draw(SECONDS)
        given = {"command": draw(st.sampled_from(COMMANDS)), "takes": draw(SECONDS)}
        calls.append((at_s, ToolUseBlock(f"c{number}", draw(st.sampled_from(("Sh", "Ask"))), given)))
    return calls


def play(
    calls: Calls, hooks: Hooks, rules: PermissionRules, answers: list[Any] | None, **options: Any
) -> tuple[list[Ran], list[Event], Turn]:
    ran: list[Ran] = []

    async def ask(question: Any) -> Any:
        assert answers, "asked only where there is somebody"
        takes, answer = answers[int(question.call_id[1:]) % len(answers)]
        await asyncio.sleep(takes)
        if isinstance(answer, OSError):
            raise answer
        return answer

    async def response() -> Any:
        for at_s, block in calls:
            await asyncio.sleep(at_s - asyncio.get_running_loop().time())
            yield block

    async def main() -> tuple[list[Ran], list[Event], Turn]:
        recorder = Recorder()
        chosen = Options(hooks=hooks, permissions=rules, can_use_tool=ask if answers else None, **options)
        engine = options_engine
        turn = Turn(tools_that_note(ran), engine=engine, options=chosen, announce=recorder)
        async for _ in turn.run(response()):
            pass
        assert asyncio.all_tasks() == {asyncio.current_task()}
        return ran, recorder.events, turn

    options_engine = options.pop("engine")
    return clock.run(main())


def none_overlaps_an_exclusive_one(ran: list[Ran], tools: ToolSet) -> bool:
    """S1: judged by the input each body really ran with; two that only touch do not overlap."""

    def exclusive(entry: Ran) -> bool:
        found = tools.find(entry.tool)
        return found is None or not found.is_concurrency_safe({"command": entry.command})

    return not any(
        one.start_s < other.end_s and other.start_s < one.end_s
        for one in ran
        for other in ran
        if one is not other and exclusive(one)
    )


@settings(max_examples=max(1_000, settings.default.max_examples))
@given(
    calls=some_calls(),
    pre=st.lists(a_hook(), max_size=3),
    post=st.lists(a_hook(), max_size=1),
    deny=RULES,
    ask=RULES,
    allow=RULES,
    answers=st.one_of(st.none(), st.lists(st.tuples(SECONDS, ANSWERS), min_size=1, max_size=3)),
    question_timeout_s=st.sampled_from((None, 0.25)),
    engine=st.sampled_from(("streaming", "batch", "serial")),
    limit=st.sampled_from((1, 2, None)),
)
def test_no_body_before_its_permission_no_deny_rule_beaten_every_call_answered_once(
    calls, pre, post, deny, ask, allow, answers, question_timeout_s, engine, limit
) -> None:
    """H3, H4, H8, N1, P1, S1, S7, L1: SimLoop ends a turn in which everybody waits as a deadlock."""
    rules = PermissionRules(deny=tuple(deny), ask=tuple(ask), allow=tuple(allow))
    hooks = Hooks(pre=pre, post=post, failure=post)
    options = {"question_timeout_s": question_timeout_s, "engine": engine, "max_concurrency": limit}
    ran, events, turn = play(calls, hooks, rules, answers, **options)

    tools = tools_that_note([])
    for entry in ran:
        found = tools.find(entry.tool)
        assert found is not None
        decision = rules.decide(found, {"command": entry.command, "takes": 0.0})
        assert not isinstance(decision, Deny), f"{entry} ran against {decision}"
    assert len({entry.call for entry in ran}) == len(ran)
    assert none_overlaps_an_exclusive_one(ran, tools)

    ids = [block.id for _, block in calls]
    assert sorted(result for result in turn._results) == sorted(ids)
    emitted = [event.call for event in events if event.kind is Kind.EMITTED]
    assert emitted == ids[: len(emitted)]

    # Where nothing could object there is nobody to tell of a permission.
    guarded = pre or post or deny or ask or allow or answers
    permitted: set[str | None] = set() if guarded else {block.id for _, block in calls if block.name == "Sh"}
    asked: set[str | None] = set()
    for event in events:
        if event.kind is Kind.PERMITTED:
            assert event.call not in asked or event.detail["by"] == "person"
            permitted.add(event.call)
        elif event.kind is Kind.QUESTION_ASKED:
            asked.add(event.call)
        elif event.kind is Kind.ENTERED:
            assert event.call in permitted, "entered without permission"
    assert {entry.call for entry in ran} <= permitted

    refused = any(event.kind is Kind.QUESTION_ANSWERED and event.detail["how"] == "refused" for event in events)
    assert turn.ended == ("stopped" if refused else "completed")


@pytest.mark.parametrize("engine", ["streaming", "batch"])
def test_permission_is_a_function_of_the_call_not_of_its_neighbours(engine) -> None:
    """B035, Q5: the same call gets the same answer alone and among others."""
    rules = PermissionRules(deny=("Sh(rm:*)",), allow=("Sh(ls:*)",))

    def outcomes(*commands: str) -> list[str]:
        calls = [(0.0, ToolUseBlock(f"c{n}", "Sh", {"command": command})) for n, command in enumerate(commands)]
        _, _, turn = play(calls, Hooks(), rules, None, engine=engine)
        return [turn._results[block.id].outcome.value for _, block in calls]

    together = outcomes("ls", "rm x", "ls", "make", "rm x", "ls")
    assert together == [outcomes(command)[0] for command in ("ls", "rm x", "ls", "make", "rm x", "ls")]
