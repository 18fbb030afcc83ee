"""The HTML report as bytes: what goes in, what is left out, and that nothing of a session can get out of its place."""

import base64
import hashlib
import json
import re
from html.parser import HTMLParser

import pytest

from scenarios import Call, Scenario
from sim import Violation, simulate
from sim.analysis.courses import CallCourse, Hook, Response, TurnCourse, courses
from sim.show.html import HtmlReport, TurnRow
from sim.show.html import report as bounds

HOSTILE = [
    "<script>alert(1)</script>",
    "</script><script>alert(1)</script>",
    "<!-- <script>",
    "]]>",
    "a\u2028b\u2029c",
    "\u202egpj.exe\u2066",
    "\x00\x1b[2J\r\n",
    "\ud800 alone",
    "$data $policy ${script} {{data}}",
    "&lt;b&gt; &amp; \"quoted\" 'so' \\u003c",
]


def turn(*calls, ended_ns=10, violations=()):
    return TurnCourse({}, calls, (Response(0, 0, ended_ns),), (), "completed", ended_ns, "", violations)


def call(name, tool="Read", **known):
    return CallCourse(name, tool, True, arrived_ns=0, started_ns=1, ended_ns=5, outcome="ok", started=True, **known)


def violation(rule, *calls):
    return Violation(rule, "the rule", 5, calls, "what was seen", "", "interlock run a.yaml")


def paged(*rows, **told):
    report = HtmlReport("a report", ["makespan"])
    for row in rows:
        report.add(row)
    return report.page({"turns": str(len(rows))}, **told)


def data_of(page):
    return json.loads(re.search(r'<script type="application/json" id="data">(.*?)</script>', page, re.DOTALL)[1])


class Tags(HTMLParser):
    """Counts the elements as a browser's parser would meet them."""

    def __init__(self, page):
        super().__init__()
        self.scripts = self.comments = 0
        self.feed(page)

    def handle_starttag(self, tag, attrs):
        self.scripts += tag == "script"

    def handle_comment(self, data):
        self.comments += 1


def hostile_page():
    calls = [call(f"{text} {n}", text, hooks=(Hook(text, 1, 2),)) for n, text in enumerate(HOSTILE)]
    broken = violation("S1", calls[0].call)
    row = TurnRow(
        HOSTILE[1],
        {text: turn(*calls, violations=(broken,)) for text in HOSTILE[:2]},
        [1],
        {one.call: HOSTILE[0] for one in calls},
        HOSTILE[2],
        HOSTILE[5],
    )
    return paged(row, notes=HOSTILE, totals_ns={HOSTILE[0]: 1})


def test_whatever_a_session_holds_stays_data() -> None:
    """No text of a session has a character of HTML, so none ends its element or begins another."""
    page = hostile_page()
    data = page[page.index('id="data">') + len('id="data">') :]
    data = data[: data.index("</script>")]
    assert data.isascii()
    assert not set(data) & set("<>&\n\r\x00\x1b")
    tags = Tags(page)
    assert (tags.scripts, tags.comments) == (2, 0)


def test_what_is_shown_of_a_session_neither_steers_nor_vanishes() -> None:
    told = data_of(hostile_page())["turns"][0]["views"][HOSTILE[0]]["calls"]
    assert [one["tool"] for one in told] == [
        "<script>alert(1)</script>",
        "</script><script>alert(1)</script>",
        "<!-- <script>",
        "]]>",
        r"a\u2028b\u2029c",
        r"\u202egpj.exe\u2066",
        r"\x00\x1b[2J\r\n",
        r"\ud800 alone",
        "$data $policy ${script} {{data}}",
        "&lt;b&gt; &amp; \"quoted\" 'so' \\u003c",
    ]


def test_the_policy_names_the_only_style_and_script_by_their_hashes() -> None:
    page = hostile_page()
    policy = re.search(r'http-equiv="Content-Security-Policy" content="(.*?)"', page)[1].split("; ")
    style, script = re.search(r"<style>(.*?)</style>", page, re.DOTALL)[1], page.rsplit("<script>", 1)[1]
    script = script[: script.index("</script>")]
    hashed = [base64.b64encode(hashlib.sha256(part.encode()).digest()).decode() for part in (script, style)]
    assert policy[:3] == ["default-src 'none'", f"script-src 'sha256-{hashed[0]}'", f"style-src 'sha256-{hashed[1]}'"]
    assert policy[3:] == [
        "base-uri 'none'",
        "form-action 'none'",
        "require-trusted-types-for 'script'",
        "trusted-types 'none'",
    ]
    assert not re.search(r"https?://(?!www\.w3\.org/2000/svg)|src=|@import|url\((?!#)", page)


