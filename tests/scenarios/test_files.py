"""Scenario files: what is written reads back, and whatever is wrong is one line with file, line, key and way out."""

import os
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from scenarios import (
    Call,
    Consumer,
    Expect,
    Happening,
    Options,
    Row,
    Scenario,
    ScenarioError,
    ToolSpec,
    dump,
    load,
    loads,
)
from scenarios.durations import LogNormal, Uniform
from scenarios.strategies import turns


def fault(text: str) -> str:
    """Give the one line that a wrong text is answered with."""
    with pytest.raises(ScenarioError) as caught:
        loads(text, "x.yaml")
    return str(caught.value)


def check_one_line_or_none(text: str) -> None:
    """Hold that a text is a scenario that can be written, or gets one line that names the file."""
    problem = None
    try:
        scenario = loads(text, "x.yaml")
    except ScenarioError as error:
        problem = str(error)
    if problem is None:
        assert loads(dump(scenario)) == scenario
    else:
        assert problem.startswith("x.yaml:")
        assert len(problem.splitlines()) == 1


FULL = Scenario(
    scenario="everything there is to say",
    options=Options(max_concurrency=None, emission="eager", cascade="any", grace="500ms"),
    tools={
        "Read": ToolSpec(aliases=("View",), interrupt="cancel"),
        "Bash": ToolSpec(safe=False, cascades=True),
        "Odd": ToolSpec(classifier_raises=True),
        "Gone": ToolSpec(available=False),
    },
    calls=[
        Call(id="a", tool="View", at="500ms", takes="200ms", input={"path": "a.ts"}, output="x\ny"),
        Call(id="b", tool="Bash", at="1.2s", takes=1, ends="error", progress=["300ms", "600ms"], safe=True),
        Call(id="c", at="1.9s", takes=LogNormal(median="50ms", p95="400ms"), sets={"k": [1, None, "on"]}),
        Call(id="d", tool="Odd", at=2, takes=Uniform(low=0, high="1ms"), valid=False, stubborn="signal"),
        Call(id="e", tool="Gone", at=2, ends="hang", stubborn="cancel"),
    ],
    events=[
        Happening(at="2.1s", do="submit", force=True),
        Happening(at="2.2s", do="stop"),
        Happening(at="2.5s", do="stream_error", error="overloaded_error"),
        Happening(at="2.5s", do="discard"),
    ],
    consumer=Consumer(takes="10ms", leaves_after=3),
    expect=Expect(
        results=[["a", "ok"], ["b", "synthetic_error"]],
        started=["a", "b"],
        started_at={"a": "500ms"},
        ended_at={"a": "700ms"},
        emitted_at={"a": "700ms"},
        finished_by="2m",
        makespan={"streaming": "2.6s", "batch": 3},
        never_overlap=[["a", "b"]],
        context={"k": 1},
        peak=2,
        engines=["streaming"],
    ),
)

WRITTEN = """\
scenario: everything there is to say
options: {max_concurrency: null, emission: eager, cascade: any, grace: 500ms}
tools:
  Read: {interrupt: cancel, aliases: [View]}
  Bash: {safe: false, cascades: true}
  Odd: {classifier_raises: true}
  Gone: {available: false}
calls:
  - {id: a, tool: View, at: 500ms, takes: 200ms, input: {path: a.ts}, output: "x\\ny"}
  - {id: b, tool: Bash, at: 1.2s, takes: 1s, ends: error, progress: [300ms, 600ms], safe: true}
  - {id: c, at: 1.9s, takes: {lognormal: {median: 50ms, p95: 400ms}}, sets: {k: [1, null, 'on']}}
  - {id: d, tool: Odd, at: 2s, takes: {uniform: [0s, 1ms]}, stubborn: signal, valid: false}
  - {id: e, tool: Gone, at: 2s, ends: hang, stubborn: cancel}
events:
  - {at: 2.1s, do: submit, force: true}
  - {at: 2.2s, do: stop}
  - {at: 2.5s, do: stream_error, error: overloaded_error}
  - {at: 2.5s, do: discard}
consumer: {takes: 10ms, leaves_after: 3}
expect:
  results: [[a, ok], [b, synthetic_error]]
  started: [a, b]
  started_at: {a: 500ms}
  ended_at: {a: 700ms}
  emitted_at: {a: 700ms}
  finished_by: 2m
  makespan: {streaming: 2.6s, batch: 3s}
  never_overlap: [[a, b]]
  context: {k: 1}
  peak: 2
  engines: [streaming]
"""


