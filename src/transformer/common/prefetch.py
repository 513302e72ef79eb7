"""Making items ahead of their use, in a thread of its own."""

import queue
import threading
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Generic, TypeVar

Item = TypeVar("Item")
PATIENCE = 0.1  # seconds after which a thread with nothing to do looks whether it is still needed


@dataclass
class _End:
    """The last thing in the queue: the error that ended the making of items, if any."""

    error: BaseException | None


@dataclass
class _Made(Generic[Item]):
    item: Item


def prefetch(items: Iterable[Item], depth: int) -> Iterator[Item]:
    """Yield ``items`` in their order, while a thread makes up to ``depth`` of them in advance.

    An error in making an item is raised where the item would be yielded.  The thread ends with the iterator.
    """
    ready: queue.Queue[_Made[Item] | _End] = queue.Queue(depth)
    closed = threading.Event()

    def put(made: _Made[Item] | _End) -> None:
        while not closed.is_set():
            try:
                ready.put(made, timeout=PATIENCE)
            except queue.Full:
                continue
            return

    def make() -> None:
        error = None
        try:
            for item in items:
                put(_Made(item))
                if closed.is_set():
                    return
        except BaseException as caught:
            error = caught
        put(_End(error))

    thread = threading.Thread(target=make, name="prefetch", daemon=True)
    thread.start()
    try:
        while isinstance(made := ready.get(), _Made):
            yield made.item
        if made.error is not None:
            raise made.error
    finally:
        closed.set()
        thread.join()