def test_equal_turns_are_equal_bytes() -> None:
    scenario = Scenario(calls=[Call(id="a", takes="1s"), Call(id="b", takes="2s")])
    pages = {paged(TurnRow("a turn", {"streaming": courses(simulate(scenario))}, [0])) for _ in range(2)}
    assert len(pages) == 1


def test_a_turn_is_told_with_what_is_known_of_it_and_nothing_else() -> None:
    scenario = Scenario(
        tools={"Read": {}, "Edit": {"safe": False}},
        calls=[Call(id="a", takes="1s", progress=["500ms"]), Call(id="b", tool="Edit", takes="2s")],
    )
    course = courses(simulate(scenario))
    row = TurnRow("two calls", {"streaming": course}, [3_000_000_000, None], {"a": "a.ts"}, "a session", "a note")
    told = data_of(paged(row))["turns"]
    life = {"arrived": 0, "outcome": "ok", "ran": True}
    assert told == [
        {
            "name": "two calls",
            "session": "a session",
            "tools": "Read, Edit",
            "calls": 2,
            "spans": [3_000_000_000, None],
            "note": "a note",
            "estimated": False,
            "broken": [],
            "views": {
                "streaming": {
                    "span": 3_000_000_000,
                    "told": ["completed"],
                    "responses": [{"from": 0, "to": 0, "failed": False}],
                    "acts": [],
                    "calls": [
                        {"id": "a", "tool": "Read", "class": "safe", "about": "a.ts", "admitted": 0, "started": 0}
                        | {"progress": [500_000_000], "ended": 10**9, "settled": 10**9, "emitted": 10**9}
                        | life,
                        {"id": "b", "tool": "Edit", "class": "exclusive", "admitted": 10**9, "started": 10**9}
                        | {"waits": [{"why": "exclusive", "from": 0, "to": 10**9, "call": "a"}]}
                        | {"ended": 3 * 10**9, "settled": 3 * 10**9, "emitted": 3 * 10**9}
                        | life,
                    ],
                }
            },
        }
    ]


def test_a_turn_of_too_many_calls_shows_those_that_broke_a_rule(monkeypatch) -> None:
    monkeypatch.setattr(bounds, "MAX_CALLS", 3)
    calls = [call(f"c{n}") for n in range(10)]
    course = turn(*calls, violations=(violation("S1", "c8", "c0"),))
    view = data_of(paged(TurnRow("ten", {"streaming": course})))["turns"][0]["views"]["streaming"]
    assert [one["id"] for one in view["calls"]] == ["c0", "c1", "c8"]
    assert view["told"] == ["completed", "7 more calls, not drawn"]


def test_of_more_turns_than_there_is_room_for_those_with_most_to_see_are_drawn(monkeypatch) -> None:
    monkeypatch.setattr(bounds, "MAX_ROOM", 6)
    sizes = [1, 3, 2, 1, 1]
    rows = [TurnRow(f"t{n}", {"streaming": turn(*[call("c")] * size)}) for n, size in enumerate(sizes)]
    rows[4] = TurnRow("t4", {"streaming": turn(call("c"), violations=(violation("P1", "c"),))})
    data = data_of(paged(*rows))
    assert [one["name"] for one in data["turns"] if "views" in one] == ["t1", "t2", "t4"]
    assert data["first"] == 4
    assert data["notes"] == ["2 turns listed but not drawn: the report draws 6 calls at most"]


def test_what_is_beyond_the_bounds_is_counted(monkeypatch) -> None:
    monkeypatch.setattr(bounds, "MAX_TURNS", 2)
    monkeypatch.setattr(bounds, "MAX_BROKEN", 3)
    course = turn(call("c"), violations=(violation("P1", "c"), violation("P4", "c")))
    data = data_of(paged(*[TurnRow("t", {"streaming": course})] * 3, notes=["a damage"]))
    assert [len(one["broken"]) for one in data["turns"]] == [2, 1]
    assert data["notes"] == [
        "1 turn beyond the first 2: neither listed nor drawn",
        "1 broken rule beyond the first 3: not told",
        "a damage",
    ]


@pytest.mark.parametrize("calls", [0, 1, 10_000])
def test_a_page_of_any_turn_is_small_enough_to_open(calls) -> None:
    page = paged(TurnRow("t", {"streaming": turn(*[call(f"toolu_{n:022}") for n in range(calls)])}, [10]))
    assert len(page) < 100_000 + 250 * calls


def test_an_empty_report_is_a_page_too() -> None:
    assert data_of(paged())["turns"] == []