def test_a_scenario_is_written_one_line_per_call_without_what_goes_without_saying() -> None:
    assert dump(FULL) == WRITTEN
    assert loads(WRITTEN) == FULL


def test_an_empty_scenario_is_an_empty_mapping() -> None:
    assert dump(Scenario()) == "{}\n"
    assert loads("{}") == Scenario()


@pytest.mark.parametrize(
    "name", ["1", "1e3", "-0", "true", "null", "on", "~", "12:30", "a: b", "# a", "<<", " a", "x\n"]
)
def test_text_that_resembles_something_else_is_written_in_quotes(name: str) -> None:
    text = dump(Scenario(calls=[Call(id=name)]))
    assert loads(text).calls[0].id == name
    assert name not in text.replace(repr(name), "").replace('"x\\n"', "")


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=6,
)
words = st.text(min_size=1) | st.sampled_from(
    ["on", "yes", "1", "1e3", "12:30", "null", "~", "=", "<<", "a: b", "# c", "- d"]
)
nanoseconds = st.integers(0, 10**20).filter(lambda ns: ns < 2**63).map("{}ns".format)


rows = st.builds(Row, cmd=st.text(), read_only=st.booleans(), why=st.text()) | st.builds(
    Row,
    annotations=st.dictionaries(st.text(), json_values, max_size=2),
    trusted=st.booleans(),
    read_only=st.booleans(),
)


@st.composite
def spelled(draw: st.DrawFn) -> Scenario:
    """Scenarios whose names and values are as odd as text and JSON allow."""
    tool, ids = draw(words), draw(st.lists(words, min_size=1, max_size=3, unique=True))
    at = sorted((draw(nanoseconds) for _ in ids), key=lambda text: int(text[:-2]))
    takes = st.just(0) | nanoseconds | st.builds(Uniform, low=st.just(0), high=nanoseconds)
    return Scenario(
        scenario=draw(st.text()),
        tools={tool: ToolSpec(safe=draw(st.booleans()), cascades=draw(st.booleans()))},
        calls=[
            Call(
                id=name,
                tool=tool,
                at=t,
                takes=draw(takes),
                input=draw(st.dictionaries(st.text(), json_values, max_size=3)),
                sets=draw(st.dictionaries(st.text(), json_values, max_size=2)),
                output=draw(st.none() | st.text()),
            )
            for name, t in zip(ids, at, strict=True)
        ],
        rules=draw(st.lists(st.from_regex(r"[A-Z][1-9][0-9]?", fullmatch=True), max_size=3)),
        table=draw(st.lists(rows, max_size=2)),
        expect=Expect(results=[[name, "ok"] for name in ids], started_at={ids[0]: at[0]}),
    )


@settings(suppress_health_check=[HealthCheck.too_slow])
@given(turns() | spelled())
def test_what_is_written_reads_back_as_the_same_scenario(scenario: Scenario) -> None:
    text = dump(scenario)
    assert loads(text) == scenario
    assert len([line for line in text.splitlines() if line.startswith("  - {")]) == len(
        scenario.hooks + scenario.calls + scenario.events + scenario.table
    )


@given(st.text(max_size=40) | st.binary(max_size=40).map(lambda raw: raw.decode("latin-1")))
def test_any_text_is_a_scenario_or_one_line_that_names_the_file(text: str) -> None:
    check_one_line_or_none(text)


