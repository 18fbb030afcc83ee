"""When results and progress reach the consumer (E6–E9, E12)."""

import asyncio
from typing import Any

import pytest

from executor import Options, Recorder, StreamingToolExecutor, Turn, make_executor
from executor.events import Kind
from sim import clock
from sim.clock import SimLoop

ENGINES = ["streaming", "batch", "serial"]
READS = [("c1", 0.0, 3.0), ("c2", 1.0, 1.0), ("c3", 2.0, 2.0), ("c4", 3.0, 0.5)]


@pytest.mark.parametrize(
    ("emission", "emitted"),
    [
        ("eager", [(2000, "c2"), (3000, "c1"), (3500, "c4"), (4000, "c3")]),
        ("ordered", [(3000, "c1"), (3000, "c2"), (4000, "c3"), (4000, "c4")]),
    ],
)
def test_four_reads_come_out_as_the_seeds_say(shop, emission, emitted) -> None:
    """E6, SPEC 12.1: of 3, 1, 2 and 0.5 s, arriving at 0, 1, 2 and 3 s."""
    timed = [(at_s, shop.block(call, takes=takes_s)) for call, at_s, takes_s in READS]
    assert shop.play(*timed, emission=emission).emitted_ms == emitted


@pytest.mark.parametrize(
    ("emission", "emitted"),
    [
        ("ordered", [(100, "a"), (600, "b"), (600, "c"), (600, "d"), (700, "e")]),
        ("eager", [(100, "a"), (600, "b"), (600, "c"), (600, "d"), (700, "e")]),
    ],
)
def test_a_result_behind_an_executing_exclusive_call_waits_under_either_order(shop, emission, emitted) -> None:
    """E6: the walk stops at an executing exclusive call; and nothing spins while it does (SPEC 12.2)."""
    played = shop.play(
        (0.0, shop.block("a", takes=0.1)),
        (0.0, shop.block("b", "Edit", takes=0.5)),
        (0.2, shop.block("c", "Nope")),
        (0.3, shop.block("d", "Nope")),
        (0.3, shop.block("e", takes=0.1)),
        emission=emission,
    )
    assert played.emitted_ms == emitted


def test_eager_lets_an_unknown_tool_pass_a_queued_exclusive_call_and_ordered_does_not(shop) -> None:
    """E6, SPEC 12.1."""
    timed = [
        (0.0, shop.block("a", takes=0.2)),
        (0.0, shop.block("b", "Edit", takes=0.1)),
        (0.0, shop.block("c", "Nope")),
    ]
    assert shop.play(*timed, emission="eager").emitted_ms == [(0, "c"), (200, "a"), (300, "b")]
    assert shop.play(*timed, emission="ordered").emitted_ms == [(200, "a"), (300, "b"), (300, "c")]


@pytest.mark.parametrize("engine", ["streaming", "batch"])
@pytest.mark.parametrize("emission", ["ordered", "eager"])
def test_progress_is_taken_at_once_whatever_the_order_of_results(shop, engine, emission) -> None:
    """E7, Q3: from a call behind a slow one too; in order, before its result, none lost."""
    played = shop.play(
        (0.0, shop.block("a", takes=1.0)),
        (0.0, shop.block("b", takes=0.4, reports=[0.1, 0.2, 0.2, 0.4])),
        engine=engine,
        emission=emission,
    )
    progress = [(message.call_id, message.n, at) for at, message in played.taken if not hasattr(message, "outcome")]
    assert progress == [("b", 0, 0.1), ("b", 1, 0.2), ("b", 2, 0.2), ("b", 3, 0.4)]
    order = [getattr(message, "n", "result") for _, message in played.taken if message.call_id == "b"]
    assert order == [0, 1, 2, 3, "result"]


def test_progress_that_a_slow_consumer_finds_waiting_still_comes_before_its_result(shop) -> None:
    """E7, G1."""

    async def slowly(message: Any) -> None:
        await asyncio.sleep(1)

    played = shop.play(
        (0.0, shop.block("a", takes=0.1)),
        (0.0, shop.block("b", takes=0.5, reports=[0.2, 0.3])),
        (0.0, shop.block("c", takes=0.5, reports=[0.4])),
        consume=slowly,
    )
    order = [(message.call_id, getattr(message, "n", "result")) for _, message in played.taken]
    assert order == [("a", "result"), ("b", 0), ("b", 1), ("c", 0), ("b", "result"), ("c", "result")]


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("pause_s", [0.05, 0.7, 10.0])
def test_how_slow_the_consumer_is_never_changes_when_calls_start_or_end(shop, engine, pause_s) -> None:
    """E8."""

    async def slowly(message: Any) -> None:
        await asyncio.sleep(pause_s)

    timed = [
        (0.1 * n, shop.block(str(n), name, takes=0.15, reports=[0.1]))
        for n, name in enumerate(["Read", "Read", "Edit", "Read", "Nope", "Bash", "Read", "Read"])
    ]
    timed = [(at, block if block.name != "Nope" else shop.block(block.id, "Nope")) for at, block in timed]
    logs = []
    for consume in (None, slowly):
        played = shop.play(*timed, engine=engine, consume=consume, max_concurrency=2)
        left_out = {Kind.EMITTED, Kind.YIELDED, Kind.TURN_ENDED}
        logs.append([event for event in played.recorder.events if event.kind not in left_out])
    assert logs[0] == logs[1]


