"""What a simulated loop refuses: everything that would reach the real world, where time runs by itself (B110).

The rule: never a silent jump of the clock past real work; the error names the call and what to model instead.
No times here.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, NoReturn


class SimulationEscape(RuntimeError):
    """Simulated code called something that only exists in real time."""


_NETWORK = "play the other side by a SimPy process and wait for it with loop.as_future(event)"
_PROCESS = "give the tool a modelled duration instead, e.g. await asyncio.sleep(2.5)"
_SIGNAL = "schedule the user's stop as an event, e.g. loop.env.at_ns(t_ns, rank=Rank.STOP)"
_THREAD = "give the tool a modelled duration instead, or let SimLoop(inline_executor=True) run the function inline"


def escape(call: str, instead: str) -> SimulationEscape:
    """Return the error for a call that reaches outside."""
    return SimulationEscape(f"{call} reaches outside the simulation: {instead}")


def _refuse(name: str, instead: str) -> Any:
    def refuse(self: object, *args: Any, **kwargs: Any) -> NoReturn:
        raise escape(f"loop.{name}", instead)

    refuse.__name__ = name
    refuse.__doc__ = f"Raise SimulationEscape: {instead}."
    return refuse


class ClosedWorld(asyncio.AbstractEventLoop):
    """An event loop without an outside: all its calls for input and output raise SimulationEscape."""

    run_in_executor = _refuse("run_in_executor", _THREAD)
    set_default_executor = _refuse("set_default_executor", _THREAD)

    subprocess_exec = _refuse("subprocess_exec", _PROCESS)
    subprocess_shell = _refuse("subprocess_shell", _PROCESS)
    connect_read_pipe = _refuse("connect_read_pipe", _PROCESS)
    connect_write_pipe = _refuse("connect_write_pipe", _PROCESS)

    add_signal_handler = _refuse("add_signal_handler", _SIGNAL)
    remove_signal_handler = _refuse("remove_signal_handler", _SIGNAL)

    add_reader = _refuse("add_reader", _NETWORK)
    add_writer = _refuse("add_writer", _NETWORK)
    connect_accepted_socket = _refuse("connect_accepted_socket", _NETWORK)
    create_connection = _refuse("create_connection", _NETWORK)
    create_datagram_endpoint = _refuse("create_datagram_endpoint", _NETWORK)
    create_server = _refuse("create_server", _NETWORK)
    create_unix_connection = _refuse("create_unix_connection", _NETWORK)
    create_unix_server = _refuse("create_unix_server", _NETWORK)
    getaddrinfo = _refuse("getaddrinfo", _NETWORK)
    getnameinfo = _refuse("getnameinfo", _NETWORK)
    remove_reader = _refuse("remove_reader", _NETWORK)
    remove_writer = _refuse("remove_writer", _NETWORK)
    sendfile = _refuse("sendfile", _NETWORK)
    sock_accept = _refuse("sock_accept", _NETWORK)
    sock_connect = _refuse("sock_connect", _NETWORK)
    sock_recv = _refuse("sock_recv", _NETWORK)
    sock_recv_into = _refuse("sock_recv_into", _NETWORK)
    sock_recvfrom = _refuse("sock_recvfrom", _NETWORK)
    sock_recvfrom_into = _refuse("sock_recvfrom_into", _NETWORK)
    sock_sendall = _refuse("sock_sendall", _NETWORK)
    sock_sendfile = _refuse("sock_sendfile", _NETWORK)
    sock_sendto = _refuse("sock_sendto", _NETWORK)
    start_tls = _refuse("start_tls", _NETWORK)


_start_thread = threading.Thread.start


def _start_outside(self: threading.Thread) -> None:
    if isinstance(asyncio._get_running_loop(), ClosedWorld):
        raise escape("threading.Thread.start", _PROCESS)
    _start_thread(self)


@contextmanager
def threads_refused() -> Iterator[None]:
    """Let code on a simulated loop start no thread, also where no call of the loop is asked for one (anyio, pools)."""
    before = threading.Thread.start
    threading.Thread.start = _start_outside  # type: ignore[method-assign]
    try:
        yield
    finally:
        threading.Thread.start = before  # type: ignore[method-assign]