@given(
    st.recursive(
        json_values,
        lambda inner: st.dictionaries(
            st.sampled_from(
                [
                    "scenario",
                    "options",
                    "tools",
                    "calls",
                    "events",
                    "consumer",
                    "expect",
                    "id",
                    "at",
                    "takes",
                    "uniform",
                    "lognormal",
                    "median",
                    "progress",
                    "results",
                    "makespan",
                    "Read",
                ]
            ),
            inner | st.lists(inner, max_size=3),
            max_size=4,
        ),
    )
)
def test_any_json_value_is_a_scenario_or_one_line_that_names_the_file(value: Any) -> None:
    check_one_line_or_none(yaml.safe_dump(value))


@pytest.mark.parametrize(
    ("text", "line"),
    [
        (
            "calls:\n  - {id: a}\n  - {id: b,\n     takes: 200 m}",
            "4:6: calls[1].takes: expected seconds or a duration such as 200ms, got '200 m'",
        ),
        (
            "calls:\n- id: a\n  takes:\n    200 m",
            "3:3: calls[0].takes: expected seconds or a duration such as 200ms, got '200 m'",
        ),
        ("calls: [{id: a, at: -1}]", "1:17: calls[0].at: expected seconds or a duration such as 200ms, got -1"),
        (
            "calls: [{id: a, takes: {uniform: [1, x]}}]",
            "1:25: calls[0].takes.uniform: expected seconds or a duration such as 200ms, got 'x'",
        ),
        (
            "calls:\n- id: a\n  takes:\n    lognormal:\n      median: 1\n      p95: soon",
            "6:7: calls[0].takes.lognormal.p95: expected seconds or a duration such as 200ms, got 'soon'",
        ),
        (
            "calls:\n- id: a\n  takes: {lognormal: {median: 1, p59: 2}}",
            "3:11: calls[0].takes.lognormal: expected the key 'p95', got none; add it",
        ),
        ("calls:\n- id: a\n  tkes: 1", "3:3: calls[0].tkes: expected a known key, got 'tkes'; did you mean 'takes'?"),
        (
            "colour: red",
            "1:1: colour: expected a known key, got 'colour'; "
            "known: attempts, calls, consumer, events, expect, hooks, include, options, "
            "permissions, rules, scenario, stream, table, tools",
        ),
        (
            "tools:\n  Bash: {cascade: true}",
            "2:10: tools.Bash.cascade: expected a known key, got 'cascade'; did you mean 'cascades'?",
        ),
        (
            "calls:\n- {id: a, pre_hook: {takes: hnag}}",
            "2:22: calls[0].pre_hook.takes: expected seconds or a duration such as 200ms, got 'hnag'",
        ),
        (
            "hooks:\n- {on: pre,\n   tols: Bash}",
            "3:4: hooks[0].tols: expected a known key, got 'tols'; did you mean 'tools'?",
        ),
        (
            "tools: {answer: {answer: {says: allow, sasy: deny}}}",
            "1:40: tools.answer.answer.sasy: expected a known key, got 'sasy'; did you mean 'says'?",
        ),
        (
            "hooks: [{rewrite: {inputs: {}}}]",
            "1:20: hooks[0].rewrite.inputs: expected a known key, got 'inputs'; did you mean 'input'?",
        ),
        (
            "calls: [{id: a, answer: alow}]",
            "1:17: calls[0].answer: expected 'allow', 'refuse', 'deny' or 'never', got 'alow'; did you mean 'allow'?",
        ),
        ("calls: [{id: a, fails: 2}]", "1:17: calls[0].fails: expected a number from 0 to 1, got 2"),
        ("calls: [{id: a, fails: often}]", "1:17: calls[0].fails: expected a number from 0 to 1, got 'often'"),
        (
            "calls: [{id: a, output_hex: xyz}]",
            "1:17: calls[0].output_hex: expected bytes in hexadecimal such as 'ff 00 41', got 'xyz'",
        ),
        (
            "permissions: {deny: ['Bash(']}",
            "1:22: permissions.deny[0]: expected a rule of the form Tool or Tool(pattern), got 'Bash('",
        ),
        ("tools: {Read: {timeout: 0}}", "1:16: tools.Read.timeout: expected a duration above 0s, got 0s"),
        (
            "tools: {Read: {safe: by_comand}}",
            "1:16: tools.Read.safe: expected true, false or by_command, got 'by_comand'; did you mean 'by_command'?",
        ),
        (
            "expect: {attachments: {a: [[hook_note, x]]}}",
            "1:29: expect.attachments.a[0][0]: expected 'hook_message', 'hook_context', 'hook_prevented_continuation', "
            "'hook_warning', 'hook_error' or 'hook_cancelled', got 'hook_note'; did you mean 'hook_context'?",
        ),
        ("calls:\n- {}", "2:3: calls[0]: expected the key 'id', got none; add it"),
        ("calls: [{id: ''}]", "1:10: calls[0].id: expected text that is not empty, got ''"),
        (
            "calls: []\noptions: {}\ncalls: []",
            "3:1: calls: expected each key once, got it again after line 1; leave one out",
        ),
        ("options:\n  max_concurrency: 0", "2:3: options.max_concurrency: expected a whole number, 1 or more, got 0"),
        ("options: {max_concurrency: 2.5}", "1:11: options.max_concurrency: expected a whole number, got 2.5"),
        (
            "events: [{at: 1, do: stopp}]",
            "1:18: events[0].do: expected 'stream_end', 'stream_error', 'stop', 'submit', 'discard', 'allow', 'refuse' "
            "or 'cancel', got 'stopp'; did you mean 'stop'?",
        ),
        (
            "calls: [{id: a}]\nexpect:\n  results:\n    - [a, okay]",
            "4:11: expect.results[0][1]: expected an outcome, got 'okay'; did you mean 'ok'?",
        ),
        ("calls: [{id: a}]\nexpect: {results: [[a]]}", "2:20: expect.results[0]: expected a pair, got ['a']"),
        ("expect: {results: [[a, ok, 1]]}", "1:20: expect.results[0]: expected a pair, got ['a', 'ok', 1]"),
        ("expect: {engines: []}", "1:10: expect.engines: expected at least one item, got []"),
        (
            "expect: {makespan: {stream: 1}}",
            "1:21: expect.makespan.stream: expected 'streaming', 'batch' or 'serial', got 'stream'; "
            "did you mean 'streaming'?",
        ),
        ("rules: [A2, speed]", "1:13: rules[1]: expected the number of a rule such as A2, got 'speed'"),
        (
            "table: [{read_only: true}]",
            "1:9: table[0]: expected cmd or annotations, got neither; a row is about one thing",
        ),
        (
            "table: [{cmd: ls, annotations: {}, read_only: true}]",
            "1:9: table[0]: expected cmd or annotations, got both; a row is about one thing",
        ),
        (
            "table: [{cmd: ls, trusted: false, read_only: true}]",
            "1:19: table[0].trusted: expected trusted only with annotations; leave it out",
        ),
        ("calls: 5", "1:1: calls: expected a list, got 5"),
        ("calls: [a]", "1:9: calls[0]: expected a mapping, got 'a'"),
        ("options:", "1:1: options: expected a mapping, got null"),
        (
            "calls: [{id: a, input: {x: !!binary aGk=}}]",
            "1:28: calls[0].input.x: expected a value without a tag, got !!binary",
        ),
        (
            "calls: [{id: a, sets: {x: 1e999}}]",
            "1:24: calls[0].sets.x: expected a JSON value, got inf; JSON knows no nan and no inf",
        ),
    ],
)
def test_a_wrong_value_is_named_with_its_line_and_its_key(text: str, line: str) -> None:
    assert fault(text) == f"x.yaml:{line}"


