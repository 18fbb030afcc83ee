"""The HTML report in a real browser: what people see and press, and what a hostile session cannot do."""

import json
import shutil
from collections.abc import Iterator
from importlib.resources import files
from pathlib import Path

import pytest

from scenarios import Call, Scenario, read_trace
from sim import Violation, simulate
from sim.analysis.courses import CallCourse, Response, TurnCourse, courses
from sim.analysis.replay import replay
from sim.show import amounts
from sim.show.html import HtmlReport, TurnRow
from sim.show.html.replayed import MEASURES, replayed_row

playwright = pytest.importorskip("playwright.sync_api", reason="the report's browser tests need the extra 'browser'")
CHROMIUM = shutil.which("chromium")
pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="there is no chromium on the path to open the report in")
FLAGS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)
SAMPLE = files("scenarios") / "samples" / "failing_call_and_interrupt.jsonl"
STREAMING = "#turn=2&view=streaming"
TOLD = "(byId('tip').hidden ? '' : byId('tip').innerText)"
DESKTOP, PHONE = {"width": 1280, "height": 900}, {"width": 390, "height": 844}


@pytest.fixture(scope="module")
def browser() -> Iterator:
    with playwright.sync_playwright() as started:
        chromium = started.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        yield chromium
        chromium.close()


@pytest.fixture
def open_page(browser, tmp_path) -> Iterator:
    """Open a page's text from a file; afterwards nothing was asked of the network and nothing was complained of."""
    contexts, trouble = [], []

    def open_(text: str, at: str = "", viewport=DESKTOP, **options):
        file = tmp_path / "report.html"
        file.write_text(text, encoding="utf-8")
        context = browser.new_context(viewport=viewport, **options)
        contexts.append(context)
        page = context.new_page()
        page.set_default_timeout(30_000)
        page.on("console", lambda message: trouble.append(message.text))
        page.on("pageerror", lambda error: trouble.append(str(error)))
        page.on("request", lambda request: trouble.append(request.url) if request.url != file.as_uri() else None)
        page.on("dialog", lambda dialog: trouble.append(dialog.message))
        page.goto(file.as_uri() + at)
        return page

    open_.trouble = trouble
    yield open_
    for context in contexts:
        context.close()
    assert trouble == []


def violation(rule, at_ns, *calls):
    return Violation(rule, "what must hold", at_ns, calls, f"{rule} was broken", "", "interlock run a.yaml")


def some_turns() -> str:
    calls = [
        Call(id="a", at="500ms", takes="1s", input={"path": "/src/a.ts"}),
        Call(id="b", tool="Edit", at="1s", takes="2s"),
        Call(id="c", at="1.5s", takes="500ms", ends="error"),
    ]
    scenario = Scenario(tools={"Read": {}, "Edit": {"safe": False}}, calls=calls)
    report = HtmlReport("Three turns", ["streaming", "batch"])
    engines = {engine: simulate(scenario, engine) for engine in ("streaming", "batch")}
    broken = {"streaming": [], "batch": [violation("S1", 2_000_000_000, "b", "a"), violation("P4", 3_500_000_000, "c")]}
    views = {engine: courses(run, violations=broken[engine]) for engine, run in engines.items()}
    report.add(TurnRow("first", {"streaming": courses(simulate(Scenario(calls=[])))}, [0, None]))
    report.add(TurnRow("second", views, [4_000_000_000, 5_000_000_000], {"a": "/src/a.ts"}, note="a note"))
    report.add(TurnRow("third", {"streaming": views["streaming"]}, [9_000_000_000, 1_000_000_000]))
    return report.page({"turns": "3"}, totals_ns={"streaming": 2, "batch": 3}, totals_told="together")


def many_turns(turns: int, calls: int) -> str:
    told = [
        CallCourse(f"c{n}", "Read", True, arrived_ns=n, started_ns=n, ended_ns=n + 9, emitted_ns=n + 9, outcome="ok")
        for n in range(calls)
    ]
    course = TurnCourse({}, tuple(told), (Response(0, 0, calls),), turn_ended_ns=calls + 9)
    report = HtmlReport("Many", ["streaming"])
    for n in range(turns):
        report.add(TurnRow(f"turn {n}", {"streaming": course}, [n]))
    return report.page({"turns": str(turns)})


