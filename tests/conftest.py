"""How the property tests run: a fixed, generous number of examples in CI, many more under ``make deep``."""

import os
import signal

from hypothesis import HealthCheck, settings

settings.register_profile("ci", max_examples=300, deadline=None, derandomize=True, print_blob=True)
settings.register_profile(
    "deep", max_examples=10_000, deadline=None, print_blob=True, suppress_health_check=[HealthCheck.too_slow]
)
# What is printed is expected at the width of a file, whatever terminal the tests are started from.
os.environ.pop("COLUMNS", None)
settings.load_profile(os.environ.get("INTERLOCK_PROFILE", "ci"))

# A shell lets its background jobs ignore Ctrl-C, and they let everything they start: the tests press it.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)