@pytest.mark.parametrize(
    ("text", "line"),
    [
        (
            "calls:\n  - {id: a}\n  - {id: a}",
            "3:6: calls[1].id: expected an id of its own, got 'a', which calls[0] has; choose another",
        ),
        (
            "calls:\n  - {id: a, at: 1}\n  - {id: b, at: 500ms}",
            "3:13: calls[1].at: expected calls in the order they arrive, got 'b' at 500ms after 'a' at 1s; sort by at",
        ),
        (
            "events:\n- {at: 1, do: stop}\n- do: discard\n  at: 0.5",
            "4:3: events[1].at: expected events in order of time, got discard at 500ms after stop at 1s; sort by at",
        ),
        (
            "calls: [{id: a, progress: [1,\n 0.5]}]",
            "2:2: calls[0].progress[1]: expected increasing times from the body's start, got 500ms after 1s",
        ),
        (
            "tools:\n  Read: {}\n  Bash:\n    aliases: [Read]",
            "4:15: tools.Bash.aliases[0]: expected a name of its own, got 'Read', which already means 'Read'; "
            "choose another",
        ),
        (
            "tools: {Bash: {}}\ncalls:\n- {id: a, tool: Bahs}",
            "3:11: calls[0].tool: expected a tool named under tools, got 'Bahs'; "
            "add Bahs: {available: false} if the executor lacks it; did you mean 'Bash'?",
        ),
        (
            "calls: [{id: first}]\nexpect:\n  ended_at: {frist: 1}",
            "3:14: expect.ended_at.frist: expected the id of a call, got 'frist'; did you mean 'first'?",
        ),
        (
            "calls: [{id: a, answer: allow}]\nevents:\n- {at: 1, do: deny, id: a}",
            "3:21: events[0].id: expected one answer for each call, got another one for 'a'; leave one out",
        ),
        (
            "calls: [{id: first}]\nevents: [{at: 1, do: allow, id: frist}]",
            "2:29: events[0].id: expected the id of a call, got 'frist'; did you mean 'first'?",
        ),
        (
            "events: [{at: 1, do: refuse}]",
            "1:18: events[0].do: expected the id of the call that do: refuse answers, got none; add id",
        ),
        (
            "events: [{at: 1, do: stop, id: a}]",
            "1:28: events[0].id: expected id only with do: allow or refuse, got it with do: stop",
        ),
        (
            "permissions: {asker: none}\ncalls:\n- {id: a,\n   answer: allow}",
            "4:4: calls[0].answer: expected no answer where nobody is asked, got one; leave it out, or change asker",
        ),
        (
            "hooks:\n- exit: 2\n  raises: no",
            "2:3: hooks[0].exit: expected one way to fail, got exit beside raises; leave one out",
        ),
        (
            "hooks: [{reason: no}]",
            "1:10: hooks[0].reason: expected reason only with permission: deny or ask; leave it out",
        ),
        (
            "calls: [{id: a, pre_hook: {stderr: no}}]",
            "1:28: calls[0].pre_hook.stderr: expected stderr only with an exit status other than 0; "
            "add exit or leave it out",
        ),
        (
            "calls: [{id: a, answer: {says: never, after: 1}}]",
            "1:39: calls[0].answer.after: expected no time for an answer that never comes; "
            "leave out after, or change says",
        ),
        (
            "permissions: {answer: {says: deny, rewrite: {}}}",
            "1:36: permissions.answer.rewrite: expected rewrite only with says: allow, got it with says: deny",
        ),
        (
            "tools: {Read: {answer: {says: allow, reason: ok}}}",
            "1:38: tools.Read.answer.reason: expected reason only with says: refuse or deny, got it with says: allow",
        ),
        (
            "calls: [{id: a, output: x, output_hex: '00'}]",
            "1:28: calls[0].output_hex: expected one output, got output_hex beside output; leave one out",
        ),
        (
            "calls: [{id: a, output_repeats: 3}]",
            "1:17: calls[0].output_repeats: expected output_repeats only with output; add output or leave it out",
        ),
        (
            "calls: [{id: a, content: [{text: a}]}]",
            "1:27: calls[0].content[0]: expected a content part with a type, such as {type: text, text: a}",
        ),
        (
            "calls: [{id: a, takes: 1, refuses: 2}]",
            "1:27: calls[0].refuses: expected a refusal before the body's end, got 2s in a body that takes 1s",
        ),
        (
            "events: [{at: 1, do: interrupt, reason: sibling}]",
            "1:33: events[0].reason: expected reason: user, got 'sibling'; a discard is do: discard",
        ),
    ],
)
def test_parts_that_do_not_fit_together_are_named_where_the_culprit_stands(text: str, line: str) -> None:
    assert fault(text) == f"x.yaml:{line}"


