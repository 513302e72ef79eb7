"""Making items ahead of their use, in a thread of its own."""

import queue
import threading
from collections.abc import Iterable, Iterator
from typing import Any, TypeVar

Item = TypeVar("Item")
PATIENCE = 0.1  # seconds after which a thread with nothing to do looks whether it is still needed


def prefetch(items: Iterable[Item], depth: int) -> Iterator[Item]:
    """Yield ``items`` in their order, while a thread makes up to ``depth`` of them in advance.

    An error in making an item is raised where the item would be yielded.  The thread ends with the iterator.
    """
    # Of pairs: an item and True, or at the end, the error (or None) and False.
    ready: queue.Queue[tuple[Any, bool]] = queue.Queue(depth)
    closed = threading.Event()

    def put(made: Any, is_item: bool) -> None:
        while not closed.is_set():
            try:
                return ready.put((made, is_item), timeout=PATIENCE)
            except queue.Full:
                continue

    def make() -> None:
        try:
            for item in items:
                put(item, True)
                if closed.is_set():
                    return
        except BaseException as error:
            put(error, False)
        else:
            put(None, False)

    thread = threading.Thread(target=make, name="prefetch", daemon=True)
    thread.start()
    try:
        made, is_item = ready.get()
        while is_item:
            yield made
            made, is_item = ready.get()
        if made is not None:
            raise made
    finally:
        closed.set()
        thread.join()