def hostile_session(folder: Path) -> Path:
    """Write a sample session in which names, ids and inputs try to run, to end their element, and to turn the text."""
    text = SAMPLE.read_text(encoding="utf-8")
    swapped = {
        "/home/ada/ledger/totals.py": "<img src=x onerror=alert(1)>",
        "python -m pytest": "</script><script>alert(2)</script><!--",
        "toolu_b1": "b1\u202e\u2028\"'><svg onload=alert(3)>",
        '"Grep"': json.dumps("<script>alert(4)</script>"),
    }
    for what, by in swapped.items():
        assert what in text
        text = text.replace(what, by if by.startswith('"') else json.dumps(by)[1:-1])
    file = folder / "<b>session.jsonl"
    file.write_text(text, encoding="utf-8")
    return file


def ticks(page) -> list[str]:
    """Give the labels of the axis, once what was pressed is drawn."""
    page.evaluate("() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done())))")
    return page.locator("#axis text").all_text_contents()


def chosen(page) -> str:
    return page.locator('[role="option"][aria-selected="true"]').inner_text()


def test_a_hostile_session_is_shown_and_does_nothing(open_page, tmp_path) -> None:
    report, session = HtmlReport("<script>alert(5)</script>", MEASURES), hostile_session(tmp_path)
    for turn in read_trace(session):
        report.add(replayed_row(str(session), replay(turn)))
    page = open_page(report.page({}))
    for turn in range(3):
        page.locator("#table tbody button").nth(turn).click()
        page.locator("#rows").press("ArrowDown")
        page.locator("#rows .call").first.hover()
    assert page.locator("body img, #details svg, #table script, #canvas script").count() == 0
    assert "<script>alert(4)</script>" in page.locator("#table").inner_text()
    page.locator("#table tbody button").nth(1).click()
    page.locator("#rows").press("Home")
    assert r"b1\u202e\u2028" + "\"'><svg onload=alert(3)>" in page.locator("#details").inner_text()


def test_whoever_gets_markup_into_the_page_still_cannot_run_it(open_page) -> None:
    page = open_page(many_turns(1, 1))
    refused = page.evaluate("() => { try { document.body.innerHTML = '<b>'; } catch (error) { return error.name; } }")
    assert refused == "TypeError"
    assert len(open_page.trouble) == 1
    open_page.trouble.clear()


def test_the_turn_with_most_to_see_is_drawn_first(open_page) -> None:
    page = open_page(some_turns())
    assert page.title() == "Three turns"
    assert page.locator("#turn-title").inner_text() == "second"
    assert page.locator("#views input:checked").get_attribute("value") == "batch"
    page = open_page(some_turns(), at=STREAMING)
    assert page.locator("#turn-told").inner_text() == "completed · a note"
    assert page.locator("#rows .name").all_inner_texts() == ["Read a.ts", "Edit b", "Read c"]
    assert page.locator("#bars .run").count() == 3
    assert page.locator("#bars .run.fails").count() == 1
    assert page.locator("#bars .told").all_text_contents() == ["1 s", "2 s", "500 ms · error"]
    assert page.locator("#violations-title").inner_text() == "2 broken rules"


def test_all_of_it_can_be_done_by_keys(open_page) -> None:
    page = open_page(some_turns(), at=STREAMING)
    page.locator("#rows").focus()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowDown")
    assert chosen(page) == "Edit b"
    assert page.locator("#details").inner_text().startswith("Edit\nended as\nok\n")
    assert (
        "waited\n500 ms because one of the two runs alone, until Read a.ts was over"
        in page.locator("#details").inner_text()
    )
    fitted = ticks(page)
    page.keyboard.press("Enter")
    assert ticks(page) == ["1 s", "1.5 s", "2 s", "2.5 s", "3 s", "3.5 s"]
    page.keyboard.press("0")
    assert ticks(page) == fitted
    page.keyboard.press("End")
    assert chosen(page) == "Read c"
    page.keyboard.press("ArrowDown")
    assert chosen(page) == "Read c"
    page.keyboard.press("+")
    closer = ticks(page)
    page.keyboard.press("ArrowRight")
    further = ticks(page)
    assert fitted != closer != further
    page.keyboard.press("Escape")
    assert ticks(page) == fitted


def test_every_control_is_reached_by_tab_and_shows_its_focus(open_page) -> None:
    page = open_page(some_turns())
    met = []
    while True:
        page.keyboard.press("Tab")
        name, ringed = page.evaluate(
            """() => {
                const here = document.activeElement;
                const shown = [here, here.closest("label"), here.closest(".chart")].filter(Boolean);
                const ringed = shown.some((node) => getComputedStyle(node).outlineStyle !== "none");
                return [here === document.body ? "" : here.id || here.name || here.textContent, ringed];
            }"""
        )
        if not name:
            break
        met.append((name, ringed))
    assert [name for name, ringed in met if not ringed] == []
    names = [name for name, _ in met]
    for expected in ("theme", "S1 was broken", "filter", "calls", "second", "next", "view", "zoom-in", "jump", "rows"):
        assert expected in names


