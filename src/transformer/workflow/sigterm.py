"""Keep SIGTERM from dead-locking Snakemake.

Snakemake's own handler of SIGTERM takes the scheduler's lock.  Python runs a handler in the main thread, between two
instructions of whatever that does, and for most of the time in which it finishes a job it holds the same lock: it then
waits for itself for ever (Snakemake 9.27.1).
"""

import queue
import signal
import threading


def handle_in_a_thread(number: int = signal.SIGTERM) -> None:
    """Run the handler that is set for a signal in a thread of its own, which can wait for locks of the main thread.

    Call this in the main thread after Snakemake has set its handler: in ``onstart``.  In other threads, where Python
    allows no handlers, and if there is no handler, nothing changes.
    """
    handler = signal.getsignal(number)
    if not callable(handler) or threading.current_thread() is not threading.main_thread():
        return
    received: queue.SimpleQueue[int] = queue.SimpleQueue()  # unlike those of Queue, its put() takes no lock

    def serve() -> None:
        while True:
            handler(received.get(), None)

    threading.Thread(target=serve, name="termination", daemon=True).start()
    signal.signal(number, lambda number, frame: received.put(number))
