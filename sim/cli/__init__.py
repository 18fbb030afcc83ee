"""The command line. Importing this imports next to nothing, so that Ctrl-C ends the command quietly while it starts."""

import sys

from .exits import INTERRUPTED


def main() -> None:
    """Run ``interlock``."""
    try:
        from .app import main as run

        run()
    except KeyboardInterrupt:
        sys.exit(INTERRUPTED)