def steps_of(main: Any) -> int:
    """Count the callbacks the loop runs."""
    steps = 0

    class Counting(SimLoop):
        def call_soon(self, callback, *args, context=None):  # type: ignore[no-untyped-def, override]
            nonlocal steps
            steps += 1
            return super().call_soon(callback, *args, context=context)

    clock.run(main, loop=Counting(max_steps_per_instant=1_000))
    return steps


@pytest.mark.parametrize("emission", ["ordered", "eager"])
def test_a_waiting_consumer_sleeps_however_long_it_takes(shop, emission) -> None:
    """E8, B043: as many steps for a call of a day as for one of a second, with a completed call stuck behind it."""

    async def turn(takes_s: float) -> None:
        made = Turn(shop.tools, options=Options(emission=emission))
        blocks = shop.response((0.0, shop.block("a", "Edit", takes=takes_s)), (0.0, shop.block("b", "Nope")))
        assert [update.message.call_id async for update in made.run(blocks)] == ["a", "b"]

    second, day = steps_of(turn(1.0)), steps_of(turn(86_400.0))
    assert second == day < 100


def test_a_result_that_cannot_be_emitted_yet_does_not_wake_the_consumer(shop) -> None:
    """E8, B043: the steps of a long turn grow with its calls, not with their square."""

    def steps(calls: int) -> int:
        async def turn() -> None:
            made = Turn(shop.tools, options=Options(max_concurrency=None))
            blocks = [(0.0, shop.block("slow", takes=100.0))]
            blocks += [(0.0, shop.block(str(n), takes=0.001 * n)) for n in range(calls)]
            assert len([update async for update in made.run(shop.response(*blocks))]) == calls + 1

        return steps_of(turn())

    assert steps(200) - steps(100) <= 100 * 3


def test_completed_results_gives_what_there_is_and_never_waits(shop) -> None:
    """E8."""

    async def main() -> list[list[str]]:
        loop = asyncio.get_running_loop()
        async with StreamingToolExecutor(shop.tools) as executor:
            rounds = []
            for at_s, block in [(0.0, shop.block("a", takes=0.3)), (0.1, shop.block("b", takes=0.1)), (0.5, None)]:
                await asyncio.sleep(at_s - loop.time())
                before = loop.time()
                if block is not None:
                    executor.add(block)
                rounds.append([update.result.call_id for update in executor.completed_results()])
                assert loop.time() == before
            assert list(executor.completed_results()) == []
        return rounds

    assert clock.run(main()) == [[], [], ["a", "b"]]


@pytest.mark.parametrize("engine", ENGINES)
def test_remaining_results_declares_the_response_complete_and_ends_with_the_last_call(shop, engine) -> None:
    """E8: the batch engines start here."""

    async def main() -> tuple[list[tuple[float, str]], float]:
        loop = asyncio.get_running_loop()
        async with make_executor(engine, shop.tools) as executor:
            executor.add(shop.block("a", takes=0.2))
            executor.add(shop.block("b", "Edit", takes=0.2))
            await asyncio.sleep(1)
            got = [(loop.time(), update.result.call_id) async for update in executor.remaining_results()]
            with pytest.raises(RuntimeError, match="declared complete"):
                executor.add(shop.block("c"))
        return got, loop.time()

    late = [(1.0, "a"), (1.0, "b")] if engine == "streaming" else [(1.2, "a"), (1.4, "b")]
    assert clock.run(main()) == (late, late[-1][0])


def test_a_response_without_calls_has_nothing_remaining(shop) -> None:
    """E8."""

    async def main() -> list[Any]:
        async with StreamingToolExecutor(shop.tools) as executor:
            return [update async for update in executor.remaining_results()]

    assert clock.run(main()) == []


def test_an_executor_has_one_consumer_at_a_time(shop) -> None:
    """E8."""

    async def main() -> list[Any]:
        async with StreamingToolExecutor(shop.tools) as executor:
            executor.add(shop.block("a", takes=1.0))

            async def consume() -> list[str]:
                return [update.result.call_id async for update in executor.remaining_results()]

            return await asyncio.gather(consume(), consume(), return_exceptions=True)

    first, second = clock.run(main())
    assert first == ["a"]
    assert str(second) == "updates are being waited for already: an executor has one consumer at a time"


