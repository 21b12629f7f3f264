"""What user code finds different in another thread than the one that ran model_fn."""

from __future__ import annotations

import contextvars
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

# Texts of errors about objects that belong to one thread.
AFFINITY_ERRORS = (
    # sqlite3
    "can only be used in that same thread",
    # asyncio.get_event_loop
    "no current event loop in thread",
    # asyncio: a future or a lock of another thread's loop
    "attached to a different loop",
    # signal.signal, signal.set_wakeup_fd
    "only works in main thread",
    # greenlet, and so gevent and Playwright
    "switch to a different thread",
    # TensorFlow's graphs and Keras's sessions
    "is not an element of this graph",
    # tkinter, and so some backends of matplotlib
    "main thread is not in main loop",
)

HINT = (
    "mlcli: model_fn and this call ran in different threads. To run all functions in one thread: "
    "mlcli local deploy --env MLCLI_CONCURRENT_PREDICTIONS=1\n"
)


def affinity_hint(described: str, in_one_thread: bool) -> str:
    """Returns a hint for an error about an object of another thread, given the error as Python prints
    it. Empty for other errors, and if all functions run in one thread already."""
    is_affinity = any(text in described for text in AFFINITY_ERRORS)
    return HINT if is_affinity and not in_one_thread else ""


def inheriting(call: Callable[..., Any]) -> Callable[..., Any]:
    """Returns `call` for a new thread, which inherits settings of the thread that calls this: context
    variables, and the contexts of decimal and numpy."""
    context = contextvars.copy_context()
    # numpy keeps them per thread before 2.0.
    geterr = getattr(sys.modules.get("numpy"), "geterr", None)
    errors = geterr() if geterr else None

    def run(*arguments: Any) -> Any:
        decimal: Any = sys.modules.get("decimal")
        if hasattr(decimal, "setcontext"):
            # A copied context variable still refers to the same decimal context.
            decimal.setcontext(decimal.getcontext().copy())
        if errors:
            sys.modules["numpy"].seterr(**errors)
        return call(*arguments)

    return lambda *arguments: context.run(run, *arguments)