def test_wheel_pointer_and_buttons_zoom_choose_and_tell(open_page) -> None:
    page = open_page(some_turns(), at=STREAMING)
    row = page.locator("#rows .call").nth(1)
    row.hover()
    assert page.locator("#tip").inner_text().splitlines()[0] == "Edit b"
    row.click()
    assert chosen(page) == "Edit b"
    fitted = ticks(page)
    page.keyboard.down("Control")
    page.mouse.wheel(0, -600)
    page.keyboard.up("Control")
    assert ticks(page) != fitted
    page.locator("#fit").click()
    assert ticks(page) == fitted
    width = page.locator("#bars .run").nth(1).bounding_box()["width"]
    page.locator("#zoom-in").click()
    assert ticks(page) != fitted
    assert page.locator("#bars .run").nth(1).bounding_box()["width"] == pytest.approx(1.6 * width)


@pytest.mark.parametrize("move", ["the rows", "another engine", "another turn"])
def test_the_tip_tells_of_the_call_that_is_under_the_pointer_now(open_page, move) -> None:
    text = some_turns() if move.startswith("another") else many_turns(2, 500)
    page = open_page(text, at="#turn=2", viewport={"width": 1280, "height": 500})
    page.locator("#rows .call").nth(1).hover()
    pointer = page.evaluate("({ clientX: chart.pointer.clientX, clientY: chart.pointer.clientY })")
    before = page.evaluate(TOLD)
    assert before
    if move == "the rows":
        page.evaluate("byId('rows').scrollTop = 3000")
    elif move == "another engine":
        page.locator("#rows").press("e")
    else:
        page.evaluate("location.hash = '#turn=1'")
    page.wait_for_function(f"before => {TOLD} !== before", arg=before)
    after = page.evaluate(TOLD)
    page.evaluate("at => byId('rows').dispatchEvent(new PointerEvent('pointermove', at))", pointer)
    assert page.evaluate(TOLD) == after


def test_a_click_on_a_broken_rule_jumps_to_it(open_page) -> None:
    page = open_page(some_turns(), at="#turn=1")
    assert page.locator("#turn-title").inner_text() == "first"
    assert page.locator("#details").inner_text() == "This turn has no calls."
    page.locator("#violations button", has_text="P4").click()
    assert page.locator("#turn-title").inner_text() == "second"
    assert page.locator("#views input:checked").get_attribute("value") == "batch"
    assert chosen(page) == "Read c"
    assert "P4 broken at 3.5 s" in page.locator("#details").inner_text()
    assert page.evaluate("document.activeElement.id") == "rows"
    assert page.locator("#bars .mark").count() == 3
    page.keyboard.press("n")
    assert chosen(page) == "Edit b"
    assert page.url.endswith("#turn=2&view=batch")


def test_an_engine_is_chosen_by_its_name(open_page) -> None:
    page = open_page(some_turns(), at=STREAMING)
    page.locator("#views label", has_text="batch").click()
    assert page.locator("#jump").is_visible()
    page.keyboard.press("ArrowLeft")
    assert page.locator("#views input:checked").get_attribute("value") == "streaming"
    assert page.locator("#jump").is_hidden()


def test_engines_share_an_axis_and_keep_what_is_chosen(open_page) -> None:
    page = open_page(some_turns(), at=STREAMING)
    page.locator("#rows").press("ArrowDown")
    page.keyboard.press("+")
    closer, view = ticks(page), page.locator("#views input:checked")
    page.keyboard.press("e")
    assert (view.get_attribute("value"), chosen(page), ticks(page)) == ("batch", "Read a.ts", closer)
    assert page.locator("#views").inner_text().split("\n") == ["Drawn as", "streaming 4 s", "batch 5 s"]
    page.keyboard.press("e")
    assert (view.get_attribute("value"), chosen(page), ticks(page)) == ("streaming", "Read a.ts", closer)