def test_of_several_faults_the_first_in_the_file_is_told() -> None:
    assert fault("calls: [{id: a, at: x}]\noptions: {grace: y}").startswith("x.yaml:1:17: calls[0].at: ")


@pytest.mark.parametrize(
    ("word", "problem"),
    [
        ("id: 1", "id: expected text; a number or a word such as true needs quotes, got 1"),
        ("id: true", "id: expected text; a number or a word such as true needs quotes, got true"),
        ("id: null", "id: expected text; a number or a word such as true needs quotes, got null"),
        ("id: a, valid: yes", "valid: expected true or false, got 'yes'"),
        ("id: a, valid: 1", "valid: expected true or false, got 1"),
        ("id: a, valid: True", "valid: expected true or false, got 'True'"),
        ("id: a, at: 12:30", "at: expected seconds or a duration such as 200ms, got '12:30'"),
        ("id: a, at: 1_000", "at: expected seconds or a duration such as 200ms, got '1_000'"),
        ("id: a, at: 0x10", "at: expected seconds or a duration such as 200ms, got '0x10'"),
        ("id: a, at: .inf", "at: expected seconds or a duration such as 200ms, got '.inf'"),
        ("id: a, at: true", "at: expected seconds or a duration such as 200ms, got true"),
        ("id: a, at:", "at: expected seconds or a duration such as 200ms, got null"),
    ],
)
def test_nothing_is_taken_for_what_it_only_resembles(word: str, problem: str) -> None:
    text, key = f"calls: [{{{word}}}]", problem.partition(" ")[0]
    assert fault(text) == f"x.yaml:1:{text.index(key) + 1}: calls[0].{problem}"


