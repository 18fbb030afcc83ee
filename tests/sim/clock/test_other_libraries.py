"""Other people's asyncio code runs on the loop as it is, at exact instants."""

import asyncio

import pytest

from sim.clock import SimLoop


def run(main):
    with asyncio.Runner(loop_factory=SimLoop) as runner:
        return runner.run(main)


def now():
    return asyncio.get_running_loop().time()


def test_anyio_runs_task_groups_cancel_scopes_streams_and_locks():
    anyio = pytest.importorskip("anyio", reason="the interop extra brings anyio")

    async def main():
        log = []
        send, receive = anyio.create_memory_object_stream(max_buffer_size=1)
        limiter, started = anyio.CapacityLimiter(2), anyio.Event()

        async def produce():
            await started.wait()
            async with send:
                for item in range(3):
                    await anyio.sleep(1)
                    await send.send(item)

        async def work(delay_s):
            async with limiter:
                await anyio.sleep(delay_s)
                log.append(("worked", delay_s, now()))

        async def stubborn():
            try:
                await anyio.sleep_forever()
            finally:
                with anyio.CancelScope(shield=True):
                    await anyio.sleep(0.5)
                log.append(("cleaned up", now()))

        async with anyio.create_task_group() as group:
            group.start_soon(produce)
            for delay_s in (4, 2, 3):
                group.start_soon(work, delay_s)
            started.set()
            async with receive:
                received = [(item, now()) async for item in receive]
        with anyio.move_on_after(2) as scope:
            await stubborn()
        log.append((scope.cancelled_caught, now()))
        with pytest.raises(TimeoutError), anyio.fail_after(1):
            await anyio.sleep(2)
        return received, log, now()

    assert anyio.run(main, backend_options={"loop_factory": SimLoop}) == (
        [(0, 1), (1, 2), (2, 3)],
        [("worked", 2, 2), ("worked", 4, 4), ("worked", 3, 5), ("cleaned up", 7.5), (True, 7.5)],
        8.5,
    )


def test_tenacity_waits_between_its_attempts():
    tenacity = pytest.importorskip("tenacity", reason="the interop extra brings tenacity")
    attempts = []

    @tenacity.retry(
        wait=tenacity.wait_exponential(multiplier=0.1, max=1),
        stop=tenacity.stop_after_attempt(6),
        retry=tenacity.retry_if_exception_type(ConnectionError),
    )
    async def flaky():
        attempts.append(now())
        await asyncio.sleep(0.01)
        if len(attempts) < 6:
            raise ConnectionError
        return "answered"

    async def main():
        return await flaky(), now()

    assert run(main()) == ("answered", 2.56)
    assert attempts == [0, 0.11, 0.32, 0.73, 1.54, 2.55]


def test_aiostream_merges_streams_and_ends_them():
    aiostream = pytest.importorskip("aiostream", reason="the interop extra brings aiostream")
    stream, pipe = aiostream.stream, aiostream.pipe
    closed = []

    async def ticks(name, interval_s):
        try:
            for number in range(100):
                await asyncio.sleep(interval_s)
                yield f"{name}{number}"
        finally:
            await asyncio.sleep(0.1)
            closed.append((name, now()))

    async def main():
        merged = stream.merge(ticks("a", 2), ticks("b", 3.5)) | pipe.take(4)
        async with merged.stream() as streamer:
            seen = [(item, now()) async for item in streamer]
        doubled = stream.range(4, interval=0.5) | pipe.map(slow_double, ordered=True, task_limit=2)
        return seen, await stream.list(doubled), now()

    async def slow_double(number):
        await asyncio.sleep(1)
        return 2 * number

    seen, doubled, end_s = run(main())
    assert seen == [("a0", 2), ("b0", 3.5), ("a1", 4), ("a2", 6)]
    assert closed == [("b", 6.1), ("a", 6.2)]
    assert (doubled, end_s) == ([0, 2, 4, 6], 9.2)


def test_an_httpx_client_talks_to_a_modelled_server():
    httpx = pytest.importorskip("httpx", reason="the interop extra brings httpx")
    served = []

    async def server(request):
        await asyncio.sleep(float(request.url.params["takes"]))
        served.append((request.url.path, now()))
        return httpx.Response(200, json={"path": request.url.path}, headers={"x-seen": request.headers["x-name"]})

    async def body():
        for chunk in (b"one", b"two"):
            await asyncio.sleep(1)
            yield chunk

    async def main():
        transport = httpx.MockTransport(server)
        async with httpx.AsyncClient(transport=transport, base_url="http://model", headers={"x-name": "us"}) as client:
            paths = {"/slow": 3, "/quick": 1}
            answers = await asyncio.gather(*(client.get(path, params={"takes": s}) for path, s in paths.items()))
            with pytest.raises(TimeoutError):
                async with asyncio.timeout(2):
                    await client.get("/late", params={"takes": 9})
            posted = await client.post("/body", params={"takes": 0.5}, content=body())
        return [(answer.json(), answer.headers["x-seen"]) for answer in answers], posted.status_code, now()

    assert run(main()) == ([({"path": "/slow"}, "us"), ({"path": "/quick"}, "us")], 200, 7.5)
    assert served == [("/quick", 1), ("/slow", 3), ("/body", 7.5)]


def test_an_httpx_client_calls_an_asgi_application():
    httpx = pytest.importorskip("httpx", reason="the interop extra brings httpx")

    async def application(scope, receive, send):
        await asyncio.sleep(1.5)
        await send({"type": "http.response.start", "status": 201, "headers": []})
        for chunk in (b"hel", b"lo"):
            await asyncio.sleep(0.25)
            await send({"type": "http.response.body", "body": chunk, "more_body": chunk == b"hel"})

    async def main():
        async with httpx.AsyncClient(transport=httpx.ASGITransport(application), base_url="http://model") as client:
            answer = await client.get("/")
        return answer.status_code, answer.text, now()

    assert run(main()) == (201, "hello", 2)
