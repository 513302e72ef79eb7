"""Making items ahead of their use, in a thread of its own."""

from collections import deque
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar

Item = TypeVar("Item")


def prefetch(items: Iterable[Item], depth: int) -> Iterator[Item]:
    """Yield ``items`` in their order, while a thread makes up to ``depth`` of them in advance.

    An error in making an item is raised where the item would be yielded.  The thread ends with the iterator.
    """
    iterator, end = iter(items), object()
    thread = ThreadPoolExecutor(max_workers=1, thread_name_prefix="prefetch")
    try:
        ahead = deque(thread.submit(next, iterator, end) for _ in range(depth))
        made: Any
        while (made := ahead.popleft().result()) is not end:
            ahead.append(thread.submit(next, iterator, end))
            yield made
    finally:
        thread.shutdown(cancel_futures=True)