def test_words_of_yaml_1_1_are_text_and_numbers_are_what_json_says() -> None:
    call = loads(
        "calls: [{id: on, at: 1e3, sets: {a: yes, b: 12:30, c: 2024-01-01, d: 1e3, e: ~, f: 0o7, <<: x}}]"
    ).calls[0]
    assert (call.id, call.at_ns) == ("on", 1_000 * 10**9)
    assert call.sets == {"a": "yes", "b": "12:30", "c": "2024-01-01", "d": 1000.0, "e": "~", "f": "0o7", "<<": "x"}


BOMB = "a: &a [x, x, x, x, x, x, x, x]\n" + "\n".join(
    f"{after}: &{after} [{', '.join([f'*{name}'] * 8)}]" for name, after in zip("abcdefghij", "bcdefghijk", strict=True)
)


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("", "1:1: expected a mapping, got nothing; the smallest scenario is calls: [{id: a}]"),
        ("# nothing\n", "1:1: expected a mapping, got nothing; the smallest scenario is calls: [{id: a}]"),
        ("null", "1:1: expected a mapping, got nothing; the smallest scenario is calls: [{id: a}]"),
        ("- a", "1:1: expected a mapping, got a list; the smallest scenario is calls: [{id: a}]"),
        ("hello", "1:1: expected a mapping, got a word; the smallest scenario is calls: [{id: a}]"),
        (
            '{"type": "user"}\n{"type": "assistant"}\n',
            "2:1: expected YAML, got this: expected '<document start>', but found '{'",
        ),
        ("calls: [\n", "2:1: expected YAML, got this: expected the node content, but found '<stream end>'"),
        ("a:\n\tb: 1", "2:1: expected YAML, got this: found character '\\t' that cannot start any token"),
        ("a: *b", "1:4: expected YAML, got this: found undefined alias 'b'"),
        ("a\n---\nb", "2:1: expected YAML, got this: but found another document"),
        ("a: 1\nb: \0", "2:4: expected text, got the character U+0000"),
        ("1: x", "1:1: expected a word as key, got 1; put it in quotes"),
        ("? [a]\n: x", "1:3: expected a word as key, got a list or a mapping"),
        ("a: !!python/object:os.system {}", "1:4: a: expected a value without a tag, got !!python/object:os.system"),
        ("a: !mine x", "1:4: a: expected a value without a tag, got !mine"),
        ("a: 1" + "0" * 5000, "1:4: a: expected a shorter number, got 5001 digits"),
        ("a: &a [*a]", "1:4: expected at most 50 levels, got more"),
        ("a: " + "[" * 60 + "]" * 60, "1:54: expected at most 50 levels, got more"),
        (BOMB, "1:23: expected at most 1000000 values, got more; write aliases of aliases out"),
    ],
    ids=lambda text: text[:24],
)
def test_text_that_is_no_scenario_at_all_gets_one_line(text: str, line: str) -> None:
    assert fault(text) == f"x.yaml:{line}"


