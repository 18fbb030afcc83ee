"""Plain SimPy models give on the exact environment the log they give on SimPy's own."""

import random

import pytest
import simpy

from sim.clock import Environment


def car_wash(env, log):
    """Resources and processes that wait for each other."""
    machines = simpy.Resource(env, capacity=2)
    draws = random.Random(42)

    def wash(car):
        yield env.timeout(5)
        log.append((env.now, "washed", car))

    def car(name):
        log.append((env.now, "arrives", name))
        with machines.request() as request:
            yield request
            log.append((env.now, "enters", name))
            yield env.process(wash(name))
        log.append((env.now, "leaves", name))

    def source():
        for number in range(12):
            env.process(car(number))
            yield env.timeout(draws.randint(1, 4))

    env.process(source())


def bank(env, log):
    """Reneging: a condition of a request and a timeout."""
    counter = simpy.PriorityResource(env, capacity=1)
    draws = random.Random(7)

    def customer(name, patience_s, service_s):
        with counter.request(priority=name % 3) as request:
            got = yield request | env.timeout(patience_s)
            if request not in got:
                log.append((env.now, "reneges", name))
                return
            yield env.timeout(service_s)
            log.append((env.now, "served", name))

    for name in range(20):
        env.process(customer(name, draws.randint(1, 30), draws.randint(1, 5)))


def machine_shop(env, log):
    """Interrupts and preemption."""
    repairman = simpy.PreemptiveResource(env, capacity=1)
    draws = random.Random(3)

    def machine(name):
        for part in range(5):
            left_s = 10
            while left_s:
                start = env.now
                try:
                    yield env.timeout(left_s)
                    left_s = 0
                except simpy.Interrupt as interrupt:
                    left_s -= env.now - start
                    log.append((env.now, "broken", name, interrupt.cause))
                    with repairman.request(priority=1) as request:
                        yield request
                        yield env.timeout(3)
            log.append((env.now, "part", name, part))

    def breaker(process, name):
        while process.is_alive:
            yield env.timeout(draws.randint(7, 19))
            if process.is_alive:
                process.interrupt(cause=name)

    def other_jobs():
        while True:
            with repairman.request(priority=2) as request:
                yield request
                try:
                    yield env.timeout(4)
                    log.append((env.now, "job"))
                except simpy.Interrupt as preempted:
                    log.append((env.now, "preempted", preempted.cause.usage_since))

    for name in range(3):
        env.process(breaker(env.process(machine(name)), name))
    env.process(other_jobs())


def stores(env, log):
    """Stores, containers, conditions over many events, events shared by processes."""
    store = simpy.FilterStore(env, capacity=3)
    tank = simpy.Container(env, capacity=10, init=4)
    bell = env.event()

    def producer():
        for item in range(9):
            yield env.timeout(1)
            yield store.put(item) & tank.put(1)
            log.append((env.now, "put", item, tank.level))
        bell.succeed("done")

    def consumer(name, parity):
        while True:
            got = yield store.get(lambda item: item % 2 == parity) | bell
            log.append((env.now, name, sorted(map(str, got.values()))))
            if bell in got:
                return
            yield tank.get(2)
            yield env.timeout(2)

    env.process(producer())
    env.process(consumer("even", 0))
    env.process(consumer("odd", 1))


@pytest.mark.parametrize("model", [car_wash, bank, machine_shop, stores])
def test_a_plain_simpy_model_gives_the_same_log(model):
    logs = []
    for environment in (simpy.Environment, Environment):
        env, log = environment(), []
        model(env, log)
        env.run(until=200.5)
        logs.append([*log, env.now])
    assert logs[1] == logs[0]
    assert len(logs[0]) > 12
    assert [[type(value) for value in row] for row in logs[1][:-1]] == [
        [type(value) for value in row] for row in logs[0][:-1]
    ]