def test_a_consumer_that_was_cancelled_may_be_followed_by_another(shop) -> None:
    """E8: what the first has not taken is still there, once."""

    async def main() -> list[str]:
        async with StreamingToolExecutor(shop.tools) as executor:
            executor.add(shop.block("a", takes=1.0))
            first = asyncio.create_task(anext(executor.updates()))
            await asyncio.sleep(0.5)
            first.cancel()
            await asyncio.wait([first])
            return [update.result.call_id async for update in executor.remaining_results()]

    assert clock.run(main()) == ["a"]


def test_whoever_drives_by_hand_sleeps_until_there_is_something_and_is_told_when_nothing_more_comes(shop) -> None:
    """E8, B043."""

    async def main() -> list[tuple[float, list[str]]]:
        loop = asyncio.get_running_loop()
        taken: list[tuple[float, list[str]]] = []
        async with StreamingToolExecutor(shop.tools) as executor:
            executor.add(shop.block("a", takes=1.0))
            executor.add(shop.block("b", takes=2.0))
            executor.response_complete()
            while await executor.wait():
                taken.append((loop.time(), [update.message.call_id for update in executor.completed_results()]))
            assert not await executor.wait()
        return taken

    assert clock.run(main()) == [(1.0, ["a"]), (2.0, ["b"])]


def test_who_executes_and_who_could_be_interrupted_is_announced_on_every_change(shop) -> None:
    """E9: ids leave when settled, not when emitted."""
    told: list[tuple[float, tuple[str, ...], bool]] = []

    def on_activity(executing: tuple[str, ...], interruptible: bool) -> None:
        told.append((asyncio.get_running_loop().time(), executing, interruptible))

    shop.play(
        (0.0, shop.block("a", takes=0.3)),
        (0.1, shop.block("b", "Watch", takes=0.1)),
        (0.3, shop.block("c", "Bash", command="rm", takes=0.1)),
        on_activity=on_activity,
    )
    assert told == [
        (0.0, ("a",), True),
        (0.1, ("a", "b"), False),
        (0.2, ("a",), True),
        (0.3, (), False),
        (0.3, ("c",), True),
        (0.4, (), False),
    ]


def test_who_executes_can_be_read_at_any_time(shop) -> None:
    """E9."""

    async def main() -> list[tuple[tuple[str, ...], bool]]:
        read = []
        async with StreamingToolExecutor(shop.tools) as executor:
            read.append((executor.in_progress, executor.interruptible))
            for call, name in (("a", "Read"), ("b", "Watch"), ("c", "Edit"), ("u", "Nope")):
                given = {} if name == "Nope" else {"takes": 0.2}
                executor.add(shop.block(call, name, **given))
                read.append((executor.in_progress, executor.interruptible))
            await asyncio.sleep(0.3)
            read.append((executor.in_progress, executor.interruptible))
            await asyncio.sleep(0.2)
            read.append((executor.in_progress, executor.interruptible))
        return read

    assert clock.run(main()) == [
        ((), False),
        (("a",), True),
        (("a", "b"), False),
        (("a", "b"), False),
        (("a", "b"), False),
        (("c",), False),
        ((), False),
    ]


def test_finished_results_behind_a_slow_head_can_be_read_without_changing_anything(shop) -> None:
    """E12."""

    async def main() -> list[list[str]]:
        read = []
        async with StreamingToolExecutor(shop.tools) as executor:
            executor.add(shop.block("a", takes=0.5))
            executor.add(shop.block("b", takes=0.2))
            executor.add(shop.block("c", takes=0.1))
            executor.add(shop.block("d", "Nope"))
            for _ in range(4):
                settled = [result.call_id for result in executor.settled()]
                assert settled == [result.call_id for result in executor.settled()]
                read.append(settled)
                await asyncio.sleep(0.15)
            read.append([update.result.call_id async for update in executor.remaining_results()])
            read.append([result.call_id for result in executor.settled()])
        return read

    assert clock.run(main()) == [["d"], ["c", "d"], ["b", "c", "d"], ["b", "c", "d"], ["a", "b", "c", "d"], []]


def test_what_was_taken_is_told_with_all_that_is_known_of_it(shop) -> None:
    """SPEC 10: the outside view of an emission."""

    async def main() -> list[dict[str, Any]]:
        recorder = Recorder()
        async with StreamingToolExecutor(shop.tools, announce=recorder) as executor:
            executor.add(shop.block("a", ends="error", reports=[0.0]))
            async for _ in executor.remaining_results():
                pass
        return [dict(event.detail) for event in recorder.events if event.kind is Kind.EMITTED]

    assert clock.run(main()) == [
        {"what": "progress", "n": 0},
        {"what": "result", "outcome": "error", "started": True, "is_error": True, "abandoned": False},
    ]