def test_brackets_deeper_than_python_can_follow_get_one_line() -> None:
    assert fault("[" * 20_000) == "x.yaml: expected at most 50 levels, got many more"


def test_a_file_is_read_and_named(tmp_path: Path) -> None:
    path = tmp_path / "turn.yaml"
    path.write_bytes(b"\xef\xbb\xbfcalls:\r\n  - {id: a}\r\n")
    assert load(path) == load(str(path)) == Scenario(calls=[Call(id="a")])
    path.write_text("calls:\n  - {id: a, tool: Bash}\n")
    with pytest.raises(ScenarioError) as caught:
        load(path)
    assert str(caught.value).startswith(f"{path}:2:13: calls[0].tool: expected a tool named under tools, got 'Bash'")


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        (b"a: \xff\xfe", ":1:4: expected UTF-8 text, got the byte 0xFF; is this a scenario file?"),
        (b"a: 1\n" + bytes(range(128, 256)), ":2:1: expected UTF-8 text, got the byte 0x80; is this a scenario file?"),
        (b"\0\0\0", ":1:1: expected text, got the character U+0000"),
        (b"#" * (10 * 2**20 + 1), ": expected at most 10 MiB, got more; a scenario is one turn"),
    ],
    ids=["latin", "binary", "nul", "long"],
)
def test_a_file_that_is_no_text_gets_one_line(tmp_path: Path, content: bytes, problem: str) -> None:
    path = tmp_path / "x.yaml"
    path.write_bytes(content)
    with pytest.raises(ScenarioError) as caught:
        load(path)
    assert str(caught.value) == f"{path}{problem}"


def test_a_path_that_cannot_be_read_gets_one_line(tmp_path: Path) -> None:
    for path, reason in ((tmp_path, "is a directory"), (tmp_path / "none.yaml", "no such file or directory")):
        with pytest.raises(ScenarioError) as caught:
            load(path)
        assert str(caught.value) == f"{path}: expected a scenario file (YAML), got: {reason}; name a .yaml file"
    with pytest.raises(ScenarioError, match="expected the path of a scenario file, got one that no file can have"):
        load("a\0b")


@pytest.mark.skipif(os.name == "nt" or getattr(os, "geteuid", lambda: 0)() == 0, reason="this user may read any file")
def test_a_file_that_may_not_be_read_gets_one_line(tmp_path: Path) -> None:
    path = tmp_path / "x.yaml"
    path.write_text("calls: []")
    path.chmod(0)
    with pytest.raises(ScenarioError, match="got: permission denied"):
        load(path)
