"""The one way a command line ends: errors that a user is meant to read become one message and an exit code."""

from __future__ import annotations

import sys
from collections.abc import Callable

from solar_eval.errors import SolarEvalError

INTERRUPTED = 130


def run(app: Callable[[], object], interrupted: str) -> None:
    """Calls `app` and exits with what it returns (0 for None). `interrupted`: what Ctrl-C says on standard error."""
    try:
        code = app()
    except SolarEvalError as error:
        print(f"error: {error}", file=sys.stderr)
        code = error.exit_code
    except KeyboardInterrupt:
        print(interrupted, file=sys.stderr)
        code = INTERRUPTED
    except BrokenPipeError:
        code = 1
        sys.stderr.close()
    sys.exit(code if isinstance(code, int) else 0)
