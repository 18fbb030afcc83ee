"""Server-Sent Events from raw bytes: the hard cases of the HTML standard, in every chunking (W1)."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from executor.wire.sse import ServerSentEvent, SSEDecoder

Told = list[tuple[str, str, str]]

CASES: dict[str, tuple[bytes, Told, str]] = {
    "one event": (b"data: a\n\n", [("message", "a", "")], ""),
    "nothing at all": (b"", [], ""),
    "blank lines only": (b"\n\r\n\r\n\n", [], ""),
    "two events": (b"data: a\n\ndata: b\n\n", [("message", "a", ""), ("message", "b", "")], ""),
    "lines end by CRLF": (b"event: x\r\ndata: a\r\n\r\n", [("x", "a", "")], ""),
    "lines end by CR": (b"event: x\rdata: a\r\r", [("x", "a", "")], ""),
    "line ends mixed": (b"data: a\r\ndata: b\rdata: c\n\r\n", [("message", "a\nb\nc", "")], ""),
    "CR then CRLF are two ends": (b"data: a\r\r\ndata: b\n\n", [("message", "a", ""), ("message", "b", "")], ""),
    "LF then CR are two ends": (b"data: a\n\rdata: b\n\n", [("message", "a", ""), ("message", "b", "")], ""),
    "CR LF LF": (b"data: a\r\n\ndata: b\r\n\n", [("message", "a", ""), ("message", "b", "")], ""),
    "a blank line of CRLF after a CR": (b"data: a\r\r\n", [("message", "a", "")], ""),
    "a byte order mark": (b"\xef\xbb\xbfdata: a\n\n", [("message", "a", "")], ""),
    "only the first mark is stripped": (b"\xef\xbb\xbf\xef\xbb\xbfdata: a\n\ndata: b\n\n", [("message", "b", "")], ""),
    "a mark further on is part of the field": (b"data: a\n\n\xef\xbb\xbfdata: b\n\n", [("message", "a", "")], ""),
    "a mark within data stays": (b"data: \xef\xbb\xbfa\n\n", [("message", "\ufeffa", "")], ""),
    "a mark before a comment": (b"\xef\xbb\xbf: hello\ndata: a\n\n", [("message", "a", "")], ""),
    "a mark before a blank line": (b"\xef\xbb\xbf\ndata: a\n\n", [("message", "a", "")], ""),
    "no space after the colon": (b"data:a\n\n", [("message", "a", "")], ""),
    "one space is stripped": (b"data:  a \n\n", [("message", " a ", "")], ""),
    "a tab is not": (b"data:\ta\n\n", [("message", "\ta", "")], ""),
    "several data lines": (b"data: a\ndata: b\n\n", [("message", "a\nb", "")], ""),
    "a field without a colon": (b"data\n\n", [("message", "", "")], ""),
    "two fields without a colon": (b"data\ndata\n\n", [("message", "\n", "")], ""),
    "a data line that is empty": (b"data:\n\n", [("message", "", "")], ""),
    "an empty data line at the end": (b"data: a\ndata:\n\n", [("message", "a\n", "")], ""),
    "the value has colons": (b"data: a:b: c\n\n", [("message", "a:b: c", "")], ""),
    "an event without data": (b"event: x\n\ndata: a\n\n", [("message", "a", "")], ""),
    "a type does not outlive its event": (
        b"event: x\ndata: a\n\ndata: b\n\n",
        [("x", "a", ""), ("message", "b", "")],
        "",
    ),
    "the last type counts": (b"event: x\nevent: y\ndata: a\n\n", [("y", "a", "")], ""),
    "an empty type is none": (b"event: x\nevent\ndata: a\n\n", [("message", "a", "")], ""),
    "the type may come last": (b"data: a\nevent: x\n\n", [("x", "a", "")], ""),
    "comments": (b": c\n:\ndata: a\n:x: y\ndata: b\n\n:\n\n", [("message", "a\nb", "")], ""),
    "unknown fields": (b"datum: x\nDATA: y\n data: z\ndata : w\ndata: a\n\n", [("message", "a", "")], ""),
    "an id stays": (b"id: 7\ndata: a\n\ndata: b\n\n", [("message", "a", "7"), ("message", "b", "7")], ""),
    "an id without data stays": (b"id: 7\n\ndata: a\n\n", [("message", "a", "7")], ""),
    "an empty id ends it": (b"id: 7\ndata: a\n\nid\ndata: b\n\n", [("message", "a", "7"), ("message", "b", "")], ""),
    "an id with NUL is ignored": (b"id: 7\nid: 8\x00\ndata: a\n\n", [("message", "a", "7")], ""),
    "NUL in data stays": (b"data: a\x00b\n\n", [("message", "a\0b", "")], ""),
    "retry is no event": (b"retry: 100\n\nretry: x\ndata: a\n\n", [("message", "a", "")], ""),
    "U+2028 and U+2029": ("data: a\u2028b\u2029c\n\n".encode(), [("message", "a\u2028b\u2029c", "")], ""),
    "U+0085": ("data: a\u0085b\n\n".encode(), [("message", "a\u0085b", "")], ""),
    "VT and FF and the separators": (
        b"data: a\x0bb\x0cc\x1cd\x1de\x1ef\n\n",
        [("message", "a\x0bb\x0cc\x1cd\x1de\x1ef", "")],
        "",
    ),
    "characters of 2, 3 and 4 bytes": ("data: é中🦀\n\n".encode(), [("message", "é中🦀", "")], ""),
    "bytes that are no UTF-8": (b"data: a\xffb\xc3(\n\n", [("message", "a\ufffdb\ufffd(", "")], ""),
    "a character cut off by a line end": (b"data: \xe4\xb8\n\n", [("message", "\ufffd", "")], ""),
    "encoded surrogates are no UTF-8": (b"data: \xed\xa0\x80\n\n", [("message", "\ufffd\ufffd\ufffd", "")], ""),
    "an overlong line end is none": (b"data: a\xc0\x8ab\n\n", [("message", "a\ufffd\ufffdb", "")], ""),
    "no blank line at the end": (b"data: a\n\ndata: b\n", [("message", "a", "")], "data: b"),
    "no line end at the end": (b"event: x\ndata: a", [], "event: x\ndata: a"),
    "cut within a character": (b"data: a\xf0\x9f", [], "data: a\ufffd"),
    "a comment at the end is nothing lost": (b"data: a\n\n: bye", [("message", "a", "")], ""),
    "ends by a lone CR": (b"data: a\r\n\r", [("message", "a", "")], ""),
}


def decode(chunks: list[bytes]) -> tuple[Told, str]:
    decoder = SSEDecoder()
    events = [tuple(event) for chunk in chunks for event in decoder.feed(chunk)]
    return events, decoder.close()


@pytest.mark.parametrize("size", [1, 2, 3, 7, 10_000])
@pytest.mark.parametrize("case", CASES)
def test_a_hard_case_of_the_standard_gives_its_events_in_chunks_of_one_size(case: str, size: int) -> None:
    """W1, B062, B063, B064."""
    data, events, left = CASES[case]
    assert decode([data[at : at + size] for at in range(0, len(data), size)]) == (events, left)


@given(case=st.sampled_from(sorted(CASES)), cuts=st.sets(st.integers(0, 60)))
def test_a_hard_case_of_the_standard_gives_its_events_in_any_chunking(case: str, cuts: set[int]) -> None:
    """W1, B062: chunks may be empty too."""
    data, events, left = CASES[case]
    borders = [0, *sorted(cuts), len(data)]
    chunks = [data[a:b] for a, b in pairwise(borders)]
    assert decode([*chunks, b""]) == (events, left)


@given(
    data=st.lists(
        st.sampled_from([b"data", b":", b" ", b"\r", b"\n", b"id", b"\xe4", b"\xb8\xad", b"\xef\xbb\xbf", b"x"])
    ),
    size=st.integers(1, 5),
)
def test_chunk_borders_mean_nothing_whatever_the_bytes(data: list[bytes], size: int) -> None:
    """W1."""
    whole = b"".join(data)
    assert decode([whole[at : at + size] for at in range(0, len(whole), size)]) == decode([whole])


def test_an_event_is_given_as_soon_as_its_blank_line_is_there() -> None:
    """W1: not when the next byte shows that a CR was no half of a CRLF."""
    decoder = SSEDecoder()
    assert decoder.feed(b"data: a\r\r") == [ServerSentEvent("message", "a")]
    assert decoder.feed(b"\ndata: b\n\n") == [ServerSentEvent("message", "b")]


def test_the_servers_wish_when_to_connect_again_is_kept() -> None:
    """Digits only; the last one counts."""
    decoder = SSEDecoder()
    decoder.feed(b"retry: 100\nretry: 2s\nretry: -1\nretry\nretry: " + b"9" * 5_000 + b"\n")
    assert decoder.retry_ms == 100