def test_amounts_read_as_in_the_terminal(open_page) -> None:
    page = open_page(many_turns(1, 1))
    some_ns = [
        0,
        1,
        999,
        1_125_000,
        1_250_000,
        1_350_000,
        99_949_999,
        999_500_000,
        2_345_000_000,
        119_999_999_999,
        10**17,
    ]
    some_ns += [-ns for ns in some_ns]
    assert page.evaluate("(all) => all.map(about)", some_ns) == [amounts.about(ns) for ns in some_ns]
    assert page.evaluate("(all) => all.map(precise)", some_ns) == [amounts.precise(ns) for ns in some_ns]


def test_the_table_sorts_and_filters(open_page) -> None:
    page = open_page(some_turns())
    names = page.locator("#table tbody button").all_inner_texts
    head = page.locator("#table th", has_text="batch")
    head.locator("button").press("Enter")
    assert (names(), head.get_attribute("aria-sort")) == (["second", "third", "first"], "descending")
    head.locator("button").press("Enter")
    assert (names(), head.get_attribute("aria-sort")) == (["third", "second", "first"], "ascending")
    page.locator("#filter").fill("edit note")
    assert names() == ["second"]
    assert page.locator("#shown").inner_text() == "1 shown of 1 turn, 3 without filter"
    page.locator("#filter").fill("")
    page.locator("#only-broken").check()
    assert names() == ["second"]


def test_turns_of_every_odd_kind_are_drawn(open_page) -> None:
    hour_ns = 3600 * 10**9
    odd = {
        "no calls, no response": TurnCourse({}, (), ()),
        "one instant": TurnCourse({}, (CallCourse("a", arrived_ns=0, started_ns=0, ended_ns=0, emitted_ns=0),), ()),
        "a day": TurnCourse({}, (CallCourse("a", arrived_ns=0, started_ns=hour_ns, ended_ns=24 * hour_ns),), ()),
        "still runs": TurnCourse({}, (CallCourse("a", "Read", arrived_ns=0, started_ns=5, started=True),), ()),
        "nothing known": TurnCourse({}, (CallCourse("a"),), (Response(0, None, None),)),
        "not told": TurnCourse({}, (CallCourse("a", arrived_ns=0, emitted_ns=9, outcome="ok", started=True),), ()),
        "cut off": TurnCourse({}, (CallCourse("a", arrived_ns=1),), (Response(0, 0, 9, True),), ((5, "stop"),)),
    }
    report = HtmlReport("Odd turns", [])
    for name, course in odd.items():
        report.add(TurnRow(name, {"recorded": course}))
    page = open_page(report.page({}), at="#turn=1")
    drawn = {}
    for name in odd:
        assert page.locator("#turn-title").inner_text() == name
        ticks(page)
        drawn[name] = page.evaluate("[...document.querySelectorAll('#bars :not(.grid)')].map((n) => n.classList.value)")
        page.locator("#next").click(force=True)
    assert drawn == {
        "no calls, no response": [],
        "one instant": ["run", "emitted", "told"],
        "a day": ["queued", "run", "told"],
        "still runs": ["queued", "run open", "told"],
        "nothing known": ["told"],
        "not told": ["untold", "emitted"],
        "cut off": ["act", "queued", "told"],
    }


def test_ten_thousand_calls_are_drawn_as_far_as_they_are_in_sight(open_page) -> None:
    page = open_page(many_turns(1, 10_000))
    assert page.locator("#turns").is_hidden()
    page.locator("#rows").press("End")
    assert page.locator("#call-9999").get_attribute("aria-posinset") == "10000"
    assert page.locator("#rows *").count() < 600


def test_thousands_of_turns_come_page_by_page(open_page) -> None:
    page = open_page(many_turns(5_000, 2))
    assert page.locator("#table tbody tr").count() == 200
    page.locator("#table-more").click()
    assert page.locator("#shown").inner_text() == "400 shown of 5,000 turns"


@pytest.mark.parametrize("viewport", [DESKTOP, PHONE], ids=["desktop", "phone"])
def test_nothing_is_wider_than_the_window(open_page, viewport) -> None:
    page = open_page(some_turns(), viewport=viewport)
    page.locator("#rows").press("ArrowDown")
    assert page.evaluate("document.documentElement.scrollWidth") == viewport["width"]


def test_it_is_dark_where_dark_is_wanted(open_page) -> None:
    page = open_page(some_turns(), color_scheme="dark")
    background = lambda: page.evaluate("getComputedStyle(document.body).backgroundColor")  # noqa: E731
    dark = background()
    page.locator("#theme").click()
    light = background()
    page.locator("#theme").click()
    assert (dark, light, background()) == ("rgb(20, 23, 27)", "rgb(255, 255, 255)", "rgb(20, 23, 27)")
