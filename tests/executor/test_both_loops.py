"""The two loops under the executor's tests, and the list of what only one of them can tell."""

import asyncio
import time
from pathlib import Path

import pytest
import yaml

from sim import clock

HERE = Path(__file__).parent


def test_tests_that_are_virtual_only_exist_and_say_why() -> None:
    for tests in yaml.safe_load((HERE / "virtual_only.yaml").read_text()).values():
        for file, named in tests.items():
            [path] = HERE.rglob(f"{file}.py")
            for name, why in named.items():
                assert f"def {name.partition('[')[0]}(" in path.read_text(), f"{file}: {name} is gone"
                assert why


def test_the_loop_is_the_one_asked_for_and_its_clock_stands_at_the_instant_of_its_timer(on_loop) -> None:
    async def main() -> tuple[object, float]:
        loop = asyncio.get_running_loop()
        await asyncio.sleep(0.1)
        asyncio.get_running_loop().call_soon(time.sleep, 0.002)  # a late machine: half a second of this clock
        await asyncio.sleep(0.2)
        return loop, loop.time()

    loop, at_s = clock.run(main())
    assert at_s == 0.3
    assert isinstance(loop, asyncio.SelectorEventLoop) is (on_loop == "real")


def test_a_thread_is_waited_for_in_earnest(on_loop) -> None:
    if on_loop == "virtual":
        pytest.skip("the virtual clock has no threads")

    async def main() -> float:
        # Ten times as long as what is asked for: on a busy machine part of it passes before the loop waits.
        await asyncio.to_thread(time.sleep, 0.04)
        return asyncio.get_running_loop().time()

    assert clock.run(main()) >= 1.0
